//! Plain terms: formulas without what a solver expands before it states a proof or simplifies a formula.
//!
//! ```text
//! (define-fun g ((x Int)) Int (+ x 1))
//! (assert (! (let ((z (g x))) (> z 5)) :named n))         becomes        (> (+ x 1) 5)
//! (assert (or n (< x 2)))                                 becomes        (or (> (+ x 1) 5) (< x 2))
//! ```
//!
//! Annotations, `let`, names of terms and calls of functions that are defined without recursion are expanded. Terms of one arena are
//! equal if their ids are, so two plain terms are compared without walking them. What cannot be expanded stays as it is: then a premise
//! is compared by its meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gainsay_smt::substitute::Substitution;
use gainsay_smt::{
    Arena, AttributeValue, Command, Definition, Script, Symbol, Term, TermView, Word, replace_children,
};

/// Subterms that are expanded: sharing may hide an exponential size.
const MAX_EXPANDED_TERMS: usize = 1 << 16;

/// Expands terms of one script.
pub struct PlainTerms<'s> {
    script: &'s mut Script,
    /// Functions that are defined without recursion.
    definitions: BTreeMap<Symbol, Arc<Definition>>,
    /// Terms by their names.
    named: BTreeMap<Symbol, Term>,
    plain: BTreeMap<Term, Term>,
    substitution: Substitution,
}

impl<'s> PlainTerms<'s> {
    /// For the terms of a script.
    pub fn of(script: &'s mut Script) -> Self {
        let definitions = script.commands.iter().filter_map(|command| match command {
            Command::Define(Word::DefineFun | Word::DefineConst, definition) => {
                Some((definition.name, Arc::clone(definition)))
            }
            _ => None,
        });
        let definitions = definitions.collect();
        let arena = script.arena();
        let mut named = BTreeMap::new();
        for term in arena.reachable(script.commands.iter().flat_map(Command::terms)) {
            let TermView::Annotated(attributes, children) = arena.view(term) else { continue };
            for attribute in attributes {
                if let AttributeValue::Name(name) = attribute.value {
                    named.insert(name, children[0]);
                }
            }
        }
        let (plain, substitution) = (BTreeMap::new(), Substitution::default());
        PlainTerms { script, definitions, named, plain, substitution }
    }

    /// The plain form of a term; `None` if it is too large.
    pub fn plain(&mut self, term: Term) -> Option<Term> {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            if self.plain.contains_key(&next) {
                open.pop();
                continue;
            }
            if self.plain.len() > MAX_EXPANDED_TERMS || open.len() > MAX_EXPANDED_TERMS {
                return None;
            }
            let below = self.below(next);
            let before = open.len();
            open.extend(below.iter().filter(|one| !self.plain.contains_key(one)));
            if open.len() == before {
                let plain = self.joined(next, &below);
                self.plain.insert(next, plain);
                open.pop();
            }
        }
        self.plain.get(&term).copied()
    }

    /// The terms whose plain forms make up that of a term: its children, or what it stands for.
    fn below(&self, term: Term) -> Vec<Term> {
        let arena = self.script.arena();
        match arena.view(term) {
            TermView::Annotated(_, children) => vec![children[0]],
            TermView::Application(head, []) if self.named.contains_key(&head.symbol) => {
                vec![self.named[&head.symbol]]
            }
            TermView::Application(head, children) => match self.definitions.get(&head.symbol) {
                Some(definition) => children.iter().copied().chain([definition.body]).collect(),
                None => children.to_vec(),
            },
            view => view.children().to_vec(),
        }
    }

    /// The plain form of a term whose parts have these plain forms.
    fn joined(&mut self, term: Term, below: &[Term]) -> Term {
        let parts: Vec<Term> = below.iter().map(|one| self.plain[one]).collect();
        let arena = self.script.arena();
        let (names, body): (Vec<Symbol>, Term) = match arena.view(term) {
            TermView::Annotated(..) => return parts[0],
            TermView::Application(head, []) if self.named.contains_key(&head.symbol) => return parts[0],
            TermView::Application(head, children) if parts.len() > children.len() => {
                let parameters = &self.definitions[&head.symbol].parameters;
                (parameters.iter().map(|one| one.name).collect(), parts[children.len()])
            }
            TermView::Let(variables, children) => {
                (variables.iter().map(|one| one.name).collect(), parts[children.len() - 1])
            }
            _ => return replace_children(self.script.arena_mut(), term, &parts),
        };
        let bindings: Vec<(Symbol, Term)> = names.into_iter().zip(parts.iter().copied()).collect();
        let expanded = self.substitution.apply(self.script.arena_mut(), body, &bindings);
        expanded.unwrap_or(term)
    }

    /// The conjuncts of a plain term, itself included.
    pub fn conjuncts(&self, plain: Term) -> Vec<Term> {
        let arena = self.script.arena();
        let (mut found, mut open) = (Vec::new(), vec![plain]);
        while let Some(term) = open.pop() {
            found.push(term);
            if let TermView::Application(head, children) = arena.view(term)
                && arena.text(head.symbol) == "and"
            {
                open.extend(children);
            }
        }
        found
    }

    /// The script of the terms.
    pub fn script(&self) -> &Script {
        self.script
    }
}

/// The functions that are applied in a term.
pub fn applied(arena: &Arena, term: Term) -> BTreeSet<Symbol> {
    let heads = arena.reachable([term]).filter_map(|part| match arena.view(part) {
        TermView::Application(head, _) => Some(head.symbol),
        _ => None,
    });
    heads.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;
    use gainsay_smt::print::term_text;

    /// The plain form of the last assertion of a script.
    fn check(text: &str, expected: &str) {
        let mut script = Script::parse(text, &Signature::standard()).unwrap();
        let last = script.assertions().last().unwrap();
        let mut terms = PlainTerms::of(&mut script);
        let plain = terms.plain(last).unwrap();
        assert_eq!(term_text(terms.script().arena(), plain), expected);
    }

    #[test]
    fn names_lets_definitions_and_annotations_are_expanded() {
        let head = "(define-fun g ((x Int)) Int (+ x 1))(declare-const x Int)";
        check(&format!("{head}(assert (! (let ((z (g x))) (> z 5)) :named n))"), "(> (+ x 1) 5)");
        let named = format!("{head}(assert (! (> (g x) 5) :named n))(assert (or n (< x 2)))");
        check(&named, "(or (> (+ x 1) 5) (< x 2))");
        check(
            "(define-fun f ((a Bool) (b Bool)) Bool (and b a))(assert (f true (f false true)))",
            "(and (and true false) true)",
        );
    }

    #[test]
    fn bound_variables_are_not_confused_with_those_of_definitions() {
        let text = "(declare-const c Int)(define-fun g ((x Int)) Bool (forall ((y Int)) (< x y)))
            (assert (exists ((y Int)) (g y)))";
        check(text, "(exists ((y Int)) (g y))");
        check("(assert (let ((a true)) (let ((a (not a))) a)))", "(not true)");
    }

    #[test]
    fn what_explodes_is_still_compared_or_given_up() {
        let mut text = String::from("(declare-const p Bool)(assert ");
        for place in 0..64 {
            let before = if place == 0 { "p".to_owned() } else { format!("v{}", place - 1) };
            text += &format!("(let ((v{place} (and {before} {before}))) ");
        }
        text += &format!("v63{})", ")".repeat(64));
        let mut script = Script::parse(&text, &Signature::standard()).unwrap();
        let last = script.assertions().last().unwrap();
        assert!(PlainTerms::of(&mut script).plain(last).is_some());
    }
}
