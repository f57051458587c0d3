//! The queries of a script: one per `check-sat`.
//!
//! A script with `push` and `pop` has several queries, each with the assertions and declarations in force at its own
//! place:
//!
//! ```text
//! (push) (assert a) (check-sat) (pop) (assert b) (check-sat)      queries {a}, then {b}
//! ```

use crate::arena::Arena;
use crate::command::{Command, DatatypeDeclaration, DatatypesForm, Definition, Word};
use crate::eval::{EvalBudget, Evaluator};
use crate::model::Model;
use crate::recursion;
use crate::script::Script;
use crate::symbol::Symbol;
use crate::term::{Term, TermView};
use crate::theory_view::TheoryView;

/// The budget for one value of a recursive function.
const SOLUTION_BUDGET: EvalBudget = EvalBudget { steps: 100_000, bytes: 16 << 20 };

/// One `check-sat` of a script, with the declarations and assertions in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SatQuery {
    /// The index of its command; one past the last for a script without `check-sat`.
    pub command: usize,
    /// The indices of the commands that declare and define the names in scope.
    pub declarations: Vec<usize>,
    /// The asserted terms.
    pub assertions: Vec<Term>,
    /// The terms of a `check-sat-assuming`.
    pub assumptions: Vec<Term>,
}

impl SatQuery {
    /// The recursive definitions in scope that may restrict the models: those of which nothing shows that they have a solution.
    ///
    /// Such a definition is an axiom, used or not, and may have no solution: `(define-fun-rec b () Bool (not b))`. One whose calls get smaller
    /// arguments has a solution whatever else is asserted.
    pub fn restricting_definitions<'s>(&self, script: &'s Script) -> Vec<RecursiveDefinitions<'s>> {
        let commands = self.declarations.iter().map(|&place| (place, &script.commands[place]));
        let mut recursive = commands.filter_map(|(place, command)| match command {
            Command::Define(Word::DefineFunRec, definition) => {
                Some(RecursiveDefinitions { place, definitions: std::slice::from_ref(&**definition) })
            }
            Command::DefineFunsRec(definitions) => Some(RecursiveDefinitions { place, definitions }),
            _ => None,
        });
        let Some(first) = recursive.next() else { return Vec::new() };
        let datatypes = self.datatypes(script);
        let is_shadowed = declares_an_operator(script);
        let may_restrict = |one: &RecursiveDefinitions<'_>| {
            is_shadowed || !recursion::is_well_founded(script.arena(), &datatypes, one.definitions)
        };
        std::iter::once(first).chain(recursive).filter(may_restrict).collect()
    }

    /// A function in scope that is defined by its own values, if neither the definition nor the model shows that such a function exists.
    ///
    /// If this returns a function, an assignment that makes all assertions true does not prove that the query is satisfiable. Functions
    /// with few arguments are evaluated at all of them: values everywhere are a solution.
    pub fn unsolved_definition(&self, script: &Script, model: &Model) -> Option<Symbol> {
        let restricting = self.restricting_definitions(script);
        let mut definitions = restricting.iter().flat_map(|group| group.called(script.arena()));
        let mut evaluator = Evaluator::new(model, SOLUTION_BUDGET);
        definitions.find(|&call| !evaluator.has_all_values(call)).and_then(|call| {
            match script.arena().view(call) {
                TermView::Application(head, _) => Some(head.symbol),
                _ => None,
            }
        })
    }

    /// The formulas that are asserted or denied outright, each with the truth value that it must have: by conjunctions and
    /// negations alone.
    ///
    /// ```
    /// use gainsay_smt::{Script, Signature, sat_queries};
    ///
    /// let text = "(declare-const a Bool)(declare-const b Bool)(assert (and a (not (! b :named n))))(check-sat)";
    /// let script = Script::parse(text, &Signature::standard())?;
    /// let values: Vec<bool> = sat_queries(&script)[0].literals(&script).iter().map(|(_, value)| *value).collect();
    /// assert_eq!(values, [true, true, true, false, false]);
    /// # Ok::<(), gainsay_smt::Error>(())
    /// ```
    pub fn literals(&self, script: &Script) -> Vec<(Term, bool)> {
        let terms = TheoryView::new(script.arena(), script.declared_functions());
        let mut literals = Vec::new();
        let mut open: Vec<(Term, bool)> =
            self.assertions.iter().chain(&self.assumptions).rev().map(|&term| (term, true)).collect();
        while let Some((term, value)) = open.pop() {
            match terms.view(term) {
                TermView::Annotated(_, parts) => open.extend(parts.first().map(|&inner| (inner, value))),
                TermView::Application(head, &[inner]) if head.symbol == Symbol::NOT => {
                    open.push((inner, !value));
                }
                TermView::Application(head, parts) if head.symbol == Symbol::AND && value => {
                    open.extend(parts.iter().rev().map(|&part| (part, true)));
                }
                TermView::Application(head, parts) if head.symbol == Symbol::OR && !value => {
                    open.extend(parts.iter().rev().map(|&part| (part, false)));
                }
                _ => {}
            }
            literals.push((term, value));
        }
        literals
    }

    /// The datatypes in scope. The values of codatatypes can have infinitely many parts, so they are not among them.
    fn datatypes<'s>(&self, script: &'s Script) -> Vec<&'s DatatypeDeclaration> {
        let declared = self.declarations.iter().filter_map(|&place| match &script.commands[place] {
            Command::DeclareDatatypes(
                DatatypesForm::Single | DatatypesForm::Many | DatatypesForm::Old,
                datatypes,
            ) => Some(datatypes),
            _ => None,
        });
        declared.flat_map(|datatypes| datatypes.iter()).collect()
    }
}

