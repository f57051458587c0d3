//! Adds an inequality that follows from an existing one.
//!
//! ```text
//! (< x 10)         becomes   (and (< x 10) (< x 11))
//! (>= (+ x y) z)   becomes   (and (>= (+ x y) z) (>= (+ (+ x y) 1) z))
//! (bvult b #x0F)   becomes   (and (bvult b #x0F) (bvule b #x0F))
//! ```
//!
//! A conjunction with an implied term is equivalent to the term. A bit-vector sum may wrap around, so bit vectors get
//! the weaker relation, or the next literal if there is one.

use gainsay_smt::{Arena, Head, Literal, Sort, Symbol, Term, TermView};

use super::place::shown;
use super::{HornMutant, HornMutation, HornSource};
use crate::random::Rng;

/// Adds a weaker inequality to an inequality.
pub struct AddInequality;

impl HornMutation for AddInequality {
    fn name(&self) -> &'static str {
        "add-ineq"
    }

    fn apply(&self, source: &HornSource<'_>, rng: &mut Rng) -> Option<HornMutant> {
        let arena = source.script.arena();
        let place = source.draw(rng, |term| is_inequality(arena, term))?;
        let old = source.places().list()[place].term;
        let mut script = source.script.clone();
        let weaker = weaker(script.arena_mut(), old)?;
        let new = script.arena_mut().application(Head::plain(Symbol::AND), &[old, weaker], Sort::BOOL);
        let words = shown(&script, old, new);
        Some(source.edit(script, place, new, words))
    }
}

fn is_inequality(arena: &Arena, term: Term) -> bool {
    let TermView::Application(head, &[left, right]) = arena.view(term) else { return false };
    let number = |term: Term| [Sort::INT, Sort::REAL].contains(&arena.sort_of(term));
    match head.symbol {
        Symbol::LESS | Symbol::AT_MOST | Symbol::GREATER | Symbol::AT_LEAST => number(left) && number(right),
        other => bit_vector_relation(arena.text(other)).is_some(),
    }
}

/// A bit-vector comparison.
struct BitVectorRelation {
    /// The non-strict comparison in the same direction.
    weak: &'static str,
    is_strict: bool,
    /// Whether the right argument is the greater one.
    is_upward: bool,
    is_signed: bool,
}

fn bit_vector_relation(name: &str) -> Option<BitVectorRelation> {
    let (weak, is_signed, is_upward, is_strict) = match name {
        "bvult" => ("bvule", false, true, true),
        "bvule" => ("bvule", false, true, false),
        "bvugt" => ("bvuge", false, false, true),
        "bvuge" => ("bvuge", false, false, false),
        "bvslt" => ("bvsle", true, true, true),
        "bvsle" => ("bvsle", true, true, false),
        "bvsgt" => ("bvsge", true, false, true),
        "bvsge" => ("bvsge", true, false, false),
        _ => return None,
    };
    Some(BitVectorRelation { weak, is_strict, is_upward, is_signed })
}

/// An inequality that follows from this one.
fn weaker(arena: &mut Arena, term: Term) -> Option<Term> {
    let TermView::Application(head, &[left, right]) = arena.view(term) else { return None };
    let symbol = head.symbol;
    let (left, right) = match symbol {
        Symbol::LESS | Symbol::AT_MOST => (left, one_more(arena, right)?),
        Symbol::GREATER | Symbol::AT_LEAST => (one_more(arena, left)?, right),
        _ => return weaker_bit_vectors(arena, symbol, left, right),
    };
    Some(arena.application(Head::plain(symbol), &[left, right], Sort::BOOL))
}

/// The term plus one: another literal, or a sum. `None` for an `Int` in a logic where numerals are `Real`.
fn one_more(arena: &mut Arena, term: Term) -> Option<Term> {
    let sort = arena.sort_of(term);
    if let TermView::Literal(Literal::Numeral, spelling) = arena.view(term)
        && let Ok(value) = arena.text(spelling).parse::<u64>()
        && let Some(next) = value.checked_add(1)
    {
        return Some(arena.literal(Literal::Numeral, &next.to_string(), sort));
    }
    let one = match sort {
        Sort::REAL => arena.literal(Literal::Decimal, "1.0", sort),
        _ if arena.has_int_numerals() => arena.literal(Literal::Numeral, "1", sort),
        _ => return None,
    };
    Some(arena.application(Head::plain(Symbol::PLUS), &[term, one], sort))
}

fn weaker_bit_vectors(arena: &mut Arena, symbol: Symbol, left: Term, right: Term) -> Option<Term> {
    let relation = bit_vector_relation(arena.text(symbol))?;
    let weak = arena.symbol(relation.weak);
    if relation.is_strict {
        return Some(arena.application(Head::plain(weak), &[left, right], Sort::BOOL));
    }
    // The greatest literal has no successor.
    let (left, right) = match relation.is_upward {
        true => (left, next_literal(arena, right, relation.is_signed)?),
        false => (next_literal(arena, left, relation.is_signed)?, right),
    };
    Some(arena.application(Head::plain(weak), &[left, right], Sort::BOOL))
}

/// The successor of a bit-vector literal; `None` for other terms and for the greatest literal.
fn next_literal(arena: &mut Arena, term: Term, is_signed: bool) -> Option<Term> {
    let TermView::Literal(kind, spelling) = arena.view(term) else { return None };
    let digits = arena.text(spelling).get(2..)?;
    let (base, bits) = match kind {
        Literal::Binary => (2, digits.len()),
        Literal::Hexadecimal => (16, digits.len() * 4),
        _ => return None,
    };
    let value = u64::from_str_radix(digits, base).ok().filter(|_| bits < 64)?;
    let greatest = if is_signed { (1 << (bits - 1)) - 1 } else { (1 << bits) - 1 };
    let next = (value != greatest).then(|| (value + 1) & ((1 << bits) - 1))?;
    let text = format!("#b{next:0bits$b}");
    let sort = arena.sort_of(term);
    Some(arena.literal(Literal::Binary, &text, sort))
}
