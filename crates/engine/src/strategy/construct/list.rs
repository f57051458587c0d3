//! The constructs of a set of theories: what can be chosen.

use std::collections::BTreeSet;

use super::super::generate::growth::TermGrowth;
use super::super::generate::literal::LiteralKind;
use super::super::generate::vocabulary::TermVocabulary;
use super::super::generate::{Generator, ROUNDING_MODES};
use super::{Construct, ConstructKind};
use crate::random::RandomStream;

/// Scripts that are looked at to see what can be used.
const SAMPLE_SCRIPTS: u64 = 12;

/// The constructs that can be in the scripts of a generator, by kind and name.
///
/// What no sort of its theories gives arguments to, such as a conversion from a sort that is not chosen, is not among them.
/// Nor are `true` and `false`: they are in every theory, and what they are put into means less than before.
pub fn list(generator: &Generator) -> Vec<Construct> {
    let mut found = BTreeSet::new();
    for number in 0..SAMPLE_SCRIPTS {
        let mut rng = RandomStream::new(number).child("constructs", 0).rng();
        let Some(mut script) = generator.script(&mut rng) else { continue };
        let bare = script.clone();
        let ground = TermVocabulary::of(&bare, &[], generator.operators(), &generator.settings().habits);
        for &sort in &ground.sorts {
            let arena = bare.arena();
            let kinds =
                LiteralKind::of(arena, sort).map(LiteralKind::full_name).filter(|name| ground.wants(name));
            found.extend(kinds.map(|name| Construct { kind: ConstructKind::Literal, name }));
            for number in 0..generator.operators().count(arena, sort) {
                let Some(rank) = generator.operators().get(arena, sort, ground.kinds, number) else {
                    continue;
                };
                let name = generator.operators().name(rank);
                if ["true", "false"].contains(&name) {
                    continue;
                }
                let mut growth = TermGrowth::new(&ground, script.arena_mut(), 0, &mut rng);
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
