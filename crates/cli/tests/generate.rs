//! `gainsay generate`, and generated scripts read by real solvers: none may be refused for its syntax or its sorts.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::fs;
use std::time::Duration;

use gainsay_engine::random::{RandomStream, Rng};
use gainsay_engine::solver::run::{Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Runner};
use gainsay_engine::solver::trouble::TroubleKind;
use gainsay_engine::strategy::construct::{self, ConstructInserter};
use gainsay_engine::strategy::generate::theory::{GeneratorTheory, TheoryChoice};
use gainsay_engine::strategy::generate::{Generator, GeneratorSettings, with_smallest_logic};
use gainsay_smt::{Script, Signature};
use launcher::launcher;
use solvers::REAL_SOLVERS;
use support::CliTest;

/// Scripts that each solver reads after constructs were put in.
const MUTATED_SCRIPTS: u64 = 300;

/// Scripts that each solver is asked to solve.
const SOLVED_SCRIPTS: u64 = 120;

/// Scripts that each solver reads; `experiments/generate/run.sh` asks for more.
const PARSED_SCRIPTS: u64 = 1000;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().unwrap())
}

#[test]
fn a_script_and_its_origin_are_written_and_the_same_seed_writes_the_same() {
    let cli = CliTest::new("http://127.0.0.1:1");
    let folder = |name: &str| cli.folder.path().join(name).display().to_string();
    let make = |out: &str, seed: &str| {
        let counts = cli.json(&[
            "generate",
            "--theory",
            "fp,bv",
            "-n",
            "20",
            "--rng-seed",
            seed,
            "--out",
            out,
            "--json",
        ]);
        assert_eq!((counts["cases"].as_u64(), counts["skipped"].as_u64()), (Some(20), Some(0)));
        assert!(counts["cpu_seconds"].as_f64().unwrap() >= 0.0);
        fs::read_to_string(format!("{out}/000020.smt2")).unwrap()
    };
    let first = make(&folder("a"), "1");
    assert_eq!(first, make(&folder("b"), "1"));
    assert_ne!(first, make(&folder("c"), "2"));
    assert!(first.ends_with("(check-sat)\n"), "{first}");
    let origin = fs::read_to_string(format!("{}/000001.json", folder("a"))).unwrap();
    let origin: serde_json::Value = serde_json::from_str(&origin).unwrap();
    assert_eq!((origin["strategy"].as_str(), origin["promise"].as_str()), (Some("generate"), Some("none")));
}

