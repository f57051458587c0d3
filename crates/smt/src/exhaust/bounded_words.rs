//! Strings and sequences whose length and letters the assertions bound, and characters between two others: all of them can be listed.
//!
//! ```text
//! (assert (<= (str.len x) 2))
//! (assert (str.in_re x (re.* (re.union (str.to_re "a") (str.to_re "b")))))      "" "a" "b" "aa" "ab" "ba" "bb"
//! ```

use std::collections::BTreeMap;

use dashu_int::IBig;

use super::bounds::Bounds;
use super::domains::PointDomain;
use super::program::Program;
use super::words::WordKind;
use crate::sort::Sort;
use crate::term::{Term, TermView};
use crate::text::Text;
use crate::theory_view::TheoryView;
use crate::value::{Bag, Value};

/// The most words that are listed.
const MAX_LISTED_WORDS: usize = 1 << 12;
/// The greatest code point that z3 and the standard know.
const MAX_CHARACTER: u32 = 0x2ffff;
/// The most letters of a range of characters.
const MAX_RANGE_LETTERS: u32 = 16;

/// All values of a constant that is a string or a sequence, if its length and its letters are bounded, or a character.
pub(super) fn word_domain(
    terms: &TheoryView<'_>,
    bounds: &Bounds,
    program: &mut Program<'_>,
    constant: Term,
    sort: Sort,
) -> Option<PointDomain> {
    let view = terms.view_sort(sort);
    let values = if terms.text(view.head) == "Unicode" {
        characters(bounds, constant)?
    } else {
        words_up_to(terms, bounds, program, constant, sort)?
    };
    let words: Option<Vec<u64>> =
        values.iter().map(|value| program.words.word(WordKind::Numbered, value)).collect();
    Some(PointDomain::list(words?))
}

/// The characters within the bounds of a constant.
fn characters(bounds: &Bounds, constant: Term) -> Option<Vec<Value>> {
    let interval = bounds.interval(constant);
    let least = u32::try_from(interval.least.unwrap_or(0).max(0)).ok()?;
    let last = interval.greatest?.min(MAX_CHARACTER.into());
    // A bound below zero leaves no character.
    let end = u32::try_from(last + 1).unwrap_or(0);
    let is_short = end.saturating_sub(least) as usize <= MAX_LISTED_WORDS;
    is_short.then(|| (least..end).map(Value::Character).collect())
}

/// The strings or sequences up to the greatest length of a constant.
fn words_up_to(
    terms: &TheoryView<'_>,
    bounds: &Bounds,
    program: &mut Program<'_>,
    constant: Term,
    sort: Sort,
) -> Option<Vec<Value>> {
    let longest = usize::try_from(bounds.length(terms, constant)?).ok()?;
    let view = terms.view_sort(sort);
    Some(if sort == Sort::STRING {
        let mut memberships = bounds.memberships(constant);
        let letters = memberships.find_map(|language| letters(terms, program, language))?;
        let all = listed(&letters, longest)?.into_iter();
        all.map(|codes| Text::new(codes).map(Value::Text)).collect::<Option<Vec<Value>>>()?
    } else if terms.text(view.head) == "Seq" {
        let elements = program.evaluator.all_values(*view.arguments.first()?)?;
        listed(&elements, longest)?.into_iter().map(Value::sequence).collect()
    } else {
        return None;
    })
}

/// All bags within one; `None` if they are too many.
pub(super) fn bags_within(whole: &Bag) -> Option<Vec<Value>> {
    let mut all: Vec<BTreeMap<Value, IBig>> = vec![BTreeMap::new()];
    for (element, count) in whole.counts() {
        let count =
            usize::try_from(count).ok().filter(|count| (count + 1) * all.len() <= MAX_LISTED_WORDS)?;
        let start = std::mem::take(&mut all);
        for number in 0..=count {
            all.extend(start.iter().map(|bag| {
                let mut bag = bag.clone();
                bag.insert(element.clone(), IBig::from(number));
                bag
            }));
        }
    }
    all.into_iter().map(Value::bag).collect()
}

/// All words over some letters up to a length; `None` if they are too many.
fn listed<T: Clone>(letters: &[T], longest: usize) -> Option<Vec<Vec<T>>> {
    let mut all: Vec<Vec<T>> = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..longest {
        let end = all.len();
        if (end - start).checked_mul(letters.len())?.checked_add(end)? > MAX_LISTED_WORDS {
            return None;
        }
        for place in start..end {
            let longer =
                letters.iter().map(|letter| [&all[place][..], std::slice::from_ref(letter)].concat());
            let longer: Vec<Vec<T>> = longer.collect();
            all.extend(longer);
        }
        if all.len() == end {
            break;
        }
        start = end;
    }
    Some(all)
}

/// The letters of all words of a regular expression, or more; `None` if any letter can occur.
fn letters(terms: &TheoryView<'_>, program: &mut Program<'_>, language: Term) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    let mut open = vec![language];
    while let Some(term) = open.pop() {
        let TermView::Application(head, children) = terms.view(term) else { return None };
        match terms.text(head.symbol) {
            "str.to_re" | "str.to.re" | "seq.to.re" => found.extend(literal(terms, program, children[0])?),
            "re.range" => {
                let ends: Option<Vec<Vec<u32>>> =
                    children.iter().map(|&child| literal(terms, program, child)).collect();
                match ends?.as_slice() {
                    [first, last] if first.len() == 1 && last.len() == 1 => {
                        let (first, last) = (first[0], last[0]);
                        if last >= first.saturating_add(MAX_RANGE_LETTERS) {
                            return None;
                        }
                        found.extend(first..=last);
                    }
                    _ => return None,
                }
            }
            "re.*" | "re.+" | "re.opt" | "re.++" | "re.union" | "re.loop" | "re.^" | "re.none" => {
                open.extend(children.iter().filter(|&&child| terms.sort_of(child) == Sort::REGLAN));
            }
            _ => return None,
        }
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

fn literal(terms: &TheoryView<'_>, program: &mut Program<'_>, term: Term) -> Option<Vec<u32>> {
    match (terms.view(term), program.evaluator.value(term)) {
        (TermView::Literal(..), Ok(Value::Text(text))) => Some(text.to_vec()),
        _ => None,
    }
}
