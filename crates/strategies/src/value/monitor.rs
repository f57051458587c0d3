//! Monitors: the parts of a skeleton that can be made true or false, as definitions for a solver.
//!
//! ```text
//! (assert (forall ((x Int)) (let ((y (+ x hole!0))) (< y hole!1))))
//!
//! (define-fun monitor!1 () Bool (exists ((x Int)) (let ((y (+ x hole!0))) (< y hole!1))))         can it be true?
//! (define-fun counter!1 () Bool (exists ((x Int)) (let ((y (+ x hole!0))) (not (< y hole!1)))))   can it be false?
//! ```
//!
//! A term with variables is coerced inside its binders: variables of a quantifier, function or comprehension become
//! existential, those of a `let` keep their definitions, those of a `match` case their match. Only terms that depend on
//! a hole are coerced; a model of any other term says nothing about the holes.

use std::collections::HashSet;

use gainsay_smt::print::{sort_text, symbol_text, term_text_within};
use gainsay_smt::{Command, Occurrences, Script, Sort, Term, TermView, Variable, Word, variables};

use super::domains::TermProperty;
use super::skeleton::Skeleton;
use crate::random::Rng;

/// Places of a skeleton that are considered.
const MAX_MONITORED_PLACES: usize = 20_000;

/// The longest definition, in bytes.
const MAX_DEFINITION_BYTES: usize = 20_000;

/// The most monitors of Boolean terms; more are sampled.
const MAX_BOOLEAN_MONITORS: usize = 100;

/// The most monitors of properties; more are sampled.
const MAX_PROPERTY_MONITORS: usize = 60;

/// A condition that can be made true or false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Monitor {
    /// A Boolean term saying that the condition is true for some values of the variables bound around it.
    pub yes: String,
    /// The same for false.
    pub no: String,
    /// The holes that it depends on.
    pub holes: Vec<usize>,
}

/// The monitors of a skeleton.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Monitors {
    /// First the conjunction of all assertions, then Boolean terms in the order of the text, then properties.
    pub list: Vec<Monitor>,
    /// The index of the conjunction of all assertions.
    pub whole: Option<usize>,
    /// Boolean terms that depend on a hole but cannot be monitored.
    pub unmonitored: usize,
}

/// The monitors of a skeleton: its Boolean terms, and properties of other terms, sampled if there are too many.
pub fn monitors(skeleton: &Skeleton, domains: &[TermProperty], rng: &mut Rng) -> Monitors {
    let mut finder = MonitorFinder::new(skeleton);
    let whole = finder.whole();
    let mut found = finder.booleans(rng);
    found.whole = whole.is_some().then_some(0);
    found.list.splice(0..0, whole);
    let properties = if domains.is_empty() { Vec::new() } else { finder.properties(domains, rng) };
    found.list.extend(properties);
    found
}

struct MonitorFinder<'a> {
    skeleton: &'a Skeleton,
    script: &'a Script,
    places: Occurrences,
    /// Places that can be monitored: not in patterns, not in recursive functions.
    open: Vec<usize>,
    /// Holes in the bodies of definitions.
    defined: Vec<usize>,
    seen: HashSet<String>,
}

