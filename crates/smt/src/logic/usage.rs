//! Collects the features that a script uses, in one walk over its commands, sorts and terms.

use rustc_hash::FxHashSet;

use super::Features;
use crate::arena::Arena;
use crate::command::{Command, Word};
use crate::script::Script;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, Head, Literal, Term, TermView};

/// The features seen so far.
pub(super) struct FeatureUsage<'a> {
    arena: &'a Arena,
    pub features: Features,
    declared: FxHashSet<Symbol>,
    datatypes: FxHashSet<Symbol>,
    sorts: FxHashSet<Sort>,
}

impl FeatureUsage<'_> {
    /// The features that a script uses.
    pub fn of(script: &Script) -> FeatureUsage<'_> {
        FeatureUsage::of_terms(script, |_, _| true)
    }

    /// The features that a script uses, if its numerals are left out, with their signs and conversions.
    pub fn without_numerals(script: &Script) -> FeatureUsage<'_> {
        FeatureUsage::of_terms(script, |usage, term| !usage.is_numeral(term))
    }

    fn of_terms(script: &Script, counts: impl Fn(&FeatureUsage<'_>, Term) -> bool) -> FeatureUsage<'_> {
        let mut usage = FeatureUsage {
            arena: script.arena(),
            features: Features::default(),
            declared: FxHashSet::default(),
            datatypes: FxHashSet::default(),
            sorts: FxHashSet::default(),
        };
        let mut open = Vec::new();
        for command in &script.commands {
            usage.command(command);
            open.extend(command.terms());
        }
        let mut seen = FxHashSet::default();
        while let Some(term) = open.pop() {
            if seen.insert(term) && counts(&usage, term) {
                usage.term(term);
                if !usage.is_float_literal(term) {
                    open.extend_from_slice(usage.arena.children(term));
                }
            }
        }
        usage
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::DeclareSort(..) => self.features.sorts = true,
            Command::DeclareSortParameter(..) | Command::Opaque(_) => self.features.extensions = true,
            Command::Declare(word, name, parameters, result) => {
                self.declared.insert(*name);
                self.features.functions |= !parameters.is_empty();
                self.features.extensions |= matches!(word, Word::DeclareRel | Word::DeclareVar);
                parameters.iter().chain([result]).for_each(|&sort| self.sort(sort));
            }
            Command::Define(word, definition) => {
                self.declared.insert(definition.name);
                if *word == Word::DefineFunRec {
                    self.recursive();
                }
                self.sort(definition.result);
                definition.parameters.iter().for_each(|parameter| self.sort(parameter.sort));
            }
            Command::DefineFunsRec(definitions) => {
                self.recursive();
                for definition in definitions.iter() {
                    self.declared.insert(definition.name);
                    self.sort(definition.result);
                    definition.parameters.iter().for_each(|parameter| self.sort(parameter.sort));
                }
            }
            Command::DeclareDatatypes(_, declarations) => {
                self.features.datatypes = true;
                for declaration in declarations.iter() {
                    self.datatypes.insert(declaration.name);
                    for constructor in &declaration.constructors {
                        self.declared.insert(constructor.name);
                        for &(selector, sort) in &constructor.fields {
                            self.declared.insert(selector);
                            self.sort(sort);
                        }
                    }
                }
            }
            Command::Term(word, ..) if *word != Word::Assert => self.features.extensions = true,
            Command::Plain(name, _) if self.arena.text(*name) == "declare-heap" => {
                self.features.extensions = true;
            }
            _ => {}
        }
    }

    /// A recursive function. The standard allows it in any logic; z3 refuses it in QF_LIA, AUFLIA, UFNIA and others.
    fn recursive(&mut self) {
        self.features.extensions = true;
    }

    fn sort(&mut self, sort: Sort) {
        let mut open = vec![self.arena.canonical(sort)];
        while let Some(sort) = open.pop() {
            if !self.sorts.insert(sort) {
                continue;
            }
            let view = self.arena.view_sort(sort);
            open.extend(view.arguments.iter().map(|&argument| self.arena.canonical(argument)));
            let features = &mut self.features;
            match view.head {
                Symbol::BOOL => {}
                Symbol::INT => features.integers = true,
                Symbol::REAL => features.reals = true,
                Symbol::STRING | Symbol::REGLAN => features.strings = true,
                Symbol::BITVEC => features.bit_vectors = true,
                Symbol::FLOATING_POINT | Symbol::ROUNDING_MODE => features.floats = true,
                Symbol::ARRAY => {
                    let head = |place: usize| {
                        let argument = view.arguments.get(place).map(|&sort| self.arena.canonical(sort));
                        argument.map(|sort| self.arena.view_sort(sort).head)
                    };
                    let is_plain = head(0) == Some(Symbol::BITVEC)
                        && matches!(head(1), Some(Symbol::BITVEC | Symbol::BOOL | Symbol::ARRAY));
                    (features.arrays, features.other_arrays) = (true, features.other_arrays || !is_plain);
                }
                Symbol::ARROW => features.higher_order = true,
                Symbol::FINITE_FIELD => features.fields = true,
                head if self.datatypes.contains(&head) => {}
                head => features.extensions |= self.arena.signature().sort_rule(head).is_some(),
            }
        }
    }

    fn term(&mut self, term: Term) {
        self.sort(self.arena.sort_of(term));
        match self.arena.view(term) {
            TermView::Bind(Binder::Forall | Binder::Exists, variables, _) => {
                self.features.quantifiers = true;
                variables.iter().for_each(|variable| self.sort(variable.sort));
            }
            TermView::Bind(..) | TermView::Apply(_) => self.features.higher_order = true,
            TermView::Opaque(_) => self.features.extensions = true,
            TermView::Match(..) => self.features.datatypes = true,
            TermView::Application(head, arguments) if !self.declared.contains(&head.symbol) => {
                self.application(head, arguments);
            }
            _ => {}
        }
    }

    fn application(&mut self, head: Head<'_>, arguments: &[Term]) {
        let signature = self.arena.signature();
        let ranks = signature.ranks_of(head.symbol);
        let is_standard = |theory: usize| crate::signature::is_standard(&signature.theories()[theory]);
        self.features.extensions |= signature.is_computed(head.symbol);
        if !ranks.is_empty() && !ranks.iter().any(|rank| is_standard(rank.theory)) {
            self.features.extensions = true;
        }
        // `is_int` takes a real, but is part of the theory Reals_Ints.
        let is_mixed = |theory: usize| signature.theories()[theory] == "Reals_Ints";
        if !ranks.is_empty() && ranks.iter().all(|rank| is_mixed(rank.theory)) {
            (self.features.integers, self.features.reals) = (true, true);
        }
        let constants = |arguments: &[Term]| arguments.iter().filter(|&&a| self.is_constant(a)).count();
        self.features.nonlinear |= match head.symbol {
            Symbol::TIMES => arguments.len() - constants(arguments) > 1,
            // Division by zero is an uninterpreted function: linear logics do not have it, and solvers refuse it in them.
            Symbol::DIVIDE | Symbol::DIV | Symbol::MOD => {
                constants(&arguments[1..]) + 1 < arguments.len()
                    || arguments[1..].iter().any(|&divisor| self.has_zero(divisor))
            }
            _ => false,
        };
    }

    /// Returns true if a term is `(fp #b0 #b10 #b001)`, which does not need the theory of bit-vectors.
    fn is_float_literal(&self, term: Term) -> bool {
        let is_literal = |&part: &Term| matches!(self.arena.view(part), TermView::Literal(..));
        self.arena.view_sort(self.arena.sort_of(term)).head == Symbol::FLOATING_POINT
            && matches!(self.arena.view(term), TermView::Application(head, parts)
                if parts.len() == 3 && self.arena.text(head.symbol) == "fp" && parts.iter().all(is_literal))
    }

    /// Returns true if a number is or contains a zero.
    fn has_zero(&self, number: Term) -> bool {
        let mut open = vec![number];
        while let Some(term) = open.pop() {
            let view = self.arena.view(term);
            if let TermView::Literal(_, digits) = view
                && self.arena.text(digits).bytes().all(|digit| matches!(digit, b'0' | b'.'))
            {
                return true;
            }
            open.extend_from_slice(view.children());
        }
        false
    }

    /// Returns true if solvers accept a term as a number: a literal or a quotient of two, with a sign or converted.
    fn is_constant(&self, term: Term) -> bool {
        let is_literal = |term: Term| {
            matches!(
                self.arena.view(self.unsigned(term)),
                TermView::Literal(Literal::Numeral | Literal::Decimal, _)
            )
        };
        match self.arena.view(self.unsigned(term)) {
            TermView::Application(head, &[above, below]) if head.symbol == Symbol::DIVIDE => {
                is_literal(above) && is_literal(below)
            }
            _ => is_literal(term),
        }
    }

    /// Returns true if a term is a numeral with a sign or a conversion, or without.
    fn is_numeral(&self, term: Term) -> bool {
        matches!(self.arena.view(self.unsigned(term)), TermView::Literal(Literal::Numeral, _))
    }

    /// A term without its sign and conversion, at most one of each.
    fn unsigned(&self, term: Term) -> Term {
        [Symbol::MINUS, Symbol::TO_REAL, Symbol::MINUS].iter().fold(term, |term, &outer| {
            match self.arena.view(term) {
                TermView::Application(head, &[inner]) if head.symbol == outer => inner,
                _ => term,
            }
        })
    }
}
