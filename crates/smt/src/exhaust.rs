//! Exhaustion: decides a query by trying every assignment.
//!
//! ```
//! use gainsay_smt::exhaust::{self, ExactAnswer, ExhaustionBudget};
//! use gainsay_smt::{Script, Signature, sat_queries};
//!
//! let text = "(declare-const x (_ BitVec 4))(assert (= (bvmul x x) #x2))(check-sat)";
//! let script = Script::parse(text, &Signature::standard())?;
//! let decision = exhaust::decide(&script, &sat_queries(&script)[0], ExhaustionBudget::default());
//! assert_eq!(decision.answer, ExactAnswer::Unsat);
//! assert_eq!(decision.assignments, 16);
//! # Ok::<(), gainsay_smt::Error>(())
//! ```
//!
//! The assertions are compiled to a flat program over machine words (`compile.rs`, `program.rs`), which a backtracking search
//! runs for one assignment after another (`search.rs`), and for sixteen values of the last constant at once (`lanes.rs`).
//! What has no machine code is computed by the evaluator, once for each tuple of arguments. Integers are bounded by what the assertions imply (`bounds.rs`).
//!
//! An answer is never a guess. Where a domain is infinite, an assignment still proves `sat`, but the lack of one proves
//! nothing. A result that the standard leaves open is a function whose values are enumerated as well; an answer `sat` that
//! rests on a choice of such values lists the operators. The evaluator checks every satisfying assignment.

mod applications;
mod bounded_words;
mod bounds;
mod cases;
mod compile;
mod domains;
mod functions;
mod heaps;
mod lanes;
mod memory;
mod native;
mod program;
mod search;
mod solved;
mod special_relations;
mod tables;
mod universes;
mod witness;
mod words;

#[cfg(test)]
mod case_tests;
#[cfg(test)]
mod function_tests;
#[cfg(test)]
mod own_name_tests;
#[cfg(test)]
mod own_theory_tests;
#[cfg(test)]
mod special_relation_tests;
#[cfg(test)]
mod tests;

use crate::command::{Command, Word};
use crate::eval::{self, EvalBudget, Evaluator, TruthValue, Undecided};
use crate::model::Model;
use crate::orders::{self, ClosureKind, OrderKind, RelationReading};
use crate::print::symbol_text;
use crate::queries::SatQuery;
use crate::script::Script;
use crate::symbol::Symbol;
use crate::term::{Term, TermView};
use bounds::Bounds;
use cases::Cases;
use compile::Compiler;
use program::{FreeFunction, Program};
use search::{Search, SearchOutcome};
use universes::{Universe, universe_model};

/// Terms of a script per step of the budget: reading a script costs, too.
const STEPS_PER_TERM: u64 = 4;
/// The budget of the evaluator for one application.
const APPLICATION_BUDGET: EvalBudget = EvalBudget { steps: 100_000, bytes: 16 << 20 };

/// Commands that may change what is asserted, or how a query is answered.
const UNSUPPORTED_COMMANDS: &[&str] =
    &["block-model", "check-sat-using", "include", "model-add", "model-del", "synth-fun"];

/// The limit of a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExhaustionBudget {
    /// The number of steps: one for each node that is computed, more for what the evaluator computes.
    pub steps: u64,
    /// The bytes that values, nodes and remembered results may take, by an estimate from above.
    pub bytes: u64,
}

impl ExhaustionBudget {
    /// So many steps, and the bytes that a decision may usually take.
    pub const fn of_steps(steps: u64) -> ExhaustionBudget {
        ExhaustionBudget { steps, bytes: 768 << 20 }
    }
}

impl Default for ExhaustionBudget {
    fn default() -> ExhaustionBudget {
        ExhaustionBudget::of_steps(200_000_000)
    }
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExactAnswer {
    /// An assignment makes every assertion true.
    Sat {
        /// The assignment as a model.
        model: String,
        /// The operators of which it fixes results that the standard leaves open.
        open: Vec<String>,
    },
    /// No assignment makes every assertion true.
    Unsat,
    /// Neither was shown, and why.
    Undecided(Undecided),
}

/// The answer to a query, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The answer.
    pub answer: ExactAnswer,
    /// The assignments that were evaluated, partial ones included.
    pub assignments: u64,
    /// The number of steps taken.
    pub steps: u64,
    /// The functions of the script that were enumerated.
    pub domains: Vec<EnumeratedFunction>,
}

/// Why `unsat` is right after so many assignments were evaluated, in words.
pub fn exhaustion_words(assignments: u64) -> String {
    match assignments {
        0 => "by exhaustion: the assertions are false whatever the values are".to_owned(),
        1 => "by exhaustion: the only possible assignment was evaluated".to_owned(),
        more => format!("by exhaustion: all {more} assignments were evaluated"),
    }
}