impl<'a> MonitorFinder<'a> {
    fn new(skeleton: &'a Skeleton) -> MonitorFinder<'a> {
        let script = &skeleton.script;
        let places = Occurrences::of(script, MAX_MONITORED_PLACES);
        let arena = script.arena();
        let mut closed = vec![false; places.list().len()];
        for (place, occurrence) in places.list().iter().enumerate() {
            closed[place] = match occurrence.parent {
                Some((parent, child)) => {
                    let view = arena.view(places.list()[parent].term);
                    closed[parent] || child > 0 && matches!(view, TermView::Annotated(..))
                }
                None => !matches!(
                    &script.commands[occurrence.root.0],
                    Command::Term(Word::Assert, ..) | Command::Define(Word::DefineFun | Word::DefineConst, _)
                ),
            };
        }
        let open = (0..closed.len()).filter(|&place| !closed[place]).collect();
        let definitions = script
            .commands
            .iter()
            .filter(|command| matches!(command, Command::Define(..) | Command::DefineFunsRec(_)));
        let texts = definitions.map(|command| gainsay_smt::print::command_text(arena, command));
        let defined = skeleton.named_in(&texts.collect::<String>());
        MonitorFinder { skeleton, script, places, open, defined, seen: HashSet::new() }
    }

    /// The conjunction of all assertions; `None` if no assertion depends on a hole.
    fn whole(&mut self) -> Option<Monitor> {
        let assertions: Vec<Term> = self.script.assertions().collect();
        let texts = assertions.iter().map(|&term| self.text(term)).collect::<Option<Vec<String>>>()?;
        let yes = match texts.as_slice() {
            [one] => one.clone(),
            texts => format!("(and true {})", texts.join(" ")),
        };
        let no = format!("(not {yes})");
        let mut holes = self.skeleton.named_in(&yes);
        holes.extend(&self.defined);
        holes.sort_unstable();
        holes.dedup();
        let is_fit =
            no.len() <= 4 * MAX_DEFINITION_BYTES && !holes.is_empty() && self.seen.insert(yes.clone());
        is_fit.then_some(Monitor { yes, no, holes })
    }

    fn booleans(&mut self, rng: &mut Rng) -> Monitors {
        let arena = self.script.arena();
        let is_worthwhile = |&&place: &&usize| {
            let occurrence = &self.places.list()[place];
            let term = occurrence.term;
            occurrence.sort == Sort::BOOL
                && matches!(
                    arena.view(term),
                    TermView::Application(_, [_, ..]) | TermView::Bind(..) | TermView::Match(..)
                )
        };
        let mut candidates: Vec<usize> = self.open.iter().filter(is_worthwhile).copied().collect();
        rng.shuffle(&mut candidates);
        let mut found = Monitors::default();
        let mut kept = Vec::new();
        for place in candidates {
            if kept.len() == MAX_BOOLEAN_MONITORS {
                break;
            }
            let Some(text) = self.text(self.places.list()[place].term) else {
                found.unmonitored += 1;
                continue;
            };
            match self.monitor(&[place], &text) {
                Some(monitor) if monitor.holes.is_empty() => {}
                Some(monitor) => {
                    if self.seen.insert(monitor.yes.clone()) {
                        kept.push((place, monitor));
                    }
                }
                None => found.unmonitored += 1,
            }
        }
        kept.sort_by_key(|(place, _)| *place);
        found.list = kept.into_iter().map(|(_, monitor)| monitor).collect();
        found
    }

    fn properties(&mut self, domains: &[TermProperty], rng: &mut Rng) -> Vec<Monitor> {
        let mut candidates = self.candidates(domains, rng);
        rng.shuffle(&mut candidates);
        let mut kept = Vec::new();
        for (domain, places) in candidates {
            if kept.len() == MAX_PROPERTY_MONITORS {
                break;
            }
            let texts = places.iter().map(|&place| self.text(self.places.list()[place].term));
            let Some(texts) = texts.collect::<Option<Vec<String>>>() else { continue };
            let text = domain.of(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let Some(monitor) = self.monitor(&places, &text) else { continue };
            if !monitor.holes.is_empty() && self.seen.insert(monitor.yes.clone()) {
                kept.push(monitor);
            }
        }
        kept
    }

    /// Properties with the places that they apply to.
    fn candidates<'d>(
        &self,
        domains: &'d [TermProperty],
        rng: &mut Rng,
    ) -> Vec<(&'d TermProperty, Vec<usize>)> {
        let arena = self.script.arena();
        let term = |place: usize| self.places.list()[place].term;
        let sort = |place: usize| self.places.list()[place].sort;
        let head = |place: usize| arena.text(arena.view_sort(sort(place)).head);
        let is_fit = |&place: &usize| {
            sort(place) != Sort::BOOL && !matches!(arena.view(term(place)), TermView::Annotated(..))
        };
        let others: Vec<usize> = self.open.iter().copied().filter(is_fit).collect();
        let is_closed = |&place: &usize| variables::free(arena, term(place)).is_empty();
        let closed: Vec<usize> = others.iter().copied().filter(is_closed).collect();
        let mut found = Vec::new();
        for &place in others.iter().filter(|&&place| arena.is_sort_of_values(sort(place))) {
            for domain in domains.iter().filter(|domain| domain.fits(head(place))) {
                if !domain.is_of_two() {
                    found.push((domain, vec![place]));
                    continue;
                }
                let same = |other: usize| sort(other) == sort(place);
                let fits = |other: usize| domain.fits_second(head(other), same(other));
                // One draw instead of a search: there may be thousands of terms.
                let second = rng.choose(&closed).filter(|&&other| term(other) != term(place) && fits(other));
                found.extend(second.map(|&second| (domain, vec![place, second])));
            }
        }
        found
    }

    fn text(&self, term: Term) -> Option<String> {
        let text = term_text_within(self.script.arena(), term, MAX_DEFINITION_BYTES + 1);
        (text.len() <= MAX_DEFINITION_BYTES).then_some(text)
    }

    /// A monitor for a text at the first of these places; the terms at the others have no free variables.
    fn monitor(&self, places: &[usize], text: &str) -> Option<Monitor> {
        let arena = self.script.arena();
        let free = variables::free(arena, self.places.list()[places[0]].term);
        let (before, after) = self.around(places[0], free)?;
        let (yes, no) = (format!("{before}{text}{after}"), format!("{before}(not {text}){after}"));
        if no.len() > MAX_DEFINITION_BYTES {
            return None;
        }
        let mut holes = self.skeleton.named_in(&yes);
        let mentions = |place: &usize| mentions_definition(self.script, self.places.list()[*place].term);
        if !self.defined.is_empty() && places.iter().any(mentions) {
            holes.extend(&self.defined);
            holes.sort_unstable();
            holes.dedup();
        }
        Some(Monitor { yes, no, holes })
    }

    /// The binders around a place that bind its free variables, as text before and after it.
    fn around(&self, place: usize, free: Vec<Variable>) -> Option<(String, String)> {
        let mut wrapping = BinderWrapping { before: String::new(), after: String::new(), free };
        let mut here = place;
        while let Some((parent, child)) = self.places.list()[here].parent {
            self.wrap(&mut wrapping, self.places.list()[parent].term, child)?;
            here = parent;
        }
        let (command, position) = self.places.list()[here].root;
        let used = wrapping.take(self.script.commands[command].parameters(position));
        if !used.is_empty() {
            wrapping.put(&self.exists(&used), ")");
        }
        (wrapping.before.len() <= MAX_DEFINITION_BYTES).then_some((wrapping.before, wrapping.after))
    }

    /// Adds the binder of a term, for the variables that are used; `None` if it cannot be expressed.
    fn wrap(&self, wrapping: &mut BinderWrapping, term: Term, child: usize) -> Option<()> {
        let arena = self.script.arena();
        let view = arena.view(term);
        let bound = view.bound_in(child);
        let used = wrapping.take(bound);
        if used.is_empty() {
            return Some(());
        }
        let name = |variable: &Variable| symbol_text(arena, variable.name);
        match view {
            TermView::Let(_, values) => {
                let mut bindings = String::new();
                for (variable, &value) in bound.iter().zip(values).filter(|(one, _)| used.contains(one)) {
                    bindings += &format!("({} {})", name(variable), self.text(value)?);
                    wrapping.free.extend(variables::free(arena, value));
                }
                wrapping.put(&format!("(let ({bindings}) "), ")");
            }
            TermView::Bind(..) => wrapping.put(&self.exists(&used), ")"),
            TermView::Match(cases, children) => {
                let matched = self.text(children[0])?;
                wrapping.free.extend(variables::free(arena, children[0]));
                let names = bound.iter().map(name).collect::<Vec<_>>().join(" ");
                match cases.get(child - 1).constructor {
                    Some(constructor) => {
                        let constructor = symbol_text(arena, constructor);
                        let others = if cases.iter().count() > 1 { " (other! false)" } else { "" };
                        wrapping.put(
                            &format!("(match {matched} ((({constructor} {names}) "),
                            &format!("){others}))"),
                        );
                    }
                    None => wrapping.put(&format!("(let (({names} {matched})) "), ")"),
                }
            }
            _ => return None,
        }
        (wrapping.before.len() <= MAX_DEFINITION_BYTES).then_some(())
    }

    fn exists(&self, bound: &[Variable]) -> String {
        let arena = self.script.arena();
        let variable = |variable: &Variable| {
            format!("({} {})", symbol_text(arena, variable.name), sort_text(arena, variable.sort))
        };
        format!("(exists ({}) ", bound.iter().map(variable).collect::<String>())
    }
}

/// A text with the binders of its variables, added from the inside out.
struct BinderWrapping {
    before: String,
    after: String,
    /// The variables that are not bound yet.
    free: Vec<Variable>,
}

impl BinderWrapping {
    /// Binds variables; returns those that were free.
    fn take(&mut self, bound: &[Variable]) -> Vec<Variable> {
        let is_free = |variable: &&Variable| self.free.iter().any(|other| other.name == variable.name);
        let used = bound.iter().filter(is_free).copied().collect();
        self.free.retain(|variable| bound.iter().all(|other| other.name != variable.name));
        used
    }

