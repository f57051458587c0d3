//! Unsat cores and unsat assumptions: what a solver names as contradictory must be so by itself.
//!
//! ```text
//! (assert (> x 3)) (assert (< x 2)) (assert (= y 0)) (check-sat)
//!        ⇒  (assert (! (> x 3) :named core_0)) …  (check-sat) (get-unsat-core)          reply (core_0 core_1)
//!        ⇒  (assert (=> core_0 (> x 3))) …  (check-sat-assuming (core_0 core_1 core_2)) (get-unsat-assumptions)
//! ```
//!
//! `get-timeout-core` of cvc5 is a check of its own: it answers, and names assertions that are unsat, or that it cannot decide within
//! `timeout-core-timeout`. Only an answer claims something: an `unsat` that the named assertions are unsat, a `sat` that all are sat.
//! With `print-cores-full`, cvc5 prints the formulas of a core instead of names, those of unnamed assertions included.
//!
//! A core holds the names of assertions that are unsatisfiable together with all assertions without a name (SMT-LIB 2.7,
//! section 4.2.8). It need not be minimal. z3 also names assertions among its unsat assumptions, and assumptions in its cores;
//! the standard forbids neither to be true, so each is taken for what it names. A name that the script does not have makes
//! the reply unclear.

use gainsay_smt::print::{command_text, symbol_text, term_text};
use gainsay_smt::{Arena, AttributeValue, Command, Script, Term, TermView, Word};

use super::{AskedCommand, Question, fresh_prefix};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::reply::items;

/// Asks for unsat cores and unsat assumptions.
pub struct UnsatCoreQuestion;

/// Options that are drawn: each only reaches the solver that has it.
const CORE_OPTIONS: [&str; 5] = [
    ":smt.core.minimize true",
    ":minimal-unsat-cores true",
    ":sat.core.minimize true",
    ":unsat-cores-mode assumptions",
    ":print-cores-full true",
];
/// The milliseconds after which cvc5 calls a set of assertions a timeout core.
const TIMEOUT_CORE_MILLISECONDS: [u32; 3] = [1, 20, 200];

impl Question for UnsatCoreQuestion {
    fn name(&self) -> &'static str {
        "core"
    }

    fn about(&self) -> &'static str {
        "unsat cores and unsat assumptions must be unsatisfiable by themselves"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::UnsatCore
    }

    fn commands(&self) -> &'static [&'static str] {
        &["get-unsat-core", "get-unsat-assumptions", "get-timeout-core", "get-timeout-core-assuming"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let is_plain = script.commands.iter().any(|command| matches!(command, Command::CheckSat));
        if !is_plain || script.is_horn() || super::is_asked(script) || script.assertions().next().is_none() {
            return None;
        }
        let assumes = rng.chance(1, 3);
        // cvc5 1.4.2 ignores all assertions when it is asked for a timeout core under assumptions; that would hide other bugs.
        let times_out = !assumes && rng.chance(1, 5);
        let prefix = fresh_prefix(script, "core_");
        let mut text = String::from(match assumes {
            true => "(set-option :produce-unsat-assumptions true)\n",
            false => "(set-option :produce-unsat-cores true)\n",
        });
        for option in CORE_OPTIONS {
            if rng.chance(1, 8) {
                text.push_str(&format!("(set-option {option})\n"));
            }
        }
        if times_out {
            let limit = rng.choose(&TIMEOUT_CORE_MILLISECONDS)?;
            text.push_str(&format!("(set-option :timeout-core-timeout {limit})\n"));
        }
        let again = rng.chance(1, 4);
        let mut names = Vec::new();
        for command in &script.commands {
            match command {
                Command::Term(Word::Assert, term, _) if name_of(script.arena(), *term).is_none() => {
                    for part in conjuncts(script.arena(), *term) {
                        let (name, part) =
                            (format!("{prefix}{}", names.len()), term_text(script.arena(), part));
                        text.push_str(&match assumes {
                            true => format!("(declare-const {name} Bool)\n(assert (=> {name} {part}))\n"),
                            false => format!("(assert (! {part} :named {name}))\n"),
                        });
                        names.push(name);
                    }
                }
                Command::CheckSat => {
                    text.push_str(&match (assumes, times_out) {
                        (true, _) => {
                            format!("(check-sat-assuming ({}))\n(get-unsat-assumptions)\n", names.join(" "))
                        }
                        (false, true) => "(get-timeout-core)\n".to_owned(),
                        (false, false) => "(check-sat)\n(get-unsat-core)\n".to_owned(),
                    });
                    if again && !assumes && !times_out {
                        text.push_str("(get-unsat-core)\n");
                    }
                }
                _ => {
                    text.push_str(&command_text(script.arena(), command));
                    text.push('\n');
                }
            }
        }
        // A name that is declared within a scope is gone after it.
        let is_lost = assumes && super::goes_on(script);
        (!names.is_empty() && !is_lost).then_some(text)
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        if !asked.script.is_check(asked.command) {
            return match asked.answer {
                Some(Answer::Unsat) => core_reading(asked, asked.reply),
                _ => ReplyReading::unclear("the check before it is not unsat"),
            };
        }
        let (word, core) = asked.reply.split_once(char::is_whitespace).unwrap_or((asked.reply, ""));
        match Answer::from_word(word.as_bytes()) {
            Some(Answer::Unsat) => core_reading(asked, core.trim()),
            Some(Answer::Sat) => ReplyReading::Claims(vec![Claim {
                text: asked.flat().with(""),
                answer: Answer::Sat,
                otherwise: "its sat in the place of a timeout core is wrong".to_owned(),
            }]),
            _ => ReplyReading::unclear("a timeout core that is not decided claims nothing"),
        }
    }

    fn detail(&self, command: &Command, script: &Script) -> String {
        match script.is_check(command) {
            true => "timeout-core".to_owned(),
            false => self.name().to_owned(),
        }
    }
}

