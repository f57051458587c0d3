//! Random literals for holes.

use super::Filling;
use super::model_literals;
use super::skeleton::{Hole, HoleContent, Skeleton};
use crate::fusion::function::draw::{self, DrawableDatatypes};
use crate::random::Rng;

/// Characters common in regular expressions, and a few unusual ones.
const HOLE_CHARACTERS: [&str; 10] = ["a", "b", "z", "A", "0", "9", " ", "\\u{0}", "\\u{ff}", "\\u{2ffff}"];

/// Draws a literal for a hole; `None` if its sort has none.
pub fn literal(hole: &Hole, rng: &mut Rng) -> Option<Box<str>> {
    match hole.takes {
        HoleContent::Character => {
            Some(format!("\"{}\"", HOLE_CHARACTERS[rng.below(HOLE_CHARACTERS.len())]).into())
        }
        HoleContent::Small => Some(rng.below(5).to_string().into()),
        HoleContent::Literal => (0..20).find_map(|_| drawn(hole, rng).filter(|text| !text.starts_with('('))),
        HoleContent::Term => drawn(hole, rng),
    }
}

fn drawn(hole: &Hole, rng: &mut Rng) -> Option<Box<str>> {
    let value = draw::value(&hole.sort, &DrawableDatatypes::default(), rng)?;
    Some(value.to_string().into())
}

/// Draws other constants for some or all holes; `None` if the draws repeat the old ones.
pub fn filling(skeleton: &Skeleton, rng: &mut Rng) -> Option<Filling> {
    let count = skeleton.holes.len();
    let changed = match rng.below(3) {
        0 => count,
        1 => 1,
        _ => 1 + rng.below(count),
    };
    let mut places: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut places);
    let mut filling: Filling = vec![None; count];
    for &place in &places[..changed] {
        let hole = &skeleton.holes[place];
        filling[place] = literal(hole, rng).filter(|text| **text != *hole.constant);
    }
    let filling = respelled(skeleton, filling)?;
    filling.iter().any(Option::is_some).then_some(filling)
}

/// The literals in canonical spelling, without those that mean the old constant.
fn respelled(skeleton: &Skeleton, filling: Filling) -> Option<Filling> {
    let mut model = String::from("(");
    for (hole, value) in
        skeleton.holes.iter().zip(&filling).filter(|(hole, _)| hole.takes == HoleContent::Term)
    {
        let value = value.as_deref().unwrap_or(&hole.constant);
        model += &format!("(define-fun {} () {} {value})", hole.name, hole.sort);
    }
    let open = model_literals::filling(skeleton, &(model + ")"))?;
    let is_open = |hole: &Hole| hole.takes == HoleContent::Term;
    let chosen = skeleton.holes.iter().zip(filling).zip(open);
    Some(chosen.map(|((hole, drawn), open)| if is_open(hole) { open } else { drawn }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use gainsay_smt::{Script, Signature};

    #[test]
    fn every_filling_is_another_script() {
        let text = "(declare-const s String)(declare-const f Float16)(declare-const x Real)
             (assert (str.in_re s (re.++ (re.range \"a\" \"z\") (str.to_re \"xy\"))))
             (assert (= x (/ 1 3) 0.5))(assert (= f (fp #b0 #b00000 #b0000000000) ((_ to_fp 5 11) RNE 0.5)))";
        let signature = Signature::standard();
        let seed = Script::parse(text, &signature).unwrap();
        let skeleton = Skeleton::of(&seed).unwrap();
        let mut made = 0;
        for number in 0..500 {
            let Some(filling) = filling(&skeleton, &mut RandomStream::new(number).rng()) else { continue };
            let text = skeleton.fill(&filling);
            Script::parse(&text, &signature).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_ne!(text, seed.to_string());
            made += 1;
        }
        assert!(made > 450, "{made}");
    }
}
