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

mod tests {
    use std::path::Path;

    use super::super::{ALL, Change};
    use super::*;

    /// The texts of the corpus that gainsay comes with.
    fn corpus() -> Vec<String> {
        let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")];
        let mut texts = Vec::new();
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|extension| extension == "smt2") {
                texts.push(std::fs::read_to_string(path).unwrap());
            }
        }
        assert!(texts.len() > 100, "the corpus is where it was");
        texts
    }

    /// All passes but two that leave some of this to the driver: a declaration may go before its last use does, and a
    /// name may mean something else elsewhere in a script with levels.
    fn passes() -> impl Iterator<Item = &'static dyn Pass> {
        ALL.iter().copied().filter(|pass| !["commands", "other"].contains(&pass.name()))
    }

    #[test]
    fn every_change_of_every_pass_is_well_sorted() {
        for text in corpus() {
            for pass in passes() {
                outcomes(pass, &text);
            }
        }
    }

    #[test]
    fn all_changes_of_a_batch_together_are_well_sorted() {
        for text in corpus() {
            for pass in passes() {
                let mut script = read(&text);
                let view = View::of(&script);
                for batch in pass.changes(&mut script, &view) {
                    if batch.iter().any(|change| matches!(change, Change::Whole(..))) {
                        continue;
                    }
                    let Some(changed) = apply(&script, &view, batch.iter()) else { continue };
                    let after = changed.to_string();
                    let read = Script::parse(&after, changed.arena().signature());
                    assert!(
                        read.is_ok(),
                        "{}: {:?}\n{after}",
                        pass.name(),
                        read.err().map(|e| e.to_string())
                    );
                }
            }
        }
    }
}
