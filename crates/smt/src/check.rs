//! The sort checker: what an application's sort is, or why it has none.
//!
//! A name is looked for among the functions of the script first and in the tables of the theories
//! second, each time exactly and then with integers standing for reals. Solvers differ in what they take
//! beyond the standard; the checker takes what one of the large ones takes.

use crate::context::{Context, Function, Role};
use crate::error::{Fallible, Fault};
use crate::signature::{Associativity, Bindings, Coercion, Pattern, Rank};
use crate::sort::{Index, Sort, Sorts};
use crate::suggest;
use crate::symbol::{Names, Symbol};
use crate::term::{Head, Term, View};

/// Where an application and its arguments stand in the text.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub head: usize,
    pub arguments: &'a [u32],
}

impl Context {
    /// The application of `head` to `arguments`, or what is wrong with it.
    pub fn application(&mut self, head: Head<'_>, arguments: &[Term], place: Place<'_>) -> Fallible<Term> {
        let sort = match self.result(&head, arguments, Coercion::No) {
            Some(sort) => sort,
            None => match self.lenient_result(&head, arguments) {
                Some(sort) => sort,
                None => return self.explain(head, arguments, place),
            },
        };
        Ok(self.arena.terms.application(head, arguments, sort))
    }

    /// Whether `name` can be the head of anything.
    pub fn knows(&self, name: Symbol) -> bool {
        self.local(name).is_some()
            || self.function(name).is_some()
            || !self.arena.signature.ranks_of(name).is_empty()
    }

    /// Whether a standard theory of the logic takes these parameters under this name.
    ///
    /// z3 gives the connectives a meaning without arguments too.
    pub fn is_theory_function(&mut self, name: Symbol, parameters: &[Sort]) -> bool {
        let logic = self.logic;
        let arena = &mut self.arena;
        let (names, sorts) = (&arena.names, &mut arena.sorts);
        arena.signature.ranks_of(name).iter().any(|rank| {
            let theory = &arena.signature.theories()[rank.theory];
            let head = &Head::plain(name);
            let use_ = Use { rank, head, count: parameters.len(), coercion: Coercion::No };
            logic.has_theory(theory)
                && (parameters.is_empty() && rank.associativity.is_some() && theory == "Core"
                    || use_.result(&|position| parameters[position], names, sorts).is_some())
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

    /// The sort of the application under one rule for integers.
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
            Use { rank, head, count: arguments.len(), coercion }.result(&sort_of, names, sorts)
        })
    }

