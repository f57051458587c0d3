//! Replaces all occurrences of a term by a fresh constant.
//!
//! ```text
//! (assert (= (str.++ s (f t)) (g (str.++ s (f t)))))   ⇒   (declare-const v String)(assert (= v (g v)))
//! ```

use gainsay_smt::variables::FreeVariables;
use gainsay_smt::{Command, Head, Script, TermView, Word};

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::script_view::ScriptView;

/// Replaces terms by fresh constants.
pub struct AbstractTerms;

impl Pass for AbstractTerms {
    fn name(&self) -> &'static str {
        "abstract-terms"
    }

    fn about(&self) -> &'static str {
        "replaces terms by fresh constants"
    }

    fn phase(&self) -> Phase {
        Phase::Fine
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let mut free = FreeVariables::default();
        let mut changes = Vec::new();
        let mut number = 0;
        for place in view.changeable() {
            let occurrence = view.places.list()[place];
            let has_parts = !script.arena().children(occurrence.term).is_empty();
            let is_plain = matches!(script.arena().view(occurrence.term), TermView::Application(..));
            if !has_parts
                || !is_plain
                || !view.is_first(place)
                || !free.of(script.arena(), occurrence.term).is_empty()
            {
                continue;
            }
            let name = loop {
                let text = format!("v{number}");
                number += 1;
                if script.arena().find_symbol(&text).is_none() {
                    break script.arena_mut().symbol(&text);
                }
            };
            let constant = script.arena_mut().application(Head::plain(name), &[], occurrence.sort);
            let declaration = Command::Declare(Word::DeclareConst, name, [].into(), occurrence.sort);
            changes.push(ScriptChange::Abstract(occurrence.term, constant, declaration));
        }
        vec![changes]
    }
}
