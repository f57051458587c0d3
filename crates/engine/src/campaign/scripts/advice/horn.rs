//! Asks z3 for rewrites and lemmas about the clauses of a seed (`crates/strategies/src/horn/advice.rs`).

use std::fmt::Write as _;

use gainsay_smt::horn::{Clause, HornForm, System};
use gainsay_smt::print::{sort_text, symbol_text, term_text, term_text_within};
use gainsay_smt::{Arena, Command, Model, Script, Symbol, Term, TermView, Variable, sat_queries};

use crate::random::Rng;
use crate::solver::run::{Answer, Ask, Limits, Query, Run};
use crate::strategy::horn::advice::{ConstraintRewrite, HornAdvice, PredicateLemma, declarations, read_term};
use crate::trial::clauses::{self, ClauseCheck};

/// The most rewrites asked for per seed.
const MAX_REWRITES: usize = 60;

/// The longest constraint that is rewritten, in bytes.
const MAX_CONSTRAINT_BYTES: usize = 2000;

/// Runs a query for [`ask`]; `None` if there is no answer.
pub type QueryRunner<'a> = dyn FnMut(&Query<'_>) -> Option<Run> + 'a;

/// Asks a solver about the clauses of a seed; parts that it cannot answer are empty.
pub fn ask(script: &Script, runner: &mut QueryRunner<'_>, limits: Limits, rng: &mut Rng) -> HornAdvice {
    let Ok(system) = System::read(script) else { return HornAdvice::default() };
    let mut run = |text: &str, ask: Ask| runner(&Query { script: text, limits, ask });
    let rewrites = rewrites(script, &system, &mut run, rng);
    HornAdvice { rewrites, lemmas: lemmas(&system, &mut run).unwrap_or_default() }
}

type ClauseQueryRunner<'a> = dyn FnMut(&str, Ask) -> Option<Run> + 'a;

/// The parameters of z3's simplifier, with their values.
fn parameters() -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("../../../../rules/rewrites.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(char::is_whitespace))
        .map(|(name, value)| (name, value.trim()))
        .collect()
}

fn rewrites(
    script: &Script,
    system: &System,
    run: &mut ClauseQueryRunner<'_>,
    rng: &mut Rng,
) -> Vec<ConstraintRewrite> {
    let mut requests = Vec::new();
    for clause in &system.clauses {
        for term in system.constraints(clause) {
            if term_text_within(system.arena(), term, MAX_CONSTRAINT_BYTES).len() < MAX_CONSTRAINT_BYTES {
                requests.extend(parameters().into_iter().map(|parameter| (clause, term, parameter)));
            }
        }
    }
    rng.shuffle(&mut requests);
    requests.truncate(MAX_REWRITES);
    let mut text =
        String::from("(set-option :pp.min_alias_size 1000000)\n(set-option :pp.max_depth 100000)\n");
    text.push_str(&declarations(script));
    for (number, (clause, term, (parameter, value))) in requests.iter().enumerate() {
        let (variables, term) = (list(system.arena(), &clause.variables), term_text(system.arena(), *term));
        let request = if *parameter == "-" { String::new() } else { format!(" :{parameter} {value}") };
        let constants = constants(system.arena(), clause);
        let _ = write!(
            text,
            "(echo \"phrase {number}\")\n(push 1)\n{constants}(simplify {term}{request})\n(pop 1)\n"
        );
        debug_assert!(variables.starts_with('('), "a list");
    }
    text.push_str("(echo \"phrase end\")\n");
    let Some(said) = run(&text, Ask::OWN_SCRIPT) else { return Vec::new() };
    let said = String::from_utf8_lossy(&said.output).into_owned();
    let rewrite = |(number, (clause, term, (parameter, _))): (usize, &(&Clause, Term, (&str, &str)))| {
        let (_, rest) = said.split_once(&format!("phrase {number}\n"))?;
        let (new, _) = rest.split_once("phrase ")?;
        Some(ConstraintRewrite {
            parameter: (*parameter).to_owned(),
            variables: list(system.arena(), &clause.variables),
            old: term_text(system.arena(), *term),
            new: new.split_whitespace().collect::<Vec<_>>().join(" "),
        })
    };
    let candidates: Vec<ConstraintRewrite> = requests.iter().enumerate().filter_map(rewrite).collect();
    equal(script, candidates, run)
}

