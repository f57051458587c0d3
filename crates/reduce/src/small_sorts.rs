//! Shrinks the sorts and literals of a script, so that most of its sorts have few values.
//!
//! ```text
//! (declare-sort U 0)                            (declare-datatypes ((U 0)) (((U_1) (U_2) (U_3))))
//! (declare-const a (_ BitVec 32))               (declare-const a (_ BitVec 4))
//! (assert (= (str.++ s "hello") "12"))  becomes (assert (= (str.++ s "ba") "12"))
//! (assert (< x 1000))                           (assert (< x 4))
//! ```
//!
//! The result is another script with its own answer: it is a start for mutations, not a simplification that keeps a bug. Widths and
//! formats change with all terms that depend on them, as in reductions (`bit_sizes.rs`).

use std::sync::Arc;

use gainsay_smt::text::Text;
use gainsay_smt::{
    Arena, Command, Constructor, DatatypeDeclaration, DatatypesForm, Literal, Script, Sort, Symbol, Term,
    TermView,
};
use rustc_hash::FxHashSet;

use crate::bit_sizes::BitSizes;
use crate::rewrite::{RewriteRule, rewrite_and_reparse};

/// The elements of a declared sort.
const DECLARED_SORT_ELEMENTS: usize = 3;
/// The largest integer literal.
const MAX_SMALL_NUMERAL: u64 = 4;
/// The most characters of a string literal.
const MAX_SMALL_CHARACTERS: usize = 2;

/// The sizes of shrunk sorts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallSorts {
    /// The most bits of a bit vector, where its operators allow it.
    pub width: u32,
    /// The largest floating-point format; `None` to keep formats.
    pub format: Option<(u32, u32)>,
}

impl SmallSorts {
    /// The script with small sorts; `None` if nothing in it can be shrunk.
    pub fn shrink(&self, script: &Script) -> Option<Script> {
        let narrowed = BitSizes::of(script).narrowed(self.width);
        let mut shrunk = narrowed.as_ref().unwrap_or(script).clone();
        let formats = self.format.map(|_| BitSizes::of(&shrunk).formats()).unwrap_or_default();
        for format in formats {
            let reformatted = self.format.and_then(|most| BitSizes::of(&shrunk).reformatted(format, most));
            shrunk = reformatted.unwrap_or(shrunk);
        }
        let mut rule = FewValues { names: shrunk.declared_names() };
        let shrunk = rewrite_and_reparse(&shrunk, &mut rule).unwrap_or(shrunk);
        (shrunk != *script).then_some(shrunk)
    }
}

/// Rewrites declared sorts to enumerations, and literals to small ones.
struct FewValues {
    /// Names that new constructors must not have.
    names: FxHashSet<Symbol>,
}

impl FewValues {
    /// Constructors for a declared sort.
    fn elements(&mut self, arena: &mut Arena, sort: Symbol) -> Vec<Constructor> {
        let mut elements = Vec::new();
        for number in 1.. {
            if elements.len() == DECLARED_SORT_ELEMENTS {
                break;
            }
            let name = format!("{}_{number}", arena.text(sort));
            let name = arena.symbol(&name);
            if self.names.insert(name) {
                elements.push(Constructor { name, fields: Vec::new() });
            }
        }
        elements
    }
}

impl RewriteRule for FewValues {
    fn term(&mut self, arena: &mut Arena, old: Term, _children: &[Term]) -> Option<Term> {
        let TermView::Literal(kind, spelling) = arena.view(old) else { return None };
        let (sort, spelling) = (arena.sort_of(old), arena.text(spelling));
        let small = match kind {
            Literal::Numeral if matches!(sort, Sort::INT | Sort::REAL) => small_numeral(spelling),
            Literal::Decimal => small_decimal(spelling),
            Literal::String => small_string(spelling),
            _ => None,
        }?;
        Some(arena.literal(kind, &small, sort))
    }

    fn command(&mut self, arena: &mut Arena, command: &Command) -> Vec<Command> {
        let Command::DeclareSort(name, 0) = *command else { return vec![command.clone()] };
        let constructors = self.elements(arena, name);
        let declaration = DatatypeDeclaration { name, parameters: Vec::new(), constructors };
        vec![Command::DeclareDatatypes(DatatypesForm::Many, Arc::new([declaration]))]
    }
}

