//! The search of a reduction without sorts: which changes of a tree of parentheses are tried, and in which order.
//!
//! Like the search for scripts it is a value that is cheap to clone, so that threads can look ahead. Each pass lists its changes
//! of the smallest tree; they are tried in groups, half as many after a failure and twice as many after a success.

use std::sync::Arc;

use gainsay_smt::paren_tree::{Comments, NodeEdit, ParenTree};
use rustc_hash::FxHashMap;

use crate::change_key::hash;
use crate::size_order::is_smaller;
use crate::speculate::{Proposed, Search};
use crate::tree_pass::{TreeEdit, TreePass};

/// The passes, in order.
pub const ALL: &[TreePass] = &[
    TreePass::DropCommands,
    TreePass::DropItems,
    TreePass::ReplaceByItem,
    TreePass::ExpandLets,
    TreePass::ReplaceByWord,
    TreePass::ShortenWords,
    TreePass::RenameWords,
];

/// Changes that are made together at first.
const INITIAL_GROUP_SIZE: usize = 8;

/// A printed tree.
#[derive(Debug)]
pub struct PrintedTree {
    text: Box<str>,
    key: u64,
}

impl PrintedTree {
    fn of(text: &str) -> PrintedTree {
        PrintedTree { text: text.into(), key: hash(text) }
    }
}

impl Proposed for PrintedTree {
    fn text(&self) -> &str {
        &self.text
    }

    fn key(&self) -> u64 {
        self.key
    }
}

/// The state of a reduction.
#[derive(Clone)]
pub struct TreeSearch {
    best: Arc<PrintedTree>,
    /// How the text is read. At first it is tested whether it may be printed in another layout.
    layout: Layout,
    current: Arc<CurrentTree>,
    /// Changes of this pass that succeeded, and the nodes that they changed or removed.
    accepted: Arc<FxHashMap<usize, NodeEdit>>,
    gone: Arc<Vec<bool>>,
    /// The changes that are being tried, by number; the next one; how many are tried together.
    group: Arc<Vec<usize>>,
    next: usize,
    group_size: usize,
    has_progressed: bool,
    last_was_interesting: bool,
}

/// How the text may be laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// To be tested: one line for each command, without comments.
    Untested,
    /// To be tested: the same with comments.
    UntestedComments,
    /// As one of these, or as it was if both were uninteresting.
    Tested(Comments),
}

/// A pass and its changes of the smallest tree.
struct CurrentTree {
    pass: usize,
    tree: ParenTree,
    edits: Vec<TreeEdit>,
}

impl TreeSearch {
    /// Begins with an interesting text.
    pub fn new(start: &str) -> TreeSearch {
        let mut search = TreeSearch {
            best: Arc::new(PrintedTree::of(start)),
            layout: Layout::Untested,
            current: Arc::new(CurrentTree {
                pass: 0,
                tree: ParenTree::read("", Comments::Dropped),
                edits: Vec::new(),
            }),
            accepted: Arc::default(),
            gone: Arc::default(),
            group: Arc::default(),
            next: 0,
            group_size: 1,
            has_progressed: false,
            last_was_interesting: false,
        };
        search.begin_pass(0);
        search
    }

    fn comments(&self) -> Comments {
        match self.layout {
            Layout::Untested => Comments::Dropped,
            Layout::UntestedComments => Comments::Kept,
            Layout::Tested(comments) => comments,
        }
    }

    fn begin_pass(&mut self, pass: usize) {
        let tree = ParenTree::read(&self.best.text, self.comments());
        let edits = if self.is_laid_out() { ALL[pass].edits(&tree) } else { Vec::new() };
        self.gone = Arc::new(vec![false; tree.len()]);
        self.accepted = Arc::default();
        self.next = 0;
        self.last_was_interesting = false;
        self.group_size = match ALL[pass].begins_with_halves() {
            true => edits.len().div_ceil(2).max(1),
            false => INITIAL_GROUP_SIZE.min(edits.len() / INITIAL_GROUP_SIZE).max(1),
        };
        self.current = Arc::new(CurrentTree { pass, tree, edits });
    }

    fn is_laid_out(&self) -> bool {
        matches!(self.layout, Layout::Tested(_))
    }

    /// Goes to the next pass or round; returns false at the end of the reduction.
    fn advance(&mut self) -> bool {
        let next = self.current.pass + 1;
        if next < ALL.len() {
            self.begin_pass(next);
            return true;
        }
        let again = self.has_progressed;
        self.has_progressed = false;
        if again {
            self.begin_pass(0);
        }
        again
    }

    /// Selects the next group of changes that are still possible.
    fn gather_group(&mut self) {
        let mut group = Vec::new();
        let mut at = self.next;
        while group.len() < self.group_size && at < self.current.edits.len() {
            let is_open = self.current.edits[at].iter().all(|(node, _)| !self.gone[*node]);
            if is_open {
                group.push(at);
            }
            at += 1;
        }
        if group.is_empty() {
            self.next = at;
        }
        self.group = Arc::new(group);
    }

    /// The tree with the accepted changes and the group; `None` if that is not smaller.
    fn candidate(&self) -> Option<Arc<PrintedTree>> {
        let mut edits = (*self.accepted).clone();
        for &number in self.group.iter() {
            for (node, edit) in &self.current.edits[number] {
                edits.entry(*node).or_insert_with(|| edit.clone());
            }
        }
        let text = self.current.tree.print(|node| edits.get(&node).cloned());
        is_smaller(&text, &self.best.text).then(|| Arc::new(PrintedTree::of(&text)))
    }

