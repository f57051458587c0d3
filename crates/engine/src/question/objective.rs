//! Optimisation: an objective is attained, and nothing better is possible.
//!
//! ```text
//! (assert (< x 10)) (maximize x) (check-sat) (get-objectives)        reply (objectives (x 9))
//!        claims that      (assert (< x 10)) (assert (= x 9)) (check-sat)      is sat
//!        and that         (assert (< x 10)) (assert (> x 9)) (check-sat)      is unsat
//! ```
//!
//! By default objectives are lexicographic: a later one is best among the points where the earlier ones have their values. With
//! `opt.priority box` each stands alone. A soft constraint costs its weight where it does not hold; those with one `:id` are one
//! objective. An unbounded objective `oo` claims that values above any bound exist, of which one large bound is tried;
//! `v - epsilon` claims that `v` is not reached and that values just below it are. z3 documents intervals as bounds that it
//! could not close, so they claim nothing beyond themselves. With `opt.priority pareto`, each check gives a point of a front
//! (`objective/pareto.rs`).

mod goals;
mod linear;
pub mod pareto;

use gainsay_smt::print::{command_text, symbol_text, term_text};
use gainsay_smt::{Command, Script, Sort, Word};

use super::core::shown;
use super::values::{closed_terms, constants};
use super::{AskedCommand, Question};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, FlatCheck, ReplyReading};
use crate::trial::reply::items;
use goals::{GoalSort, OptimisationGoal, goal_sort, goals, goals_at, real};
use linear::{BoundKind, is_linear};

/// Asks for optima.
pub struct ObjectiveQuestion;

/// A bound that an unbounded objective must exceed.
const UNBOUNDED_OPTIMUM_BOUND: &str = "1000000007";
/// A distance that a supremum must be approached to.
const SUPREMUM_DISTANCE: &str = "(/ 1.0 1024.0)";

/// Points of a front that are asked for.
const MAX_POINTS: usize = 6;

/// Options that are drawn, each in one of eight cases.
const OBJECTIVE_OPTIONS: [&str; 9] = [
    ":opt.priority box",
    ":opt.priority pareto",
    ":opt.optsmt_engine symba",
    ":opt.maxsat_engine wmax",
    ":opt.maxsat_engine pd-maxres",
    ":opt.maxsat_engine rc2",
    ":opt.maxsat_engine maxres-bin",
    ":opt.enable_sat false",
    ":opt.maxlex.enable false",
];

/// The value of an objective.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Optimum {
    /// Attained.
    At(String),
    /// Approached from the worse side and not attained.
    Below(String),
    /// No bound.
    Unbounded,
    /// Worse than every number.
    Nothing,
}

