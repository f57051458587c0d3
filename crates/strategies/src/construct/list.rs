//! The constructs of a set of theories.

use std::collections::BTreeSet;

use super::super::generate::growth::TermGrowth;
use super::super::generate::literal::LiteralKind;
use super::super::generate::vocabulary::TermVocabulary;
use super::super::generate::{Generator, ROUNDING_MODES};
use super::{Construct, ConstructKind};
use crate::random::RandomStream;

/// Scripts generated to find out which constructs are usable.
const SAMPLE_SCRIPTS: u64 = 12;

/// The constructs that scripts of a generator can contain, by kind and name.
///
/// An operator whose arguments no sort of the theories provides, such as a conversion from a sort that was not chosen,
/// is not listed. Neither are `true` and `false`: every theory has them, and they make the terms around them trivial.
pub fn list(generator: &Generator) -> Vec<Construct> {
    let mut found = BTreeSet::new();
    for number in 0..SAMPLE_SCRIPTS {
        let mut rng = RandomStream::new(number).child("constructs", 0).rng();
        let Some(mut script) = generator.script(&mut rng) else { continue };
        let bare = script.clone();
        let vocabulary = TermVocabulary::of(&bare, &[], generator.operators(), &generator.settings().habits);
        for &sort in &vocabulary.sorts {
            let arena = bare.arena();
            let kinds = LiteralKind::of(arena, sort)
                .map(LiteralKind::full_name)
                .filter(|name| vocabulary.wants(name));
            found.extend(kinds.map(|name| Construct { kind: ConstructKind::Literal, name }));
            for number in 0..generator.operators().count(arena, sort) {
                let Some(rank) = generator.operators().get(arena, sort, vocabulary.kinds, number) else {
                    continue;
                };
                let name = generator.operators().name(rank);
                if ["true", "false"].contains(&name) {
                    continue;
                }
                let mut growth = TermGrowth::new(&vocabulary, script.arena_mut(), 0, &mut rng);
                if growth.instance(rank, sort, &[]).is_some() {
                    let is_mode = ROUNDING_MODES.contains(&name);
                    let kind = if is_mode { ConstructKind::RoundingMode } else { ConstructKind::Operator };
                    found.insert(Construct { kind, name: name.to_owned() });
                }
            }
        }
    }
    found.into_iter().collect()
}
