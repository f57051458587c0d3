//! Makes literals shorter and simpler, by halves first.
//!
//! ```text
//! 123456   becomes   0, 1, 123, 12345         "abcd"   becomes   "", "ab", "cd", "abc", "bcd"
//! #b1011   becomes   #b0000, #b0011, #b1010   3.14159  becomes   0.0, 3.0, 3.14
//! ```

use gainsay_smt::text::Text;
use gainsay_smt::{Arena, Literal, Script, Term, TermView};

use super::{Pass, Phase};
use crate::change::{ScriptChange, replacement_batches};
use crate::script_view::ScriptView;

/// Makes literals shorter and simpler.
pub struct SimplifyLiterals;

/// Replacements of the same length that are tried.
const MAX_SAME_LENGTH: usize = 2;
/// For a literal that is not longer than this,
const MAX_SHORT_LITERAL_BYTES: usize = 4;
/// only so many replacements are tried.
const MAX_SHORT_REPLACEMENTS: usize = 3;

impl Pass for SimplifyLiterals {
    fn name(&self) -> &'static str {
        "simplify-literals"
    }

    fn about(&self) -> &'static str {
        "makes literals shorter and simpler"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        replacement_batches(script, simpler_literals)
    }
}

/// Simpler literals of the same sort, the simplest first.
fn simpler_literals(arena: &mut Arena, term: Term) -> Vec<Term> {
    let TermView::Literal(literal, spelling) = arena.view(term) else { return Vec::new() };
    let spelling = arena.text(spelling).to_string();
    let sort = arena.sort_of(term);
    let mut simpler = match literal {
        Literal::Numeral => numerals(&spelling),
        Literal::Decimal => decimals(&spelling),
        Literal::Hexadecimal => digits(&spelling),
        Literal::Binary => digits(&spelling),
        Literal::String => strings(&spelling),
        Literal::Field => Vec::new(),
    };
    let is_simpler = |new: &String| (new.len(), new) < (spelling.len(), &spelling);
    simpler.retain(is_simpler);
    let mut seen = rustc_hash::FxHashSet::default();
    simpler.retain(|new| seen.insert(new.clone()));
    // Replacements that are no shorter are hardly worth a test: only the simplest two are tried.
    let mut same_length = 0;
    simpler.retain(|new| {
        same_length += usize::from(new.len() == spelling.len());
        new.len() < spelling.len() || same_length <= MAX_SAME_LENGTH
    });
    if spelling.len() <= MAX_SHORT_LITERAL_BYTES {
        simpler.truncate(MAX_SHORT_REPLACEMENTS);
    }
    simpler.iter().map(|new| arena.literal(literal, new, sort)).collect()
}

fn numerals(spelling: &str) -> Vec<String> {
    let half = &spelling[..spelling.len().div_ceil(2)];
    let less = &spelling[..spelling.len() - 1];
    // Of a short literal only the first three are tried: fewer digits are worth more than a smaller digit.
    let numbers = if spelling.len() > 1 { ["0", "1", half, "2", less] } else { ["0", "1", "2", half, less] };
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

/// `#x…` or `#b…` with some digits zero: all, all but the last, the upper half, the lower half, quarters, single ones.
fn digits(spelling: &str) -> Vec<String> {
    let (mark, digits) = spelling.split_at(2);
    let count = digits.len();
    let zeroed = |range: std::ops::Range<usize>| {
        let keep = |(place, digit): (usize, char)| if range.contains(&place) { '0' } else { digit };
        format!("{mark}{}", digits.chars().enumerate().map(keep).collect::<String>())
    };
    let one = format!("{mark}{}1", "0".repeat(count - 1));
    let mut spellings = vec![zeroed(0..count), one, zeroed(0..count / 2), zeroed(count / 2..count)];
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
    // All characters alike, a letter first.
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
    fn digits_and_characters_are_dropped_by_halves() {
        made(numerals, "123456", &["0", "1", "123", "12345", "61728", "123455"]);
        made(decimals, "31.4159", &["0.0", "31.0", "31.41", "31.415", "3.4159"]);
        made(strings, "\"a\\u{62}cd\"", &["\"\"", "\"ab\"", "\"cd\"", "\"abc\"", "\"bcd\"", "\"aaaa\""]);
        made(digits, "#b1011", &["#b0000", "#b0001", "#b0011", "#b1000", "#b1010"]);
    }

    #[test]
    fn the_simplest_literals_stay() {
        check_nothing(
            &SimplifyLiterals,
            "(assert (= 0 0))(assert (= \"\" \"\"))(assert (= #b00 #x0f))".replace("#x0f", "#b00").as_str(),
        );
        check(&SimplifyLiterals, "(assert (= 77 0))", "(assert (= 1 0))");
        check(&SimplifyLiterals, "(assert (= 77 0))", "(assert (= 7 0))");
    }
}
