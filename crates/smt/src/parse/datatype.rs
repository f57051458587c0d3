//! Datatypes: `(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Parser;
use crate::command::{Command, Constructor, DatatypeDeclaration, DatatypesForm};
use crate::context::{Role, SortMeaning};
use crate::error::{Fallible, Fault};
use crate::lex::TokenKind;
use crate::sort::Sort;
use crate::symbol::Symbol;

impl Parser<'_> {
    /// `(declare-datatype D constructors)`, after its name.
    pub(super) fn declare_datatype(&mut self, form: DatatypesForm) -> Fallible<Command> {
        let (name, at) = self.symbol("the name of a datatype")?;
        // The arity is that of `par`, which comes where the constructors begin.
        let arity = self.count_par()?;
        self.declare_sort_name(name, SortMeaning::Constructor(arity), at)?;
        let declaration = self.datatype(name, arity, at)?;
        self.add_datatypes(form, std::slice::from_ref(&declaration), at)?;
        Ok(Command::DeclareDatatypes(form, [declaration].into()))
    }

    /// The number of parameters of a `par`, if one is next.
    fn count_par(&mut self) -> Fallible<usize> {
        let start = self.lexer.position;
        let mut count = 0;
        if self.lexer.next()?.kind == TokenKind::Open {
            let token = self.lexer.next()?;
            if token.kind == TokenKind::Symbol && self.lexer.text_of(token) == "par" {
                self.expect_open("the parameters")?;
                while !self.at_close()? {
                    self.symbol("a sort parameter")?;
                    count += 1;
                }
            }
        }
        self.lexer.position = start;
        Ok(count)
    }

    /// `(declare-datatypes …)`, after its name; the form before 2.6 begins with sort parameters.
    pub(super) fn declare_datatypes(&mut self, form: DatatypesForm) -> Fallible<Command> {
        let at = self.expect_open("the names of the datatypes")?;
        if self.lexer.peek()?.kind != TokenKind::Open {
            return self.declare_old_datatypes(form, at);
        }
        let mut names = Vec::new();
        while !self.at_close()? {
            self.expect_open("a datatype with its arity")?;
            let (name, at) = self.symbol("the name of a datatype")?;
            let arity = self.numeral("the arity of the datatype")? as usize;
            self.expect_close("the datatype")?;
            self.declare_sort_name(name, SortMeaning::Constructor(arity), at)?;
            names.push((name, arity, at));
        }
        self.expect_open("the datatypes")?;
        let mut declarations = Vec::new();
        for (name, arity, at) in names {
            declarations.push(self.datatype(name, arity, at)?);
        }
        self.expect_close("the datatypes")?;
        self.add_datatypes(form, &declarations, at)?;
        Ok(Command::DeclareDatatypes(form, declarations.into()))
    }

    /// `(par (T…) (constructors…))` or `(constructors…)`
    fn datatype(&mut self, name: Symbol, arity: usize, at: usize) -> Fallible<DatatypeDeclaration> {
        let open = self.lexer.peek()?;
        let has_par = self.count_par()? > 0 || self.is_par()?;
        if !has_par {
            if arity > 0 {
                let shown = self.context.show(name);
                return Fault::sort(
                    open.start(),
                    format!("{shown} has {arity} sort parameters, expected (par …"),
                );
            }
            let constructors = self.constructors()?;
            return Ok(DatatypeDeclaration { name, parameters: Vec::new(), constructors });
        }
        self.lexer.next()?;
        self.lexer.next()?;
        self.expect_open("the sort parameters")?;
        let parameters = self.sort_parameters()?;
        if parameters.is_empty() {
            return Fault::sort(at, "par names no sort parameter");
        }
        if parameters.len() != arity {
            let shown = self.context.show(name);
            let message = format!("{shown} has {arity} sort parameters, par names {}", parameters.len());
            return Fault::sort(at, message);
        }
        let constructors = self.constructors()?;
        self.expect_close("par")?;
        self.forget_parameters(parameters.len());
        Ok(DatatypeDeclaration { name, parameters, constructors })
    }

    fn is_par(&mut self) -> Fallible<bool> {
        let start = self.lexer.position;
        let open = self.lexer.next()?.kind == TokenKind::Open;
        let token = self.lexer.next()?;
        self.lexer.position = start;
        Ok(open && token.kind == TokenKind::Symbol && self.lexer.text_of(token) == "par")
    }

    /// Names up to `)`, each a sort parameter from now on.
    pub(super) fn sort_parameters(&mut self) -> Fallible<Vec<Sort>> {
        let mut parameters = Vec::new();
        while !self.at_close()? {
            let (name, _) = self.symbol("a sort parameter")?;
            let sort = self.context.arena.sorts.parameter(name);
            self.context.add_sort(name, SortMeaning::Parameter(sort));
            parameters.push(sort);
        }
        Ok(parameters)
    }

    /// Ends the scope of so many sort parameters.
    pub(super) fn forget_parameters(&mut self, count: usize) {
        for _ in 0..count {
            self.context.forget_newest_sort();
        }
    }

    /// `((nil) (cons (head T) …) …)`
    fn constructors(&mut self) -> Fallible<Vec<Constructor>> {
        self.expect_open("the constructors")?;
        let mut constructors = Vec::new();
        while !self.at_close()? {
            constructors.push(self.constructor()?);
        }
        Ok(constructors)
    }

    /// `(cons (head T) …)`, or a bare `nil`, which solvers accept.
    fn constructor(&mut self) -> Fallible<Constructor> {
        if self.lexer.peek()?.kind != TokenKind::Open {
            let (name, _) = self.symbol("a constructor")?;
            return Ok(Constructor { name, fields: Vec::new() });
        }
        self.expect_open("a constructor")?;
        let (name, _) = self.symbol("the name of a constructor")?;
        let mut fields = Vec::new();
        while !self.at_close()? {
            self.expect_open("a field")?;
            let (selector, _) = self.symbol("the name of a selector")?;
            let sort = self.sort()?;
            self.expect_close("the field")?;
            fields.push((selector, sort));
        }
        Ok(Constructor { name, fields })
    }

    /// `(declare-datatypes (T…) ((D constructors…)…))`
    fn declare_old_datatypes(&mut self, form: DatatypesForm, at: usize) -> Fallible<Command> {
        let form = match form {
            DatatypesForm::ManyCo => DatatypesForm::OldCo,
            _ => DatatypesForm::Old,
        };
        let start = self.lexer.position;
        let mut arity = 0;
        while !self.at_close()? {
            self.symbol("a sort parameter")?;
            arity += 1;
        }
        let names = self.old_names()?;
        for &(name, at) in &names {
            self.declare_sort_name(name, SortMeaning::Constructor(arity), at)?;
        }
        let after = self.lexer.position;
        self.lexer.position = start;
        let parameters = self.sort_parameters()?;
        self.lexer.position = after;
        for &(name, _) in names.iter().filter(|_| arity > 0) {
            // Inside its own declaration, an old-style datatype is written without its parameters.
            let sort = self.context.arena.sorts.intern(name, &[], &parameters);
            self.context.add_sort(name, SortMeaning::Synonym(Vec::new(), sort));
        }
        self.expect_open("the datatypes")?;
        let mut declarations = Vec::new();
        while !self.at_close()? {
            self.expect_open("a datatype")?;
            let (name, _) = self.symbol("the name of a datatype")?;
            let mut constructors = Vec::new();
            while !self.at_close()? {
                constructors.push(self.constructor()?);
            }
            declarations.push(DatatypeDeclaration { name, parameters: parameters.clone(), constructors });
        }
        self.forget_parameters(parameters.len() + if arity > 0 { names.len() } else { 0 });
        self.add_datatypes(form, &declarations, at)?;
        Ok(Command::DeclareDatatypes(form, declarations.into()))
    }

    /// The names in the `((D constructors…)…)` that is next, which is not consumed.
    fn old_names(&mut self) -> Fallible<Vec<(Symbol, usize)>> {
        let start = self.lexer.position;
        let mut names = Vec::new();
        self.expect_open("the datatypes")?;
        while !self.at_close()? {
            self.expect_open("a datatype")?;
            names.push(self.symbol("the name of a datatype")?);
            self.lexer.skip_open(1)?;
        }
        self.lexer.position = start;
        Ok(names)
    }

    /// Declares constructors, selectors and testers.
    fn add_datatypes(
        &mut self,
        form: DatatypesForm,
        declarations: &[DatatypeDeclaration],
        at: usize,
    ) -> Fallible<()> {
        self.check_datatypes(form, declarations, at)?;
        for declaration in declarations {
            let sort = self.context.arena.sorts.intern(declaration.name, &[], &declaration.parameters);
            for constructor in &declaration.constructors {
                let fields: Vec<Sort> = constructor.fields.iter().map(|&(_, sort)| sort).collect();
                self.declare(constructor.name, Role::Constructor, &fields, sort, at)?;
                for &(selector, field) in &constructor.fields {
                    self.declare(selector, Role::Selector, &[sort], field, at)?;
                }
                let tester = format!("is-{}", self.context.arena.text(constructor.name));
                let tester = self.context.arena.symbol(&tester);
                self.context.add_function(tester, Role::Tester, &[sort], Sort::BOOL);
            }
            let names = declaration.constructors.iter().map(|constructor| constructor.name).collect();
            self.context.add_constructors(declaration.name, names);
        }
        Ok(())
    }

    /// Checks that every datatype has constructors with distinct names, and a finite value.
    fn check_datatypes(
        &self,
        form: DatatypesForm,
        declarations: &[DatatypeDeclaration],
        at: usize,
    ) -> Fallible<()> {
        for declaration in declarations {
            let shown = self.context.show(declaration.name);
            if declaration.constructors.is_empty() {
                return Fault::sort(at, format!("the datatype {shown} has no constructors"));
            }
            let selectors =
                declaration.constructors.iter().flat_map(|c| c.fields.iter().map(|field| field.0));
            let constructors = declaration.constructors.iter().map(|constructor| constructor.name);
            if let Some(twice) = repeated(selectors).or_else(|| repeated(constructors)) {
                let name = self.context.show(twice);
                return Fault::sort(at, format!("{name} is named twice in the datatype {shown}"));
            }
        }
        // A codatatype may have only infinite values.
        let is_co = matches!(form, DatatypesForm::SingleCo | DatatypesForm::ManyCo | DatatypesForm::OldCo);
        match self.endless(declarations).filter(|_| !is_co) {
            Some(name) => {
                let shown = self.context.show(name);
                Fault::sort(at, format!("the datatype {shown} has no finite value"))
            }
            None => Ok(()),
        }
    }

    /// A datatype without finite values.
    /// A constructor waits for the datatypes in its fields; one that waits for none makes its datatype finite, which
    /// other constructors may wait for. Each pair of a constructor and a datatype is processed once.
    fn endless(&self, declarations: &[DatatypeDeclaration]) -> Option<Symbol> {
        let names: FxHashSet<Symbol> = declarations.iter().map(|declaration| declaration.name).collect();
        let mut waiting: FxHashMap<Symbol, Vec<(Symbol, usize)>> = FxHashMap::default();
        let mut counts: FxHashMap<(Symbol, usize), usize> = FxHashMap::default();
        let mut finite = FxHashSet::default();
        let mut open = Vec::new();
        for declaration in declarations {
            for (position, constructor) in declaration.constructors.iter().enumerate() {
                let held = self.datatypes_in(constructor, &names);
                let key = (declaration.name, position);
                if held.is_empty() && finite.insert(declaration.name) {
                    open.push(declaration.name);
                }
                counts.insert(key, held.len());
                held.into_iter().for_each(|name| waiting.entry(name).or_default().push(key));
            }
        }
        while let Some(name) = open.pop() {
            for key in waiting.remove(&name).unwrap_or_default() {
                let count = counts.get_mut(&key).expect("every constructor is counted");
                *count -= 1;
                if *count == 0 && finite.insert(key.0) {
                    open.push(key.0);
                }
            }
        }
        declarations.iter().map(|declaration| declaration.name).find(|name| !finite.contains(name))
    }

    /// Which of the named datatypes occur in the fields of a constructor.
    fn datatypes_in(&self, constructor: &Constructor, names: &FxHashSet<Symbol>) -> FxHashSet<Symbol> {
        let sorts = &self.context.arena.sorts;
        let mut seen = FxHashSet::default();
        let mut open: Vec<Sort> = constructor.fields.iter().map(|&(_, sort)| sorts.canonical(sort)).collect();
        let mut found = FxHashSet::default();
        while let Some(sort) = open.pop() {
            if seen.insert(sort) {
                let view = sorts.view(sort);
                found.extend(names.contains(&view.head).then_some(view.head));
                open.extend_from_slice(view.arguments);
            }
        }
        found
    }
}

/// A name that occurs twice.
fn repeated(mut names: impl Iterator<Item = Symbol>) -> Option<Symbol> {
    let mut seen = FxHashSet::default();
    names.find(|&name| !seen.insert(name))
}
