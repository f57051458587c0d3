//! Next models of cvc5: the script blocks each model; the next one must satisfy the assertions and differ from all blocked ones, until cvc5 answers unsat.
//!
//! ```text
//! (assert (< 3 x 6)) (check-sat) (get-value (x)) (block-model-values (x)) (check-sat) (get-value (x)) …
//!        replies ((x 4)), ((x 5))      claim that   (assert (< 3 x 6)) (assert (not (= x 4))) (assert (= x 5)) (check-sat)   is sat
//!        a third answer unsat          claims that  (assert (< 3 x 6)) (assert (not (= x 4))) (assert (not (= x 5))) (check-sat)   is unsat
//! ```
//!
//! The interface of cvc5 says so: `block-model-values` adds an assertion that blocks the values of the terms, `block-model :values`
//! those of the free variables of the assertions, and `block-model :literals` those of the literals. Different literals mean different
//! values, but equal values are not all that `:literals` blocks: an `unsat` after it claims nothing. z3 has no such command.

use gainsay_smt::print::{command_text, symbol_text, term_text};
use gainsay_smt::{Command, Script, Word};

use super::values::{ValuesQuestion, constants};
use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::trial::QuestionKind;
use crate::trial::claim::ReplyReading;
use crate::trial::reply::{Reply, items};

/// Asks for one model after the other.
pub struct ModelsQuestion;

/// Models that are asked for.
const MAX_MODELS: usize = 5;
/// Constants of which the values are asked.
const MAX_CONSTANTS_BLOCKED: usize = 20;

impl Question for ModelsQuestion {
    fn name(&self) -> &'static str {
        "models"
    }

    fn about(&self) -> &'static str {
        "after a model is blocked, the next one must satisfy the assertions and differ from it"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Models
    }

    fn commands(&self) -> &'static [&'static str] {
        &["block-model", "block-model-values"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let is_plain = !script.is_horn()
            && !super::is_asked(script)
            && !super::goes_on(script)
            && !script.has_opaque()
            && !declares_functions(script);
        let constants = constants(script);
        if !is_plain || constants.is_empty() || constants.len() > MAX_CONSTANTS_BLOCKED {
            return None;
        }
        let arena = script.arena();
        let names: Vec<String> = constants.iter().map(|(name, _)| symbol_text(arena, *name)).collect();
        let names = names.join(" ");
        let block = match rng.below(4) {
            0 => "(block-model :values)\n".to_owned(),
            1 => "(block-model :literals)\n".to_owned(),
            _ => format!("(block-model-values ({names}))\n"),
        };
        let next = format!("(get-value ({names}))\n{block}(check-sat)\n");
        let count = 2 + rng.below(MAX_MODELS - 1);
        let mut text = String::from("(set-option :produce-models true)\n");
        for command in &script.commands {
            text.push_str(&(command_text(arena, command) + "\n"));
            if matches!(command, Command::CheckSat) {
                text.push_str(&next.repeat(count));
                text.push_str(&format!("(get-value ({names}))\n"));
            }
        }
        Some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        ValuesQuestion.read(asked)
    }
}

/// Returns true if a script declares functions with arguments, or sorts: their values are not asked for.
fn declares_functions(script: &Script) -> bool {
    script.commands.iter().any(|command| match command {
        Command::Declare(_, _, parameters, _) => !parameters.is_empty(),
        Command::DeclareSort(..) => true,
        _ => false,
    })
}

/// What a solver must not say again: the models that were blocked before a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedModels {
    /// Formulas that hold if none of the models is given again.
    pub formulas: Vec<String>,
    /// True if the formulas are all that was blocked.
    pub is_complete: bool,
}

impl BlockedModels {
    /// No model is blocked.
    pub fn none() -> BlockedModels {
        BlockedModels { formulas: Vec::new(), is_complete: true }
    }

    /// The models that are blocked at a command, by the replies of the solver before it.
    pub fn at(script: &Script, place: usize, replies: &[Reply]) -> BlockedModels {
        let (mut blocks, mut levels) = (Vec::new(), Vec::new());
        for (command, one) in script.commands[..place].iter().enumerate() {
            match one {
                Command::Push(count) => {
                    let count = count.unwrap_or(1).min(1 << 16) as usize;
                    levels.extend(std::iter::repeat_n(blocks.len(), count));
                }
                Command::Pop(count) => {
                    for _ in 0..count.unwrap_or(1) {
                        let Some(level) = levels.pop() else { break };
                        blocks.truncate(level);
                    }
                }
                Command::Reset | Command::ResetAssertions => {
                    blocks.clear();
                    levels.clear();
                }
                _ if blocks_models(script, one) => blocks.push(command),
                _ => {}
            }
        }
        let formulas: Vec<Option<String>> =
            blocks.iter().map(|&block| blocking_formula(script, block, replies)).collect();
        let is_exact = |&block: &usize| !is_by_literals(script, &script.commands[block]);
        BlockedModels {
            is_complete: formulas.iter().all(Option::is_some) && blocks.iter().all(is_exact),
            formulas: formulas.into_iter().flatten().collect(),
        }
    }

