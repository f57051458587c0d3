//! Helpers for tests of passes: SMT-LIB in and out.

use gainsay_smt::{Script, Signature};

use crate::apply::apply_changes;
use crate::pass::Pass;
use crate::script_view::ScriptView;

/// Asserts that one of the changes of a pass, applied alone, results in this script.
pub fn check(pass: &dyn Pass, before: &str, after: &str) {
    let wanted = read(after).to_string();
    let made = changed_texts(pass, before);
    assert!(made.contains(&wanted), "{} does not make\n{wanted}but\n{}", pass.name(), made.join("\nor\n"));
}

/// Asserts that a pass does not change a script.
pub fn check_nothing(pass: &dyn Pass, before: &str) {
    let unchanged = read(before).to_string();
    let made = changed_texts(pass, before);
    assert!(made.iter().all(|text| *text == unchanged), "{} makes\n{}", pass.name(), made.join("\nor\n"));
}

/// The text that results from each change of a pass, applied alone; each must be well-sorted.
pub fn changed_texts(pass: &dyn Pass, before: &str) -> Vec<String> {
    let mut script = read(before);
    let view = ScriptView::of(&script);
    let batches = pass.changes(&mut script, &view);
    let changed =
        batches.iter().flatten().filter_map(|change| apply_changes(&script, &view, std::iter::once(change)));
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

    use super::*;
    use crate::change::ScriptChange;
    use crate::pass::ALL;

    /// The texts of the seed corpus.
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
        assert!(texts.len() > 100, "the corpus is missing");
        texts
    }

    /// All passes but two whose ill-sorted candidates the driver drops: a declaration may go before its last use, and a
    /// symbol may have another meaning elsewhere in a script with scopes.
    fn well_sorted_passes() -> impl Iterator<Item = &'static dyn Pass> {
        ALL.iter().copied().filter(|pass| !["drop-commands", "shorter-in-scope"].contains(&pass.name()))
    }

    #[test]
    fn every_change_of_every_pass_is_well_sorted() {
        for text in corpus() {
            for pass in well_sorted_passes() {
                changed_texts(pass, &text);
            }
        }
    }

    #[test]
    fn all_changes_of_a_batch_together_are_well_sorted() {
        for text in corpus() {
            for pass in well_sorted_passes() {
                let mut script = read(&text);
                let view = ScriptView::of(&script);
                for batch in pass.changes(&mut script, &view) {
                    if batch.iter().any(|change| matches!(change, ScriptChange::RewriteScript(..))) {
                        continue;
                    }
                    let Some(changed) = apply_changes(&script, &view, batch.iter()) else { continue };
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
