//! Questions: what gainsay asks solvers beyond sat and unsat, and how it judges what they reply.
//!
//! ```text
//! (assert (> x 3))                                (set-option :produce-unsat-cores true)
//! (assert (< x 2))       the question core        (assert (! (> x 3) :named core_0))
//! (check-sat)                  makes              (assert (! (< x 2) :named core_1))
//!                                                 (check-sat) (get-unsat-core)
//! ```
//!
//! A question adds its commands to an ordinary script, and turns a reply into claims (`trial/claim.rs`): plain scripts with the
//! answers that they must have if the reply is right. So one rule of evidence serves all questions, and `check`, `reduce`,
//! `bisect` and triage judge every script that has such commands, wherever it comes from. A reply that cannot be read, or of
//! which a solver claims nothing, proves nothing.

use gainsay_smt::{Command, SatQuery, Script, Word};

use crate::random::Rng;
use crate::solver::profile::Profile;
use crate::solver::run::Answer;
pub use crate::strategy::script_state::{fresh_prefix, goes_on};
use crate::trial::QuestionKind;
use crate::trial::claim::{FlatCheck, ReplyReading};
use models::{BlockedModels, blocks_models};
use preprocess::preprocessing_options;
use tactic::installed::InstalledTactics;

pub mod abduct;
pub mod assignment;
pub mod core;
pub mod elimination;
pub mod interpolant;
pub mod models;
pub mod objective;
pub mod partition;
pub mod preprocess;
pub mod proof;
pub mod sequence;
pub mod simplify;
pub mod synthesis;
pub mod tactic;
pub mod values;

/// Every question.
pub const ALL: &[&dyn Question] = &[
    &core::UnsatCoreQuestion,
    &values::ValuesQuestion,
    &objective::ObjectiveQuestion,
    &simplify::SimplifyQuestion,
    &tactic::TacticQuestion,
    &elimination::EliminationQuestion,
    &proof::ProofQuestion,
    &sequence::SequenceQuestion,
    &assignment::AssignmentQuestion,
    &interpolant::InterpolantQuestion,
    &abduct::AbductQuestion,
    &models::ModelsQuestion,
    &preprocess::PreprocessQuestion,
    &synthesis::SynthesisQuestion,
    &partition::PartitionQuestion,
];

/// Asks something of a solver, and judges the reply.
pub trait Question: Sync {
    /// Its name, as in records and on the command line.
    fn name(&self) -> &'static str;
    /// Its request, in one line.
    fn about(&self) -> &'static str;
    /// Its kind.
    fn kind(&self) -> QuestionKind;
    /// The commands whose replies it judges.
    fn commands(&self) -> &'static [&'static str];
    /// The text of a script that asks it, made from an ordinary one; `None` if that one does not suit.
    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String>;
    /// The same with tactics that only the installed program has.
    fn ask_installed(&self, script: &Script, rng: &mut Rng, _installed: &InstalledTactics) -> Option<String> {
        self.ask(script, rng)
    }
    /// What follows from a reply.
    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading;
    /// What tells a wrong reply to a command from others, in one word.
    fn detail(&self, _command: &Command, _script: &Script) -> String {
        self.name().to_owned()
    }
}

impl std::fmt::Debug for dyn Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A command that was asked, and the reply.
#[derive(Debug, Clone, Copy)]
pub struct AskedCommand<'a> {
    /// The script.
    pub script: &'a Script,
    /// The command.
    pub command: &'a Command,
    /// Its index in the script.
    pub place: usize,
    /// The check before it, or the check that it is; the end of the script if there is none.
    pub query: &'a SatQuery,
    /// The solver's answer to that check.
    pub answer: Option<Answer>,
    /// The reply as printed.
    pub reply: &'a str,
    /// The models that the solver was told not to give again.
    pub blocked: &'a BlockedModels,
    /// The solver's reply to the command before this one.
    pub before: Option<&'a str>,
}

impl<'a> AskedCommand<'a> {
    /// The indices of the commands that assert something in the check.
    pub fn assertions(&self) -> impl Iterator<Item = usize> {
        let is_assertion =
            |command: &usize| matches!(self.script.commands[*command], Command::Term(Word::Assert, ..));
        self.query.declarations.iter().copied().filter(is_assertion)
    }

    /// The check as a script of its own.
    pub fn flat(&self) -> FlatCheck<'a> {
        FlatCheck { script: self.script, query: self.query }
    }
}

/// The question of this name.
pub fn find(name: &str) -> Option<&'static dyn Question> {
    ALL.iter().copied().find(|question| question.name() == name)
}

/// The question of this kind.
pub fn of_kind(kind: QuestionKind) -> Option<&'static dyn Question> {
    ALL.iter().copied().find(|question| question.kind() == kind)
}

/// The kind of question that a command of this name asks.
pub fn of_command(name: &str) -> Option<QuestionKind> {
    ALL.iter().find(|question| question.commands().contains(&name)).map(|question| question.kind())
}

/// Returns true if solvers of this profile get the commands of a question.
pub fn is_asked_of(question: &dyn Question, profile: &Profile) -> bool {
    question.commands().iter().any(|name| profile.filter.keeps_command(name))
}

