//! The reply oracle: a solver gives a wrong reply to a question other than `check-sat`.
//!
//! Replies are checked when they arrive, by the claims that they imply (`trial/claim.rs`); this oracle reports the results.

use std::collections::BTreeSet;

use super::{Oracle, Verdict};
use crate::finding::{Finding, FindingKind, Fingerprint};
use crate::trial::reply::{ReplyCheck, ReplyFailure};
use crate::trial::{SolverIdentity, Statement, Trial};

/// Looks for wrong replies.
pub struct ReplyOracle;

impl Oracle for ReplyOracle {
    fn name(&self) -> &'static str {
        "reply"
    }

    fn about(&self) -> &'static str {
        "a wrong unsat core, value, objective or other reply"
    }

    fn applies(&self, trial: &Trial) -> bool {
        trial.statements.iter().any(|statement| !statement.replies.is_empty())
    }

    fn judge(&self, trial: &Trial, _: &[SolverIdentity]) -> Verdict {
        let mut findings: Vec<Finding> = Vec::new();
        for statement in &trial.statements {
            for (_, failure) in statement.wrong_replies() {
                let finding = finding(statement, failure);
                if !findings.iter().any(|other| other.is_same(&finding)) {
                    findings.push(finding);
                }
            }
        }
        if !findings.is_empty() {
            return Verdict::Bug(findings);
        }
        let replies = || trial.statements.iter().filter(|one| one.counts()).flat_map(|one| &one.replies);
        let doubt = replies().find_map(|reply| match &reply.judgement {
            ReplyCheck::Unclear(why) => Some(why.clone()),
            _ => None,
        });
        match replies().any(|reply| reply.judgement == ReplyCheck::Holds) {
            true => Verdict::Fine,
            false => Verdict::Undecided(doubt.unwrap_or_else(|| "nothing else is asked".to_owned())),
        }
    }
}

fn finding(statement: &Statement, failure: &ReplyFailure) -> Finding {
    let SolverIdentity { name, family, .. } = &statement.solver;
    let families: BTreeSet<&str> =
        failure.families.iter().map(String::as_str).chain([family.as_str()]).collect();
    let families = families.into_iter().collect::<Vec<_>>().join("/");
    Finding {
        kind: FindingKind::Reply,
        suspects: std::iter::once(name).chain(&failure.contradicted_by).map(String::as_str).collect(),
        evidence: failure.evidence,
        fingerprint: Fingerprint::new(FindingKind::Reply, &families, &failure.detail),
        explanation: format!("{name}: {}", failure.why),
        needs_model: false,
    }
}
