//! Incremental scripts: an ordinary script becomes a sequence of commands, with checks on the way.
//!
//! ```text
//! (assert a) (assert b) (check-sat)
//!        becomes      (push 1) (assert a) (check-sat) (pop 1) (assert b) (check-sat-assuming (a)) (push 1) (assert a) (check-sat)
//! ```
//!
//! Assertions are split over scopes, popped and asserted again; some are assumed instead, by a constant that implies them; the
//! same question is asked twice; `(reset-assertions)` or `(reset)` starts anew. The last check has everything in force that the parent
//! asserts, so it has the parent's answer; every other check asserts less. So each check is promised an answer of its own:
//!
//! * The parent is satisfiable: every check is. A model of the parent makes all its assertions true, and with them the weaker
//!   formulas `(=> p a)` and `(or p a)`, for both values of the new constant `p`.
//! * The parent is unsatisfiable: the last checks are, in which `p` holds and so every assertion. The others are not known.
//!
//! The question `sequence` compares every check with its flattened script as well (`question/sequence.rs`).

use gainsay_smt::print::{command_text, term_text};
use gainsay_smt::{Command, Script, Word, sat_queries};

use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::known_answers::KnownAnswers;
use crate::promise::Promise;
use crate::random::Rng;
use crate::script_state::{fresh_prefix, goes_on};
use gainsay_solvers::run::Answer;

/// Makes scripts that go on.
#[derive(Debug)]
pub struct IncrementalStrategy;

/// Rounds of pushing, asserting, checking and popping.
const MAX_ROUNDS: usize = 4;

impl Strategy for IncrementalStrategy {
    fn name(&self) -> &'static str {
        "incremental"
    }

    fn about(&self) -> &'static str {
        "splits a script over scopes, assumptions and several checks"
    }

    fn uses_status(&self) -> bool {
        true
    }

    fn suits(&self, script: &Script) -> bool {
        !script.is_horn() && !goes_on(script) && script.assertions().next().is_some()
    }

    fn leads_on(&self) -> bool {
        false
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let script = parents[0].script;
        if !self.suits(script) {
            return Err(Skip::Unfit("the script goes on already"));
        }
        let sequence =
            ScriptSequence::of(script).ok_or(Skip::Unfit("declarations stand between assertions"))?;
        let DrawnSequence { text, whole_checks } = sequence.draw(rng);
        if text.len() > settings.bounds.bytes {
            return Err(Skip::TooLarge);
        }
        // A name that is declared in a scope, or twice, is not read: such a parent does not suit.
        let sequence = Script::parse(&text, script.arena().signature())
            .map_err(|_| Skip::Unfit("the script cannot be split"))?;
        let checks = sequence.commands.iter().filter(|command| sequence.is_check(command)).count();
        let step = format!("{checks} checks");
        let status = parents[0].status.filter(|_| asks_all(script));
        let known = KnownAnswers::of(&sequence, &answers(status, checks, whole_checks));
        Ok(Proposal { known, ..Proposal::new(sequence, Promise::Nothing, step) })
    }
}

/// Returns true if the check of a script has all its assertions in force.
fn asks_all(script: &Script) -> bool {
    sat_queries(script).first().is_some_and(|query| query.assertions.len() == script.assertions().count())
}

/// The answers to so many checks, of which the last ones have everything in force.
fn answers(status: Option<Answer>, checks: usize, whole_checks: usize) -> Vec<Option<Answer>> {
    let answer = |check: usize| match status? {
        Answer::Sat => Some(Answer::Sat),
        Answer::Unsat if check + whole_checks >= checks => Some(Answer::Unsat),
        Answer::Unsat | Answer::Unknown => None,
    };
    (0..checks).map(answer).collect()
}

/// A sequence of commands.
struct DrawnSequence {
    text: String,
    /// The number of checks at its end that have everything in force.
    whole_checks: usize,
}

/// The parts of a script.
struct ScriptSequence {
    /// Commands before the first assertion.
    head: String,
    assertions: Vec<String>,
    prefix: String,
    has_logic: bool,
}

