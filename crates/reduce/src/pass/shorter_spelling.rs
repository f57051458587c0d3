//! Writes declarations, sorts and literals in a shorter way.
//!
//! ```text
//! (declare-fun x () (_ FloatingPoint 8 24))   becomes   (declare-const x Float32)
//! (_ bv255 8), roundNearestTiesToEven         becomes   #xff, RNE
//! ```

use gainsay_smt::{Arena, Command, Head, Index, Literal, Script, Sort, Symbol, Term, TermView, Word};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script};
use crate::rewrite::{RewriteRule, rewrite_and_reparse};
use crate::script_view::ScriptView;

/// Writes parts of a script in a shorter way.
pub struct ShorterSpelling;

/// Long and short names of the rounding modes.
const ROUNDING_MODES: [(&str, &str); 5] = [
    ("roundNearestTiesToEven", "RNE"),
    ("roundNearestTiesToAway", "RNA"),
    ("roundTowardPositive", "RTP"),
    ("roundTowardNegative", "RTN"),
    ("roundTowardZero", "RTZ"),
];

/// The floating-point formats that have names.
pub const NAMED_FORMATS: [(&str, (u32, u32)); 4] =
    [("Float16", (5, 11)), ("Float32", (8, 24)), ("Float64", (11, 53)), ("Float128", (15, 113))];

impl Pass for ShorterSpelling {
    fn name(&self) -> &'static str {
        "shorter-spelling"
    }

    fn about(&self) -> &'static str {
        "writes declarations, sorts and literals in a shorter way"
    }

    fn phase(&self) -> Phase {
        Phase::Restyle
    }

    fn changes(&self, _: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let kinds = [
            &[SpellingKind::Command, SpellingKind::Sort, SpellingKind::Term][..],
            &[SpellingKind::Command],
            &[SpellingKind::Sort],
            &[SpellingKind::Term],
        ];
        vec![
            kinds
                .into_iter()
                .map(|kinds| {
                    rewrite_script(move |script| {
                        rewrite_and_reparse(script, &mut ShorterSpellingRule { kinds })
                    })
                })
                .collect(),
        ]
    }
}

/// A part of a script that can be written in a shorter way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpellingKind {
    Command,
    Sort,
    Term,
}

/// Writes parts of some kinds in a shorter way.
struct ShorterSpellingRule {
    kinds: &'static [SpellingKind],
}

impl RewriteRule for ShorterSpellingRule {
    fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Option<Sort> {
        let view = arena.view_sort(sort);
        let [Index::Numeral(eb), Index::Numeral(sb)] = view.indices else { return None };
        let is_wanted = view.head == Symbol::FLOATING_POINT && self.kinds.contains(&SpellingKind::Sort);
        let (name, _) = NAMED_FORMATS.iter().find(|(_, format)| is_wanted && *format == (*eb, *sb))?;
        let name = arena.symbol(name);
        Some(arena.sort(name, &[], &[]))
    }

    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let TermView::Application(head, _) = arena.view(old) else { return None };
        if !children.is_empty() || !self.kinds.contains(&SpellingKind::Term) {
            return None;
        }
        let (name, sort) = (arena.text(head.symbol), arena.sort_of(old));
        if let ([Index::Numeral(width)], Some(number)) = (head.indices, name.strip_prefix("bv")) {
            let literal = bit_vector_literal(number.parse().ok()?, *width);
            let is_shorter = literal.len() <= name.len() + width.to_string().len() + 5;
            let kind = if literal.starts_with("#x") { Literal::Hexadecimal } else { Literal::Binary };
            return is_shorter.then(|| arena.literal(kind, &literal, sort));
        }
        let (_, short) =
            ROUNDING_MODES.iter().find(|(long, _)| *long == name && sort == Sort::ROUNDING_MODE)?;
        let short = arena.symbol(short);
        Some(arena.application(Head::plain(short), &[], sort))
    }

    fn command(&mut self, _: &mut Arena, command: &Command) -> Vec<Command> {
        let is_wanted = self.kinds.contains(&SpellingKind::Command);
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

/// The literal of a bit vector.
fn bit_vector_literal(number: u128, width: u32) -> String {
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
    fn shorter_spellings_are_used() {
        check(
            &ShorterSpelling,
            "(declare-fun x () (_ FloatingPoint 8 24))(declare-fun b () (_ BitVec 8))\
             (assert (= x (fp.add roundTowardZero x x)))(assert (= b (_ bv255 8) ((_ extract 63 56) (_ bv0 64))))",
            "(declare-const x Float32)(declare-const b (_ BitVec 8))\
             (assert (= x (fp.add RTZ x x)))(assert (= b #xff ((_ extract 63 56) (_ bv0 64))))",
        );
    }
}