/// What follows from a core, or from unsat assumptions.
fn core_reading(asked: &AskedCommand<'_>, core: &str) -> ReplyReading {
    if !core.starts_with('(') {
        return ReplyReading::unclear("it is not a list");
    }
    if prints_formulas(asked) {
        return formulas_reading(asked, core);
    }
    let (is_core, keeps_assumptions) = match asked.command {
        // Its assumptions have no names, so cvc5 prints none of them.
        Command::Terms(..) => (false, true),
        Command::Plain(name, _) => (asked.script.arena().text(*name) != "get-unsat-assumptions", false),
        _ => return ReplyReading::unclear("it asks for no core"),
    };
    let named = NamedParts::of(asked);
    let (mut assertions, mut assumptions) = (Vec::new(), Vec::new());
    for item in items(core) {
        match (named.assertion(item), named.assumption(item)) {
            (Some(command), _) => assertions.push(command),
            (None, Some(text)) => assumptions.push(text.to_owned()),
            (None, None) => return ReplyReading::unclear(format!("the script has no {item}")),
        }
    }
    // The standard does not say whether a core names assumptions; where it names some, it names all that matter.
    if keeps_assumptions || is_core && assumptions.is_empty() {
        assumptions = named.assumptions.iter().map(|(text, _)| text.clone()).collect();
    }
    let flat = asked.flat();
    let assumed: String = assumptions.iter().map(|text| flat.assertion(text)).collect();
    let is_kept = |command: usize| {
        !is_core || assertions.contains(&command) || !named.assertions.iter().any(|(_, one)| *one == command)
    };
    let what = if is_core { "unsat core" } else { "set of unsat assumptions" };
    ReplyReading::Claims(vec![Claim {
        text: flat.with_some(is_kept, &assumed),
        answer: Answer::Unsat,
        otherwise: format!("its {what} {} is satisfiable", shown(core)),
    }])
}

