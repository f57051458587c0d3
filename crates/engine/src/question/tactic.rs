//! Tactics of z3: what `apply` makes of the assertions must mean what the tactic claims, and `check-sat-using` must give the
//! right answer.
//!
//! ```text
//! (assert (= x (+ y 1))) (assert (> x 3)) (check-sat) (apply (then simplify propagate-ineqs))
//!        reply   (goals (goal (= x (+ 1 y)) (not (<= x 3)) :precision precise :depth 2))
//!        claims  (assert (not (= (and (= x (+ y 1)) (> x 3)) (and (= x (+ 1 y)) (not (<= x 3)))))) (check-sat)      is unsat
//! ```
//!
//! `rules/tactics.txt` says which tactic claims what; tactics that only the installed program has (`tactic/installed.rs`) claim nothing. Where one only keeps satisfiability, its goals must have the answer that
//! the solver gave to the check before. z3 prints how precise goals are; goals that approximate claim nothing, and neither do
//! goals with symbols that the script does not declare. A check by tactics, and one after `set-simplifier`, is judged like the check of
//! a script that goes on (`sequence.rs`).

use std::collections::{BTreeMap, BTreeSet};

use gainsay_smt::print::{command_text, term_text};
use gainsay_smt::{Command, Script};

use super::core::shown;
use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::reply::{expressions, items};

pub mod installed;

use installed::InstalledTactics;

/// Asks what tactics do.
pub struct TacticQuestion;

const TACTIC_ROWS: &str = include_str!("../../rules/tactics.txt");
const SIMPLIFIER_ROWS: &str = include_str!("../../rules/simplifiers.txt");
const PARAMETER_ROWS: &str = include_str!("../../rules/tactic_parameters.txt");

/// Words of a combination that are no tactics.
const TACTIC_COMBINATORS: [&str; 5] = ["then", "and-then", "or-else", "repeat", "using-params"];

/// How often a tactic that only the installed program has is drawn, relative to one of the table.
const UNKNOWN_TACTIC_WEIGHT: usize = 6;

/// Parameters that are set at once.
const MAX_PARAMETERS: usize = 3;

/// What a tactic claims of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TacticClaim {
    Equivalent,
    Equisatisfiable,
    Nothing,
}

/// The tactics of the table, by name: the word of their row.
fn table() -> BTreeMap<&'static str, &'static str> {
    let rows = TACTIC_ROWS.lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
    rows.flat_map(|line| {
        let (claim, names) = line.split_once(' ').unwrap_or((line, ""));
        names.split_whitespace().map(move |name| (name, claim))
    })
    .collect()
}

