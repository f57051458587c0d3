//! The sort checker: computes the sort of an application, or explains why it is ill-sorted.
//!
//! A name is looked up among the functions of the script first and in the tables of the theories
//! second, each time exactly and then with integers for reals. Solvers differ in what they accept
//! beyond the standard; the checker accepts what z3 or cvc5 accepts.

mod arena_operation;
mod computed;
mod explain;
mod rank;
mod tuples;

pub(crate) use computed::mapped_operator;
use rank::RankUse;

use crate::arena::Arena;
use crate::context::{Context, Role, ScriptFunction};
use crate::error::{Fallible, Fault};
use crate::signature::Coercion;
use crate::sort::{Index, Sort, SortView};
use crate::symbol::Symbol;
use crate::term::{Head, Term, TermView};

/// The offsets of an application and its arguments in the text.
#[derive(Clone, Copy)]
pub(crate) struct ApplicationOffsets<'a> {
    pub head: usize,
    pub arguments: &'a [u32],
}

impl Context {
    /// The application of `head` to `arguments`, or an error.
    pub fn application(
        &mut self,
        head: Head<'_>,
        arguments: &[Term],
        place: ApplicationOffsets<'_>,
    ) -> Fallible<Term> {
        let sort = match self.result(&head, arguments, Coercion::No) {
            Some(sort) => sort,
            None => match self.lenient_result(&head, arguments) {
                Some(sort) => sort,
                None => return self.explain(head, arguments, place),
            },
        };
        Ok(self.arena.terms.application(head, arguments, sort))
    }

    /// Returns true if `name` can be the head of an application.
    pub fn knows(&self, name: Symbol) -> bool {
        self.local(name).is_some()
            || self.function(name).is_some()
            || !self.arena.signature.ranks_of(name).is_empty()
            || self.arena.signature.is_computed(name)
    }

    /// Returns true if the tables have an operator of this name with indices.
    pub fn has_indexed(&self, name: Symbol) -> bool {
        self.arena.signature.ranks_of(name).iter().any(|rank| !rank.indices.is_empty())
    }

    /// Returns true if a standard theory of the logic has a function of this name and these parameters.
    ///
    /// z3 also defines the connectives without arguments.
    pub fn is_theory_function(&mut self, name: Symbol, parameters: &[Sort]) -> bool {
        let logic = self.logic;
        let arena = &mut self.arena;
        let (names, sorts) = (&arena.names, &mut arena.sorts);
        arena.signature.ranks_of(name).iter().any(|rank| {
            let theory = &arena.signature.theories()[rank.theory];
            let head = &Head::plain(name);
            let rank_use = RankUse { rank, head, count: parameters.len(), coercion: Coercion::No };
            logic.has_theory(theory)
                && (parameters.is_empty() && rank.associativity.is_some() && theory == "Core"
                    || rank_use.result(&|position| parameters[position], names, sorts).is_some())
        })
    }

    fn lenient_result(&mut self, head: &Head<'_>, arguments: &[Term]) -> Option<Sort> {
        if head.qualifier.is_none()
            && arguments.iter().any(|&argument| self.arena.terms.sort(argument) == Sort::INT)
            && let Some(sort) = self.result(head, arguments, Coercion::IntToReal)
        {
            return Some(sort);
        }
        self.special(head, arguments)
    }

    /// The sort of the application, with or without coercion of integers.
    fn result(&mut self, head: &Head<'_>, arguments: &[Term], coercion: Coercion) -> Option<Sort> {
        if head.indices.is_empty()
            && self.function(head.symbol).is_some()
            && let Some(sort) = self.user_result(head, arguments, coercion)
        {
            return Some(sort);
        }
        let arena = &mut self.arena;
        let ranks = arena.signature.ranks_of(head.symbol);
        let (names, terms, sorts) = (&arena.names, &arena.terms, &mut arena.sorts);
        let sort_of = |position: usize| terms.sort(arguments[position]);
        ranks.iter().find_map(|rank| {
            // Most applications are of this kind: and, or, not, +, <, str.++ …
            if let Some((sort, result)) = rank.all_of_one_sort()
                && rank.takes(arguments.len())
                && arguments.iter().all(|&argument| terms.sort(argument) == sort)
                && (rank.indices.len(), head.indices.len(), head.qualifier) == (0, 0, None)
            {
                return Some(result);
            }
            RankUse { rank, head, count: arguments.len(), coercion }.result(&sort_of, names, sorts)
        })
    }