#[test]
fn terms_over_the_theories_of_one_solver_end() {
    let rows = [
        (REAL_SOLVERS[0], "finite-set;mapped;count,bool;fold;field"),
        (REAL_SOLVERS[2], "set;bag;relation;nullable"),
    ];
    for (solver, theories) in rows {
        solvers::solver(solver);
        for theory in theories.split(';') {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gainsay"));
            command.args(["generate", "--theory", theory, "--solver", solver, "--scope", "small"]);
            let output = command.args(["-n", "2000", "--rng-seed", "1", "--discard"]).output().unwrap();
            assert!(output.status.success(), "{theory}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn what_there_is_not_is_said_with_what_was_meant() {
    let cli = CliTest::new("http://127.0.0.1:1");
    let says = |arguments: &[&str], words: &str| {
        let outcome = cli.run(&[&["generate", "-n", "1", "--discard"], arguments].concat());
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    };
    says(&["--theory", "flotingpoint"], "did you mean `floatingpoint`?");
    says(&["--theory", "fp", "--operator", "fp.ad"], "did you mean `fp.add`?");
    says(&["--theory", "fp", "--rounding-mode", "up"], "expected one of RNE, RNA");
    says(&["--theory", "fp", "--sort", "(_ FloatingPoint 1 1)"], "is not a sort");
    says(&["--theory", "QF_FP,int"], "is a logic and cannot be combined");
    says(&["--theory", "fp", "--depth", "0"], "a number above 0");
}

/// Theories by themselves and all of them, with and without quantifiers.
fn generators(signature: &std::sync::Arc<Signature>) -> Vec<Generator> {
    let mut generators = Vec::new();
    for name in GeneratorTheory::all().map(GeneratorTheory::name).chain(["all", "all", "all"]) {
        for quantifiers in [0, 10] {
            let mut settings = GeneratorSettings {
                theories: TheoryChoice::read(name).unwrap().theories,
                ..GeneratorSettings::default()
            };
            settings.habits.quantifiers = quantifiers;
            generators.push(Generator::new(signature, settings, &[]).unwrap());
        }
    }
    generators
}

#[test]
fn newest_z3_and_cvc5_refuse_no_generated_script() {
    read_by_both("GAINSAY_SCRIPTS", PARSED_SCRIPTS, ScriptCheck::Read);
}

#[test]
fn newest_z3_and_cvc5_refuse_no_script_that_constructs_were_put_into() {
    read_by_both("GAINSAY_CHANGED", MUTATED_SCRIPTS, ScriptCheck::ReadChanged);
}

#[test]
fn newest_z3_and_cvc5_call_no_generated_script_unsupported() {
    read_by_both("GAINSAY_ASKED", SOLVED_SCRIPTS, ScriptCheck::Solve);
}

/// The query about a script.
#[derive(Clone, Copy, PartialEq)]
enum ScriptCheck {
    /// Whether it can be read.
    Read,
    /// Whether it can be read after constructs were put in.
    ReadChanged,
    /// Its answer, for which there is little time.
    Solve,
}

/// A script with five constructs of its theories put in, one after the other, as far as it can hold them.
fn changed(generator: &Generator, mut script: Script, rng: &mut Rng) -> Script {
    let inserter =
        ConstructInserter { operators: generator.operators(), habits: &generator.settings().habits };
    let constructs = construct::list(generator);
    for _ in 0..5 {
        let construct = rng.choose(&constructs).unwrap();
        script = inserter.insert(&script, construct, rng).map_or(script, with_smallest_logic);
    }
    script
}

fn read_by_both(variable: &str, usual: u64, question: ScriptCheck) {
    let count = number(variable, usual);
    let signature = Signature::standard();
    let launcher = launcher();
    let open = |name: &str| {
        let solver = solvers::solver(name);
        Runner::open(&solver, runner::drivers(&solver, &launcher)[0], &launcher).unwrap()
    };
    let mut runners = [open(REAL_SOLVERS[0]), open(REAL_SOLVERS[2])];
    for runner in &mut runners {
        let ill_sorted = "(set-logic QF_FP)\n(declare-const x Float16)\n(assert (fp.add x x))\n";
        let run = runner
            .run(&Query { script: ill_sorted, limits: Limits::default(), ask: Ask::ANSWERS_ONLY })
            .unwrap();
        assert!(!run.messages.is_empty(), "a refusal must be seen: {run:?}");
    }
    let generators = generators(&signature);
    let stream = RandomStream::new(number("GAINSAY_SEED", 1));
    let wall =
        if question != ScriptCheck::Solve { Duration::from_secs(60) } else { Duration::from_millis(400) };
    let limits = Limits { wall, ..Limits::default() };
    let (mut made, mut refused) = (0, Vec::new());
    for case in 0..count {
        let generator = &generators[case as usize % generators.len()];
        let Some(script) = generator.script(&mut stream.child("generate", case).rng()) else { continue };
        made += 1;
        let script = match question {
            ScriptCheck::ReadChanged => changed(generator, script, &mut stream.child("change", case).rng()),
            _ => script,
        };
        let text = match question {
            ScriptCheck::Read | ScriptCheck::ReadChanged => script.to_string().replace("(check-sat)\n", ""),
            ScriptCheck::Solve => script.to_string(),
        };
        for runner in &mut runners {
            let run = runner.run(&Query { script: &text, limits, ask: Ask::ANSWERS_ONLY }).unwrap();
            let kind = run.trouble.as_ref().map(|trouble| trouble.kind);
            let refuses = match question {
                ScriptCheck::Read | ScriptCheck::ReadChanged => !run.messages.is_empty() || kind.is_some(),
                ScriptCheck::Solve => kind.is_some_and(TroubleKind::is_rejection),
            };
            if refuses {
                let name = runner.solver().name.to_string();
                refused.push(format!("{name}: {:?} {:?}\n{text}", run.messages, run.trouble));
            }
        }
    }
    assert!(made * 100 >= count * 99, "only {made} were made");
    refused.sort_by_key(String::len);
    let shown = refused.iter().take(12).map(String::as_str).collect::<Vec<_>>().join("\n\n");
    assert!(refused.is_empty(), "{} of {made} refused:\n{shown}", refused.len());
}
