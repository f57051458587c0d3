//! Known answers: a promise belongs to a question, and a question is a set of assertions.
//!
//! ```text
//! (assert a) (set-info :status sat) (check-sat) (push 1) (assert b) (set-info :status unsat) (check-sat)
//!        says       {a} is sat, {a, b} is unsat
//! (assert b) (check-sat) (assert c) (assert a) (check-sat)
//!        asks       {b}: not known          {a, b, c}: unsat, since {a, b} is
//! ```
//!
//! A script that was made from another one asks other questions: a mutation changes an assertion, the reducer drops a check or a scope.
//! So the answers are remembered by what is asserted, not by the number of the check. Fewer assertions than satisfiable ones are
//! satisfiable, and more assertions than unsatisfiable ones are unsatisfiable; nothing else is concluded. An assertion is known by its text
//! and by the declarations and definitions of all names in it, so a change in a definition changes each assertion that uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gainsay_smt::print::{command_text, sort_text, term_text};
use gainsay_smt::{AttributeValue, Command, SatQuery, Script, Symbol, Term, TermView, Word, sat_queries};

use gainsay_solvers::run::Answer;

/// Checks of a script whose answers are remembered.
const MAX_REMEMBERED_CHECKS: usize = 64;
/// Bytes of a script whose checks are compared: each check lists its assertions.
const MAX_COMPARED_BYTES: usize = 1 << 16;

/// Answers to sets of assertions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownAnswers {
    sets: Vec<(AssertionSet, Answer)>,
}

/// The assertions and assumptions of a check, each with the declarations that it depends on.
type AssertionSet = Arc<BTreeSet<String>>;

impl KnownAnswers {
    /// The answers to the checks of a script, in order.
    pub fn of(script: &Script, answers: &[Option<Answer>]) -> KnownAnswers {
        if answers.iter().all(Option::is_none) {
            return KnownAnswers::default();
        }
        let known = assertion_sets(script).into_iter().zip(answers).take(MAX_REMEMBERED_CHECKS);
        let decided = known.filter_map(|(set, answer)| match answer {
            Some(answer @ (Answer::Sat | Answer::Unsat)) => Some((set?, *answer)),
            _ => None,
        });
        KnownAnswers { sets: decided.collect() }
    }

    /// Returns true if no answer is known.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// These answers and others.
    #[must_use]
    pub fn and(mut self, others: &KnownAnswers) -> KnownAnswers {
        self.sets.extend(others.sets.iter().cloned());
        self
    }

    /// The known answers to the checks of a script, in order.
    pub fn of_each(&self, script: &Script) -> Vec<Option<Answer>> {
        if self.is_empty() {
            return Vec::new();
        }
        assertion_sets(script).iter().map(|set| set.as_ref().and_then(|set| self.answer(set))).collect()
    }

    /// The script as text, with `(set-info :status …)` before each check whose answer is known, and no other status.
    pub fn with_statuses(&self, script: &Script) -> String {
        let script = script.without_status();
        let mut answers = self.of_each(&script).into_iter();
        let mut text = String::new();
        for command in &script.commands {
            if is_question(&script, command)
                && let Some(answer) = answers.next().flatten()
            {
                text.push_str(&format!("(set-info :status {})\n", answer.name()));
            }
            text.push_str(&command_text(script.arena(), command));
            text.push('\n');
        }
        text
    }

    /// The answer to a set of assertions; `None` if the known answers contradict each other about it.
    fn answer(&self, asked: &AssertionSet) -> Option<Answer> {
        let is_sat = |(set, answer): &(AssertionSet, Answer)| *answer == Answer::Sat && asked.is_subset(set);
        let is_unsat =
            |(set, answer): &(AssertionSet, Answer)| *answer == Answer::Unsat && set.is_subset(asked);
        match (self.sets.iter().any(is_sat), self.sets.iter().any(is_unsat)) {
            (true, false) => Some(Answer::Sat),
            (false, true) => Some(Answer::Unsat),
            _ => None,
        }
    }
}

