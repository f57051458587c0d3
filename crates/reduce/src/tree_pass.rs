//! Simplifications of a tree of parentheses, without a regard to sorts.
//!
//! ```text
//! (assert (= (f x 10) y))    drop-items        (assert (= (f x) y))
//!                            replace-by-item   (assert (f x 10))
//!                            replace-by-word   (assert (= 0 y))
//!                            shorten-words     (assert (= (f x 1) y))
//! ```
//!
//! These are the ideas of hierarchical delta debugging (Misherghi and Su, ICSE 2006) and of ddSMT's generic mutators: most changes
//! make no sense, and the test says which do.

use gainsay_smt::Signature;
use gainsay_smt::paren_tree::{NodeEdit, ParenTree};
use rustc_hash::FxHashMap;

/// Items of one list that may take its place.
const MAX_ITEMS_PER_LIST: usize = 12;
/// Words that may take the place of any list.
const SIMPLEST_WORDS: [&str; 5] = ["0", "true", "false", "\"\"", "#b0"];
/// Changes of a pass that are tried in one round, at most.
const MAX_EDITS: usize = 100_000;

/// Changes of nodes that are made together.
pub type TreeEdit = Vec<(usize, NodeEdit)>;

/// One kind of simplification of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreePass {
    /// Drops lists and words at the top.
    DropCommands,
    /// Drops items of lists.
    DropItems,
    /// Puts an item of a list in its place.
    ReplaceByItem,
    /// Expands `let`.
    ExpandLets,
    /// Puts a simple word in the place of a list.
    ReplaceByWord,
    /// Makes numbers and strings shorter.
    ShortenWords,
    /// Gives names one letter.
    RenameWords,
}

impl TreePass {
    /// Its name, as reports show it.
    pub fn name(self) -> &'static str {
        match self {
            TreePass::DropCommands => "drop-commands",
            TreePass::DropItems => "drop-items",
            TreePass::ReplaceByItem => "replace-by-item",
            TreePass::ExpandLets => "expand-lets",
            TreePass::ReplaceByWord => "replace-by-word",
            TreePass::ShortenWords => "shorten-words",
            TreePass::RenameWords => "rename-words",
        }
    }

    /// The simplifications that it knows for a tree; those that remove most come first.
    pub fn edits(self, tree: &ParenTree) -> Vec<TreeEdit> {
        let mut edits = match self {
            TreePass::DropCommands => tree.items(None).map(|node| vec![(node, NodeEdit::Drop)]).collect(),
            TreePass::DropItems => drops(tree),
            TreePass::ReplaceByItem => hoists(tree),
            TreePass::ExpandLets => lets(tree),
            TreePass::ReplaceByWord => {
                let inner =
                    longest_first(tree, |node| tree.word(node).is_none() && tree.parent(node).is_some());
                let word =
                    |node: usize| SIMPLEST_WORDS.map(|word| vec![(node, NodeEdit::Text(word.to_owned()))]);
                inner.into_iter().flat_map(word).collect()
            }
            TreePass::ShortenWords => shorter_words(tree),
            TreePass::RenameWords => renamings(tree),
        };
        edits.truncate(MAX_EDITS);
        edits
    }

    /// Returns true if most of its changes of a long text usually succeed, so that it begins with half of all.
    pub fn begins_with_halves(self) -> bool {
        self == TreePass::DropCommands
    }
}

/// Some nodes, those with the most nodes below them first, then in the order of the text.
fn longest_first(tree: &ParenTree, keep: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..tree.len()).filter(|&node| keep(node)).collect();
    nodes.sort_by_key(|&node| (std::cmp::Reverse(tree.range(node).len()), node));
    nodes
}

/// Drops every item that is not the first of its list.
fn drops(tree: &ParenTree) -> Vec<TreeEdit> {
    let is_first =
        |node: usize| tree.parent(node).is_none_or(|list| list + 1 == node && tree.word(node).is_some());
    longest_first(tree, |node| !is_first(node)).into_iter().map(|node| vec![(node, NodeEdit::Drop)]).collect()
}

/// Puts items of lists in the places of the lists, the smallest last.
fn hoists(tree: &ParenTree) -> Vec<TreeEdit> {
    let lists = longest_first(tree, |node| tree.word(node).is_none() && tree.parent(node).is_some());
    let of_list = |list: usize| {
        let is_first_word = move |item: usize| item == list + 1 && tree.word(item).is_some();
        let items = tree.items(Some(list)).filter(move |&item| !is_first_word(item));
        items.take(MAX_ITEMS_PER_LIST).map(move |item| vec![(list, NodeEdit::Item(item))])
    };
    lists.into_iter().flat_map(of_list).collect()
}

/// `(let ((x t)) body)` becomes the body with `t` for `x`.
fn lets(tree: &ParenTree) -> Vec<TreeEdit> {
    let expanded = |list: usize| -> Option<TreeEdit> {
        let items: Vec<usize> = tree.items(Some(list)).collect();
        let &[_, bindings, body] = items.as_slice() else { return None };
        let mut values: FxHashMap<&str, usize> = FxHashMap::default();
        for binding in tree.items(Some(bindings)) {
            let parts: Vec<usize> = tree.items(Some(binding)).collect();
            let &[name, value] = parts.as_slice() else { return None };
            values.insert(tree.word(name)?, value);
        }
        let uses = tree.range(body).filter_map(|node| Some((node, values.get(tree.word(node)?)?)));
        let edits = uses.map(|(node, &value)| (node, NodeEdit::Item(value)));
        Some(std::iter::once((list, NodeEdit::Item(body))).chain(edits).collect())
    };
    (0..tree.len())
        .filter(|&node| tree.word(node).is_none() && tree.head(node) == Some("let"))
        .filter_map(expanded)
        .collect()
}