/// Definitions that may use each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecursiveDefinitions<'s> {
    /// The index of their command.
    pub place: usize,
    definitions: &'s [Definition],
}

impl RecursiveDefinitions<'_> {
    /// One call in the bodies for each of the functions that are called there.
    fn called(&self, arena: &Arena) -> Vec<Term> {
        let mut names: Vec<Symbol> = self.definitions.iter().map(|definition| definition.name).collect();
        let bodies = self.definitions.iter().map(|definition| definition.body);
        let is_new_call = |term: &Term| match arena.view(*term) {
            TermView::Application(head, _) => match names.iter().position(|name| *name == head.symbol) {
                Some(place) => {
                    names.swap_remove(place);
                    true
                }
                None => false,
            },
            _ => false,
        };
        arena.reachable(bodies).filter(is_new_call).collect()
    }
}

/// Returns true if a script declares a function by the name of an operator from which the descent of a recursion may be read: one of
/// the standard, or a tester.
fn declares_an_operator(script: &Script) -> bool {
    let arena = script.arena();
    let is_tester = |name| name == Symbol::IS || arena.text(name).starts_with("is-");
    let is_operator = |name| arena.signature().is_standard_operator(name) || is_tester(name);
    script.declared_functions().into_iter().any(is_operator)
}

/// The queries of a script, in order. A script without `check-sat` is queried at its end.
///
/// ```
/// use gainsay_smt::{Script, Signature, sat_queries};
///
/// let text = "(declare-const a Bool)(push)(assert a)(check-sat)(pop)(check-sat)";
/// let script = Script::parse(text, &Signature::standard())?;
/// let counts: Vec<usize> = sat_queries(&script).iter().map(|query| query.assertions.len()).collect();
/// assert_eq!(counts, [1, 0]);
/// # Ok::<(), gainsay_smt::Error>(())
/// ```
pub fn sat_queries(script: &Script) -> Vec<SatQuery> {
    let mut state = AssertionStack::default();
    let mut found = Vec::new();
    for (place, command) in script.commands.iter().enumerate() {
        match command {
            Command::Terms(Word::CheckSatAssuming | Word::GetTimeoutCoreAssuming, terms) => {
                found.push(state.check(place, terms));
            }
            command if script.is_check(command) => found.push(state.check(place, &[])),
            Command::Exit | Command::Unreached(_) => break,
            _ => state.follow(script, place, command),
        }
    }
    if found.is_empty() {
        found.push(state.check(script.commands.len(), &[]));
    }
    found
}

/// The assertion stack of SMT-LIB: the declarations and assertions in force.
#[derive(Default)]
struct AssertionStack {
    declarations: Vec<usize>,
    assertions: Vec<Term>,
    /// For each level, the number of declarations and assertions when it began.
    levels: Vec<(usize, usize)>,
    has_global_declarations: bool,
}

impl AssertionStack {
    fn check(&self, command: usize, assumptions: &[Term]) -> SatQuery {
        SatQuery {
            command,
            declarations: self.declarations.clone(),
            assertions: self.assertions.clone(),
            assumptions: assumptions.to_vec(),
        }
    }

