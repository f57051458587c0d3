//! Steps with two parents: which seed is fused with the script of a chain.

use gainsay_smt::Script;

use super::Chain;
use super::step::FailedStep;
use crate::campaign::scripts::partners::PartnerDraw;
use crate::event::CaseNumber;
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::strategy::fusion::DecomposedFusion;
use crate::strategy::{Parent, Proposal, Skip, Strategy};

impl Chain<'_> {
    /// The seed whose status must be determined before the next case can be made, if any.
    pub fn unasked(&self) -> Option<usize> {
        match self.draw_partner(self.next_case()?) {
            PartnerDraw::Unasked(seed) => Some(seed),
            PartnerDraw::Partner(_) | PartnerDraw::NoPartner => None,
        }
    }

    /// The seed that is drawn as the second parent of a case.
    pub(super) fn partner(&self, case: CaseNumber) -> Option<usize> {
        self.draw_partner(case).partner()
    }

    fn draw_partner(&self, case: CaseNumber) -> PartnerDraw {
        let (Some((seed, library)), Some(status)) = (self.seed.partners, self.seed.status) else {
            return PartnerDraw::NoPartner;
        };
        self.recipe.partner_of(case, self.chosen(case), (seed, status), library)
    }

    /// Fuses the script, or the seed of the chain, with another seed.
    pub(super) fn join(
        &self,
        strategy: &dyn Strategy,
        partner: Option<usize>,
        rng: &mut Rng,
    ) -> Result<Proposal, FailedStep> {
        let second = self.second(partner).map_err(|why| FailedStep::Skipped(Skip::Unfit(why)))?;
        self.propose(strategy, &self.parents(&second), rng)
    }

    /// Returns the script of a second parent; the error says why the case is skipped.
    fn second(&self, partner: Option<usize>) -> Result<Script, &'static str> {
        if self.seed.status.is_none_or(|status| status == Answer::Unknown) {
            return Err("the status of the seed is not known");
        }
        let library = self.seed.partners.map(|(_, library)| library);
        let (Some(library), Some(partner)) = (library, partner) else {
            return Err("there is no seed to join it with");
        };
        library.script(partner).ok_or("the seed to join it with cannot be read any more")
    }

    /// The parents of the next fusion.
    fn parents<'p>(&'p self, second: &'p Script) -> [Parent<'p>; 2] {
        let first = if self.goes_on() { &self.script } else { &self.seed.script };
        [first, second].map(|script| Parent::new(script, self.seed.status))
    }

    /// The decomposition of the next case, if its strategy is a fusion.
    pub fn apart(&self) -> Option<DecomposedFusion> {
        let case = self.next_case()?;
        let mut rng = self.recipe.stream_of(case).rng();
        let strategy = self.recipe.strategy(self.chosen(case), &mut rng);
        let second = self.second(self.partner(case)).ok()?;
        strategy.decompose(&self.parents(&second), &self.recipe.settings, &mut rng)
    }
}
