//! Scripts whose cost must be linear in their size: deep, shared, large.
//!
//! ```text
//! cargo bench -p gainsay-smt --bench shapes
//! ```
//!
//! Memory is the peak of live allocations while one script is read, divided by the size of its text, which
//! is not counted itself. Where size matters, a shape is read at two sizes: the rates must be similar.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use gainsay_smt::{Script, Signature};
use peak_alloc::PeakAlloc;

#[global_allocator]
static PEAK_ALLOCATOR: PeakAlloc = PeakAlloc;

fn main() {
    let signature = Signature::standard();
    println!("{:<34} {:>9} {:>9} {:>9} {:>13}", "shape", "MB", "seconds", "MB/s", "bytes/byte");
    for (name, make) in SCRIPT_SHAPES {
        shape(name, &make(), &signature);
    }
}

fn shape(name: &str, text: &str, signature: &Arc<Signature>) {
    let megabytes = text.len() as f64 / 1e6;
    let before = PEAK_ALLOCATOR.current_usage();
    PEAK_ALLOCATOR.reset_peak_usage();
    let start = Instant::now();
    let script = Script::parse(text, signature);
    let seconds = start.elapsed().as_secs_f64();
    let memory = PEAK_ALLOCATOR.peak_usage().saturating_sub(before) as f64 / text.len() as f64;
    script.unwrap_or_else(|error| panic!("{name}: {error}"));
    println!("{name:<34} {megabytes:>9.1} {seconds:>9.3} {:>9.1} {memory:>13.1}", megabytes / seconds);
}

/// Generates a script.
type Make = fn() -> String;

/// Scripts whose cost must be linear in their size.
const SCRIPT_SHAPES: &[(&str, Make)] = &[
    ("100,000 nested parentheses", || nested("(not ", 100_000)),
    ("a million nested parentheses", || nested("(not ", 1_000_000)),
    ("20,000 nested lets", || lets(20_000)),
    ("200,000 nested lets", || lets(200_000)),
    ("a graph of 2^1000 tree nodes", || doublings(1000)),
    ("10 MB of assertions", || bulk(10_000_000)),
    ("100 MB of assertions", || bulk(100_000_000)),
    ("10 MB of distinct constants", || constants(10_000_000)),
    ("100 MB of distinct constants", || constants(100_000_000)),
    ("one application of 20 MB", || wide(20_000_000)),
];

fn nested(open: &str, depth: usize) -> String {
    format!("(declare-const p Bool)(assert {}p{})", open.repeat(depth), ")".repeat(depth))
}

fn lets(depth: usize) -> String {
    let mut text = String::from("(declare-const x0 Int)(assert ");
    for i in 1..=depth {
        write!(text, "(let ((x{i} (+ x{} 1))) ", i - 1).expect("a string takes all");
    }
    write!(text, "(> x{depth} 0){})", ")".repeat(depth)).expect("a string takes all");
    text
}

fn doublings(depth: usize) -> String {
    let mut text = String::from("(declare-const x0 Bool)(assert ");
    for i in 1..=depth {
        write!(text, "(let ((x{i} (and x{0} x{0}))) ", i - 1).expect("a string takes all");
    }
    write!(text, "x{depth}{})", ")".repeat(depth)).expect("a string takes all");
    text
}

fn bulk(bytes: usize) -> String {
    let mut text = String::from("(declare-fun f (Int) Int)\n");
    for i in 0..100 {
        writeln!(text, "(declare-const x{i} Int)").expect("a string takes all");
    }
    let mut i = 0u64;
    while text.len() < bytes {
        let (a, b, c) = (i % 100, i * 7 % 97, i * 31 % 89);
        writeln!(
            text,
            "(assert (=> (<= x{a} (+ (f x{b}) {i})) (or (= x{c} (f (+ x{a} {i}))) (not (< (f {i}) x{b})))))"
        )
        .expect("a string takes all");
        i += 1;
    }
    text
}

fn constants(bytes: usize) -> String {
    let mut text = String::new();
    let mut i = 0;
    while text.len() < bytes {
        writeln!(text, "(declare-const x{i} Int)(assert (< x{i} {i}))").expect("a string takes all");
        i += 1;
    }
    text
}

fn wide(bytes: usize) -> String {
    let mut text = String::from("(declare-const p Bool)(assert (and");
    while text.len() < bytes {
        text.push_str(" p");
    }
    text + "))"
}
