//! A survey of a script: which terms can be moved, and which places can be changed.
//!
//! One walk over the distinct terms of a script records the facts that a mutation needs: size and depth, its free
//! variables, the commands in which all its names are declared, and the number of changeable places in it. The walk
//! follows the order of the text, never that of ids, so that a script and its re-read copy are surveyed alike.
//!
//! Never changed: terms with opaque parts; the inside of patterns; a `:named` term and terms that contain one (the name
//! may be used elsewhere, and may occur only once); annotations, which belong to their quantifier; arguments that
//! solvers require to be literals, such as the value of a constant array.

mod declared;
mod free;
mod place;

use gainsay_smt::{Arena, AttributeValue, Command, Head, Index, Script, Sort, Symbol, Term, TermView, Word};

pub use self::declared::{CommandRange, DeclaredFunction, ScriptDeclarations};
use self::free::{FreeSets, NO_VARIABLES, SetId, TOO_MANY_VARIABLES};
pub use self::place::{PlaceScope, TermPlace};
use super::operators::Operators;

/// Facts about a script that mutations need.
#[derive(Debug)]
pub struct ScriptSurvey<'a> {
    /// The script.
    pub script: &'a Script,
    operators: &'a Operators,
    declared: ScriptDeclarations,
    facts: Vec<TermFacts>,
    free: FreeSets,
    /// The distinct terms in the order of the text, children first.
    order: Vec<Term>,
    /// The terms that can be changed: command, position of the term in it, term.
    roots: Vec<(usize, usize, Term)>,
    /// The number of changeable places in all roots.
    places: u64,
    /// The movable terms, grouped by sort.
    pool: Vec<Term>,
    /// For each sort, its range in the pool.
    ranges: Vec<(u32, u32)>,
    /// The sorts of the movable terms, in the order of the text.
    sorts: Vec<Sort>,
    /// Names that are bound in one place and mean something else in another.
    shadowed: Vec<Symbol>,
    /// The size of all terms in bytes.
    bytes: u64,
}

/// Facts about one term.
#[derive(Debug, Clone, Copy)]
struct TermFacts {
    /// Changeable places in it, itself included; 0 for a term that is not in the script.
    places: u64,
    /// The approximate size of its text.
    bytes: u64,
    depth: u32,
    free: SetId,
    span: CommandRange,
    seen: bool,
    /// It contains a `:named` term.
    named: bool,
    /// It is annotated, has opaque parts, or its sort has no values: it can be neither moved nor replaced.
    fixed: bool,
    /// It uses a name that a binder shadows somewhere.
    shadowed: bool,
}

const UNSEEN_TERM: TermFacts = TermFacts {
    places: 0,
    bytes: 0,
    depth: 0,
    free: NO_VARIABLES,
    span: CommandRange::ALL_COMMANDS,
    seen: false,
    named: false,
    fixed: false,
    shadowed: false,
};

