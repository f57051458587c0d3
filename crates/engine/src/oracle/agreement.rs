//! The agreement oracle: of two solvers (or versions, or options of one), one says sat and the other unsat.
//!
//! Answers are compared place by place, since a script may ask more than once. What a solver said after refusing a part
//! of the script is an answer to another script, and does not count; neither does a solver with an excuse.
//!
//! Who is wrong? If the model of one that says sat makes every assertion true, or the model that the script was made to
//! have does, all that say unsat: that is proved. If `false` is derived from a system of Horn clauses, step by step, all that
//! say sat: that is proved as well. Else, two
//! different code bases against one make that one the suspect; so does one code base with the
//! promise on its side. Anything less is a disagreement, and is called so.

use std::collections::BTreeSet;

use gainsay_smt::horn::System;

use super::witness::{Clauses, Weight};
use super::{
    Evidence, Finding, FindingKind, Fingerprint, Observation, Oracle, Promise, Request, Subject, Verdict,
};
use super::{Search, Sight, Witness, counts};
use crate::solver::run::Answer;

/// Looks for contradictions.
pub struct Agreement;

impl Oracle for Agreement {
    fn name(&self) -> &'static str {
        "agreement"
    }

    fn about(&self) -> &'static str {
        "sat against unsat, across solvers, versions or options"
    }

    fn judge(&self, case: &Observation<'_>) -> Verdict {
        let places = case.runs.iter().map(|sight| sight.run.answers.len()).max().unwrap_or(0);
        let polls: Vec<Poll<'_>> = (0..places).map(|place| Poll::take(case, place)).collect();
        match polls.iter().find(|poll| poll.is_contradiction()) {
            Some(poll) => contradiction(case, poll),
            None if polls.iter().any(Poll::is_comparison) => Verdict::Fine,
            None => Verdict::Undecided(nothing_to_compare(case)),
        }
    }
}

/// Who says what to one `(check-sat)`.
struct Poll<'a> {
    place: usize,
    promise: Promise,
    sat: Vec<&'a Subject>,
    unsat: Vec<&'a Subject>,
    /// Code bases that uphold every clause under the model of one that says sat.
    upheld: Vec<&'a str>,
}

impl<'a> Poll<'a> {
    fn take(case: &Observation<'a>, place: usize) -> Self {
        let saying = |answer: Answer| {
            let runs = case.runs.iter().filter(|sight| counts(sight));
            runs.filter(|sight| sight.run.answers.get(place) == Some(&answer))
                .map(|sight| sight.subject)
                .collect()
        };
        let (sat, unsat) = (saying(Answer::Sat), saying(Answer::Unsat));
        Poll { place, promise: case.promise, sat, unsat, upheld: upheld(case, place) }
    }

    fn promised(&self, answer: Answer) -> bool {
        self.promise == Promise::Known(answer)
    }

    fn is_contradiction(&self) -> bool {
        let sat = !self.sat.is_empty() || self.promised(Answer::Sat);
        let unsat = !self.unsat.is_empty() || self.promised(Answer::Unsat);
        sat && unsat && !(self.sat.is_empty() && self.unsat.is_empty())
    }

    fn is_comparison(&self) -> bool {
        let voices = self.sat.len() + self.unsat.len() + usize::from(self.promise != Promise::Nothing);
        voices > 1 && !(self.sat.is_empty() && self.unsat.is_empty())
    }

    /// The side that must be wrong, what it says, and what shows it; None if nothing tells.
    fn wrong(&self) -> Option<(&[&'a Subject], Answer)> {
        let sides = [
            (&self.sat, Answer::Sat, &self.unsat, Answer::Unsat),
            (&self.unsat, Answer::Unsat, &self.sat, Answer::Sat),
        ];
        let wrong = |(suspects, _, others, right): &(&Vec<&Subject>, Answer, &Vec<&Subject>, Answer)| {
            let backed = self.promised(*right) && !others.is_empty();
            let opposed = self.promise != Promise::Nothing && !self.promised(*right);
            let mut against: BTreeSet<&str> = others.iter().map(|subject| subject.family.as_str()).collect();
            if *right == Answer::Sat {
                against.extend(&self.upheld);
            }
            let outnumbered = against.len() > 1 && !others.is_empty() && families(suspects) == 1 && !opposed;
            !suspects.is_empty() && (backed || outnumbered)
        };
        sides.into_iter().find(wrong).map(|(suspects, says, ..)| (suspects.as_slice(), says))
    }
}

/// Code bases that found every clause of a system to hold under a model that was given for a check.
fn upheld<'a>(case: &Observation<'a>, place: usize) -> Vec<&'a str> {
    let witnesses = case.runs.iter().filter(|sight| counts(sight)).filter_map(|sight| sight.witness(place));
    let family = |witness: &'a Witness| match &witness.clauses {
        Some(Clauses::Upheld(family)) => Some(family.as_str()),
        _ => None,
    };
    witnesses.filter_map(family).collect()
}