    fn put(&mut self, before: &str, after: &str) {
        self.before.insert_str(0, before);
        self.after.push_str(after);
    }
}

/// Whether a term uses a function that the script defines.
fn mentions_definition(script: &Script, term: Term) -> bool {
    let arena = script.arena();
    let defined: HashSet<_> = script
        .commands
        .iter()
        .flat_map(|command| match command {
            Command::Define(_, definition) => vec![definition.name],
            Command::DefineFunsRec(definitions) => definitions.iter().map(|d| d.name).collect(),
            _ => Vec::new(),
        })
        .collect();
    let applies =
        |term| matches!(arena.view(term), TermView::Application(head, _) if defined.contains(&head.symbol));
    arena.reachable([term]).any(applies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use crate::value::domains;
    use gainsay_smt::Signature;

    fn of(text: &str, domains: &[TermProperty]) -> Monitors {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let skeleton = Skeleton::of(&script).unwrap();
        monitors(&skeleton, domains, &mut RandomStream::new(1).rng())
    }

    fn yes(text: &str) -> Vec<String> {
        of(text, &[]).list.into_iter().map(|monitor| monitor.yes).collect()
    }

    #[test]
    fn boolean_terms_that_depend_on_a_hole_are_monitored() {
        let found = yes("(declare-const x Int)(declare-const p Bool)(assert (or p (and p p) (< x 3)))");
        assert_eq!(found, ["(or p (and p p) (< x hole!0))", "(< x hole!0)"]);
        let found = yes("(declare-const x Int)(assert (< x 3))(assert (< 1 x))");
        assert_eq!(found[0], "(and true (< x hole!0) (< hole!1 x))", "all that is asserted");
    }

    #[test]
    fn variables_are_bound_as_they_are_around_the_term() {
        let found = of("(assert (forall ((x Int) (z Int)) (let ((y (+ x 1))) (< y 2))))", &[]).list;
        let inner = found.iter().find(|monitor| monitor.yes.starts_with("(exists")).unwrap();
        assert_eq!(inner.yes, "(exists ((x Int)) (let ((y (+ x hole!0))) (< y hole!1)))");
        assert_eq!(inner.no, "(exists ((x Int)) (let ((y (+ x hole!0))) (not (< y hole!1))))");
        assert_eq!(inner.holes, [0, 1]);
    }

    #[test]
    fn cases_are_looked_at_where_they_match() {
        let found = yes("(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)\
             (assert (match l ((nil true) ((cons h t) (< h 4)))))");
        assert!(
            found.contains(&"(match l (((cons h t) (< h hole!1)) (other! false)))".to_owned()),
            "{found:?}"
        );
    }

    #[test]
    fn parameters_of_definitions_have_some_value() {
        let found = yes("(define-fun f ((x Int)) Bool (< x 3))(declare-const y Int)(assert (not (f y)))");
        assert_eq!(found, ["(not (f y))", "(exists ((x Int)) (< x hole!0))", "(f y)"]);
    }

    #[test]
    fn properties_of_other_terms_are_monitored_too() {
        let text = "(declare-const s String)(assert (str.in_re (str.++ s \"a\") (str.to_re \"b\")))";
        let found = of(text, &domains::standard()).list;
        let has = |wanted: &str| found.iter().any(|monitor| monitor.yes == wanted);
        assert!(has("(= (str.len hole!0) 0)"), "{found:#?}");
        assert!(has("(str.in_re (str.++ s hole!0) (str.to_re hole!1))"), "the Boolean term itself");
        assert!(!found.iter().any(|monitor| monitor.holes.is_empty()));
    }
}
