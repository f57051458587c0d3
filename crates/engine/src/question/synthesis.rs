//! Synthesis by cvc5: a function that it finds must satisfy the constraints, whatever the values of the variables.
//!
//! ```text
//! (declare-const x Int) (declare-const z Int) (assert (and (> (* 2 z) x) (< z (+ x 9)))) (check-sat)
//!        becomes      (declare-var x Int) (declare-var z Int) (synth-fun found ((x Int)) Int)
//!                     (constraint (=> (and (> (* 2 z) x) (< z (+ x 9))) (and (> (* 2 (found x)) x) (< (found x) (+ x 9))))) (check-synth)
//!        reply        ((define-fun found ((x Int)) Int (+ 8 x)))
//!        claims that  (declare-const x Int) … (define-fun found ((x Int)) Int (+ 8 x)) (assert (not (=> …))) (check-sat)      is unsat
//! ```
//!
//! One constant of a script becomes a function of the others, so that a solution exists: any choice of a witness. The grammar of cvc5
//! may have none, so `fail` and `infeasible` claim nothing. Neither does a function of operators that the standard leaves open, such as
//! a division by zero: cvc5 fixes their results when it synthesises. The library of cvc5 reads such a script as SyGuS, since it has `synth-fun`;
//! a program of cvc5 that is told to read SMT-LIB refuses it.

use gainsay_smt::print::{sort_text, symbol_text};
use gainsay_smt::{Command, Script, Sort, Symbol, Word};

use super::core::shown;
use super::interpolant::{AssertedParts, conjunction};
use super::values::constants;
use super::{AskedCommand, Question, fresh_prefix};
use crate::random::Rng;
use crate::solver::run::Answer;
use crate::trial::QuestionKind;
use crate::trial::claim::{Claim, ReplyReading};
use crate::trial::reply::{expressions, items};

/// Asks for functions.
pub struct SynthesisQuestion;

/// Arguments of a function that is asked for.
const MAX_ARGUMENTS: usize = 6;
/// Operators with results that the standard leaves open.
const OPEN_OPERATORS: [&str; 10] =
    ["/", "div", "mod", "fp.min", "fp.max", "fp.to_ubv", "fp.to_sbv", "fp.to_real", "seq.nth", "select"];
/// Options that are drawn, one at most.
const SYNTHESIS_OPTIONS: [&str; 6] = [
    ":sygus-si all",
    ":sygus-si none",
    ":sygus-enum fast",
    ":sygus-enum smart",
    ":sygus-repair-const true",
    ":sygus-grammar-cons any-const",
];

impl Question for SynthesisQuestion {
    fn name(&self) -> &'static str {
        "synthesis"
    }

    fn about(&self) -> &'static str {
        "a synthesised function must satisfy its constraints"
    }

    fn kind(&self) -> QuestionKind {
        QuestionKind::Synthesis
    }

    fn commands(&self) -> &'static [&'static str] {
        &["check-synth"]
    }

    fn ask(&self, script: &Script, rng: &mut Rng) -> Option<String> {
        let parts = AssertedParts::of(script)?;
        let arena = script.arena();
        let constants = constants(script);
        let only_constants = |one: &Command| {
            !one.is_declaration()
                || matches!(one, Command::Declare(_, _, parameters, _) if parameters.is_empty())
        };
        let is_open = parts.conjuncts.iter().any(|one| has_open_results(one));
        if is_open || constants.len() > MAX_ARGUMENTS || !script.commands.iter().all(only_constants) {
            return None;
        }
        let &(chosen, result) = rng.choose(&constants)?;
        let name = fresh_prefix(script, "found");
        let others: Vec<&(Symbol, Sort)> = constants.iter().filter(|(one, _)| *one != chosen).collect();
        let formula = conjunction(&parts.conjuncts);
        let arguments: Vec<String> = others.iter().map(|(one, _)| symbol_text(arena, *one)).collect();
        let call = match arguments.is_empty() {
            true => name.clone(),
            false => format!("({name} {})", arguments.join(" ")),
        };
        let replaced = replaced(&formula, &symbol_text(arena, chosen), &call)?;
        let mut text = String::from("(set-option :sygus true)\n");
        if rng.chance(1, 2) {
            text.push_str(&format!("(set-option {})\n", rng.choose(&SYNTHESIS_OPTIONS)?));
        }
        text.push_str("(set-logic ALL)\n");
        for (one, sort) in &constants {
            text.push_str(&format!(
                "(declare-var {} {})\n",
                symbol_text(arena, *one),
                sort_text(arena, *sort)
            ));
        }
        let parameters: Vec<String> = others
            .iter()
            .map(|(one, sort)| format!("({} {})", symbol_text(arena, *one), sort_text(arena, *sort)))
            .collect();
        let result = sort_text(arena, result);
        text.push_str(&format!("(synth-fun {name} ({}) {result})\n", parameters.join(" ")));
        Some(text + &format!("(constraint (=> {formula} {replaced}))\n(check-synth)\n"))
    }

    fn read(&self, asked: &AskedCommand<'_>) -> ReplyReading {
        let solutions = items(asked.reply);
        if solutions.is_empty() || !solutions.iter().all(|one| one.starts_with("(define-fun ")) {
            return ReplyReading::unclear("it finds no function");
        }
        let arena = asked.script.arena();
        let plain = |wanted: &'static str| {
            asked.script.commands[..asked.place].iter().filter_map(move |command| match command {
                Command::Plain(name, text) if arena.text(*name) == wanted => Some(arena.text(*text)),
                _ => None,
            })
        };
        // A grammar restricts the solution; the rest of a declaration is that of the definition.
        let has_all = plain("synth-fun").all(|declared| {
            let name = expressions(declared).first().copied().unwrap_or_default();
            solutions.iter().any(|solution| items(solution).get(1) == Some(&name))
        });
        let constraints: Vec<String> = plain("constraint").map(str::to_owned).collect();
        if !has_all || constraints.is_empty() {
            return ReplyReading::unclear("it does not define every function");
        }
        if constraints.iter().any(|one| has_open_results(one)) || has_open_results(asked.reply) {
            return ReplyReading::unclear("the standard leaves results open");
        }
        let variables: String = asked.script.commands[..asked.place]
            .iter()
            .filter_map(|command| match command {
                Command::Declare(Word::DeclareVar, name, _, sort) => Some(format!(
                    "(declare-const {} {})\n",
                    symbol_text(arena, *name),
                    sort_text(arena, *sort)
                )),
                _ => None,
            })
            .collect();
        ReplyReading::Claims(vec![Claim {
            text: format!(
                "{variables}{}\n(assert (not {}))\n(check-sat)\n",
                solutions.join("\n"),
                conjunction(&constraints)
            ),
            answer: Answer::Unsat,
            otherwise: format!("its function {} violates the constraints", shown(asked.reply)),
        }])
    }
}

