//! Shorter ways of writing the same script.
//!
//! ```text
//! (declare-fun x () (_ FloatingPoint 8 24))   becomes   (declare-const x Float32)
//! (_ bv255 8), roundNearestTiesToEven         becomes   #xff, RNE
//! ```

use gainsay_smt::{Arena, Command, Head, Index, Literal, Script, Sort, Symbol, Term, View as TermView, Word};

use super::{Pass, Phase};
use crate::change::Change;
use crate::change::rewrite_script;
use crate::rewrite::{RewriteRule, rewritten};
use crate::script_view::ScriptView;

/// The pass.
pub struct ShorterSpelling;

/// Longer and shorter names of the same things.
const NAMES: [(&str, &str); 5] = [
    ("roundNearestTiesToEven", "RNE"),
    ("roundNearestTiesToAway", "RNA"),
    ("roundTowardPositive", "RTP"),
    ("roundTowardNegative", "RTN"),
    ("roundTowardZero", "RTZ"),
];

/// Formats with a name of their own.
pub const NAMED_FORMATS: [(&str, (u32, u32)); 4] =
    [("Float16", (5, 11)), ("Float32", (8, 24)), ("Float64", (11, 53)), ("Float128", (15, 113))];

impl Pass for ShorterSpelling {
    fn name(&self) -> &'static str {
        "shorter-spelling"
    }

    fn about(&self) -> &'static str {
        "writes the same in a shorter way"
    }

    fn phase(&self) -> Phase {
        Phase::Restyle
    }

    fn changes(&self, _: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let kinds =
            [&[Kind::Command, Kind::Sort, Kind::Term][..], &[Kind::Command], &[Kind::Sort], &[Kind::Term]];
        vec![
            kinds
                .into_iter()
                .map(|kinds| rewrite_script(move |script| rewritten(script, &mut Shorter { kinds })))
                .collect(),
        ]
    }
}

/// What is written in another way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Command,
    Sort,
    Term,
}

/// Writes things in a shorter way.
struct Shorter {
    kinds: &'static [Kind],
}

impl RewriteRule for Shorter {
    fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Option<Sort> {
        let view = arena.view_sort(sort);
        let [Index::Numeral(eb), Index::Numeral(sb)] = view.indices else { return None };
        let is_wanted = view.head == Symbol::FLOATING_POINT && self.kinds.contains(&Kind::Sort);
        let (name, _) = NAMED_FORMATS.iter().find(|(_, format)| is_wanted && *format == (*eb, *sb))?;
        let name = arena.symbol(name);
        Some(arena.sort(name, &[], &[]))
    }

    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let TermView::Application(head, _) = arena.view(old) else { return None };
        if !children.is_empty() || !self.kinds.contains(&Kind::Term) {
            return None;
        }
        let (name, sort) = (arena.text(head.symbol), arena.sort_of(old));
        if let ([Index::Numeral(width)], Some(number)) = (head.indices, name.strip_prefix("bv")) {
            let literal = literal(number.parse().ok()?, *width);
            let is_shorter = literal.len() <= name.len() + width.to_string().len() + 5;
            let kind = if literal.starts_with("#x") { Literal::Hexadecimal } else { Literal::Binary };
            return is_shorter.then(|| arena.literal(kind, &literal, sort));
        }
        let (_, short) = NAMES.iter().find(|(long, _)| *long == name && sort == Sort::ROUNDING_MODE)?;
        let short = arena.symbol(short);
        Some(arena.application(Head::plain(short), &[], sort))
    }

    fn command(&mut self, _: &mut Arena, command: &Command) -> Vec<Command> {
        let is_wanted = self.kinds.contains(&Kind::Command);
        vec![match command {
            Command::Declare(Word::DeclareFun, name, parameters, result)
                if parameters.is_empty() && is_wanted =>
            {
                Command::Declare(Word::DeclareConst, *name, parameters.clone(), *result)
            }
            other => other.clone(),
        }]
    }
}

/// A bit vector by its digits.
fn literal(number: u128, width: u32) -> String {
    let width = width as usize;
    if width.is_multiple_of(4) {
        let digits = width / 4;
        return format!("#x{number:0digits$x}");
    }
    format!("#b{number:0width$b}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::check;

    #[test]
    fn the_same_is_written_in_a_shorter_way() {
        check(
            &ShorterSpelling,
            "(declare-fun x () (_ FloatingPoint 8 24))(declare-fun b () (_ BitVec 8))\
             (assert (= x (fp.add roundTowardZero x x)))(assert (= b (_ bv255 8) ((_ extract 63 56) (_ bv0 64))))",
            "(declare-const x Float32)(declare-const b (_ BitVec 8))\
             (assert (= x (fp.add RTZ x x)))(assert (= b #xff ((_ extract 63 56) (_ bv0 64))))",
        );
    }
}
