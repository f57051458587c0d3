//! Simplifies quantifiers: drops, merges and instantiates variables; skolemises existential assertions.
//!
//! ```text
//! (forall ((x Int) (y Int)) (< x 0))        becomes   (forall ((x Int)) (< x 0))
//! (forall ((x Int)) (< x 0))                becomes   (< 0 0)
//! (assert (exists ((x Int)) (< x 0)))       becomes   (declare-const x Int) (assert (< x 0))
//! ```

use gainsay_smt::substitute::Substitution;
use gainsay_smt::{Arena, Binder, Command, Head, Script, Sort, Symbol, Term, TermView, Variable, Word};
use rustc_hash::FxHashSet;

use super::{Pass, Phase};
use crate::change::ScriptChange;
use crate::contents::{bound_names, terms_of};
use crate::script_view::ScriptView;
use crate::simplest_value::SimplestValues;

/// Simplifies quantifiers.
pub struct SimplifyQuantifiers;

/// Quantified terms whose variables are instantiated, and groups of their variables.
const MAX_QUANTIFIERS: usize = 256;

impl Pass for SimplifyQuantifiers {
    fn name(&self) -> &'static str {
        "simplify-quantifiers"
    }

    fn about(&self) -> &'static str {
        "drops, merges or instantiates quantified variables, skolemises"
    }

    fn phase(&self) -> Phase {
        Phase::Structure
    }

    fn changes(&self, script: &mut Script, _: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let terms = terms_of(script);
        let bound = bound_names(script, &terms);
        let simplest = SimplestValues::of(script, &bound);
        let is_quantified = |term: &Term| {
            matches!(script.arena().view(*term), TermView::Bind(Binder::Forall | Binder::Exists, ..))
        };
        let mut quantified: Vec<Term> = terms.into_iter().filter(is_quantified).collect();
        quantified.reverse();
        let skolem = skolemise(script, &bound);
        let mut editor = QuantifierEditor {
            arena: script.arena_mut(),
            substitution: Substitution::default(),
            simplest: &simplest,
        };
        let unused: Vec<ScriptChange> =
            quantified.iter().filter_map(|&term| editor.without_unused(term)).collect();
        quantified.truncate(MAX_QUANTIFIERS);
        let count: usize =
            quantified.iter().filter_map(|&term| editor.quantifier(term)).map(|parts| parts.1.len()).sum();
        let together = count.div_ceil(MAX_QUANTIFIERS).max(1);
        let mut batches = vec![unused];
        for replacement in [VariableReplacement::Value, VariableReplacement::Constant] {
            batches.push(
                quantified.iter().filter_map(|&term| editor.instantiate_all(term, replacement)).collect(),
            );
        }
        for replacement in
            [VariableReplacement::Value, VariableReplacement::Constant, VariableReplacement::Other]
        {
            let ones =
                quantified.iter().flat_map(|&term| editor.instantiate_some(term, replacement, together));
            batches.extend(one_change_per_term(ones.collect()));
        }
        batches.push(skolem);
        batches
    }
}

/// The term that replaces a variable.
#[derive(Clone, Copy)]
enum VariableReplacement {
    /// The simplest value of its sort.
    Value,
    /// A constant of the script.
    Constant,
    /// Another variable of the same quantifier.
    Other,
}

struct QuantifierEditor<'a> {
    arena: &'a mut Arena,
    substitution: Substitution,
    simplest: &'a SimplestValues,
}

