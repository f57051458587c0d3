//! Finds the operators of the theories by name and applies them to values as they associate.

use rustc_hash::FxHashMap;

use super::evaluator::{EvalFrame, Evaluator, FrameState, FrameStep, unknown};
use super::{ALL_OPERATORS, EvalResult, Operator, OperatorCall, Undecided};
use crate::arena::Arena;
use crate::parse::model::CODATA_NAME;
use crate::signature::Associativity;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Term, TermView};
use crate::value::{BitVec, Value};

impl Evaluator<'_> {
    /// Applies an operator whose arguments all have values.
    pub(super) fn operate(&mut self, term: Term, base: usize, head: Head<'_>) -> FrameStep {
        if let Some(next) = self.datatype_operation(base, head) {
            return next;
        }
        let sort = self.arena.sort_of(term);
        if let Some(next) = self.function_operation(base, head, sort) {
            return next;
        }
        let arguments = self.take_values(base);
        if let Some(value) = self.named_value(head, sort) {
            return FrameStep::Done(Ok(value));
        }
        if head.symbol == Symbol::CONST {
            return FrameStep::Done(self.constant_array(sort, &arguments));
        }
        let Some(&(operator, associativity)) = self.operators.get(&head.symbol) else {
            let shown = crate::print::head_text(self.arena, head);
            return FrameStep::Done(Err(Undecided::Unknown(format!("the operator {shown}").into())));
        };
        if associativity == Some(Associativity::Left) && arguments.len() > 2 {
            let mut arguments = arguments;
            let first = arguments.remove(0);
            return self.fold_left(term, first, arguments);
        }
        let mut call = self.use_of(head, sort);
        match fold(&mut call, operator, associativity, &arguments) {
            Err(undecided @ Undecided::Unspecified(_)) => self.model_result(head, arguments, sort, undecided),
            answer => FrameStep::Done(answer),
        }
    }

    /// The value, of this sort, of an operator without indices for these arguments.
    pub(super) fn operated_on(&mut self, operator: Symbol, arguments: &[Value], sort: Sort) -> EvalResult {
        let Some(&(function, associativity)) = self.operators.get(&operator) else {
            let shown = self.arena.text(operator);
            return Err(Undecided::Unknown(format!("the operator {shown}").into()));
        };
        let mut call = self.use_of(Head::plain(operator), sort);
        if associativity == Some(Associativity::Left) && arguments.len() > 2 {
            let mut rest = arguments.iter();
            let first = rest.next().cloned().ok_or_else(|| call.unexpected())?;
            return rest.try_fold(first, |total, next| function(&mut call, &[total, next.clone()]));
        }
        fold(&mut call, function, associativity, arguments)
    }

    fn use_of<'b>(&'b mut self, head: Head<'b>, sort: Sort) -> OperatorCall<'b> {
        let (name, indices, bytes) = (head.symbol, head.indices, self.budget.bytes / 10);
        OperatorCall { arena: self.arena, name, indices, sort, bytes, regexes: &mut self.regexes }
    }

    /// `(f a b c)` as `(f (f a b) c)`; the model defines results that the standard leaves open.
    pub(super) fn fold_left(&mut self, term: Term, mut total: Value, rest: Vec<Value>) -> FrameStep {
        let TermView::Application(head, _) = self.arena.view(term) else { return unknown("an operator") };
        let Some(&(operator, _)) = self.operators.get(&head.symbol) else { return unknown("an operator") };
        let sort = self.arena.sort_of(term);
        let mut rest = rest.into_iter();
        while let Some(next) = rest.next() {
            let mut pair = vec![total, next];
            match operator(&mut self.use_of(head, sort), &pair) {
                Ok(value) => total = value,
                Err(undecided @ Undecided::Unspecified(_)) => {
                    let (base, scopes) = (self.answers.len(), self.scopes.len());
                    self.frames.last_mut().expect("the frame of the operator").state =
                        FrameState::Fold(rest.collect());
                    self.frames.push(EvalFrame {
                        term,
                        base,
                        scopes,
                        state: FrameState::Parts,
                        is_helper: true,
                    });
                    return self.model_result(head, std::mem::take(&mut pair), sort, undecided);
                }
                undecided => return FrameStep::Done(undecided),
            }
        }
        FrameStep::Done(Ok(total))
    }

    /// `(_ bv5 8)`, and cvc5's `(as @a S)` and `cbv_S_0`.
    fn named_value(&self, head: Head<'_>, sort: Sort) -> Option<Value> {
        let text = self.arena.text(head.symbol);
        match head.indices {
            [width] if text.starts_with("bv") => {
                let digits = text[2..].parse().ok()?;
                Some(Value::BitVec(BitVec::new(width.numeral()?, digits)))
            }
            [] if text.starts_with("ff") && head.qualifier.is_some() => {
                let view = self.arena.view_sort(self.arena.canonical(sort));
                let order = view.indices.first()?.numeral().filter(|_| view.head == Symbol::FINITE_FIELD)?;
                super::finite_fields::named(text, order)
            }
            [] if text.starts_with(CODATA_NAME) && self.model.is_codatatype(sort) => {
                let index = text.rsplit('_').next()?.parse().ok()?;
                Some(Value::codata_above(index, sort))
            }
            [] if text.starts_with('@') => {
                let is_element = sort != Sort::UNKNOWN
                    && self.model.is_uninterpreted(sort)
                    && self.model.may_have_element(sort, head.symbol);
                (is_element || head.qualifier.is_none()).then_some(Value::Abstract(head.symbol))
            }
            _ => None,
        }
    }
}