impl Question for TacticQuestion {
    fn name(&self) -> &'static str {
        "tactic"
    }

    fn about(&self) -> &'static str {
        "what tactics make of a script must mean what they claim"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Tactic
    }

    fn commands(&self) -> &'static [&'static str] {
        &["apply"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        self.ask_installed(script, rng, &InstalledTactics::default())
    }

    fn ask_installed(&self, script: &Script, rng: &mut Rng, installed: &InstalledTactics) -> Option<String> {
        if script.is_horn() || super::is_asked(script) || super::goes_on(script) {
            return None;
        }
        if rng.chance(1, 4) {
            return simplified(script, rng);
        }
        let table = table();
        let of = |claims: &[&str]| -> Vec<&str> {
            table.iter().filter(|(_, claim)| claims.contains(*claim)).map(|(name, _)| *name).collect()
        };
        let is_quantified = script.to_string().contains("(forall") || script.to_string().contains("(exists");
        let mut pool = of(&["equivalent", "equisatisfiable"]);
        if is_quantified && !has_functions(script) {
            pool = [pool, of(&["elimination"]).repeat(6), ["qe2", "qe_rec"].repeat(4)].concat();
        } else {
            pool.retain(|name| !name.starts_with("qe"));
        }
        pool.extend(installed.unknown().repeat(UNKNOWN_TACTIC_WEIGHT));
        let mut steps: Vec<String> = (0..1 + rng.below(3)).filter_map(|_| step(&pool, rng)).collect();
        let uses = rng.chance(1, 2);
        if uses {
            let is_plain = rng.chance(3, 4);
            let last = if is_plain { Some("smt") } else { rng.choose(&of(&["solver", "crashing"])).copied() };
            let last = last.map(|name| if table.get(name) == Some(&"crashing") { "smt" } else { name });
            steps.extend(last.map(|name| with_parameters(name, rng)));
        } else {
            steps = steps.into_iter().map(|step| installed.with_parameter(step, rng)).collect();
        }
        let pipeline = match steps.as_slice() {
            [one] => one.clone(),
            several => format!("(then {})", several.join(" ")),
        };
        let mut text = String::new();
        for command in &script.commands {
            match command {
                Command::CheckSat if uses => text.push_str(&format!("(check-sat-using {pipeline})\n")),
                Command::CheckSat => text.push_str(&format!("(check-sat)\n(apply {pipeline})\n")),
                _ => {
                    text.push_str(&command_text(script.arena(), command));
                    text.push('\n');
                }
            }
        }
        Some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        let Some(pipeline) = pipeline(asked.command, asked.script) else {
            return ReplyReading::unclear("the tactic cannot be read");
        };
        let Some(goals) = goals(asked.reply) else {
            return ReplyReading::unclear("the goals cannot be read");
        };
        if goals.iter().any(|goal| goal.precision != "precise") {
            return ReplyReading::unclear("the goals approximate");
        }
        if pipeline.contains("qe") && has_functions(asked.script) {
            return ReplyReading::unclear("uninterpreted functions do not admit quantifier elimination");
        }
        let flat = asked.flat();
        let result = disjunction(&goals);
        match claim_of(pipeline) {
            TacticClaim::Nothing => ReplyReading::unclear("the tactic claims nothing"),
            TacticClaim::Equivalent => {
                let arena = asked.script.arena();
                let asserted: Vec<String> =
                    asked.query.assertions.iter().map(|&term| term_text(arena, term)).collect();
                let differ = flat.assertion(&format!("(not (= {} {result}))", conjunction(&asserted)));
                ReplyReading::Claims(vec![Claim {
                    text: flat.with_some(|_| false, &differ),
                    answer: Answer::Unsat,
                    otherwise: format!("the result of {pipeline} is not equivalent: {}", shown(asked.reply)),
                }])
            }
            TacticClaim::Equisatisfiable => match asked.answer {
                Some(answer) if answer != Answer::Unknown => ReplyReading::Claims(vec![Claim {
                    text: flat.with_some(|_| false, &flat.assertion(&result)),
                    answer,
                    otherwise: format!(
                        "the result of {pipeline} is not {}: {}",
                        answer.name(),
                        shown(asked.reply)
                    ),
                }]),
                _ => ReplyReading::unclear("the check before it is not decided"),
            },
        }
    }

    fn detail(&self, command: &Command, script: &Script) -> String {
        let names = pipeline(command, script).unwrap_or_default().replace(['(', ')'], " ");
        let table = table();
        let known: Vec<&str> = names.split_whitespace().filter(|name| table.contains_key(name)).collect();
        format!("tactic:{}", known.join("+"))
    }
}

/// A script with a simplifier or two before its first assertion; each check must then have the answer of its flattened script.
fn simplified(script: &Script, rng: &mut Rng) -> Option<String> {
    let names = SIMPLIFIER_ROWS.lines().filter(|line| !line.starts_with(';')).flat_map(str::split_whitespace);
    let names: Vec<&str> = names.collect();
    let drawn: Vec<&str> = (0..1 + rng.below(2)).filter_map(|_| rng.choose(&names).copied()).collect();
    let simplifier = match drawn.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("(and-then {})", several.join(" ")),
    };
    let first =
        script.commands.iter().position(|one| matches!(one, Command::Term(gainsay_smt::Word::Assert, ..)))?;
    let mut text = String::new();
    for (place, command) in script.commands.iter().enumerate() {
        if place == first {
            text.push_str(&format!("(set-simplifier {simplifier})\n"));
        }
        text.push_str(&command_text(script.arena(), command));
        text.push('\n');
    }
    Some(text)
}