    fn follow(&mut self, script: &Script, place: usize, command: &Command) {
        match command {
            Command::Term(Word::Assert, term, _) => {
                self.assertions.push(*term);
                // An assertion may declare names by `:named`.
                self.declarations.push(place);
            }
            Command::Push(levels) => {
                let mark = (self.declarations.len(), self.assertions.len());
                // A short script can push billions of levels; all levels that begin here end alike.
                let count = levels.unwrap_or(1).min(1 << 16);
                self.levels.extend(std::iter::repeat_n(mark, count as usize));
            }
            Command::Pop(levels) => {
                for _ in 0..levels.unwrap_or(1).min(1 << 16) {
                    self.pop();
                }
            }
            Command::ResetAssertions => {
                self.levels.clear();
                self.assertions.clear();
                if !self.has_global_declarations {
                    self.declarations.clear();
                }
            }
            Command::Reset => *self = AssertionStack::default(),
            Command::Plain(name, text) => self.option(script, *name, *text),
            command if command.is_declaration() => self.declarations.push(place),
            _ => {}
        }
    }

    fn pop(&mut self) {
        let Some((declarations, assertions)) = self.levels.pop() else { return };
        self.assertions.truncate(assertions);
        if !self.has_global_declarations {
            self.declarations.truncate(declarations);
        }
    }

