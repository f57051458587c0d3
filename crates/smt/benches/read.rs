//! Compares parsing, hash-consing and sort-checking with the crate smt2parser, which only parses.
//!
//! ```text
//! cargo bench -p gainsay-smt --bench read [-- PATH…]
//! ```
//!
//! Without paths it reads generated scripts. Both readers take turns on the same texts in one
//! process, and the figure that counts is the ratio of their best rounds.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gainsay_smt::{Script, Signature};
const MEASURED_ROUNDS: usize = 7;

fn main() {
    let paths: Vec<PathBuf> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).map(PathBuf::from).collect();
    let signature = Signature::standard();
    let texts = if paths.is_empty() { made() } else { read_all(&paths) };
    compare(&texts, &signature);
}

/// Both readers on all texts, in turns.
fn compare(texts: &[String], signature: &Arc<Signature>) {
    let bytes: usize = texts.iter().map(String::len).sum();
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    let mut unread = 0;
    for _ in 0..MEASURED_ROUNDS {
        ours = ours.min(time(|| {
            for text in texts {
                black_box(Script::parse(text, signature).expect("the benchmark's scripts are well-sorted"));
            }
        }));
        unread = 0;
        theirs = theirs.min(time(|| unread = texts.iter().filter(|text| !smt2parser(text)).count()));
    }
    let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{} scripts, {:.2} MB, best of {MEASURED_ROUNDS} rounds", texts.len(), bytes as f64 / 1e6);
    println!("gainsay-smt, read and checked: {:>8.1} MB/s", rate(ours));
    println!("smt2parser, read only:         {:>8.1} MB/s ({unread} scripts not read)", rate(theirs));
    println!("ratio:                         {:>8.1}", theirs.as_secs_f64() / ours.as_secs_f64());
}

fn smt2parser(text: &str) -> bool {
    let stream = smt2parser::CommandStream::new(text.as_bytes(), smt2parser::concrete::SyntaxBuilder, None);
    stream.map(black_box).all(|command| command.is_ok())
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// The scripts below the given paths.
fn read_all(paths: &[PathBuf]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open: Vec<PathBuf> = paths.to_vec();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder that can be read");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|extension| extension == "smt2") {
            texts.push(read(&path));
        }
    }
    texts
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).expect("a file that can be read")).into_owned()
}

/// Small scripts of the kind that fuzzers start from.
fn made() -> Vec<String> {
    (0..500).map(|seed| [integers, bit_vectors, strings][seed % 3](seed)).collect()
}

fn integers(seed: usize) -> String {
    let mut text = String::from("(set-logic QF_UFLIA)\n(declare-fun f (Int Int) Int)\n");
    for i in 0..8 {
        writeln!(text, "(declare-const x{i} Int)").expect("a string takes all");
    }
    for i in 0..12 {
        let (a, b, c) = ((i + seed) % 8, (i * 3 + 1) % 8, (i * 5 + seed) % 8);
        writeln!(
            text,
            "(assert (let ((s{i} (+ x{a} (* {seed} x{b})))) (or (< s{i} x{c}) (= (f s{i} x{a}) (- x{b} {i})))))"
        )
        .expect("a string takes all");
    }
    text + "(check-sat)\n"
}

fn bit_vectors(seed: usize) -> String {
    let mut text = String::from("(set-logic QF_ABV)\n(declare-const m (Array (_ BitVec 32) (_ BitVec 8)))\n");
    for i in 0..8 {
        writeln!(text, "(declare-const v{i} (_ BitVec 32))").expect("a string takes all");
    }
    for i in 0..12 {
        let (a, b) = ((i + seed) % 8, (i * 3 + 1) % 8);
        writeln!(
            text,
            "(assert (bvult (bvadd v{a} ((_ zero_extend 24) (select m (bvxor v{b} #x0000{i:04x})))) (concat ((_ extract 15 0) v{b}) #x00{:02x})))",
            seed % 256
        )
        .expect("a string takes all");
    }
    text + "(check-sat)\n"
}

fn strings(seed: usize) -> String {
    let mut text = String::from("(set-logic QF_SLIA)\n");
    for i in 0..8 {
        writeln!(text, "(declare-const s{i} String)").expect("a string takes all");
    }
    for i in 0..12 {
        let (a, b) = ((i + seed) % 8, (i * 3 + 1) % 8);
        writeln!(
            text,
            "(assert (and (str.in_re s{a} (re.* (re.union (str.to_re \"a{i}\") (re.range \"0\" \"9\")))) (= (str.++ s{a} \"x\") (str.substr s{b} 0 (+ {i} (str.len s{a}))))))"
        )
        .expect("a string takes all");
    }
    text + "(check-sat)\n"
}