    fn reject(&mut self) {
        self.last_was_interesting = false;
        match self.group.as_slice() {
            [only] => self.next = only + 1,
            several => self.group_size = several.len().div_ceil(2),
        }
    }

    fn accept(&mut self) {
        self.last_was_interesting = true;
        self.has_progressed = true;
        let (current, group) = (Arc::clone(&self.current), Arc::clone(&self.group));
        let (accepted, gone) = (Arc::make_mut(&mut self.accepted), Arc::make_mut(&mut self.gone));
        for (node, edit) in group.iter().flat_map(|&number| &current.edits[number]) {
            accepted.entry(*node).or_insert_with(|| edit.clone());
            gone[current.tree.range(*node)].fill(true);
        }
        self.next = group.last().map_or(self.next, |last| last + 1);
        self.group_size = 2 * group.len();
    }

    /// The text in another layout, if that is to be tested.
    fn propose_layout(&mut self) -> Option<Arc<PrintedTree>> {
        let text = self.current.tree.to_string();
        if text != *self.best.text {
            return Some(Arc::new(PrintedTree::of(&text)));
        }
        self.layout = Layout::Tested(self.comments());
        self.begin_pass(0);
        None
    }

    fn tell_layout(&mut self, item: &Arc<PrintedTree>, is_interesting: bool) {
        if is_interesting {
            self.best = Arc::clone(item);
        }
        self.layout = match self.layout {
            Layout::Untested if !is_interesting => Layout::UntestedComments,
            _ => Layout::Tested(self.comments()),
        };
        self.begin_pass(0);
    }
}

impl Search for TreeSearch {
    type Item = PrintedTree;

    fn propose(&mut self) -> Option<Arc<PrintedTree>> {
        if !self.is_laid_out()
            && let Some(candidate) = self.propose_layout()
        {
            return Some(candidate);
        }
        loop {
            if self.next >= self.current.edits.len() {
                if !self.advance() {
                    return None;
                }
                continue;
            }
            self.gather_group();
            if self.group.is_empty() {
                continue;
            }
            match self.candidate() {
                Some(candidate) => return Some(candidate),
                None => self.reject(),
            }
        }
    }

    fn tell(&mut self, item: &Arc<PrintedTree>, is_interesting: bool) {
        match (self.is_laid_out(), is_interesting) {
            (false, _) => self.tell_layout(item, is_interesting),
            (true, true) => {
                self.best = Arc::clone(item);
                self.accept();
            }
            (true, false) => self.reject(),
        }
    }

    fn expects_interesting(&self) -> bool {
        self.last_was_interesting
    }

    fn pass_number(&self) -> usize {
        self.current.pass
    }

    fn best_text(&self) -> &str {
        &self.best.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest text of which `test` holds, and the number of its tests.
    fn reduced(start: &str, test: impl Fn(&str) -> bool) -> (String, usize) {
        assert!(test(start), "the start is interesting");
        let mut search = TreeSearch::new(start);
        let mut tests = 0;
        while let Some(candidate) = search.propose() {
            tests += 1;
            search.tell(&candidate, test(&candidate.text));
        }
        (search.best_text().to_owned(), tests)
    }

    #[test]
    fn a_text_that_is_no_script_becomes_small() {
        let noise: String = (0..200).map(|n| format!("(declare-const c{n} Sort{n})\n")).collect();
        let text = format!("{noise}(assert (and (foo (bar 1 2) (unknown \"abcdef\" x)) (or) )))))");
        let (small, tests) = reduced(&text, |text| text.contains("(unknown") && text.contains("))"));
        assert_eq!(small, "(assert (unknown))\n");
        assert!(tests < 200, "{tests}");
    }

    #[test]
    fn a_layout_that_matters_is_kept() {
        let start = "(a ; bug\n b)\n(c)";
        let (small, _) = reduced(start, |text| text.contains("bug"));
        assert!(small.contains("; bug") && !small.contains("(c)"), "{small}");
        let (small, _) = reduced("(a    b)(c)", |text| text.contains("    "));
        assert_eq!(small, "(a    b)(c)");
    }

    #[test]
    fn lets_are_expanded_and_names_shortened() {
        let start = "(assert (let ((long (g 1))) (f long long)))(declare-fun name Foo)(name name)";
        let (small, _) = reduced(start, |text| text.matches("(g 1)").count() > 1 || text.contains("(let"));
        assert_eq!(small, "(assert (let))\n");
        let (small, _) = reduced(start, |text| text.matches("(g 1)").count() > 1 || text == start);
        assert_eq!(small, "(assert (f (g 1) (g 1)))\n");
        let is_name_kept =
            |text: &str| text.split(['(', ')', ' ', '\n']).filter(|word| *word == "name").count() > 2;
        let is_kept =
            |text: &str| text.contains("(declare-fun") && (is_name_kept(text) || text.contains("(n n)"));
        let (small, _) =
            reduced("(declare-fun name Foo)(name name)", |text| is_kept(&text.replace("(a a)", "(n n)")));
        assert_eq!(small, "(declare-fun)\n(a a)\n");
    }
}
