//! Makes indices of operators smaller without changing their sorts.
//!
//! ```text
//! ((_ extract 15 8) x)   becomes   ((_ extract 7 0) x)
//! ((_ rotate_left 5) x)  becomes   ((_ rotate_left 0) x)
//! ((_ re.loop 3 9) r)    becomes   ((_ re.loop 0 1) r)
//! ```

use gainsay_smt::{Arena, Head, Index, Script, Term, TermView};

use super::{Pass, Phase};
use crate::change::{ScriptChange, replacement_batches};
use crate::script_view::ScriptView;

/// Makes indices of operators smaller.
pub struct SmallerIndices;

/// Operators whose sort does not depend on their indices.
const FREE_INDEX_OPERATORS: [&str; 8] =
    ["rotate_left", "rotate_right", "re.^", "re.loop", "at-most", "at-least", "divisible", "bit2bool"];

impl Pass for SmallerIndices {
    fn name(&self) -> &'static str {
        "smaller-indices"
    }

    fn about(&self) -> &'static str {
        "makes indices of operators smaller"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        replacement_batches(script, |arena, term| {
            let indices = smaller_indices(arena, term);
            indices.iter().map(|indices| with_indices(arena, term, indices)).collect()
        })
    }
}

/// Smaller indices for a term, the smallest first.
fn smaller_indices(arena: &Arena, term: Term) -> Vec<Vec<u32>> {
    let TermView::Application(head, _) = arena.view(term) else { return Vec::new() };
    let old: Option<Vec<u32>> = head.indices.iter().map(|index| index.numeral()).collect();
    let Some(old) = old.filter(|old| !old.is_empty()) else { return Vec::new() };
    let name = arena.text(head.symbol);
    if name == "extract" {
        let (high, low) = (old[0], old[1]);
        return [low, low.div_ceil(2)]
            .iter()
            .filter(|_| low > 0)
            .map(|by| vec![high - by, low - by])
            .collect();
    }
    if !FREE_INDEX_OPERATORS.contains(&name) {
        return Vec::new();
    }
    // The index of `divisible` is positive.
    let least = u32::from(name == "divisible");
    let mut all = vec![vec![least; old.len()]];
    if old.len() == 2 {
        all.extend([vec![least, least + 1], vec![least, old[1]]]);
    }
    all.push(vec![least + 1; old.len()]);
    all.push(old.iter().map(|index| (index / 2).max(least)).collect());
    all.push(old.iter().map(|index| index.saturating_sub(1).max(least)).collect());
    all.retain(|new| new.iter().zip(&old).all(|(new, old)| new <= old) && *new != old);
    all.dedup();
    all
}

fn with_indices(arena: &mut Arena, term: Term, indices: &[u32]) -> Term {
    let TermView::Application(head, arguments) = arena.view(term) else { return term };
    let (symbol, qualifier, arguments) = (head.symbol, head.qualifier, arguments.to_vec());
    let indices: Vec<Index> = indices.iter().map(|&index| Index::Numeral(index)).collect();
    let sort = arena.sort_of(term);
    arena.application(Head { symbol, indices: &indices, qualifier }, &arguments, sort)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn indices_shrink_and_sorts_stay() {
        let script = |term: &str| format!("(declare-const x (_ BitVec 16))(assert (= {term} x x))");
        check(&SmallerIndices, &script("((_ rotate_left 5) x)"), &script("((_ rotate_left 0) x)"));
        let script = |term: &str| format!("(declare-const x (_ BitVec 16))(assert (= {term} #xff))");
        check(&SmallerIndices, &script("((_ extract 15 8) x)"), &script("((_ extract 7 0) x)"));
        check_nothing(&SmallerIndices, &script("((_ extract 7 0) x)"));
    }
}