impl ScriptSequence {
    /// `None` if something is declared after the first assertion.
    fn of(script: &Script) -> Option<ScriptSequence> {
        let arena = script.arena();
        let first = script.commands.iter().position(|one| matches!(one, Command::Term(Word::Assert, ..)))?;
        let (head, rest) = script.commands.split_at(first);
        let mut assertions = Vec::new();
        for command in rest {
            match command {
                Command::Term(Word::Assert, term, _) => assertions.push(term_text(arena, *term)),
                Command::CheckSat | Command::Exit => {}
                Command::Plain(name, _) if !script.is_check(command) && arena.text(*name) != "set-option" => {
                }
                _ => return None,
            }
        }
        let head: String = head.iter().map(|command| command_text(arena, command) + "\n").collect();
        // The name of a term would be declared again where the term is asserted again.
        let is_named = assertions.iter().any(|text| text.contains(":named"));
        let (prefix, has_logic) = (fresh_prefix(script, "assumed_"), script.logic().is_some());
        (!is_named).then_some(ScriptSequence { head, assertions, prefix, has_logic })
    }

    fn draw(&self, rng: &mut Rng) -> DrawnSequence {
        let is_reset = self.has_logic && rng.chance(1, 8);
        let forgets_declarations = is_reset && rng.chance(1, 2);
        let assumed = rng.below(self.assertions.len());
        let assumption = format!("{}{assumed}", self.prefix);
        let declarations = format!("{}(declare-const {assumption} Bool)\n", self.head);
        let mut text = declarations.clone();
        if is_reset && !forgets_declarations {
            text.insert_str(0, "(set-option :global-declarations true)\n");
        }
        for _ in 0..1 + rng.below(MAX_ROUNDS) {
            self.round(&mut text, &assumption, rng);
        }
        match (is_reset, forgets_declarations) {
            (true, true) => text.push_str(&format!("(reset)\n{declarations}")),
            (true, false) => text.push_str("(reset-assertions)\n"),
            (false, _) => {}
        }
        // The last check has everything in force.
        let scopes = rng.below(3);
        for (place, assertion) in self.assertions.iter().enumerate() {
            if place < scopes {
                text.push_str("(push 1)\n");
            }
            match place == assumed {
                true => text.push_str(&format!("(assert (=> {assumption} {assertion}))\n")),
                false => text.push_str(&format!("(assert {assertion})\n")),
            }
            if rng.chance(1, 6) {
                text.push_str("(check-sat)\n");
            }
        }
        let last = format!("(check-sat-assuming ({assumption}))\n");
        text.push_str(&last);
        let mut whole_checks = 1;
        if rng.chance(1, 3) {
            text.push_str(&last);
            whole_checks += 1;
        }
        if rng.chance(1, 3) {
            text.push_str(&format!("(assert {assumption})\n(check-sat)\n"));
            whole_checks += 1;
        }
        DrawnSequence { text, whole_checks }
    }

