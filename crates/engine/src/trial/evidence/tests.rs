//! A table of trials and of the verdict on each, to be checked by hand.

use super::super::ExhaustionEvidence;
use super::super::tests::{statement, trial};
use super::*;
use Answer::{Sat, Unsat};

fn claim(claimed: Answer, votes: &str) -> String {
    let statements: Vec<Statement> = votes.split_whitespace().map(statement).collect();
    match rule_on_claim(claimed, "z3", &statements) {
        ClaimRuling::Holds => "holds".to_owned(),
        ClaimRuling::Open(_) => "open".to_owned(),
        ClaimRuling::Refuted { evidence, voices, .. } => {
            format!("{} {}", evidence.name(), voices.join(" ")).trim().to_owned()
        }
    }
}

#[test]
fn a_claim_is_refuted_by_a_model_two_code_bases_or_the_solver_itself() {
    assert_eq!(claim(Unsat, "cvc5=unsat"), "holds");
    assert_eq!(claim(Unsat, "cvc5=sat!"), "proved");
    assert_eq!(claim(Unsat, "cvc5=sat z3=sat"), "corroborated");
    assert_eq!(claim(Unsat, "cvc5=sat yices=sat"), "corroborated");
    assert_eq!(claim(Unsat, "z3=sat"), "disagreement", "it contradicts itself");
    assert_eq!(claim(Unsat, "cvc5=sat z3=unknown"), "disagreement cvc5", "either may be wrong");
    assert_eq!(claim(Sat, "cvc5=unsat z3=unsat"), "corroborated");
    assert_eq!(claim(Sat, "z3=sat!"), "holds");
}

#[test]
fn a_claim_that_solvers_do_not_decide_stays_open() {
    assert_eq!(claim(Unsat, "cvc5=unknown z3=-"), "open");
    assert_eq!(claim(Unsat, "cvc5=sat yices=unsat"), "open");
    assert_eq!(claim(Unsat, ""), "open");
    assert_eq!(claim(Unsat, "cvc5=sat?"), "open", "its model is invalid");
}

#[test]
fn a_claim_that_exhaustion_decides_needs_no_solver() {
    let ruling = |claimed, answer| {
        let exact = ExhaustionEvidence { answer, assignments: 4, ..ExhaustionEvidence::default() };
        rule_on_claim_exactly(claimed, &exact)
    };
    assert_eq!(ruling(Sat, Some(Sat)), Some(ClaimRuling::Holds));
    assert_eq!(ruling(Sat, None), None);
    let by = "unsat, by exhaustion: all 4 assignments were evaluated".to_owned();
    let (evidence, voices, families) = (Evidence::Proved, Vec::new(), Vec::new());
    assert_eq!(ruling(Sat, Some(Unsat)), Some(ClaimRuling::Refuted { evidence, voices, families, by }));
}

#[test]
fn one_more_vote_is_wanted_where_nothing_tells_whether_an_answer_is_right() {
    let wanted = |votes: &str, promise| wants_vote(&trial(votes, promise));
    for votes in [
        "z3=unsat",
        "z3=sat",
        "z3=sat?",
        "z3=unsat cvc5=unknown",
        "z3=unsat cvc5=sat",
        "z3=sat,unsat cvc5=sat",
    ] {
        assert!(wanted(votes, Promise::Nothing), "{votes}");
    }
    for votes in [
        "",
        "z3=unknown",
        "z3=-",
        "z3=sat!",
        "z3=unsat cvc5=sat!",
        "z3=unsat cvc5=unsat",
        "z3=sat,unsat cvc5=sat,unsat",
    ] {
        assert!(!wanted(votes, Promise::Nothing), "{votes}");
    }
    assert!(!wanted("z3=unsat", Promise::Known(Unsat)), "the promise supports it");
    assert!(wanted("z3=unsat", Promise::Known(Sat)), "the promise contradicts it");
    let mut decided = trial("z3=unsat", Promise::Nothing);
    decided.exhaustion = vec![ExhaustionEvidence { answer: Some(Unsat), ..ExhaustionEvidence::default() }];
    assert!(!wants_vote(&decided), "exhaustion proves it");
}

/// Votes as `z3=sat`, `cvc5=sat!` (its model satisfies the script), `z3=sat?` (its model is invalid), `z3=sat+` (cvc
/// upholds its model clause by clause), `z3=-` (refused).
fn outcome(votes: &str, promise: Promise) -> String {
    let trial = trial(votes, promise);
    match VoteCount::of(&trial, 0).outcome() {
        VoteOutcome::Uncontested => "uncontested".to_owned(),
        VoteOutcome::Disputed => "disputed".to_owned(),
        VoteOutcome::PromiseDisproved(_) => "promise disproved".to_owned(),
        VoteOutcome::Wrong { solvers, right, proof } => {
            let names: Vec<&str> = solvers.iter().map(|solver| solver.name.as_str()).collect();
            let evidence = if proof.is_some() { "proved" } else { "corroborated" };
            format!("{} {evidence}, wrong: {}", right.name(), names.join(" "))
        }
    }
}

