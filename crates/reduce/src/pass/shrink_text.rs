//! Makes commands smaller whose arguments are not parsed.
//!
//! ```text
//! (synth-fun f ((x Int) (y Int)) Int)          (synth-fun f ((x Int)) Int)
//! (constraint (= (f x y) (+ x (* 2 y))))   ⇒   (constraint (= (f x) x))
//! ```
//!
//! gainsay knows no sorts in them, so they are changed as trees of parentheses, and the test says which changes make sense. The
//! rest of the script stays well-sorted: what these commands declare is used in none that is parsed.

use std::sync::Arc;

use gainsay_smt::paren_tree::{Comments, ParenTree};
use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Script};

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;
use crate::tree_pass::{TreeEdit, TreePass};

/// Makes unparsed commands smaller.
pub struct ShrinkText;

/// The simplifications of trees that concern one command alone.
const TEXT_PASSES: [TreePass; 5] = [
    TreePass::DropItems,
    TreePass::ReplaceByItem,
    TreePass::ExpandLets,
    TreePass::ReplaceByWord,
    TreePass::ShortenWords,
];

impl Pass for ShrinkText {
    fn name(&self) -> &'static str {
        "shrink-text"
    }

    fn about(&self) -> &'static str {
        "drops and replaces parts of commands that gainsay does not parse"
    }

    fn phase(&self) -> Phase {
        Phase::Coarse
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let trees: Vec<(usize, Arc<ParenTree>)> = unparsed_commands(script);
        let of_pass = |pass: &TreePass| {
            let changes = trees.iter().flat_map(|(command, tree)| {
                let change = |edit: TreeEdit| ScriptChange::EditText(*command, Arc::clone(tree), edit);
                pass.edits(tree).into_iter().map(change)
            });
            changes.collect()
        };
        TEXT_PASSES.iter().map(of_pass).collect()
    }
}

/// The commands that are kept as text and contain a list, with their trees.
pub fn unparsed_commands(script: &Script) -> Vec<(usize, Arc<ParenTree>)> {
    let has_list = |tree: &ParenTree| (1..tree.len()).any(|node| tree.word(node).is_none());
    let commands = script.commands.iter().enumerate();
    let unparsed = commands.filter(|(_, command)| matches!(command, Command::Opaque(_) | Command::Plain(..)));
    let trees = unparsed.map(|(number, command)| {
        (number, ParenTree::read(&command_text(script.arena(), command), Comments::Dropped))
    });
    trees.filter(|(_, tree)| has_list(tree)).map(|(number, tree)| (number, Arc::new(tree))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{changed_texts, check, check_nothing};

    #[test]
    fn parts_of_unparsed_commands_are_dropped_and_replaced() {
        let before =
            "(declare-var z Int)(synth-fun f ((x Int) (y Int)) Int)(constraint (= (f 1 z) 23))(check-synth)";
        let with = |synth: &str, constraint: &str| {
            format!("(declare-var z Int)(synth-fun f {synth} Int)(constraint {constraint})(check-synth)")
        };
        check(&ShrinkText, before, &with("((y Int))", "(= (f 1 z) 23)"));
        check(&ShrinkText, before, &with("((x Int) (y Int))", "(= (f z) 23)"));
        check(&ShrinkText, before, &with("((x Int) (y Int))", "(f 1 z)"));
        check(&ShrinkText, before, &with("((x Int) (y Int))", "true"));
        check(&ShrinkText, before, &with("((x Int) (y Int))", "(= (f 1 z) 2)"));
        check(&ShrinkText, "(my-command (f (g 1)))", "(my-command (g 1))");
    }

    #[test]
    fn parsed_commands_and_those_without_lists_are_left_alone() {
        check_nothing(&ShrinkText, "(set-option :produce-models true)(set-info :status sat)(echo \"a (b)\")");
        check_nothing(
            &ShrinkText,
            "(declare-const x Int)(assert (= x 1))(check-sat)(get-model)(get-value (x))",
        );
    }

    #[test]
    fn the_name_of_a_command_is_kept() {
        for text in changed_texts(&ShrinkText, "(check-sat-using (then simplify (par-or smt sat)))") {
            assert!(text.starts_with("(check-sat-using"), "{text}");
        }
    }
}
