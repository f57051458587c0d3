//! Compares expressions with their definitions as sets of strings, over all short words of two letters.

use dashu_int::IBig;

use super::{Regex, Regexes};

const TESTED_LETTERS: [u32; 2] = [0x61, 0x62];
const MAX_WORD_LENGTH: usize = 5;

/// All words of at most [`MAX_WORD_LENGTH`] letters, the shorter first.
fn words() -> Vec<Vec<u32>> {
    let mut all = vec![vec![]];
    let mut next = 0;
    while all[next].len() < MAX_WORD_LENGTH {
        for letter in TESTED_LETTERS {
            all.push([all[next].as_slice(), &[letter]].concat());
        }
        next += 1;
    }
    all
}

/// A language: which of the short words it contains.
type Language = Vec<bool>;

/// The languages by their definitions in the standard.
struct Definitions {
    words: Vec<Vec<u32>>,
}

impl Definitions {
    fn of(&self, inside: impl Fn(&[u32]) -> bool) -> Language {
        self.words.iter().map(|word| inside(word)).collect()
    }

    fn has(&self, language: &Language, word: &[u32]) -> bool {
        language[self.words.iter().position(|known| known == word).unwrap()]
    }

    /// Words are sorted by length, so all parts of a word come before it.
    fn concat(&self, a: &Language, b: &Language) -> Language {
        self.of(|word| {
            (0..=word.len()).any(|place| self.has(a, &word[..place]) && self.has(b, &word[place..]))
        })
    }

    fn power(&self, a: &Language, count: u64) -> Language {
        (0..count).fold(self.of(<[u32]>::is_empty), |power, _| self.concat(a, &power))
    }

    fn union(a: &Language, b: &Language) -> Language {
        a.iter().zip(b).map(|(a, b)| *a || *b).collect()
    }

    fn repeat(&self, a: &Language, least: u64, most: u64) -> Language {
        (least..=most).fold(self.of(|_| false), |all, count| Self::union(&all, &self.power(a, count)))
    }
}

/// Checks that an expression has exactly the words of a language.
fn check(regexes: &mut Regexes, definitions: &Definitions, regex: Regex, language: &Language) {
    for (word, inside) in definitions.words.iter().zip(language) {
        assert_eq!(regexes.matches(word, regex), Some(*inside), "{word:x?} {:?}", regexes.node(regex));
    }
    assert_eq!(regexes.is_nullable(regex), language[0]);
}

/// A few expressions with at most one operator.
fn simple(regexes: &mut Regexes, definitions: &Definitions) -> Vec<(Regex, Language)> {
    let [a, b] = TESTED_LETTERS;
    let mut all = vec![
        (Regex::NONE, definitions.of(|_| false)),
        (Regex::EMPTY, definitions.of(<[u32]>::is_empty)),
        (Regex::ALL, definitions.of(|_| true)),
        (Regex::ALL_CHAR, definitions.of(|word| word.len() == 1)),
        (regexes.range(&[a], &[a]).unwrap(), definitions.of(|word| word == [a])),
        (regexes.word(&[b, a]).unwrap(), definitions.of(|word| word == [b, a])),
    ];
    for index in 3..all.len() {
        let (regex, language) = all[index].clone();
        all.push((regexes.star(regex).unwrap(), definitions.repeat(&language, 0, MAX_WORD_LENGTH as u64)));
        let others = language.iter().map(|inside| !inside).collect();
        all.push((regexes.complement(regex).unwrap(), others));
    }
    all
}

