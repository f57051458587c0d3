//! Terms replaced by the simplest values of their sorts: everywhere at once, then place by place.
//!
//! ```text
//! (< (+ x (f y)) (str.len s))   ⇒   (< 0 (str.len s))   ⇒   (< 0 0)   ⇒   false
//! ```

use gainsay_smt::print::term_text;
use gainsay_smt::{Command, Head, Index, Literal, Script, Sort, Symbol, Term, View as TermView};
use rustc_hash::FxHashMap;

use super::{Change, Pass, View};
use crate::facts;

/// Replaces long terms by values.
pub struct Large;

/// Replaces terms by values.
pub struct Constant;

/// A term is long if it has one in so many bytes of all,
const SHARE: usize = 8;
/// and more than so many.
const LONG: usize = 160;

/// A term is short if it has no more bytes than this.
const SHORT: usize = 48;

impl Pass for Large {
    fn name(&self) -> &'static str {
        "large"
    }

    fn about(&self) -> &'static str {
        "replaces long terms by the simplest values of their sorts"
    }

    fn changes(&self, script: &mut Script, view: &View) -> Vec<Vec<Change>> {
        let all: usize = script.commands.iter().flat_map(Command::terms).map(|term| view.bytes(term)).sum();
        let list = view.places.list();
        let is_long = |place: &usize| view.bytes(list[*place].term) > LONG.max(all / SHARE);
        let places = view.changeable().into_iter().filter(is_long).collect();
        in_places(script, view, places)
    }
}

impl Pass for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn about(&self) -> &'static str {
        "replaces terms by the simplest values of their sorts"
    }

    fn changes(&self, script: &mut Script, view: &View) -> Vec<Vec<Change>> {
        in_places(script, view, short(view))
    }
}

/// The places of terms that are not long: what is, was tried to be left out in other ways, and is seldom a mere value.
pub fn short(view: &View) -> Vec<usize> {
    let list = view.places.list();
    view.changeable().into_iter().filter(|&place| view.bytes(list[place].term) <= SHORT).collect()
}

fn in_places(script: &mut Script, view: &View, places: Vec<usize>) -> Vec<Vec<Change>> {
    let nullary = nullary_constructors(script);
    let useless: Vec<Vec<&str>> = facts::lines("useless").collect();
    let mut values: FxHashMap<Sort, Vec<Term>> = FxHashMap::default();
    let mut batches: Vec<Vec<Change>> = vec![Vec::new(); 4];
    for place in places {
        let occurrence = view.places.list()[place];
        let values =
            values.entry(occurrence.sort).or_insert_with(|| simplest(script, occurrence.sort, &nullary));
        if values.contains(&occurrence.term) {
            continue;
        }
        // What is no shorter in one place can only help if it is gone from everywhere.
        let everywhere = view.is_first(place) && is_closed(script, occurrence.term);
        let literal = matches!(script.arena().view(occurrence.term), TermView::Literal(..));
        for (number, &value) in values.iter().enumerate().take(2) {
            let shorter = term_text(script.arena(), value).len() < view.bytes(occurrence.term);
            if everywhere && (view.count(occurrence.term) > 1 || !shorter && !literal) {
                batches[2 * number].push(Change::Replace(occurrence.term, value));
            }
            let promising = number == 0 || occurrence.sort == Sort::BOOL;
            if shorter && promising && !is_useless(&useless, script, view, (place, value)) {
                batches[2 * number + 1].push(Change::Place(place, value));
            }
        }
    }
    batches
}

/// Whether a value in a place only does what other changes do with less.
fn is_useless(useless: &[Vec<&str>], script: &Script, view: &View, (place, value): (usize, Term)) -> bool {
    let value = term_text(script.arena(), value);
    let Some((parent, _)) = view.places.list()[place].parent else {
        // An assertion of what is true is one that can be left out.
        return value == "true";
    };
    let TermView::Application(head, _) = script.arena().view(view.places.list()[parent].term) else {
        return false;
    };
    let operator = script.arena().text(head.symbol);
    useless.iter().any(|line| line[0] == value && line[1..].contains(&operator))
}

/// Whether a term is no bound variable, which means something else in other places.
fn is_closed(script: &Script, term: Term) -> bool {
    !matches!(script.arena().view(term), TermView::Variable(_))
}

/// The simplest values of a sort, the best first; none of a sort whose values are long or have no names.
pub fn simplest(script: &mut Script, sort: Sort, constructors: &FxHashMap<Sort, Vec<Symbol>>) -> Vec<Term> {
    let (head, width) = {
        let view = script.arena().view_sort(sort);
        (script.arena().text(view.head).to_owned(), view.indices.first().and_then(|index| index.numeral()))
    };
    let indices = script.arena().view_sort(sort).indices.to_vec();
    let arena = script.arena_mut();
    match (head.as_str(), width) {
        ("Bool", _) => vec![named(script, "false", sort), named(script, "true", sort)],
        ("Int", _) => ["0", "1"].map(|text| arena.literal(Literal::Numeral, text, sort)).to_vec(),
        ("Real", _) => ["0.0", "1.0"].map(|text| arena.literal(Literal::Decimal, text, sort)).to_vec(),
        ("String", _) => vec![arena.literal(Literal::String, "\"\"", sort)],
        ("RegLan", _) => vec![named(script, "re.none", sort), named(script, "re.allchar", sort)],
        ("RoundingMode", _) => vec![named(script, "RNE", sort)],
        ("BitVec", Some(width)) => bits(script, width, sort),
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

fn named(script: &mut Script, name: &str, sort: Sort) -> Term {
    let symbol = script.arena_mut().symbol(name);
    script.arena_mut().application(Head::plain(symbol), &[], sort)
}

/// All bits 0, then all but the last, in the shortest spelling.
fn bits(script: &mut Script, width: u32, sort: Sort) -> Vec<Term> {
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

/// The constructors without fields of the datatypes without parameters, by sort.
pub fn nullary_constructors(script: &Script) -> FxHashMap<Sort, Vec<Symbol>> {
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
    use crate::reduce::check::{check, outcomes};

    #[test]
    fn short_terms_become_values_and_long_ones_are_left_to_other_passes() {
        let script = |term: &str| format!("(declare-const x Int)(assert (< x {term}))");
        check(&Constant, &script("(+ x 1)"), &script("0"));
        let long = script(&format!("(+ x {})", "1 ".repeat(SHORT)));
        assert!(!outcomes(&Constant, &long).iter().any(|text| text.contains("(< x 0)")));
    }

    #[test]
    fn only_what_is_much_of_the_script_is_long() {
        let term = format!("(+ {})", "1 ".repeat(LONG));
        check(&Large, &format!("(assert (< 1 {term}))"), "(assert (< 1 0))");
        let others = "(assert (< 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20))".repeat(LONG);
        assert!(outcomes(&Large, &format!("{others}(assert (< 1 {term}))")).is_empty());
    }
}