fn families(subjects: &[&Subject]) -> usize {
    subjects.iter().map(|subject| &subject.family).collect::<BTreeSet<_>>().len()
}

fn contradiction(case: &Observation<'_>, poll: &Poll<'_>) -> Verdict {
    match derivation(case, poll) {
        Derived::False(steps) => {
            return Verdict::Bug(poll.sat.iter().map(|suspect| derived(suspect, steps)).collect());
        }
        Derived::NotAsked => return Verdict::Ask(vec![Request::Derivation]),
        Derived::Nothing => {}
    }
    match proof(case, poll) {
        Proof::By(model) if !poll.unsat.is_empty() => {
            return Verdict::Bug(poll.unsat.iter().map(|suspect| proved(suspect, &model)).collect());
        }
        Proof::NotAsked(requests) => return Verdict::Ask(requests),
        Proof::By(_) | Proof::None => {}
    }
    if let Some((suspects, says)) = poll.wrong() {
        return Verdict::Bug(suspects.iter().map(|suspect| corroborated(poll, suspect, says)).collect());
    }
    let known: BTreeSet<&str> =
        poll.sat.iter().chain(&poll.unsat).map(|subject| subject.family.as_str()).collect();
    let fresh = |(_, spare): &(usize, &Subject)| !known.contains(spare.family.as_str());
    let referees = case.spare.iter().enumerate().filter(fresh);
    let referees: Vec<Request> = referees.map(|(index, _)| Request::Solver(index)).collect();
    if referees.is_empty() { Verdict::Bug(vec![disagreement(poll)]) } else { Verdict::Ask(referees) }
}

/// Whether `false` is derived from the clauses of a system that some call satisfiable.
enum Derived {
    /// It is, in so many steps at most.
    False(usize),
    /// Nobody looked for it.
    NotAsked,
    /// Nothing is known.
    Nothing,
}

fn derivation(case: &Observation<'_>, poll: &Poll<'_>) -> Derived {
    let Some(script) = case.script.filter(|_| !poll.sat.is_empty()) else { return Derived::Nothing };
    match case.derivation {
        Search::NotYet if System::read(script).is_ok() => Derived::NotAsked,
        Search::Found(derivation) if derivation.holds(script) => Derived::False(derivation.steps),
        _ => Derived::Nothing,
    }
}

fn derived(suspect: &Subject, steps: usize) -> Finding {
    let plural = if steps == 1 { "" } else { "s" };
    let how = format!("false follows from what is asserted in {steps} step{plural}");
    Finding {
        kind: FindingKind::Solution,
        suspect: suspect.name.clone(),
        evidence: Evidence::Proved,
        fingerprint: Fingerprint::new(FindingKind::Solution.name(), &suspect.family, ""),
        explanation: format!("{} says sat; {how}", suspect.name),
    }
}

/// Whether a model proves that the script is satisfiable.
enum Proof {
    /// This one does.
    By(String),
    /// These might.
    NotAsked(Vec<Request>),
    /// None does.
    None,
}

fn proof(case: &Observation<'_>, poll: &Poll<'_>) -> Proof {
    let Some(script) = case.script else { return Proof::None };
    let made_for = case.made_for.filter(|witness| witness.check == poll.place);
    if made_for.is_some_and(|witness| witness.weigh(script) == Weight::Holds) {
        return Proof::By("the model that the script was made to have".to_owned());
    }
    let mut requests = Vec::new();
    for (index, sight) in case.runs.iter().enumerate() {
        if !counts(sight) || sight.run.answers.get(poll.place) != Some(&Answer::Sat) {
            continue;
        }
        match sight.witness(poll.place) {
            Some(witness) if witness.weigh(script) == Weight::Holds => {
                return Proof::By(format!("the model that {} gives", sight.subject.name));
            }
            Some(_) => {}
            None => requests.push(Request::Model { run: index, check: poll.place }),
        }
    }
    if requests.is_empty() { Proof::None } else { Proof::NotAsked(requests) }
}

