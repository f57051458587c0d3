//! Gives names of one letter to what commands declare whose arguments are not parsed.
//!
//! ```text
//! (synth-fun max ((first Int)) Int)(constraint (= (max 1) 1))   ⇒   (synth-fun a ((b Int)) Int)(constraint (= (a 1) 1))
//! ```
//!
//! gainsay does not know which words of them are names, so each word is replaced in the whole script, and the test says whether it
//! was a name.

use std::sync::Arc;

use gainsay_smt::Script;
use gainsay_smt::paren_tree::{Comments, NodeEdit, ParenTree};
use rustc_hash::{FxHashMap, FxHashSet};

use super::shrink_text::unparsed_commands;
use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_with_key};
use crate::script_view::ScriptView;
use crate::tree_pass::TreePass;

/// Renames what unparsed commands declare.
pub struct ShorterTextNames;

impl Pass for ShorterTextNames {
    fn name(&self) -> &'static str {
        "shorter-text-names"
    }

    fn about(&self) -> &'static str {
        "gives short names to symbols in commands that gainsay does not parse"
    }

    fn phase(&self) -> Phase {
        Phase::Restyle
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let unparsed = unparsed_commands(script);
        if unparsed.is_empty() {
            return Vec::new();
        }
        let words = unparsed.iter().flat_map(|(_, tree)| (0..tree.len()).filter_map(|node| tree.word(node)));
        let words: FxHashSet<&str> = words.collect();
        let tree = ParenTree::read(&script.to_string(), Comments::Dropped);
        let heads: FxHashSet<&str> = tree.items(None).filter_map(|list| tree.head(list)).collect();
        let is_name = |word: &str| words.contains(word) && !heads.contains(word);
        let renamings = TreePass::RenameWords.edits(&tree).into_iter();
        let renamings = renamings.filter(|edit| tree.word(edit[0].0).is_some_and(is_name));
        let signature = Arc::clone(script.arena().signature());
        let change = |edit: Vec<(usize, NodeEdit)>| {
            let edits: FxHashMap<usize, NodeEdit> = edit.into_iter().collect();
            let text = tree.print(|node| edits.get(&node).cloned());
            let signature = Arc::clone(&signature);
            rewrite_script_with_key(text.clone(), move |_| Script::parse(&text, &signature).ok())
        };
        vec![renamings.map(change).collect()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn names_in_unparsed_commands_become_letters() {
        let before =
            "(declare-var zero Int)(synth-fun max ((x Int)) Int)(constraint (= (max zero) 1))(check-synth)";
        check(&ShorterTextNames, before, &before.replace("zero", "a"));
        check(&ShorterTextNames, before, &before.replace("max", "b"));
    }

    #[test]
    fn scripts_without_unparsed_commands_are_left_alone() {
        check_nothing(&ShorterTextNames, "(declare-const long Int)(assert (= long 1))(check-sat)");
    }
}