impl<'a> ScriptSurvey<'a> {
    /// Surveys a script.
    pub fn of(script: &'a Script, operators: &'a Operators) -> ScriptSurvey<'a> {
        let arena = script.arena();
        let mut survey = ScriptSurvey {
            script,
            operators,
            declared: ScriptDeclarations::of(script),
            facts: vec![UNSEEN_TERM; arena.term_count()],
            free: FreeSets::new(),
            order: Vec::with_capacity(arena.term_count()),
            roots: Vec::new(),
            places: 0,
            pool: Vec::new(),
            ranges: Vec::new(),
            sorts: Vec::new(),
            shadowed: Vec::new(),
            bytes: 0,
        };
        if survey.declared.has_sort_parameters || changes_numerals(script) {
            return survey;
        }
        let mut walk = SurveyWalk {
            stack: Vec::with_capacity(64),
            bound: vec![false; arena.symbol_count()],
            names: Vec::new(),
        };
        for (command, of_command) in script.commands.iter().enumerate() {
            for position in 0..of_command.term_count() {
                for parameter in of_command.parameters(position) {
                    walk.bind(parameter.name);
                }
                let term = of_command.term(position);
                survey.walk(term, command, &mut walk);
                survey.bytes += survey.facts[term.index()].bytes;
                if is_changeable(of_command) {
                    survey.roots.push((command, position, term));
                    survey.places += survey.facts[term.index()].places;
                }
            }
        }
        survey.find_shadowed(&walk.names);
        survey.fill_pool();
        survey.declared.finish(script, &survey.sorts);
        survey
    }

    /// The number of changeable places.
    pub fn places(&self) -> u64 {
        self.places
    }

    /// The sorts of the movable terms.
    pub fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    /// The movable terms of a sort.
    pub fn pool(&self, sort: Sort) -> &[Term] {
        match self.ranges.get(sort.index()) {
            Some(&(start, end)) => &self.pool[start as usize..end as usize],
            None => &[],
        }
    }

    /// The functions of the script, and the functions of its datatypes.
    pub fn functions(&self) -> &[DeclaredFunction] {
        &self.declared.functions
    }

    /// Whether a name means the theory operator everywhere in the script.
    pub fn has_operator(&self, name: Symbol) -> bool {
        self.declared.function(name).is_none() && !self.shadowed.contains(&name)
    }

    /// Whether no binder shadows a name of the script.
    pub fn is_unshadowed(&self, name: Symbol) -> bool {
        !self.shadowed.contains(&name)
    }

    /// The approximate size of a term's text.
    pub fn bytes(&self, term: Term) -> u64 {
        self.facts[term.index()].bytes
    }

    /// The approximate size of all terms.
    pub fn total_bytes(&self) -> u64 {
        self.bytes
    }

    /// The depth of a term.
    pub fn depth(&self, term: Term) -> usize {
        self.facts[term.index()].depth as usize
    }

    /// The depth of the deepest term.
    pub fn deepest(&self) -> usize {
        self.roots.iter().map(|&(_, _, root)| self.depth(root)).max().unwrap_or(0)
    }

    /// Records the facts about a term and its subterms.
    fn walk(&mut self, term: Term, command: usize, walk: &mut SurveyWalk) {
        let arena = self.script.arena();
        walk.stack.push((term, 0));
        while let Some((term, child)) = walk.stack.pop() {
            if self.facts[term.index()].seen {
                continue;
            }
            match arena.children(term).get(child) {
                Some(&next) => {
                    walk.stack.push((term, child + 1));
                    if !self.facts[next.index()].seen {
                        walk.stack.push((next, 0));
                    }
                }
                None => {
                    let facts = self.facts_of(arena, term, command, walk);
                    self.facts[term.index()] = facts;
                    self.order.push(term);
                }
            }
        }
    }

    /// The facts about a term whose children are recorded.
    fn facts_of(&mut self, arena: &Arena, term: Term, command: usize, walk: &mut SurveyWalk) -> TermFacts {
        let view = arena.view(term);
        let mut facts = TermFacts { seen: true, bytes: 2, ..UNSEEN_TERM };
        let changeable = self.operators.changeable(&view);
        for (position, &child) in view.children().iter().enumerate() {
            let below = self.facts[child.index()];
            let bound = view.bound_in(position);
            let free = if bound.is_empty() { below.free } else { self.free.without(below.free, bound) };
            facts.free = self.free.union(facts.free, free);
            facts.span = facts.span.and(below.span);
            facts.bytes = facts.bytes.saturating_add(below.bytes + 1);
            facts.depth = facts.depth.max(below.depth);
            facts.named |= below.named;
            if position < changeable {
                facts.places = facts.places.saturating_add(below.places);
            }
        }
        facts.depth += 1;
        self.add_own(arena, term, &view, command, walk, &mut facts);
        facts.fixed = matches!(view, TermView::Annotated(..))
            || arena.has_opaque(term)
            || !arena.is_sort_of_values(arena.sort_of(term));
        let is_replaceable = !facts.named && !facts.fixed;
        facts.places = facts.places.saturating_add(u64::from(is_replaceable));
        facts
    }

    /// Adds the facts about a term that do not come from its children.
    fn add_own(
        &mut self,
        arena: &Arena,
        term: Term,
        view: &TermView<'_>,
        command: usize,
        walk: &mut SurveyWalk,
        facts: &mut TermFacts,
    ) {
        match *view {
            TermView::Literal(_, text) | TermView::Opaque(text) => {
                facts.bytes += arena.text(text).len() as u64;
            }
            TermView::Variable(name) => {
                facts.bytes += arena.text(name).len() as u64;
                let variable = gainsay_smt::Variable { name, sort: arena.sort_of(term) };
                facts.free = self.free.single(variable);
            }
            TermView::Application(head, _) => {
                facts.bytes += arena.text(head.symbol).len() as u64 + 8 * head.indices.len() as u64;
                facts.span = facts.span.and(self.span_of(arena, head));
            }
            TermView::Let(variables, _) => {
                facts.bytes += 10 + 4 * variables.len() as u64;
                variables.iter().for_each(|variable| walk.bind(variable.name));
            }
            TermView::Bind(_, variables, _) => {
                facts.bytes += 10 + 16 * variables.len() as u64;
                for variable in variables {
                    walk.bind(variable.name);
                    facts.span = facts.span.and(self.declared.sort(arena, variable.sort));
                }
            }
            TermView::Match(cases, _) => {
                for case in cases.iter() {
                    facts.bytes += 10;
                    case.variables.iter().for_each(|variable| walk.bind(variable.name));
                    let constructor = case.constructor.and_then(|name| self.declared.function(name));
                    facts.span = facts.span.and(constructor.unwrap_or(CommandRange::ALL_COMMANDS));
                }
            }
            TermView::Annotated(attributes, _) => {
                facts.bytes += 16 * attributes.len() as u64;
                for attribute in attributes {
                    if let AttributeValue::Name(name) = attribute.value {
                        facts.named = true;
                        self.declared.add_name(name, command, self.end_of_level(command));
                    }
                }
            }
            TermView::Apply(_) => {}
        }
    }

    /// The commands in which a head is declared.
    fn span_of(&self, arena: &Arena, head: Head<'_>) -> CommandRange {
        let name = |name: Symbol| self.declared.function(name).unwrap_or(CommandRange::ALL_COMMANDS);
        let mut span = name(head.symbol);
        for index in head.indices {
            if let Index::Symbol(index) = index {
                span = span.and(name(*index));
            }
        }
        if let Some(sort) = head.qualifier {
            span = span.and(self.declared.sort(arena, sort));
        }
        span
    }

    /// The next command that may remove the declarations of this level.
    fn end_of_level(&self, command: usize) -> u32 {
        let ends = |command: &Command| {
            matches!(command, Command::Pop(_) | Command::Reset | Command::ResetAssertions)
        };
        let rest = self.script.commands[command..].iter().position(ends);
        rest.map_or(u32::MAX, |distance| (command + distance) as u32)
    }

    /// Marks terms that use a name which a binder shadows somewhere.
    fn find_shadowed(&mut self, bound: &[Symbol]) {
        let theories = self.script.arena().signature().symbol_count();
        let is_other = |name: &&Symbol| name.index() < theories || self.declared.function(**name).is_some();
        self.shadowed = bound.iter().filter(is_other).copied().collect();
        if self.shadowed.is_empty() {
            return;
        }
        let arena = self.script.arena();
        for &term in &self.order {
            let own = match arena.view(term) {
                TermView::Application(head, _) => self.shadowed.contains(&head.symbol),
                _ => false,
            };
            let below = arena.children(term).iter().any(|child| self.facts[child.index()].shadowed);
            self.facts[term.index()].shadowed = own || below;
        }
    }

    /// Groups the movable terms by sort.
    fn fill_pool(&mut self) {
        let arena = self.script.arena();
        let mut counts = vec![0u32; arena.sort_count()];
        let is_movable = |facts: &TermFacts| {
            !facts.named
                && !facts.shadowed
                && !facts.fixed
                && facts.free != TOO_MANY_VARIABLES
                && facts.span.from < facts.span.to
        };
        self.order.retain(|&term| is_movable(&self.facts[term.index()]));
        for &term in &self.order {
            let sort = arena.sort_of(term);
            if counts[sort.index()] == 0 {
                self.sorts.push(sort);
            }
            counts[sort.index()] += 1;
        }
        self.ranges = vec![(0, 0); counts.len()];
        let mut start = 0;
        for &sort in &self.sorts {
            self.ranges[sort.index()] = (start, start);
            start += counts[sort.index()];
        }
        self.pool = self.order.clone();
        for &term in &self.order {
            let end = &mut self.ranges[arena.sort_of(term).index()].1;
            self.pool[*end as usize] = term;
            *end += 1;
        }
    }
}

/// State of the walk over all terms.
struct SurveyWalk {
    stack: Vec<(Term, usize)>,
    /// For each symbol, whether a binder binds it.
    bound: Vec<bool>,
    /// The symbols that a binder binds.
    names: Vec<Symbol>,
}

impl SurveyWalk {
    fn bind(&mut self, name: Symbol) {
        if !std::mem::replace(&mut self.bound[name.index()], true) {
            self.names.push(name);
        }
    }
}

/// Whether the terms of a command may be changed: assertions and definitions.
fn is_changeable(command: &Command) -> bool {
    matches!(command, Command::Term(Word::Assert, ..) | Command::Define(..) | Command::DefineFunsRec(_))
}

/// Whether a script sets its logic more than once, so that the same numeral may have different sorts.
fn changes_numerals(script: &Script) -> bool {
    let logics = script.commands.iter().filter(|command| matches!(command, Command::SetLogic(_)));
    logics.count() > 1
}
