//! Iterates over subterms, each once however often it occurs.

use crate::arena::Arena;
use crate::term::Term;

impl Arena {
    /// The given terms and all of their subterms, each once: parents before children, left to right.
    ///
    /// ```
    /// use gainsay_smt::{Script, Signature};
    ///
    /// let script = Script::parse("(declare-const a Bool)(assert (or a (not a)))", &Signature::standard())?;
    /// let arena = script.arena();
    /// assert_eq!(arena.reachable(script.assertions()).count(), 3);
    /// # Ok::<(), gainsay_smt::Error>(())
    /// ```
    pub fn reachable(&self, roots: impl IntoIterator<Item = Term>) -> Reachable<'_> {
        let mut stack: Vec<Term> = roots.into_iter().collect();
        stack.reverse();
        // Children have smaller indices than their parents, so no subterm lies beyond the largest root.
        let terms = stack.iter().map(|term| term.index() + 1).max().unwrap_or(0);
        Reachable { arena: self, visited: vec![0; terms.div_ceil(64)], stack }
    }
}

/// The iterator that [`Arena::reachable`] returns.
#[derive(Clone)]
pub struct Reachable<'a> {
    arena: &'a Arena,
    /// One bit per term.
    visited: Vec<u64>,
    stack: Vec<Term>,
}

impl Iterator for Reachable<'_> {
    type Item = Term;

    fn next(&mut self) -> Option<Term> {
        while let Some(term) = self.stack.pop() {
            let (word, bit) = (term.index() / 64, 1 << (term.index() % 64));
            if self.visited[word] & bit == 0 {
                self.visited[word] |= bit;
                self.stack.extend(self.arena.children(term).iter().rev());
                return Some(term);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::print::term_text;
    use crate::{Script, Signature, Term};

    fn texts(script: &Script, roots: &[Term]) -> Vec<String> {
        let arena = script.arena();
        arena.reachable(roots.iter().copied()).map(|term| term_text(arena, term)).collect()
    }

    #[test]
    fn every_subterm_comes_once_after_its_parent() {
        let text =
            "(declare-const a Bool)(declare-const b Bool)(assert (and a (not b)))(assert (or b (not b)))";
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let roots: Vec<Term> = script.assertions().collect();
        assert_eq!(texts(&script, &roots), ["(and a (not b))", "a", "(not b)", "b", "(or b (not b))"]);
        assert_eq!(texts(&script, &[]), [""; 0]);
    }
}