    /// The result of the newest function of the script that takes these arguments.
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
                    // Constants of one name and several sorts are told apart by `as` and nothing else.
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
        function: &Function,
        arguments: &[Term],
        coercion: Coercion,
    ) -> Option<Applied> {
        let parameters = self.parameters(function);
        let fits = |&parameter: &Sort, &argument: &Term| {
            let sort = self.arena.terms.sort(argument);
            sort == parameter
                || sort == Sort::UNKNOWN
                || coercion == Coercion::IntToReal && is_coercible(sort, parameter)
        };
        if !parameters.iter().zip(arguments).all(|(p, a)| fits(p, a)) {
            return None;
        }
        if parameters.len() == arguments.len() {
            return Some(Applied::Sort(function.result));
        }
        if parameters.len() < arguments.len() {
            return self.applied(function.result, &arguments[parameters.len()..], coercion);
        }
        // z3 and cvc5 take a constructor as a function value in any logic.
        let bare_constructor = function.role == Role::Constructor && arguments.is_empty();
        (self.higher_order || bare_constructor).then_some(Applied::Arrow(arguments.len()))
    }

    /// What a value of a function sort gives when it is applied.
    fn applied(&self, function: Sort, arguments: &[Term], coercion: Coercion) -> Option<Applied> {
        let view = self.arena.sorts.view(function);
        if function == Sort::UNKNOWN {
            return Some(Applied::Sort(Sort::UNKNOWN));
        }
        let (&result, parameters) = view.arguments.split_last()?;
        let fits = |(&p, &a): (&Sort, &Term)| {
            let sort = self.arena.terms.sort(a);
            let p = self.arena.canonical(p);
            sort == p || sort == Sort::UNKNOWN || coercion == Coercion::IntToReal && is_coercible(sort, p)
        };
        let is_function = view.head == Symbol::ARROW || view.head == Symbol::ARRAY;
        (is_function && arguments.len() == parameters.len() && parameters.iter().zip(arguments).all(fits))
            .then_some(Applied::Sort(self.arena.canonical(result)))
    }

    /// The result of applying a function-valued term; it may be given fewer arguments than it takes.
    pub fn apply(&mut self, function_and_arguments: &[Term], place: Place<'_>) -> Fallible<Term> {
        let [function, arguments @ ..] = function_and_arguments else {
            return Fault::syntax(place.head, "expected a function to apply");
        };
        // `(@ f x)` of a function of the script is written `(f x)`, and is that.
        if let View::Application(head, []) = self.arena.terms.view(*function)
            && (head.indices.is_empty(), head.qualifier) == (true, None)
        {
            let (head, arguments_at) = (Head::plain(head.symbol), place.arguments.get(1..).unwrap_or_default());
            return self.application(head, arguments, Place { head: place.head, arguments: arguments_at });
        }
        let function = self.arena.terms.sort(*function);
        let whole = self
            .applied(function, arguments, Coercion::No)
            .or_else(|| self.applied(function, arguments, Coercion::IntToReal));
        let sort = match whole {
            Some(Applied::Sort(sort)) => sort,
            _ => match self.partially_applied(function, arguments) {
                Some(sort) => sort,
                None => {
                    let shown = self.show_sort(function);
                    let message = format!("a term of sort {shown} cannot be applied to these arguments");
                    return Fault::sort(place.head, message);
                }
            },
        };
        Ok(self.arena.terms.apply(function_and_arguments, sort))
    }

    fn partially_applied(&mut self, function: Sort, arguments: &[Term]) -> Option<Sort> {
        let view = self.arena.sorts.view(function);
        if view.head != Symbol::ARROW || arguments.len() + 1 >= view.arguments.len() {
            return None;
        }
        let fits = view.arguments.iter().zip(arguments).all(|(&p, &a)| self.arena.terms.sort(a) == p);
        let rest = view.arguments[arguments.len()..].to_vec();
        let (&result, parameters) = rest.split_last()?;
        fits.then(|| self.arrow(parameters, result))
    }

    /// The sort of functions; `(-> A (-> B C))` is `(-> A B C)`.
    pub fn arrow(&mut self, parameters: &[Sort], result: Sort) -> Sort {
        let mut sorts: Vec<Sort> = parameters.to_vec();
        let view = self.arena.sorts.view(result);
        match view.head {
            Symbol::ARROW => sorts.extend_from_slice(view.arguments),
            _ => sorts.push(result),
        }
        self.arena.sorts.intern(Symbol::ARROW, &[], &sorts)
    }

    fn polymorphic_result(&mut self, head: &Head<'_>, arguments: &[Term]) -> Option<Sort> {
        let (bindings, result) = self.functions(head.symbol).find_map(|function| {
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
        let result = self.arena.sorts.instantiate(result, &bindings);
        let undecided = self.arena.sorts.has_parameter(result) && bindings.is_empty();
        (!undecided).then_some(result)
    }

    /// The rules that no table can state: testers, updates, values by name.
    fn special(&mut self, head: &Head<'_>, arguments: &[Term]) -> Option<Sort> {
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
                // cvc5 writes values that have no literal as (as @a 7), and field elements as (as ff3 F).
                let (text, wanted) = (self.arena.text(symbol), self.arena.canonical(head.qualifier?));
                let is_field = self.arena.sorts.view(wanted).head == Symbol::FINITE_FIELD;
                (text.starts_with('@') || is_field && text.starts_with("ff")).then_some(wanted)
            }
            // A constant of a function sort, given some of its arguments.
            (symbol, [], arguments) if self.higher_order => {
                let function = self.function(symbol)?;
                let sort = function.result;
                self.parameters(function).is_empty().then(|| self.partially_applied(sort, arguments))?
            }
            _ => None,
        }
    }

    /// Whether `constructor` makes values of the sort of `value`.
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

    /// The known function whose name is nearest to one that is not known.
    pub fn nearest(&self, name: Symbol) -> Option<&str> {
        let known =
            self.arena.names.iter().filter(|&name| self.knows(name)).map(|name| self.arena.text(name));
        let text = self.arena.text(name);
        suggest::nearest(text, known, suggest::slips(text))
    }

    /// The error for an application that has no sort.
    fn explain(&self, head: Head<'_>, arguments: &[Term], place: Place<'_>) -> Fallible<Term> {
        let shown = self.show_head(head);
        if !self.knows(head.symbol) {
            let hint =
                self.nearest(head.symbol).map_or(String::new(), |name| format!("; did you mean {name}?"));
            return Fault::sort(place.head, format!("unknown function or constant {shown}{hint}"));
        }
        let candidates = self.candidates(head);
        let arities: Vec<&Candidate> = candidates.iter().filter(|c| c.takes(arguments.len())).collect();
        if arities.is_empty() && !candidates.is_empty() {
            return self.explain_arity(&shown, &candidates, arguments.len(), place);
        }
        let sort_of = |position: usize| self.arena.terms.sort(arguments[position]);
        if let [candidate] = arities[..]
            && let Some(wrong) = (0..arguments.len())
                .find(|&position| !candidate.fits(position, sort_of(position), &self.arena.sorts))
        {
            let (got, wanted) = (self.show_sort(sort_of(wrong)), candidate.wanted(wrong, self));
            let message = format!("argument {} of {shown} is of sort {got}, expected {wanted}", wrong + 1);
            return Fault::sort(place.arguments[wrong] as usize, message);
        }
        let sorts: Vec<String> =
            (0..arguments.len()).map(|position| self.show_sort(sort_of(position))).collect();
        let message = match (&sorts[..], head.qualifier) {
            ([], None) => format!(
                "{shown} is ambiguous or incomplete here; say (as {shown} SORT), or check its indices"
            ),
            ([], Some(_)) => format!("{shown} is not of the sort that `as` gives it"),
            _ => format!("{shown} cannot be applied to {}", sorts.join(" ")),
        };
        Fault::sort(place.head, message)
    }

    fn explain_arity(
        &self,
        shown: &str,
        candidates: &[Candidate],
        count: usize,
        place: Place<'_>,
    ) -> Fallible<Term> {
        let mut takes: Vec<usize> = candidates.iter().map(|candidate| candidate.parameters.len()).collect();
        takes.sort_unstable();
        takes.dedup();
        let takes: Vec<String> = takes.iter().map(usize::to_string).collect();
        let plural = if takes == ["1"] { "argument" } else { "arguments" };
        Fault::sort(place.head, format!("{shown} takes {} {plural}, not {count}", takes.join(" or ")))
    }

    fn candidates(&self, head: Head<'_>) -> Vec<Candidate> {
        let functions =
            self.functions(head.symbol).filter(|_| head.indices.is_empty()).map(|function| Candidate {
                parameters: self.parameters(function).iter().map(|&sort| Wanted::Sort(sort)).collect(),
                rank: None,
            });
        let ranks = self.arena.signature.ranks_of(head.symbol).iter();
        let ranks = ranks.filter(|rank| rank.indices.len() == head.indices.len()).map(|rank| Candidate {
            parameters: rank.parameters.iter().map(|pattern| Wanted::Pattern(pattern.clone())).collect(),
            rank: Some(rank.clone()),
        });
        functions.chain(ranks).collect()
    }
}