    /// The result of the newest function of the script that accepts these arguments.
    fn user_result(&mut self, head: &Head<'_>, arguments: &[Term], coercion: Coercion) -> Option<Sort> {
        let (mut found, mut arrow, mut polymorphic) = (None, None, false);
        for function in self.functions(head.symbol) {
            polymorphic |= function.polymorphic;
            let applied = match function.polymorphic {
                true => None,
                false => self.monomorphic_result(function, arguments, coercion),
            };
            match (applied, head.qualifier) {
                (Some(Applied::Sort(sort)), Some(wanted)) if self.arena.canonical(wanted) != sort => {}
                (Some(Applied::Sort(_)), None) if arguments.is_empty() && found.is_some() => return None,
                (Some(Applied::Sort(sort)), _) => {
                    found = Some(sort);
                    // Only `as` distinguishes constants of one name and several sorts.
                    if !arguments.is_empty() || head.qualifier.is_some() {
                        break;
                    }
                }
                (Some(Applied::Arrow(from)), None) if arrow.is_none() => {
                    arrow = Some((self.parameters(function)[from..].to_vec(), function.result));
                }
                _ => {}
            }
        }
        match (found, arrow) {
            (Some(sort), _) => Some(sort),
            (None, Some((parameters, result))) => Some(self.arrow(&parameters, result)),
            (None, None) if polymorphic => self.polymorphic_result(head, arguments),
            (None, None) => None,
        }
    }

    fn monomorphic_result(
        &self,
        function: &ScriptFunction,
        arguments: &[Term],
        coercion: Coercion,
    ) -> Option<Applied> {
        let parameters = self.parameters(function);
        let fits = |&parameter: &Sort, &argument: &Term| {
            let sort = self.arena.terms.sort(argument);
            sort == parameter
                || sort == Sort::UNKNOWN
                || self.arena.sorts.can_be(sort, parameter)
                || coercion == Coercion::IntToReal && is_coercible(sort, parameter)
        };
        if !parameters.iter().zip(arguments).all(|(p, a)| fits(p, a)) {
            return None;
        }
        if parameters.len() == arguments.len() {
            return Some(Applied::Sort(function.result));
        }
        if parameters.len() < arguments.len() {
            let rest = &arguments[parameters.len()..];
            let result = self.applied(function.result, rest, coercion)?;
            // Partial application is allowed only in higher-order logics.
            let is_whole = self.higher_order || self.arena.sorts.view(result).head != Symbol::ARROW;
            return is_whole.then_some(Applied::Sort(result));
        }
        // z3 and cvc5 accept a constructor as a function value in any logic.
        let bare_constructor = function.role == Role::Constructor && arguments.is_empty();
        (self.higher_order || bare_constructor).then_some(Applied::Arrow(arguments.len()))
    }

    /// The result of applying a value of a function sort: a function, if arguments are missing.
    fn applied(&self, function: Sort, arguments: &[Term], coercion: Coercion) -> Option<Sort> {
        let fits = |(&p, &a): (&Sort, &Term)| {
            let sort = self.arena.terms.sort(a);
            sort == p || sort == Sort::UNKNOWN || coercion == Coercion::IntToReal && is_coercible(sort, p)
        };
        let view = self.arena.sorts.view(function);
        if view.head == Symbol::ARRAY {
            // z3 accepts an array as a function.
            let (&result, parameters) = view.arguments.split_last()?;
            let all = parameters.len() == arguments.len() && parameters.iter().zip(arguments).all(fits);
            return all.then_some(result);
        }
        let mut rest = function;
        for argument in arguments {
            match self.arena.sorts.view(rest) {
                _ if rest == Sort::UNKNOWN => return Some(rest),
                SortView { head: Symbol::ARROW, arguments: [parameter, result], .. }
                    if fits((parameter, argument)) =>
                {
                    rest = *result;
                }
                _ => return None,
            }
        }
        Some(rest)
    }

    /// The application of a function-valued term, possibly partial.
    pub fn apply(
        &mut self,
        function_and_arguments: &[Term],
        place: ApplicationOffsets<'_>,
    ) -> Fallible<Term> {
        let [function, arguments @ ..] = function_and_arguments else {
            return Fault::syntax(place.head, "expected a function to apply");
        };
        if arguments.is_empty() {
            return Fault::sort(place.head, "a function is applied to one argument or more");
        }
        // `(@ f x)` of a function of the script is the same as `(f x)`.
        if let TermView::Application(head, []) = self.arena.terms.view(*function)
            && (head.indices.is_empty(), head.qualifier) == (true, None)
        {
            let (head, arguments_at) =
                (Head::plain(head.symbol), place.arguments.get(1..).unwrap_or_default());
            return self.application(
                head,
                arguments,
                ApplicationOffsets { head: place.head, arguments: arguments_at },
            );
        }
        let function = self.arena.terms.sort(*function);
        let sort = self
            .applied(function, arguments, Coercion::No)
            .or_else(|| self.applied(function, arguments, Coercion::IntToReal));
        match sort {
            Some(sort) => Ok(self.arena.terms.apply(function_and_arguments, sort)),
            None => {
                let shown = self.show_sort(function);
                Fault::sort(
                    place.head,
                    format!("a term of sort {shown} cannot be applied to these arguments"),
                )
            }
        }
    }