    /// Some assertions in a scope, checks, and the end of the scope.
    fn round(&self, text: &mut String, assumption: &str, rng: &mut Rng) {
        let deep = rng.chance(1, 3);
        text.push_str(if deep { "(push 2)\n" } else { "(push 1)\n" });
        for assertion in &self.assertions {
            match rng.below(6) {
                0 | 1 => {}
                2 => text.push_str(&format!("(assert (=> {assumption} {assertion}))\n")),
                3 => text.push_str(&format!("(assert (or {assumption} {assertion}))\n")),
                _ => text.push_str(&format!("(assert {assertion})\n")),
            }
            if rng.chance(1, 8) {
                text.push_str("(check-sat)\n");
            }
        }
        text.push_str(match rng.below(3) {
            0 => "(check-sat)\n",
            _ => "",
        });
        let literal = if rng.chance(1, 2) { assumption.to_owned() } else { format!("(not {assumption})") };
        if rng.chance(2, 3) {
            text.push_str(&format!("(check-sat-assuming ({literal}))\n"));
        }
        if deep && rng.chance(1, 2) {
            text.push_str("(pop 1)\n(check-sat)\n(pop 1)\n");
        } else {
            text.push_str(if deep { "(pop 2)\n" } else { "(pop 1)\n" });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::tests::settings;
    use gainsay_smt::Signature;
    use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget};

    fn sequence(text: &str) -> Option<ScriptSequence> {
        ScriptSequence::of(&Script::parse(text, &Signature::standard()).unwrap())
    }

    const INCREMENTAL_SEED: &str = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(assert (< x 9))(assert (distinct x 4))(check-sat)";

    #[test]
    fn the_last_check_has_everything_in_force() {
        for seed in 0..200 {
            let text = sequence(INCREMENTAL_SEED).unwrap().draw(&mut RandomStream::new(seed).rng()).text;
            let script = Script::parse(&text, &Signature::standard())
                .unwrap_or_else(|error| panic!("{error}\n{text}"));
            let queries = sat_queries(&script);
            let last = queries.last().unwrap();
            assert!(last.assertions.len() >= 3, "{text}");
            let shown: Vec<String> =
                last.assertions.iter().map(|&term| term_text(script.arena(), term)).collect();
            for part in ["(> x 1)", "(< x 9)", "(distinct x 4)"] {
                assert!(shown.iter().any(|one| one.contains(part)), "{part} in {text}");
            }
            assert!(goes_on(&script));
        }
    }

    #[test]
    fn a_reset_is_followed_by_the_declarations() {
        let texts = (0..200)
            .map(|seed| sequence(INCREMENTAL_SEED).unwrap().draw(&mut RandomStream::new(seed).rng()).text);
        let (mut resets, mut fresh) = (0, 0);
        for text in texts {
            resets += usize::from(text.contains("(reset-assertions)"));
            let Some((_, rest)) = text.split_once("(reset)\n") else { continue };
            fresh += 1;
            assert!(rest.starts_with("(set-logic QF_LIA)\n(declare-const x Int)\n"), "{text}");
        }
        assert!(resets > 0 && fresh > 0, "{resets} {fresh}");
    }

    /// The promised answers of cases, and those that exhaustion computes.
    fn check_promises(text: &str, status: Answer) {
        let signature = Signature::standard();
        let parent = Script::parse(text, &signature).unwrap();
        let mut promised = 0;
        for seed in 0..100 {
            let parents = [Parent::new(&parent, Some(status))];
            let mut rng = RandomStream::new(seed).rng();
            let made = IncrementalStrategy.propose(&parents, &settings(&signature), &mut rng).unwrap();
            let answers = made.known.of_each(&made.script);
            for (query, promise) in sat_queries(&made.script).iter().zip(&answers) {
                let budget = ExhaustionBudget::of_steps(1_000_000);
                let is_sat =
                    matches!(exhaust::decide(&made.script, query, budget).answer, ExactAnswer::Sat { .. });
                if let Some(promise) = promise {
                    assert_eq!(is_sat, *promise == Answer::Sat, "{}", made.script);
                    promised += 1;
                }
            }
            assert_eq!(answers.last(), Some(&Some(status)), "{}", made.script);
            assert!(status == Answer::Unsat || answers.iter().all(Option::is_some), "{}", made.script);
        }
        assert!(promised >= 100);
    }

    #[test]
    fn exhaustion_finds_that_each_check_has_its_promised_answer() {
        let declared = "(declare-const x (_ BitVec 3))(declare-const q Bool)";
        check_promises(
            &format!(
                "{declared}(assert (bvult x #b011))(assert (or q (= x #b000)))(assert (distinct x #b000))(check-sat)"
            ),
            Answer::Sat,
        );
        check_promises(
            &format!(
                "{declared}(assert (bvult x #b011))(assert (or q (= x #b000)))(assert (bvult #b100 x))(check-sat)"
            ),
            Answer::Unsat,
        );
    }

    #[test]
    fn what_is_asserted_after_the_check_of_the_parent_is_not_in_its_answer() {
        let text = "(declare-const p Bool)(assert p)(check-sat)(assert (not p))";
        let signature = Signature::standard();
        let parent = Script::parse(text, &signature).unwrap();
        let parents = [Parent::new(&parent, Some(Answer::Sat))];
        let mut rng = RandomStream::new(1).rng();
        let made = IncrementalStrategy.propose(&parents, &settings(&signature), &mut rng).unwrap();
        assert!(made.known.is_empty());
    }

    #[test]
    fn scripts_with_names_or_late_declarations_are_left_alone() {
        assert!(
            sequence("(declare-const x Int)(assert (> x 1))(declare-const y Int)(assert (> y 1))(check-sat)")
                .is_none()
        );
        assert!(sequence("(declare-const x Int)(assert (! (> x 1) :named a))(check-sat)").is_none());
    }
}
