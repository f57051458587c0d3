//! The evaluator against real solvers: random applications of every operator must have the values that solvers give them.
//!
//! `GAINSAY_APPLICATIONS` says how many for each operator (30 unless told), `GAINSAY_SEED` which ones.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "../../smt/tests/support/applications.rs"]
mod applications;
#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::fmt::Write as _;
use std::time::Duration;

use applications::{Applications, applications};
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query, Run};
use gainsay_engine::solver::runner::{self, Runner};
use gainsay_smt::operator_facts;
use launcher::launcher;

/// Operators that a solver rejects or leaves undecided.
struct SolverDialect {
    solver: &'static str,
    /// Theories of others.
    theories: &'static [&'static str],
    /// Operators that it refuses, with their number of arguments.
    refused: &'static [(&'static str, usize)],
    /// Operators that it may answer `unknown` about.
    silent: &'static [&'static str],
    /// Whether it reads algebraic numbers: `root-obj`.
    reads_roots: bool,
    /// How many applications are asked about at once: z3 may not come back from a conjunction of them.
    at_once: usize,
    /// Options before everything else.
    options: &'static str,
    /// The logic that has all operators.
    logic: &'static str,
}

const Z3_DIALECT: SolverDialect = SolverDialect {
    solver: "z3@5.4.0",
    theories: &[
        "CVC5_Arithmetic",
        "CVC5_Bits",
        "CVC5_Datatypes",
        "CVC5_Separation",
        "CVC5_Strings",
        "Sets",
        "Bags",
        "HO-Core",
    ],
    refused: &[
        ("iff", 2),
        ("implies", 2),
        // 5.4.0 is wrong about some: it finds a set without 8 and 15 to be a subset of {11}.
        ("subset", 2),
        // 5.4.0 is wrong about them: bugs/z3-solution-hyperbolic-sine.smt2.
        ("sinh", 1),
        ("cosh", 1),
    ],
    reads_roots: true,
    silent: &[
        "exp",
        "str.replace_re",
        "str.replace_re_all",
        "seq.replace_re",
        "seq.replace_re_all",
        "str.replace_all",
        "seq.replace_all",
        "re.loop",
        "^",
        "**",
    ],
    at_once: 1,
    // Of strings it may not come back either.
    options: "(set-option :timeout 2000)\n",
    logic: "ALL",
};

const CVC5_DIALECT: SolverDialect = SolverDialect {
    solver: "cvc5@1.4.2 --fp-exp --arrays-exp --strings-exp",
    // Its wheel has no solver for finite fields.
    theories: &[
        "Finite_Fields",
        "Z3_Arithmetic",
        "Z3_Arrays",
        "Z3_Bits",
        "Z3_Core",
        "Z3_Finite_Sets",
        "Z3_Strings",
    ],
    refused: &[
        ("str.replaceall", 3),
        ("str.tolower", 1),
        ("str.toupper", 1),
        ("^", 2),
        // Of literals only.
        ("const", 1),
        // 1.4.2 dies of a bag that is a value: bugs/cvc5-crash-bag-all.smt2.
        ("bag.all", 2),
        ("bag.some", 2),
        // Of which it does not come back.
        ("arccos", 1),
    ],
    reads_roots: false,
    silent: &["arctan"],
    at_once: 10,
    options: "",
    logic: "HO_ALL",
};

impl SolverDialect {
    fn takes(&self, rank: &Applications) -> bool {
        let name = self.solver.split('@').next().unwrap();
        let is_anothers = |row: Vec<&str>| {
            row[0] == rank.operator
                && row[1].parse() == Ok(rank.arity)
                && row.get(2).is_none_or(|owner| *owner != name)
        };
        !operator_facts::lines("unshared").any(is_anothers)
            && !self.theories.contains(&rank.theory.as_str())
            && !self.refused.contains(&(rank.operator.as_str(), rank.arity))
            // Only z3 has a sort of characters.
            && (name == "z3" || !rank.values.iter().any(|(_, value)| value.starts_with("(_ Char")))
    }
}

/// The answers of a solver to a script.
fn run(habits: &SolverDialect, script: &str) -> Run {
    let launcher = launcher();
    let solver = solvers::solver(habits.solver);
    let mut runner = Runner::open(&solver, runner::plain(), &launcher).unwrap();
    let limits = Limits { wall: Duration::from_secs(300), output: 64 << 20, ..Limits::default() };
    let script = format!("{}{script}", habits.options);
    runner.run(&Query { script: &script, limits, ask: Ask::ANSWERS_ONLY }).unwrap()
}