    /// The function sort: `(-> A B C)` is `(-> A (-> B C))`, so that a partial application has a sort that is part of the
    /// whole.
    pub fn arrow(&mut self, parameters: &[Sort], result: Sort) -> Sort {
        parameters.iter().rev().fold(result, |result, &parameter| {
            self.arena.sorts.intern(Symbol::ARROW, &[], &[parameter, result])
        })
    }

    fn polymorphic_result(&mut self, head: &Head<'_>, arguments: &[Term]) -> Option<Sort> {
        let (mut bindings, result) = self.functions(head.symbol).find_map(|function| {
            let parameters = self.parameters(function);
            let sorts = &self.arena.sorts;
            if !function.polymorphic || parameters.len() != arguments.len() {
                return None;
            }
            let mut bindings = Vec::new();
            if let Some(wanted) = head.qualifier
                && !sorts.unify(function.result, sorts.canonical(wanted), &mut bindings)
            {
                return None;
            }
            let fits = parameters
                .iter()
                .zip(arguments)
                .all(|(&p, &a)| sorts.unify(p, self.arena.terms.sort(a), &mut bindings));
            fits.then_some((bindings, function.result))
        })?;
        let unbound = self.arena.sorts.parameters_of(result).into_iter();
        let unbound: Vec<Sort> = unbound.filter(|p| bindings.iter().all(|(bound, _)| bound != p)).collect();
        if !unbound.is_empty() && !arguments.is_empty() {
            return None;
        }
        bindings.extend(unbound.into_iter().map(|parameter| (parameter, Sort::UNKNOWN)));
        Some(self.arena.sorts.instantiate(result, &bindings))
    }

    /// The rules that no table can express: testers, updates, abstract values.
    fn special(&mut self, head: &Head<'_>, arguments: &[Term]) -> Option<Sort> {
        if self.arena.signature.is_computed(head.symbol) {
            return Some(self.computed_sort(head, arguments).unwrap_or(Sort::UNKNOWN));
        }
        match (head.symbol, head.indices, arguments) {
            (Symbol::IS, [Index::Symbol(constructor)], [value]) => {
                self.constructs(*constructor, *value).then_some(Sort::BOOL)
            }
            (Symbol::UPDATE | Symbol::UPDATE_FIELD, [Index::Symbol(selector)], [value, field]) => {
                let field_sort = self.field(*selector, *value)?;
                let sort = self.arena.terms.sort(*field);
                (sort == field_sort || is_coercible(sort, field_sort)).then(|| self.arena.terms.sort(*value))
            }
            (symbol, [Index::Numeral(width)], []) if *width > 0 => {
                let digits = self.arena.text(symbol).strip_prefix("bv")?;
                (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
                    .then(|| self.arena.bit_vector(*width))
            }
            (symbol, [], []) => {
                // cvc5 writes values without literals as (as @a 7), and field elements as (as ff3 F).
                let (text, wanted) = (self.arena.text(symbol), self.arena.canonical(head.qualifier?));
                let is_field = self.arena.sorts.view(wanted).head == Symbol::FINITE_FIELD;
                (text.starts_with('@') || is_field && text.starts_with("ff")).then_some(wanted)
            }
            _ => None,
        }
    }

    /// Returns true if `constructor` belongs to the datatype of `value`.
    fn constructs(&self, constructor: Symbol, value: Term) -> bool {
        let sort = self.arena.terms.sort(value);
        self.functions(constructor).any(|function| {
            function.role == Role::Constructor
                && self.arena.sorts.unify(function.result, sort, &mut Vec::new())
        })
    }

    /// The sort of the field that `selector` selects from `value`.
    fn field(&mut self, selector: Symbol, value: Term) -> Option<Sort> {
        let sort = self.arena.terms.sort(value);
        let mut bindings = Vec::new();
        let result = self.functions(selector).find_map(|function| {
            let datatype = *self.parameters(function).first()?;
            (function.role == Role::Selector && self.arena.sorts.unify(datatype, sort, &mut bindings))
                .then_some(function.result)
        })?;
        Some(self.arena.sorts.instantiate(result, &bindings))
    }
}

/// Returns true if an operator of a theory accepts these arguments, without integers for reals.
pub(crate) fn is_theory_application(arena: &Arena, head: Head<'_>, arguments: &[Term]) -> bool {
    let ranks = arena.signature.ranks_of(head.symbol);
    if ranks.is_empty() {
        return false;
    }
    let mut sorts = arena.sorts.clone();
    let sort_of = |position: usize| arena.sort_of(arguments[position]);
    ranks.iter().any(|rank| {
        let rank_use = RankUse { rank, head: &head, count: arguments.len(), coercion: Coercion::No };
        rank_use.result(&sort_of, &arena.names, &mut sorts).is_some()
    })
}

enum Applied {
    Sort(Sort),
    /// A function of the parameters from this one on.
    Arrow(usize),
}

pub(crate) fn is_coercible(from: Sort, to: Sort) -> bool {
    from == Sort::INT && to == Sort::REAL
}
