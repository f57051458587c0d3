//! Literals made shorter and plainer, by halves first.
//!
//! ```text
//! 123456   becomes   0, 1, 123, 12345         "abcd"   becomes   "", "ab", "cd", "abc", "bcd"
//! #b1011   becomes   #b0000, #b0011, #b1010   3.14159  becomes   0.0, 3.0, 3.14
//! ```

use gainsay_smt::text::Text;
use gainsay_smt::{Arena, Literal, Script, Term, View as TermView};

use super::{Pass, Phase};
use crate::change::Change;
use crate::contents::terms_of;
use crate::script_view::ScriptView;

/// The pass.
pub struct SimplifyLiterals;

/// Literals as long as the one that they stand for that are tried.
const PLAIN: usize = 2;
/// A literal with no more bytes than this is not worth many questions,
const SHORT: usize = 4;
/// but so many.
const FEW: usize = 3;

impl Pass for SimplifyLiterals {
    fn name(&self) -> &'static str {
        "simplify-literals"
    }

    fn about(&self) -> &'static str {
        "makes literals shorter and plainer"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<Change>> {
        let terms = terms_of(script);
        let arena = script.arena_mut();
        let mut batches: Vec<Vec<Change>> = Vec::new();
        for term in terms {
            for (turn, new) in plainer(arena, term).into_iter().enumerate() {
                if batches.len() == turn {
                    batches.push(Vec::new());
                }
                batches[turn].push(Change::ReplaceEverywhere(term, new));
            }
        }
        batches
    }
}

/// Plainer literals in the place of one, the plainest first.
fn plainer(arena: &mut Arena, term: Term) -> Vec<Term> {
    let TermView::Literal(literal, spelling) = arena.view(term) else { return Vec::new() };
    let spelling = arena.text(spelling).to_string();
    let sort = arena.sort_of(term);
    let mut wanted = match literal {
        Literal::Numeral => numerals(&spelling),
        Literal::Decimal => decimals(&spelling),
        Literal::Hexadecimal => digits(&spelling),
        Literal::Binary => digits(&spelling),
        Literal::String => strings(&spelling),
        Literal::Field => Vec::new(),
    };
    let is_plainer = |new: &String| (new.len(), new) < (spelling.len(), &spelling);
    wanted.retain(is_plainer);
    let mut seen = rustc_hash::FxHashSet::default();
    wanted.retain(|new| seen.insert(new.clone()));
    // One that is no shorter is hardly worth a question: the plainest two are.
    let mut as_long = 0;
    wanted.retain(|new| {
        as_long += usize::from(new.len() == spelling.len());
        new.len() < spelling.len() || as_long <= PLAIN
    });
    if spelling.len() <= SHORT {
        wanted.truncate(FEW);
    }
    wanted.iter().map(|new| arena.literal(literal, new, sort)).collect()
}

fn numerals(spelling: &str) -> Vec<String> {
    let half = &spelling[..spelling.len().div_ceil(2)];
    let less = &spelling[..spelling.len() - 1];
    let numbers = ["0", "1", "2", half, less];
    let mut numbers: Vec<String> =
        numbers.iter().filter(|number| !number.is_empty()).map(ToString::to_string).collect();
    if let Ok(number) = spelling.parse::<u64>() {
        numbers.extend([number / 2, number.saturating_sub(1)].map(|number| number.to_string()));
    }
    numbers
}

fn decimals(spelling: &str) -> Vec<String> {
    let Some((whole, fraction)) = spelling.split_once('.') else { return Vec::new() };
    let mut numbers = vec!["0.0".to_string(), "1.0".to_string(), format!("{whole}.0")];
    numbers.extend(numerals(whole).into_iter().map(|whole| format!("{whole}.{fraction}")));
    let half = &fraction[..fraction.len().div_ceil(2)];
    numbers.push(format!("{whole}.{half}"));
    if fraction.len() > 1 {
        numbers.push(format!("{whole}.{}", &fraction[..fraction.len() - 1]));
    }
    numbers
}

/// `#x…` or `#b…` with digits made zero: all, but the last one, the upper half, the lower half, each of a few.
fn digits(spelling: &str) -> Vec<String> {
    let (mark, digits) = spelling.split_at(2);
    let count = digits.len();
    let zeroed = |range: std::ops::Range<usize>| {
        let keep = |(place, digit): (usize, char)| if range.contains(&place) { '0' } else { digit };
        format!("{mark}{}", digits.chars().enumerate().map(keep).collect::<String>())
    };
    let one = format!("{mark}{}1", "0".repeat(count - 1));
    let mut spellings = vec![zeroed(0..count), one, zeroed(0..count / 2), zeroed(count / 2..count)];
    // Quarters, and single digits where there are few.
    let quarter = count.div_ceil(4);
    spellings.extend((0..count).step_by(quarter.max(1)).map(|start| zeroed(start..start + quarter)));
    if count <= 8 {
        spellings.extend((0..count).map(|place| zeroed(place..place + 1)));
    }
    spellings
}

fn strings(spelling: &str) -> Vec<String> {
    let mut spellings = vec!["\"\"".to_string()];
    let Some(text) = Text::read(spelling) else { return spellings };
    let codes: &[u32] = &text;
    let half = codes.len() / 2;
    let mut parts = vec![codes[..half].to_vec(), codes[half..].to_vec()];
    if let ([_, rest @ ..], [most @ .., _]) = (codes, codes) {
        parts.extend([most.to_vec(), rest.to_vec()]);
    }
    // All characters alike, of which the plainest is a letter.
    parts.push(vec![u32::from('a'); codes.len()]);
    parts.push(vec![u32::from('0'); codes.len()]);
    spellings.extend(parts.into_iter().filter_map(Text::new).map(|text| text.write()));
    spellings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    fn made(kind: fn(&str) -> Vec<String>, spelling: &str, wanted: &[&str]) {
        let made = kind(spelling);
        for new in wanted {
            assert!(made.iter().any(|other| other == new), "{new} is not in {made:?}");
        }
    }

    #[test]
    fn digits_and_characters_go_by_halves() {
        made(numerals, "123456", &["0", "1", "123", "12345", "61728", "123455"]);
        made(decimals, "31.4159", &["0.0", "31.0", "31.41", "31.415", "3.4159"]);
        made(strings, "\"a\\u{62}cd\"", &["\"\"", "\"ab\"", "\"cd\"", "\"abc\"", "\"bcd\"", "\"aaaa\""]);
        made(digits, "#b1011", &["#b0000", "#b0001", "#b0011", "#b1000", "#b1010"]);
    }

    #[test]
    fn the_plainest_literals_stay() {
        check_nothing(
            &SimplifyLiterals,
            "(assert (= 0 0))(assert (= \"\" \"\"))(assert (= #b00 #x0f))".replace("#x0f", "#b00").as_str(),
        );
        check(&SimplifyLiterals, "(assert (= 77 0))", "(assert (= 1 0))");
    }
}
