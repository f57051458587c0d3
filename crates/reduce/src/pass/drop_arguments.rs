//! Drops arguments of operators that take any number of them.
//!
//! ```text
//! (and (< x 0) (= y 1) (p y))   ⇒   (and (< x 0) (p y))   ⇒   (p y)
//! ```

use gainsay_smt::signature::Associativity;
use gainsay_smt::{Script, Sort, TermView};

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Drops arguments.
pub struct DropArguments;

impl Pass for DropArguments {
    fn name(&self) -> &'static str {
        "drop-arguments"
    }

    fn about(&self) -> &'static str {
        "drops arguments of operators that take any number of them"
    }

    fn phase(&self) -> Phase {
        Phase::Coarse
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let arena = script.arena();
        let list = view.places.list();
        let mut places: Vec<usize> = (0..list.len())
            .filter(|&place| match list[place].parent {
                Some((parent, _)) if view.is_changeable(parent) || list[parent].sort == Sort::BOOL => {
                    can_drop(arena, list[parent].term, list[place].sort)
                }
                _ => false,
            })
            .collect();
        view.longest_first(&mut places);
        vec![places.into_iter().map(ScriptChange::DropArgument).collect()]
    }
}

/// Whether an application can drop an argument of a sort: one of many, or one of two if the other has the sort of the whole.
fn can_drop(arena: &gainsay_smt::Arena, term: gainsay_smt::Term, sort: Sort) -> bool {
    let TermView::Application(head, arguments) = arena.view(term) else { return false };
    let mut ranks = arena.signature().ranks_of(head.symbol).iter();
    let allows = |associativity: Associativity| match associativity {
        Associativity::Left | Associativity::Right => arguments.len() > 1 && arena.sort_of(term) == sort,
        Associativity::Chainable | Associativity::Pairwise => arguments.len() > 2,
    };
    ranks.any(|rank| rank.associativity.is_some_and(allows))
}
