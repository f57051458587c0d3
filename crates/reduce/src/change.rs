//! Simplifications of a script.

use std::hash::Hash;
use std::sync::Arc;

use gainsay_smt::paren_tree::ParenTree;
use gainsay_smt::{Arena, Command, Script, Term};

use crate::change_key::hash;
use crate::contents::terms_of;
use crate::tree_pass::TreeEdit;

/// A simplification of a script. Places are positions in the list of [`ScriptView::places`](crate::ScriptView::places).
#[derive(Clone)]
pub enum ScriptChange {
    /// Drops a command.
    DropCommand(usize),
    /// Replaces a command by others.
    ReplaceCommand(usize, Vec<Command>),
    /// Replaces the term in one place by another of the same sort.
    ReplaceAt(usize, Term),
    /// Replaces the term in the first place by its subterm in the second.
    Hoist(usize, usize),
    /// Drops an argument; an application to a single remaining argument becomes that argument.
    DropArgument(usize),
    /// Replaces all occurrences of a term by another of the same sort, whose free variables are among those of the old one.
    ReplaceEverywhere(Term, Term),
    /// Replaces all occurrences of a term by a fresh constant, which this command declares.
    Abstract(Term, Term, Command),
    /// Edits the text of a command whose arguments are not parsed. All edits of a command refer to the same tree.
    EditText(usize, Arc<ParenTree>, TreeEdit),
    /// Rewrites the whole script, if possible. It is tried alone; once it succeeds the pass lists its changes again.
    ///
    /// After a failure, a change with the same key is not tried again; one without a key is, once anything in the script changed.
    RewriteScript(Option<u64>, ScriptRewrite),
}

/// Makes a new script from a script; `None` if it does not apply.
pub type ScriptRewrite = Arc<dyn Fn(&Script) -> Option<Script> + Send + Sync>;

/// Items that are tried one by one; if there are more, even the smallest groups have several.
const MAX_SINGLE_ITEMS: usize = 64;

/// Replacements of terms everywhere, the first choice for each term in the first batch, the second in the second, and so on.
pub fn replacement_batches(
    script: &mut Script,
    simpler: impl Fn(&mut Arena, Term) -> Vec<Term>,
) -> Vec<Vec<ScriptChange>> {
    let terms = terms_of(script);
    let arena = script.arena_mut();
    let mut batches: Vec<Vec<ScriptChange>> = Vec::new();
    for term in terms {
        for (turn, new) in simpler(arena, term).into_iter().enumerate() {
            if batches.len() == turn {
                batches.push(Vec::new());
            }
            batches[turn].push(ScriptChange::ReplaceEverywhere(term, new));
        }
    }
    batches
}

/// A change of the whole script.
pub fn rewrite_script(make: impl Fn(&Script) -> Option<Script> + Send + Sync + 'static) -> ScriptChange {
    ScriptChange::RewriteScript(None, Arc::new(make))
}

/// A change of the whole script that, once it failed, is not tried again for an equal key.
pub fn rewrite_script_with_key(
    key: impl Hash,
    make: impl Fn(&Script) -> Option<Script> + Send + Sync + 'static,
) -> ScriptChange {
    ScriptChange::RewriteScript(Some(hash(key)), Arc::new(make))
}

/// A change of the whole script for all items at once, for each half of them, each quarter, and so on down to single items.
pub fn rewrite_script_in_groups<T: Clone + Send + Sync + 'static>(
    items: &[T],
    make: impl Fn(&Script, &[T]) -> Option<Script> + Send + Sync + 'static,
) -> Vec<ScriptChange> {
    let make = Arc::new(make);
    groups(items.len())
        .into_iter()
        .map(|group| {
            let (make, items) = (Arc::clone(&make), items[group].to_vec());
            rewrite_script(move |script| make(script, &items))
        })
        .collect()
}

fn groups(count: usize) -> Vec<std::ops::Range<usize>> {
    let mut groups = Vec::new();
    let mut size = count;
    while size > 0 {
        groups.extend((0..count).step_by(size).map(|start| start..(start + size).min(count)));
        if size == 1 || count.div_ceil(size) >= MAX_SINGLE_ITEMS {
            break;
        }
        size = size.div_ceil(2);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_get_smaller_down_to_single_items() {
        assert!(groups(0).is_empty());
        assert_eq!(groups(3), [0..3, 0..2, 2..3, 0..1, 1..2, 2..3]);
        assert!(groups(100_000).len() < 3 * MAX_SINGLE_ITEMS);
    }
}