#[test]
fn the_table_of_rulings() {
    let table = [
        ("", None, "uncontested"),
        ("z3=sat", None, "uncontested"),
        ("z3=sat cvc5=sat", None, "uncontested"),
        ("z3=sat cvc5=unknown", None, "uncontested"),
        ("z3=sat cvc5=-", None, "uncontested"),
        ("z3=sat cvc5=unsat", None, "disputed"),
        ("z3@1=sat z3@2=unsat", None, "disputed"),
        ("z3@1=sat z3@2=sat cvc5=unsat", None, "disputed"),
        ("z3=sat cvc5=sat yices=unsat bitwuzla=unsat", None, "disputed"),
        ("z3=sat cvc5=unsat yices=unsat", None, "unsat corroborated, wrong: z3"),
        ("z3=unsat cvc5=sat yices=sat", None, "sat corroborated, wrong: z3"),
        ("z3@1=unsat z3@2=sat cvc5=sat", None, "sat corroborated, wrong: z3@1"),
        ("z3@1=sat z3@2=sat cvc5=unsat yices=unsat", None, "unsat corroborated, wrong: z3@1 z3@2"),
        ("z3=sat! cvc5=unsat", None, "sat proved, wrong: cvc5"),
        ("z3=sat! cvc5=unsat yices=unsat", None, "sat proved, wrong: cvc5 yices"),
        ("z3=sat? cvc5=unsat", None, "unsat corroborated, wrong: z3"),
        ("z3@1=sat? z3@2=unsat", None, "disputed"),
        ("z3=sat? cvc5=unsat yices=sat", None, "disputed"),
        ("z3=sat? cvc5=unsat yices=sat bitwuzla=sat", None, "sat corroborated, wrong: cvc5"),
        ("z3=sat? cvc5=unsat", Some(Sat), "sat corroborated, wrong: cvc5"),
        ("z3=sat+ yices=unsat", None, "sat corroborated, wrong: yices"),
        ("z3=sat", Some(Sat), "uncontested"),
        ("z3=unsat", Some(Sat), "disputed"),
        ("z3=unsat cvc5=unsat", Some(Sat), "disputed"),
        ("z3=unsat cvc5=sat", Some(Sat), "sat corroborated, wrong: z3"),
        ("z3=sat cvc5=unsat yices=unsat", Some(Sat), "sat corroborated, wrong: cvc5 yices"),
        ("z3=unsat cvc5=sat", Some(Unsat), "unsat corroborated, wrong: cvc5"),
        ("z3=sat!", Some(Unsat), "promise disproved"),
        ("z3=sat! cvc5=unsat", Some(Unsat), "sat proved, wrong: cvc5"),
    ];
    for (votes, promised, expected) in table {
        let promise = promised.map_or(Promise::Nothing, Promise::Known);
        assert_eq!(outcome(votes, promise), expected, "{votes} {promised:?}");
    }
}

#[test]
fn an_exact_answer_proves_a_single_solver_wrong_whatever_others_say() {
    let check = |votes: &str, exact: Answer, promise: Promise, expected: &str| {
        let mut trial = trial(votes, promise);
        let evidence = ExhaustionEvidence { answer: Some(exact), assignments: 16, ..Default::default() };
        trial.exhaustion = vec![evidence];
        let wrong = match VoteCount::of(&trial, 0).outcome() {
            VoteOutcome::Wrong { solvers, proof: Some(_), .. } => {
                solvers.iter().map(|solver| solver.name.as_str()).collect::<Vec<_>>().join(" ")
            }
            VoteOutcome::Uncontested => "none".to_owned(),
            other => format!("{other:?}"),
        };
        assert_eq!(wrong, expected, "{votes} {exact:?}");
    };
    check("z3=sat", Unsat, Promise::Nothing, "z3");
    check("z3=unsat", Sat, Promise::Nothing, "z3");
    check("z3=sat cvc5=sat", Unsat, Promise::Known(Sat), "z3 cvc5");
    check("z3=sat cvc5=unsat", Unsat, Promise::Nothing, "z3");
    check("z3=sat", Sat, Promise::Nothing, "none");
    check("z3=unknown", Sat, Promise::Nothing, "none");
}

fn right(suspect: &str, references: &str, releases: &str) -> String {
    let read = |text: &str| text.split_whitespace().map(statement).collect::<Vec<_>>();
    let (references, releases) = (read(references), read(releases));
    fn all(list: &[Statement]) -> Vec<&Statement> {
        list.iter().collect()
    }
    match right_answer(0, suspect, &all(&references), &all(&releases)) {
        Some(right) => format!("{} {}", right.answer.name(), right.evidence.name()),
        None => "?".to_owned(),
    }
}

