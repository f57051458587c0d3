//! Pareto fronts: with `opt.priority pareto`, each check gives one more point, until no point is left.
//!
//! ```text
//! (maximize x) (maximize y) (check-sat) (get-objectives) (check-sat) (get-objectives) … (check-sat)
//!        replies (x 1) (y 3), then (x 3) (y 1), then unsat
//! ```
//!
//! Each point is attained, and no point is better in one objective and not worse in the others. The next point is better in one
//! objective than each point before it, so no point is given twice, and a front of finitely many points ends. `unsat` claims that no
//! such point exists. What z3 does with a front after another assertion or scope is not documented: nothing is concluded there.

use gainsay_smt::{Command, Script};

use super::linear::{BoundKind, is_linear};
use super::{GoalSort, OptimisationGoal, Optimum, goals, option};
use crate::question::core::shown;
use crate::question::models::BlockedModels;
use crate::solver::run::Answer;
use crate::trial::claim::{Claim, FlatCheck, ReplyReading};
use crate::trial::reply::{Reply, items};

/// Returns true if each check of a script gives one more point of a front, or with `opt.priority box` the model of the next objective: the
/// check after the last one is unsat. A single objective has an optimum and no front: z3 gives it again and again.
pub fn is_front(script: &Script) -> bool {
    option(script, ":opt.priority").is_some_and(|priority| priority == "pareto" || priority == "box")
        && goals(script).is_none_or(|goals| goals.len() > 1)
}

/// The points of a front that were given before a command, as formulas: later points are better than each in some objective.
pub fn points_before(script: &Script, place: usize, replies: &[Reply]) -> BlockedModels {
    let unknown = BlockedModels { formulas: Vec::new(), is_complete: false };
    let Some(goals) = goals(script) else { return unknown };
    let is_box = option(script, ":opt.priority").is_some_and(|priority| priority == "box");
    let first = script.commands.iter().position(|command| script.is_check(command)).unwrap_or(place);
    let mut front = BlockedModels::none();
    let text =
        |command: usize| replies.iter().find(|reply| reply.command == command).map(|reply| &reply.text);
    for command in first..place {
        let one = &script.commands[command];
        match one {
            Command::CheckSat => {
                let point = text(command + 1).and_then(|text| point(&goals, text));
                let formula =
                    point.filter(|_| asks_objectives(script, command + 1)).map(|point| better_than(&point));
                let is_sat = text(command).is_some_and(|answer| answer == "sat");
                // The point that is asked for is not one that was given before.
                if command + 1 == place {
                    continue;
                }
                match formula {
                    Some(formula) if is_sat && !is_box => front.formulas.push(formula),
                    _ => return unknown,
                }
            }
            Command::Plain(..) if !script.is_check(one) => {}
            _ => return unknown,
        }
    }
    front
}

fn asks_objectives(script: &Script, command: usize) -> bool {
    matches!(script.commands.get(command), Some(Command::Plain(name, _)) if script.arena().text(*name) == "get-objectives")
}

/// The value of each objective at a point.
type FrontPoint<'g> = Vec<(&'g OptimisationGoal, String)>;

/// Reads a point; `None` if a value is no number.
fn point<'g>(goals: &'g [OptimisationGoal], reply: &str) -> Option<FrontPoint<'g>> {
    let listed = items(reply);
    if listed.first() != Some(&"objectives") || listed.len() != goals.len() + 1 {
        return None;
    }
    let value = |(goal, item): (&'g OptimisationGoal, &&str)| match goal.optimum(items(item).last()?)? {
        Optimum::At(value) => Some((goal, value)),
        _ => None,
    };
    goals.iter().zip(&listed[1..]).map(value).collect()
}

/// A formula that holds where some objective is better than at a point.
fn better_than(point: &[(&OptimisationGoal, String)]) -> String {
    format!("(or false{})", each(point, |goal, value| format!("({} {} {value})", goal.better(), goal.term)))
}

fn each(
    point: &[(&OptimisationGoal, String)],
    compare: impl Fn(&OptimisationGoal, &str) -> String,
) -> String {
    point.iter().map(|(goal, value)| format!(" {}", compare(goal, value))).collect()
}

