//! Builds terms of a script from expressions.

use std::collections::HashMap;
use std::sync::Arc;

use gainsay_smt::{Arena, Head, Index, Literal, Script, Sort, Symbol, Term};
use rustc_hash::FxHashSet;

use super::draw::{self, DrawableDatatypes};
use super::s_expression::SExpression;
use super::sort_bindings::{self, SortBindings};
use super::{FusionFunction, FusionInstance, RESULT_NAME};
use crate::random::Rng;

/// Instantiates a function over terms of a script.
pub fn instance(
    function: &FusionFunction,
    datatypes: &DrawableDatatypes,
    script: &mut Script,
    (arguments, z): (&[Term], Term),
    rng: &mut Rng,
) -> Option<FusionInstance> {
    let arena = script.arena();
    let sorts: Vec<SExpression> = arguments
        .iter()
        .map(|&term| sort_bindings::sort(arena, arena.sort_of(term)))
        .collect::<Option<_>>()?;
    let result = sort_bindings::sort(arena, arena.sort_of(z))?;
    let mut bindings = SortBindings::default();
    let fits = function.binds(&sorts, &mut bindings)
        && function.results_in(&result, &mut bindings)
        && bindings.complete(function, &sorts, rng);
    fits.then_some(())?;
    let constants = constants(function, &bindings, datatypes, rng)?;
    let own = function.own.iter().chain(datatypes.results());
    let declared = script.declared_functions();
    let mut builder = TermBuilder::new(own, &bindings, script.arena_mut())?;
    builder.declared = declared;
    for (parameter, &argument) in function.parameters.iter().zip(arguments) {
        builder.names.insert(&parameter.name, argument);
    }
    for (constant, value) in function.constants.iter().zip(&constants) {
        let value = TermBuilder::literals(builder.arena, &builder.own).term(value)?;
        builder.names.insert(&constant.name, value);
    }
    builder.names.insert(RESULT_NAME, z);
    builder.instance(function, rng)
}

/// The term for a value written with literals and theory operators only.
pub(crate) fn value(arena: &mut Arena, value: &SExpression) -> Option<Term> {
    TermBuilder::literals(arena, &HashMap::new()).term(value)
}

/// Draws a value for each constant.
fn constants(
    function: &FusionFunction,
    bindings: &SortBindings,
    datatypes: &DrawableDatatypes,
    rng: &mut Rng,
) -> Option<Vec<SExpression>> {
    let draw = |constant: &super::SymbolicConstant| {
        draw::constant(&bindings.ground(&constant.sort)?, constant.domain, datatypes, rng)
    };
    function.constants.iter().map(draw).collect()
}

/// Builds terms.
struct TermBuilder<'a> {
    arena: &'a mut Arena,
    bindings: SortBindings,
    names: HashMap<&'a str, Term>,
    /// Functions of the script, by name, with their result sorts.
    own: HashMap<String, Sort>,
    /// Names that the script declares, so that they do not mean theory operators.
    declared: FxHashSet<Symbol>,
    /// Terms built before, by address: expressions share parts.
    built: HashMap<*const SExpression, Term>,
}

