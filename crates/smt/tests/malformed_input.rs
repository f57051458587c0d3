//! Malformed and extreme input: cut off, damaged, deep, wide, with exponential sharing.
//!
//! Every text is either a script or one error with a place. The long form of the random part is
//! `cargo run --release -p gainsay-smt --example damage_scripts`.

mod support;

use std::fmt::Write as _;

use gainsay_smt::{Printer, Script, Signature, decode, print, variables};

#[test]
fn a_script_cut_anywhere_is_a_script_or_an_error_inside_it() {
    let signature = Signature::standard();
    for (path, text) in support::scripts("golden/good") {
        for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
            if let Err(error) = Script::parse(&text[..end], &signature) {
                let lines = text[..end].split('\n').count();
                assert!(error.line <= lines, "{} cut at {end}: {error}", path.display());
            }
        }
    }
}

#[test]
fn any_change_of_one_byte_is_survived() {
    let signature = Signature::standard();
    for (_, text) in support::scripts("golden/good") {
        for place in (0..text.len()).step_by(3) {
            for byte in [b'(', b')', b'"', b'|', b';', b'#', b' ', b'0', 0, 0xff] {
                let mut bytes = text.clone().into_bytes();
                bytes[place] = byte;
                if let Ok(text) = decode(&bytes)
                    && let Ok(script) = Script::parse(&text, &signature)
                {
                    let again = Script::parse(&script.to_string(), &signature);
                    assert!(again.is_ok_and(|again| again == script), "printed wrongly:\n{text}");
                }
            }
        }
    }
}

/// A term of every form, around a subterm.
const TERM_FORMS: [(&str, &str); 9] = [
    ("(not ", ")"),
    ("(let ((x ", ")) x)"),
    ("(let ((x true)) ", ")"),
    ("(forall ((x Int)) ", ")"),
    ("(! ", " :flag)"),
    ("(ite true true ", ")"),
    ("(= true ", ")"),
    ("(match red ((red ", ") (any true)))"),
    ("(select ((as const (Array Int Bool)) ", ") 1)"),
];

#[test]
fn depth_costs_heap_and_not_stack() {
    let signature = Signature::standard();
    let depth = 100_000;
    for (open, close) in TERM_FORMS {
        let text = format!(
            "(declare-datatype Colour ((red) (green)))(assert {}true{})",
            open.repeat(depth),
            close.repeat(depth)
        );
        let script = Script::parse(&text, &signature).unwrap_or_else(|error| panic!("{open}: {error}"));
        let assertion = script.assertions().next().unwrap();
        assert!(variables::free(script.arena(), assertion).is_empty());
        assert!(Script::parse(&script.to_string(), &signature).unwrap() == script, "{open}");
        assert!(Script::parse(&Printer::new().sharing().print(&script), &signature).is_ok(), "{open}");
    }
}

#[test]
fn sorts_may_nest_as_deep_as_terms() {
    let signature = Signature::standard();
    let depth = 100_000;
    let text =
        format!("(declare-const a {}Int{})(assert (= a a))", "(Array Int ".repeat(depth), ")".repeat(depth));
    let script = Script::parse(&text, &signature).unwrap();
    assert!(Script::parse(&script.to_string(), &signature).unwrap() == script);
}

#[test]
fn shared_terms_are_not_expanded() {
    let signature = Signature::standard();
    // The tree of this term has 2^1000 leaves, and so has the tree of its sort.
    let mut text = String::from("(declare-const x0 Bool)(assert ");
    for i in 1..=1000 {
        write!(text, "(let ((x{i} (and x{0} x{0}))) ", i - 1).unwrap();
    }
    write!(text, "x1000{})", ")".repeat(1000)).unwrap();
    let script = Script::parse(&text, &signature).unwrap();
    assert!(Script::parse(&script.to_string(), &signature).unwrap() == script);

    let mut text = String::from("(define-sort S0 () Int)");
    for i in 1..=1000 {
        write!(text, "(define-sort S{i} () (Array S{0} S{0}))", i - 1).unwrap();
    }
    text.push_str("(declare-const x S1000)(assert (= x 1))");
    let error = Script::parse(&text, &signature).unwrap_err();
    assert!(error.message.len() < 2000, "{}", error.message.len());
}

#[test]
fn a_graph_that_is_no_tree_is_printed_with_lets() {
    let signature = Signature::standard();
    let mut script = Script::parse("(declare-const p Bool)(assert p)", &signature).unwrap();
    let mut term = script.assertions().next().unwrap();
    let arena = script.arena_mut();
    let and = arena.symbol("and");
    for _ in 0..1000 {
        term = arena.application(gainsay_smt::Head::plain(and), &[term, term], gainsay_smt::Sort::BOOL);
    }
    let shared = print::share(arena, term);
    assert!(print::term_text(script.arena(), shared).len() < 100_000);
    script.commands[1].set_term(0, term);
    let printed = Printer::new().sharing().print(&script);
    assert!(Script::parse(&printed, &signature).is_ok(), "{}", &printed[..200]);
}

#[test]
fn numbers_too_large_for_a_width_are_errors() {
    let signature = Signature::standard();
    for term in [
        "((_ repeat 4294967295) #xff)",
        "((_ zero_extend 4294967295) #b1)",
        "((_ sign_extend 99999999999999999999) #b1)",
        "((_ extract 99999999999999999999 0) #b1)",
        "((_ rotate_left 99999999999999999999) #b1)",
        "(_ bv1 99999999999999999999)",
        "(_ bv1 0)",
    ] {
        let text = format!("(assert (= {term} {term}))");
        assert!(Script::parse(&text, &signature).is_err(), "{term} was read");
    }
    assert!(Script::parse("(declare-const x (_ BitVec 4294967296))", &signature).is_err());
    assert!(Script::parse("(push 99999999999)", &signature).is_err());
}

#[test]
fn levels_cost_nothing_however_many_are_pushed() {
    let signature = Signature::standard();
    let text =
        format!("{}(declare-const x Int)(pop 2)(declare-const x Bool)", "(push 4294967295)".repeat(1000));
    assert_eq!(Script::parse(&text, &signature).unwrap().commands.len(), 1003);
}

#[test]
fn line_ends_and_marks_of_other_systems_are_blanks() {
    let signature = Signature::standard();
    let text = "\u{feff}(declare-const x Int)\r\n(assert (< x 1)) ; last\r\n\t(check-sat)\r";
    assert_eq!(Script::parse(text, &signature).unwrap().commands.len(), 3);
}

#[test]
fn comments_may_stand_between_any_two_tokens() {
    let signature = Signature::standard();
    let text = "(;a\nassert;b\n(;c\nlet;d\n(;e\n(;f\nx;g\ntrue;h\n);i\n);j\n(;k\nforall;l\n(;m\n(;n\ny;o\n(;p\n_;q\nBitVec;r\n8;s\n);t\n);u\n);v\n(;w\n!;x\nx;y\n:named;z\nn);A\n);B\n);C\n);D\n";
    assert!(Script::parse(text, &signature).is_err(), "a named term that holds a variable");
    let text = text.replace(":named;z\nn", ":flag;z\n");
    Script::parse(&text, &signature).unwrap();
}