impl Question for ObjectiveQuestion {
    fn name(&self) -> &'static str {
        "objective"
    }

    fn about(&self) -> &'static str {
        "optima must be attained, and nothing better may exist"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Objective
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-objectives"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        if script.is_horn() || super::is_asked(script) || super::goes_on(script) || script.has_opaque() {
            return None;
        }
        let arena = script.arena();
        let constants = constants(script).into_iter();
        let mut terms: Vec<(String, GoalSort)> = constants
            .filter_map(|(name, sort)| Some((symbol_text(arena, name), goal_sort(arena, sort)?)))
            .collect();
        let mut formulas = Vec::new();
        for term in closed_terms(script) {
            match goal_sort(arena, arena.sort_of(term)) {
                Some(sort) => terms.push((term_text(arena, term), sort)),
                None if arena.sort_of(term) == Sort::BOOL => formulas.push(term_text(arena, term)),
                None => {}
            }
        }
        let mut goals = drawn_goals(&terms, &formulas, rng);
        let mut text: String = OBJECTIVE_OPTIONS
            .iter()
            .filter(|_| rng.chance(1, 8))
            .map(|one| format!("(set-option {one})\n"))
            .collect();
        let is_front = text.contains("priority pareto");
        let points = if is_front { 1 + rng.below(MAX_POINTS) } else { 1 };
        if !is_front && !text.contains("priority box") && rng.chance(1, 4) {
            let scope = scope(&terms, &formulas, rng);
            goals = if rng.chance(1, 2) { goals + &scope } else { scope + &goals };
        }
        for command in &script.commands {
            if matches!(command, Command::CheckSat) {
                text.push_str(&goals);
            }
            text.push_str(&command_text(arena, command));
            text.push('\n');
            if matches!(command, Command::CheckSat) {
                text.push_str(&["(get-objectives)\n"; MAX_POINTS][..points].join("(check-sat)\n"));
            }
        }
        (!goals.is_empty()).then_some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        if asked.answer != Some(Answer::Sat) {
            return ReplyReading::unclear("the check before it is not sat");
        }
        if !asked.blocked.is_complete {
            return ReplyReading::unclear("it is not known which points were given before");
        }
        let priority = option(asked.script, ":opt.priority").unwrap_or_else(|| "lex".to_owned());
        if super::goes_on(asked.script) && !pareto::is_front(asked.script) && !is_of_scopes(asked) {
            return ReplyReading::unclear("optima are judged after plain checks only");
        }
        let Some(goals) = goals_at(asked.script, asked.place) else {
            return ReplyReading::unclear("an objective cannot be read");
        };
        let listed = items(asked.reply);
        if listed.first() != Some(&"objectives") || listed.len() != goals.len() + 1 {
            return ReplyReading::unclear("the objectives are not those of the script");
        }
        if priority == "pareto" {
            return pareto::read_point(asked.flat(), &goals, asked.reply, asked.blocked);
        }
        let (flat, mut fixed, mut claims) = (asked.flat(), String::new(), Vec::new());
        for (goal, item) in goals.iter().zip(&listed[1..]) {
            let parts = items(item);
            let Some(optimum) = parts.last().and_then(|value| goal.optimum(value)) else {
                return match claims.is_empty() {
                    true => ReplyReading::unclear("an optimum is an interval, or cannot be read"),
                    // The first objectives of a lexicographic order are best whatever the later ones are.
                    false => ReplyReading::Claims(claims),
                };
            };
            claims.extend(goal.claims(flat, &fixed, &optimum, item));
            match (priority.as_str(), optimum) {
                ("box", _) => {}
                (_, Optimum::At(value)) => {
                    fixed.push_str(&flat.assertion(&format!("(= {} {value})", goal.term)));
                }
                _ => return ReplyReading::Claims(claims),
            }
        }
        ReplyReading::Claims(claims)
    }
}

impl OptimisationGoal {
    /// The comparison that means better.
    fn better(&self) -> &'static str {
        match (self.sort, self.is_maximum) {
            (GoalSort::Bits(_), true) => "bvugt",
            (GoalSort::Bits(_), false) => "bvult",
            (_, true) => ">",
            (_, false) => "<",
        }
    }

    fn claims(&self, flat: FlatCheck<'_>, fixed: &str, optimum: &Optimum, item: &str) -> Vec<Claim> {
        let term = &self.term;
        let item = shown(item);
        let claim = |condition: String, answer: Answer, what: &str| Claim {
            text: flat.with(&format!("{fixed}{}", flat.assertion(&condition))),
            answer,
            otherwise: format!("its objective {item} is {what}"),
        };
        let attained = |value: &str| claim(format!("(= {term} {value})"), Answer::Sat, "not attained");
        let beaten =
            |value: &str| claim(format!("({} {term} {value})", self.better()), Answer::Unsat, "not the best");
        match optimum {
            // Where a real optimum is approached and not attained, a plain value is wrong: z3 says so of linear constraints
            // (https://github.com/Z3Prover/z3/issues/10268, 10356 and pull request 10052). Of others it said that "producing
            // epsilons is a best effort basis" (https://github.com/Z3Prover/z3/issues/3595).
            Optimum::At(value)
                if self.sort == GoalSort::Real && !self.is_cost && !is_linear(flat, BoundKind::Any) =>
            {
                vec![attained(value)]
            }
            Optimum::At(value) => vec![attained(value), beaten(value)],
            Optimum::Below(value) => {
                let towards = if self.is_maximum { "-" } else { "+" };
                let near = format!("({} {term} ({towards} {value} {SUPREMUM_DISTANCE}))", self.better());
                let reached = format!("({}= {term} {value})", self.better());
                vec![
                    claim(near, Answer::Sat, "not approached"),
                    claim(reached, Answer::Unsat, "reached, or not the best"),
                ]
            }
            Optimum::Unbounded => {
                let bound = if self.is_maximum {
                    UNBOUNDED_OPTIMUM_BOUND.to_owned()
                } else {
                    format!("(- {UNBOUNDED_OPTIMUM_BOUND})")
                };
                let bound = if self.sort == GoalSort::Real {
                    bound.replace(UNBOUNDED_OPTIMUM_BOUND, &format!("{UNBOUNDED_OPTIMUM_BOUND}.0"))
                } else {
                    bound
                };
                vec![claim(format!("({} {term} {bound})", self.better()), Answer::Sat, "bounded")]
            }
            // Some number is the value of the objective in every model.
            Optimum::Nothing => vec![claim("true".to_owned(), Answer::Unsat, "no number")],
        }
    }

    /// Reads the value of an objective; `None` for intervals and unknown values.
    fn optimum(&self, text: &str) -> Option<Optimum> {
        let parts = items(text);
        let (plus, minus) = ("oo", "(* (- 1) oo)");
        let best = if self.is_maximum { plus } else { minus };
        if text == best && !matches!(self.sort, GoalSort::Bits(_)) {
            return Some(Optimum::Unbounded);
        }
        if (text == plus || text == minus) && !matches!(self.sort, GoalSort::Bits(_)) {
            return Some(Optimum::Nothing);
        }
        if text.contains("epsilon") {
            let (value, epsilon) = match parts.as_slice() {
                ["+", value, epsilon] => (real(value)?, *epsilon),
                _ => ("0.0".to_owned(), text),
            };
            let is_below = is_positive_infinitesimal(epsilon)? != self.is_maximum;
            return (is_below && self.sort == GoalSort::Real).then_some(Optimum::Below(value));
        }
        if text.contains("oo") || text.contains("epsilon") || text.contains("interval") {
            return None;
        }
        let value = match self.sort {
            GoalSort::Bits(width) => {
                let number: u128 = text.parse().ok()?;
                (width <= 128 && (width == 128 || number >> width == 0))
                    .then(|| format!("(_ bv{number} {width})"))?
            }
            GoalSort::Real if text.bytes().all(|byte| byte.is_ascii_digit()) => format!("{text}.0"),
            GoalSort::Real => real(text)?,
            GoalSort::Int => text.to_owned(),
        };
        Some(Optimum::At(value))
    }
}

