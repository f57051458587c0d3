//! The tree of parentheses of a text: lists and words, without a meaning.
//!
//! Every text has one. A parenthesis without a partner is a word, and a string that does not end is one up to the end of the
//! text. So this tree serves where scripts need not be well-sorted, or cannot be: a reducer of scripts that only a solver's own
//! reader understands, and changes of declarations that move the sorts of most terms.

use std::fmt;
use std::ops::Range;

/// A text as a tree. Nodes are numbered in the order of the text, a list before its items.
#[derive(Debug, Clone)]
pub struct ParenTree {
    text: String,
    nodes: Vec<ParenNode>,
}

/// A node of the tree.
#[derive(Debug, Clone)]
struct ParenNode {
    /// The bytes of a word; `None` for a list.
    word: Option<Range<usize>>,
    /// The list that it is in.
    parent: Option<usize>,
    /// The number after those of all nodes below.
    end: usize,
}

/// What becomes of comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comments {
    /// They are left out.
    Dropped,
    /// Each is a word.
    Kept,
}

impl ParenTree {
    /// Reads a text.
    ///
    /// ```
    /// use gainsay_smt::paren_tree::{Comments, ParenTree};
    ///
    /// let tree = ParenTree::read("(assert (f \"(\" x)) ; (\n)", Comments::Dropped);
    /// assert_eq!(tree.to_string(), "(assert (f \"(\" x))\n)\n");
    /// ```
    pub fn read(text: &str, comments: Comments) -> ParenTree {
        // What follows a string that does not end would be part of it, and so would the line end that printing adds.
        let text = text.trim_end();
        let mut tree = ParenTree { text: text.to_owned(), nodes: Vec::new() };
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        while let Some(token) = next_token(text, at) {
            at = token.end;
            match text.as_bytes()[token.start] {
                b'(' => {
                    let number = tree.push(None, open.last().copied());
                    open.push(number);
                }
                b')' => match open.pop() {
                    Some(list) => tree.nodes[list].end = tree.nodes.len(),
                    None => {
                        tree.push(Some(token), None);
                    }
                },
                b';' if comments == Comments::Dropped => {}
                _ => {
                    tree.push(Some(token), open.last().copied());
                }
            }
        }
        tree.make_words(&open);
        tree
    }

    fn push(&mut self, word: Option<Range<usize>>, parent: Option<usize>) -> usize {
        let number = self.nodes.len();
        self.nodes.push(ParenNode { word, parent, end: number + 1 });
        number
    }

    /// Makes words of the parentheses that nothing closes, from the innermost to the outermost; their items move to the top.
    fn make_words(&mut self, open: &[usize]) {
        let start = self.text.len();
        self.text.push('(');
        for &list in open {
            self.nodes[list] = ParenNode { word: Some(start..start + 1), parent: None, end: list + 1 };
        }
        for node in &mut self.nodes {
            node.parent = node.parent.filter(|parent| open.binary_search(parent).is_err());
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if the text has no words and no lists.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The text of a word; `None` for a list.
    pub fn word(&self, node: usize) -> Option<&str> {
        self.nodes[node].word.clone().map(|range| &self.text[range])
    }

    /// The list that a node is in; `None` at the top.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent
    }

    /// The node and all nodes below it.
    pub fn range(&self, node: usize) -> Range<usize> {
        node..self.nodes[node].end
    }

    /// The items of a list, or of the whole text for `None`.
    pub fn items(&self, list: Option<usize>) -> impl Iterator<Item = usize> {
        let (mut next, end) = match list {
            Some(list) => (list + 1, self.nodes[list].end),
            None => (0, self.nodes.len()),
        };
        std::iter::from_fn(move || {
            let item = (next < end).then_some(next)?;
            next = self.nodes[item].end;
            Some(item)
        })
    }

    /// The first word of a list.
    pub fn head(&self, list: usize) -> Option<&str> {
        self.items(Some(list)).next().and_then(|first| self.word(first))
    }

    /// Prints the tree, changed where `edit` says so.
    pub fn print(&self, edit: impl Fn(usize) -> Option<NodeEdit>) -> String {
        let mut open: Vec<PrintStep> = self.items(None).map(PrintStep::Node).collect();
        open.reverse();
        self.print_steps(open, edit)
    }

    /// Prints one node.
    pub fn print_node(&self, node: usize) -> String {
        self.print_steps(vec![PrintStep::Node(node)], |_| None).trim_end().to_owned()
    }

    fn print_steps(&self, mut open: Vec<PrintStep>, edit: impl Fn(usize) -> Option<NodeEdit>) -> String {
        let mut printer = TreePrinter::default();
        while let Some(step) = open.pop() {
            let PrintStep::Node(node) = step else {
                printer.close();
                continue;
            };
            match (edit(node), self.word(node)) {
                (Some(NodeEdit::Drop), _) => {}
                (Some(NodeEdit::Text(text)), _) => printer.word(&text),
                (Some(NodeEdit::Item(item)), _) => open.push(PrintStep::Node(item)),
                (None, Some(word)) => printer.word(word),
                (None, None) => {
                    printer.open();
                    open.push(PrintStep::Close);
                    let first = open.len();
                    open.extend(self.items(Some(node)).map(PrintStep::Node));
                    open[first..].reverse();
                }
            }
        }
        printer.out
    }
}

impl fmt::Display for ParenTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print(|_| None))
    }
}