/// Returns true if a text has an operator with open results.
fn has_open_results(text: &str) -> bool {
    let words = text.split(|c: char| c.is_ascii_whitespace() || c == '(' || c == ')');
    words.into_iter().any(|word| OPEN_OPERATORS.contains(&word))
}

/// A formula with every occurrence of a constant replaced; `None` if the formula binds a variable, which may have its name or that of
/// an argument.
fn replaced(formula: &str, constant: &str, by: &str) -> Option<String> {
    if ["(forall", "(exists", "(let", "(match", "(choice", "(lambda"]
        .iter()
        .any(|binder| formula.contains(binder))
    {
        return None;
    }
    let is_word = |c: char| !c.is_ascii_whitespace() && c != '(' && c != ')';
    let (mut text, mut rest, mut count) = (String::new(), formula, 0);
    while !rest.is_empty() {
        let is_quoted = rest.starts_with(['"', '|']);
        let end = match rest.chars().next() {
            Some(quote @ ('"' | '|')) => rest[1..].find(quote).map_or(rest.len(), |end| end + 2),
            Some(first) if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => 1,
        };
        let (word, after) = rest.split_at(end);
        let is_constant = word == constant && (!is_quoted || word.starts_with('|'));
        count += usize::from(is_constant);
        text.push_str(if is_constant { by } else { word });
        rest = after;
    }
    (count > 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::{asked, reading};

    const SYNTHESIS_SEED: &str = "(set-logic QF_LIA)(declare-const x Int)(declare-const z Int)(assert (> (* 2 z) x))(assert (< z (+ x 9)))(check-sat)";

    #[test]
    fn a_constant_becomes_a_function_of_the_others() {
        let made: Vec<String> =
            (0..20).filter_map(|seed| asked(&SynthesisQuestion, SYNTHESIS_SEED, seed)).collect();
        let expected = "(synth-fun found ((x Int)) Int)\n(constraint (=> (and (> (* 2 z) x) (< z (+ x 9))) \
            (and (> (* 2 (found x)) x) (< (found x) (+ x 9)))))\n(check-synth)\n";
        assert!(made.iter().any(|text| text.ends_with(expected)), "{made:?}");
        let bound = "(declare-const x Int)(assert (exists ((y Int)) (< x y)))(check-sat)";
        assert_eq!(asked(&SynthesisQuestion, bound, 1), None);
    }

    #[test]
    fn a_function_must_satisfy_the_constraints() {
        let text = "(declare-var x Int)(synth-fun f ((a Int)) Int)(constraint (> (f x) x))(constraint (< (f x) (+ x 9)))(check-synth)";
        let reply = "((define-fun f ((a Int)) Int (+ a 1)))";
        let ReplyReading::Claims(claims) = reading(&SynthesisQuestion, text, Answer::Unknown, reply) else {
            panic!()
        };
        let expected = "(declare-const x Int)\n(define-fun f ((a Int)) Int (+ a 1))\n\
            (assert (not (and (> (f x) x) (< (f x) (+ x 9)))))\n(check-sat)\n";
        assert_eq!((claims[0].text.as_str(), claims[0].answer), (expected, Answer::Unsat));
        let open = "((define-fun f ((a Int)) Int (div 9 a)))";
        for reply in ["infeasible", "fail", "((define-fun g ((a Int)) Int (+ a 1)))", open] {
            assert!(
                matches!(reading(&SynthesisQuestion, text, Answer::Unknown, reply), ReplyReading::Unclear(_)),
                "{reply}"
            );
        }
    }

    #[test]
    fn a_name_is_replaced_where_it_is_a_word() {
        assert_eq!(replaced("(< z (+ zz z))", "z", "(f x)").as_deref(), Some("(< (f x) (+ zz (f x)))"));
        assert_eq!(replaced("(= \"z\" |z z|)", "z", "(f x)"), None);
        assert_eq!(replaced("(= 1 |z z|)", "|z z|", "(f x)").as_deref(), Some("(= 1 (f x))"));
    }
}