/// Returns true if the solver prints the formulas of a core in the place of names.
fn prints_formulas(asked: &AskedCommand<'_>) -> bool {
    let arena = asked.script.arena();
    let is_assumptions =
        matches!(asked.command, Command::Plain(name, _) if arena.text(*name) == "get-unsat-assumptions");
    let is_set = |command: &Command| {
        matches!(command, Command::Plain(name, text)
            if arena.text(*name) == "set-option" && arena.text(*text) == ":print-cores-full true")
    };
    !is_assumptions && asked.script.commands[..asked.place].iter().any(is_set)
}

/// What follows from a core of formulas. A solver that lacks the option prints names, which are formulas as well.
fn formulas_reading(asked: &AskedCommand<'_>, core: &str) -> ReplyReading {
    let named = NamedParts::of(asked);
    let formulas = items(core);
    if formulas.is_empty()
        || formulas.iter().any(|one| named.assertion(one).is_some() || named.assumption(one).is_some())
    {
        return ReplyReading::unclear("it has names in the place of formulas, or nothing");
    }
    let flat = asked.flat();
    // cvc5 prints no assumption whose formula is only a name.
    let assumed: String = named.assumptions.iter().map(|(text, _)| flat.assertion(text)).collect();
    let asserted: String = formulas.iter().map(|one| flat.assertion(one)).collect();
    ReplyReading::Claims(vec![Claim {
        text: flat.with_some(|_| false, &(assumed + &asserted)),
        answer: Answer::Unsat,
        otherwise: format!("its unsat core {} is satisfiable", shown(core)),
    }])
}

/// A reply as far as it fits a line.
pub(super) fn shown(reply: &str) -> String {
    let line = reply.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(120) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}

/// What can be named in a reply.
pub(super) struct NamedParts {
    /// Names of assertions, with the index of the command.
    assertions: Vec<(String, usize)>,
    /// Assumptions as text, printed by us and without white space.
    assumptions: Vec<(String, String)>,
}

impl NamedParts {
    /// Of the check of a command.
    pub(super) fn of(asked: &AskedCommand<'_>) -> Self {
        let arena = asked.script.arena();
        let assertions = asked.query.declarations.iter().filter_map(|&place| {
            let Command::Term(Word::Assert, term, _) = &asked.script.commands[place] else { return None };
            Some((name_of(arena, *term)?, place))
        });
        let assumption = |&term: &Term| {
            let text = term_text(arena, term);
            let plain = plain_spelling(&text);
            (text, plain)
        };
        NamedParts {
            assertions: assertions.collect(),
            assumptions: asked.query.assumptions.iter().map(assumption).collect(),
        }
    }

    /// The command of the assertion with this name.
    pub(super) fn assertion(&self, item: &str) -> Option<usize> {
        let plain = plain_spelling(item);
        self.assertions.iter().find(|(name, _)| plain_spelling(name) == plain).map(|(_, command)| *command)
    }

    fn assumption(&self, item: &str) -> Option<&str> {
        let plain = plain_spelling(item);
        self.assumptions.iter().find(|(_, one)| *one == plain).map(|(text, _)| text.as_str())
    }
}

/// A text without needless bars and white space.
fn plain_spelling(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "")
}

/// The name that an assertion gives to its whole term.
fn name_of(arena: &Arena, term: Term) -> Option<String> {
    let TermView::Annotated(attributes, _) = arena.view(term) else { return None };
    attributes.iter().find_map(|attribute| match &attribute.value {
        AttributeValue::Name(name) => Some(symbol_text(arena, *name)),
        _ => None,
    })
}