/// A numeral from 1 to the largest, in place of a larger one: 0 would make divisors zero.
fn small_numeral(spelling: &str) -> Option<String> {
    let small = match spelling.parse::<u64>() {
        Ok(number) if number <= MAX_SMALL_NUMERAL => return None,
        Ok(number) => 1 + (number - 1) % MAX_SMALL_NUMERAL,
        Err(_) => MAX_SMALL_NUMERAL,
    };
    Some(small.to_string())
}

/// A decimal with a small whole part, and a half or no fraction.
fn small_decimal(spelling: &str) -> Option<String> {
    let (whole, fraction) = spelling.split_once('.')?;
    let whole = small_numeral(whole).unwrap_or_else(|| whole.to_owned());
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    let small = format!("{whole}.{}", if is_whole { '0' } else { '5' });
    (small != spelling).then_some(small)
}

/// The first characters, each of them a digit that stays or one of two letters.
fn small_string(spelling: &str) -> Option<String> {
    let digits = u32::from('0')..=u32::from('9');
    let letters = [u32::from('a'), u32::from('b')];
    let text = Text::read(spelling)?;
    let letter =
        |code: u32| if digits.contains(&code) { code } else { letters[code.is_multiple_of(2) as usize] };
    let small: Vec<u32> = text.iter().take(MAX_SMALL_CHARACTERS).map(|&code| letter(code)).collect();
    let small = Text::new(small)?.write();
    (small != spelling).then_some(small)
}

#[cfg(test)]
mod tests {
    use gainsay_smt::Signature;

    use super::*;

    fn shrunk(text: &str, format: Option<(u32, u32)>) -> Option<String> {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        SmallSorts { width: 3, format }.shrink(&script).map(|script| script.to_string().replace('\n', ""))
    }

    #[test]
    fn declared_sorts_widths_and_literals_become_small() {
        let text = "(declare-const U_2 Bool)(declare-sort U 0)(declare-fun f (U) Int)(declare-const u U)(declare-const a (_ BitVec 32))\
                    (assert (and U_2 (= (f u) 1004) (bvult a #x00000102)))(check-sat)";
        let small = "(declare-const U_2 Bool)(declare-datatypes ((U 0)) (((U_1) (U_3) (U_4))))(declare-fun f (U) Int)(declare-const u U)\
                     (declare-const a (_ BitVec 3))(assert (and U_2 (= (f u) 4) (bvult a #b010)))(check-sat)";
        assert_eq!(shrunk(text, None).unwrap(), small);
    }

    #[test]
    fn strings_are_short_words_over_two_letters_and_digits() {
        let text = "(declare-const s String)(assert (= s (str.++ \"hello\" \"42\")))(assert (str.in_re s (re.range \"a\" \"z\")))";
        let small = "(declare-const s String)(assert (= s (str.++ \"ba\" \"42\")))(assert (str.in_re s (re.range \"a\" \"b\")))";
        assert_eq!(shrunk(text, None).unwrap(), small);
    }

    #[test]
    fn decimals_are_small_halves() {
        let text = "(declare-const r Real)(assert (< 3.25 r 1004.0 12.00))(assert (= r 0.5 4.0))";
        let small = "(declare-const r Real)(assert (< 3.5 r 4.0 4.0))(assert (= r 0.5 4.0))";
        assert_eq!(shrunk(text, None).unwrap(), small);
    }

    #[test]
    fn formats_shrink_only_if_wanted_and_indices_follow() {
        let text = "(declare-const x Float32)(assert (fp.eq x ((_ to_fp 8 24) RNE 0.5)))";
        assert_eq!(shrunk(text, None), None);
        let small = shrunk(text, Some((2, 3))).unwrap();
        assert_eq!(
            small,
            "(declare-const x (_ FloatingPoint 2 3))(assert (fp.eq x ((_ to_fp 2 3) RNE 0.5)))"
        );
    }

    #[test]
    fn a_script_that_is_small_already_stays() {
        assert_eq!(shrunk("(declare-const p Bool)(declare-const x Int)(assert (or p (< x 4)))", None), None);
    }
}