/// The rewrites that differ from the original, and that the solver proves equal to it.
fn equal(
    script: &Script,
    mut candidates: Vec<ConstraintRewrite>,
    run: &mut ClauseQueryRunner<'_>,
) -> Vec<ConstraintRewrite> {
    let mut scratch = script.clone();
    candidates.retain(|rewrite| {
        let both = [&rewrite.old, &rewrite.new].map(|term| read_term(&mut scratch, &rewrite.variables, term));
        matches!(both, [Some((_, old)), Some((_, new))] if old != new)
    });
    let mut text = format!("(set-logic ALL)\n{}", declarations(script));
    for ConstraintRewrite { variables, old, new, .. } in &candidates {
        let _ = write!(
            text,
            "(push 1)\n(assert (exists {variables} (not (= {old} {new}))))\n(check-sat)\n(pop 1)\n"
        );
    }
    let answers = run(&text, Ask::ANSWERS_ONLY).map(|run| run.answers).unwrap_or_default();
    if answers.len() != candidates.len() {
        return Vec::new();
    }
    let is_equal = |(_, answer): &(ConstraintRewrite, Answer)| *answer == Answer::Unsat;
    candidates.into_iter().zip(answers).filter(is_equal).map(|(rewrite, _)| rewrite).collect()
}

/// What predicates imply in a model in which every clause holds.
fn lemmas(system: &System, run: &mut ClauseQueryRunner<'_>) -> Option<Vec<PredicateLemma>> {
    let script = system.script(HornForm::Horn);
    let said = run(&script.to_string(), Ask::WITH_MODEL)?;
    let text = said.model.filter(|_| said.answers == [Answer::Sat])?;
    if !matches!(clauses::check(&script, &text, "", run)?, ClauseCheck::Upheld(_)) {
        return None;
    }
    let model = Model::read(&text, &script, sat_queries(&script).first()?).ok()?;
    let arena = model.arena();
    let mut lemmas = Vec::new();
    for definition in model.definitions()? {
        if !system.predicates.iter().any(|predicate| predicate.name == definition.name) {
            continue;
        }
        let says_nothing = |term: &Term| matches!(arena.view(*term), TermView::Application(head, []) if head.symbol == Symbol::TRUE);
        let parts = conjuncts(arena, definition.body).into_iter().filter(|part| !says_nothing(part));
        lemmas.extend(parts.map(|part| PredicateLemma {
            predicate: symbol_text(arena, definition.name),
            parameters: list(arena, &definition.parameters),
            term: term_text(arena, part),
        }));
    }
    let fits = |lemma: &PredicateLemma| {
        lemma.term.len() < MAX_CONSTRAINT_BYTES
            && read_term(&mut script.clone(), &lemma.parameters, &lemma.term).is_some()
    };
    lemmas.retain(fits);
    Some(lemmas)
}

/// The parts of a conjunction; for another term, the term itself.
fn conjuncts(arena: &Arena, term: Term) -> Vec<Term> {
    match arena.view(term) {
        TermView::Application(head, terms) if head.symbol == Symbol::AND => terms.to_vec(),
        _ => vec![term],
    }
}

/// `((x Int) (y Int))`
fn list(arena: &Arena, variables: &[Variable]) -> String {
    let one = |variable: &Variable| {
        format!("({} {})", symbol_text(arena, variable.name), sort_text(arena, variable.sort))
    };
    format!("({})", variables.iter().map(one).collect::<Vec<_>>().join(" "))
}

/// Declares the variables of a clause as constants.
fn constants(arena: &Arena, clause: &Clause) -> String {
    let declare = |variable: &Variable| {
        let command =
            Command::Declare(gainsay_smt::Word::DeclareConst, variable.name, [].into(), variable.sort);
        gainsay_smt::print::command_text(arena, &command) + "\n"
    };
    clause.variables.iter().map(declare).collect()
}