/// All applications of every operator to the given expressions.
fn applications(
    regexes: &mut Regexes,
    definitions: &Definitions,
    parts: &[(Regex, Language)],
) -> Vec<(Regex, Language)> {
    let mut all = Vec::new();
    let most = MAX_WORD_LENGTH as u64;
    for (x, p) in parts {
        all.push((regexes.star(*x).unwrap(), definitions.repeat(p, 0, most)));
        all.push((regexes.plus(*x).unwrap(), definitions.repeat(p, 1, most)));
        all.push((regexes.option(*x).unwrap(), definitions.repeat(p, 0, 1)));
        all.push((regexes.complement(*x).unwrap(), p.iter().map(|inside| !inside).collect()));
        for least in 0..4 {
            all.push((regexes.power(*x, least).unwrap(), definitions.power(p, least)));
            all.push((regexes.repeat(*x, least, None).unwrap(), definitions.repeat(p, least, least + most)));
            for most in 0..4 {
                let regex = regexes.repeat(*x, least, Some(most)).unwrap();
                all.push((regex, definitions.repeat(p, least, most)));
            }
        }
        for (y, q) in parts {
            let both = |mix: fn(bool, bool) -> bool| -> Language {
                p.iter().zip(q).map(|(p, q)| mix(*p, *q)).collect()
            };
            all.push((regexes.union(&[*x, *y]).unwrap(), both(|p, q| p || q)));
            all.push((regexes.intersection(&[*x, *y]).unwrap(), both(|p, q| p && q)));
            all.push((regexes.difference(*x, *y).unwrap(), both(|p, q| p && !q)));
            all.push((regexes.symmetric_difference(*x, *y).unwrap(), both(|p, q| p != q)));
            all.push((regexes.concat(&[*x, *y]).unwrap(), definitions.concat(p, q)));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Many expressions with their languages: three operators deep, and a sample of the last level.
fn many(regexes: &mut Regexes, definitions: &Definitions) -> Vec<(Regex, Language)> {
    let first = simple(regexes, definitions);
    let second = applications(regexes, definitions, &first);
    let some: Vec<_> = second.iter().step_by(6).cloned().collect();
    let third = applications(regexes, definitions, &some);
    second.into_iter().chain(third.into_iter().step_by(3)).collect()
}

#[test]
fn expressions_have_the_words_of_their_languages() {
    let definitions = Definitions { words: words() };
    let mut regexes = Regexes::new(u64::MAX);
    let all = many(&mut regexes, &definitions);
    assert!(all.len() > 1500);
    for (regex, language) in &all {
        check(&mut regexes, &definitions, *regex, language);
    }
}

#[test]
fn equal_languages_are_equal_and_others_are_not() {
    let definitions = Definitions { words: words() };
    let mut regexes = Regexes::new(u64::MAX);
    let all = many(&mut regexes, &definitions);
    let mut equal = 0;
    for (index, (x, p)) in all.iter().enumerate().step_by(29) {
        for (y, q) in all[index..].iter().step_by(13) {
            let same = regexes.equal(*x, *y).unwrap();
            // Short words show most differences; equal short words prove nothing.
            assert!(!same || p == q, "{x:?} {y:?}");
            equal += usize::from(same && x != y);
        }
        let empty = regexes.is_empty(*x).unwrap();
        assert!(!empty || !p.contains(&true));
    }
    assert!(equal > 0);
}

#[test]
fn matches_are_leftmost_then_shortest() {
    let definitions = Definitions { words: words() };
    let mut regexes = Regexes::new(u64::MAX);
    let all = many(&mut regexes, &definitions);
    for (regex, language) in all.iter().step_by(7) {
        for text in definitions.words.iter().step_by(3) {
            let found = |from: usize, least: usize| {
                let starts = from..=text.len();
                starts
                    .flat_map(|start| (start + least..=text.len()).map(move |end| (start, end)))
                    .find(|(start, end)| definitions.has(language, &text[*start..*end]))
            };
            let by = [0x78];
            let once = found(0, 0).map(|(start, end)| [&text[..start], &by, &text[end..]].concat());
            assert_eq!(regexes.replace(text, *regex, &by, 99), Some(once.unwrap_or_else(|| text.clone())));
            let (mut result, mut done) = (vec![], 0);
            while let Some((start, end)) = found(done, 1) {
                result.extend([&text[done..start], &by].concat());
                done = end;
            }
            result.extend_from_slice(&text[done..]);
            assert_eq!(regexes.replace_all(text, *regex, &by, 99), Some(result));
            for from in -1..=MAX_WORD_LENGTH as i64 + 1 {
                let inside = usize::try_from(from).ok().filter(|from| *from <= text.len());
                let expected = inside.and_then(|from| found(from, 0)).map(|(start, _)| start);
                assert_eq!(regexes.index_of(text, *regex, &IBig::from(from)), Some(expected));
            }
        }
    }
}

#[test]
fn a_budget_that_is_used_up_leaves_the_question_open() {
    let mut regexes = Regexes::new(2000);
    let [a, b] = TESTED_LETTERS;
    let letter = regexes.word(&[a]).unwrap();
    let ab = regexes.range(&[a], &[b]).unwrap();
    // The classic example: the n-th letter from the end, whose automaton has 2^n states.
    let any = regexes.star(ab).unwrap();
    let tail = regexes.power(ab, 300).unwrap();
    let classic = regexes.concat(&[any, letter, tail]).unwrap();
    let text: Vec<u32> = (0..2000).map(|place| TESTED_LETTERS[place * place % 7 % 2]).collect();
    assert_eq!(regexes.matches(&text, classic), None);
    assert_eq!(regexes.word(&vec![a; 5000]), None);
}

#[test]
fn huge_loops_and_deep_expressions_are_cheap() {
    let mut regexes = Regexes::new(10_000_000);
    let [a, b] = TESTED_LETTERS;
    let letter = regexes.word(&[a]).unwrap();
    let huge = regexes.power(letter, 1_000_000_000_000).unwrap();
    assert_eq!(regexes.matches(&[a; 100], huge), Some(false));
    assert_eq!(regexes.matches(&[b], huge), Some(false));
    let upto = regexes.repeat(letter, 0, Some(u64::MAX)).unwrap();
    assert_eq!(regexes.matches(&[a; 100], upto), Some(true));
    let mut deep = letter;
    for _ in 0..100_000 {
        deep = regexes.complement(deep).unwrap();
        deep = regexes.concat(&[deep, letter]).unwrap();
    }
    assert!(regexes.matches(&[a, b, a], deep).is_some());
}

#[test]
fn ranges_are_of_single_characters_in_order() {
    let mut regexes = Regexes::new(1000);
    let [a, b] = TESTED_LETTERS;
    for (first, last) in [(vec![a, b], vec![b]), (vec![a], vec![b, b]), (vec![b], vec![a]), (vec![], vec![b])]
    {
        assert_eq!(regexes.range(&first, &last), Some(Regex::NONE));
    }
    let range = regexes.range(&[a], &[0x2FFFF]).unwrap();
    for (code, inside) in [(a - 1, false), (a, true), (0x2FFFF, true)] {
        assert_eq!(regexes.matches(&[code], range), Some(inside));
    }
}