    /// The formulas as assertions.
    pub fn assertions(&self) -> String {
        self.formulas.iter().map(|formula| format!("(assert {formula})\n")).collect()
    }
}

/// Returns true if a command blocks a model.
pub(super) fn blocks_models(script: &Script, command: &Command) -> bool {
    match command {
        Command::Terms(Word::BlockModelValues, _) => true,
        Command::Plain(name, _) => script.arena().text(*name) == "block-model",
        _ => false,
    }
}

fn is_by_literals(script: &Script, command: &Command) -> bool {
    matches!(command, Command::Plain(_, mode) if script.arena().text(*mode) != ":values")
}

/// What a command that blocks a model adds: not all constants have the values that the solver gave just before. `None` if the solver
/// was not asked for them there, or for other terms.
fn blocking_formula(script: &Script, block: usize, replies: &[Reply]) -> Option<String> {
    let before = block.checked_sub(1)?;
    let Command::Terms(Word::GetValue, terms) = &script.commands[before] else { return None };
    let is_same = match &script.commands[block] {
        Command::Terms(_, blocked) => blocked == terms,
        _ => true,
    };
    let reply = replies.iter().find(|reply| reply.command == before).filter(|_| is_same)?;
    let used = used_names(script, before);
    let mut equations = Vec::new();
    for (&term, pair) in terms.iter().zip(items(&reply.text)) {
        let term = term_text(script.arena(), term);
        // Other constants are no part of the model that `block-model` blocks.
        let is_blocked = matches!(script.commands[block], Command::Terms(..)) || used.contains(&term);
        if is_blocked {
            equations.push(format!("(= {term} {})", items(pair).get(1)?));
        }
    }
    match equations.as_slice() {
        [] => None,
        [one] => Some(format!("(not {one})")),
        several => Some(format!("(not (and {}))", several.join(" "))),
    }
}

/// The constants in the assertions before a command, as text.
fn used_names(script: &Script, place: usize) -> Vec<String> {
    let arena = script.arena();
    let asserted = script.commands[..place].iter().filter_map(|command| match command {
        Command::Term(Word::Assert, term, _) => Some(*term),
        _ => None,
    });
    let terms = arena.reachable(asserted);
    terms.filter(|&term| arena.view(term).children().is_empty()).map(|term| term_text(arena, term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::asked;
    use crate::trial::reply::ReplyCheck;
    use gainsay_smt::Signature;

    fn blocked(text: &str, replies: &[(usize, &str)]) -> BlockedModels {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let reply = |&(command, text): &(usize, &str)| Reply {
            kind: QuestionKind::Values,
            command,
            check: Some(0),
            text: text.to_owned(),
            judgement: ReplyCheck::Pending,
        };
        let replies: Vec<Reply> = replies.iter().map(reply).collect();
        BlockedModels::at(&script, script.commands.len() - 1, &replies)
    }

    #[test]
    fn blocked_values_are_those_of_the_reply_before() {
        let script = "(declare-const x Int)(declare-const y Int)(assert (< 3 x 6))(check-sat)(get-value (x y))(BLOCK)(check-sat)";
        let all = blocked(&script.replace("BLOCK", "block-model-values (x y)"), &[(4, "((x 4) (y 0))")]);
        assert_eq!(all.formulas, ["(not (and (= x 4) (= y 0)))"]);
        assert!(all.is_complete);
        let used = blocked(&script.replace("BLOCK", "block-model :values"), &[(4, "((x 4) (y 0))")]);
        assert_eq!((used.formulas.as_slice(), used.is_complete), (&["(not (= x 4))".to_owned()][..], true));
        let literals = blocked(&script.replace("BLOCK", "block-model :literals"), &[(4, "((x 4) (y 0))")]);
        assert_eq!((literals.formulas.len(), literals.is_complete), (1, false));
        assert!(
            !blocked(&script.replace("BLOCK", "block-model-values (x)"), &[(4, "((x 4) (y 0))")]).is_complete
        );
        assert!(!blocked(&script.replace("BLOCK", "block-model :values"), &[]).is_complete);
    }

    #[test]
    fn a_block_ends_with_its_scope() {
        let script = "(declare-const x Int)(assert (< 3 x 6))(push)(check-sat)(get-value (x))(block-model-values (x))(pop)(check-sat)";
        assert_eq!(blocked(script, &[(4, "((x 4))")]), BlockedModels::none());
        let script = script.replace("(pop)", "(push)");
        assert_eq!(blocked(&script, &[(4, "((x 4))")]).formulas, ["(not (= x 4))"]);
    }

    #[test]
    fn a_script_asks_for_several_models() {
        let made = asked(&ModelsQuestion, "(declare-const x Int)(assert (< 3 x 6))(check-sat)", 1).unwrap();
        assert!(
            made.matches("(check-sat)").count() >= 3 && made.matches("(block-model").count() >= 2,
            "{made}"
        );
    }
}
