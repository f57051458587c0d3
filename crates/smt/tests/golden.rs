//! Golden tests: scripts with the expected result in their first lines.
//!
//! `golden/good`: parsed, sort-checked, and the same after printing; `; logic: NAME` is their smallest logic, `; opaque`
//! marks scripts with opaque text. `golden/bad`: the only error is `; error: LINE:COLUMN: TEXT`.
//! `BLESS=1 cargo test` rewrites the error lines; review what it changed.

mod support;

use std::fs;

use gainsay_smt::{Printer, Script, Signature, logic};

fn directive<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .take_while(|line| line.starts_with(';'))
        .find_map(|line| line.strip_prefix("; ")?.strip_prefix(name))
}

#[test]
fn good_scripts_are_read_and_printed_back() {
    let signature = Signature::standard();
    for (path, text) in support::scripts("golden/good") {
        let name = path.display();
        let script = Script::parse(&text, &signature).unwrap_or_else(|error| panic!("{name}:{error}"));
        let printed = script.to_string();
        let again = Script::parse(&printed, &signature)
            .unwrap_or_else(|error| panic!("{name} printed:{error}\n{}\n{printed}", error.snippet()));
        assert!(again == script, "{name} is another script after printing:\n{printed}");
        assert_eq!(script.has_opaque(), directive(&text, "opaque").is_some(), "{name}: opaque parts");
        let expected = directive(&text, "logic: ").unwrap_or_else(|| panic!("{name} names no logic"));
        assert_eq!(logic::smallest(&script), expected, "{name}: smallest logic");
    }
}

#[test]
fn shared_terms_are_bound_without_changing_sorts_or_scopes() {
    let signature = Signature::standard();
    for (path, text) in support::scripts("golden/good") {
        let script = Script::parse(&text, &signature).unwrap();
        let printed = Printer::new().sharing().print(&script);
        let again = Script::parse(&printed, &signature)
            .unwrap_or_else(|error| panic!("{}:{error}\n{}", path.display(), error.snippet()));
        assert_eq!(again.commands.len(), script.commands.len(), "{}", path.display());
    }
}

#[test]
fn bad_scripts_have_one_clear_error() {
    let signature = Signature::standard();
    let bless = std::env::var_os("BLESS").is_some();
    for (path, text) in support::scripts("golden/bad") {
        let error = match Script::parse(&text, &signature) {
            Err(error) => error.to_string(),
            Ok(script) => panic!("{} was read:\n{script}", path.display()),
        };
        if bless {
            let body = text.split_once('\n').map_or("", |(_, body)| body);
            fs::write(&path, format!("; error: {error}\n{body}")).unwrap();
        } else {
            assert_eq!(Some(error.as_str()), directive(&text, "error: "), "{}", path.display());
        }
    }
}