/// Returns true for `epsilon` and its positive multiples, false for its negative ones: `(* (- 4.0) epsilon)`.
fn is_positive_infinitesimal(text: &str) -> Option<bool> {
    match items(text).as_slice() {
        [] => (text == "epsilon").then_some(true),
        ["-", "epsilon"] => Some(false),
        ["*", factor, "epsilon"] => real(factor).map(|factor| !factor.starts_with("(-")),
        _ => None,
    }
}

/// Objectives over terms, and soft constraints.
fn drawn_goals(terms: &[(String, GoalSort)], formulas: &[String], rng: &mut Rng) -> String {
    let mut goals = String::new();
    for _ in 0..1 + rng.below(2) {
        if let Some((term, _)) = rng.choose(terms) {
            goals.push_str(&format!("({} {term})\n", if rng.chance(1, 2) { "maximize" } else { "minimize" }));
        }
    }
    if rng.chance(1, 3) || goals.is_empty() {
        for formula in rng.choose(formulas).into_iter().chain(rng.choose(formulas)) {
            goals.push_str(&format!("(assert-soft {formula} :weight {} :id soft)\n", 1 + rng.below(4)));
        }
    }
    goals
}

/// A scope with an objective of its own, its check and its end.
fn scope(terms: &[(String, GoalSort)], formulas: &[String], rng: &mut Rng) -> String {
    let Some((term, _)) = rng.choose(terms) else { return String::new() };
    let word = if rng.chance(1, 2) { "maximize" } else { "minimize" };
    let assertion = rng.choose(formulas).filter(|_| rng.chance(1, 2));
    let assertion = assertion.map(|formula| format!("(assert {formula})\n")).unwrap_or_default();
    format!("(push 1)\n{assertion}({word} {term})\n(check-sat)\n(get-objectives)\n(pop 1)\n")
}

/// Returns true if a command asks for the optima of the plain check before it, in a script that goes on.
fn is_of_scopes(asked: &AskedCommand<'_>) -> bool {
    let commands = &asked.script.commands;
    let is_idle =
        |command: &Command| matches!(command, Command::Plain(..) | Command::Terms(Word::GetValue, _));
    let options = commands.iter().filter(|command| sets_priority(asked.script, command)).count();
    matches!(commands.get(asked.query.command), Some(Command::CheckSat))
        && commands
            .get(asked.query.command + 1..asked.place)
            .is_some_and(|between| between.iter().all(is_idle))
        && options <= 1
}

fn sets_priority(script: &Script, command: &Command) -> bool {
    matches!(command, Command::Plain(_, text) if script.arena().text(*text).starts_with(":opt.priority"))
}