enum Applied {
    Sort(Sort),
    /// A function of the parameters from this one on.
    Arrow(usize),
}

pub(crate) fn is_coercible(from: Sort, to: Sort) -> bool {
    from == Sort::INT && to == Sort::REAL
}

/// A rank that could have been meant, for messages.
struct Candidate {
    parameters: Vec<Wanted>,
    rank: Option<Rank>,
}

enum Wanted {
    Sort(Sort),
    Pattern(Pattern),
}

impl Candidate {
    fn takes(&self, count: usize) -> bool {
        match &self.rank {
            Some(rank) => rank.takes(count),
            None => self.parameters.len() == count,
        }
    }

    fn parameter(&self, position: usize) -> &Wanted {
        &self.parameters[position.min(self.parameters.len() - 1)]
    }

    fn fits(&self, position: usize, sort: Sort, sorts: &Sorts) -> bool {
        match self.parameter(position) {
            Wanted::Sort(wanted) => {
                sorts.unify(*wanted, sort, &mut Vec::new()) || is_coercible(sort, *wanted)
            }
            Wanted::Pattern(pattern) => {
                pattern.bind(sort, Coercion::IntToReal, sorts, &mut Bindings::default())
            }
        }
    }

    fn wanted(&self, position: usize, context: &Context) -> String {
        match self.parameter(position) {
            Wanted::Sort(sort) => context.show_sort(*sort),
            Wanted::Pattern(pattern) => pattern.show(&|symbol| context.show(symbol)),
        }
    }
}

