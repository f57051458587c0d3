//! Drops constructors and fields of datatypes.
//!
//! ```text
//! (declare-datatype L ((nil) (cons (head Int) (tail L)) (other)))   with   (cons 0 nil)
//! becomes
//! (declare-datatype L ((nil) (cons (tail L))))                      with   (cons nil)
//! ```
//!
//! A constructor can be dropped if terms use it only as a case of a `match`, a field if no term selects it.

use gainsay_smt::{
    Arena, Command, Constructor, DatatypeDeclaration, Head, Index, Script, Symbol, Term, TermView,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script_in_groups};
use crate::contents::terms_of;
use crate::rewrite::{OwnedCase, RewriteRule, match_on, rewrite_and_reparse};
use crate::script_view::ScriptView;

/// Drops constructors and fields.
pub struct ShrinkDatatypes;

impl Pass for ShrinkDatatypes {
    fn name(&self) -> &'static str {
        "shrink-datatypes"
    }

    fn about(&self) -> &'static str {
        "drops constructors and fields of datatypes"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        vec![rewrite_script_in_groups(&droppable_parts(script), |script, dropped| {
            let mut rule =
                ShrinkDatatypesRule { constructors: FxHashSet::default(), fields: FxHashMap::default() };
            for part in dropped {
                match part {
                    DatatypePart::Constructor(name) => drop(rule.constructors.insert(*name)),
                    DatatypePart::Field(name, number) => rule.fields.entry(*name).or_default().push(*number),
                }
            }
            rewrite_and_reparse(script, &mut rule)
        })]
    }
}

/// A constructor or field that can be dropped.
#[derive(Clone, Copy)]
enum DatatypePart {
    Constructor(Symbol),
    Field(Symbol, usize),
}

fn droppable_parts(script: &Script) -> Vec<DatatypePart> {
    let used = used_symbols(script);
    let mut parts = Vec::new();
    let datatypes = script.commands.iter().filter_map(|command| match command {
        Command::DeclareDatatypes(_, datatypes) => Some(datatypes),
        _ => None,
    });
    for datatype in datatypes.flat_map(|datatypes| datatypes.iter()) {
        for constructor in &datatype.constructors {
            let is_used = used.contains(&constructor.name)
                || constructor.fields.iter().any(|field| used.contains(&field.0));
            if !is_used && datatype.constructors.len() > 1 {
                parts.push(DatatypePart::Constructor(constructor.name));
            }
            let fields = constructor.fields.iter().enumerate().filter(|(_, field)| !used.contains(&field.0));
            parts.extend(fields.map(|(number, _)| DatatypePart::Field(constructor.name, number)));
        }
    }
    parts
}

/// The symbols that terms use, testers by the names of their constructors.
fn used_symbols(script: &Script) -> FxHashSet<Symbol> {
    let arena = script.arena();
    let mut used = FxHashSet::default();
    for term in terms_of(script) {
        let TermView::Application(head, _) = arena.view(term) else { continue };
        used.insert(head.symbol);
        let tested = arena.text(head.symbol).strip_prefix("is-").and_then(|name| arena.find_symbol(name));
        used.extend(tested);
        for index in head.indices {
            if let Index::Symbol(name) = index {
                used.insert(*name);
            }
        }
    }
    used
}

/// Drops constructors and fields.
struct ShrinkDatatypesRule {
    constructors: FxHashSet<Symbol>,
    fields: FxHashMap<Symbol, Vec<usize>>,
}

impl ShrinkDatatypesRule {
    fn without<T: Clone>(&self, constructor: Symbol, items: &[T]) -> Vec<T> {
        let dropped = self.fields.get(&constructor).map_or(&[][..], Vec::as_slice);
        let kept = items.iter().enumerate().filter(|(number, _)| !dropped.contains(number));
        kept.map(|(_, item)| item.clone()).collect()
    }

    fn datatype(&self, datatype: &DatatypeDeclaration) -> DatatypeDeclaration {
        let kept = datatype.constructors.iter().filter(|c| !self.constructors.contains(&c.name));
        let constructors = kept.map(|constructor| Constructor {
            name: constructor.name,
            fields: self.without(constructor.name, &constructor.fields),
        });
        DatatypeDeclaration { constructors: constructors.collect(), ..datatype.clone() }
    }
}

impl RewriteRule for ShrinkDatatypesRule {
    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        let sort = arena.sort_of(old);
        match arena.view(old) {
            TermView::Application(head, _)
                if self.fields.contains_key(&head.symbol) && head.qualifier.is_none() =>
            {
                let symbol = head.symbol;
                let children = self.without(symbol, children);
                Some(arena.application(Head::plain(symbol), &children, sort))
            }
            TermView::Match(cases, _) => {
                let mut kept: Vec<OwnedCase> = Vec::new();
                let mut bodies = vec![children[0]];
                for (case, body) in cases.iter().zip(&children[1..]) {
                    if case.constructor.is_some_and(|name| self.constructors.contains(&name)) {
                        continue;
                    }
                    let variables = case
                        .constructor
                        .map_or(case.variables.to_vec(), |name| self.without(name, case.variables));
                    kept.push((case.constructor, variables));
                    bodies.push(*body);
                }
                Some(match_on(arena, &kept, &bodies, sort))
            }
            _ => None,
        }
    }

    fn command(&mut self, _: &mut Arena, command: &Command) -> Vec<Command> {
        match command {
            Command::DeclareDatatypes(form, datatypes) => {
                let datatypes = datatypes.iter().map(|datatype| self.datatype(datatype)).collect();
                vec![Command::DeclareDatatypes(*form, datatypes)]
            }
            other => vec![other.clone()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn unused_constructors_and_fields_are_dropped() {
        let before =
            "(declare-datatype L ((nil) (cons (head Int) (tail L)) (other)))(assert (= (cons 0 nil) nil))";
        check(&ShrinkDatatypes, before, "(declare-datatype L ((nil) (cons)))(assert (= cons nil))");
        check(
            &ShrinkDatatypes,
            before,
            "(declare-datatype L ((nil) (cons (head Int) (tail L))))(assert (= (cons 0 nil) nil))",
        );
        check(
            &ShrinkDatatypes,
            before,
            "(declare-datatype L ((nil) (cons (tail L)) (other)))(assert (= (cons nil) nil))",
        );
    }

    #[test]
    fn used_constructors_and_fields_stay() {
        check_nothing(
            &ShrinkDatatypes,
            "(declare-datatype P ((pair (left Int))))(declare-const p P)(assert (= (left p) 0))(assert ((_ is pair) p))",
        );
    }
}
