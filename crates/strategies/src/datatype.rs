//! Datatypes: changes the declaration of a datatype, and every term that depends on it.
//!
//! ```text
//!                (declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))        (cons 1 nil)
//! reorder        (declare-datatypes ((L 0)) (((nil) (cons (tail L) (head Int)))))        (cons nil 1)
//! parameter      (declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L T)))))))
//!                                                                                        (cons 1 (as nil (L Int)))
//! wrap           (declare-datatypes ((L 0) (W 0)) (((nil) (cons (head Int) (tail W))) ((box (unbox L)))))
//!                                                                                        (cons 1 (box nil))
//! unit           (declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L) (s Unit)))))
//!                                                                                        (cons 1 nil unit)
//! selector       (declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L) (s Bool)))))
//!                                                                                        (cons 1 nil false)
//! constructor    (declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)) (other (s L)))))
//! ```
//!
//! The first four keep the answer, whatever it is. Between the values of the old and the new datatype there is a one-to-one map:
//! it moves a field, replaces a value of a field by the box around it, adds the only value of a sort with one value, or names the
//! same datatype as an instance. Constructors, testers and selectors commute with the map, also where a selector is applied to
//! a value of another constructor: its result there is open before and after. So every model of one script is one of the other,
//! with or without quantifiers.
//!
//! The last two keep `sat`, if the script has no quantifiers. They embed the old values into more new ones: a model of the old
//! script interprets all terms of the new one, in which the new values occur nowhere, if functions get any value for them. The
//! conditions exclude what speaks of all values: quantifiers, recursive definitions, arrays and sets, and a `match`, which would
//! need another case. Of an unsatisfiable script nothing is promised.
//!
//! Changes are made on the tree of parentheses of the script and parsed again: a change of a declaration moves the sorts of most
//! terms, but few words.

mod change;
mod draft;
mod rewrite;

use std::collections::HashMap;

use gainsay_smt::{Command, DatatypeDeclaration, DatatypesForm, Script, Symbol, TermView, Word};

use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::promise::Promise;
use crate::random::Rng;
use gainsay_solvers::run::Answer;

use change::{DatatypeChange, DatatypeTarget};

/// Changes that are drawn before the strategy gives up.
const MAX_CHANGE_DRAWS: usize = 8;

/// Changes declarations of datatypes.
pub struct DatatypeStrategy;

impl Strategy for DatatypeStrategy {
    fn name(&self) -> &'static str {
        "datatype"
    }

    fn about(&self) -> &'static str {
        "changes the declaration of a datatype: its fields, constructors, parameters, recursion"
    }

    fn suits(&self, script: &Script) -> bool {
        script.commands.iter().any(|command| matches!(command, Command::DeclareDatatypes(..)))
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let [parent] = parents else { return Err(Skip::Unfit("datatype takes one parent")) };
        let targets = targets(parent.script);
        if targets.is_empty() {
            return Err(Skip::NothingToDo);
        }
        for _ in 0..MAX_CHANGE_DRAWS {
            let Some(target) = rng.choose(&targets) else { break };
            let Some(change) = DatatypeChange::draw(target, rng) else { continue };
            let Some(text) = change.applied(target) else { continue };
            if text.len() > settings.bounds.bytes {
                return Err(Skip::TooLarge);
            }
            // A script that uses a name in a way that the change does not expect is left alone.
            let Ok(script) = Script::parse(&text, parent.script.arena().signature()) else { continue };
            let promise = promise(&change, target, parent.status);
            return Ok(Proposal::new(script, promise, change.to_string()));
        }
        Err(Skip::NothingToDo)
    }
}

/// What is known of the answer after a change.
fn promise(change: &DatatypeChange, target: &DatatypeTarget<'_>, status: Option<Answer>) -> Promise {
    match status {
        Some(status) if change.keeps_every_answer() => Promise::Known(status),
        Some(Answer::Sat) if !speaks_of_all_values(target) => Promise::Known(Answer::Sat),
        _ => Promise::Nothing,
    }
}

/// The datatypes of a script whose names mean nothing else anywhere in it.
fn targets(script: &Script) -> Vec<DatatypeTarget<'_>> {
    let mut declared: HashMap<Symbol, usize> = HashMap::new();
    for name in script
        .commands
        .iter()
        .flat_map(|command| command.declared_functions().into_iter().chain(command.declared_sorts()))
    {
        *declared.entry(name).or_default() += 1;
    }
    let bound = script.bound_names();
    let is_unique = |name: Symbol| declared.get(&name) == Some(&1) && !bound.contains(&name);
    let names = |datatype: &DatatypeDeclaration| {
        let constructors = datatype.constructors.iter();
        let mut names: Vec<Symbol> = constructors.clone().map(|constructor| constructor.name).collect();
        names.extend(constructors.flat_map(|constructor| constructor.fields.iter().map(|(name, _)| *name)));
        names.push(datatype.name);
        names
    };
    let mut targets = Vec::new();
    for (number, command) in script.commands.iter().enumerate() {
        let Command::DeclareDatatypes(form, datatypes) = command else { continue };
        let is_inductive = matches!(form, DatatypesForm::Single | DatatypesForm::Many | DatatypesForm::Old);
        if is_inductive && datatypes.iter().flat_map(names).all(is_unique) {
            targets.extend((0..datatypes.len()).map(|place| DatatypeTarget::new(script, number, place)));
        }
    }
    targets
}

/// Returns true if the answer may depend on values of the datatype that no term of the script has.
fn speaks_of_all_values(target: &DatatypeTarget<'_>) -> bool {
    let script = target.script;
    let arena = script.arena();
    let is_recursive = |command: &Command| {
        matches!(
            command,
            Command::DefineFunsRec(_) | Command::Define(Word::DefineFunRec, _) | Command::Opaque(_)
        )
    };
    let mut terms = arena.reachable(script.commands.iter().flat_map(Command::terms));
    let quantifies = terms.any(|term| {
        matches!(arena.view(term), TermView::Bind(..) | TermView::Match(..) | TermView::Opaque(_))
    });
    // Two arrays or sets may differ at a new value only.
    let has_collections = ["Array", "Set", "Bag", "Relation"].iter().any(|sort| target.text.contains(sort));
    quantifies || has_collections || script.commands.iter().any(is_recursive)
}