/// A command of a script that asks a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskingCommand {
    /// Its question.
    pub kind: QuestionKind,
    /// Its index in the script.
    pub command: usize,
    /// The check before it, or the check that it is.
    pub check: Option<usize>,
    /// Its name.
    pub name: String,
    /// Its number among the commands of this name.
    pub number: usize,
}

/// The commands of a script that ask one of the questions.
pub fn asking_commands(script: &Script) -> Vec<AskingCommand> {
    // A check under other passes than usual has a flattened script that differs from it, too.
    let goes_on = goes_on(script) || !preprocessing_options(script).is_empty();
    let (mut found, mut check, mut is_blocked) = (Vec::new(), None::<usize>, false);
    let mut numbers = std::collections::BTreeMap::<&str, usize>::new();
    for (command, one) in script.commands.iter().enumerate() {
        if matches!(one, Command::Exit) {
            break;
        }
        let Some(name) = name(script, one) else { continue };
        let number = numbers.entry(name).or_default();
        if script.is_check(one) {
            check = Some(check.map_or(0, |check| check + 1));
        }
        is_blocked |= blocks_models(script, one);
        let kind = match of_command(name) {
            Some(QuestionKind::Sequence) if !goes_on => None,
            // The command that blocks a model says nothing; the values after it are those of the next one.
            Some(QuestionKind::Models) => None,
            Some(QuestionKind::Values) if is_blocked => Some(QuestionKind::Models),
            kind => kind,
        };
        if let Some(kind) = kind {
            found.push(AskingCommand { kind, command, check, name: name.to_owned(), number: *number });
        }
        *number += 1;
    }
    found
}

/// The name of a command that may print something.
fn name<'s>(script: &'s Script, command: &Command) -> Option<&'s str> {
    match command {
        Command::CheckSat => Some("check-sat"),
        Command::Term(word, ..) | Command::Terms(word, ..) => Some(word.text()),
        Command::Plain(name, _) => Some(script.arena().text(*name)),
        _ => None,
    }
}

/// Returns true if a script asks any of the questions.
pub fn is_asked(script: &Script) -> bool {
    !asking_commands(script).is_empty()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::RandomStream;
    use gainsay_smt::{Signature, sat_queries};

    /// What a question makes of a script.
    pub fn asked(question: &dyn Question, text: &str, seed: u64) -> Option<String> {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        question.ask(&script, &mut RandomStream::new(seed).rng())
    }

    /// What follows from a reply to the last command of a script that the question asks.
    pub fn reading(question: &dyn Question, text: &str, answer: Answer, reply: &str) -> ReplyReading {
        reading_after(question, text, answer, None, reply)
    }

    /// The same with the reply to the command before it.
    pub fn reading_after(
        question: &dyn Question,
        text: &str,
        answer: Answer,
        before: Option<&str>,
        reply: &str,
    ) -> ReplyReading {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let asking = asking_commands(&script);
        let last = asking.iter().rfind(|one| one.kind == question.kind()).unwrap();
        let queries = sat_queries(&script);
        question.read(&AskedCommand {
            script: &script,
            command: &script.commands[last.command],
            place: last.command,
            query: &queries[last.check.unwrap_or(0)],
            answer: Some(answer),
            reply,
            blocked: &BlockedModels::none(),
            before,
        })
    }

    #[test]
    fn every_question_has_a_name_kind_and_commands_of_its_own() {
        for (place, question) in ALL.iter().enumerate() {
            for other in &ALL[..place] {
                assert_ne!(question.name(), other.name());
                assert_ne!(question.kind(), other.kind());
                let shared = question.commands().iter().find(|name| other.commands().contains(name));
                assert_eq!(shared, None, "{} and {}", question.name(), other.name());
            }
        }
    }

    #[test]
    fn every_file_of_a_question_is_in_the_list() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/question");
        let files = std::fs::read_dir(folder).unwrap();
        let files = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        // A folder holds the parts of the question of its name.
        let mut files: Vec<String> = files.filter(|name| name.ends_with(".rs")).collect();
        let mut names: Vec<String> = ALL.iter().map(|question| format!("{}.rs", question.name())).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }

    #[test]
    fn every_question_makes_well_sorted_scripts_equal_for_equal_seeds() {
        let texts = [
            "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (and (> x 3) (< x 2)))\
             (assert (= y (+ x 1)))(check-sat)",
            "(set-logic QF_BV)(declare-const v (_ BitVec 8))(assert (bvult v #x07))(assert (= (bvmul v v) #x09))(check-sat)",
            "(set-logic LIA)(declare-const x Int)(assert (forall ((y Int)) (or (< x y) (> (+ x 2) y))))(check-sat)",
            "(declare-const x Int)(push)(assert (! (> x 1) :named n))(check-sat)(pop)(assert (< x 1))(check-sat)",
        ];
        for question in ALL {
            for (text, seed) in texts.iter().flat_map(|text| (0..20).map(move |seed| (text, seed))) {
                let Some(made) = asked(*question, text, seed) else { continue };
                assert_eq!(asked(*question, text, seed).as_ref(), Some(&made));
                let script = Script::parse(&made, &Signature::standard());
                let script = script.unwrap_or_else(|error| panic!("{}: {error}\n{made}", question.name()));
                assert!(is_asked(&script), "{}: {made}", question.name());
            }
        }
    }
}
