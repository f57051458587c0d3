//! Replaces short terms by the simplest values of their sorts: all occurrences at once, then place by place.
//!
//! ```text
//! (< (+ x (f y)) (str.len s))   ⇒   (< 0 (str.len s))   ⇒   (< 0 0)   ⇒   false
//! ```

use gainsay_smt::operator_facts;
use gainsay_smt::print::term_text;
use gainsay_smt::{Command, Head, Index, Literal, Script, Sort, Symbol, Term, TermView};
use rustc_hash::FxHashMap;

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Replaces short terms by values.
pub struct TermToValue;

/// A term that is not longer than this is short.
const MAX_SHORT_TERM_BYTES: usize = 48;

impl Pass for TermToValue {
    fn name(&self) -> &'static str {
        "term-to-value"
    }

    fn about(&self) -> &'static str {
        "replaces short terms by the simplest values of their sorts"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<ScriptChange>> {
        replace_by_values(script, view, places_of_short_terms(view))
    }
}

/// The places of short terms. Long ones were tried in other ways, and are seldom as good as a value.
pub fn places_of_short_terms(view: &ScriptView) -> Vec<usize> {
    let list = view.places.list();
    view.changeable()
        .into_iter()
        .filter(|&place| view.bytes(list[place].term) <= MAX_SHORT_TERM_BYTES)
        .collect()
}

/// Changes that replace the terms in these places by values.
pub fn replace_by_values(
    script: &mut Script,
    view: &ScriptView,
    places: Vec<usize>,
) -> Vec<Vec<ScriptChange>> {
    let nullary = nullary_constructors(script);
    let useless: Vec<Vec<&str>> = operator_facts::lines("useless").collect();
    let mut values: FxHashMap<Sort, Vec<Term>> = FxHashMap::default();
    let mut batches: Vec<Vec<ScriptChange>> = vec![Vec::new(); 4];
    for place in places {
        let occurrence = view.places.list()[place];
        let values = values
            .entry(occurrence.sort)
            .or_insert_with(|| simplest_values(script, occurrence.sort, &nullary));
        if values.contains(&occurrence.term) {
            continue;
        }
        // A value that is no shorter can only help if it replaces all occurrences.
        let everywhere = view.is_first(place) && is_closed(script, occurrence.term);
        let literal = matches!(script.arena().view(occurrence.term), TermView::Literal(..));
        for (number, &value) in values.iter().enumerate().take(2) {
            let shorter = term_text(script.arena(), value).len() < view.bytes(occurrence.term);
            if everywhere && (view.count(occurrence.term) > 1 || !shorter && !literal) {
                batches[2 * number].push(ScriptChange::ReplaceEverywhere(occurrence.term, value));
            }
            let promising = number == 0 || occurrence.sort == Sort::BOOL;
            if shorter && promising && !is_useless(&useless, script, view, place, value) {
                batches[2 * number + 1].push(ScriptChange::ReplaceAt(place, value));
            }
        }
    }
    batches
}

/// Whether other changes do the same as a value in a place, in a shorter way.
fn is_useless(useless: &[Vec<&str>], script: &Script, view: &ScriptView, place: usize, value: Term) -> bool {
    let value = term_text(script.arena(), value);
    let Some((parent, _)) = view.places.list()[place].parent else {
        // Instead of asserting `true`, drop the assertion.
        return value == "true";
    };
    let TermView::Application(head, _) = script.arena().view(view.places.list()[parent].term) else {
        return false;
    };
    let operator = script.arena().text(head.symbol);
    useless.iter().any(|line| line[0] == value && line[1..].contains(&operator))
}

/// Whether a term is not a bound variable, whose meaning depends on the place.
fn is_closed(script: &Script, term: Term) -> bool {
    !matches!(script.arena().view(term), TermView::Variable(_))
}

/// The simplest values of a sort, the best first; empty if its values are long or have no names.
fn simplest_values(
    script: &mut Script,
    sort: Sort,
    constructors: &FxHashMap<Sort, Vec<Symbol>>,
) -> Vec<Term> {
    let (head, width) = {
        let view = script.arena().view_sort(sort);
        (script.arena().text(view.head).to_owned(), view.indices.first().and_then(|index| index.numeral()))
    };
    let indices = script.arena().view_sort(sort).indices.to_vec();
    let arena = script.arena_mut();
    match (head.as_str(), width) {
        ("Bool", _) => vec![constant(script, "false", sort), constant(script, "true", sort)],
        ("Int", _) => ["0", "1"].map(|text| arena.literal(Literal::Numeral, text, sort)).to_vec(),
        ("Real", _) => ["0.0", "1.0"].map(|text| arena.literal(Literal::Decimal, text, sort)).to_vec(),
        ("String", _) => vec![arena.literal(Literal::String, "\"\"", sort)],
        ("RegLan", _) => vec![constant(script, "re.none", sort), constant(script, "re.allchar", sort)],
        ("RoundingMode", _) => vec![constant(script, "RNE", sort)],
        ("BitVec", Some(width)) => bit_vectors(script, width, sort),
        ("FloatingPoint", _) => {
            let symbol = script.arena_mut().symbol("+zero");
            vec![script.arena_mut().application(
                Head { symbol, indices: &indices, qualifier: None },
                &[],
                sort,
            )]
        }
        _ => constructors
            .get(&sort)
            .into_iter()
            .flatten()
            .take(2)
            .map(|&name| script.arena_mut().application(Head::plain(name), &[], sort))
            .collect(),
    }
}

fn constant(script: &mut Script, name: &str, sort: Sort) -> Term {
    let symbol = script.arena_mut().symbol(name);
    script.arena_mut().application(Head::plain(symbol), &[], sort)
}

/// 0 and 1 in the shortest spelling.
fn bit_vectors(script: &mut Script, width: u32, sort: Sort) -> Vec<Term> {
    let arena = script.arena_mut();
    let value = |last: char| format!("#b{}{last}", "0".repeat(width as usize - 1));
    if width <= 8 {
        return ['0', '1'].map(|last| arena.literal(Literal::Binary, &value(last), sort)).to_vec();
    }
    let mut of = |name: &str| {
        let symbol = arena.symbol(name);
        arena.application(Head { symbol, indices: &[Index::Numeral(width)], qualifier: None }, &[], sort)
    };
    vec![of("bv0"), of("bv1")]
}

/// The constructors without fields of monomorphic datatypes, by sort.
fn nullary_constructors(script: &Script) -> FxHashMap<Sort, Vec<Symbol>> {
    let mut found: FxHashMap<Sort, Vec<Symbol>> = FxHashMap::default();
    for command in &script.commands {
        let Command::DeclareDatatypes(_, datatypes) = command else { continue };
        for datatype in datatypes.iter().filter(|datatype| datatype.parameters.is_empty()) {
            let Some(sort) = script.arena().find_sort(datatype.name, &[]) else { continue };
            let nullary = datatype.constructors.iter().filter(|constructor| constructor.fields.is_empty());
            found.entry(sort).or_default().extend(nullary.map(|constructor| constructor.name));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{changed_texts, check};

    #[test]
    fn short_terms_become_values_and_long_ones_are_left_to_other_passes() {
        let script = |term: &str| format!("(declare-const x Int)(assert (< x {term}))");
        check(&TermToValue, &script("(+ x 1)"), &script("0"));
        let long = script(&format!("(+ x {})", "1 ".repeat(MAX_SHORT_TERM_BYTES)));
        assert!(!changed_texts(&TermToValue, &long).iter().any(|text| text.contains("(< x 0)")));
    }
}