impl QuantifierEditor<'_> {
    fn quantifier(&self, term: Term) -> Option<(Binder, Vec<Variable>, Term)> {
        match self.arena.view(term) {
            TermView::Bind(binder, variables, [body]) => Some((binder, variables.to_vec(), *body)),
            _ => None,
        }
    }

    fn without_unused(&mut self, term: Term) -> Option<ScriptChange> {
        let (binder, variables, body) = self.quantifier(term)?;
        let is_used = |variable: &&Variable| self.substitution.is_free(self.arena, body, variable.name);
        let used: Vec<Variable> = variables.iter().filter(is_used).copied().collect();
        (used.len() < variables.len()).then(|| self.rebind(term, binder, &used, body))
    }

    /// A quantifier over fewer variables, or its body.
    fn rebind(&mut self, term: Term, binder: Binder, variables: &[Variable], body: Term) -> ScriptChange {
        if variables.is_empty() {
            return ScriptChange::ReplaceEverywhere(term, without_annotation(self.arena, body));
        }
        ScriptChange::ReplaceEverywhere(term, self.arena.bind(binder, variables, &[body], Sort::BOOL))
    }

    fn replacement_term(
        &mut self,
        variables: &[Variable],
        number: usize,
        replacement: VariableReplacement,
    ) -> Option<Term> {
        let sort = self.arena.canonical(variables[number].sort);
        match replacement {
            VariableReplacement::Value => self.simplest.value(self.arena, sort),
            VariableReplacement::Constant => self.simplest.constant(self.arena, sort),
            VariableReplacement::Other => {
                let same = |other: &&Variable| self.arena.canonical(other.sort) == sort;
                let other = *variables[..number].iter().find(same)?;
                Some(self.arena.variable(other))
            }
        }
    }

    fn instantiate_all(&mut self, term: Term, replacement: VariableReplacement) -> Option<ScriptChange> {
        let (binder, variables, body) = self.quantifier(term)?;
        let mut bindings = Vec::new();
        for number in 0..variables.len() {
            bindings.push((variables[number].name, self.replacement_term(&variables, number, replacement)?));
        }
        let body = self.substitution.apply(self.arena, body, &bindings)?;
        Some(self.rebind(term, binder, &[], body))
    }

    /// Replaces each variable alone, or a few together if there are many. Quantifiers over one variable are left to
    /// `instantiate_all`.
    fn instantiate_some(
        &mut self,
        term: Term,
        replacement: VariableReplacement,
        together: usize,
    ) -> Vec<ScriptChange> {
        let Some((binder, variables, body)) = self.quantifier(term) else { return Vec::new() };
        if variables.len() < 2 {
            return Vec::new();
        }
        let mut changes = Vec::new();
        for start in (0..variables.len()).step_by(together) {
            let chosen = start..(start + together).min(variables.len());
            let value = |editor: &mut Self, number: usize| {
                Some((variables[number].name, editor.replacement_term(&variables, number, replacement)?))
            };
            let bindings: Vec<(Symbol, Term)> = chosen.filter_map(|number| value(self, number)).collect();
            let is_bound = |variable: &&Variable| bindings.iter().all(|(name, _)| *name != variable.name);
            let rest: Vec<Variable> = variables.iter().filter(is_bound).copied().collect();
            if bindings.is_empty() || self.replaces_itself(&bindings) {
                continue;
            }
            let Some(body) = self.substitution.apply(self.arena, body, &bindings) else { continue };
            changes.push(self.rebind(term, binder, &rest, body));
        }
        changes
    }

    /// Whether a replacement is a variable that is replaced as well.
    fn replaces_itself(&self, bindings: &[(Symbol, Term)]) -> bool {
        bindings.iter().any(|(_, value)| match self.arena.view(*value) {
            TermView::Variable(name) => bindings.iter().any(|(gone, _)| *gone == name),
            _ => false,
        })
    }
}

/// A body without the patterns of its dropped quantifier.
fn without_annotation(arena: &Arena, body: Term) -> Term {
    match arena.view(body) {
        TermView::Annotated(attributes, [inner, ..])
            if attributes.iter().all(|a| !matches!(a.value, gainsay_smt::AttributeValue::Name(_))) =>
        {
            *inner
        }
        _ => body,
    }
}

/// Splits changes into batches that change every term at most once.
fn one_change_per_term(changes: Vec<ScriptChange>) -> Vec<Vec<ScriptChange>> {
    let mut batches: Vec<Vec<ScriptChange>> = Vec::new();
    let mut counts: rustc_hash::FxHashMap<Term, usize> = rustc_hash::FxHashMap::default();
    for change in changes {
        let ScriptChange::ReplaceEverywhere(old, _) = change else { continue };
        let turn = counts.entry(old).or_default();
        if batches.len() == *turn {
            batches.push(Vec::new());
        }
        batches[*turn].push(change);
        *turn += 1;
    }
    batches
}

