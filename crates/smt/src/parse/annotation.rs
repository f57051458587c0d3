//! Annotated terms: `(! t :named n :pattern ((f x)))`.

use super::Parser;
use super::term::{OpenForm, OpenTerm};
use crate::context::Role;
use crate::error::{Fallible, Fault};
use crate::lex::{Token, TokenKind};
use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Term};

impl Parser<'_> {
    /// `:keyword value` inside an annotation.
    pub(super) fn attribute(&mut self, token: Token) -> Fallible<()> {
        let has_term = |frame: &OpenTerm, terms: &[Term]| terms.len() > frame.first as usize;
        match self.frames.last() {
            Some(frame)
                if matches!(frame.form, OpenForm::Annotated { .. }) && has_term(frame, &self.terms) => {}
            _ => return self.unexpected(token, "a term"),
        }
        let keyword = self.intern(token);
        let next = self.lexer.peek()?;
        let value = match (keyword, next.kind) {
            (Symbol::NAMED, _) => AttributeValue::Name(self.symbol("the name of the term")?.0),
            (Symbol::QID, TokenKind::Keyword | TokenKind::Close) => {
                return self.unexpected(next, "the name of the quantifier");
            }
            (_, TokenKind::Keyword | TokenKind::Close) => AttributeValue::None,
            (Symbol::NO_PATTERN, _) => {
                let frame = self.frames.last_mut().expect("an annotation is open");
                let OpenForm::Annotated { attributes } = frame.form else { unreachable!("it was just seen") };
                frame.form = OpenForm::NoPattern { attributes };
                return Ok(());
            }
            (Symbol::PATTERN, TokenKind::Open) => {
                self.lexer.position = next.end();
                let frame = self.frames.last_mut().expect("an annotation is open");
                let OpenForm::Annotated { attributes } = frame.form else { unreachable!("it was just seen") };
                frame.form = OpenForm::Pattern { attributes, terms: self.terms.len() as u32 };
                return Ok(());
            }
            _ => AttributeValue::Text(self.verbatim()?),
        };
        self.attributes.push(Attribute { keyword, value });
        Ok(())
    }

    /// Returns true if the top frame is an annotation of a binder's body.
    fn is_quantifier_body(&self) -> bool {
        let outside = self.frames.iter().nth_back(1);
        matches!(outside, Some(OpenTerm { form: OpenForm::Bind { .. }, .. }))
    }

    /// Returns true if a term has free variables that are not only bound by a `let`.
    fn names_a_bound_part(&mut self, term: Term) -> bool {
        let is_inside = self.binders > 0 || self.in_definition;
        is_inside && !self.free.of(&self.context.arena, term).is_empty()
    }

    pub(super) fn close_annotation(&mut self, attributes: usize, first: usize, end: usize) -> Fallible<Term> {
        let parts = &self.terms[first..];
        let in_patterns: usize =
            self.attributes[attributes..].iter().map(|attribute| attribute.value.terms()).sum();
        if parts.len() != in_patterns + 1 {
            return Fault::syntax(end, "an annotation has one term and its attributes");
        }
        let (sort, parts_first) = (self.context.arena.sort_of(parts[0]), parts[0]);
        let term = self.context.arena.annotated(&self.attributes[attributes..], parts);
        let named = self.attributes[attributes..].iter().filter_map(|attribute| match attribute.value {
            AttributeValue::Name(name) => Some(name),
            _ => None,
        });
        let (named, at) =
            (named.collect::<Vec<Symbol>>(), self.frames.last().map_or(0, |frame| frame.at as usize));
        if !named.is_empty() && self.names_a_bound_part(parts_first) {
            return Fault::sort(at, "a named term cannot hold variables of a binder around it");
        }
        for name in named {
            if self.context.function(name).is_some() || self.is_theory_function(name, &[]) {
                return Fault::sort(at, format!("{} is already declared", self.context.show(name)));
            }
            self.context.add_function(name, Role::Declared, &[], sort);
        }
        let of_quantifier = self.attributes[attributes..].iter().find(|attribute| {
            matches!(self.context.arena.text(attribute.keyword), ":pattern" | ":no-pattern" | ":qid")
        });
        if let Some(attribute) = of_quantifier
            && !self.is_quantifier_body()
        {
            let keyword = self.context.arena.text(attribute.keyword);
            return Fault::sort(at, format!("{keyword} belongs to the body of a quantifier"));
        }
        self.attributes.truncate(attributes);
        Ok(term)
    }
}