/// Shorter numbers, strings and bit-vectors, the shortest first.
fn shorter_words(tree: &ParenTree) -> Vec<TreeEdit> {
    let shorter = |node: usize| {
        let word = tree.word(node).unwrap_or_default();
        shorter_spellings(word).into_iter().map(move |text| vec![(node, NodeEdit::Text(text))])
    };
    longest_first(tree, |node| tree.word(node).is_some()).into_iter().flat_map(shorter).collect()
}

fn shorter_spellings(word: &str) -> Vec<String> {
    let half = |digits: &str| digits.char_indices().nth(digits.chars().count() / 2).map_or(0, |(at, _)| at);
    let mut shorter = Vec::new();
    if let Some(content) = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // A half that begins or ends within a doubled quote is no string.
        let middle = half(content);
        let parts = ["", &content[..middle], &content[middle..]];
        let is_whole = |part: &&str| part.matches('"').count().is_multiple_of(2);
        shorter.extend(parts.into_iter().filter(is_whole).map(|part| format!("\"{part}\"")));
    } else if word.starts_with(|first: char| first.is_ascii_digit()) {
        shorter.extend(["0", "1", &word[..half(word).max(1)]].map(str::to_owned));
    } else if word.starts_with("#x") || word.starts_with("#b") {
        shorter.extend([format!("{}0", &word[..2]), word[..2 + (word.len() - 2).div_ceil(2)].to_owned()]);
    }
    shorter.retain(|text| text.len() < word.len() || text.len() == word.len() && text.as_str() < word);
    shorter
}

/// Gives each name that occurs more than once a letter that does not occur.
fn renamings(tree: &ParenTree) -> Vec<TreeEdit> {
    let signature = Signature::standard();
    let mut places: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for node in 0..tree.len() {
        if let Some(word) = tree.word(node) {
            places.entry(word).or_default().push(node);
        }
    }
    let mut letters =
        ('a'..='z').chain('A'..='Z').map(String::from).filter(|letter| !places.contains_key(letter.as_str()));
    let is_known = |word: &str| {
        signature.find_symbol(word).is_some_and(|name| signature.is_operator(name) || signature.is_sort(name))
    };
    let is_name = |word: &str| {
        let starts = word.chars().next().is_some_and(|c| !c.is_ascii_digit() && !":#\"();_-".contains(c));
        starts && word.len() > 1 && !is_known(word)
    };
    let mut names: Vec<(&str, &Vec<usize>)> = places
        .iter()
        .filter(|(word, nodes)| nodes.len() > 1 && is_name(word))
        .map(|(word, nodes)| (*word, nodes))
        .collect();
    names.sort_by_key(|(word, nodes)| (std::cmp::Reverse(word.len() * nodes.len()), nodes[0]));
    let renaming = |(_, nodes): (&str, &Vec<usize>)| {
        let letter = letters.next()?;
        Some(nodes.iter().map(|&node| (node, NodeEdit::Text(letter.clone()))).collect())
    };
    names.into_iter().map_while(renaming).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::paren_tree::Comments;

    fn after(pass: TreePass, text: &str) -> Vec<String> {
        let tree = ParenTree::read(text, Comments::Dropped);
        let print = |edit: TreeEdit| {
            let edits: FxHashMap<usize, NodeEdit> = edit.into_iter().collect();
            tree.print(|node| edits.get(&node).cloned()).trim_end().to_owned()
        };
        pass.edits(&tree).into_iter().map(print).collect()
    }

    #[test]
    fn items_are_dropped_and_take_the_place_of_their_list() {
        assert_eq!(after(TreePass::DropItems, "(a (b c) d)"), ["(a d)", "(a (b) d)", "(a (b c))"]);
        assert_eq!(after(TreePass::ReplaceByItem, "(a (b c (d)))"), ["(a c)", "(a (d))"]);
        assert_eq!(after(TreePass::DropCommands, "(a)(b)"), ["(b)", "(a)"]);
    }

    #[test]
    fn lets_are_expanded() {
        assert_eq!(after(TreePass::ExpandLets, "(a (let ((x (f y)) (z 1)) (g x z)))"), ["(a (g (f y) 1))"]);
        assert!(after(TreePass::ExpandLets, "(let x)(let ((x)) y)").is_empty());
    }

    #[test]
    fn words_become_shorter() {
        assert_eq!(shorter_spellings("1234"), ["0", "1", "12"]);
        assert_eq!(shorter_spellings("\"abcd\""), ["\"\"", "\"ab\"", "\"cd\""]);
        assert_eq!(shorter_spellings("\"a\"\"b\""), ["\"\""]);
        assert_eq!(shorter_spellings("#xffff"), ["#x0", "#xff"]);
        assert!(shorter_spellings("0").is_empty() && shorter_spellings("x").is_empty());
        assert_eq!(after(TreePass::RenameWords, "(f name and)(g name and a)"), ["(f b and)\n(g b and a)"]);
    }
}