/// A function of the script that was enumerated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EnumeratedFunction {
    /// Its name.
    pub name: String,
    /// The values that each of its points can have.
    pub values: String,
    /// Whether these are all values that can matter.
    pub is_complete: bool,
}

/// Decides a query by exhaustion, within a budget.
pub fn decide(script: &Script, query: &SatQuery, budget: ExhaustionBudget) -> Decision {
    let undecided = |reason: &str| Decision {
        answer: ExactAnswer::Undecided(Undecided::TooLarge(reason.into())),
        assignments: 0,
        steps: 0,
        domains: Vec::new(),
    };
    if let Some(command) = unsupported_command(script, query) {
        return undecided(&format!("a command that exhaustion does not follow: {command}"));
    }
    let arena = script.arena();
    let sorts = script.commands.iter().flat_map(Command::declared_sorts);
    if let Some(name) = sorts.into_iter().find(|&name| arena.signature().is_sort(name)) {
        return undecided(&format!("the script declares the sort {}, which a theory has", arena.text(name)));
    }
    let terms = arena.term_count() as u64;
    if terms.saturating_mul(STEPS_PER_TERM) > budget.steps {
        return undecided("the script is too large for the budget");
    }
    // Tree orders have two readings: no partial order refutes both, and a piecewise linear order is one in both.
    let weakest = search_closures(script, query, OrderKind::Partial, terms * STEPS_PER_TERM, budget);
    if !applies(script, "tree-order") || weakest.answer == ExactAnswer::Unsat {
        return weakest;
    }
    let mut strongest = search_closures(script, query, OrderKind::PiecewiseLinear, weakest.steps, budget);
    strongest.assignments += weakest.assignments;
    if strongest.answer == ExactAnswer::Unsat {
        strongest.answer = unspecified("the two readings of tree-order");
    }
    strongest
}

/// Searches with both readings of transitive closures, whose answers must agree.
fn search_closures(
    script: &Script,
    query: &SatQuery,
    trees: OrderKind,
    steps: u64,
    budget: ExhaustionBudget,
) -> Decision {
    let reading = |closures| RelationReading { trees, closures };
    let mut plain = search(script, query, reading(ClosureKind::Transitive), steps, budget);
    if !applies(script, "transitive-closure") || matches!(plain.answer, ExactAnswer::Undecided(_)) {
        return plain;
    }
    let reflexive = search(script, query, reading(ClosureKind::Reflexive), plain.steps, budget);
    plain.assignments += reflexive.assignments;
    plain.steps = reflexive.steps;
    match (&plain.answer, reflexive.answer) {
        (_, answer @ ExactAnswer::Undecided(_)) => plain.answer = answer,
        (ExactAnswer::Sat { .. }, ExactAnswer::Sat { .. }) | (ExactAnswer::Unsat, ExactAnswer::Unsat) => {}
        _ => plain.answer = unspecified("the two readings of transitive-closure"),
    }
    plain
}

fn unspecified(reason: &'static str) -> ExactAnswer {
    ExactAnswer::Undecided(Undecided::Unspecified(reason.into()))
}

/// Returns true if a script applies an operator.
fn applies(script: &Script, operator: &str) -> bool {
    let arena = script.arena();
    let is_it = |term| matches!(arena.view(term), TermView::Application(head, _) if arena.text(head.symbol) == operator);
    (0..arena.term_count()).any(|index| is_it(Term(index as u32)))
}

/// Searches with one reading of special relations, after some steps of the budget: in each universe, until one has a model.
fn search(
    script: &Script,
    query: &SatQuery,
    reading: RelationReading,
    steps: u64,
    budget: ExhaustionBudget,
) -> Decision {
    let model = Model::empty(script, query);
    let asserted: Vec<Term> = query.assertions.iter().chain(&query.assumptions).copied().collect();
    let universes = universes::universes(&model, &asserted);
    let mut decision = Decision { answer: ExactAnswer::Unsat, assignments: 0, steps, domains: Vec::new() };
    let mut gap = None;
    let mut empty = Some(model);
    for universe in universes {
        let (model, universe) = match universe_model(script, query, &universe) {
            Some(model) => (model, universe),
            None => (empty.take().unwrap_or_else(|| Model::empty(script, query)), Universe::new()),
        };
        let next = search_universe(script, query, &model, &universe, reading, decision.steps, budget);
        decision = Decision { assignments: decision.assignments + next.assignments, ..next };
        match decision.answer {
            ExactAnswer::Unsat => {}
            ExactAnswer::Undecided(reason) => gap = gap.or(Some(reason)),
            ExactAnswer::Sat { .. } => return decision,
        }
        decision.answer = ExactAnswer::Unsat;
    }
    if let Some(reason) = gap {
        decision.answer = ExactAnswer::Undecided(reason);
    }
    decision
}

