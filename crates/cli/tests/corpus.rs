//! The seeds of `corpus/`: each is read, sort-checked, in the folder of its logic, and answered as it claims.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use gainsay_engine::prepare::{Preparation, Prepared};
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Runner};
use gainsay_engine::solver::trouble::TroubleKind;
use gainsay_smt::{Occurrences, Script, Signature, TermView, signature};
use launcher::launcher;
use repository::repository;

/// The newest of both; the options allow what seeds have beyond the standard formats and operators.
const NEWEST_SOLVERS: [&str; 2] = ["z3@5.4.0", "cvc5@1.4.2 --fp-exp --arrays-exp"];

/// The folders of seeds over theories that one of the solvers has, and that solver.
const OWN_FOLDERS: [&str; 2] = ["z3", "cvc5"];

/// The theories of which the seeds use every operator.
const COVERED_THEORIES: [&str; 8] =
    ["Core", "Ints", "Reals", "Reals_Ints", "ArraysEx", "FixedSizeBitVectors", "FloatingPoint", "Strings"];

/// A seed: its path and its text.
struct CorpusSeed {
    path: PathBuf,
    text: String,
}

impl CorpusSeed {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The name of the folder.
    fn folder(&self) -> &str {
        self.path.parent().unwrap().file_name().unwrap().to_str().unwrap()
    }

    /// The solver that alone has the theory of the seed, if there is one.
    fn owner(&self) -> Option<&'static str> {
        OWN_FOLDERS.into_iter().find(|owner| *owner == self.folder())
    }

    fn script(&self) -> Script {
        Script::parse(&self.text, &Signature::standard())
            .unwrap_or_else(|error| panic!("{}:{error}", self.name()))
    }

    /// The claimed answer of each question; one claim before the first question holds for it alone.
    fn claims(&self) -> Vec<Answer> {
        let claim = |rest: &str| match rest.split(')').next() {
            Some("sat") => Answer::Sat,
            Some("unsat") => Answer::Unsat,
            other => panic!("{}: status {other:?}", self.name()),
        };
        self.text.split("(set-info :status ").skip(1).map(claim).collect()
    }
}

