//! Checks replies: a reply claims answers for scripts, which exhaustion decides, or else solvers.
//!
//! Exhaustion is cheaper than any solver and needs no second opinion. Of the solvers, those of other code bases are asked first. One that gives the claimed answer is enough, since a reply is right unless
//! something contradicts it. Otherwise all are asked, the solver itself included (a plain script in another process), and asked
//! for models, which our evaluator checks; then the rules of evidence decide.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use gainsay_smt::{Script, sat_queries};

use super::panel::PanelSolver;
use super::{SidePurpose, SideQuery, SolverAccess};
use crate::finding::{Evidence, Fingerprint};
use crate::prepare::{Preparation, Prepared};
use crate::question::models::BlockedModels;
use crate::question::objective::pareto::{is_front, points_before};
use crate::question::{self, AskedCommand};
use crate::solver::proof_checker::{ProofVerdict, verdict};
use crate::solver::run::{Answer, Ask};
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::evidence::{ClaimRuling, rule_on_claim, rule_on_claim_exactly};
use crate::trial::exhaustion::ExhaustionEvidence;
use crate::trial::reply::{ReplyCheck, ReplyFailure};
use crate::trial::{ModelEvidence, QuestionKind, SolverIdentity, Statement, Trial};

/// Claims of one trial that are checked: a script may have hundreds of checks.
const MAX_CLAIMS_PER_TRIAL: usize = 24;
/// The steps for one claim at most, where a script gets more: a script has one answer, and may have many claims.
const MAX_CLAIM_STEPS: u64 = 2_000_000;

/// Checks the replies of one trial.
pub struct ClaimChecker<'p> {
    panel: &'p [PanelSolver],
    script: Script,
    /// Made for the first claim that solvers are asked about: most trials have none.
    preparation: OnceCell<Preparation>,
    /// The steps that exhaustion may take for each claim.
    exhaustion_steps: u64,
    /// The results for claimed scripts, by their texts.
    known: BTreeMap<String, Vec<Statement>>,
}

impl<'p> ClaimChecker<'p> {
    /// For replies about a script, whose own questions get this many steps of exhaustion.
    pub fn new(panel: &'p [PanelSolver], script: &Script, exhaustion_steps: u64) -> Self {
        let exhaustion_steps = exhaustion_steps.min(MAX_CLAIM_STEPS);
        ClaimChecker {
            panel,
            script: script.clone(),
            preparation: OnceCell::new(),
            exhaustion_steps,
            known: BTreeMap::new(),
        }
    }

    /// Judges a reply of a statement.
    pub fn judge(
        &mut self,
        trial: &Trial,
        statement: usize,
        place: usize,
        access: &mut dyn SolverAccess,
    ) -> ReplyCheck {
        let statement = &trial.statements[statement];
        let reply = &statement.replies[place];
        let unclear = |why: &str| ReplyCheck::Unclear(why.to_owned());
        let Some(question) = question::of_kind(reply.kind) else { return unclear("no question asks it") };
        if reply.kind == QuestionKind::Sequence && is_seconded(trial, statement, reply.check) {
            return ReplyCheck::Holds;
        }
        let queries = sat_queries(&self.script);
        let Some(query) = queries.get(reply.check.unwrap_or(0)) else {
            return unclear("the script has no such check");
        };
        let script = self.script.clone();
        let Some(command) = script.commands.get(reply.command) else {
            return unclear("the script has no such command");
        };
        let answer = reply.check.and_then(|check| statement.answer(check));
        let blocked = self.blocked_models(statement, reply.command);
        let understands_blocks =
            matches!(reply.kind, QuestionKind::Sequence | QuestionKind::Values | QuestionKind::Models)
                || reply.kind == QuestionKind::Objective && is_front(&self.script);
        if blocked != BlockedModels::none() && !understands_blocks {
            return unclear("models are blocked before it");
        }
        let (kind, place, reply, blocked) = (reply.kind, reply.command, reply.text.as_str(), &blocked);
        let before =
            statement.replies.iter().find(|one| one.command + 1 == place).map(|one| one.text.as_str());
        let asked = AskedCommand { script: &script, command, place, query, answer, reply, blocked, before };
        let reading = question.read(&asked);
        let detail = question.detail(command, &script);
        let check = match reading {
            ReplyReading::Right => ReplyCheck::Holds,
            ReplyReading::Unclear(why) => ReplyCheck::Unclear(why),
            ReplyReading::Wrong(why) => ReplyCheck::Fails(ReplyFailure::proved(detail.clone(), why)),
            ReplyReading::Repeats(why) => {
                ReplyCheck::Fails(ReplyFailure::proved(Fingerprint::repeated(&detail), why))
            }
            ReplyReading::Claims(claims) => {
                let groups: Vec<Vec<Claim>> = claims.into_iter().map(|claim| vec![claim]).collect();
                self.each_holds(&groups, &detail, &statement.solver, access)
            }
            ReplyReading::OneOfEach(groups) => self.each_holds(&groups, &detail, &statement.solver, access),
        };
        if kind != QuestionKind::Proof
            || answer != Some(Answer::Unsat)
            || matches!(check, ReplyCheck::Fails(_))
        {
            return check;
        }
        match self.check_proof(asked.reply, &detail, &statement.solver, access) {
            ReplyCheck::Holds => check,
            doubt => doubt,
        }
    }