#[test]
fn the_table_of_right_answers() {
    let table = [
        ("z3", "cvc5=unsat", "z3@4.8.7=sat!", "sat proved"),
        ("z3", "cvc5=sat! yices=unsat", "", "sat proved"),
        ("z3", "cvc5=unknown z3@5.4.0=unsat", "z3@4.8.7=sat+", "sat corroborated"),
        ("cvc", "z3=unsat", "cvc5@1.2.0=sat+", "unsat disagreement"),
        ("z3", "cvc5=unsat yices=unsat z3@5.4.0=sat", "", "unsat corroborated"),
        ("z3", "cvc5=unsat z3@5.4.0=unsat", "", "unsat corroborated"),
        ("z3", "cvc5=unsat yices=sat", "", "?"),
        ("z3", "cvc5=unsat z3@5.4.0=sat", "", "unsat disagreement"),
        ("z3", "cvc5=unknown z3@5.4.0=sat", "", "sat disagreement"),
        ("z3", "cvc5=- z3@5.4.0=unknown", "z3@4.8.6=unsat", "?"),
        ("z3", "cvc5=sat?", "", "?"),
        ("z3", "cvc5=unsat", "z3@4.8.7=sat?", "unsat corroborated"),
        ("z3", "z3@5.4.0=unsat", "z3@4.8.7=sat?", "unsat disagreement"),
    ];
    for (suspect, references, releases, expected) in table {
        assert_eq!(right(suspect, references, releases), expected, "{suspect}: {references} | {releases}");
    }
}

#[test]
fn an_expected_answer_counts_as_one_vote() {
    let right = |evidence| Some(RightAnswer { answer: Sat, evidence, supporters: vec!["cvc5".to_owned()] });
    let evidence = |right: Option<RightAnswer>| right.map(|right| (right.answer, right.evidence));
    let alone = with_expected(None, Some(Unsat));
    assert_eq!(evidence(alone), Some((Unsat, Evidence::Disagreement)));
    let beside = with_expected(right(Evidence::Disagreement), Some(Sat));
    assert_eq!(evidence(beside), Some((Sat, Evidence::Corroborated)));
    let against = with_expected(right(Evidence::Proved), Some(Unsat));
    assert_eq!(evidence(against), Some((Sat, Evidence::Proved)));
}

fn belief(claim: Option<Answer>, votes: &str) -> Option<Answer> {
    Belief::of(&trial(votes, Promise::Nothing), claim).answer
}

#[test]
fn the_table_of_beliefs() {
    let table = [
        (Some(Unsat), "z3=unknown", Some(Unsat)),
        (Some(Unsat), "z3=unsat cvc5=sat", None),
        (Some(Unsat), "z3=sat!", None),
        (Some(Sat), "z3=unsat cvc5=sat!", Some(Sat)),
        (Some(Sat), "z3=unsat", None),
        (None, "z3=sat!", Some(Sat)),
        (None, "z3=sat?", None),
        (None, "z3=sat cvc5=sat", Some(Sat)),
        (None, "z3=unsat", None),
        (None, "z3@5.4.0=unsat z3@4.8.10=unsat", None),
        (None, "z3=unsat cvc5=unsat", Some(Unsat)),
        (None, "z3=unsat cvc5=sat", None),
    ];
    for (claim, votes, expected) in table {
        assert_eq!(belief(claim, votes), expected, "{claim:?} {votes}");
    }
}

#[test]
fn a_status_that_two_code_bases_contradict_is_not_promised() {
    let promise = |votes: &str| promise_of_seed(&trial(votes, Promise::Nothing), Some(Sat));
    assert_eq!(promise("z3=unsat"), Promise::Known(Sat));
    assert_eq!(promise("z3=unsat cvc5=unsat"), Promise::Nothing);
    assert_eq!(promise("z3=unsat cvc5=unsat yices=sat"), Promise::Known(Sat));
    assert_eq!(promise_of_seed(&trial("z3=sat", Promise::Nothing), None), Promise::Nothing);
}

#[test]
fn a_fusion_keeps_its_promise_if_every_seed_is_believed() {
    let of = |answer| Belief { answer, model: None };
    let sat = Promise::Known(Sat);
    let (yes, no) = (of(Some(Sat)), of(None));
    assert_eq!(promise_of_fusion(sat, [&yes, &yes].into_iter()), sat);
    assert_eq!(promise_of_fusion(sat, [&yes, &no].into_iter()), Promise::Nothing);
    assert_eq!(promise_of_fusion(Promise::Nothing, [&yes].into_iter()), Promise::Nothing);
    assert_eq!(promise_of_fusion(Promise::Constructed(Sat), [&no].into_iter()), sat);
}