/// All seeds, by path.
fn seeds() -> Vec<CorpusSeed> {
    let mut found = Vec::new();
    let mut open = vec![repository().join("corpus")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "smt2") {
                found.push(CorpusSeed { text: std::fs::read_to_string(&path).unwrap(), path });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(found.len() >= 120, "only {} seeds", found.len());
    found
}

#[test]
fn every_seed_is_read_sorted_and_in_the_folder_of_its_logic() {
    for seed in seeds() {
        let script = seed.script();
        assert!(!script.has_opaque(), "{} has commands or terms that gainsay cannot read", seed.name());
        let folder = if seed.folder() == "chc" { "HORN" } else { seed.folder() };
        if seed.owner().is_some() {
            assert!(script.logic().is_some(), "{}", seed.name());
        } else {
            assert_eq!(script.logic(), Some(folder), "{}", seed.name());
        }
        assert!(seed.text.lines().count() <= 40, "{} is long", seed.name());
        assert!(
            seed.text.starts_with("; "),
            "{} does not start with a comment about its status",
            seed.name()
        );
        assert!(!seed.claims().is_empty(), "{} has no status", seed.name());
    }
}

#[test]
fn seeds_are_of_both_kinds_and_of_all_families() {
    let seeds = seeds();
    let of = |answer| seeds.iter().filter(|seed| seed.claims().last() == Some(&answer)).count();
    assert!(
        of(Answer::Sat) >= 60 && of(Answer::Unsat) >= 60,
        "{} sat, {} unsat",
        of(Answer::Sat),
        of(Answer::Unsat)
    );
    let folders: BTreeSet<&str> = seeds.iter().map(CorpusSeed::folder).collect();
    assert!(folders.len() >= 40, "only {folders:?}");
}

#[test]
fn every_operator_of_the_standard_is_in_some_seed() {
    let table = Signature::standard();
    let mut used = BTreeSet::new();
    for seed in seeds() {
        let script = seed.script();
        let arena = script.arena();
        for place in Occurrences::of(&script, usize::MAX).list() {
            if let TermView::Application(head, _) = arena.view(place.term) {
                used.insert(arena.text(head.symbol).to_owned());
            }
        }
    }
    // z3 knows `divisible` only when it is told to be strict.
    let wanted = table
        .ranks()
        .iter()
        .filter(|rank| COVERED_THEORIES.contains(&table.theories()[rank.theory].as_str()));
    let missing: BTreeSet<&str> = wanted
        .map(|rank| table.text(rank.name))
        .filter(|name| *name != "divisible" && !used.contains(*name))
        .collect();
    assert!(missing.is_empty(), "no seed uses {missing:?}");
    assert!(COVERED_THEORIES.iter().all(|theory| signature::is_standard(theory)));
}

#[test]
fn every_construct_of_the_language_is_in_some_seed() {
    let all: String = seeds().into_iter().map(|seed| seed.text).collect();
    let constructs = [
        "(let (",
        "(forall (",
        "(exists (",
        ":pattern (",
        ":named ",
        ":qid ",
        "(match ",
        "(define-fun ",
        "(define-fun-rec ",
        "(define-funs-rec ",
        "(define-sort ",
        "(declare-sort ",
        "(declare-datatype ",
        "(declare-datatypes ",
        "(par (",
        "(push ",
        "(pop ",
        "(check-sat-assuming ",
        "(as const ",
        "(as seq.empty ",
        "((_ is ",
        "(|the key| ",
        "seq.unit",
        "\\u{",
    ];
    let missing: Vec<&str> = constructs.into_iter().filter(|construct| !all.contains(construct)).collect();
    assert!(missing.is_empty(), "no seed has {missing:?}");
}

#[test]
fn a_seed_of_one_solver_goes_to_that_solver_alone() {
    let signature = Signature::standard();
    let panel: Vec<_> = NEWEST_SOLVERS.iter().map(|name| (solvers::solver(name), None)).collect();
    let preparation = Preparation::new(&panel, &signature);
    // cvc5 reads these as well, but cannot solve them: nested datatypes, fields without a library that its packages lack.
    let refused = ["prime_field", "prime_field_with_a_root", "tree_in_an_array"];
    // z3 reads an arrow as an array.
    let tried = ["exponential", "higher_order", "function_variable"];
    let mut elsewhere = Vec::new();
    for seed in seeds().iter().filter(|seed| seed.owner().is_some()) {
        let name = seed.path.file_stem().unwrap().to_str().unwrap();
        if refused.contains(&name) || tried.contains(&name) {
            continue;
        }
        for (prepared, (solver, _)) in preparation.prepare(&seed.script(), &seed.text).iter().zip(&panel) {
            let is_sent = matches!(prepared, Prepared::Text { .. });
            if is_sent != (seed.owner() == Some(&*solver.profile.name)) {
                elsewhere.push(format!("{} to {}", seed.name(), solver.profile.name));
            }
        }
    }
    assert!(elsewhere.is_empty(), "{elsewhere:#?}");
}

#[test]
fn both_newest_solvers_give_the_answers_that_seeds_claim() {
    let launcher = launcher();
    let seeds = seeds();
    let mut decided: BTreeMap<String, usize> = BTreeMap::new();
    for name in NEWEST_SOLVERS {
        let solver = solvers::solver(name);
        let mut runner = Runner::open(&solver, runner::drivers(&solver, &launcher)[0], &launcher).unwrap();
        for seed in &seeds {
            if seed.owner().is_some_and(|owner| owner != solver.profile.name) {
                continue;
            }
            let query = Query { script: &seed.text, limits: Limits::default(), ask: Ask::ANSWERS_ONLY };
            let run = runner.run(&query).unwrap();
            let unsupported =
                run.trouble.as_ref().is_some_and(|trouble| trouble.kind == TroubleKind::Unsupported);
            assert!(run.trouble.is_none() || unsupported, "{name} on {}: {:?}", seed.name(), run.trouble);
            let claims = seed.claims();
            assert_eq!(run.answers.len(), claims.len(), "{name} on {}: {:?}", seed.name(), run.answers);
            if run.answers.last() != Some(&Answer::Unknown) {
                assert_eq!(run.answers, claims, "{name} on {}", seed.name());
                *decided.entry(seed.name()).or_default() += 1;
            }
        }
    }
    assert_eq!(decided.len(), seeds.len(), "no solver decides some seed");
    let both = decided.values().filter(|&&count| count == NEWEST_SOLVERS.len()).count();
    let shared = seeds.iter().filter(|seed| seed.owner().is_none()).count();
    assert!(both + 12 >= shared, "only {both} seeds are decided by both");
}
