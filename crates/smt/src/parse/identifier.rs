//! Indexed and qualified names, `(_ f 1)` and `(as f S)`, and unknown names.
//!
//! An unknown operator is carried as text, with its arguments; a name that looks like a misspelling is an error.

use super::Parser;
use super::term::OpenForm;
use crate::error::{Fallible, Fault};
use crate::lex::{Token, TokenKind};
use crate::sort::{Index, Sort};
use crate::sort_check::ApplicationOffsets;
use crate::symbol::Symbol;
use crate::term::{Head, Term};

impl Parser<'_> {
    /// An application of an unknown name: an operator of some solver, or a mistake.
    pub(super) fn unknown(&mut self, name: Symbol, start: usize, at: usize) -> Fallible<Option<Term>> {
        let text = self.context.arena.text(name);
        let is_foreign = is_operator_like(text) && !self.is_near_miss(name);
        if self.context.arena.signature.is_opaque(name) || is_foreign {
            return self.opaque(at, 1).map(Some);
        }
        if name == Symbol::APPLY {
            self.push(OpenForm::Apply, at);
            return Ok(None);
        }
        self.constant(name, start).map(Some)
    }

    /// The text from `at` to the end of its expression, which has `depth` open parentheses.
    fn opaque(&mut self, at: usize, depth: usize) -> Fallible<Term> {
        self.lexer.skip_open(depth)?;
        let text = self.intern_from(at);
        Ok(self.context.arena.terms.opaque(text))
    }

    /// `((_ f 1) …`, `((as f S) …` or `((f x) …`; `inner` is the second parenthesis.
    pub(super) fn open_compound(&mut self, inner: Token, at: usize) -> Fallible<Option<Term>> {
        let token = self.lexer.next()?;
        let word = if token.kind == TokenKind::Symbol { self.intern(token) } else { Symbol::UNKNOWN };
        if word == Symbol::UNDERSCORE || word == Symbol::AS {
            let indices = self.indices.len() as u32;
            return match self.identifier(word)? {
                Identifier::Head(symbol, None) if self.is_foreign(symbol) => {
                    self.indices.truncate(indices as usize);
                    self.opaque_from(at)
                }
                Identifier::Head(symbol, qualifier) => {
                    self.push(OpenForm::Headed { symbol, indices, qualifier }, at);
                    Ok(None)
                }
                Identifier::Function => {
                    self.push(OpenForm::Apply, at);
                    self.lexer.position = inner.start();
                    Ok(None)
                }
                Identifier::Variable(variable) => {
                    self.push(OpenForm::Apply, at);
                    self.terms.push(variable);
                    self.offsets.push(inner.start() as u32);
                    Ok(None)
                }
                Identifier::Opaque => {
                    self.indices.truncate(indices as usize);
                    self.opaque_from(at)
                }
            };
        }
        self.push(OpenForm::Apply, at);
        self.lexer.position = inner.start();
        Ok(None)
    }

    /// The opaque text of the expression that begins at `at`.
    fn opaque_from(&mut self, at: usize) -> Fallible<Option<Term>> {
        self.lexer.position = at + 1;
        self.opaque(at, 1).map(Some)
    }

    /// The rest of `(_ name index…)` or `(as name sort)` in the place of a term.
    pub(super) fn whole_identifier(&mut self, word: Symbol, at: usize) -> Fallible<Option<Term>> {
        let start = self.indices.len();
        let after_word = self.lexer.position;
        match self.identifier(word)? {
            Identifier::Head(symbol, qualifier) => {
                let indices = self.indices.split_off(start);
                let head = Head { symbol, indices: &indices, qualifier };
                let place = ApplicationOffsets { head: at, arguments: &[] };
                if !indices.is_empty() && self.is_foreign(symbol) {
                    return self.opaque_from(at);
                }
                self.context.application(head, &[], place).map(Some)
            }
            Identifier::Variable(variable) => Ok(Some(variable)),
            Identifier::Function => {
                // (_ f x): an application in higher-order logic.
                self.push(OpenForm::Apply, at);
                self.lexer.position = after_word;
                Ok(None)
            }
            Identifier::Opaque => {
                self.indices.truncate(start);
                self.opaque_from(at)
            }
        }
    }

    /// Returns true if an indexed name is an unknown operator of some solver rather than a misspelling.
    ///
    /// A script cannot declare indexed functions, so an unknown one is not the script's own.
    fn is_foreign(&mut self, symbol: Symbol) -> bool {
        let is_sort = self.context.arena.signature.sort_rule(symbol).is_some();
        !self.context.knows(symbol) && !self.is_special(symbol) && !is_sort && !self.is_near_miss(symbol)
    }

    /// Returns true if an unknown name is a near miss of one in the tables. Comparing takes time, so only the first few unknown
    /// names are compared.
    fn is_near_miss(&mut self, symbol: Symbol) -> bool {
        const MAX_NAMES_COMPARED: usize = 100;
        if self.near_misses.len() == MAX_NAMES_COMPARED {
            return self.near_misses.get(&symbol).is_some_and(|&is_near_miss| is_near_miss);
        }
        let context = &self.context;
        *self.near_misses.entry(symbol).or_insert_with(|| context.nearest_operator(symbol).is_some())
    }

    /// Returns true if an indexed identifier is built in and in no table.
    fn is_special(&self, symbol: Symbol) -> bool {
        matches!(symbol, Symbol::IS | Symbol::UPDATE | Symbol::UPDATE_FIELD)
            || self.context.arena.signature.is_computed(symbol) && self.context.function(symbol).is_none()
            || self.context.arena.text(symbol).starts_with("bv")
    }

    /// Reads `name index…)` or `name sort)`; indices are left on their stack.
    fn identifier(&mut self, word: Symbol) -> Fallible<Identifier> {
        if word == Symbol::UNDERSCORE {
            let (symbol, at) = self.symbol("the name of an indexed operator")?;
            return self.indices_of(symbol, at);
        }
        let token = self.lexer.next()?;
        let symbol = match token.kind {
            TokenKind::Open => {
                // (as (_ f 1) S)
                let word = self.lexer.next()?;
                if self.lexer.text_of(word) != "_" {
                    return self.unexpected(word, "_");
                }
                let (symbol, at) = self.symbol("the name of an indexed operator")?;
                match self.indices_of(symbol, at)? {
                    Identifier::Head(symbol, _) => symbol,
                    other => return Ok(other),
                }
            }
            TokenKind::Symbol | TokenKind::Quoted => self.intern(token),
            _ => return self.unexpected(token, "a name"),
        };
        let sort = self.sort()?;
        self.expect_close("the qualified name")?;
        if let Some(variable) = self.context.local(symbol) {
            self.expect_exact_sort(
                variable,
                self.context.arena.canonical(sort),
                "this variable",
                token.start(),
            )?;
            return Ok(Identifier::Variable(variable));
        }
        Ok(Identifier::Head(symbol, Some(sort)))
    }

    /// The index of `(_ map (bvadd (S S) S))`: an operator of the theories with its sorts, as text; `None` for anything else,
    /// which is carried as text with all of its expression.
    fn spelled_function(&mut self) -> Fallible<Option<Index>> {
        self.expect_open("a function with its sorts")?;
        let (name, _) = self.symbol("the name of a function")?;
        let is_operator = !self.context.arena.signature.ranks_of(name).is_empty();
        if !is_operator || self.context.function(name).is_some() || self.lexer.peek()?.kind != TokenKind::Open
        {
            return Ok(None);
        }
        let mut sorts = self.sort_list()?;
        sorts.push(self.sort()?);
        self.expect_close("the function")?;
        let arena = &self.context.arena;
        // The text would keep the name of a declared sort even if the script is renamed.
        let mut open: Vec<Sort> = sorts.clone();
        while let Some(sort) = open.pop() {
            let view = arena.view_sort(sort);
            if !arena.signature.is_sort(view.head) && Sort::known(view.head).is_none() {
                return Ok(None);
            }
            open.extend_from_slice(view.arguments);
        }
        let (result, parameters) = sorts.split_last().expect("the result was just read");
        let parameters: Vec<String> =
            parameters.iter().map(|&sort| crate::print::sort_text(arena, sort)).collect();
        let name = crate::print::symbol_text(arena, name);
        let result = crate::print::sort_text(arena, *result);
        let text = format!("({name} ({}) {result})", parameters.join(" "));
        Ok(Some(Index::Symbol(self.context.arena.names.intern(&text))))
    }

    fn indices_of(&mut self, symbol: Symbol, at: usize) -> Fallible<Identifier> {
        let start = self.indices.len();
        let is_function = self.context.local(symbol).is_some() || self.context.function(symbol).is_some();
        if is_function && !self.context.has_indexed(symbol) && !self.is_special(symbol) {
            return Ok(Identifier::Function);
        }
        while !self.at_close()? {
            let is_listed = self.context.has_indexed(symbol) || self.is_special(symbol);
            if symbol == Symbol::MAP && self.lexer.peek()?.kind == TokenKind::Open {
                match self.spelled_function()? {
                    Some(index) => self.indices.push(index),
                    None => return Ok(Identifier::Opaque),
                }
                continue;
            }
            if self.lexer.peek()?.kind == TokenKind::Open && !is_listed {
                return Ok(Identifier::Opaque);
            }
            let index = self.index()?;
            self.indices.push(index);
        }
        if symbol == Symbol::AS_ARRAY || symbol == Symbol::MAP {
            let is_known = |index: &Index| match index {
                Index::Symbol(name) => {
                    self.context.knows(*name) || self.context.arena.text(*name).starts_with('(')
                }
                Index::Numeral(_) => false,
            };
            if !self.indices[start..].iter().all(is_known) {
                return Ok(Identifier::Opaque);
            }
        }
        if self.indices.len() == start {
            return Fault::syntax(at, "an indexed name needs an index");
        }
        Ok(match self.context.arena.signature.is_opaque(symbol) {
            true => Identifier::Opaque,
            false => Identifier::Head(symbol, None),
        })
    }
}

enum Identifier {
    /// A name; its indices are on the stack of indices.
    Head(Symbol, Option<Sort>),
    /// `(as x S)` of a variable, which is just the variable.
    Variable(Term),
    /// `(_ f …` where `f` is a function: an application, not an identifier.
    Function,
    /// A name whose indices are not understood.
    Opaque,
}

/// Returns true if a name looks like an operator of some theory rather than a function of the script.
fn is_operator_like(text: &str) -> bool {
    const OPERATOR_PREFIXES: [&str; 16] = [
        "str", "re", "fp", "seq", "set", "bag", "rel", "table", "tuple", "ff", "int", "real", "bv", "sep",
        "array", "char",
    ];
    text.split_once('.')
        .is_some_and(|(theory, operator)| OPERATOR_PREFIXES.contains(&theory) && !operator.is_empty())
}
