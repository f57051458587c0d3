//! Plain scripts: declarations, then assertions, then one check. Strategies that put assertions together anew start from their parts;
//! what all of them share stands here, once.

use gainsay_smt::print::{command_text, sort_text, term_text};
use gainsay_smt::{Arena, Command, Script, Sort, Term, Word, variables};

use super::{Parent, Proposal, Skip, Strategy, StrategySettings};
use crate::promise::Promise;
use crate::random::Rng;
use crate::script_state::goes_on;

/// Bytes of a term that is used again.
const MAX_TERM_BYTES: usize = 600;

/// A strategy that takes a plain script apart and puts assertions together anew. A campaign uses it only if it is named.
pub trait PlainStrategy: Sync {
    /// See [`Strategy::name`].
    fn name(&self) -> &'static str;
    /// See [`Strategy::about`].
    fn about(&self) -> &'static str;
    /// See [`Strategy::parents`].
    fn parents(&self) -> usize {
        1
    }
    /// See [`Strategy::uses_status`].
    fn uses_status(&self) -> bool {
        self.parents() == 2
    }
    /// Makes a text from the parts of the first parent.
    fn rebuild(
        &self,
        plain: &PlainScript<'_>,
        parents: &[Parent<'_>],
        rng: &mut Rng,
    ) -> Result<RebuiltScript, Skip>;
}

/// A script that was put together anew.
pub struct RebuiltScript {
    /// Its text.
    pub text: String,
    /// The answer that it must have.
    pub promise: Promise,
    /// The step in words.
    pub step: String,
}

impl<S: PlainStrategy> Strategy for S {
    fn name(&self) -> &'static str {
        PlainStrategy::name(self)
    }

    fn about(&self) -> &'static str {
        PlainStrategy::about(self)
    }

    fn parents(&self) -> usize {
        PlainStrategy::parents(self)
    }

    fn suits(&self, script: &Script) -> bool {
        is_plain(script)
    }

    fn is_default(&self) -> bool {
        false
    }

    fn uses_status(&self) -> bool {
        PlainStrategy::uses_status(self)
    }

    fn propose(
        &self,
        parents: &[Parent<'_>],
        settings: &StrategySettings,
        rng: &mut Rng,
    ) -> Result<Proposal, Skip> {
        let plain = PlainScript::of(parents[0].script)?;
        let RebuiltScript { text, promise, step } = self.rebuild(&plain, parents, rng)?;
        let script = plain.parse(&text, settings.bounds.bytes)?;
        if script == *parents[0].script {
            return Err(Skip::NothingToDo);
        }
        Ok(Proposal::new(script, promise, step))
    }
}

/// The parts of a plain script.
pub struct PlainScript<'s> {
    /// The script.
    pub script: &'s Script,
    /// The commands before the first assertion, as text.
    pub head: String,
    /// The asserted terms.
    pub assertions: Vec<Term>,
}

impl<'s> PlainScript<'s> {
    /// The parts of a script, or why it is not plain.
    pub fn of(script: &'s Script) -> Result<PlainScript<'s>, Skip> {
        if !is_plain(script) {
            return Err(Skip::Unfit("the script is not plain"));
        }
        let arena = script.arena();
        let is_assertion = |command: &Command| matches!(command, Command::Term(Word::Assert, ..));
        let first = script.commands.iter().position(is_assertion).ok_or(Skip::NothingToDo)?;
        let (before, rest) = script.commands.split_at(first);
        if rest.iter().any(Command::is_declaration) {
            return Err(Skip::Unfit("declarations stand between assertions"));
        }
        let assertions: Vec<Term> = script.assertions().collect();
        // A name may be used where its term is left out, and may not be given twice.
        if assertions.iter().any(|&term| term_text(arena, term).contains(":named")) {
            return Err(Skip::Unfit("assertions have names"));
        }
        let kept = before.iter().filter(|command| !script.is_status(command));
        let head = kept.map(|command| command_text(arena, command) + "\n").collect();
        Ok(PlainScript { script, head, assertions })
    }

    /// The arena of the script.
    pub fn arena(&self) -> &Arena {
        self.script.arena()
    }

    /// The asserted terms as text.
    pub fn asserted(&self) -> Vec<String> {
        self.assertions.iter().map(|&term| term_text(self.arena(), term)).collect()
    }

    /// The subterms of assertions without free variables, in the order of the arena, as text with their sorts. Terms of sorts
    /// without values (functions, regular expressions) are left out.
    pub fn closed_terms(&self) -> Vec<(String, Sort)> {
        let arena = self.arena();
        let is_usable = |term: &Term| {
            arena.is_sort_of_values(arena.sort_of(*term)) && variables::free(arena, *term).is_empty()
        };
        let terms = arena.reachable(self.assertions.iter().copied()).filter(is_usable);
        let shown = terms.map(|term| (term_text(arena, term), arena.sort_of(term)));
        shown.filter(|(text, _)| text.len() <= MAX_TERM_BYTES && !text.contains('!')).collect()
    }

    /// The closed terms of a sort, by its text.
    pub fn terms_of(&self, sort: &str) -> Vec<String> {
        let arena = self.arena();
        let closed = self.closed_terms().into_iter();
        closed.filter(|(_, one)| sort_text(arena, *one) == sort).map(|(text, _)| text).collect()
    }

    /// The script with other assertions.
    pub fn with(&self, assertions: &[String]) -> String {
        let mut text = self.head.clone();
        for assertion in assertions {
            text.push_str(&format!("(assert {assertion})\n"));
        }
        text + "(check-sat)\n"
    }

    /// Parses a text that was made from the parts.
    pub fn parse(&self, text: &str, bytes: usize) -> Result<Script, Skip> {
        if text.len() > bytes {
            return Err(Skip::TooLarge);
        }
        // The chain catches the panic and reports it as a bug of gainsay.
        let script = Script::parse(text, self.arena().signature());
        Ok(script.unwrap_or_else(|error| panic!("{error}: {}", error.excerpt)))
    }
}

/// Returns true if a script has one plain check, and nothing that gainsay does not read.
pub fn is_plain(script: &Script) -> bool {
    !script.is_horn() && !goes_on(script) && !script.has_opaque()
}

/// Formulas joined by `and`; `true` if there are none.
pub fn conjunction<S: AsRef<str>>(formulas: &[S]) -> String {
    joined("and", "true", formulas)
}

/// Formulas joined by `or`; `false` if there are none.
pub fn disjunction<S: AsRef<str>>(formulas: &[S]) -> String {
    joined("or", "false", formulas)
}

fn joined<S: AsRef<str>>(connective: &str, empty: &str, formulas: &[S]) -> String {
    match formulas {
        [] => empty.to_owned(),
        [one] => one.as_ref().to_owned(),
        several => {
            let parts: Vec<&str> = several.iter().map(AsRef::as_ref).collect();
            format!("({connective} {})", parts.join(" "))
        }
    }
}