/// The value of an option that a script sets.
fn option(script: &Script, keyword: &str) -> Option<String> {
    script.commands.iter().rev().find_map(|command| match command {
        Command::Plain(name, text) if script.arena().text(*name) == "set-option" => {
            let (key, value) = script.arena().text(*text).split_once(char::is_whitespace)?;
            (key == keyword).then(|| value.trim().to_owned())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::reading;

    fn claims(text: &str, reply: &str) -> Vec<String> {
        let script = format!(
            "(declare-const x Int)(declare-const r Real)(declare-const v (_ BitVec 8)){text}(check-sat)(get-objectives)"
        );
        match reading(&ObjectiveQuestion, &script, Answer::Sat, reply) {
            ReplyReading::Claims(claims) => claims
                .iter()
                .map(|claim| {
                    let asserted: Vec<&str> =
                        claim.text.lines().filter(|line| line.starts_with("(assert")).collect();
                    format!("{} {}", asserted.join(" "), claim.answer.name())
                })
                .collect(),
            other => vec![format!("{other:?}")],
        }
    }

    #[test]
    fn an_optimum_is_attained_and_not_beaten() {
        assert_eq!(
            claims("(assert (< x 9))(maximize x)", "(objectives\n (x 8)\n)"),
            ["(assert (< x 9)) (assert (= x 8)) sat", "(assert (< x 9)) (assert (> x 8)) unsat"]
        );
        assert_eq!(
            claims("(minimize v)", "(objectives (v 3))"),
            ["(assert (= v (_ bv3 8))) sat", "(assert (bvult v (_ bv3 8))) unsat"]
        );
    }

    #[test]
    fn infinities_and_infinitesimals_are_read() {
        assert_eq!(claims("(maximize x)", "(objectives (x oo))"), ["(assert (> x 1000000007)) sat"]);
        assert_eq!(
            claims("(minimize r)", "(objectives (r (* (- 1) oo)))"),
            ["(assert (< r (- 1000000007.0))) sat"]
        );
        assert_eq!(claims("(maximize x)", "(objectives (x (* (- 1) oo)))"), ["(assert true) unsat"]);
        assert_eq!(
            claims("(maximize r)", "(objectives (r (+ (/ 5.0 2.0) (* (- 1.0) epsilon))))"),
            ["(assert (> r (- (/ 5.0 2.0) (/ 1.0 1024.0)))) sat", "(assert (>= r (/ 5.0 2.0))) unsat"]
        );
    }

    #[test]
    fn later_objectives_are_best_where_the_earlier_ones_are() {
        let both = claims("(maximize r)(minimize x)", "(objectives (r 0.5) (x 3))");
        assert_eq!(both[3], "(assert (= r 0.5)) (assert (< x 3)) unsat");
        let boxed =
            claims("(set-option :opt.priority box)(maximize x)(minimize r)", "(objectives (x 3) (r 0.5))");
        assert_eq!(boxed[3], "(assert (< r 0.5)) unsat");
    }

    #[test]
    fn a_point_of_a_pareto_front_is_attained_and_not_dominated() {
        let point = claims(
            "(set-option :opt.priority pareto)(assert (< x 9))(maximize x)(minimize v)",
            "(objectives (x 8) (v 0))",
        );
        assert_eq!(point[0], "(assert (< x 9)) (assert (and true (= x 8) (= v (_ bv0 8)))) sat");
        let dominated = "(assert (< x 9)) (assert (and (or false (> x 8) (bvult v (_ bv0 8))) (or (= x 8) (> x 8)) \
            (or (= v (_ bv0 8)) (bvult v (_ bv0 8))))) unsat";
        assert_eq!(point[1], dominated);
    }

    #[test]
    fn a_real_optimum_under_linear_constraints_is_the_best() {
        let strict = claims("(assert (< r 2.5))(maximize r)", "(objectives (r 1.5))");
        assert_eq!(strict[1], "(assert (< r 2.5)) (assert (> r 1.5)) unsat");
        for linear in [
            "(<= r 2.5)",
            "(or (<= (* 2.0 r) (/ 5 2)) (>= (- r) (* 3.0 (- 1.0))))",
            "(not (>= r 2.5))",
            "(= (= r 1.0) (<= r 2.5))",
            "(< (ite (> x 3) r (to_real x)) 2.5)",
        ] {
            let script = format!("(assert {linear})(maximize r)");
            assert_eq!(claims(&script, "(objectives (r 1.5))").len(), 2, "{linear}");
        }
        for other in ["(<= (* r r) 2.0)", "(<= (/ 1.0 r) 2.0)", "(exists ((q Real)) (< r q 3.0))"] {
            let script = format!("(assert {other})(maximize r)");
            assert_eq!(claims(&script, "(objectives (r 1.5))").len(), 1, "{other}");
        }
        assert_eq!(claims("(assert (< r 2.5))(maximize (* r r))", "(objectives ((* r r) 1.5))").len(), 1);
    }

    /// The script of https://github.com/Z3Prover/z3/issues/10356: z3 5.0.0 replies 1/2, and 1 is attained.
    #[test]
    fn a_value_below_an_attained_maximum_under_strict_constraints_is_beaten() {
        let script = "(declare-const y Real)(declare-const z Real)(assert (< z 0.0))(assert (> (+ y y) r))\
            (assert (or (= 0.0 r) (= 0.0 y)))(maximize (+ 1.0 r))";
        let made = claims(script, "(objectives ((+ 1.0 r) (/ 1.0 2.0)))");
        assert!(made[1].ends_with("(assert (> (+ 1.0 r) (/ 1.0 2.0))) unsat"), "{made:?}");
    }

    #[test]
    fn objectives_of_a_scope_end_with_it() {
        let script = "(declare-const y Int)(assert (< x y 9))(push)(maximize x)(assert (< y 5))(check-sat)(get-objectives)(pop)\
            (minimize (- y))";
        let made = claims(script, "(objectives ((- y) (- 8)))");
        assert_eq!(made[1], "(assert (< x y 9)) (assert (< (- y) (- 8))) unsat");
        // The optima of a check under assumptions are not judged.
        let script = "(declare-const x Int)(maximize x)(check-sat-assuming ((< x 3)))(get-objectives)";
        let reading = reading(&ObjectiveQuestion, script, Answer::Sat, "(objectives (x 2))");
        assert!(matches!(reading, ReplyReading::Unclear(_)));
    }

    #[test]
    fn multiples_of_epsilon_are_read_on_the_worse_side_only() {
        let below = "(assert (> r (- 0.0 (/ 1.0 1024.0)))) sat";
        assert_eq!(claims("(maximize r)", "(objectives (r (* (- 4.0) epsilon)))")[0], below);
        let near = "(assert (< r (+ 3.0 (/ 1.0 1024.0)))) sat";
        assert_eq!(claims("(minimize r)", "(objectives (r (+ 3.0 (* (/ 1.0 2.0) epsilon))))")[0], near);
        assert!(claims("(maximize r)", "(objectives (r (+ 3.0 epsilon)))")[0].starts_with("Unclear"));
    }

    #[test]
    fn several_points_of_a_front_and_optima_in_scopes_are_asked_for() {
        let script = "(declare-const x Int)(declare-const y Int)(assert (< x y 9))(check-sat)";
        let texts: Vec<String> = (0..400)
            .filter_map(|seed| crate::question::tests::asked(&ObjectiveQuestion, script, seed))
            .collect();
        let points = |text: &String| text.matches("(get-objectives)").count();
        let (fronts, others): (Vec<&String>, Vec<&String>) =
            texts.iter().partition(|text| text.contains("priority pareto"));
        let scopes = |text: &String| text.matches("(push 1)").count();
        assert!(fronts.iter().any(|text| points(text) > 3) && fronts.iter().all(|text| scopes(text) == 0));
        assert!(others.iter().any(|text| scopes(text) == 1));
        assert!(others.iter().all(|text| points(text) == 1 + scopes(text)));
        assert!(fronts.iter().all(|text| text.matches("(check-sat)").count() == points(text)));
    }

    #[test]
    fn soft_constraints_cost_their_weight() {
        let soft =
            claims("(assert-soft (> x 1) :weight 2 :id g)(assert-soft (< x 1) :id g)", "(objectives (g 1))");
        assert_eq!(soft[1], "(assert (< (+ (ite (> x 1) 0.0 2.0) (ite (< x 1) 0.0 1.0)) 1.0)) unsat");
    }

    #[test]
    fn intervals_and_unknown_objectives_claim_nothing() {
        assert!(claims("(maximize x)", "(objectives (x (interval 1 2)))")[0].starts_with("Unclear"));
        assert!(claims("(maximize x)", "(objectives (x 1) (y 2))")[0].starts_with("Unclear"));
        assert!(claims("(maximize x)", "(error \"x\")")[0].starts_with("Unclear"));
    }
}