/// Replaces the variables of existential assertions by fresh constants.
fn skolemise(script: &mut Script, bound: &FxHashSet<Symbol>) -> Vec<ScriptChange> {
    let mut taken = script.declared_functions();
    let mut substitution = Substitution::default();
    let mut changes = Vec::new();
    for number in 0..script.commands.len() {
        let Command::Term(Word::Assert, term, None) = script.commands[number] else { continue };
        let arena = script.arena_mut();
        let Some((variables, body, is_negated)) = existential(arena, term) else { continue };
        let mut commands = Vec::new();
        let mut bindings = Vec::new();
        for variable in &variables {
            let name = fresh_name(arena, variable.name, &mut taken, bound);
            commands.push(Command::Declare(Word::DeclareConst, name, [].into(), variable.sort));
            let sort = arena.canonical(variable.sort);
            bindings.push((variable.name, arena.application(Head::plain(name), &[], sort)));
        }
        let Some(body) = substitution.apply(arena, body, &bindings) else { continue };
        let body = without_annotation(arena, body);
        let body =
            if is_negated { arena.application(Head::plain(Symbol::NOT), &[body], Sort::BOOL) } else { body };
        commands.push(Command::Term(Word::Assert, body, None));
        changes.push(ScriptChange::ReplaceCommand(number, commands));
    }
    changes
}

/// The variables and body of `(exists …)`, or of `(not (forall …))`, whose body is to be negated.
fn existential(arena: &Arena, term: Term) -> Option<(Vec<Variable>, Term, bool)> {
    match arena.view(term) {
        TermView::Bind(Binder::Exists, variables, [body]) => Some((variables.to_vec(), *body, false)),
        TermView::Application(head, [inner]) if head.symbol == Symbol::NOT => match arena.view(*inner) {
            TermView::Bind(Binder::Forall, variables, [body]) => Some((variables.to_vec(), *body, true)),
            _ => None,
        },
        _ => None,
    }
}

/// The name of the variable if it is free, else a similar one.
fn fresh_name(
    arena: &mut Arena,
    name: Symbol,
    taken: &mut FxHashSet<Symbol>,
    bound: &FxHashSet<Symbol>,
) -> Symbol {
    let theories = arena.signature().symbol_count();
    let text = arena.text(name).to_string();
    let mut candidate = name;
    let mut number = 0;
    while candidate.index() < theories
        || taken.contains(&candidate)
        || (candidate != name && bound.contains(&candidate))
    {
        number += 1;
        candidate = arena.symbol(&format!("{text}{number}"));
    }
    taken.insert(candidate);
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    const TEST_DECLARATIONS: &str = "(declare-fun p (Int Int) Bool)(declare-const c Int)";

    fn check_assertion(before: &str, after: &str) {
        check(
            &SimplifyQuantifiers,
            &format!("{TEST_DECLARATIONS}(assert {before})"),
            &format!("{TEST_DECLARATIONS}(assert {after})"),
        );
    }

    #[test]
    fn unused_variables_are_dropped() {
        check_assertion("(forall ((x Int) (y Int)) (p x x))", "(forall ((x Int)) (p x x))");
        check_assertion("(forall ((x Int)) (! (p 1 2) :pattern ((p 1 2))))", "(p 1 2)");
    }

    #[test]
    fn variables_are_replaced_by_values_constants_and_other_variables() {
        let before = "(exists ((x Int) (y Int)) (p x y))";
        check_assertion(before, "(p 0 0)");
        check_assertion(before, "(p c c)");
        check_assertion(before, "(exists ((y Int)) (p 0 y))");
        check_assertion(before, "(exists ((x Int)) (p x c))");
        check_assertion(before, "(exists ((x Int)) (p x x))");
    }

    #[test]
    fn existential_assertions_are_skolemised() {
        let after = |body: &str| {
            format!("{TEST_DECLARATIONS}(declare-const x Int)(declare-const c1 Int)(assert {body})")
        };
        let before = |assertion: &str| format!("{TEST_DECLARATIONS}(assert {assertion})");
        check(&SimplifyQuantifiers, &before("(exists ((x Int) (c Int)) (p x c))"), &after("(p x c1)"));
        check(
            &SimplifyQuantifiers,
            &before("(not (forall ((x Int) (c Int)) (p x c)))"),
            &after("(not (p x c1))"),
        );
    }

    #[test]
    fn a_script_without_quantifiers_is_left_alone() {
        check_nothing(&SimplifyQuantifiers, &format!("{TEST_DECLARATIONS}(assert (p 1 2))"));
    }
}