/// Returns true if a command asks whether assertions are satisfiable.
pub fn is_question(script: &Script, command: &Command) -> bool {
    script.is_check(command) || matches!(command, Command::Term(Word::Query, ..))
}

/// What each question of a script asks, in order; `None` for a question that is more than its assertions.
fn assertion_sets(script: &Script) -> Vec<Option<AssertionSet>> {
    let asks = |(_, command): &(usize, &Command)| is_question(script, command);
    let questions: Vec<usize> =
        script.commands.iter().enumerate().filter(asks).map(|(place, _)| place).collect();
    let is_understood = !script.has_opaque() && script.commands.iter().all(|one| is_understood(script, one));
    if !is_understood || script.to_string().len() > MAX_COMPARED_BYTES {
        return vec![None; questions.len()];
    }
    let queries = sat_queries(script);
    let set = |place: usize| {
        let is_plain =
            matches!(script.commands[place], Command::CheckSat | Command::Terms(Word::CheckSatAssuming, _));
        let query = queries.iter().find(|query| query.command == place).filter(|_| is_plain)?;
        Some(Arc::new(assertion_set(script, query)))
    };
    questions.into_iter().map(set).collect()
}

/// Returns true if a command is an assertion, or changes no answer that follows from the assertions.
fn is_understood(script: &Script, command: &Command) -> bool {
    match command {
        Command::Plain(name, _) => {
            let name = script.arena().text(*name);
            matches!(name, "set-info" | "set-option" | "echo" | "check-sat-using") || name.starts_with("get-")
        }
        Command::Term(word, ..) => {
            matches!(
                word,
                Word::Assert
                    | Word::AssertSoft
                    | Word::Minimize
                    | Word::Maximize
                    | Word::Simplify
                    | Word::Eval
            )
        }
        Command::Terms(word, _) => *word != Word::BlockModelValues,
        Command::Declare(word, ..) => !matches!(word, Word::DeclareRel | Word::DeclareVar),
        _ => true,
    }
}

fn assertion_set(script: &Script, query: &SatQuery) -> BTreeSet<String> {
    let names = DeclaredNames::of(script, query);
    let terms = query.assertions.iter().chain(&query.assumptions);
    let mut set: BTreeSet<String> =
        terms.map(|&term| names.with_declarations(term_text(script.arena(), term))).collect();
    // A recursive definition may restrict the models even if no assertion uses it.
    let restricting = query.restricting_definitions(script).into_iter();
    set.extend(restricting.map(|group| names.with_declarations(declaration_text(script, group.place))));
    set
}

/// The names in force at a check, and the commands that declare them.
struct DeclaredNames<'s> {
    script: &'s Script,
    places: BTreeMap<&'s str, usize>,
}