fn search_universe(
    script: &Script,
    query: &SatQuery,
    model: &Model,
    universe: &Universe,
    reading: RelationReading,
    steps: u64,
    budget: ExhaustionBudget,
) -> Decision {
    let mut program = Program::new(Evaluator::new(model, APPLICATION_BUDGET), budget);
    program.steps = steps;
    let asserted: Vec<Term> = query.assertions.iter().chain(&query.assumptions).copied().collect();
    let mut assignments = 0;
    let answer = match compile(&mut program, model, &asserted, reading) {
        Err(reason) => ExactAnswer::Undecided(reason),
        Ok(roots) => {
            let mut search = Search::new(&mut program, roots);
            let outcome = search.run();
            assignments = search.assignments;
            match outcome {
                SearchOutcome::Exhausted => ExactAnswer::Unsat,
                SearchOutcome::Unclear(reason) => ExactAnswer::Undecided(reason),
                SearchOutcome::Satisfied => satisfied(script, query, model, &program, universe),
            }
        }
    };
    let domains = enumerated(model, &program);
    Decision { answer, assignments, steps: program.steps, domains }
}

/// A command before a query, or the query itself, that may change the question in ways that exhaustion does not follow.
fn unsupported_command<'s>(script: &'s Script, query: &SatQuery) -> Option<&'s str> {
    let last = script.commands.len().min(query.command + 1);
    script.commands[..last].iter().find_map(|command| match command {
        Command::Opaque(_) => Some("an unknown command"),
        Command::DeclareSortParameter(word, _) => Some(word.text()),
        Command::Declare(word @ (Word::DeclareRel | Word::DeclareVar), ..) => Some(word.text()),
        Command::Term(word @ (Word::Rule | Word::Query), ..) => Some(word.text()),
        Command::Terms(word @ Word::BlockModelValues, _) => Some(word.text()),
        Command::Plain(name, _) => {
            let name = script.arena().text(*name);
            UNSUPPORTED_COMMANDS.contains(&name).then_some(name)
        }
        _ => None,
    })
}

fn compile<'m>(
    program: &mut Program<'m>,
    model: &'m Model,
    asserted: &[Term],
    reading: RelationReading,
) -> Result<Vec<u32>, Undecided> {
    let view = model.theory_view();
    let bounds = Bounds::of(&view, asserted);
    let holding: Vec<(Term, bool)> = asserted.iter().map(|&term| (term, true)).collect();
    let cases = Cases::of_signed(&view, &holding);
    let mut compiler = Compiler::new(program, model, bounds, cases, reading);
    compiler.collect_hints(asserted);
    let mut roots: Vec<u32> =
        asserted.iter().map(|&term| compiler.compile(term)).collect::<Result<_, _>>()?;
    roots.extend(compiler.known_solutions());
    roots.extend(program.add_orders());
    program.connect()?;
    Ok(program.conjuncts(&roots))
}

/// The satisfying assignment, checked by the evaluator.
fn satisfied(
    script: &Script,
    query: &SatQuery,
    model: &Model,
    program: &Program<'_>,
    universe: &Universe,
) -> ExactAnswer {
    let text = witness::model_text(model, program, &universes::universe_text(script, universe));
    let open = witness::open_results(model.arena(), program);
    let read = Model::read(&text, script, query);
    if let Ok(model) = &read
        && let Some(name) = query.unsolved_definition(script, model)
    {
        let name = script.arena().text(name);
        let why = format!("{name} is defined by its own values, which may have no solution");
        return ExactAnswer::Undecided(Undecided::Unspecified(why.into()));
    }
    let outcome = match read {
        Ok(model) => eval::evaluate(&model, query, EvalBudget::default()).outcome(),
        Err(_) => TruthValue::False,
    };
    match outcome {
        TruthValue::False if open.is_empty() => {
            let reason = "the evaluator rejects the assignment that exhaustion found";
            ExactAnswer::Undecided(Undecided::Model(reason.into()))
        }
        _ => ExactAnswer::Sat { model: text, open },
    }
}

fn enumerated(model: &Model, program: &Program<'_>) -> Vec<EnumeratedFunction> {
    let declared = program.functions.iter().filter(|function| !function.is_open && !function.is_choice);
    let name = |function: &FreeFunction| match &function.order {
        Some(order) => orders::model_name(model.arena().text(function.name), order.index),
        None if function.name == Symbol::EMPTY_HEAP => "the heap".to_owned(),
        None => symbol_text(model.arena(), function.name),
    };
    let shown = declared.map(|function| EnumeratedFunction {
        name: name(function),
        values: function.domain.text(function.kind),
        is_complete: function.domain.gap.is_none(),
    });
    shown.collect()
}
