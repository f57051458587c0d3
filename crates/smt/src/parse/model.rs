//! Reads models: a list of definitions, in the context of a script.
//!
//! The definitions are declared first, so that each may use any other; then their bodies are read. An error in one of them
//! stays with it; only unbalanced parentheses spoil the whole model.

use std::sync::Arc;

use super::Parser;
use crate::arena::Arena;
use crate::context::{Context, Role, SortMeaning};
use crate::error::{Error, Fallible, Fault};
use crate::lex::{Lexer, TokenKind};
use crate::model::{IgnoreReason, is_interpreted};
use crate::sort::Sort;
use crate::sort_check::is_coercible;
use crate::symbol::Symbol;
use crate::term::{Term, Variable};

/// How cvc5's names of repeated trees begin: `cbv_S_0` is a tree of sort `S`.
pub(crate) const CODATA_NAME: &str = "cbv_";

/// One item of a model.
pub(crate) enum ModelItem {
    /// A definition, with its body or an error.
    Define { name: Symbol, parameters: Vec<Variable>, result: Sort, body: Result<Term, String> },
    /// A constant that the model declares: an element of an uninterpreted sort.
    Element { name: Symbol, sort: Sort },
    /// `(forall ((x U)) (or (= x e) …))`: z3's description of a universe.
    Universe { sort: Sort },
    /// A declaration that has no effect.
    Ignored { name: Symbol, reason: IgnoreReason },
    /// `(= name value)` of yices, or `(= (f arguments…) value)`.
    Equation { name: Symbol, arguments: Vec<Term>, value: Term },
    /// `(function name (type …) (= (name arguments…) value)… (default value))` of yices.
    Function { name: Symbol, points: Vec<(Vec<Term>, Term)>, default: Option<Term> },
    /// `(heap formula (= (as sep.nil S) location))` of cvc5.
    Heap { formula: Term, nil: Term },
}

/// A definition whose body is still to be read.
struct PendingDefinition {
    name: Symbol,
    parameters: Vec<Variable>,
    result: Sort,
    body: usize,
}

/// Reads the items of a model; the context must contain the script's declarations. Returns the arena with their terms.
pub(crate) fn items(text: &str, context: Context) -> Result<(Vec<ModelItem>, Arena), Error> {
    let mut parser = Parser::with_context(text, context);
    parser.lenient = true;
    match parser.model() {
        Ok(items) => Ok((items, parser.context.arena)),
        Err(fault) => Err(fault.locate(text)),
    }
}

/// Reads the sorts of locations and data, the argument `(L D)` of `declare-heap`; canonical.
pub(crate) fn heap_sorts(text: &str, context: &mut Context) -> Option<(Sort, Sort)> {
    let arena = Arena::new(&context.arena.signature);
    let mut parser = Parser::with_context(text, std::mem::replace(context, Context::new(arena)));
    let mut sorts = || -> Fallible<(Sort, Sort)> {
        parser.expect_open("the sorts of the heap")?;
        let sorts = (parser.sort()?, parser.sort()?);
        parser.expect_close("the sorts of the heap")?;
        Ok(sorts)
    };
    let read = sorts().ok();
    *context = parser.context;
    read.map(|(location, data)| (context.arena.canonical(location), context.arena.canonical(data)))
}

