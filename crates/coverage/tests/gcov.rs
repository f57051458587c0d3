//! Coverage by traps agrees with gcov on a C++ program with templates, lambdas, inlining, exceptions, threads, forks, signals and
//! dlopen, and the program does the same as without traps.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use gainsay_coverage::reached::ReachedSites;
use gainsay_coverage::target::{CoverageTarget, Level};
use gainsay_coverage::{lcov, name, report};
use support::{Workshop, run_traced};

/// What gcov says after a run: counts of functions by symbol, and of the lines of the program's own file.
struct GcovCounts {
    functions: BTreeMap<String, bool>,
    lines: BTreeMap<u64, bool>,
}

/// Runs an instrumented build and reads what gcov says.
fn run_gcov(workshop: &Workshop, arguments: &[&str]) -> GcovCounts {
    let program = workshop.build("shapes.cpp", "instrumented", &["-O0", "--coverage"]);
    let mut command = Command::new(program);
    command.args(arguments);
    workshop.run(command);
    let mut gcov = Command::new("gcov");
    gcov.args(["--json-format", "--stdout", "instrumented-shapes.gcda"]);
    let text = String::from_utf8(workshop.run(gcov).stdout).expect("JSON");
    let json: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    let mut counts = GcovCounts { functions: BTreeMap::new(), lines: BTreeMap::new() };
    for file in json["files"].as_array().expect("files") {
        let is_own = file["file"].as_str().is_some_and(|file| file.ends_with("shapes.cpp"));
        for function in file["functions"].as_array().expect("functions") {
            let symbol = function["name"].as_str().expect("a name").to_owned();
            counts.functions.insert(symbol, function["execution_count"].as_u64() > Some(0));
        }
        for line in file["lines"].as_array().expect("lines").iter().filter(|_| is_own) {
            let number = line["line_number"].as_u64().expect("a number");
            *counts.lines.entry(number).or_insert(false) |= line["count"].as_u64() > Some(0);
        }
    }
    counts
}

/// The symbols of the functions that were reached, without clones.
fn reached_symbols(target: &CoverageTarget, reached: &ReachedSites) -> BTreeSet<String> {
    let symbol = |function: u32| name::base_symbol(&target.functions[function as usize].symbol).to_owned();
    reached.functions(target).into_iter().map(symbol).collect()
}

/// Constructors and destructors have several symbols for the same code.
fn joined(symbol: &str) -> String {
    ["C1", "C2", "D0", "D1", "D2"].iter().fold(symbol.to_owned(), |symbol, kind| {
        let (letter, end) = (&kind[..1], ["E", "I"]);
        end.iter()
            .fold(symbol, |symbol, end| symbol.replace(&format!("{kind}{end}"), &format!("{letter}_{end}")))
    })
}

fn cover(program: &Path, level: Level) -> Arc<CoverageTarget> {
    Arc::new(CoverageTarget::program(program, level).expect("a program with symbols"))
}

#[test]
fn a_program_with_traps_does_the_same_as_without() {
    let workshop = Workshop::new();
    let plugin = workshop.build("plugin.cpp", "plugin.so", &["-shared", "-fPIC"]);
    let plugin = plugin.to_str().expect("a path");
    for flags in
        [&["-O0", "-g1"][..], &["-O2", "-g1"], &["-O2", "-g1", "-no-pie"], &["-O2", "-g1", "-static"]]
    {
        let program = workshop.build("shapes.cpp", "shapes", flags);
        for arguments in [&["plain"][..], &["full"], &["full", plugin]] {
            if flags.contains(&"-static") && arguments.len() > 1 {
                continue;
            }
            let mut command = Command::new(&program);
            command.args(arguments);
            let plain = workshop.run(command);
            for level in Level::ALL {
                let traced = run_traced(&cover(&program, level), arguments);
                let context = format!("{flags:?} {arguments:?} {level}");
                assert_eq!(traced.output, String::from_utf8_lossy(&plain.stdout), "{context}");
                assert_eq!(traced.code, plain.status.code(), "{context}");
                assert!(!traced.reached.is_empty(), "{context}");
            }
        }
    }
}

#[test]
fn functions_are_those_of_gcov() {
    for arguments in [&["plain"][..], &["full"]] {
        let workshop = Workshop::new();
        let truth = run_gcov(&workshop, arguments);
        let target = cover(&workshop.build("shapes.cpp", "plain", &["-O0"]), Level::Functions);
        let reached = reached_symbols(&target, &run_traced(&target, arguments).reached);
        let reached: BTreeSet<String> = reached.iter().map(|symbol| joined(symbol)).collect();
        let mut said: BTreeMap<String, bool> = BTreeMap::new();
        for (symbol, executed) in &truth.functions {
            *said.entry(joined(symbol)).or_default() |= executed;
        }
        for (symbol, executed) in said {
            assert_eq!(reached.contains(&symbol), executed, "{arguments:?} {symbol}");
        }
        assert!(reached.contains("main") && !reached.contains("_ZN6shapes12never_calledEi"));
    }
}

#[test]
fn optimised_functions_are_a_subset_of_those_of_gcov() {
    let workshop = Workshop::new();
    let truth = run_gcov(&workshop, &["full"]);
    let target = cover(&workshop.build("shapes.cpp", "fast", &["-O2"]), Level::Blocks);
    let reached = reached_symbols(&target, &run_traced(&target, &["full"]).reached);
    for symbol in &reached {
        assert_ne!(truth.functions.get(symbol), Some(&false), "{symbol}");
    }
    for symbol in ["_ZN6shapes8tolerantEi", "_ZN6shapes7checkedEi", "main"] {
        assert!(reached.contains(symbol), "{symbol} in {reached:?}");
    }
}

#[test]
fn lines_are_those_of_gcov() {
    let workshop = Workshop::new();
    for arguments in [&["plain"][..], &["full"]] {
        let truth = run_gcov(&workshop, arguments);
        let target = cover(&workshop.build("shapes.cpp", "lines", &["-O0", "-g1"]), Level::Lines);
        let reached = run_traced(&target, arguments).reached;
        let written = lcov::read(&lcov::write(&target, &reached));
        let mut compared = 0;
        for ((file, line), is_reached) in &written {
            if let Some(executed) = truth.lines.get(line).filter(|_| file.ends_with("shapes.cpp")) {
                compared += 1;
                assert_eq!(is_reached, executed, "{arguments:?} line {line}");
            }
        }
        assert!(compared > 60, "{compared} lines compared");
        std::fs::remove_file(workshop.path("instrumented-shapes.gcda")).expect("counts of this run");
    }
}

#[test]
fn summaries_count_what_was_reached() {
    let workshop = Workshop::new();
    let target = cover(&workshop.build("shapes.cpp", "summary", &["-O0"]), Level::Functions);
    let reached = run_traced(&target, &["full"]).reached;
    let rows = report::by_scope(&target, &reached);
    let shapes = rows.iter().find(|row| row.scope == "shapes").expect("a scope");
    assert!(shapes.reached > 0 && shapes.reached < shapes.all, "{shapes:?}");
    let missing = report::unreached(&target, &reached, 1000);
    assert!(missing.iter().any(|function| function.name == "shapes::never_called(int)"));
    assert!(missing.windows(2).all(|pair| pair[0].bytes >= pair[1].bytes));
}
