//! Binders: `let`, quantifiers and the like, `match`.

use rustc_hash::FxHashSet;

use super::Parser;
use super::term::OpenForm;
use crate::context::Role;
use crate::error::{Fallible, Fault};
use crate::lex::TokenKind;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, CaseRecord, Term, Variable};

impl Parser<'_> {
    /// `(let ((x …` up to its first value.
    pub(super) fn open_let(&mut self, at: usize) -> Fallible<Option<Term>> {
        let variables = self.variables.len() as u32;
        self.push(OpenForm::LetValues { variables }, at);
        self.expect_open("the bindings of a let")?;
        self.next_let_value()?;
        Ok(None)
    }

    /// Continues with the next value of the innermost `let`, or with its body.
    pub(super) fn next_let_value(&mut self) -> Fallible<()> {
        let token = self.lexer.next()?;
        match token.kind {
            TokenKind::Open => {
                let (name, _) = self.symbol("the name of a let variable")?;
                self.variables.push(Variable { name, sort: Sort::UNKNOWN });
                Ok(())
            }
            TokenKind::Close => {
                // The variables come into scope together: no value sees them.
                let frame = self.frames.last_mut().expect("a let is open");
                let OpenForm::LetValues { variables } = frame.form else {
                    unreachable!("the frame is a let's")
                };
                let bound = self.context.bound() as u32;
                frame.form = OpenForm::LetBody { variables, bound };
                for position in variables as usize..self.variables.len() {
                    let Variable { name, sort } = self.variables[position];
                    self.context.bind(name, sort);
                }
                Ok(())
            }
            _ => self.unexpected(token, "( for a binding or ) after the last one"),
        }
    }

    /// `(forall ((x S) …)` up to its body.
    pub(super) fn open_binder(&mut self, binder: Binder, at: usize) -> Fallible<Option<Term>> {
        let (variables, bound) = (self.variables.len() as u32, self.context.bound() as u32);
        self.push(OpenForm::Bind { binder, variables, bound }, at);
        self.binders += 1;
        self.expect_open("the variables of a binder")?;
        while !self.at_close()? {
            let variable = self.sorted_variable()?;
            self.variables.push(variable);
        }
        if self.variables.len() == variables as usize {
            return Fault::sort(at, format!("{} binds no variable", binder.name()));
        }
        for position in variables as usize..self.variables.len() {
            let Variable { name, sort } = self.variables[position];
            let sort = self.context.arena.canonical(sort);
            self.context.bind(name, sort);
        }
        Ok(None)
    }

    /// `(x S)`
    pub(super) fn sorted_variable(&mut self) -> Fallible<Variable> {
        self.expect_open("a variable with its sort")?;
        let (name, _) = self.symbol("the name of a variable")?;
        let sort = self.sort()?;
        self.expect_close("the variable")?;
        Ok(Variable { name, sort })
    }

    /// `(pattern` up to its body, or the parenthesis that ends the cases.
    pub(super) fn next_case(&mut self) -> Fallible<()> {
        if self.at_close()? {
            return Ok(());
        }
        let first = self.frames.last().expect("a match is open").first as usize;
        let matched = self.context.arena.sort_of(self.terms[first]);
        self.expect_open("a case")?;
        let token = self.lexer.next()?;
        let mut names = Vec::new();
        let (constructor, at) = match token.kind {
            TokenKind::Open => {
                let (constructor, at) = self.symbol("a constructor")?;
                while !self.at_close()? {
                    names.push(self.symbol("a variable")?.0);
                }
                (constructor, at)
            }
            TokenKind::Symbol | TokenKind::Quoted => (self.intern(token), token.start()),
            _ => return self.unexpected(token, "a pattern"),
        };
        let case = self.case(constructor, &names, matched, token.kind == TokenKind::Open, at)?;
        self.cases.push(case);
        Ok(())
    }

    /// Binds the variables of a case and returns its record.
    fn case(
        &mut self,
        name: Symbol,
        names: &[Symbol],
        matched: Sort,
        applied: bool,
        at: usize,
    ) -> Fallible<CaseRecord> {
        let mut bindings = Vec::new();
        let constructor = self.context.functions(name).find(|function| {
            let sorts = &self.context.arena.sorts;
            function.role == Role::Constructor && sorts.unify(function.result, matched, &mut bindings)
        });
        let fields = constructor.map(|constructor| self.context.parameters(constructor).to_vec());
        let constructor = constructor.map(|_| name);
        let mut variables = Vec::new();
        match fields {
            Some(fields) => {
                if fields.len() != names.len() {
                    let shown = self.context.show(name);
                    let message =
                        format!("{shown} has {} field(s), the pattern names {}", fields.len(), names.len());
                    return Fault::sort(at, message);
                }
                for (&name, field) in names.iter().zip(fields) {
                    let sort = self.context.arena.sorts.instantiate(field, &bindings);
                    variables.push(Variable { name, sort });
                }
            }
            None if applied => {
                let (shown, sort) = (self.context.show(name), self.context.show_sort(matched));
                return Fault::sort(at, format!("{shown} is not a constructor of {sort}"));
            }
            None => variables.push(Variable { name, sort: matched }),
        }
        for variable in &variables {
            self.context.bind(variable.name, variable.sort);
        }
        let variables = self.context.arena.terms.variables.intern(&variables);
        Ok(CaseRecord { constructor, variables })
    }

    /// The end of a `let`, a quantifier, a `match` or an annotation.
    pub(super) fn close_binder(&mut self, end: usize) -> Fallible<Term> {
        let frame = self.frames.last().expect("a frame is being closed");
        let first = frame.first as usize;
        let parts = &self.terms[first..];
        match frame.form {
            OpenForm::LetBody { variables, bound } => {
                let values = self.variables.len() - variables as usize;
                if parts.len() != values + 1 {
                    return Fault::syntax(end, "a let has one body");
                }
                let term = self.context.arena.let_in(&self.variables[variables as usize..], parts);
                self.variables.truncate(variables as usize);
                self.context.unbind_to(bound as usize);
                Ok(term)
            }
            OpenForm::Bind { binder, variables, bound } => {
                let sort = self.binder_sort(binder, variables as usize, first, end)?;
                let (variables, parts) = (variables as usize, &self.terms[first..]);
                let term = self.context.arena.bind(binder, &self.variables[variables..], parts, sort);
                self.binders -= 1;
                self.variables.truncate(variables);
                self.context.unbind_to(bound as usize);
                Ok(term)
            }
            OpenForm::MatchBody { cases, .. } => self.close_match(cases as usize, first, end),
            OpenForm::Annotated { attributes } => self.close_annotation(attributes as usize, first, end),
            _ => Fault::syntax(end, "this expression ends too early"),
        }
    }

    fn binder_sort(&mut self, binder: Binder, variables: usize, first: usize, end: usize) -> Fallible<Sort> {
        let (parts, count) = (&self.terms[first..], if binder == Binder::Comprehension { 2 } else { 1 });
        if parts.len() != count {
            return Fault::syntax(end, format!("{} has one body after its variables", binder.name()));
        }
        let (body, at) = (parts[0], self.offsets[first] as usize);
        let last = self.context.arena.sort_of(parts[count - 1]);
        if binder != Binder::Lambda {
            self.expect_sort(body, Sort::BOOL, "the body", at)?;
        }
        let canonical = |variable: &Variable| self.context.arena.canonical(variable.sort);
        match binder {
            Binder::Forall | Binder::Exists => Ok(Sort::BOOL),
            // In a model it may be an array or a function, depending on its context.
            Binder::Lambda if self.lenient => Ok(Sort::UNKNOWN),
            Binder::Lambda => {
                let sorts: Vec<Sort> = self.variables[variables..].iter().map(canonical).collect();
                Ok(self.context.arrow(&sorts, last))
            }
            Binder::Choice => Ok(self.variables[variables..].first().map_or(Sort::UNKNOWN, canonical)),
            Binder::Comprehension => {
                let set = self.context.arena.symbol("Set");
                Ok(self.context.arena.sort(set, &[], &[last]))
            }
        }
    }

    fn close_match(&mut self, cases: usize, first: usize, end: usize) -> Fallible<Term> {
        let parts = &self.terms[first..];
        if parts.len() < 2 || parts.len() != self.cases.len() - cases + 1 {
            return Fault::syntax(end, "a match has a term and one or more cases");
        }
        let sort_of = |term: &Term| self.context.arena.sort_of(*term);
        let mut sort = sort_of(&parts[1]);
        for (body, &at) in parts.iter().zip(&self.offsets[first..]).skip(2) {
            match (sort, sort_of(body)) {
                (Sort::UNKNOWN, other) | (Sort::INT, other @ Sort::REAL) => sort = other,
                _ => self.expect_sort(*body, sort, "this case", at as usize)?,
            }
        }
        self.check_coverage(
            sort_of(&parts[0]),
            cases,
            self.frames.last().map_or(0, |frame| frame.at as usize),
        )?;
        let term = self.context.arena.terms.match_(&self.cases[cases..], parts, sort);
        self.binders -= 1;
        self.cases.truncate(cases);
        Ok(term)
    }

    /// Checks that every constructor has a case, or that there is a catch-all case.
    fn check_coverage(&self, matched: Sort, cases: usize, at: usize) -> Fallible<()> {
        let Some(constructors) = self.context.constructors(matched) else {
            let shown = self.context.show_sort(matched);
            return match matched {
                Sort::UNKNOWN => Ok(()),
                _ => Fault::sort(at, format!("match looks at a value of a datatype, not of {shown}")),
            };
        };
        let cases: FxHashSet<Option<Symbol>> =
            self.cases[cases..].iter().map(|case| case.constructor).collect();
        let has_case = |name: &&Symbol| cases.contains(&None) || cases.contains(&Some(**name));
        match constructors.iter().find(|name| !has_case(name)) {
            Some(&missing) => {
                Fault::sort(at, format!("match has no case for {}", self.context.show(missing)))
            }
            None => Ok(()),
        }
    }
}
