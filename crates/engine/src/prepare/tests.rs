use super::*;
use crate::solver::name::SolverName;
use crate::solver::profiles::Profiles;
use crate::solver::resolve::Program;

fn solver(name: &str) -> (Solver, Option<Version>) {
    let name: SolverName = name.parse().unwrap();
    let profile = Arc::clone(Profiles::built_in().get(&name.profile).unwrap());
    let version = name.to_string().split_once('@').and_then(|(_, version)| version.parse().ok());
    let program = Program::Binary { path: "none".into(), library: None };
    (Solver { name, profile, version: None, program }, version)
}

fn prepare(name: &str, text: &str) -> Prepared {
    let signature = Signature::standard();
    let script = Script::parse(text, &signature).unwrap_or_else(|error| panic!("{text}: {error}"));
    Preparation::new(&[solver(name)], &signature).prepare(&script, text).remove(0)
}

fn check(name: &str, text: &str, expected: &str) {
    match prepare(name, text) {
        Prepared::Text { text, .. } => assert_eq!(&*text, expected, "{name}"),
        Prepared::Spared(why) => panic!("{name} was spared {text}: {why}"),
    }
}

fn spared(name: &str, text: &str, why: &str) {
    assert_eq!(prepare(name, text), Prepared::Spared(why.to_owned()));
}

#[test]
fn operators_are_spelled_as_the_version_knows_them() {
    let new = "(declare-const s String)(assert (str.in_re s (str.to_re \"str.in_re\")))(check-sat)";
    let old = "(declare-const s String)(assert (str.in.re s (str.to.re \"str.in_re\")))(check-sat)";
    check("z3@4.8.8", new, old);
    check("z3@4.8.10", new, new);
    check("cvc5@1.4.2", new, new);
    check("z3@5.4.0", old, new);
    check("cvc5@1.4.2", old, new);
    check("z3@4.8.8", old, old);
}

#[test]
fn names_of_the_script_itself_are_left_alone() {
    let declared = "(declare-fun str.is_digit (Int) Bool)(assert (str.is_digit 1))(check-sat)";
    check("z3@4.8.8", declared, declared);
    let bound = "(assert (forall ((bv2nat Int)) (< bv2nat 3)))(check-sat)";
    check("z3@5.4.0", bound, bound);
    let quoted = "(set-info :source |str.in_re|)(assert (= \"str.in_re\" \"\"))(check-sat)";
    check("z3@4.8.8", quoted, quoted);
}

#[test]
fn what_a_solver_lacks_is_not_put_to_it() {
    let text = "(declare-const s String)(assert (str.is_digit s))(check-sat)";
    spared("z3@4.8.8", text, "lacks str.is_digit");
    check("z3@4.8.10", text, text);
}

#[test]
fn a_stale_status_and_words_that_look_like_answers_are_left_out() {
    let text = "(set-info :status sat)(set-info :source |(set-info :status sat)|)(echo \"sat\")(check-sat)";
    check("cvc5@1.4.2", text, "(set-info :source |(set-info :status sat)|)(check-sat)");
}

#[test]
fn the_logic_is_kept_as_long_as_it_holds_the_script() {
    let body = "(declare-const x Int)(assert (< (* x x) 3))(check-sat)";
    let text = |logic: &str| format!("(set-logic {logic}){body}");
    check("z3@5.4.0", &text("QF_NIA"), &text("QF_NIA"));
    check("z3@5.4.0", &text("AUFNIRA"), &text("AUFNIRA"));
    check("z3@5.4.0", &text("ALL"), &text("ALL"));
    check("z3@5.4.0", &text("QF_LIA"), &text("QF_NIA"));
    check("z3@5.4.0", &text("QF_IDL"), &text("QF_NIA"));
    check("z3@5.4.0", body, body);
}

#[test]
fn a_solver_of_some_logics_gets_one_that_it_does_or_nothing() {
    let body = "(declare-const x Int)(assert (< x 3))(check-sat)";
    check("yices@2.6.5", body, &format!("(set-logic QF_LIA)\n{body}"));
    let strings = "(set-logic QF_S)(declare-const s String)(assert (= s s))(check-sat)";
    spared("yices@2.6.5", strings, "does not support QF_S");
}

#[test]
fn all_is_what_a_solver_of_some_logics_has_in_them() {
    let linear = "(set-logic ALL)(declare-const x Int)(assert (< x 3))(check-sat)";
    check("yices@2.6.5", linear, &linear.replace("ALL", "QF_LIA"));
    let mixed = "(set-logic ALL)(declare-const x Int)(declare-const a (Array Int (_ BitVec 8)))\
                 (assert (= (select a (* x x)) #x01))(check-sat)";
    check("yices@2.6.5", mixed, mixed);
    let floats = "(set-logic ALL)(declare-const x Float32)(assert (fp.isNaN x))(check-sat)";
    spared("yices@2.6.5", floats, "does not support QF_FP");
    let more =
        "(set-logic QF_FP)(declare-const x Float32)(declare-const s String)(assert (= s s))(check-sat)";
    spared("yices@2.6.5", more, "does not support all operators that are used");
    check("z3@5.4.0", floats, floats);
}

#[test]
fn the_logic_of_all_higher_order_scripts_is_kept() {
    let text =
        "(set-logic HO_ALL)(assert (bag.all (lambda ((z Bool)) true) (as bag.empty (Bag Bool))))(check-sat)";
    check("cvc5@1.4.2", text, text);
}

#[test]
fn arrays_of_declared_sorts_stay_in_their_logic() {
    let text =
        "(set-logic QF_AX)(declare-sort I 0)(declare-const a (Array I Bool))(assert (= a a))(check-sat)";
    check("z3@5.4.0", text, text);
    check("yices@2.6.5", text, text);
}

#[test]
fn a_quirk_that_changes_answers_is_an_excuse() {
    let text = "(declare-const s String)(assert (= s \"\\\\u{41}\"))(check-sat)";
    assert!(matches!(prepare("z3@4.8.8", text), Prepared::Text { excuse: Some(_), .. }));
    assert!(matches!(prepare("z3@5.4.0", text), Prepared::Text { excuse: None, .. }));
}

#[test]
fn an_option_that_changes_the_meaning_is_an_excuse_in_a_script_and_on_the_command_line() {
    let text = "(declare-const x (_ BitVec 2))(assert (= (bvudiv x #b00) #b01))(check-sat)";
    let set = format!("(set-option :rewriter.hi_div0 false){text}");
    let is_excused =
        |name: &str, text: &str| matches!(prepare(name, text), Prepared::Text { excuse: Some(_), .. });
    assert!(is_excused("z3@5.4.0", &set) && !is_excused("z3@5.4.0", text));
    assert!(!is_excused("cvc5@1.4.2", &set), "it does not get the option");
    assert!(is_excused("z3@5.4.0 rewriter.hi_div0=false", text));
    assert!(is_excused("cvc5@1.4.2 --strings-alpha-card=2", text));
    assert!(!is_excused("z3@5.4.0 smt.mbqi=false", text));
}