/// Applies an operator to its arguments, and to more than two as it associates; left-associative ones use `fold_left`.
fn fold(
    call: &mut OperatorCall<'_>,
    operator: Operator,
    associativity: Option<Associativity>,
    arguments: &[Value],
) -> EvalResult {
    let Some(associativity) = associativity.filter(|_| arguments.len() > 2) else {
        return operator(call, arguments);
    };
    match associativity {
        Associativity::Left => Err(call.unexpected()),
        Associativity::Right => {
            let (last, before) = arguments.split_last().expect("there are three or more");
            let mut total = last.clone();
            for next in before.iter().rev() {
                total = operator(call, &[next.clone(), total])?;
            }
            Ok(total)
        }
        Associativity::Chainable | Associativity::Pairwise => {
            for pair in arguments.windows(2) {
                if operator(call, pair)? == Value::Bool(false) {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        }
    }
}

/// The operators by the symbols of an arena.
pub(super) fn operators(arena: &Arena) -> FxHashMap<Symbol, (Operator, Option<Associativity>)> {
    let signature = arena.signature();
    let mut all = FxHashMap::default();
    for (name, operator) in ALL_OPERATORS.iter().copied().flatten() {
        // Scripts and models may declare other names.
        if let Some(symbol) = arena.find_symbol(name).filter(|&symbol| signature.is_operator(symbol)) {
            let associativity = signature.ranks_of(symbol).iter().find_map(|rank| rank.associativity);
            all.insert(symbol, (*operator, associativity));
        }
    }
    for (other, symbol) in signature.synonyms() {
        if let Some(&(operator, _)) = all.get(&symbol).filter(|_| !all.contains_key(&other)) {
            let associativity = signature.ranks_of(other).iter().find_map(|rank| rank.associativity);
            all.insert(other, (operator, associativity));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;

    #[test]
    fn synonyms_of_the_tables_are_evaluated() {
        let arena = Arena::new(&Signature::standard());
        let known = operators(&arena);
        for name in ["bv2nat", "int2bv", "str.to-int", "seq.len", "seq.in.re", "re.empty", "fp.to_ubv_I", "~"]
        {
            assert!(known.contains_key(&arena.find_symbol(name).unwrap()), "{name}");
        }
        let rows = ALL_OPERATORS.iter().copied().flatten().map(|(name, _)| *name);
        let synonyms: Vec<&str> = arena.signature().synonyms().map(|(other, _)| arena.text(other)).collect();
        let repeated: Vec<&str> = rows.filter(|name| synonyms.contains(name)).collect();
        // z3 has these on arrays; the names are also CVC4's for operators on sets.
        assert_eq!(repeated, ["union", "intersection", "setminus", "complement", "subset"]);
    }
}