fn proved(suspect: &Subject, model: &str) -> Finding {
    Finding {
        kind: FindingKind::Refutation,
        suspect: suspect.name.clone(),
        evidence: Evidence::Proved,
        fingerprint: Fingerprint::new(FindingKind::Refutation.name(), &suspect.family, ""),
        explanation: format!("{} says unsat; {model} makes every assertion true", suspect.name),
    }
}

fn corroborated(poll: &Poll<'_>, suspect: &Subject, says: Answer) -> Finding {
    let (kind, others) = match says {
        Answer::Sat => (FindingKind::Solution, &poll.unsat),
        _ => (FindingKind::Refutation, &poll.sat),
    };
    let promise = if poll.promise == Promise::Nothing { "" } else { ", as was promised" };
    let right = if says == Answer::Sat { "unsat" } else { "sat" };
    let upheld = match poll.upheld.first() {
        Some(family) if says == Answer::Unsat => {
            format!(", with a model under which {family} finds every clause true")
        }
        _ => String::new(),
    };
    Finding {
        kind,
        suspect: suspect.name.clone(),
        evidence: Evidence::Corroborated,
        fingerprint: Fingerprint::new(kind.name(), &suspect.family, ""),
        explanation: format!(
            "{} says {}; {}{promise}{upheld}",
            suspect.name,
            says.name(),
            claim(others, right)
        ),
    }
}

/// `z3@5.4.0 and cvc5@1.4.2 say sat`
fn claim(subjects: &[&Subject], answer: &str) -> String {
    format!("{} {} {answer}", names(subjects), if subjects.len() == 1 { "says" } else { "say" })
}

fn names(subjects: &[&Subject]) -> String {
    subjects.iter().map(|subject| subject.name.as_str()).collect::<Vec<_>>().join(" and ")
}

/// Nothing tells who is wrong: all of them are named, or the one that contradicts only the promise.
fn disagreement(poll: &Poll<'_>) -> Finding {
    let all: Vec<&Subject> = poll.sat.iter().chain(&poll.unsat).copied().collect();
    let families: BTreeSet<&str> = all.iter().map(|subject| subject.family.as_str()).collect();
    let families = families.into_iter().collect::<Vec<_>>().join("/");
    let voices = |subjects: &[&Subject], answer: &str, promised: bool| match (subjects.is_empty(), promised) {
        (true, _) => format!("{answer} was promised"),
        (false, true) => format!("{}, as was promised", claim(subjects, answer)),
        (false, false) => claim(subjects, answer),
    };
    let sat = voices(&poll.sat, "sat", poll.promised(Answer::Sat));
    let unsat = voices(&poll.unsat, "unsat", poll.promised(Answer::Unsat));
    let kind = if poll.sat.is_empty() || poll.unsat.is_empty() {
        FindingKind::Promise
    } else {
        FindingKind::Disagreement
    };
    Finding {
        kind,
        suspect: names(&all),
        evidence: Evidence::Disagreement,
        fingerprint: Fingerprint::new(kind.name(), &families, ""),
        explanation: format!("{sat}; {unsat}"),
    }
}

