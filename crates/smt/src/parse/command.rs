//! Commands: from their names to the functions that read them. `theories/commands.txt` lists all of them.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Parser;
use crate::command::{Command, DatatypesForm, Definition, Word};
use crate::command_table::CommandShape;
use crate::context::{Role, SortMeaning};
use crate::error::{Fallible, Fault};
use crate::lex::TokenKind;
use crate::logic::Features;
use crate::sort::Sort;
use crate::suggest;
use crate::symbol::Symbol;
use crate::term::{Term, Variable};

impl Parser<'_> {
    /// Reads a command whose parenthesis at `at` has been read.
    pub(super) fn command(&mut self, at: usize) -> Fallible<Command> {
        let token = self.lexer.next()?;
        let name = match token.kind {
            TokenKind::Symbol | TokenKind::Quoted => self.lexer.text_of(token),
            _ => return self.unexpected(token, "the name of a command"),
        };
        let command = match name {
            "assert" | "rule" | "assert-soft" | "minimize" | "maximize" | "simplify" | "eval" | "get-qe"
            | "get-qe-disjunct" | "query" => return self.term_command(name),
            "check-sat-assuming" => self.terms_command(Word::CheckSatAssuming),
            "get-timeout-core-assuming" => self.terms_command(Word::GetTimeoutCoreAssuming),
            "get-value" => self.terms_command(Word::GetValue),
            "block-model-values" => self.terms_command(Word::BlockModelValues),
            "declare-fun" => self.declare_fun(),
            "declare-const" => self.declare_const(Word::DeclareConst),
            "declare-var" => self.declare_const(Word::DeclareVar),
            "declare-rel" => self.declare_rel(),
            "define-fun" => self.define_fun(Word::DefineFun),
            "define-fun-rec" => self.define_fun(Word::DefineFunRec),
            "define-const" => self.define_const(),
            "define-funs-rec" => self.define_funs_rec(),
            "declare-sort" => self.declare_sort(),
            "define-sort" => self.define_sort(),
            "declare-sort-parameter" => self.declare_sort_parameter(Word::DeclareSortParameter),
            "declare-type-var" => self.declare_sort_parameter(Word::DeclareTypeVar),
            "declare-datatype" => self.declare_datatype(DatatypesForm::Single),
            "declare-codatatype" => self.declare_datatype(DatatypesForm::SingleCo),
            "declare-datatypes" => self.declare_datatypes(DatatypesForm::Many),
            "declare-codatatypes" => self.declare_datatypes(DatatypesForm::ManyCo),
            "set-logic" => self.set_logic(),
            "set-info" => {
                self.expect_keyword()?;
                return self.plain(name);
            }
            "set-option" => {
                self.expect_keyword()?;
                return self.set_option();
            }
            "push" => self.push_levels(),
            "pop" => self.pop_levels(at),
            "reset" => {
                self.context.reset();
                Ok(Command::Reset)
            }
            "reset-assertions" => {
                self.context.reset_assertions();
                Ok(Command::ResetAssertions)
            }
            "check-sat" if self.lexer.peek()?.kind == TokenKind::Close => Ok(Command::CheckSat),
            "exit" => return self.exit(),
            _ if self.shape(name) == Some(CommandShape::Bare) => {
                Ok(Command::Plain(self.intern(token), Symbol::EMPTY))
            }
            "get-info" | "get-option" => {
                self.expect_keyword()?;
                return self.plain(name);
            }
            "echo" if self.lexer.peek()?.kind != TokenKind::String => {
                let token = self.lexer.next()?;
                return self.unexpected(token, "a string");
            }
            // `check-sat` with arguments is z3's.
            "check-sat" => return self.plain(name),
            _ if self.shape(name) == Some(CommandShape::Text) => return self.plain(name),
            _ => return self.unknown_command(name, at),
        };
        let command = command?;
        self.expect_close(name)?;
        Ok(command)
    }

    fn shape(&self, name: &str) -> Option<CommandShape> {
        self.context.arena.signature.commands.shape(name)
    }

    /// A command of some solver, carried as text, unless it looks like a misspelling.
    fn unknown_command(&mut self, name: &str, at: usize) -> Fallible<Command> {
        let known = self.context.arena.signature.commands.names();
        if let Some(meant) = suggest::nearest(name, known, suggest::max_edits(name)) {
            return Fault::sort(at, format!("unknown command {name}; did you mean {meant}?"));
        }
        self.lexer.skip_open(1)?;
        Ok(Command::Opaque(self.intern_from(at)))
    }

    /// Fails if the next token is not a keyword; does not consume it.
    fn expect_keyword(&mut self) -> Fallible<()> {
        let token = self.lexer.peek()?;
        match token.kind {
            TokenKind::Keyword => Ok(()),
            _ => self.unexpected(token, "a keyword"),
        }
    }

    /// A command without sorts or terms: its text up to the closing parenthesis is kept.
    fn plain(&mut self, name: &str) -> Fallible<Command> {
        let start = self.lexer.peek()?.start();
        let end = self.lexer.skip_open(1)? - 1;
        let text = self.lexer.text[start..end].trim_end();
        let names = &mut self.context.arena.names;
        Ok(Command::Plain(names.intern(name), names.intern(text)))
    }

    /// `(exit)`; solvers ignore the text after it, which is kept verbatim.
    fn exit(&mut self) -> Fallible<Command> {
        self.expect_close("the command exit")?;
        let rest = self.lexer.peek()?;
        if rest.kind != TokenKind::End {
            let text = self.lexer.text[rest.start()..].trim_end();
            let text = self.context.arena.names.intern(text);
            self.commands.push(Command::Exit);
            self.lexer.position = self.lexer.text.len();
            return Ok(Command::Unreached(text));
        }
        Ok(Command::Exit)
    }

    fn set_logic(&mut self) -> Fallible<Command> {
        let (logic, at) = self.symbol("the name of a logic")?;
        if std::mem::replace(&mut self.context.has_logic, true) {
            return Fault::sort(at, "the logic is already set");
        }
        let name = self.context.arena.text(logic);
        self.context.higher_order = name.starts_with("HO_");
        let features = Features::of_name(name).unwrap_or(Features::ALL);
        let only_reals = features.reals && !features.integers;
        self.context.numeral = if only_reals { Sort::REAL } else { Sort::INT };
        self.context.arena.has_int_numerals &= !only_reals;
        self.context.logic = features;
        Ok(Command::SetLogic(logic))
    }

    fn set_option(&mut self) -> Fallible<Command> {
        let mut ahead = self.lexer.clone();
        let keyword = ahead.next()?;
        let value = ahead.next()?;
        if value.kind == TokenKind::Close {
            return self.unexpected(value, "the value of the option");
        }
        if ahead.text_of(keyword) == ":global-declarations" {
            self.context.global_declarations = ahead.text_of(value) == "true";
        }
        self.plain("set-option")
    }

    /// `(assert t)`, or `(minimize t …)` and the like, which may have options after the term.
    fn term_command(&mut self, name: &str) -> Fallible<Command> {
        let (word, is_boolean) = match name {
            "assert" => (Word::Assert, true),
            "rule" => (Word::Rule, true),
            "query" => return self.query(),
            "assert-soft" => (Word::AssertSoft, true),
            "get-qe" => (Word::GetQe, true),
            "get-qe-disjunct" => (Word::GetQeDisjunct, true),
            "minimize" => (Word::Minimize, false),
            "maximize" => (Word::Maximize, false),
            "eval" => (Word::Eval, false),
            _ => (Word::Simplify, false),
        };
        let term = match is_boolean {
            true => self.boolean(name)?,
            false => self.term()?,
        };
        if word == Word::Assert {
            self.expect_close("the command assert")?;
            return Ok(Command::Term(word, term, None));
        }
        let options = self.options()?;
        Ok(Command::Term(word, term, options))
    }

    /// A term, or the bare name of a function: solvers show its value, or query it as a relation.
    fn value_term(&mut self) -> Fallible<Term> {
        let higher_order = std::mem::replace(&mut self.context.higher_order, true);
        let term = self.term();
        self.context.higher_order = higher_order;
        term
    }

    fn query(&mut self) -> Fallible<Command> {
        let term = self.value_term()?;
        Ok(Command::Term(Word::Query, term, self.options()?))
    }

    /// The text after a command's term.
    fn options(&mut self) -> Fallible<Option<Symbol>> {
        let start = self.lexer.peek()?.start();
        let end = self.lexer.skip_open(1)? - 1;
        let text = self.lexer.text[start..end].trim_end();
        Ok((!text.is_empty()).then(|| self.context.arena.names.intern(text)))
    }

    fn terms_command(&mut self, word: Word) -> Fallible<Command> {
        self.expect_open("a list of terms")?;
        let mut terms = Vec::new();
        while !self.at_close()? {
            terms.push(match word {
                Word::CheckSatAssuming | Word::GetTimeoutCoreAssuming => self.boolean("an assumption")?,
                _ => self.value_term()?,
            });
        }
        if terms.is_empty() && word == Word::GetValue {
            return self.unexpected(self.lexer.clone().next()?, "a term before the end of the list");
        }
        Ok(Command::Terms(word, terms.into()))
    }

    fn declare_fun(&mut self) -> Fallible<Command> {
        let (name, at) = self.symbol("the name of a function")?;
        let parameters = self.sort_list()?;
        let result = self.sort()?;
        self.declare(name, Role::Declared, &parameters, result, at)?;
        let parameters = if parameters.is_empty() { Arc::default() } else { parameters.into() };
        Ok(Command::Declare(Word::DeclareFun, name, parameters, result))
    }

    fn declare_const(&mut self, word: Word) -> Fallible<Command> {
        let (name, at) = self.symbol("the name of a constant")?;
        let sort = self.sort()?;
        self.declare(name, Role::Declared, &[], sort, at)?;
        Ok(Command::Declare(word, name, Arc::default(), sort))
    }

    fn declare_rel(&mut self) -> Fallible<Command> {
        let (name, at) = self.symbol("the name of a relation")?;
        let parameters = self.sort_list()?;
        // z3 accepts names of table representations after the sorts; they do not affect the meaning.
        while self.lexer.peek()?.kind == TokenKind::Symbol {
            self.lexer.next()?;
        }
        self.declare(name, Role::Declared, &parameters, Sort::BOOL, at)?;
        Ok(Command::Declare(Word::DeclareRel, name, parameters.into(), Sort::BOOL))
    }

    fn define_fun(&mut self, word: Word) -> Fallible<Command> {
        let at = self.lexer.peek()?.start();
        let (name, parameters, result) = self.declaration()?;
        self.check_parameters(&parameters, at)?;
        if word == Word::DefineFunRec {
            self.declare_defined(name, &parameters, result, at)?;
        }
        let definition = self.definition(name, parameters, result)?;
        if word == Word::DefineFun {
            self.declare_defined(name, &definition.parameters, result, at)?;
        }
        Ok(Command::Define(word, Arc::new(definition)))
    }

    fn define_const(&mut self) -> Fallible<Command> {
        let (name, at) = self.symbol("the name of a constant")?;
        let result = self.sort()?;
        let definition = self.definition(name, Vec::new(), result)?;
        self.declare_defined(name, &[], result, at)?;
        Ok(Command::Define(Word::DefineConst, Arc::new(definition)))
    }

    fn define_funs_rec(&mut self) -> Fallible<Command> {
        self.expect_open("the declarations")?;
        let mut declarations = Vec::new();
        while !self.at_close()? {
            let at = self.expect_open("a declaration")?;
            let (name, parameters, result) = self.declaration()?;
            self.expect_close("the declaration")?;
            self.declare_defined(name, &parameters, result, at)?;
            declarations.push((name, parameters, result));
        }
        self.expect_open("the bodies")?;
        let mut definitions = Vec::new();
        for (name, parameters, result) in declarations {
            definitions.push(self.definition(name, parameters, result)?);
        }
        self.expect_close("the bodies")?;
        Ok(Command::DefineFunsRec(definitions.into()))
    }

    /// `f ((x S)…) S`
    pub(super) fn declaration(&mut self) -> Fallible<(Symbol, Vec<Variable>, Sort)> {
        let (name, _) = self.symbol("the name of a function")?;
        self.expect_open("the parameters")?;
        let mut parameters = Vec::new();
        while !self.at_close()? {
            parameters.push(self.sorted_variable()?);
        }
        Ok((name, parameters, self.sort()?))
    }

    fn check_parameters(&self, parameters: &[Variable], at: usize) -> Fallible<()> {
        let mut seen = FxHashSet::default();
        for parameter in parameters {
            if !seen.insert(parameter) {
                let shown = self.context.show(parameter.name);
                return Fault::sort(at, format!("the parameter {shown} is named twice"));
            }
        }
        Ok(())
    }

    /// Reads a body in the scope of its parameters.
    fn definition(&mut self, name: Symbol, parameters: Vec<Variable>, result: Sort) -> Fallible<Definition> {
        let bound = self.context.bound();
        for parameter in &parameters {
            let sort = self.context.arena.canonical(parameter.sort);
            self.context.bind(parameter.name, sort);
        }
        let at = self.lexer.peek()?.start();
        self.in_definition = !parameters.is_empty();
        let body = self.term()?;
        self.in_definition = false;
        self.expect_exact_sort(body, self.context.arena.canonical(result), "the body", at)?;
        self.context.unbind_to(bound);
        Ok(Definition { name, parameters: parameters.into(), result, body })
    }

    fn declare_defined(
        &mut self,
        name: Symbol,
        parameters: &[Variable],
        result: Sort,
        at: usize,
    ) -> Fallible<()> {
        let sorts: Vec<Sort> = parameters.iter().map(|parameter| parameter.sort).collect();
        self.declare(name, Role::Declared, &sorts, result, at)
    }

    /// Declares a function; it may overload functions with other parameter sorts.
    pub(super) fn declare(
        &mut self,
        name: Symbol,
        role: Role,
        parameters: &[Sort],
        result: Sort,
        at: usize,
    ) -> Fallible<()> {
        let canonical: Vec<Sort> =
            parameters.iter().map(|&sort| self.context.arena.canonical(sort)).collect();
        let canonical_result = self.context.arena.canonical(result);
        let repeats = self.context.has_rank(name, &canonical, canonical_result);
        if repeats || role == Role::Declared && self.is_theory_function(name, &canonical) {
            return Fault::sort(at, format!("{} is already declared", self.context.show(name)));
        }
        self.context.add_function(name, role, parameters, result);
        Ok(())
    }

    /// Returns true if the standard theories of the logic have a function of this name and these parameters.
    pub(super) fn is_theory_function(&mut self, name: Symbol, parameters: &[Sort]) -> bool {
        self.context.is_theory_function(name, parameters)
    }

    fn declare_sort(&mut self) -> Fallible<Command> {
        let (name, at) = self.symbol("the name of a sort")?;
        // z3 and cvc5 read a missing arity as zero.
        let arity = if self.lexer.peek()?.kind == TokenKind::Close {
            0
        } else {
            self.numeral("the arity of the sort")?
        };
        self.declare_sort_name(name, SortMeaning::Constructor(arity as usize), at)?;
        Ok(Command::DeclareSort(name, arity))
    }

    fn define_sort(&mut self) -> Fallible<Command> {
        let (name, at) = self.symbol("the name of a sort")?;
        self.expect_open("the sort parameters")?;
        let parameters = self.sort_parameters()?;
        let meaning = self.sort()?;
        self.forget_parameters(parameters.len());
        self.declare_sort_name(name, SortMeaning::Synonym(parameters.clone(), meaning), at)?;
        Ok(Command::DefineSort(name, parameters.into(), meaning))
    }

    fn declare_sort_parameter(&mut self, word: Word) -> Fallible<Command> {
        let (name, at) = self.symbol("the name of a sort parameter")?;
        let sort = self.context.arena.sorts.parameter(name);
        self.declare_sort_name(name, SortMeaning::Parameter(sort), at)?;
        Ok(Command::DeclareSortParameter(word, name))
    }

    /// Declares a sort name, once.
    pub(super) fn declare_sort_name(
        &mut self,
        name: Symbol,
        meaning: SortMeaning,
        at: usize,
    ) -> Fallible<()> {
        let signature = &self.context.arena.signature;
        let is_synonym = signature.sort_synonym(name).is_some() && self.context.logic.floats;
        let is_theory_sort = name == Symbol::BOOL
            || is_synonym
            || signature.standard_sort(name).is_some_and(|theory| self.context.logic.has_theory(theory));
        if is_theory_sort || self.context.sort_meaning(name).is_some() {
            return Fault::sort(at, format!("the sort {} is already declared", self.context.show(name)));
        }
        self.context.add_sort(name, meaning);
        Ok(())
    }

    fn levels(&mut self) -> Fallible<Option<u32>> {
        if self.lexer.peek()?.kind == TokenKind::Close {
            return Ok(None);
        }
        self.numeral("a number of levels").map(Some)
    }

    fn push_levels(&mut self) -> Fallible<Command> {
        let levels = self.levels()?;
        self.context.push(levels.unwrap_or(1));
        Ok(Command::Push(levels))
    }

    fn pop_levels(&mut self, at: usize) -> Fallible<Command> {
        let levels = self.levels()?;
        match self.context.pop(levels.unwrap_or(1)) {
            true => Ok(Command::Pop(levels)),
            false => Fault::sort(at, "this pops more levels than are pushed"),
        }
    }
}
