//! The theory tables against real solvers: z3 and cvc5 must accept everything that a table allows.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::BTreeMap;
use std::process::Command;

use gainsay_smt::print::{head_text, sort_text};
use gainsay_smt::{Arena, Head, Script, Signature, Sort, signature};
use serde_json::Value;

/// How many instances of each rank are tried.
const INSTANCES_PER_RANK: usize = 25;

/// Draws that repeat from run to run.
fn draws(mut state: u64) -> impl FnMut(usize) -> usize {
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    }
}

/// Whether a sort is a floating-point format that only the standard allows: z3 wants fewer than 64 exponent bits, cvc5
/// more than one bit beside the hidden one.
fn is_unusual(arena: &Arena, sort: Sort) -> bool {
    match arena.view_sort(sort).indices {
        [exponent, significand] => exponent.numeral() >= Some(64) || significand.numeral() <= Some(2),
        _ => false,
    }
}

/// A script for each standard theory that uses every rank of it many times.
fn scripts(signature: &std::sync::Arc<Signature>) -> BTreeMap<String, String> {
    let mut below = draws(11);
    let mut scripts: BTreeMap<String, String> = BTreeMap::new();
    let mut count = 0;
    for rank in signature.ranks() {
        let theory = &signature.theories()[rank.theory];
        // z3 has `divisible` only when it is told to be strict.
        if !signature::is_standard(theory) || signature.text(rank.name) == "divisible" {
            continue;
        }
        let script = scripts.entry(theory.clone()).or_insert_with(|| "(set-logic ALL)\n".into());
        let mut arena = Arena::new(signature);
        let sorts = [Sort::INT, Sort::BOOL, Sort::STRING, arena.bit_vector(4)];
        for _ in 0..INSTANCES_PER_RANK {
            let Some(instance) = rank.instance(&mut arena, &sorts, &mut below) else { continue };
            let sorts_of = || instance.parameters.iter().chain([&instance.result]);
            if sorts_of().any(|&sort| is_unusual(&arena, sort)) {
                continue;
            }
            count += 1;
            let head =
                head_text(&arena, Head { symbol: rank.name, indices: &instance.indices, qualifier: None });
            let mut arguments = String::new();
            for (position, &parameter) in instance.parameters.iter().enumerate() {
                *script += &format!("(declare-const a{count}.{position} {})\n", sort_text(&arena, parameter));
                arguments += &format!(" a{count}.{position}");
            }
            // An operator that associates takes its last argument again, where that is of the same sort.
            // cvc5 takes two arguments of `bvxnor` and no more, whatever the standard says.
            let is_pair = signature.text(rank.name) == "bvxnor";
            if rank.associativity.is_some()
                && !is_pair
                && instance.parameters.last() == Some(&instance.result)
            {
                arguments += &format!(" a{count}.1");
            }
            let term = if arguments.is_empty() { head } else { format!("({head}{arguments})") };
            *script += &format!("(assert (= {term} {term}))\n");
        }
    }
    assert!(count > 2000, "{count} instances are too few");
    scripts
}

/// A solver's objection to a script, without asking it for an answer.
fn objection(script: &str, solver: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.smt2");
    std::fs::write(&file, script).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gainsay"))
        .args(["check", file.to_str().unwrap(), "--json", "--solver", solver])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let json: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let trouble = &json["runs"][0]["trouble"];
    (!trouble.is_null()).then(|| format!("{trouble}\n{json}"))
}

#[test]
fn solvers_accept_every_instance_of_every_standard_rank() {
    let signature = Signature::standard();
    for (theory, script) in scripts(&signature) {
        if let Err(error) = Script::parse(&script, &signature) {
            panic!("{theory}: {error}\n{}", error.snippet());
        }
        for solver in ["z3@5.4.0", "cvc5@1.4.2"] {
            solvers::solver(solver);
            if let Some(objection) = objection(&script, solver) {
                panic!("{solver} objects to a use of {theory}: {objection}");
            }
        }
    }
}
