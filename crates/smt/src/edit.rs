//! An edit replaces a term at one place of a script, and updates the text of its command.
//!
//! ```text
//! (assert (> (str.len x) 0))   and   x ⇒ (str.++ x x)   give   (assert (> (str.len (str.++ x x)) 0))
//! ```
//!
//! The text of a term does not depend on its context, so the new text of a long command differs from the old one in a few
//! bytes, whose place is found by counting parentheses.

use std::ops::Range;

use crate::arena::Arena;
use crate::command::{Command, Word};
use crate::print::{term_text, write_term};
use crate::rebuild::replace_children;
use crate::script::Script;
use crate::term::{Term, TermView};

/// A replacement of the term at one place of a script.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The index of the command.
    pub command: usize,
    /// The index of the term within the command.
    pub position: usize,
    /// The path from the command's term down to the place: a term, and the index of the next child.
    pub path: Vec<(Term, usize)>,
    /// The term at that place.
    pub old: Term,
    /// Its replacement.
    pub new: Term,
}

impl Edit {
    /// Makes the edit; other occurrences of the old term stay.
    pub fn make(&self, script: &mut Script) {
        let arena = script.arena_mut();
        let mut new = self.new;
        for &(parent, child) in self.path.iter().rev() {
            let mut children = arena.children(parent).to_vec();
            children[child] = new;
            new = replace_children(arena, parent, &children);
        }
        script.commands[self.command].set_term(self.position, new);
    }

    /// The text of the command after the edit, given its text before, and the range of the new term in it; `None` if finding the
    /// place takes a parser.
    /// The text before must be as printed.
    pub fn text(&self, arena: &Arena, command: &Command, before: &str) -> Option<(String, Range<usize>)> {
        // If the place were miscounted, the text there would not be that of the old term.
        let range = self.range(arena, command, before)?;
        let mut old = String::with_capacity(range.len());
        write_term(&mut old, arena, self.old);
        if before.get(range.clone())? != old {
            return None;
        }
        let new = term_text(arena, self.new);
        let mut text = String::with_capacity(before.len() - range.len() + new.len());
        text.push_str(&before[..range.start]);
        text.push_str(&new);
        text.push_str(&before[range.end..]);
        Some((text, range.start..range.start + new.len()))
    }

    /// The range of the old term in the text of its command.
    fn range(&self, arena: &Arena, command: &Command, text: &str) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let mut at = match command {
            Command::Term(Word::Assert, ..) => item(bytes, 0, 1)?,
            Command::Define(Word::DefineConst, _) => item(bytes, 0, 3)?,
            Command::Define(Word::DefineFun, _) => item(bytes, 0, 4)?,
            // A recursive definition is in scope of itself, so more than this term must be parsed again.
            _ => return None,
        };
        for &(term, child) in &self.path {
            at = match arena.view(term) {
                TermView::Application(..) => item(bytes, at, child + 1)?,
                TermView::Apply(_) => item(bytes, at, child)?,
                TermView::Let(variables, _) if child < variables.len() => {
                    let binding = item(bytes, item(bytes, at, 1)?, child)?;
                    item(bytes, binding, 1)?
                }
                TermView::Let(..) => item(bytes, at, 2)?,
                TermView::Bind(..) => item(bytes, at, child + 2)?,
                TermView::Match(..) if child == 0 => item(bytes, at, 1)?,
                TermView::Match(..) => {
                    let case = item(bytes, item(bytes, at, 2)?, child - 1)?;
                    item(bytes, case, 1)?
                }
                TermView::Annotated(..) if child == 0 => item(bytes, at, 1)?,
                _ => return None,
            };
        }
        Some(at..end(bytes, at)?)
    }
}

/// The offset of item number `index` of the list whose parenthesis is at `list`.
fn item(text: &[u8], list: usize, index: usize) -> Option<usize> {
    let mut at = (text.get(list) == Some(&b'(')).then_some(list + 1)?;
    for _ in 0..index {
        at = end(text, at)?;
        while text.get(at)?.is_ascii_whitespace() {
            at += 1;
        }
    }
    (text.get(at)? != &b')').then_some(at)
}

/// The end of the expression that begins at `at`.
fn end(text: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match text.get(at)? {
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return Some(at),
            mark @ (b'"' | b'|') => at += 1 + text[at + 1..].iter().position(|byte| byte == mark)?,
            // Text that is kept verbatim may contain comments, and those may contain anything.
            b';' => return None,
            b'#' if text.get(at + 1) == Some(&b'|') => return None,
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::command_text;
    use crate::signature::Signature;
    use crate::{Head, Occurrences};

    /// Replaces every occurrence of every term by another term of its sort, and compares the edited text with the printed one.
    fn check(text: &str) -> usize {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let places = Occurrences::of(&script, 1000);
        let mut edits = 0;
        for (number, place) in places.list().iter().enumerate() {
            let mut path = Vec::new();
            let mut here = number;
            while let Some((parent, child)) = places.list()[here].parent {
                path.insert(0, (places.list()[parent].term, child));
                here = parent;
            }
            let (command, position) = place.root;
            let mut after = script.clone();
            let marker = after.arena_mut().symbol("new one");
            let new = after.arena_mut().application(Head::plain(marker), &[], place.sort);
            let edit = Edit { command, position, path, old: place.term, new };
            edit.make(&mut after);
            let before = command_text(script.arena(), &script.commands[command]);
            let Some((text, _)) = edit.text(after.arena(), &script.commands[command], &before) else {
                continue;
            };
            assert_eq!(text, command_text(after.arena(), &after.commands[command]));
            edits += 1;
        }
        edits
    }

    #[test]
    fn an_edit_of_the_text_is_the_text_of_the_edit() {
        assert_eq!(check("(declare-const x Int)(assert (= x (+ 1 2)))"), 5);
        assert_eq!(
            check("(declare-const |a (b| String)(assert (= |a (b| (str.++ \"(\"\")\" \"x\" |a (b|)))"),
            6
        );
        assert_eq!(check("(assert (let ((a 1) (b (+ 2 3))) (let ((c a)) (= a b c))))"), 11);
        assert_eq!(check("(assert (forall ((x Int) (y Int)) (! (< x y) :pattern ((+ x y)) :qid q)))"), 5);
        assert_eq!(check("(assert (= ((_ extract 1 0) #b101) ((_ sign_extend 1) #b1)))"), 5);
        assert_eq!(check("(define-fun f ((x Int) (y Int)) Int (+ x y))(define-const c Int (f 1 2))"), 6);
        assert_eq!(
            check(
                "(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)\
                 (assert (= 0 (match l ((nil 1) ((cons h t) (+ h 1))))))(assert ((_ is cons) (as nil L)))"
            ),
            10
        );
    }

    #[test]
    fn a_text_with_comments_is_left_to_the_parser() {
        assert_eq!(end(b"(a ; )\n b) ", 0), None);
        assert_eq!(end(b"(a #| ) |# b) ", 0), None);
        assert_eq!(end(b"(a \")\" |)| b) c", 0), Some(13));
        assert_eq!(
            (item(b"(a (b) c)", 0, 2), item(b"(a (b) c)", 0, 3), item(b"a", 0, 0)),
            (Some(7), None, None)
        );
    }
}