impl Parser<'_> {
    fn model(&mut self) -> Fallible<Vec<ModelItem>> {
        let starts = self.item_starts()?;
        let mut pending = Vec::new();
        let mut items = Vec::new();
        for &start in &starts {
            self.lexer.position = start;
            self.declare_item(&mut pending, &mut items)?;
        }
        for definition in pending {
            let item = self.define(definition);
            items.push(item);
        }
        for start in starts {
            self.lexer.position = start;
            if let Ok(Some(item)) = self.other_item() {
                items.push(item);
            }
            self.forget_frames();
        }
        // After the universes: an element that is not declared is in none of them.
        items.extend(self.elements.drain(..).map(|(name, sort)| ModelItem::Element { name, sort }));
        Ok(items)
    }

    /// The offsets of the items, each just after its parenthesis.
    fn item_starts(&mut self) -> Fallible<Vec<usize>> {
        let mut starts = Vec::new();
        let mut depth = 0;
        let (mut found, mut message) = (false, "there is no model in this text");
        loop {
            let token = self.lexer.next()?;
            match token.kind {
                TokenKind::Open => {
                    let next = self.lexer.peek()?;
                    let word = self.lexer.text_of(next);
                    if depth == 0
                        && (matches!(next.kind, TokenKind::Open | TokenKind::Close) || word == "model")
                    {
                        (depth, found) = (1, true);
                        self.lexer.position +=
                            if word == "model" { next.end() - self.lexer.position } else { 0 };
                        continue;
                    }
                    if depth == 0 && word == "error" {
                        // A model may still follow, as after z3's own "an invalid model was generated".
                        message = "the solver answered with an error instead of a model";
                        self.lexer.skip_open(1)?;
                        continue;
                    }
                    found = true;
                    starts.push(self.lexer.position);
                    self.lexer.skip_open(1)?;
                }
                TokenKind::Close if depth == 1 => depth = 0,
                TokenKind::Close => return Fault::syntax(token.start(), "a closing parenthesis too many"),
                TokenKind::End if depth == 1 => {
                    return Fault::syntax(token.start(), "the model is not complete");
                }
                TokenKind::End if !found => return Fault::syntax(token.start(), message),
                TokenKind::End => return Ok(starts),
                _ => {}
            }
        }
    }

    /// Declares the name of an item.
    fn declare_item(
        &mut self,
        pending: &mut Vec<PendingDefinition>,
        items: &mut Vec<ModelItem>,
    ) -> Fallible<()> {
        let token = self.lexer.next()?;
        let result = match self.lexer.text_of(token) {
            "define-fun" | "define-fun-rec" => self.declare_definition(pending),
            "define-const" => self.declare_constant(pending),
            "define-funs-rec" => self.declare_definitions(pending),
            "declare-fun" | "declare-const" => self.declare_element(items),
            "declare-sort" => self.declare_new_sort(items),
            "declare-datatypes" | "declare-datatype" => self.declare_elements(items),
            "forall" => self.universe(items),
            _ => Ok(()),
        };
        // A definition that cannot be declared is missing where it is used.
        if result.is_err() {
            self.forget_frames();
        }
        Ok(())
    }

    fn declare_definition(&mut self, pending: &mut Vec<PendingDefinition>) -> Fallible<()> {
        let (name, parameters, result) = self.declaration()?;
        self.add_pending(name, parameters, result, pending);
        Ok(())
    }

    fn declare_constant(&mut self, pending: &mut Vec<PendingDefinition>) -> Fallible<()> {
        let (name, _) = self.symbol("the name of a constant")?;
        let result = self.sort()?;
        self.add_pending(name, Vec::new(), result, pending);
        Ok(())
    }

    fn add_pending(
        &mut self,
        name: Symbol,
        parameters: Vec<Variable>,
        result: Sort,
        pending: &mut Vec<PendingDefinition>,
    ) {
        let canonical: Vec<Sort> = parameters.iter().map(|p| self.context.arena.canonical(p.sort)).collect();
        let canonical_result = self.context.arena.canonical(result);
        if self.is_free(name) && !self.context.has_rank(name, &canonical, canonical_result) {
            self.context.add_function(name, Role::Auxiliary, &canonical, canonical_result);
        }
        pending.push(PendingDefinition {
            name,
            parameters,
            result: canonical_result,
            body: self.lexer.position,
        });
    }

    /// Returns true if neither the script nor a theory has the name. A definition of any other name must not change how
    /// the rest of the model is read.
    fn is_free(&self, name: Symbol) -> bool {
        match self.context.function(name) {
            Some(function) => function.role == Role::Auxiliary,
            None => !self.context.arena.signature.is_operator(name),
        }
    }

    fn declare_definitions(&mut self, pending: &mut Vec<PendingDefinition>) -> Fallible<()> {
        self.expect_open("the declarations")?;
        let first = pending.len();
        while !self.at_close()? {
            self.expect_open("a declaration")?;
            self.declare_definition(pending)?;
            self.expect_close("the declaration")?;
        }
        self.expect_open("the bodies")?;
        for definition in &mut pending[first..] {
            definition.body = self.lexer.position;
            self.verbatim()?;
        }
        Ok(())
    }

    fn declare_element(&mut self, items: &mut Vec<ModelItem>) -> Fallible<()> {
        let (name, _) = self.symbol("a name")?;
        if self.lexer.peek()?.kind == TokenKind::Open {
            let ahead = self.lexer.position;
            if !self.sort_list().is_ok_and(|sorts| sorts.is_empty()) {
                self.lexer.position = ahead;
            }
        }
        let sort = self.sort()?;
        self.add_element(name, sort, items);
        Ok(())
    }

    fn add_element(&mut self, name: Symbol, sort: Sort, items: &mut Vec<ModelItem>) {
        let sort = self.context.arena.canonical(sort);
        if self.context.function(name).is_some() {
            return;
        }
        if is_interpreted(&self.context.arena, name) {
            items.push(ModelItem::Ignored { name, reason: IgnoreReason::TheoryOperator });
            return;
        }
        self.context.add_function(name, Role::Auxiliary, &[], sort);
        items.push(ModelItem::Element { name, sort });
    }

    /// `(declare-sort U 0)` of a sort that the script does not declare.
    fn declare_new_sort(&mut self, items: &mut Vec<ModelItem>) -> Fallible<()> {
        let (name, _) = self.symbol("the name of a sort")?;
        let arity = self.numeral("the arity of the sort")?;
        if self.context.arena.signature.is_sort(name) {
            items.push(ModelItem::Ignored { name, reason: IgnoreReason::TheorySort });
        } else if self.context.sort_meaning(name).is_none() {
            self.context.add_sort(name, SortMeaning::Constructor(arity as usize));
        }
        Ok(())
    }

    /// `(declare-datatypes ((U 0)) (((U!val!0) (U!val!1))))`: a universe, for a sort that is no datatype of the script.
    fn declare_elements(&mut self, items: &mut Vec<ModelItem>) -> Fallible<()> {
        let mut lexer = Lexer::new(self.lexer.text);
        lexer.position = self.lexer.position;
        let mut names = Vec::new();
        let end = lexer.clone().skip_open(1)?;
        while lexer.position < end {
            let token = lexer.next()?;
            if matches!(token.kind, TokenKind::Symbol | TokenKind::Quoted) {
                names.push(self.intern(token));
            }
        }
        let Some((&sort, elements)) = names.split_first() else { return Ok(()) };
        if self.context.sort_meaning(sort).is_none() {
            return Ok(());
        }
        let sort = self.context.arena.sort(sort, &[], &[]);
        if self.context.constructors(sort).is_some() {
            return Ok(());
        }
        for &name in elements {
            self.add_element(name, sort, items);
        }
        items.push(ModelItem::Universe { sort });
        Ok(())
    }

    fn universe(&mut self, items: &mut Vec<ModelItem>) -> Fallible<()> {
        self.expect_open("the variable")?;
        let variable = self.sorted_variable()?;
        let sort = self.context.arena.canonical(variable.sort);
        items.push(ModelItem::Universe { sort });
        Ok(())
    }

    /// Reads a body in the scope of its parameters.
    fn define(&mut self, definition: PendingDefinition) -> ModelItem {
        let PendingDefinition { name, parameters, result, body } = definition;
        self.lexer.position = body;
        let bound = self.context.bound();
        for parameter in &parameters {
            let sort = self.context.arena.canonical(parameter.sort);
            self.context.bind(parameter.name, sort);
        }
        let read = self.term();
        self.forget_frames();
        self.context.unbind_to(bound);
        let body = match read {
            Ok(body) if self.fits(body, result) => Ok(body),
            Ok(body) => {
                let sort = self.context.show_sort(self.context.arena.sort_of(body));
                let wanted = self.context.show_sort(result);
                Err(format!(
                    "the model gives {} a value of sort {sort}, not {wanted}",
                    self.context.show(name)
                ))
            }
            Err(fault) => {
                Err(format!("the model's value of {} is wrong: {}", self.context.show(name), fault.message))
            }
        };
        ModelItem::Define { name, parameters, result, body }
    }

    /// Returns true if a body has the expected sort; a function may stand for an array.
    fn fits(&self, body: Term, wanted: Sort) -> bool {
        let arena = &self.context.arena;
        let sort = arena.sort_of(body);
        let (view, wanted_view) = (arena.view_sort(sort), arena.view_sort(wanted));
        sort == wanted
            || is_coercible(sort, wanted)
            || arena.sorts.has_unknown(sort)
            || (view.head, wanted_view.head) == (Symbol::ARROW, Symbol::ARRAY)
            || arena.sorts.can_be(sort, wanted)
    }

    /// `(= x 5)` and `(function …)` of yices, `(heap …)` of cvc5.
    fn other_item(&mut self) -> Fallible<Option<ModelItem>> {
        let token = self.lexer.next()?;
        match self.lexer.text_of(token) {
            "=" => {
                let (name, arguments, value) = self.equation()?;
                Ok(Some(ModelItem::Equation { name, arguments, value }))
            }
            "function" => self.function_table().map(Some),
            "heap" => {
                let (formula, nil) = (self.term()?, self.term()?);
                self.expect_close("the heap")?;
                Ok(Some(ModelItem::Heap { formula, nil }))
            }
            _ => Ok(None),
        }
    }

    /// `name value)` or `(f arguments…) value)`
    fn equation(&mut self) -> Fallible<(Symbol, Vec<Term>, Term)> {
        let mut arguments = Vec::new();
        let name = if self.accept(b'(') {
            let (name, _) = self.symbol("the name of a function")?;
            while !self.at_close()? {
                arguments.push(self.term()?);
            }
            name
        } else {
            self.symbol("the name of a constant")?.0
        };
        let value = self.term()?;
        self.expect_close("the equation")?;
        Ok((name, arguments, value))
    }

    fn function_table(&mut self) -> Fallible<ModelItem> {
        let (name, _) = self.symbol("the name of a function")?;
        let (mut points, mut default) = (Vec::new(), None);
        while !self.at_close()? {
            self.expect_open("a line of the table")?;
            let token = self.lexer.next()?;
            match self.lexer.text_of(token) {
                "=" => {
                    let (_, arguments, value) = self.equation()?;
                    points.push((arguments, value));
                }
                "default" => {
                    default = Some(self.term()?);
                    self.expect_close("the default")?;
                }
                _ => {
                    self.lexer.skip_open(1)?;
                }
            }
        }
        Ok(ModelItem::Function { name, points, default })
    }

    /// Clears the stacks after an expression that could not be read.
    fn forget_frames(&mut self) {
        self.frames.clear();
        self.terms.clear();
        self.offsets.clear();
        self.variables.clear();
        self.indices.clear();
        self.attributes.clear();
        self.cases.clear();
        self.binders = 0;
        self.context.unbind_to(0);
    }
}

/// An error message as a reason, cut off at a limit.
pub(crate) fn reason(text: &str) -> Arc<str> {
    const MAX_REASON_BYTES: usize = 400;
    let end =
        (0..=MAX_REASON_BYTES.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text[..end].into()
}