/// The parts of a conjunction; any other term is its own only part.
pub(super) fn conjuncts(arena: &Arena, term: Term) -> Vec<Term> {
    match arena.view(term) {
        TermView::Application(head, arguments) if arena.text(head.symbol) == "and" && arguments.len() > 1 => {
            arguments.to_vec()
        }
        _ => vec![term],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    const CORE_SCRIPT: &str = "(declare-const x Int)(assert (! (> x 3) :named a))(assert (! (< x 9) :named |b c|))\
        (assert (distinct x 5))(check-sat)(get-unsat-core)";

    #[test]
    fn a_core_claims_its_assertions_and_those_without_a_name() {
        let ReplyReading::Claims(claims) = reading(&UnsatCoreQuestion, CORE_SCRIPT, Answer::Unsat, "(a)")
        else {
            panic!()
        };
        assert!(claims[0].text.contains("(> x 3)") && claims[0].text.contains("(distinct x 5)"));
        assert!(!claims[0].text.contains("(< x 9)"), "{}", claims[0].text);
        assert_eq!(claims[0].answer, Answer::Unsat);
        let ReplyReading::Claims(claims) =
            reading(&UnsatCoreQuestion, CORE_SCRIPT, Answer::Unsat, "( |b c| a )")
        else {
            panic!()
        };
        assert!(claims[0].text.contains("(< x 9)"));
    }

    #[test]
    fn a_timeout_core_claims_what_it_answers() {
        let script = CORE_SCRIPT.replace("(check-sat)(get-unsat-core)", "(get-timeout-core)");
        let claim = |reply: &str| match reading(&UnsatCoreQuestion, &script, Answer::Unknown, reply) {
            ReplyReading::Claims(claims) => Some((claims[0].text.contains("(< x 9)"), claims[0].answer)),
            _ => None,
        };
        assert_eq!(claim("unsat\n(\na\n)"), Some((false, Answer::Unsat)));
        assert_eq!(claim("sat"), Some((true, Answer::Sat)));
        assert_eq!(claim("unknown\n(\na\n)"), None);
        let script =
            "(declare-const x Int)(assert (! (> x 3) :named a))(get-timeout-core-assuming ((< x 2)))";
        let ReplyReading::Claims(claims) =
            reading(&UnsatCoreQuestion, script, Answer::Unsat, "unsat\n(\na\n)")
        else {
            panic!()
        };
        assert!(claims[0].text.contains("(assert (< x 2))") && claims[0].text.contains("(> x 3)"));
    }

    #[test]
    fn a_core_of_formulas_is_unsat_by_itself() {
        let script = format!("(set-option :print-cores-full true){CORE_SCRIPT}");
        let claim = |reply: &str| match reading(&UnsatCoreQuestion, &script, Answer::Unsat, reply) {
            ReplyReading::Claims(claims) => Some(claims[0].text.clone()),
            _ => None,
        };
        let expected = "(declare-const x Int)\n(assert (> x 3))\n(assert (distinct x 5))\n(check-sat)\n";
        assert_eq!(claim("((> x 3) (distinct x 5))").as_deref(), Some(expected));
        assert_eq!((claim("(a)"), claim("()")), (None, None), "a solver that lacks the option prints names");
    }

    #[test]
    fn unknown_names_and_other_answers_claim_nothing() {
        let unclear = |answer, reply| {
            matches!(reading(&UnsatCoreQuestion, CORE_SCRIPT, answer, reply), ReplyReading::Unclear(_))
        };
        assert!(unclear(Answer::Unsat, "(a d)"));
        assert!(unclear(Answer::Sat, "(a)"));
        assert!(unclear(Answer::Unsat, "a"));
    }

    #[test]
    fn unsat_assumptions_keep_every_assertion() {
        let text = "(declare-const p Bool)(declare-const q Bool)(assert (=> p q))\
            (check-sat-assuming (p (not q)))(get-unsat-assumptions)";
        let ReplyReading::Claims(claims) = reading(&UnsatCoreQuestion, text, Answer::Unsat, "((not q))")
        else {
            panic!()
        };
        let expected = "(declare-const p Bool)\n(declare-const q Bool)\n(assert (=> p q))\n(assert (not q))\n(check-sat)\n";
        assert_eq!(claims[0].text, expected);
    }

    #[test]
    fn every_conjunct_gets_a_name() {
        let text = "(declare-const x Int)(assert (and (> x 3) (< x 2)))(check-sat)";
        let made: Vec<String> = (0..20).filter_map(|seed| asked(&UnsatCoreQuestion, text, seed)).collect();
        assert!(made.iter().any(|text| text.contains("(assert (! (< x 2) :named core_1))")));
        assert!(made.iter().any(|text| text.contains("(check-sat-assuming (core_0 core_1))")));
    }
}