    /// Lets the proof checker of the solver's profile judge a proof, if it names one.
    fn check_proof(
        &self,
        proof: &str,
        detail: &str,
        suspect: &SolverIdentity,
        access: &mut dyn SolverAccess,
    ) -> ReplyCheck {
        let checker = |(solver, one): (usize, &'p PanelSolver)| {
            let is_of_suspect = one.identity.family == suspect.family;
            one.solver
                .profile
                .proof_checker
                .as_ref()
                .filter(|_| is_of_suspect)
                .map(|checker| (solver, checker))
        };
        let Some((solver, checker)) = self.panel.iter().enumerate().find_map(checker) else {
            return ReplyCheck::Holds;
        };
        let (text, ask, purpose) = (proof, Ask::PROOF_CHECK, SidePurpose::Claim);
        let Some(run) = access.side_query(&SideQuery { solver, options: &[], text, ask, purpose }) else {
            return ReplyCheck::Unclear("its proof was not checked".to_owned());
        };
        let name = &checker.name;
        match verdict(checker, &run) {
            ProofVerdict::Accepted => ReplyCheck::Holds,
            ProofVerdict::Unclear(said) => ReplyCheck::Unclear(format!("{name} says of its proof: {said}")),
            ProofVerdict::Rejected(said) => ReplyCheck::Fails(ReplyFailure {
                detail: detail.to_owned(),
                why: format!("{name} rejects its proof: {said}"),
                evidence: Evidence::Disagreement,
                contradicted_by: vec![name.clone()],
                families: vec![name.clone()],
            }),
        }
    }

    /// The models that are blocked at a command, or the points of a front that were given, for a solver that has commands for it.
    fn blocked_models(&self, statement: &Statement, place: usize) -> BlockedModels {
        let has = |command: &str| {
            self.panel.iter().any(|member| {
                member.identity.family == statement.solver.family
                    && member.solver.profile.filter.keeps_command(command)
            })
        };
        match is_front(&self.script) {
            true if has("get-objectives") => points_before(&self.script, place, &statement.replies),
            false if has("block-model") => BlockedModels::at(&self.script, place, &statement.replies),
            _ => BlockedModels::none(),
        }
    }

    /// Checks that of each group of claims one holds.
    fn each_holds(
        &mut self,
        groups: &[Vec<Claim>],
        detail: &str,
        suspect: &SolverIdentity,
        access: &mut dyn SolverAccess,
    ) -> ReplyCheck {
        let mut doubt = None;
        for group in groups {
            match self.group_ruling(group, suspect, access) {
                None => return ReplyCheck::Unclear("the script asks too much".to_owned()),
                Some((_, ClaimRuling::Holds)) => {}
                Some((_, ClaimRuling::Open(why))) => doubt = Some(why),
                Some((otherwise, ClaimRuling::Refuted { evidence, voices, families, by })) => {
                    return ReplyCheck::Fails(ReplyFailure {
                        detail: detail.to_owned(),
                        why: format!("{otherwise}: {by}"),
                        evidence,
                        contradicted_by: voices,
                        families,
                    });
                }
            }
        }
        doubt.map_or(ReplyCheck::Holds, ReplyCheck::Unclear)
    }

