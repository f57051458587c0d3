//! Writes random ground applications of every operator with the values that our evaluator gives them, as a script of which
//! every check must be unsatisfiable: `applications COUNT SEED FOLDER` (a script per rank).

#[path = "../tests/support/applications.rs"]
mod applications;

use std::fmt::Write as _;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [count, seed, folder] = arguments.as_slice() else {
        eprintln!("applications COUNT SEED FOLDER");
        return;
    };
    let (count, seed) = (count.parse().unwrap_or(30), seed.parse().unwrap_or(0));
    for (number, rank) in applications::applications(count, seed).iter().enumerate() {
        let mut text = String::from("(set-logic ALL)\n");
        for (term, value) in &rank.values {
            let _ = writeln!(text, "(push 1)\n(assert (not (= {term} {value})))\n(check-sat)\n(pop 1)");
        }
        let name = rank.operator.replace('/', "slash").replace(['<', '=', '>', '*', '+'], "~");
        let why = rank.undecided.first().map(|(term, why)| format!("{term}: {why}")).unwrap_or_default();
        println!(
            "{}\t{}\t{}\t{}\t{why}",
            rank.theory,
            rank.operator,
            rank.values.len(),
            rank.undecided.len()
        );
        if !rank.values.is_empty() {
            let path = format!("{folder}/{number:03}_{}_{name}.smt2", rank.theory);
            if let Err(error) = std::fs::write(&path, text) {
                eprintln!("{path}: {error}");
            }
        }
    }
}