fn nothing_to_compare(case: &Observation<'_>) -> String {
    let excused =
        case.runs.iter().find_map(|sight| Some(format!("{}: {}", sight.subject.name, sight.excuse?)));
    let refused = case.runs.iter().find_map(|sight| {
        let trouble = sight.run.trouble.as_ref().filter(|trouble| trouble.kind.is_rejection())?;
        Some(format!("{} refused the script ({})", sight.subject.name, trouble.said))
    });
    let decided = |sight: &&Sight<'_>| {
        counts(sight) && sight.run.answers.iter().any(|answer| *answer != Answer::Unknown)
    };
    let count = match case.runs.iter().filter(decided).count() {
        0 => "no solver decided it".to_owned(),
        1 => "only one solver decided it".to_owned(),
        _ => "no two solvers decided the same question".to_owned(),
    };
    [Some(count), excused, refused].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{run, subject, troubled};
    use super::*;
    use crate::solver::run::Run;
    use crate::solver::trouble::{Trouble, TroubleKind};

    /// `z3=sat,unsat` and the like as subjects and runs.
    fn read(text: &str) -> (Vec<Subject>, Vec<Run>) {
        let answer = |word: &str| Answer::from_word(word.as_bytes()).unwrap();
        let one = |part: &str| {
            let (name, answers) = part.split_once('=').unwrap();
            let answers: Vec<Answer> =
                answers.split(',').filter(|word| !word.is_empty()).map(answer).collect();
            (subject(name), run(&answers))
        };
        text.split_whitespace().map(one).unzip()
    }

    fn judge_runs(subjects: &[Subject], runs: &[Run], promise: Promise, spare: &[Subject]) -> Verdict {
        let runs: Vec<Sight<'_>> = subjects
            .iter()
            .zip(runs)
            .map(|(subject, run)| Sight { subject, run, excuse: None, witnesses: &[] })
            .collect();
        Agreement.judge(&Observation {
            script: None,
            promise,
            made_for: None,
            derivation: Search::NotYet,
            runs: &runs,
            spare,
        })
    }

    fn judge(text: &str, promise: Promise) -> String {
        let (subjects, runs) = read(text);
        match judge_runs(&subjects, &runs, promise, &[]) {
            Verdict::Fine => "fine".to_owned(),
            Verdict::Undecided(_) => "undecided".to_owned(),
            Verdict::Ask(_) => "ask".to_owned(),
            Verdict::Bug(findings) => {
                let one = |finding: &Finding| {
                    format!("{} {} {}", finding.kind.name(), finding.evidence.name(), finding.suspect)
                };
                findings.iter().map(one).collect::<Vec<_>>().join(", ")
            }
        }
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(judge(text, Promise::Nothing), expected, "{text}");
    }

    #[test]
    fn solvers_that_agree_are_fine_and_one_alone_is_undecided() {
        check("z3=sat cvc5=sat", "fine");
        check("z3=unsat cvc5=unsat yices=unknown", "fine");
        check("z3=sat cvc5=unknown", "undecided");
        check("z3=sat", "undecided");
        check("z3= cvc5=", "undecided");
        check("", "undecided");
    }

    #[test]
    fn agreement_reports_a_sat_unsat_pair() {
        check("z3=sat cvc5=unsat", "disagreement disagreement z3 and cvc5");
        check("z3@4.8.10=sat z3@5.4.0=unsat", "disagreement disagreement z3@4.8.10 and z3@5.4.0");
    }

    #[test]
    fn two_code_bases_against_one_make_it_the_suspect() {
        check("z3=sat cvc5=unsat yices=unsat", "solution corroborated z3");
        check("z3=unsat cvc5=sat yices=sat", "refutation corroborated z3");
        check("z3@4.8.10=unsat z3@5.4.0=sat cvc5=sat", "refutation corroborated z3@4.8.10");
        check(
            "z3@1.0=sat z3@2.0=sat cvc5=unsat yices=unsat",
            "solution corroborated z3@1.0, solution corroborated z3@2.0",
        );
    }

    #[test]
    fn one_code_base_however_often_it_votes_is_one() {
        check("z3@1.0=sat z3@2.0=sat cvc5=unsat", "disagreement disagreement z3@1.0 and z3@2.0 and cvc5");
        check("cvc4=sat cvc5=sat z3=unsat", "disagreement disagreement cvc4 and cvc5 and z3");
        check(
            "z3=sat cvc5=sat yices=unsat bitwuzla=unsat",
            "disagreement disagreement z3 and cvc5 and yices and bitwuzla",
        );
    }

    #[test]
    fn a_promise_is_a_voice_but_not_a_solver() {
        let sat = |text| judge(text, Promise::Known(Answer::Sat));
        assert_eq!(sat("z3=sat"), "fine");
        assert_eq!(sat("z3=unknown"), "undecided");
        assert_eq!(sat("z3=unsat"), "promise disagreement z3");
        assert_eq!(sat("z3=unsat cvc5=sat"), "refutation corroborated z3");
        assert_eq!(sat("z3=unsat cvc5=unsat"), "promise disagreement z3 and cvc5");
        assert_eq!(
            sat("z3=sat cvc5=unsat yices=unsat"),
            "refutation corroborated cvc5, refutation corroborated yices"
        );
        let unsat = judge("z3=unsat cvc5=sat", Promise::Known(Answer::Unsat));
        assert_eq!(unsat, "solution corroborated cvc5");
    }

    #[test]
    fn answers_are_compared_place_by_place() {
        check("z3=sat,unsat cvc5=sat,unsat", "fine");
        check("z3=sat,unsat cvc5=sat", "fine");
        check("z3=sat,unsat cvc5=sat,sat", "disagreement disagreement cvc5 and z3");
        check("z3=unknown,unsat cvc5=sat,unknown", "undecided");
    }

    #[test]
    fn answers_of_a_refused_script_do_not_count_and_those_before_a_limit_do() {
        let (subjects, mut runs) = read("z3=sat cvc5=unsat");
        runs[0] = troubled(&[Answer::Sat], Trouble::new(TroubleKind::SortError, "unknown constant x"), "");
        let verdict = judge_runs(&subjects, &runs, Promise::Nothing, &[]);
        let expected = "only one solver decided it; z3 refused the script (unknown constant x)";
        assert_eq!(verdict, Verdict::Undecided(expected.to_owned()));
        runs[0] = troubled(&[Answer::Sat], Trouble::new(TroubleKind::TimeOut, "wall-clock limit"), "");
        assert!(matches!(judge_runs(&subjects, &runs, Promise::Nothing, &[]), Verdict::Bug(_)));
    }

    #[test]
    fn a_solver_with_an_excuse_accuses_nobody() {
        let (subjects, runs) = read("z3=sat cvc5=unsat");
        let sight = |index: usize, excuse| Sight {
            subject: &subjects[index],
            run: &runs[index],
            excuse,
            witnesses: &[],
        };
        let runs = [sight(0, Some("old escapes")), sight(1, None)];
        let verdict = Agreement.judge(&Observation {
            script: None,
            promise: Promise::Nothing,
            made_for: None,
            derivation: Search::NotYet,
            runs: &runs,
            spare: &[],
        });
        assert_eq!(verdict, Verdict::Undecided("only one solver decided it; z3: old escapes".to_owned()));
    }

    #[test]
    fn a_bare_disagreement_asks_for_a_referee_of_another_code_base() {
        let (subjects, runs) = read("z3=sat cvc5=unsat");
        let spare = [subject("z3@5.4.0"), subject("yices@2.6.5")];
        assert_eq!(
            judge_runs(&subjects, &runs, Promise::Nothing, &spare),
            Verdict::Ask(vec![Request::Solver(1)])
        );
    }

    /// A script that is satisfiable, two that contradict each other, and the model of the first.
    fn with_model(model: Option<&str>) -> Verdict {
        let text = "(declare-const x Int)(assert (< 3 x))(check-sat)";
        let script = gainsay_smt::Script::parse(text, &gainsay_smt::Signature::standard()).unwrap();
        let (subjects, runs) = read("cvc5=sat z3=unsat");
        let witnesses: Vec<_> = model.map(|model| Witness::plain(model.to_owned())).into_iter().collect();
        let sight = |index: usize, witnesses| Sight {
            subject: &subjects[index],
            run: &runs[index],
            excuse: None,
            witnesses,
        };
        let runs = [sight(0, &witnesses), sight(1, &[])];
        Agreement.judge(&Observation {
            script: Some(&script),
            promise: Promise::Nothing,
            made_for: None,
            derivation: Search::NotYet,
            runs: &runs,
            spare: &[],
        })
    }

    #[test]
    fn a_model_that_another_code_base_upholds_makes_a_suspect() {
        let (subjects, runs) = read("z3@4.16.0=sat z3@5.4.0=unsat");
        let judge = |family: &str| {
            let clauses = Some(Clauses::Upheld(family.to_owned()));
            let witnesses = [Witness { clauses, ..Witness::default() }];
            let sight = |place: usize, witnesses| Sight {
                subject: &subjects[place],
                run: &runs[place],
                excuse: None,
                witnesses,
            };
            let runs = [sight(0, &witnesses), sight(1, &[])];
            match Agreement.judge(&Observation { runs: &runs, ..Observation::default() }) {
                Verdict::Bug(findings) => (findings[0].suspect.clone(), findings[0].evidence),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(judge("cvc"), ("z3@5.4.0".to_owned(), Evidence::Corroborated));
        assert_eq!(judge("z3").1, Evidence::Disagreement, "its own word is no other");
    }

    #[test]
    fn a_model_that_holds_proves_who_says_unsat_wrong() {
        assert_eq!(with_model(None), Verdict::Ask(vec![Request::Model { run: 0, check: 0 }]));
        let Verdict::Bug(findings) = with_model(Some("((define-fun x () Int 4))")) else {
            panic!("4 is above 3")
        };
        let finding = &findings[0];
        assert_eq!(
            (finding.kind, finding.evidence, finding.suspect.as_str()),
            (FindingKind::Refutation, Evidence::Proved, "z3")
        );
    }

    #[test]
    fn a_model_that_fails_proves_nothing_about_who_says_unsat() {
        let Verdict::Bug(findings) = with_model(Some("((define-fun x () Int 2))")) else {
            panic!("they contradict")
        };
        assert_eq!(findings[0].evidence, Evidence::Disagreement);
    }
}