/// One step of a pipeline: a tactic, with parameters or not, a choice of two, or a repetition.
fn step(pool: &[&str], rng: &mut Rng) -> Option<String> {
    let first = with_parameters(rng.choose(pool)?, rng);
    Some(match rng.below(10) {
        0 => format!("(or-else {first} {})", with_parameters(rng.choose(pool)?, rng)),
        1 => format!("(repeat {first} 3)"),
        _ => first,
    })
}

/// A tactic, in a third of the cases with parameters of its own.
fn with_parameters(name: &str, rng: &mut Rng) -> String {
    let parameters = parameters_of(name);
    if parameters.is_empty() || !rng.chance(1, 3) {
        return name.to_owned();
    }
    let drawn = (0..1 + rng.below(MAX_PARAMETERS)).filter_map(|_| rng.choose(&parameters));
    let mut drawn: Vec<&(&str, &str)> = drawn.collect();
    drawn.sort_unstable();
    drawn.dedup();
    let words: String = drawn.iter().map(|(parameter, value)| format!(" :{parameter} {value}")).collect();
    format!("(using-params {name}{words})")
}

/// The parameters of a tactic in the table, with their values.
fn parameters_of(tactic: &str) -> Vec<(&'static str, &'static str)> {
    let (mut is_meant, mut found) = (false, Vec::new());
    for line in PARAMETER_ROWS.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("tactics") => is_meant = words.any(|name| name == tactic),
            Some("parameters") if is_meant => found.extend(words.filter_map(|word| word.split_once('='))),
            _ => {}
        }
    }
    found
}

/// The parameters of all tactics in the table: tactic, parameter, value.
pub fn parameters() -> Vec<(&'static str, &'static str, &'static str)> {
    let names = PARAMETER_ROWS.lines().filter_map(|line| line.strip_prefix("tactics "));
    let rows = names.flat_map(str::split_whitespace).flat_map(|tactic| {
        parameters_of(tactic).into_iter().map(move |(parameter, value)| (tactic, parameter, value))
    });
    rows.collect()
}

/// Returns true if a script declares functions with arguments.
fn has_functions(script: &Script) -> bool {
    script
        .commands
        .iter()
        .any(|one| matches!(one, Command::Declare(_, _, parameters, _) if !parameters.is_empty()))
}

/// The tactic of an `apply`, without its options.
fn pipeline<'s>(command: &Command, script: &'s Script) -> Option<&'s str> {
    let Command::Plain(name, text) = command else { return None };
    if script.arena().text(*name) != "apply" {
        return None;
    }
    expressions(script.arena().text(*text)).first().copied()
}

/// What a combination of tactics claims: the least of what its parts do. A word that is no tactic of the table claims nothing, and nor does
/// one under a parameter that the table of parameters lacks, unless its value is a number.
fn claim_of(pipeline: &str) -> TacticClaim {
    let table = table();
    let known: BTreeSet<&str> = parameters().into_iter().map(|(_, parameter, _)| parameter).collect();
    let words = pipeline.replace(['(', ')'], " ");
    let (mut words, mut claims) = (words.split_whitespace(), Vec::new());
    while let Some(word) = words.next() {
        if let Some(parameter) = word.strip_prefix(':') {
            let is_number = words.next().is_some_and(|value| value.parse::<u64>().is_ok());
            if !is_number && !known.contains(parameter) {
                claims.push(TacticClaim::Nothing);
            }
        } else if !TACTIC_COMBINATORS.contains(&word) && word.parse::<u32>().is_err() {
            claims.push(match table.get(word).copied() {
                Some("equivalent" | "elimination") => TacticClaim::Equivalent,
                Some("equisatisfiable" | "solver" | "crashing") => TacticClaim::Equisatisfiable,
                _ => TacticClaim::Nothing,
            });
        }
    }
    claims.into_iter().max().unwrap_or(TacticClaim::Nothing)
}

