//! A bisection can strengthen the evidence of a finding: the answers of other releases may show which solver is wrong where
//! solvers merely disagreed, and a model of a release that our evaluator finds true proves a corroborated finding.

use super::bisect::{Bisection, ReleaseResult};
use super::record::ConfirmedFinding;
use crate::finding::{Evidence, FindingKind, Suspects};
use crate::solver::name::{Origin, SolverName};

/// The finding as the bisection tells it, if that is surer and tells it of a suspect itself; else as it was.
pub fn strengthen_evidence(found: &ConfirmedFinding, bisection: &Bisection) -> ConfirmedFinding {
    let told = bisection.kind.zip(bisection.evidence).filter(|(_, evidence)| *evidence > found.evidence);
    let is_vague = matches!(found.kind, FindingKind::Disagreement | FindingKind::Promise);
    let (Some((kind, evidence)), Some((suspect, entry))) = (told, culprit(found, bisection)) else {
        return found.clone();
    };
    if kind != found.kind && !is_vague {
        return found.clone();
    }
    let family = if is_vague { suspect.profile.clone() } else { found.family.clone() };
    let suspects = Suspects::from(suspect.to_string().as_str());
    let explanation = match (&bisection.witness, evidence) {
        (Some(shown), Evidence::Proved) if kind == FindingKind::Refutation => {
            format!(
                "{suspects} says {}; the model that {} gives makes every assertion true",
                entry.said, shown.by
            )
        }
        _ => format!("{suspects} says {}", entry.why),
    };
    ConfirmedFinding { kind, suspects, family, evidence, explanation, ..found.clone() }
}

/// The suspect that is affected.
fn culprit<'b>(
    found: &ConfirmedFinding,
    bisection: &'b Bisection,
) -> Option<(SolverName, &'b ReleaseResult)> {
    let mut names = found.suspects.iter().filter_map(|name| name.parse::<SolverName>().ok());
    let first = names.clone().find(|name| matches!(name.origin, Origin::Managed(_)))?;
    names.find_map(|name| {
        let Origin::Managed(version) = &name.origin else { return None };
        let is_it = |entry: &&ReleaseResult| entry.version == *version && entry.affected == Some(true);
        let entry = bisection.versions.iter().find(is_it).filter(|_| name.profile == first.profile)?;
        Some((name, entry))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Fingerprint;
    use crate::triage::bisect::ShownModel;
    use crate::triage::release_boundary::tests::bisection;

    fn check(kind: FindingKind, evidence: Evidence, suspect: &str, told: Evidence, expected: &str) {
        let found = ConfirmedFinding {
            kind,
            suspects: suspect.split(" and ").collect(),
            family: "z3".into(),
            evidence,
            fingerprint: Fingerprint::new(kind, "z3", ""),
            explanation: "as it was".into(),
            needs_model: false,
        };
        let shown = ShownModel { by: "z3@4".into(), model: "()".into(), why: String::new() };
        let bisection = Bisection { evidence: Some(told), witness: Some(shown), ..bisection(".XX.") };
        let seen = strengthen_evidence(&found, &bisection);
        let seen =
            format!("{} {} {}: {}", seen.kind.name(), seen.evidence.name(), seen.suspects, seen.explanation);
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_disagreement_of_releases_becomes_what_a_model_proves() {
        use Evidence::{Corroborated, Disagreement, Proved};
        let proof = "the model that z3@4 gives makes every assertion true";
        let both = "z3@4 and z3@3";
        let expected = format!("refutation proved z3@3: z3@3 says unsat; {proof}");
        check(FindingKind::Disagreement, Disagreement, both, Proved, &expected);
        check(FindingKind::Refutation, Corroborated, "z3@3", Proved, &expected);
        check(
            FindingKind::Promise,
            Disagreement,
            "z3@3",
            Corroborated,
            "refutation corroborated z3@3: z3@3 says ",
        );
    }

    #[test]
    fn what_is_no_surer_or_of_another_kind_or_release_stays() {
        use Evidence::{Corroborated, Disagreement, Proved};
        let as_it_was = |kind: FindingKind, evidence: Evidence, suspect: &str, told| {
            let expected = format!("{} {} {suspect}: as it was", kind.name(), evidence.name());
            check(kind, evidence, suspect, told, &expected);
        };
        as_it_was(FindingKind::Disagreement, Disagreement, "z3@4 and z3@3", Disagreement);
        as_it_was(FindingKind::Disagreement, Disagreement, "z3@4 and cvc5@3", Proved);
        as_it_was(FindingKind::Solution, Corroborated, "z3@3", Proved);
        as_it_was(FindingKind::Refutation, Proved, "z3@3", Corroborated);
    }
}
