//! What is right: the answer that a script has, by what releases and other solvers say of it.
//!
//! A model that our evaluator finds true settles sat, whoever gave it, and one of Horn clauses that another code base
//! finds true clause by clause comes next. Else other code bases decide, if they agree with
//! each other; one of them alone, or the newest release of the suspect alone, is a voice and no more, and is called so:
//! a disagreement.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::testimony::Testimony;
use crate::oracle::{Evidence, FindingKind, Subject};
use crate::solver::run::Answer;

/// What is known of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The right answer.
    pub answer: Answer,
    /// How sure that is.
    pub evidence: Evidence,
    /// Who says so.
    pub voices: Vec<String>,
}

/// What is known of each check of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truth {
    /// In order; nothing where it is not known.
    pub checks: Vec<Option<Known>>,
}

/// A voice: a solver and what it says.
pub type Voice<'a> = (&'a Subject, &'a Testimony);

/// A wrong thing that a release does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wrong {
    /// What is wrong.
    pub kind: FindingKind,
    /// How sure that is.
    pub evidence: Evidence,
    /// In a few words.
    pub what: String,
}

impl Truth {
    /// Weighs what everybody says. `suspect` is the code base on trial: `references` of it count only beside others.
    /// `witnesses` are releases of the suspect, whose models may prove something and whose answers do not count.
    pub fn find(
        questions: usize,
        suspect: &str,
        references: &[Voice<'_>],
        witnesses: &[Voice<'_>],
        expected: Option<Answer>,
    ) -> Truth {
        let of = |check| expect(expected, known(check, suspect, references, witnesses));
        Truth { checks: (0..questions).map(of).collect() }
    }

    /// What is wrong with a testimony, the most severe first.
    pub fn wrongs(&self, testimony: &Testimony) -> Vec<Wrong> {
        let mut wrongs = Vec::new();
        for (check, known) in self.checks.iter().enumerate() {
            wrongs.extend(known.as_ref().and_then(|known| contradiction(known, testimony.answer(check)?)));
        }
        wrongs.extend(testimony.failing_model().map(|model| Wrong {
            kind: FindingKind::Model,
            evidence: Evidence::Proved,
            what: format!("sat, and under its model {}", model.why),
        }));
        wrongs.extend(testimony.crash.as_ref().map(|crash| Wrong {
            kind: FindingKind::Crash,
            evidence: Evidence::Proved,
            what: crash.clone(),
        }));
        wrongs.sort_by_key(|wrong| wrong.kind.severity());
        wrongs
    }

    /// The right answers in words: `sat`, `sat ? unsat`.
    pub fn words(&self) -> String {
        let word = |known: &Option<Known>| known.as_ref().map_or("?", |known| known.answer.name());
        self.checks.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

/// An expectation is a voice: beside another it corroborates, alone it is a claim, against a proof it is nothing.
fn expect(expected: Option<Answer>, known: Option<Known>) -> Option<Known> {
    let Some(answer) = expected else { return known };
    match known {
        Some(known) if known.answer == answer => {
            Some(Known { evidence: known.evidence.max(Evidence::Corroborated), ..known })
        }
        Some(known) if known.evidence == Evidence::Proved => Some(known),
        _ => Some(Known {
            answer,
            evidence: Evidence::Disagreement,
            voices: vec!["the expected answer".to_owned()],
        }),
    }
}

fn contradiction(known: &Known, answer: Answer) -> Option<Wrong> {
    let kind = match (known.answer, answer) {
        (Answer::Sat, Answer::Unsat) => FindingKind::Refutation,
        (Answer::Unsat, Answer::Sat) => FindingKind::Solution,
        _ => return None,
    };
    let what = format!("{} instead of {}", answer.name(), known.answer.name());
    Some(Wrong { kind, evidence: known.evidence, what })
}

fn known(check: usize, suspect: &str, references: &[Voice<'_>], witnesses: &[Voice<'_>]) -> Option<Known> {
    let all = references.iter().chain(witnesses);
    if let Some((subject, _)) = all.clone().find(|(_, testimony)| testimony.proves_sat(check)) {
        let voices = vec![subject.name.clone()];
        return Some(Known { answer: Answer::Sat, evidence: Evidence::Proved, voices });
    }
    let upheld =
        all.clone().find_map(|(subject, testimony)| Some((subject, testimony.upheld(check, suspect)?)));
    if let Some((subject, by)) = upheld {
        let voices = vec![format!("{}, whose model makes every clause true by {by}", subject.name)];
        return Some(Known { answer: Answer::Sat, evidence: Evidence::Corroborated, voices });
    }
    let saying = |answer: Answer| -> Vec<&Subject> {
        let saying = references.iter().filter(|(_, testimony)| testimony.answer(check) == Some(answer));
        // A sat whose model fails is no voice for sat.
        let saying =
            saying.filter(|(_, testimony)| answer != Answer::Sat || testimony.failing_model().is_none());
        saying.map(|(subject, _)| *subject).collect()
    };
    let (sat, unsat) = (saying(Answer::Sat), saying(Answer::Unsat));
    let strangers = |subjects: &[&Subject]| subjects.iter().any(|subject| subject.family != suspect);
    let (answer, voices) = match (strangers(&sat), strangers(&unsat)) {
        (true, true) => return None,
        (true, false) => (Answer::Sat, sat),
        (false, true) => (Answer::Unsat, unsat),
        (false, false) if unsat.is_empty() && !sat.is_empty() => (Answer::Sat, sat),
        (false, false) if sat.is_empty() && !unsat.is_empty() => (Answer::Unsat, unsat),
        (false, false) => return None,
    };
    let families: BTreeSet<&str> = voices.iter().map(|subject| subject.family.as_str()).collect();
    let evidence = if families.len() > 1 { Evidence::Corroborated } else { Evidence::Disagreement };
    Some(Known { answer, evidence, voices: voices.iter().map(|subject| subject.name.clone()).collect() })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::triage::testimony::{Exhibited, Worth};

    /// `z3@4.8.10=unsat`, `cvc5=sat!` (with a model that holds), `z3=sat?` (with one that fails), `z3=sat+` (with one
    /// that cvc5 upholds), `z3=crash`.
    pub fn voice(text: &str) -> (Subject, Testimony) {
        let (name, said) = text.split_once('=').unwrap();
        let family = name.split('@').next().unwrap().to_owned();
        let version = name.split_once('@').and_then(|(_, version)| version.parse().ok());
        let mut testimony = Testimony::default();
        let model = |worth| Exhibited {
            check: 0,
            worth,
            why: String::new(),
            operator: "=".into(),
            upheld: None,
            text: None,
        };
        match said {
            "sat+" => {
                testimony.models.push(Exhibited { upheld: Some("cvc5".into()), ..model(Worth::Unclear) });
            }
            "sat!" => testimony.models.push(model(Worth::Holds)),
            "sat?" => testimony.models.push(model(Worth::Fails)),
            "crash" => testimony.crash = Some(format!("crash {family} assertion: x")),
            "-" => testimony.silence = Some("refused".to_owned()),
            _ => {}
        }
        testimony.answers.extend(Answer::from_word(said.trim_end_matches(['!', '?', '+']).as_bytes()));
        (Subject { name: name.to_owned(), family, version }, testimony)
    }

    fn find(suspect: &str, references: &str, witnesses: &str) -> String {
        let voices = |text: &str| text.split_whitespace().map(voice).collect::<Vec<_>>();
        let (references, witnesses) = (voices(references), voices(witnesses));
        fn of(voices: &[(Subject, Testimony)]) -> Vec<Voice<'_>> {
            voices.iter().map(|(subject, testimony)| (subject, testimony)).collect()
        }
        let truth = Truth::find(1, suspect, &of(&references), &of(&witnesses), None);
        match &truth.checks[0] {
            Some(known) => format!("{} {}", known.answer.name(), known.evidence.name()),
            None => "?".to_owned(),
        }
    }

    #[test]
    fn a_model_that_holds_settles_it_whoever_gave_it() {
        assert_eq!(find("z3", "cvc5=unsat", "z3@4.8.7=sat!"), "sat proved");
        assert_eq!(find("z3", "cvc5=sat! yices=unsat", ""), "sat proved");
    }

    #[test]
    fn a_model_that_another_code_base_upholds_is_a_voice_of_that() {
        assert_eq!(find("z3", "cvc5=unknown z3@5.4.0=unsat", "z3@4.8.7=sat+"), "sat corroborated");
        assert_eq!(find("cvc5", "z3=unsat", "cvc5@1.2.0=sat+"), "unsat disagreement");
    }

    #[test]
    fn other_code_bases_decide_if_they_agree() {
        assert_eq!(find("z3", "cvc5=unsat yices=unsat z3@5.4.0=sat", ""), "unsat corroborated");
        assert_eq!(find("z3", "cvc5=unsat z3@5.4.0=unsat", ""), "unsat corroborated");
        assert_eq!(find("z3", "cvc5=unsat yices=sat", ""), "?");
    }

    #[test]
    fn one_voice_is_a_disagreement_and_none_is_nothing() {
        assert_eq!(find("z3", "cvc5=unsat z3@5.4.0=sat", ""), "unsat disagreement");
        assert_eq!(find("z3", "cvc5=unknown z3@5.4.0=sat", ""), "sat disagreement");
        assert_eq!(find("z3", "cvc5=- z3@5.4.0=unknown", "z3@4.8.6=unsat"), "?");
        assert_eq!(find("z3", "cvc5=sat?", ""), "?");
    }

    #[test]
    fn what_is_wrong_is_told_the_most_severe_first() {
        let (_, testimony) = voice("z3=sat?");
        let (cvc5, unsat) = voice("cvc5=unsat");
        let truth = Truth::find(1, "z3", &[(&cvc5, &unsat)], &[], None);
        let kinds: Vec<FindingKind> = truth.wrongs(&testimony).into_iter().map(|wrong| wrong.kind).collect();
        assert_eq!(kinds, [FindingKind::Solution, FindingKind::Model]);
        assert!(truth.wrongs(&unsat).is_empty());
    }
}