/// A goal: formulas that hold together.
struct TacticGoal<'a> {
    formulas: Vec<&'a str>,
    precision: &'a str,
}

/// The goals of a reply.
fn goals(reply: &str) -> Option<Vec<TacticGoal<'_>>> {
    let listed = items(reply);
    let goal = |text: &&'_ str| -> Option<(usize, usize)> {
        let parts = items(text);
        let end = parts.iter().position(|part| *part == ":precision")?;
        (parts.first() == Some(&"goal")).then_some((end, parts.len()))
    };
    if listed.first() != Some(&"goals") {
        return None;
    }
    let mut goals = Vec::new();
    for text in &listed[1..] {
        let (end, _) = goal(text)?;
        let parts = items(text);
        goals.push(TacticGoal { formulas: parts[1..end].to_vec(), precision: parts.get(end + 1)? });
    }
    Some(goals)
}

fn conjunction<S: AsRef<str>>(formulas: &[S]) -> String {
    match formulas {
        [] => "true".to_owned(),
        [one] => one.as_ref().to_owned(),
        several => format!("(and {})", several.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" ")),
    }
}

/// The input holds if one of the goals does.
fn disjunction(goals: &[TacticGoal<'_>]) -> String {
    let parts: Vec<String> = goals.iter().map(|goal| conjunction(&goal.formulas)).collect();
    match parts.as_slice() {
        [] => "false".to_owned(),
        [one] => one.clone(),
        several => format!("(or {})", several.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    fn claim(tactic: &str, answer: Answer, reply: &str) -> String {
        let script = format!(
            "(declare-const p Bool)(declare-const q Bool)(assert p)(assert (or p q))(check-sat)(apply {tactic})"
        );
        match reading(&TacticQuestion, &script, answer, reply) {
            ReplyReading::Claims(claims) => {
                let asserted =
                    claims[0].text.lines().find(|line| line.starts_with("(assert")).unwrap_or_default();
                format!("{asserted} {}", claims[0].answer.name())
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn equivalence_is_claimed_of_goals_over_the_same_symbols() {
        let reply = "(goals\n(goal\n  p\n  :precision precise :depth 1)\n)";
        let expected = "(assert (not (= (and p (or p q)) p))) unsat";
        assert_eq!(claim("simplify", Answer::Sat, reply), expected);
        assert_eq!(claim("(then simplify qe-light)", Answer::Unknown, reply), expected);
        assert_eq!(
            claim(
                "split-clause",
                Answer::Sat,
                "(goals (goal p :precision precise :depth 1) (goal q :precision precise :depth 1))"
            ),
            "(assert (not (= (and p (or p q)) (or p q)))) unsat"
        );
        assert_eq!(
            claim("simplify", Answer::Sat, "(goals)"),
            "(assert (not (= (and p (or p q)) false))) unsat"
        );
    }

    #[test]
    fn tactics_that_keep_satisfiability_claim_the_answer_of_the_check() {
        let reply = "(goals (goal q :precision precise :depth 1))";
        assert_eq!(claim("(then simplify solve-eqs)", Answer::Sat, reply), "(assert q) sat");
        assert!(claim("solve-eqs", Answer::Unknown, reply).starts_with("Unclear"));
    }

    #[test]
    fn parameters_and_combinators_do_not_change_what_is_claimed() {
        let claims = [
            ("(using-params simplify :som true :flat false)", TacticClaim::Equivalent),
            (
                "(then (or-else simplify (using-params ctx-simplify :propagate_eq true)) (repeat elim-and 3))",
                TacticClaim::Equivalent,
            ),
            ("(repeat (then simplify solve-eqs) 3)", TacticClaim::Equisatisfiable),
            ("(using-params nla2bv :som true)", TacticClaim::Nothing),
            ("(using-params purify-arith :complete false)", TacticClaim::Nothing),
            ("(using-params simplify :max_depth 3)", TacticClaim::Equivalent),
            ("(par-or simplify simplify)", TacticClaim::Nothing),
        ];
        for (pipeline, claim) in claims {
            assert_eq!(claim_of(pipeline), claim, "{pipeline}");
        }
    }

    #[test]
    fn tactics_of_the_installed_program_are_drawn_and_their_results_are_not_judged() {
        let text = "(declare-const x Int)(assert (> x 3))(check-sat)";
        let script = Script::parse(text, &gainsay_smt::Signature::standard()).unwrap();
        let installed =
            InstalledTactics::of_rows(&["my-tactic : fast=true".to_owned(), "simplify : new=1".to_owned()]);
        let ask = |installed: &InstalledTactics| -> Vec<String> {
            let rng = |seed| crate::random::RandomStream::new(seed).rng();
            (0..400)
                .filter_map(|seed| TacticQuestion.ask_installed(&script, &mut rng(seed), installed))
                .collect()
        };
        let made = ask(&installed);
        let has = |words: &[&str]| made.iter().any(|text| words.iter().all(|word| text.contains(word)));
        assert!(has(&["(apply", "my-tactic"]) && has(&["(check-sat-using", "my-tactic"]));
        assert!(has(&["(apply", "my-tactic :fast true"]) && has(&["(apply", ":new 1"]));
        assert!(!has(&["(check-sat-using", ":fast true"]), "what a parameter changes is not known");
        assert_eq!(ask(&InstalledTactics::default()).len(), made.len());
        assert!(
            claim("my-tactic", Answer::Sat, "(goals (goal q :precision precise :depth 1))")
                .starts_with("Unclear")
        );
    }

    #[test]
    fn every_tactic_with_parameters_is_in_the_table_of_tactics() {
        let table = table();
        assert!(parameters().len() > 500);
        for (tactic, parameter, value) in parameters() {
            assert!(table.contains_key(tactic), "{tactic}");
            assert!(matches!(value, "true" | "false"), "{tactic} {parameter}");
        }
        let mut rng = crate::random::RandomStream::new(1).rng();
        let drawn: Vec<String> = (0..50).map(|_| with_parameters("simplify", &mut rng)).collect();
        assert!(drawn.iter().any(|text| text.starts_with("(using-params simplify :")), "{drawn:?}");
    }

    #[test]
    fn approximations_unknown_tactics_and_nonsense_claim_nothing() {
        assert!(
            claim("simplify", Answer::Sat, "(goals (goal q :precision under :depth 1))")
                .starts_with("Unclear")
        );
        assert!(
            claim("nonsense", Answer::Sat, "(goals (goal q :precision precise :depth 1))")
                .starts_with("Unclear")
        );
        assert!(
            claim("nla2bv", Answer::Sat, "(goals (goal q :precision precise :depth 1))")
                .starts_with("Unclear")
        );
        assert!(claim("simplify", Answer::Sat, "(goals q)").starts_with("Unclear"));
    }

    #[test]
    fn tactics_with_known_crashes_are_not_drawn_but_judged() {
        let text = "(declare-const x Int)(assert (> x 3))(check-sat)";
        let made: Vec<String> = (0..2000).filter_map(|seed| asked(&TacticQuestion, text, seed)).collect();
        assert!(
            made.iter().any(|text| text.contains("qffd")) && !made.iter().any(|text| text.contains("smtfd"))
        );
        assert_eq!(claim_of("smtfd"), TacticClaim::Equisatisfiable);
    }

    #[test]
    fn every_tactic_of_the_table_is_there_once_with_a_known_claim() {
        let rows = TACTIC_ROWS.lines().filter(|line| !line.is_empty() && !line.starts_with(';'));
        let mut names: Vec<&str> = rows.flat_map(|line| line.split_whitespace().skip(1)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let claims = ["equivalent", "elimination", "equisatisfiable", "solver", "crashing", "nothing"];
        assert!(table().values().all(|claim| claims.contains(claim)));
    }
}
