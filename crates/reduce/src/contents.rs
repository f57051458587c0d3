//! The terms, sorts and symbols of a script, for passes that look at all of them.

use gainsay_smt::{Arena, Command, Definition, Script, Sort, Symbol, Term, TermView, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// All distinct terms of a script in the order of its text, children first.
pub fn terms_of(script: &Script) -> Vec<Term> {
    let arena = script.arena();
    let mut seen = vec![false; arena.term_count()];
    let mut order = Vec::new();
    let mut stack: Vec<(Term, usize)> = Vec::new();
    for root in script.commands.iter().flat_map(Command::terms) {
        stack.push((root, 0));
        while let Some((term, child)) = stack.pop() {
            if seen[term.index()] {
                continue;
            }
            match arena.children(term).get(child) {
                Some(&next) => {
                    stack.push((term, child + 1));
                    stack.push((next, 0));
                }
                None => {
                    seen[term.index()] = true;
                    order.push(term);
                }
            }
        }
    }
    order
}

/// The names of all variables that are bound somewhere in a script.
pub fn bound_names(script: &Script, terms: &[Term]) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    for &term in terms {
        let view = script.arena().view(term);
        for child in 0..view.children().len() {
            names.extend(view.bound_in(child).iter().map(|variable| variable.name));
        }
    }
    for command in &script.commands {
        for position in 0..command.term_count() {
            names.extend(command.parameters(position).iter().map(|variable| variable.name));
        }
    }
    names
}

/// The term of an assertion; `None` for other commands.
pub fn asserted_term(command: &Command) -> Option<Term> {
    match *command {
        Command::Term(Word::Assert, term, None) => Some(term),
        _ => None,
    }
}

/// Whether a script has scopes, so that assertions and declarations may be retracted.
pub fn has_scopes(script: &Script) -> bool {
    script.commands.iter().any(|command| matches!(command, Command::Push(_) | Command::Reset))
}

/// The constants of a term, each once.
pub fn constants(script: &Script, term: Term) -> Vec<(Term, Symbol)> {
    let arena = script.arena();
    let constant = |term| match arena.view(term) {
        TermView::Application(head, []) if head.indices.is_empty() && head.qualifier.is_none() => {
            Some((term, head.symbol))
        }
        _ => None,
    };
    arena.reachable([term]).filter_map(constant).collect()
}

/// The symbols that a script declares or defines once and never binds, so that replacing one everywhere is safe.
pub struct UnambiguousSymbols {
    counts: FxHashMap<Symbol, usize>,
    bound: FxHashSet<Symbol>,
}

impl UnambiguousSymbols {
    /// Those of a script.
    pub fn of(script: &Script) -> Self {
        UnambiguousSymbols {
            counts: declaration_counts(script),
            bound: bound_names(script, &terms_of(script)),
        }
    }

    /// Whether a symbol names exactly one function and no variable.
    pub fn contains(&self, name: Symbol) -> bool {
        self.counts.get(&name) == Some(&1) && !self.is_bound(name)
    }

    /// Whether some variable has this name.
    pub fn is_bound(&self, name: Symbol) -> bool {
        self.bound.contains(&name)
    }

    /// The names of all variables.
    pub fn bound(&self) -> &FxHashSet<Symbol> {
        &self.bound
    }
}

/// How often each symbol is declared or defined as a function.
pub fn declaration_counts(script: &Script) -> FxHashMap<Symbol, usize> {
    let mut counts: FxHashMap<Symbol, usize> = FxHashMap::default();
    for name in script.commands.iter().flat_map(Command::declared_functions) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// All sorts that occur in a script or are the sort of a term, each once, with their arguments.
pub fn sorts_of(script: &Script, terms: &[Term]) -> Vec<Sort> {
    let arena = script.arena();
    let mut open: Vec<Sort> = terms.iter().map(|&term| arena.sort_of(term)).collect();
    for &term in terms {
        match arena.view(term) {
            TermView::Bind(_, variables, _) => open.extend(variables.iter().map(|variable| variable.sort)),
            TermView::Application(head, _) => open.extend(head.qualifier),
            _ => {}
        }
    }
    for command in &script.commands {
        match command {
            Command::DefineSort(_, _, sort) => open.push(*sort),
            Command::Declare(_, _, parameters, result) => open.extend(parameters.iter().chain([result])),
            Command::Define(_, definition) => add_rank_sorts(definition, &mut open),
            Command::DefineFunsRec(definitions) => {
                definitions.iter().for_each(|d| add_rank_sorts(d, &mut open));
            }
            Command::DeclareDatatypes(_, datatypes) => {
                let constructors = datatypes.iter().flat_map(|datatype| &datatype.constructors);
                open.extend(
                    constructors.flat_map(|constructor| constructor.fields.iter().map(|field| field.1)),
                );
            }
            _ => {}
        }
    }
    with_arguments(arena, open)
}

fn add_rank_sorts(definition: &Definition, sorts: &mut Vec<Sort>) {
    sorts.extend(definition.parameters.iter().map(|parameter| parameter.sort));
    sorts.push(definition.result);
}

fn with_arguments(arena: &Arena, mut open: Vec<Sort>) -> Vec<Sort> {
    let mut seen = vec![false; arena.sort_count()];
    let mut found = Vec::new();
    open.reverse();
    while let Some(sort) = open.pop() {
        if !std::mem::replace(&mut seen[sort.index()], true) {
            found.push(sort);
            open.push(arena.canonical(sort));
            open.extend_from_slice(arena.view_sort(sort).arguments);
        }
    }
    found
}