impl Rank {
    /// The sort of all parameters, and of the result, where no variable is in them.
    #[inline]
    fn all_of_one_sort(&self) -> Option<(Sort, Sort)> {
        match (self.parameters.first(), &self.result) {
            (Some(Pattern::Sort(sort)), Pattern::Sort(result)) if self.uniform => Some((*sort, *result)),
            _ => None,
        }
    }

    /// Whether the operator can have so many arguments.
    pub fn takes(&self, count: usize) -> bool {
        if self.associativity.is_some() || self.variadic {
            count >= self.fewest
        } else {
            count == self.parameters.len()
        }
    }
}

/// One use of a rank.
struct Use<'a> {
    rank: &'a Rank,
    head: &'a Head<'a>,
    count: usize,
    coercion: Coercion,
}

impl Use<'_> {
    /// The sort of the application, if the rank allows it.
    fn result(&self, sort_of: &dyn Fn(usize) -> Sort, names: &Names, sorts: &mut Sorts) -> Option<Sort> {
        let rank = self.rank;
        if !rank.takes(self.count) || rank.indices.len() != self.head.indices.len() {
            return None;
        }
        if self.count < 2 && rank.parameters.len() == 2 && self.coercion == Coercion::IntToReal {
            return None;
        }
        let mut bindings = Bindings::default();
        for (pattern, &actual) in rank.indices.iter().zip(self.head.indices) {
            // Solvers take no index of an operator that 32 bits do not hold.
            let is_large =
                matches!(actual, Index::Symbol(s) if names.text(s).starts_with(|c: char| c.is_ascii_digit()));
            if is_large || !pattern.bind(actual, |symbol| names.text(symbol), &mut bindings) {
                return None;
            }
        }
        if let Some(wanted) = self.head.qualifier
            && !rank.result.bind(sorts.canonical(wanted), Coercion::No, sorts, &mut bindings)
        {
            return None;
        }
        let left = matches!(rank.associativity, Some(Associativity::Left)) && !rank.uniform;
        let fits = if left {
            return self.folded(sort_of, bindings, sorts);
        } else {
            (0..self.count).all(|position| {
                let parameter = &rank.parameters[position.min(rank.parameters.len() - 1)];
                parameter.bind(sort_of(position), self.coercion, sorts, &mut bindings)
            })
        };
        if !fits || rank.condition.as_ref().is_some_and(|condition| !condition.holds(&bindings)) {
            return None;
        }
        if rank.returns_first && self.count > 0 && self.coercion == Coercion::No {
            return Some(sort_of(0));
        }
        self.instance(&bindings, sort_of, sorts)
    }

    /// `(f a b c)` as `(f (f a b) c)`, each with its own sorts, as in `concat`.
    fn folded(&self, sort_of: &dyn Fn(usize) -> Sort, bindings: Bindings, sorts: &mut Sorts) -> Option<Sort> {
        let mut total = sort_of(0);
        for position in 1..self.count {
            let mut bindings = bindings;
            let [left, right] = &self.rank.parameters[..] else { return None };
            let fits = left.bind(total, self.coercion, sorts, &mut bindings)
                && right.bind(sort_of(position), self.coercion, sorts, &mut bindings);
            if !fits {
                return None;
            }
            total = self.instance(&bindings, sort_of, sorts)?;
        }
        Some(total)
    }

    /// The result sort; unknown if it depends on an argument of which the sort is unknown.
    fn instance(
        &self,
        bindings: &Bindings,
        sort_of: &dyn Fn(usize) -> Sort,
        sorts: &mut Sorts,
    ) -> Option<Sort> {
        self.rank.result.instance(bindings, sorts).or_else(|| {
            (0..self.count).any(|position| sort_of(position) == Sort::UNKNOWN).then_some(Sort::UNKNOWN)
        })
    }
}