    fn option(&mut self, script: &Script, name: Symbol, text: Symbol) {
        let (name, text) = (script.arena().text(name), script.arena().text(text));
        if name == "set-option" && text.starts_with(":global-declarations") {
            self.has_global_declarations = text.ends_with("true");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;
    use crate::print::term_text;

    /// Checks that a definition may restrict models, or does not.
    fn check_restricts(text: &str, restricts: bool) {
        let list = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-codatatypes ((S 0)) (((more (rest S)))))";
        let script = Script::parse(&format!("{list}{text}"), &Signature::standard()).unwrap();
        let restricting = sat_queries(&script)[0].restricting_definitions(&script);
        assert_eq!(!restricting.is_empty(), restricts, "{text}");
    }

    #[test]
    fn recursion_over_smaller_arguments_restricts_nothing() {
        for text in [
            "(define-fun-rec f ((l L)) Int (ite ((_ is cons) l) (+ 1 (f (tail l))) 0))",
            "(define-fun-rec f ((l L)) Int (ite (= l nil) 0 (+ 1 (f (tail l)))))",
            "(define-fun-rec f ((l L)) Int (match l ((nil 0) ((cons h t) (+ h (f t))))))",
            "(define-fun-rec f ((x Int) (l L)) Bool (and ((_ is cons) l) (let ((t (tail l))) (f (+ x 1) t))))",
            "(define-fun-rec f ((l L)) Bool (=> (not (= nil l)) (or (= l nil) (f (tail l)))))",
            "(define-fun-rec f ((l L)) Int (ite (and (not (= l nil)) (not (= (tail l) nil))) (f (tail (tail l))) 0))",
            "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 1 (* x (f (- x 1)))))",
            "(define-fun-rec f ((x Int)) Int (ite (> 9 x) (f (+ 2 x)) x))",
            "(define-funs-rec ((e ((x Int)) Bool) (o ((x Int)) Bool)) ((or (< x 1) (o (- x 1))) (and (> x 0) (e (- x 1)))))",
            "(define-fun-rec f ((x Int)) Int (+ x 1))",
        ] {
            check_restricts(text, false);
        }
    }

    #[test]
    fn recursion_that_may_go_on_for_ever_restricts() {
        for text in [
            "(define-fun-rec b () Bool (not b))",
            "(define-funs-rec ((b () Bool) (c () Bool)) ((not c) b))",
            // The tail of nil may be nil.
            "(define-fun-rec f ((l L)) Bool (not (f (tail l))))",
            "(define-fun-rec f ((l L)) Int (ite ((_ is nil) l) (+ 1 (f (tail l))) 0))",
            "(define-fun-rec f ((l L)) Int (ite ((_ is cons) l) (+ 1 (f (tail (tail l)))) 0))",
            "(define-fun-rec f ((l L)) Int (ite ((_ is cons) l) (+ 1 (f l)) 0))",
            "(define-fun-rec f ((l L) (m L)) Int (ite ((_ is cons) m) (+ 1 (f (tail l) m)) 0))",
            "(define-fun-rec f ((l L)) Int (ite (forall ((l L)) ((_ is cons) l)) (+ 1 (f (tail l))) 0))",
            "(define-fun-rec f ((l L)) Bool (exists ((m L)) (and ((_ is cons) l) (f m))))",
            "(define-fun-rec f ((l L)) Bool (let ((l (cons 1 l))) (not (f (tail l)))))",
            "(define-fun-rec f ((s S)) Bool (not (f (rest s))))",
            "(define-fun-rec f ((x Int)) Int (ite (= x 0) 1 (* x (f (- x 1)))))",
            "(define-fun-rec f ((x Int)) Int (ite (> x 0) 1 (+ 1 (f (- x 1)))))",
            "(define-fun-rec f ((x Int)) Int (ite (> x 0) (+ 1 (f (- x 0))) 1))",
            "(define-fun-rec f ((x Int)) Int (ite (> x 0) (+ 1 (f (+ x 1))) 1))",
            "(define-fun-rec f ((x Int)) Int (ite (> x 0) (f (- x 1)) (ite (< x 0) (f (+ x 1)) 1)))",
            "(define-fun-rec f ((x Int) (y Int)) Int (ite (>= y (- 3)) (f y (- y 1)) (f x (- y 1))))",
            "(define-funs-rec ((e ((x Int)) Bool) (o ((x Int)) Bool)) ((not (o x)) (e x)))",
            "(declare-fun is-cons (L) Bool)(define-fun-rec f ((l L)) Int (ite (is-cons l) (+ 1 (f (tail l))) 0))",
        ] {
            check_restricts(text, true);
        }
    }

    #[test]
    fn values_at_all_arguments_are_a_solution() {
        let unsolved = |text: &str| {
            let script = Script::parse(text, &Signature::standard()).unwrap();
            let query = &sat_queries(&script)[0];
            let model = Model::empty(&script, query);
            query.unsolved_definition(&script, &model).map(|name| script.arena().text(name).to_owned())
        };
        let down = "(define-fun-rec f ((x (_ BitVec 3))) Bool (or (= x #b000) (f (bvsub x #b001))))";
        assert_eq!(unsolved(down), None);
        assert_eq!(unsolved(&down.replace("#b001", "#b000")), Some("f".to_owned()));
        assert_eq!(unsolved("(define-fun-rec b () Bool (or true b))"), None);
        assert_eq!(unsolved("(define-fun-rec b () Bool (not b))"), Some("b".to_owned()));
        assert_eq!(
            unsolved(
                "(define-funs-rec ((f ((x Bool)) Bool) (g ((x Bool)) Bool)) ((ite x (g false) x) (ite x (f x) true)))"
            ),
            None
        );
        assert_eq!(
            unsolved(
                "(define-fun-rec f ((x (_ BitVec 64))) Bool (or (= x (_ bv0 64)) (f (bvsub x (_ bv1 64)))))"
            ),
            Some("f".to_owned())
        );
    }

    /// The assertions and assumptions of each query of a script.
    fn asked(text: &str) -> Vec<String> {
        let text = format!("(declare-const a Bool)(declare-const b Bool){text}");
        let script = Script::parse(&text, &Signature::standard()).unwrap();
        let show = |terms: &[Term]| {
            let terms: Vec<String> = terms.iter().map(|&term| term_text(script.arena(), term)).collect();
            terms.join(" ")
        };
        sat_queries(&script)
            .iter()
            .map(|c| format!("{}/{}", show(&c.assertions), show(&c.assumptions)))
            .collect()
    }

    #[test]
    fn every_query_has_the_assertions_in_force() {
        assert_eq!(asked("(push)(assert a)(check-sat)(pop)(assert b)(check-sat)"), ["a/", "b/"]);
        assert_eq!(asked("(assert a)(push 2)(assert b)(pop 1)(check-sat)(pop)(check-sat)"), ["a/", "a/"]);
        assert_eq!(asked("(assert a)(check-sat-assuming (b (not b)))(check-sat)"), ["a/b (not b)", "a/"]);
        assert_eq!(asked("(assert a)(check-sat-using smt)(assert b)(check-sat-using qfbv)"), ["a/", "a b/"]);
        assert_eq!(asked("(assert a)(get-timeout-core)(get-timeout-core-assuming (b))"), ["a/", "a/b"]);
    }

    #[test]
    fn a_script_without_check_sat_is_queried_at_its_end() {
        assert_eq!(asked("(assert a)(assert b)"), ["a b/"]);
    }

    #[test]
    fn declarations_end_with_their_level_unless_they_are_global() {
        let count = |text: &str| {
            let script = Script::parse(text, &Signature::standard()).unwrap();
            sat_queries(&script)[0].declarations.len()
        };
        assert_eq!(count("(push)(declare-const a Bool)(pop)(check-sat)"), 0);
        assert_eq!(
            count("(set-option :global-declarations true)(push)(declare-const a Bool)(pop)(check-sat)"),
            1
        );
    }
}