    /// The ruling on claims of which one must hold, with the fault if none does: the group is refuted if all are, by the weakest evidence.
    /// `None` if the trial has too many claims.
    fn group_ruling<'c>(
        &mut self,
        group: &'c [Claim],
        suspect: &SolverIdentity,
        access: &mut dyn SolverAccess,
    ) -> Option<(&'c str, ClaimRuling)> {
        let mut weakest: Option<(&str, ClaimRuling)> = None;
        let strength = |ruling: &ClaimRuling| match ruling {
            ClaimRuling::Refuted { evidence, .. } => Some(*evidence),
            ClaimRuling::Open(_) | ClaimRuling::Holds => None,
        };
        for claim in group {
            if self.known.len() >= MAX_CLAIMS_PER_TRIAL && !self.known.contains_key(&claim.text) {
                return None;
            }
            let ruling = self.ruling(claim, suspect, access);
            if ruling == ClaimRuling::Holds {
                return Some((&claim.otherwise, ruling));
            }
            if weakest.as_ref().is_none_or(|(_, known)| strength(&ruling) < strength(known)) {
                weakest = Some((&claim.otherwise, ruling));
            }
        }
        Some(weakest.unwrap_or(("", ClaimRuling::Open("nothing is claimed".to_owned()))))
    }

    fn ruling(
        &mut self,
        claim: &Claim,
        suspect: &SolverIdentity,
        access: &mut dyn SolverAccess,
    ) -> ClaimRuling {
        let Ok(script) = Script::parse(&claim.text, self.script.arena().signature()) else {
            return ClaimRuling::Open("its reply cannot be read".to_owned());
        };
        if let Some(ruling) = self.exact_ruling(claim, &script) {
            self.known.entry(claim.text.clone()).or_default();
            return ruling;
        }
        let mut statements = self.known.remove(&claim.text).unwrap_or_default();
        let signature = self.script.arena().signature();
        let preparation = self.preparation.get_or_init(|| PanelSolver::preparation(self.panel, signature));
        let prepared = preparation.prepare(&script, &claim.text);
        let family = |solver: &usize| self.panel[*solver].identity.family != suspect.family;
        let (others, own): (Vec<usize>, Vec<usize>) = (0..self.panel.len()).partition(family);
        for solver in others.into_iter().chain(own) {
            let is_settled =
                |one: &Statement| one.answer(0) == Some(claim.answer) && one.solver.family != suspect.family;
            if statements.iter().any(is_settled) {
                break;
            }
            let is_known = |one: &Statement| one.solver.name == self.panel[solver].identity.name;
            if !statements.iter().any(is_known) {
                statements.extend(self.ask(&script, solver, &prepared[solver], access));
            }
        }
        let ruling = rule_on_claim(claim.answer, &suspect.family, &statements);
        self.known.insert(claim.text.clone(), statements);
        ruling
    }

    /// The ruling by exhaustion, if that decides the claimed script.
    fn exact_ruling(&self, claim: &Claim, script: &Script) -> Option<ClaimRuling> {
        if self.exhaustion_steps == 0 {
            return None;
        }
        let exact = ExhaustionEvidence::of_script(script, self.exhaustion_steps);
        rule_on_claim_exactly(claim.answer, exact.first()?)
    }

    /// What a solver says to a claimed script.
    fn ask(
        &self,
        script: &Script,
        solver: usize,
        prepared: &Prepared,
        access: &mut dyn SolverAccess,
    ) -> Option<Statement> {
        let Prepared::Text { text, excuse } = prepared else { return None };
        let member = &self.panel[solver];
        let (ask, purpose) = (Ask::WITH_MODEL, SidePurpose::Claim);
        let run = access.side_query(&SideQuery { solver, options: &[], text, ask, purpose })?;
        let mut statement = Statement::of(member.identity.clone(), &run, 1, excuse.clone());
        if let Some(vote) = statement.votes.first_mut().filter(|vote| vote.answer == Answer::Sat) {
            let mut model: ModelEvidence = member.model_given(text, run.model.clone());
            model.check(script, 0);
            vote.model = Some(model);
        }
        Some(statement)
    }
}

/// Returns true if a solver of another code base gives the same answer to a check of the same script.
fn is_seconded(trial: &Trial, statement: &Statement, check: Option<usize>) -> bool {
    let Some(answer) = check.and_then(|check| statement.answer(check)) else { return false };
    let mut others = trial.statements.iter().filter(|one| one.solver.family != statement.solver.family);
    answer != Answer::Unknown && others.any(|one| check.and_then(|check| one.answer(check)) == Some(answer))
}