impl<'s> DeclaredNames<'s> {
    fn of(script: &'s Script, query: &SatQuery) -> DeclaredNames<'s> {
        let arena = script.arena();
        let mut places = BTreeMap::new();
        for &place in &query.declarations {
            let command = &script.commands[place];
            let declared = command.declared_functions().into_iter().chain(command.declared_sorts());
            places.extend(declared.map(|name: Symbol| (unquoted(arena.text(name)), place)));
            if let Command::Term(Word::Assert, term, _) = command {
                let names = names_given(script, *term).into_iter();
                places.extend(names.map(|name| (unquoted(arena.text(name)), place)));
            }
        }
        DeclaredNames { script, places }
    }

    /// A text, and after it the declarations of all names in it, theirs included.
    fn with_declarations(&self, text: String) -> String {
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let mut open = vec![text.clone()];
        let mut all = BTreeSet::new();
        while let Some(text) = open.pop() {
            for word in words(&text) {
                // `is-cons` is an old form of `(_ is cons)`.
                let names = [Some(word), word.strip_prefix("is-")].into_iter().flatten();
                for place in names.filter_map(|name| self.places.get(name)) {
                    if needed.insert(*place) {
                        let declaration = declaration_text(self.script, *place);
                        open.push(declaration.clone());
                        all.insert(declaration);
                    }
                }
            }
        }
        std::iter::once(text).chain(all).collect::<Vec<_>>().join("\n")
    }
}

/// The answers that `:status` claims for the questions of a script, in order: each for the next question only.
pub fn claimed_statuses(script: &Script) -> Vec<Option<Answer>> {
    let (mut claims, mut claim) = (Vec::new(), None);
    for command in &script.commands {
        match command {
            Command::Plain(_, text) if script.is_status(command) => {
                let word = script.arena().text(*text).split_whitespace().nth(1).unwrap_or_default();
                claim = Answer::from_word(word.as_bytes()).filter(|&answer| answer != Answer::Unknown);
            }
            _ if is_question(script, command) => claims.push(claim.take()),
            _ => {}
        }
    }
    claims
}

/// The names that a term gives by `:named`.
fn names_given(script: &Script, term: Term) -> Vec<Symbol> {
    let mut names = Vec::new();
    for term in script.arena().reachable([term]) {
        if let TermView::Annotated(attributes, _) = script.arena().view(term) {
            names.extend(attributes.iter().filter_map(|attribute| match attribute.value {
                AttributeValue::Name(name) => Some(name),
                _ => None,
            }));
        }
    }
    names
}

/// A declaration in one of its forms: `declare-const` and `declare-fun` declare the same.
fn declaration_text(script: &Script, place: usize) -> String {
    let arena = script.arena();
    match &script.commands[place] {
        Command::Declare(_, name, parameters, sort) => {
            let sorts: Vec<String> = parameters.iter().map(|&sort| sort_text(arena, sort)).collect();
            format!("|{}| ({}) {}", arena.text(*name), sorts.join(" "), sort_text(arena, *sort))
        }
        command => command_text(arena, command),
    }
}

fn unquoted(name: &str) -> &str {
    name.strip_prefix('|').and_then(|name| name.strip_suffix('|')).unwrap_or(name)
}

/// The symbols of a text, without the bars of quoted ones. Words of string literals may be among them, which does no harm.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (number, part) in text.split('|').enumerate() {
        match number % 2 {
            0 => words.extend(part.split(|c: char| c.is_whitespace() || "()\"".contains(c))),
            _ => words.push(part),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn script(text: &str) -> Script {
        Script::parse(text, &Signature::standard()).unwrap()
    }

    /// The answers to the checks of `asked` that follow from the statuses of `known`: `sat ? unsat`.
    fn check(known: &str, asked: &str, expected: &str) {
        let seed = script(known);
        let known = KnownAnswers::of(&seed, &claimed_statuses(&seed));
        let word = |answer: Option<Answer>| answer.map_or("?", Answer::name);
        let words: Vec<&str> = known.of_each(&script(asked)).into_iter().map(word).collect();
        assert_eq!(words.join(" "), expected, "{asked}");
    }

    const KNOWN_ANSWER_SEED: &str = "(declare-const x Int)(define-fun f () Int (+ x 1))(assert (> x 1))(set-info :status sat)(check-sat)\
        (push)(assert (< f 0))(set-info :status unsat)(check-sat)(pop)(check-sat)";

    #[test]
    fn a_check_keeps_its_answer_where_its_assertions_are_asked_again() {
        check(KNOWN_ANSWER_SEED, KNOWN_ANSWER_SEED, "sat unsat sat");
        // Only the assertion in the scope is changed.
        check(KNOWN_ANSWER_SEED, &KNOWN_ANSWER_SEED.replace("(< f 0)", "(< f 1)"), "sat ? sat");
        // The first assertion is in force at every check.
        check(KNOWN_ANSWER_SEED, &KNOWN_ANSWER_SEED.replace("(> x 1)", "(>= x 1)"), "? ? ?");
        // The definition is used in the scope only.
        check(KNOWN_ANSWER_SEED, &KNOWN_ANSWER_SEED.replace("(+ x 1)", "(- x 1)"), "sat ? sat");
        check(
            KNOWN_ANSWER_SEED,
            &KNOWN_ANSWER_SEED.replace("(declare-const x Int)", "(declare-fun x () Int)"),
            "sat unsat sat",
        );
        let equal = "(declare-const x Int)(assert (= x x))(set-info :status sat)(check-sat)";
        check(equal, &equal.replace("Int", "Real"), "?");
    }

    #[test]
    fn fewer_assertions_stay_satisfiable_and_more_stay_unsatisfiable() {
        let known = "(declare-const x Int)(assert (> x 1))(assert (< x 9))(set-info :status sat)(check-sat)\
            (assert (= x 0))(set-info :status unsat)(check-sat)";
        check(known, "(declare-const x Int)(assert (< x 9))(check-sat)", "sat");
        check(known, "(declare-const x Int)(assert (< x 9))(assert (= x 5))(check-sat)", "?");
        check(
            known,
            "(declare-const x Int)(assert (= x 0))(assert (< x 9))(check-sat)(assert (< x 7))(check-sat-assuming ((> x 1)))",
            "? unsat",
        );
    }

    #[test]
    fn commands_that_change_what_a_check_asks_leave_nothing_known() {
        let known = "(declare-const p Bool)(assert p)(set-info :status sat)(check-sat)";
        check(known, "(declare-const p Bool)(assert p)(check-sat)(get-model)", "sat");
        check(known, "(declare-const p Bool)(assert p)(check-sat)(block-model :values)(check-sat)", "? ?");
        check(known, "(declare-const p Bool)(assert p)(check-sat-using smt)(check-sat)", "? sat");
        // A recursive definition may contradict itself.
        check(
            known,
            "(declare-const p Bool)(define-fun-rec f ((x Int)) Int (+ (f x) 1))(assert p)(check-sat)",
            "?",
        );
        check(
            known,
            "(declare-const p Bool)(define-fun-rec f ((x Int)) Int (ite (> x 0) (f (- x 1)) 0))(assert p)(check-sat)",
            "sat",
        );
    }

    #[test]
    fn names_of_terms_and_quoted_names_are_followed() {
        let known = "(declare-const |a b| Int)(assert (! (> |a b| 1) :named n))(assert n)(set-info :status sat)(check-sat)";
        check(known, known, "sat");
        check(known, &known.replace("(> |a b| 1)", "(> |a b| 2)"), "?");
        check(known, "(declare-const |a b| Real)(declare-const n Bool)(assert n)(check-sat)", "?");
    }

    #[test]
    fn claims_that_contradict_each_other_say_nothing() {
        let known = "(declare-const p Bool)(assert p)(set-info :status sat)(check-sat)(set-info :status unsat)(check-sat)";
        check(known, known, "? ?");
    }

    #[test]
    fn statuses_are_written_before_the_checks_that_have_them() {
        let seed = script(KNOWN_ANSWER_SEED);
        let known = KnownAnswers::of(&seed, &claimed_statuses(&seed));
        let fewer = script(
            "(declare-const x Int)(define-fun f () Int (+ x 1))(set-info :status sat)(assert (> x 1))(assert (< f 0))(check-sat)(assert (> x 3))(check-sat)",
        );
        let text = known.with_statuses(&fewer);
        assert_eq!(text.matches("(set-info :status unsat)\n(check-sat)\n").count(), 2, "{text}");
        assert!(!text.contains(":status sat"), "{text}");
        let read = script(&text);
        assert_eq!(claimed_statuses(&read), [Some(Answer::Unsat); 2]);
    }
}