/// What follows from a point, after others.
pub(super) fn read_point(
    flat: FlatCheck<'_>,
    goals: &[OptimisationGoal],
    reply: &str,
    before: &BlockedModels,
) -> ReplyReading {
    if !before.is_complete {
        return ReplyReading::unclear("it is not known which points were given before");
    }
    let Some(point) = point(goals, reply) else {
        return ReplyReading::unclear("a value of the point is an interval, or cannot be read");
    };
    let shown = shown(&items(reply)[1..].join(" "));
    let equal = each(&point, |goal, value| format!("(= {} {value})", goal.term));
    let no_worse = each(&point, |goal, value| {
        format!("(or (= {0} {value}) ({1} {0} {value}))", goal.term, goal.better())
    });
    let is_open = |(goal, _): &(&OptimisationGoal, String)| goal.sort == GoalSort::Real && !goal.is_cost;
    let may_be_open = point.iter().any(is_open) && !is_linear(flat, BoundKind::Closed);
    let better = better_than(&point);
    if before.formulas.contains(&better) {
        return ReplyReading::Repeats(format!("its point {shown} was given before"));
    }
    let claim = |condition: String, answer: Answer, what: &str| Claim {
        text: flat.with(&flat.assertion(&condition)),
        answer,
        otherwise: format!("its point {shown} is {what}"),
    };
    let mut claims = vec![claim(format!("(and true{equal})"), Answer::Sat, "not attained")];
    if !may_be_open {
        claims.push(claim(format!("(and {better}{no_worse})"), Answer::Unsat, "dominated by another"));
    }
    ReplyReading::Claims(claims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::QuestionKind;
    use crate::trial::reply::ReplyCheck;
    use gainsay_smt::{Signature, sat_queries};

    const PARETO_SCRIPT: &str = "(set-option :opt.priority pareto)(declare-const x Int)(declare-const y Int)(assert (<= (+ x y) 4))\
        (maximize x)(minimize y)(check-sat)(get-objectives)(check-sat)(get-objectives)(check-sat)";

    fn reply(command: usize, kind: QuestionKind, text: &str) -> Reply {
        let judgement = ReplyCheck::Unclear(String::new());
        Reply { kind, command, check: None, text: text.to_owned(), judgement }
    }

    /// The points before a command of a script after these replies, by command.
    fn before(text: &str, place: usize, said: &[(usize, &str)]) -> BlockedModels {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let replies: Vec<Reply> =
            said.iter().map(|&(command, text)| reply(command, QuestionKind::Objective, text)).collect();
        points_before(&script, place, &replies)
    }

    #[test]
    fn later_points_are_better_than_each_point_before_them() {
        let said = [(6, "sat"), (7, "(objectives (x 1) (y 3))"), (8, "sat"), (9, "(objectives (x 0) (y 1))")];
        let first = before(PARETO_SCRIPT, 7, &said);
        assert_eq!(first, BlockedModels::none());
        let second = before(PARETO_SCRIPT, 9, &said);
        assert_eq!(
            (second.formulas.as_slice(), second.is_complete),
            (&["(or false (> x 1) (< y 3))".to_owned()][..], true)
        );
        assert_eq!(before(PARETO_SCRIPT, 10, &said).formulas.len(), 2);
        // A point that cannot be read, and a front that another assertion changes.
        assert!(!before(PARETO_SCRIPT, 8, &[(6, "sat"), (7, "(objectives (x oo) (y 3))")]).is_complete);
        let changed = PARETO_SCRIPT.replace(
            "(get-objectives)(check-sat)(get-objectives)",
            "(get-objectives)(assert (> x 0))(check-sat)(get-objectives)",
        );
        assert!(!before(&changed, 10, &said).is_complete);
    }

    #[test]
    fn a_point_that_was_given_before_is_wrong_whatever_solvers_say() {
        let script = Script::parse(PARETO_SCRIPT, &Signature::standard()).unwrap();
        let queries = sat_queries(&script);
        let flat = FlatCheck { script: &script, query: &queries[1] };
        let goals = goals(&script).unwrap();
        let said = [(6, "sat"), (7, "(objectives (x 1) (y 3))")];
        let given = before(PARETO_SCRIPT, 9, &said);
        let again = read_point(flat, &goals, "(objectives (x 1) (y 3))", &given);
        assert!(matches!(again, ReplyReading::Repeats(_)), "{again:?}");
        let ReplyReading::Claims(claims) = read_point(flat, &goals, "(objectives (x 0) (y 1))", &given)
        else {
            panic!()
        };
        assert_eq!(claims.len(), 2);
    }
}