/// A script that asks whether one of the pairs is different, for each list of pairs.
fn script<'a>(logic: &str, lists: impl Iterator<Item = &'a [(String, String)]>) -> String {
    let mut text = format!("(set-logic {logic})\n");
    for pairs in lists {
        let equations: String = pairs.iter().map(|(term, value)| format!(" (= {term} {value})")).collect();
        let _ = writeln!(text, "(push 1)\n(assert (not (and true{equations})))\n(check-sat)\n(pop 1)");
    }
    text
}

/// Compares all operators that a solver takes, and gives the number of comparisons.
fn compare(habits: &SolverDialect) -> usize {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (count, seed) = (number("GAINSAY_APPLICATIONS", 30), number("GAINSAY_SEED", 1));
    let all = applications(count as usize, seed);
    let mut ranks: Vec<Applications> = all.into_iter().filter(|rank| habits.takes(rank)).collect();
    for rank in &mut ranks {
        // cvc5 computes powers of two, and z3 ranges, up to some size only.
        let most_bytes = match rank.operator.as_str() {
            "int.pow2" => 70,
            "set.range" => 200,
            _ => usize::MAX,
        };
        let is_readable = |value: &str| habits.reads_roots || !value.contains("root-obj");
        rank.values.retain(|(_, value)| value.len() < most_bytes && is_readable(value));
    }
    let lists: Vec<(&Applications, &[(String, String)])> = ranks
        .iter()
        .flat_map(|rank| rank.values.chunks(habits.at_once).map(move |list| (rank, list)))
        .collect();
    let answers = run(habits, &script(habits.logic, lists.iter().map(|(_, list)| *list)));
    assert!(answers.messages.is_empty(), "{}: {:?}", habits.solver, answers.messages);
    if let Some((rank, list)) = lists.get(answers.answers.len()) {
        panic!("{} ends ({:?}) at {}: {list:?}", habits.solver, answers.exit, rank.operator);
    }
    let mut differences = Vec::new();
    for ((rank, list), answer) in lists.iter().zip(&answers.answers) {
        let may_be_silent = *answer == Answer::Unknown && habits.silent.contains(&rank.operator.as_str());
        if *answer != Answer::Unsat && !may_be_silent {
            differences.extend(culprits(habits, list));
        }
    }
    assert!(differences.is_empty(), "{} says otherwise:\n{}", habits.solver, differences.join("\n"));
    ranks.iter().map(|rank| rank.values.len()).sum()
}

/// The single applications on which a solver does not agree.
fn culprits(habits: &SolverDialect, list: &[(String, String)]) -> Vec<String> {
    let answers = run(habits, &script(habits.logic, list.chunks(1))).answers;
    let pairs = list.iter().zip(answers).filter(|(_, answer)| *answer != Answer::Unsat);
    pairs.map(|((term, value), answer)| format!("{} (= {term} {value})", answer.name())).collect()
}

#[test]
fn z3_gives_every_operator_the_values_that_we_give_it() {
    assert!(compare(&Z3_DIALECT) > 5000);
    assert!(solvers::REAL_SOLVERS.contains(&Z3_DIALECT.solver), "the newest z3 that tests have");
}

#[test]
fn cvc5_gives_every_operator_the_values_that_we_give_it() {
    assert!(compare(&CVC5_DIALECT) > 5000);
}

/// The operators that have no values here: transcendental functions, choices that are the solver's own.
const NOT_EVALUATED: &[&str] = &[
    "exp",
    "sin",
    "cos",
    "tan",
    "real.pi",
    "sqrt",
    "csc",
    "sec",
    "cot",
    "arcsin",
    "arccos",
    "arctan",
    "arccsc",
    "arcsec",
    "arccot",
    "sep.emp",
    "sep.nil",
    "pto",
    "sep",
    "wand",
    "pi",
    "euler",
    "asin",
    "acos",
    "atan",
    "atan2",
    "arctan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "log",
    "ln",
    "/0",
    "div0",
    "mod0",
    "seq.nth_u",
    "default",
    "set.universe",
    "set.complement",
    "set.diff",
    "set.map.inverse",
    "set.unique",
    "array-ext",
    "bvsdiv0",
    "bvudiv0",
    "bvsrem0",
    "bvurem0",
    "bvsmod0",
    "partial-order",
    "linear-order",
    "tree-order",
    "piecewise-linear-order",
    "re.of.pred",
];

#[test]
fn every_operator_is_evaluated_but_for_those_that_cannot_be() {
    let mut without: Vec<String> = applications(20, 3)
        .into_iter()
        .filter(|rank| rank.values.is_empty() && !NOT_EVALUATED.contains(&rank.operator.as_str()))
        .map(|rank| format!("{} of {}: {:?}", rank.operator, rank.theory, rank.undecided.first()))
        .collect();
    without.sort();
    assert_eq!(without, [""; 0]);
}
