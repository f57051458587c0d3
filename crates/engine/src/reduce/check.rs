//! What tests of passes have in common: SMT-LIB in and out.

use gainsay_smt::{Script, Signature};

use super::apply::apply;
use super::{Pass, View};

/// Asserts that one of the changes of a pass, made alone, gives this script.
pub fn check(pass: &dyn Pass, before: &str, after: &str) {
    let wanted = read(after).to_string();
    let made = outcomes(pass, before);
    assert!(made.contains(&wanted), "{} does not make\n{wanted}but\n{}", pass.name(), made.join("\nor\n"));
}

/// Asserts that a pass has nothing to change in a script.
pub fn check_nothing(pass: &dyn Pass, before: &str) {
    let unchanged = read(before).to_string();
    let made = outcomes(pass, before);
    assert!(made.iter().all(|text| *text == unchanged), "{} makes\n{}", pass.name(), made.join("\nor\n"));
}

/// The text that each change of a pass gives by itself; every one must be well-sorted.
pub fn outcomes(pass: &dyn Pass, before: &str) -> Vec<String> {
    let mut script = read(before);
    let view = View::of(&script);
    let batches = pass.changes(&mut script, &view);
    let changed =
        batches.iter().flatten().filter_map(|change| apply(&script, &view, std::iter::once(change)));
    changed
        .map(|changed| {
            let text = changed.to_string();
            let read = Script::parse(&text, changed.arena().signature());
            assert!(read.is_ok(), "{} makes an ill-sorted script:\n{text}", pass.name());
            text
        })
        .collect()
}

fn read(text: &str) -> Script {
    Script::parse(text, &Signature::standard()).unwrap()
}
