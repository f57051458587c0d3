//! The objectives of a script: `maximize`, `minimize` and `assert-soft`.

use gainsay_smt::print::term_text;
use gainsay_smt::{Arena, Command, Script, Sort, Symbol, Term, Word};

use crate::trial::reply::items;

/// Levels that one `push` of a script with objectives may add.
const MAX_LEVELS: usize = 16;
/// What one objective of a script optimises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptimisationGoal {
    /// The term.
    pub term: String,
    /// Its sort.
    pub sort: GoalSort,
    /// Whether large values are better.
    pub is_maximum: bool,
    /// True for the weights of soft constraints, which have finitely many values.
    pub is_cost: bool,
}

/// The sorts that z3 optimises over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoalSort {
    /// Integers.
    Int,
    /// Reals.
    Real,
    /// Bit-vectors are compared as unsigned numbers.
    Bits(u32),
}

/// The sort of an objective; `None` if z3 does not optimise over it.
pub fn goal_sort(arena: &Arena, sort: Sort) -> Option<GoalSort> {
    let view = arena.view_sort(arena.canonical(sort));
    match arena.canonical(sort) {
        Sort::INT => Some(GoalSort::Int),
        Sort::REAL => Some(GoalSort::Real),
        _ if view.head == Symbol::BITVEC => Some(GoalSort::Bits(view.indices.first()?.numeral()?)),
        _ => None,
    }
}

/// The objectives of a script without scopes.
pub fn goals(script: &Script) -> Option<Vec<OptimisationGoal>> {
    goals_at(script, script.commands.len())
}

/// The objectives in force at a command, in the order in which z3 lists them; `None` if one cannot be read. A `pop` removes the
/// objectives that were added since its `push`.
pub fn goals_at(script: &Script, place: usize) -> Option<Vec<OptimisationGoal>> {
    let arena = script.arena();
    let mut goals: Vec<(Option<String>, OptimisationGoal)> = Vec::new();
    let mut levels = Vec::new();
    for command in &script.commands[..place] {
        match command {
            Command::Push(count) => {
                let count = count.unwrap_or(1) as usize;
                levels.extend(std::iter::repeat_n(goals.clone(), (count <= MAX_LEVELS).then_some(count)?));
            }
            Command::Pop(count) => {
                for _ in 0..count.unwrap_or(1).min(MAX_LEVELS as u32) {
                    goals = levels.pop()?;
                }
            }
            Command::Reset | Command::ResetAssertions => return None,
            Command::Term(word @ (Word::Maximize | Word::Minimize), term, None) => {
                let (is_maximum, term) = (*word == Word::Maximize, *term);
                let sort = goal_sort(arena, arena.sort_of(term))?;
                goals.push((
                    None,
                    OptimisationGoal { term: term_text(arena, term), sort, is_maximum, is_cost: false },
                ));
            }
            Command::Term(Word::AssertSoft, term, attributes) => soft(&mut goals, arena, *term, *attributes)?,
            _ => {}
        }
    }
    Some(goals.into_iter().map(|(_, goal)| goal).collect())
}

/// Adds a soft constraint to the objective of its `:id`.
fn soft(
    goals: &mut Vec<(Option<String>, OptimisationGoal)>,
    arena: &Arena,
    term: Term,
    attributes: Option<Symbol>,
) -> Option<()> {
    let words: Vec<&str> = attributes.map_or("", |text| arena.text(text)).split_whitespace().collect();
    let (mut weight, mut id) = ("1".to_owned(), String::new());
    for pair in words.chunks(2) {
        match pair {
            [":weight", value] => real(value)?.clone_into(&mut weight),
            [":id", value] => (*value).clone_into(&mut id),
            _ => return None,
        }
    }
    let weight = if weight.contains('.') { weight } else { format!("{weight}.0") };
    let cost = format!("(ite {} 0.0 {weight})", term_text(arena, term));
    match goals.iter_mut().find(|(known, _)| known.as_ref() == Some(&id)) {
        Some((_, goal)) => goal.term = format!("(+ {} {cost})", goal.term),
        None => {
            goals.push((
                Some(id),
                OptimisationGoal { term: cost, sort: GoalSort::Real, is_maximum: false, is_cost: true },
            ));
        }
    }
    Some(())
}

/// A real number in the notation of z3 with a decimal point in every numeral.
pub fn real(text: &str) -> Option<String> {
    let parts = items(text);
    match parts.as_slice() {
        [] => Some(if text.contains('.') { text.to_owned() } else { format!("{text}.0") }),
        ["-", value] => Some(format!("(- {})", real(value)?)),
        ["/", above, below] => Some(format!("(/ {} {})", real(above)?, real(below)?)),
        _ => None,
    }
}
