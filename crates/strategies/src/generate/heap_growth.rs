//! Grows formulas about the heap of cvc5: cells have the sorts of the one heap that the script declares, which no rank can say.
//!
//! ```text
//! Bool   (pto L D)   sep.emp   (sep Bool Bool)   (wand Bool Bool)
//! L      (as sep.nil L)
//! ```

use gainsay_smt::print::sort_text;
use gainsay_smt::{Command, Head, Script, Sort, Term};

use super::growth::TermGrowth;

/// How often a Boolean leaf is a formula about the heap, in percent.
const HEAP_LEAF_PERCENT: usize = 60;

/// The sorts of locations and data of the heap that a script declares, if they are among these sorts.
pub(super) fn heap_sorts(script: &Script, sorts: &[Sort]) -> Option<(Sort, Sort)> {
    let arena = script.arena();
    let declared = script.commands.iter().find_map(|command| match command {
        Command::Plain(name, text) if arena.text(*name) == "declare-heap" => Some(arena.text(*text)),
        _ => None,
    })?;
    let pairs = sorts.iter().flat_map(|&location| sorts.iter().map(move |&data| (location, data)));
    let text = |(location, data): &(Sort, Sort)| {
        format!("({} {})", sort_text(arena, *location), sort_text(arena, *data))
    };
    pairs.into_iter().find(|pair| text(pair) == declared)
}

impl TermGrowth<'_> {
    /// A formula about the heap, or nil; `None` if the sort is neither that of formulas nor that of locations.
    pub(super) fn heap_form(&mut self, goal: Sort, depth: usize) -> Option<Term> {
        let (location, _) = self.vocabulary.heap?;
        match goal {
            Sort::BOOL => match self.rng.below(5) {
                0..=1 => self.star_or_wand("sep", depth),
                2 => self.star_or_wand("wand", depth),
                _ => self.heap_atom(depth),
            },
            _ if goal == location && self.rng.chance(1, 4) => {
                let nil = self.arena.symbol("sep.nil");
                let head = Head { symbol: nil, indices: &[], qualifier: Some(location) };
                Some(self.arena.application(head, &[], location))
            }
            _ => None,
        }
    }

    /// A formula about the heap in place of a Boolean leaf; `None` if the draw goes elsewhere.
    pub(super) fn heap_leaf(&mut self) -> Option<Term> {
        self.vocabulary.heap?;
        self.rng.chance(HEAP_LEAF_PERCENT, 100).then(|| self.heap_atom(1))?
    }

    /// `sep.emp` or `(pto location data)`
    fn heap_atom(&mut self, depth: usize) -> Option<Term> {
        if self.rng.chance(1, 4) {
            let empty = self.arena.symbol("sep.emp");
            return Some(self.arena.application(Head::plain(empty), &[], Sort::BOOL));
        }
        let (location, data) = self.vocabulary.heap?;
        let (location, data) = (self.heap_part(location, depth)?, self.heap_part(data, depth)?);
        let cell = self.arena.symbol("pto");
        Some(self.arena.application(Head::plain(cell), &[location, data], Sort::BOOL))
    }

    /// A location or its data: without formulas about the heap in it, so a Boolean is a constant.
    fn heap_part(&mut self, sort: Sort, depth: usize) -> Option<Term> {
        if sort == Sort::BOOL {
            return self.ready(sort);
        }
        let nil = if depth > 1 { self.heap_form(sort, depth) } else { None };
        nil.or_else(|| self.end(sort))
    }

    fn star_or_wand(&mut self, name: &str, depth: usize) -> Option<Term> {
        let count = if name == "sep" && self.rng.chance(1, 4) { 3 } else { 2 };
        let parts: Vec<Term> =
            (0..count).map(|_| self.term(Sort::BOOL, depth.saturating_sub(1))).collect::<Option<_>>()?;
        let symbol = self.arena.symbol(name);
        Some(self.arena.application(Head::plain(symbol), &parts, Sort::BOOL))
    }
}