/// A change of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeEdit {
    /// It is left out.
    Drop,
    /// Another text takes its place.
    Text(String),
    /// A node below it takes its place.
    Item(usize),
}

enum PrintStep {
    Node(usize),
    Close,
}

/// Puts one command on each line, and one blank between words.
#[derive(Default)]
struct TreePrinter {
    out: String,
    depth: usize,
}

impl TreePrinter {
    fn space(&mut self) {
        if !(self.out.is_empty() || self.out.ends_with(['(', '\n'])) {
            self.out.push(' ');
        }
    }

    fn open(&mut self) {
        self.space();
        self.out.push('(');
        self.depth += 1;
    }

    fn close(&mut self) {
        self.out.push(')');
        self.depth -= 1;
        self.end_line(false);
    }

    fn word(&mut self, word: &str) {
        self.space();
        self.out.push_str(word);
        // A comment ends with its line.
        self.end_line(word.starts_with(';'));
    }

    fn end_line(&mut self, always: bool) {
        if always || self.depth == 0 {
            self.out.push('\n');
        }
    }
}

/// The bytes of the next parenthesis, word, string, quoted symbol or comment.
fn next_token(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = from + bytes[from..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    let until = |from: usize, is_end: &dyn Fn(u8) -> bool| {
        bytes[from..].iter().position(|&byte| is_end(byte)).map_or(bytes.len(), |length| from + length)
    };
    let end = match bytes[start] {
        b'(' | b')' => start + 1,
        b';' => until(start, &|byte| byte == b'\n'),
        b'|' => (until(start + 1, &|byte| byte == b'|') + 1).min(bytes.len()),
        b'"' => {
            let mut end = until(start + 1, &|byte| byte == b'"') + 1;
            // Two quotes are one that does not end the string.
            while bytes.get(end) == Some(&b'"') {
                end = until(end + 1, &|byte| byte == b'"') + 1;
            }
            end.min(bytes.len())
        }
        _ => until(start, &|byte| byte.is_ascii_whitespace() || b"()\"|;".contains(&byte)),
    };
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> String {
        ParenTree::read(text, Comments::Dropped).to_string()
    }

    #[test]
    fn every_text_has_a_tree_that_prints_as_what_it_was_read_from() {
        assert_eq!(printed("(a\n (b  c)) (d)"), "(a (b c))\n(d)\n");
        assert_eq!(printed("(a |x (| \"s \"\" )\" y) ; (\n"), "(a |x (| \"s \"\" )\" y)\n");
        for text in ["(a (b c", ") a (b)", "(a \"b", "(|", "((((", "))", "", "\"", ";", "(é (ü))", "a\"b\"c"]
        {
            let once = printed(text);
            assert_eq!(printed(&once), once, "{text}");
            let marks = |text: &str| text.chars().filter(|c| "()".contains(*c)).count();
            assert_eq!(marks(&once), marks(text), "{text}");
        }
    }

    #[test]
    fn comments_are_words_if_they_are_kept() {
        let tree = ParenTree::read("(a ; b)\n c)", Comments::Kept);
        assert_eq!(tree.to_string(), "(a ; b)\nc)\n");
    }

    #[test]
    fn nodes_are_dropped_and_replaced() {
        let tree = ParenTree::read("(a (b c) d)(e)", Comments::Dropped);
        let numbers: Vec<usize> = tree.items(Some(0)).collect();
        assert_eq!(
            (numbers.as_slice(), tree.parent(3), tree.range(2)),
            ([1, 2, 5].as_slice(), Some(2), 2..5)
        );
        let edit = |node: usize| match node {
            1 => Some(NodeEdit::Text("(x)".to_owned())),
            2 => Some(NodeEdit::Item(4)),
            6 => Some(NodeEdit::Drop),
            _ => None,
        };
        assert_eq!(tree.print(edit), "((x) c d)\n");
    }

    #[test]
    fn depth_costs_no_stack() {
        let text = format!("{}{}", "(".repeat(200_000), ")".repeat(200_000));
        assert_eq!(printed(&text).trim_end(), text);
        assert_eq!(printed(&"(".repeat(2_000)).lines().count(), 2_000);
    }
}
