//! Preprocessing of cvc5: with passes turned on or off, a check keeps its answer, and the literals that cvc5 learns follow from the
//! assertions.
//!
//! ```text
//! (set-option :ext-rew-prep agg) (set-option :produce-learned-literals true)
//! (assert (> x 3)) (assert (= y (+ x 1))) (check-sat) (get-learned-literals :preprocess)        reply ((>= y 5))
//!        claims that      (assert (> x 3)) (assert (= y (+ x 1))) (assert (not (>= y 5))) (check-sat)      is unsat
//! ```
//!
//! `rules/preprocessing.txt` says which option claims what. The check itself is judged like that of a script that goes on
//! (`sequence.rs`): its flattened script has no options. The interface of cvc5 says of learned literals that the assertions entail
//! them; a literal with symbols that the script does not declare proves nothing.

use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Script};

use super::core::shown;
use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::reply::items;

/// Asks what passes learn.
pub struct PreprocessQuestion;

/// Options of cvc5 for preprocessing, and what their passes claim.
const PREPROCESSING_ROWS: &str = include_str!("../../rules/preprocessing.txt");

/// The options for preprocessing that a script sets to a value of which the table claims something: `ext-rew-prep`.
pub fn preprocessing_options(script: &Script) -> Vec<&str> {
    let claimed =
        || PREPROCESSING_ROWS.lines().filter(|row| row.starts_with("equi")).flat_map(str::split_whitespace);
    let set = script.commands.iter().filter_map(|command| match command {
        Command::Plain(name, text) if script.arena().text(*name) == "set-option" => {
            script.arena().text(*text).strip_prefix(':')?.split_once(' ')
        }
        _ => None,
    });
    let is_claimed = |(option, value): &(&str, &str)| {
        claimed().filter_map(|row| row.split_once('=')).any(|row| row == (*option, value.trim()))
    };
    set.filter(is_claimed).map(|(option, _)| option).collect()
}

/// Options that are set at once.
const MAX_PASSES: usize = 4;
/// Literals of one reply that are checked, each by a script of its own only if all together do not hold.
const MAX_LITERALS: usize = 200;
/// The kinds of literals that cvc5 distinguishes.
const LITERAL_KINDS: [&str; 6] =
    ["", " :preprocess", " :preprocess_solved", " :input", " :solvable", " :constant_prop"];

impl Question for PreprocessQuestion {
    fn name(&self) -> &'static str {
        "preprocess"
    }

    fn about(&self) -> &'static str {
        "checks keep their answers under other preprocessing passes, and learned literals follow from the assertions"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Preprocess
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-learned-literals"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let is_plain = script.commands.iter().any(|command| matches!(command, Command::CheckSat));
        if !is_plain || script.is_horn() || super::is_asked(script) || super::goes_on(script) {
            return None;
        }
        let drawn = drawn_options();
        let mut options: Vec<&str> =
            (0..1 + rng.below(MAX_PASSES)).filter_map(|_| rng.choose(&drawn).copied()).collect();
        options.sort_unstable();
        options.dedup_by_key(|row| row.split('=').next());
        let mut text = String::from("(set-option :produce-learned-literals true)\n");
        for (name, value) in options.iter().filter_map(|row| row.split_once('=')) {
            text.push_str(&format!("(set-option :{name} {value})\n"));
        }
        for command in &script.commands {
            text.push_str(&(command_text(script.arena(), command) + "\n"));
            if matches!(command, Command::CheckSat) {
                for kind in LITERAL_KINDS.iter().filter(|_| rng.chance(1, 3)) {
                    text.push_str(&format!("(get-learned-literals{kind})\n"));
                }
            }
        }
        Some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        if !asked.reply.starts_with('(') {
            return ReplyReading::unclear("it is not a list");
        }
        let literals = items(asked.reply);
        if literals.is_empty() || literals.len() > MAX_LITERALS {
            return ReplyReading::unclear("it learns nothing, or too much");
        }
        if asked.answer == Some(Answer::Unsat) {
            return ReplyReading::unclear("everything follows from assertions that contradict each other");
        }
        let flat = asked.flat();
        let learned = match literals.as_slice() {
            [one] => (*one).to_owned(),
            several => format!("(and {})", several.join(" ")),
        };
        ReplyReading::Claims(vec![Claim {
            text: flat.with(&flat.assertion(&format!("(not {learned})"))),
            answer: Answer::Unsat,
            otherwise: format!(
                "its learned literals {} do not follow from the assertions",
                shown(asked.reply)
            ),
        }])
    }

    fn detail(&self, _: &Command, script: &Script) -> String {
        let options = preprocessing_options(script);
        format!("preprocess:{}", options.join("+"))
    }
}

/// The options of the table that claim something.
fn drawn_options() -> Vec<&'static str> {
    let rows = PREPROCESSING_ROWS.lines().filter(|line| line.starts_with("equi"));
    rows.flat_map(|row| row.split_whitespace().skip(1)).collect()
}

/// All options of the table with their values, those that are not drawn included.
pub fn table_options() -> Vec<(&'static str, &'static str)> {
    let rows = PREPROCESSING_ROWS.lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
    rows.flat_map(|row| row.split_whitespace().skip(1)).filter_map(|word| word.split_once('=')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    #[test]
    fn passes_are_drawn_and_literals_asked_for() {
        let text = "(declare-const x Int)(assert (> x 3))(check-sat)";
        let made: Vec<String> = (0..60).filter_map(|seed| asked(&PreprocessQuestion, text, seed)).collect();
        assert!(made.iter().any(|text| text.contains("(check-sat)\n(get-learned-literals")), "{made:?}");
        assert!(made.iter().any(|text| text.contains("(set-option :ext-rew-prep agg)")), "{made:?}");
        assert!(!made.iter().any(|text| text.contains("global-negate true")), "it is not drawn");
    }

    #[test]
    fn literals_follow_from_the_assertions() {
        let text = "(declare-const x Int)(assert (> x 3))(check-sat)(get-learned-literals)";
        let claim = |reply: &str| match reading(&PreprocessQuestion, text, Answer::Sat, reply) {
            ReplyReading::Claims(claims) => claims[0].text.clone(),
            other => panic!("{other:?}"),
        };
        assert!(claim("((>= x 4))").ends_with("(assert (> x 3))\n(assert (not (>= x 4)))\n(check-sat)\n"));
        assert!(claim("((>= x 4) (> x 1))").contains("(assert (not (and (>= x 4) (> x 1))))"));
        assert!(matches!(reading(&PreprocessQuestion, text, Answer::Sat, "()"), ReplyReading::Unclear(_)));
    }
}