impl<'a> TermBuilder<'a> {
    fn new<'b>(
        functions: impl Iterator<Item = &'b (Arc<str>, SExpression)>,
        bindings: &SortBindings,
        arena: &'a mut Arena,
    ) -> Option<TermBuilder<'a>> {
        let mut own = HashMap::new();
        for (name, result) in functions {
            own.insert(unquoted(name).to_owned(), sort(arena, result)?);
        }
        Some(TermBuilder { bindings: bindings.clone(), ..TermBuilder::literals(arena, &own) })
    }

    /// A builder that knows no names except functions of the script.
    fn literals<'b>(arena: &'b mut Arena, own: &HashMap<String, Sort>) -> TermBuilder<'b> {
        let (bindings, own, declared) = (SortBindings::default(), own.clone(), FxHashSet::default());
        TermBuilder { arena, bindings, names: HashMap::new(), own, declared, built: HashMap::new() }
    }

    fn instance(&mut self, function: &FusionFunction, rng: &mut Rng) -> Option<FusionInstance> {
        let result = self.term(&function.body)?;
        let (mut inverses, mut conditions) = (Vec::new(), Vec::new());
        for alternatives in &function.inverses {
            let inverse = rng.choose(alternatives)?;
            inverses.push(self.term(&inverse.term)?);
            conditions.push(match &inverse.condition {
                Some(condition) => Some(self.term(condition)?),
                None => None,
            });
        }
        let mut all: Vec<Term> = Vec::new();
        for &condition in conditions.iter().flatten() {
            if !all.contains(&condition) {
                all.push(condition);
            }
        }
        let condition = match all.len() {
            0 | 1 => all.pop(),
            _ => Some(self.arena.operation(Head::plain(Symbol::AND), &all)?),
        };
        Some(FusionInstance { result, inverses, conditions, condition })
    }

    /// The term for an expression, if it is well-sorted.
    fn term(&mut self, expression: &SExpression) -> Option<Term> {
        match expression {
            SExpression::Word(word) => match self.names.get(&**word) {
                Some(&term) => Some(term),
                None => self.literal(word),
            },
            SExpression::List(items) => {
                if let Some(&term) = self.built.get(&items.as_ptr()) {
                    return Some(term);
                }
                let term = match items.first()? {
                    SExpression::Word(word) if matches!(&**word, "_" | "as") => {
                        self.application(expression, &[])
                    }
                    head => {
                        let arguments: Option<Vec<Term>> =
                            items[1..].iter().map(|item| self.term(item)).collect();
                        self.application(head, &arguments?)
                    }
                }?;
                self.built.insert(items.as_ptr(), term);
                Some(term)
            }
        }
    }

    fn literal(&mut self, word: &str) -> Option<Term> {
        let (literal, sort) = match word.as_bytes() {
            [b'"', ..] => (Literal::String, Sort::STRING),
            [b'#', b'b', digits @ ..] => (Literal::Binary, self.arena.bit_vector(digits.len() as u32)),
            [b'#', b'x', digits @ ..] => {
                (Literal::Hexadecimal, self.arena.bit_vector(4 * digits.len() as u32))
            }
            [b'0'..=b'9', ..] if word.contains('.') => (Literal::Decimal, Sort::REAL),
            [b'0'..=b'9', ..] if self.arena.has_int_numerals() => (Literal::Numeral, Sort::INT),
            [b'0'..=b'9', ..] => return None,
            _ => return self.application(&SExpression::word(word), &[]),
        };
        Some(self.arena.literal(literal, word, sort))
    }

    /// A head, possibly indexed or qualified, applied to terms.
    fn application(&mut self, head: &SExpression, arguments: &[Term]) -> Option<Term> {
        let head = self.bindings.ground(head)?;
        let words = head.items();
        let (name, mut indices, mut qualifier) = (unquoted(head.head()), Vec::new(), None);
        match words.first().and_then(SExpression::as_word) {
            Some("_") => {
                for index in &words[2..] {
                    let word = index.as_word()?;
                    indices.push(match word.parse() {
                        Ok(number) => Index::Numeral(number),
                        Err(_) => Index::Symbol(self.arena.symbol(unquoted(word))),
                    });
                }
            }
            Some("as") => qualifier = Some(sort(self.arena, words.get(2)?)?),
            Some(_) => return None,
            None => {}
        }
        let head = Head { symbol: self.arena.symbol(name), indices: &indices, qualifier };
        if head.symbol == Symbol::IS && !indices.is_empty() {
            return Some(self.arena.application(head, arguments, Sort::BOOL));
        }
        match self.own.get(name) {
            Some(&result) if indices.is_empty() => Some(self.arena.application(head, arguments, result)),
            _ if self.declared.contains(&head.symbol) => None,
            _ => self.arena.operation(head, arguments),
        }
    }
}

/// The sort for an expression.
pub fn sort(arena: &mut Arena, expression: &SExpression) -> Option<Sort> {
    let SExpression::List(items) = expression else {
        let name = arena.symbol(unquoted(expression.as_word()?));
        return Some(arena.sort(name, &[], &[]));
    };
    let (head, arguments) = items.split_first()?;
    if head.as_word() == Some("_") {
        let (name, indices) = arguments.split_first()?;
        let numeral = |index: &SExpression| Some(Index::Numeral(index.as_word()?.parse().ok()?));
        let indices: Vec<Index> = indices.iter().map(numeral).collect::<Option<_>>()?;
        let name = arena.symbol(unquoted(name.as_word()?));
        return Some(arena.sort(name, &indices, &[]));
    }
    let arguments: Vec<Sort> =
        arguments.iter().map(|argument| sort(arena, argument)).collect::<Option<_>>()?;
    let name = arena.symbol(unquoted(head.as_word()?));
    Some(arena.sort(name, &[], &arguments))
}

/// A name without its vertical bars.
fn unquoted(name: &str) -> &str {
    name.strip_prefix('|').and_then(|name| name.strip_suffix('|')).unwrap_or(name)
}
