//! The memory of exhaustion stays within its budget: scripts whose values, results or nodes would take gigabytes.
//!
//! The test counts all allocations of its process, so it is one test in a file of its own.

use std::fmt::Write as _;

use gainsay_smt::exhaust::{ExactAnswer, ExhaustionBudget, decide};
use gainsay_smt::{Script, Signature, sat_queries};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATIONS: PeakAlloc = PeakAlloc;

/// The bytes that a decision may keep here.
const MAX_KEPT_BYTES: u64 = 8 << 20;
/// What a decision takes beside what it keeps: the script, the evaluator, and the values that it is about to make.
const MAX_OTHER_BYTES: usize = 5 << 20;

/// Sequences of up to so many elements, for every value of `y`.
fn long_sequences() -> String {
    let units = "(seq.unit y) ".repeat(60);
    format!(
        "(declare-const y (_ BitVec 12))(assert (= (seq.++ {units} (seq.unit y)) (seq.++ {units} (seq.unit (bvnot y)))))"
    )
}

/// Constructors of many fields.
fn wide_constructors() -> String {
    let fields: String = (0..100).fold(String::new(), |mut text, field| {
        let _ = write!(text, "(f{field} (_ BitVec 12))");
        text
    });
    let arguments = "y ".repeat(100);
    format!(
        "(declare-datatypes ((D 0)) (((c {fields} (last (_ BitVec 12))))))(declare-const y (_ BitVec 12))\
         (assert (= (c {arguments} y) (c {arguments} (bvnot y))))"
    )
}

/// Arrays of nodes.
fn tables() -> String {
    let lambda = "(lambda ((x (_ BitVec 6))) (bvadd y ((_ zero_extend 6) x)))";
    format!(
        "(declare-const y (_ BitVec 12))(declare-fun f ((Array (_ BitVec 6) (_ BitVec 12))) Bool)\
         (assert (not (f {lambda})))(assert (= (bvmul y y) #x00f))"
    )
}

/// Instances of quantifiers with many variables.
fn nested_quantifiers() -> String {
    let variables = |name: char, count: usize, sort: &str| {
        (0..count).fold(String::new(), |mut text, place| {
            let _ = write!(text, "({name}{place} {sort})");
            text
        })
    };
    format!(
        "(declare-datatype One ((one)))(declare-fun p (Bool Bool) Bool)(assert (forall ({}) (forall ({}) (exists ({}) (p a0 (= b0 (= o0 o7)))))))",
        variables('a', 8, "Bool"),
        variables('b', 8, "Bool"),
        variables('o', 100, "One"),
    )
}

/// Many applications whose results are remembered.
fn remembered_results() -> String {
    "(declare-const y (_ BitVec 18))(assert (= (bv2nat y) (+ 1 (bv2nat y))))".to_owned()
}

/// Many calls of a recursive function.
fn remembered_calls() -> String {
    "(define-fun-rec f ((n Int) (k (_ BitVec 14))) Int (ite (<= n 0) 0 (+ 1 (f (- n 1) k))))\
     (declare-const y (_ BitVec 14))(assert (= (f 20 y) 21))"
        .to_owned()
}

#[test]
fn a_decision_takes_no_more_memory_than_its_budget() {
    let scripts = [
        long_sequences(),
        wide_constructors(),
        tables(),
        nested_quantifiers(),
        remembered_results(),
        remembered_calls(),
    ];
    let mut spent = 0;
    for text in &scripts {
        let script = Script::parse(text, &Signature::standard()).expect("the scripts are well-sorted");
        let query = &sat_queries(&script)[0];
        ALLOCATIONS.reset_peak_usage();
        let before = ALLOCATIONS.current_usage();
        let budget = ExhaustionBudget { steps: 30_000_000, bytes: MAX_KEPT_BYTES };
        let decision = decide(&script, query, budget);
        let taken = ALLOCATIONS.peak_usage() - before;
        assert!(taken < MAX_KEPT_BYTES as usize + MAX_OTHER_BYTES, "{taken} bytes: {text}");
        if let ExactAnswer::Undecided(reason) = &decision.answer {
            spent += usize::from(reason.to_string() == "it takes too much memory");
        }
    }
    assert_eq!(spent, 4, "all but the last two, which remember less");
}
