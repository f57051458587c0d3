//! Where the premises of a proof come from: each must be one of the assertions, or follow from one of them by itself.
//!
//! ```text
//! (assert a) (assert (not a))        premises b, (not b)        b follows from neither a nor (not a): wrong
//! ```
//!
//! The assertions contradict each other, so anything follows from all of them together: that each premise does says nothing. Solvers
//! state the assertions as they were given, but for definitions, names, and rewriting of one assertion at a time. And since the proof
//! derives `false` from them, the premises must contradict each other, too.

use std::cmp::Reverse;

use gainsay_smt::print::term_text_within;
use gainsay_smt::{Script, Term, variables};

use crate::plain_terms::{PlainTerms, applied};
use crate::question::AskedCommand;
use crate::question::core::shown;
use crate::solver::run::Answer;
use crate::trial::claim::{Claim, ReplyReading};

/// Bytes of an assertion or premise in a claim.
const MAX_FORMULA_BYTES: usize = 1 << 16;
/// Assertions that a premise is held against by its meaning.
const MAX_CANDIDATES: usize = 12;

/// What follows from the premises of a proof.
pub fn reading(asked: &AskedCommand<'_>, premises: &[String]) -> ReplyReading {
    let unreadable = || ReplyReading::unclear("the premises of the proof cannot be read");
    let Some(mut script) = script_with(asked, premises) else { return unreadable() };
    let mut terms: Vec<Term> = script.assertions().collect();
    let given = terms.split_off(terms.len() - premises.len());
    let mut expanded = PlainTerms::of(&mut script);
    let mut plain =
        |terms: &[Term]| terms.iter().map(|&term| expanded.plain(term)).collect::<Option<Vec<Term>>>();
    let (Some(assertions), Some(given)) = (plain(&terms), plain(&given)) else { return unreadable() };
    let conjuncts: Vec<Term> = assertions.iter().flat_map(|&one| expanded.conjuncts(one)).collect();
    let formulas = Formulas { asked, script: expanded.script() };
    let mut groups = Vec::new();
    for &premise in given.iter().filter(|premise| !conjuncts.contains(premise)) {
        let Some(group) = formulas.follows_from_one(premise, &assertions) else {
            return ReplyReading::unclear(
                "the premises of the proof are too large, or too many assertions to compare them with",
            );
        };
        groups.push(group);
    }
    if assertions.iter().any(|assertion| !given.contains(assertion)) {
        let Some(claim) = formulas.contradict(&given) else { return unreadable() };
        groups.push(vec![claim]);
    }
    match groups.is_empty() {
        // They are the assertions, and whether these contradict each other is the question that the check asks.
        true => ReplyReading::Right,
        false => ReplyReading::OneOfEach(groups),
    }
}

/// The declarations and assertions of the check, and then the premises as assertions.
fn script_with(asked: &AskedCommand<'_>, premises: &[String]) -> Option<Script> {
    let flat = asked.flat();
    let mut text = flat.with("");
    text.truncate(text.rfind("(check-sat)")?);
    premises.iter().for_each(|premise| text.push_str(&flat.assertion(premise)));
    Script::parse(&text, asked.script.arena().signature()).ok()
}

/// Makes claims about formulas of a script.
struct Formulas<'a> {
    asked: &'a AskedCommand<'a>,
    script: &'a Script,
}

impl Formulas<'_> {
    /// The claims of which one must hold: that a premise follows from an assertion. `None` if there is too much to claim.
    fn follows_from_one(&self, premise: Term, assertions: &[Term]) -> Option<Vec<Claim>> {
        if assertions.len() > MAX_CANDIDATES {
            return None;
        }
        let text = self.text(premise)?;
        if assertions.is_empty() {
            return Some(vec![self.claim(&[], &text)]);
        }
        let own = applied(self.script.arena(), premise);
        let mut candidates = assertions.to_vec();
        // The assertion that it was made from has its symbols, and one that holds is enough.
        candidates.sort_by_key(|&one| Reverse(applied(self.script.arena(), one).intersection(&own).count()));
        candidates.iter().map(|&one| Some(self.claim(&[&self.text(one)?], &text))).collect()
    }

    fn claim(&self, from: &[&str], premise: &str) -> Claim {
        let flat = self.asked.flat();
        let assertions: String = from.iter().map(|one| flat.assertion(one)).collect();
        Claim {
            text: flat.with_some(|_| false, &(assertions + &flat.assertion(&format!("(not {premise})")))),
            answer: Answer::Unsat,
            otherwise: format!("the premise {} of its proof follows from no assertion", shown(premise)),
        }
    }

    /// The claim that these premises contradict each other.
    fn contradict(&self, premises: &[Term]) -> Option<Claim> {
        let flat = self.asked.flat();
        let texts =
            premises.iter().map(|&one| Some(flat.assertion(&self.text(one)?))).collect::<Option<String>>()?;
        Some(Claim {
            text: flat.with_some(|_| false, &texts),
            answer: Answer::Unsat,
            otherwise: "the premises of its proof do not contradict each other".to_owned(),
        })
    }

    /// A plain term as text; `None` if it is too large, or if a binder would capture a function that was a definition's.
    fn text(&self, term: Term) -> Option<String> {
        let arena = self.script.arena();
        let symbols = applied(arena, term);
        let text = term_text_within(arena, term, MAX_FORMULA_BYTES);
        let is_captured = variables::bound(arena, term).iter().any(|bound| symbols.contains(&bound.name));
        (!is_captured && !text.ends_with('…')).then_some(text)
    }
}
