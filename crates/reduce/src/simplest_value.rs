//! The simplest value of a sort: `false`, `0`, `""`, `#b0`, a constructor without fields.

use gainsay_smt::{Arena, Command, Head, Index, Literal, Script, Sort, Symbol, Term};
use rustc_hash::FxHashMap;

use crate::contents::declaration_counts;

/// The simplest values of the sorts of a script.
pub struct SimplestValues {
    /// For a datatype, a constructor without fields.
    constructors: FxHashMap<Symbol, Symbol>,
    /// For each sort, a constant of the script that can be used everywhere.
    constants: FxHashMap<Sort, Symbol>,
}

impl SimplestValues {
    /// Those of a script whose variables have the names `bound`.
    pub fn of(script: &Script, bound: &rustc_hash::FxHashSet<Symbol>) -> SimplestValues {
        let mut simplest =
            SimplestValues { constructors: FxHashMap::default(), constants: FxHashMap::default() };
        let counts = declaration_counts(script);
        // Declarations before the first assertion and outside of all scopes are in force everywhere.
        let ends = |command: &&Command| {
            matches!(
                command,
                Command::Push(_) | Command::Reset | Command::ResetAssertions | Command::Term(..)
            )
        };
        for command in script.commands.iter().take_while(|command| !ends(command)) {
            match command {
                Command::Declare(_, name, parameters, result)
                    if parameters.is_empty() && counts[name] == 1 && !bound.contains(name) =>
                {
                    simplest.constants.entry(script.arena().canonical(*result)).or_insert(*name);
                }
                Command::DeclareDatatypes(_, datatypes) => {
                    for datatype in datatypes.iter().filter(|datatype| datatype.parameters.is_empty()) {
                        let constructors = datatype.constructors.iter();
                        let mut bare =
                            constructors.filter(|c| c.fields.is_empty() && !bound.contains(&c.name));
                        simplest.constructors.extend(bare.next().map(|c| (datatype.name, c.name)));
                    }
                }
                _ => {}
            }
        }
        simplest
    }

    /// A literal or constructor of a sort; `None` if the sort has no simple value.
    pub fn value(&self, arena: &mut Arena, sort: Sort) -> Option<Term> {
        let constant = |arena: &mut Arena, name: Symbol, indices: &[Index]| {
            Some(arena.application(Head { symbol: name, indices, qualifier: None }, &[], sort))
        };
        match sort {
            Sort::BOOL => return constant(arena, Symbol::FALSE, &[]),
            Sort::INT => return Some(arena.literal(Literal::Numeral, "0", sort)),
            Sort::REAL => return Some(arena.literal(Literal::Decimal, "0.0", sort)),
            Sort::STRING => return Some(arena.literal(Literal::String, "\"\"", sort)),
            Sort::ROUNDING_MODE => {
                let name = arena.symbol("RNE");
                return constant(arena, name, &[]);
            }
            _ => {}
        }
        let view = arena.view_sort(sort);
        let (head, indices) = (view.head, view.indices.to_vec());
        match (head, indices.as_slice()) {
            (Symbol::BITVEC, [Index::Numeral(width)]) if *width <= 16 => {
                Some(arena.literal(Literal::Binary, &format!("#b{}", "0".repeat(*width as usize)), sort))
            }
            (Symbol::BITVEC, [_]) => {
                let name = arena.symbol("bv0");
                constant(arena, name, &indices)
            }
            (Symbol::FLOATING_POINT, _) => {
                let name = arena.symbol("+zero");
                constant(arena, name, &indices)
            }
            _ => self.constructors.get(&head).and_then(|&name| constant(arena, name, &[])),
        }
    }

    /// A declared constant of a sort; `None` if there is none that can be used everywhere.
    pub fn constant(&self, arena: &mut Arena, sort: Sort) -> Option<Term> {
        let name = *self.constants.get(&sort)?;
        Some(arena.application(Head::plain(name), &[], sort))
    }
}
