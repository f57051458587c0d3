//! Sorts: `Int`, `(_ BitVec 8)`, `(Array Int (List T))`.

use super::Parser;
use crate::context::SortMeaning;
use crate::error::{Fallible, Fault};
use crate::lex::TokenKind;
use crate::signature::Bindings;
use crate::sort::{Index, Sort};
use crate::suggest;
use crate::symbol::Symbol;

/// A sort whose arguments are being read.
struct OpenSort {
    head: Symbol,
    at: usize,
    first: usize,
}

impl Parser<'_> {
    /// Reads a sort.
    pub(super) fn sort(&mut self) -> Fallible<Sort> {
        let mut open: Vec<OpenSort> = Vec::new();
        let mut sorts: Vec<Sort> = Vec::new();
        loop {
            if let Some((name, at)) = self.recent_name() {
                let sort = self.resolve_sort(name, &[], &[], at)?;
                if open.is_empty() {
                    return Ok(sort);
                }
                sorts.push(sort);
                continue;
            }
            let token = self.lexer.next()?;
            let sort = match token.kind {
                TokenKind::Symbol | TokenKind::Quoted => {
                    let name = self.intern(token);
                    self.resolve_sort(name, &[], &[], token.start())?
                }
                TokenKind::Open => {
                    let head = self.lexer.next()?;
                    match head.kind {
                        TokenKind::Symbol if self.lexer.text_of(head) == "_" => {
                            self.indexed_sort(token.start())?
                        }
                        TokenKind::Symbol | TokenKind::Quoted => {
                            let name = self.intern(head);
                            open.push(OpenSort { head: name, at: token.start(), first: sorts.len() });
                            continue;
                        }
                        _ => return self.unexpected(head, "the name of a sort"),
                    }
                }
                TokenKind::Close => {
                    let Some(OpenSort { head, at, first }) = open.pop() else {
                        return self.unexpected(token, "a sort");
                    };
                    let arguments = sorts.split_off(first);
                    if arguments.is_empty() {
                        return Fault::sort(at, "a sort in parentheses has arguments");
                    }
                    self.resolve_sort(head, &[], &arguments, at)?
                }
                _ => return self.unexpected(token, "a sort"),
            };
            if open.is_empty() {
                return Ok(sort);
            }
            sorts.push(sort);
        }
    }

    /// Reads `(sort…)`.
    pub(super) fn sort_list(&mut self) -> Fallible<Vec<Sort>> {
        self.expect_open("a list of sorts")?;
        let mut sorts = Vec::new();
        while !self.at_close()? {
            sorts.push(self.sort()?);
        }
        Ok(sorts)
    }

    /// The rest of `(_ name index…)`.
    fn indexed_sort(&mut self, at: usize) -> Fallible<Sort> {
        let (name, _) = self.symbol("the name of a sort")?;
        let mut indices = Vec::new();
        while !self.at_close()? {
            indices.push(self.index()?);
        }
        self.resolve_sort(name, &indices, &[], at)
    }

    /// Reads an index: a numeral, a symbol or a literal.
    pub(super) fn index(&mut self) -> Fallible<Index> {
        let token = self.lexer.next()?;
        let text = self.lexer.text_of(token);
        match token.kind {
            TokenKind::Numeral => match text.parse() {
                Ok(number) => Ok(Index::Numeral(number)),
                Err(_) => Ok(Index::Symbol(self.intern(token))),
            },
            TokenKind::Symbol | TokenKind::Quoted | TokenKind::Hexadecimal | TokenKind::Binary => {
                Ok(Index::Symbol(self.intern(token)))
            }
            _ => self.unexpected(token, "an index"),
        }
    }

    fn resolve_sort(
        &mut self,
        name: Symbol,
        indices: &[Index],
        arguments: &[Sort],
        at: usize,
    ) -> Fallible<Sort> {
        let count = arguments.len();
        if indices.is_empty() {
            match self.context.sort_meaning(name) {
                Some(SortMeaning::Parameter(sort)) if count == 0 => return Ok(*sort),
                Some(SortMeaning::Constructor(arity)) if *arity == count => {
                    return Ok(self.context.arena.sorts.intern(name, &[], arguments));
                }
                Some(SortMeaning::Synonym(parameters, meaning)) if parameters.len() == count => {
                    let bindings: Vec<(Sort, Sort)> =
                        parameters.iter().copied().zip(arguments.iter().copied()).collect();
                    let meaning = *meaning;
                    let sorts = &mut self.context.arena.sorts;
                    let bindings: Vec<(Sort, Sort)> =
                        bindings.into_iter().map(|(from, to)| (from, sorts.canonical(to))).collect();
                    let meaning = sorts.instantiate(meaning, &bindings);
                    return Ok(sorts.synonym(name, arguments, meaning));
                }
                Some(_) => return self.wrong_sort_arity(name, count, at),
                None => {}
            }
        }
        self.theory_sort(name, indices, arguments, at)
    }

    fn theory_sort(
        &mut self,
        name: Symbol,
        indices: &[Index],
        arguments: &[Sort],
        at: usize,
    ) -> Fallible<Sort> {
        if name == Symbol::ARROW && indices.is_empty() && arguments.len() >= 2 {
            return Ok(self.arrow_sort(arguments));
        }
        if indices.is_empty()
            && arguments.is_empty()
            && let Some(sort) = Sort::known(name)
        {
            return Ok(sort);
        }
        let arena = &mut self.context.arena;
        if let Some(pattern) = arena.signature.sort_synonym(name)
            && indices.is_empty()
            && arguments.is_empty()
            && let Some(meaning) = pattern.instance(&Bindings::default(), &mut arena.sorts)
        {
            return Ok(arena.sorts.synonym(name, &[], meaning));
        }
        let Some(rule) = arena.signature.sort_rule(name) else {
            return self.unknown_sort(name, at);
        };
        let mut bindings = Bindings::default();
        let names = &arena.names;
        let fits = rule.indices.len() == indices.len()
            && rule.indices.iter().zip(indices).all(|(p, &a)| p.bind(a, |s| names.text(s), &mut bindings))
            // Only the order of a finite field may exceed 32 bits.
            && (name == Symbol::FINITE_FIELD || indices.iter().all(|index| index.numeral().is_some()));
        if !fits || rule.condition.as_ref().is_some_and(|condition| !condition.holds(&bindings)) {
            let shown = self.context.show(name);
            return Fault::sort(at, format!("the indices of the sort {shown} are missing or out of range"));
        }
        if rule.takes(arguments.len()) {
            let collection = match arena.names.text(name) {
                "Relation" => Some(Symbol::SET),
                "Table" => Some(Symbol::BAG),
                _ => None,
            };
            return Ok(match collection.filter(|_| !arguments.is_empty()) {
                Some(collection) => self.collection_of_tuples(name, collection, arguments),
                None => arena.sorts.intern(name, indices, arguments),
            });
        }
        self.wrong_sort_arity(name, arguments.len(), at)
    }

    /// `(Relation A B)` means `(Set (Tuple A B))`, and `(Table A B)` means `(Bag (Tuple A B))`.
    fn collection_of_tuples(&mut self, name: Symbol, collection: Symbol, arguments: &[Sort]) -> Sort {
        let sorts = &mut self.context.arena.sorts;
        let tuple = sorts.intern(Symbol::TUPLE_SORT, &[], arguments);
        let meaning = sorts.intern(collection, &[], &[tuple]);
        sorts.synonym(name, arguments, meaning)
    }

    /// `(-> A (-> B C))` keeps its spelling and means `(-> A B C)`.
    fn arrow_sort(&mut self, arguments: &[Sort]) -> Sort {
        let canonical: Vec<Sort> = arguments.iter().map(|&a| self.context.arena.canonical(a)).collect();
        let (result, parameters) = canonical.split_last().expect("an arrow has two sorts or more");
        let meaning = self.context.arrow(parameters, *result);
        let sorts = &mut self.context.arena.sorts;
        let spelled = sorts.intern(Symbol::ARROW, &[], arguments);
        if sorts.canonical(spelled) == meaning {
            spelled
        } else {
            sorts.synonym(Symbol::ARROW, arguments, meaning)
        }
    }

    fn wrong_sort_arity<T>(&self, name: Symbol, count: usize, at: usize) -> Fallible<T> {
        let arity = match self.context.sort_meaning(name) {
            Some(SortMeaning::Constructor(arity)) => *arity,
            Some(SortMeaning::Synonym(parameters, _)) => parameters.len(),
            Some(SortMeaning::Parameter(_)) => 0,
            None => self.context.arena.signature.sort_rule(name).map_or(0, |rule| rule.arity),
        };
        let shown = self.context.show(name);
        Fault::sort(at, format!("the sort {shown} takes {arity} arguments, not {count}"))
    }

    fn unknown_sort<T>(&self, name: Symbol, at: usize) -> Fallible<T> {
        let context = &self.context;
        let is_sort = |&name: &Symbol| {
            context.sort_meaning(name).is_some() || context.arena.signature.sort_rule(name).is_some()
        };
        let known = context.arena.names.iter().filter(is_sort).map(|name| context.arena.text(name));
        let text = context.arena.text(name);
        let hint = suggest::nearest(text, known, suggest::max_edits(text))
            .map_or(String::new(), |name| format!("; did you mean {name}?"));
        Fault::sort(at, format!("unknown sort {}{hint}", context.show(name)))
    }
}
