//! Patterns of sorts and indices: the variables of a rank that an application binds.

use crate::sort::{Index, Sort, SortView, Sorts};
use crate::symbol::Symbol;
use crate::text::MAX_CODE_POINT;

/// The maximal number of sort variables, and of index variables, of a rank.
pub(crate) const MAX_RANK_VARIABLES: usize = 8;

/// A sort with variables.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum SortPattern {
    /// A sort with a fixed id.
    Sort(Sort),
    /// A sort variable of the rank.
    Variable(usize),
    /// A sort constructor with indices and arguments.
    Built { head: Symbol, indices: Vec<IndexPattern>, arguments: Vec<SortPattern> },
}

/// An index with variables.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum IndexPattern {
    /// A hexadecimal, as in `(_ char #x41)`.
    Hexadecimal,
    /// A number; in a parameter it is a numeral or a variable, in a result it may be computed.
    Number(IndexExpression),
}

/// Arithmetic over index variables.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum IndexExpression {
    Numeral(i64),
    Variable(usize),
    Sum(Vec<IndexExpression>),
    Difference(Vec<IndexExpression>),
    Product(Vec<IndexExpression>),
}

/// A condition on index variables.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Condition {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Box<Condition>),
    Compare(Comparison, IndexExpression, IndexExpression),
    /// The number is a prime, or too large to decide.
    Prime(IndexExpression),
}

/// The comparisons of conditions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Comparison {
    Equal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// The values that an application of a rank binds its variables to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Bindings {
    pub sorts: [Option<Sort>; MAX_RANK_VARIABLES],
    pub indices: [Option<i64>; MAX_RANK_VARIABLES],
}

/// Whether an integer may stand where a real is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coercion {
    No,
    IntToReal,
}

/// Returns true if a number is a prime, or needs more than 32 bits.
fn is_prime(number: i64) -> bool {
    let small = u32::try_from(number).is_ok();
    !small || number > 1 && (2..).take_while(|d| d * d <= number).all(|d| number % d != 0)
}

/// A stand-in for a number that needs more than 32 bits, such as the order of a large field: a unique number
/// that is larger than all others.
fn large(spelling: Symbol) -> i64 {
    i64::MAX - i64::from(spelling.0)
}

impl IndexExpression {
    /// The value, unless a variable is unbound or the result is out of range.
    pub fn value(&self, bindings: &Bindings) -> Option<i64> {
        let fold = |items: &[IndexExpression], combine: fn(i64, i64) -> Option<i64>| {
            let mut values = items.iter().map(|item| item.value(bindings));
            let first = values.next()??;
            values.try_fold(first, |total, value| combine(total, value?))
        };
        match self {
            IndexExpression::Numeral(n) => Some(*n),
            IndexExpression::Variable(v) => bindings.indices[*v],
            IndexExpression::Sum(items) => fold(items, i64::checked_add),
            IndexExpression::Difference(items) => fold(items, i64::checked_sub),
            IndexExpression::Product(items) => fold(items, i64::checked_mul),
        }
    }

    /// Marks the variables in it.
    pub fn mark(&self, seen: &mut [bool; MAX_RANK_VARIABLES]) {
        match self {
            IndexExpression::Numeral(_) => {}
            IndexExpression::Variable(v) => seen[*v] = true,
            IndexExpression::Sum(items)
            | IndexExpression::Difference(items)
            | IndexExpression::Product(items) => {
                items.iter().for_each(|item| item.mark(seen));
            }
        }
    }
}

impl Condition {
    /// Returns true if the condition holds; one that cannot be computed does not.
    pub fn holds(&self, bindings: &Bindings) -> bool {
        match self {
            Condition::And(parts) => parts.iter().all(|part| part.holds(bindings)),
            Condition::Or(parts) => parts.iter().any(|part| part.holds(bindings)),
            Condition::Not(part) => !part.holds(bindings),
            Condition::Prime(number) => number.value(bindings).is_some_and(is_prime),
            Condition::Compare(comparison, left, right) => {
                let (Some(left), Some(right)) = (left.value(bindings), right.value(bindings)) else {
                    return false;
                };
                match comparison {
                    Comparison::Equal => left == right,
                    Comparison::Less => left < right,
                    Comparison::AtMost => left <= right,
                    Comparison::Greater => left > right,
                    Comparison::AtLeast => left >= right,
                }
            }
        }
    }
}

impl IndexPattern {
    /// Binds the pattern's variable to an actual index; returns false if it does not fit.
    ///
    /// `text` returns the spelling of a symbolic index.
    pub fn bind<'a>(&self, actual: Index, text: impl Fn(Symbol) -> &'a str, bindings: &mut Bindings) -> bool {
        match (self, actual) {
            (IndexPattern::Hexadecimal, Index::Symbol(symbol)) => {
                let digits = text(symbol).strip_prefix("#x");
                digits
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                    .is_some_and(|code| code <= MAX_CODE_POINT)
            }
            (IndexPattern::Number(IndexExpression::Variable(v)), Index::Numeral(n)) => {
                let n = i64::from(n);
                *bindings.indices[*v].get_or_insert(n) == n
            }
            (IndexPattern::Number(IndexExpression::Variable(v)), Index::Symbol(symbol)) => {
                let n = large(symbol);
                text(symbol).bytes().all(|b| b.is_ascii_digit())
                    && *bindings.indices[*v].get_or_insert(n) == n
            }
            (IndexPattern::Number(IndexExpression::Numeral(m)), Index::Numeral(n)) => *m == i64::from(n),
            _ => false,
        }
    }

    /// The index of a pattern whose variables are bound.
    pub fn instance(&self, bindings: &Bindings) -> Option<Index> {
        match self {
            IndexPattern::Hexadecimal => None,
            IndexPattern::Number(expression) => {
                let value = expression.value(bindings)?;
                match u32::try_from(value) {
                    Ok(number) => Some(Index::Numeral(number)),
                    Err(_) => Some(Index::Symbol(Symbol(u32::try_from(i64::MAX - value).ok()?))),
                }
            }
        }
    }
}

impl SortPattern {
    /// Binds the pattern's variables so that it becomes `actual`; returns false if it does not fit.
    pub fn bind(&self, actual: Sort, coercion: Coercion, sorts: &Sorts, bindings: &mut Bindings) -> bool {
        if actual == Sort::UNKNOWN {
            return true;
        }
        // A bare `nil` is allowed as an argument of a constructor, which determines its sort, and nowhere else.
        if sorts.has_unknown(actual) {
            return false;
        }
        match self {
            SortPattern::Sort(sort) => {
                *sort == actual
                    || coercion == Coercion::IntToReal && *sort == Sort::REAL && actual == Sort::INT
            }
            SortPattern::Variable(v) => {
                let bound = bindings.sorts[*v].get_or_insert(actual);
                match (*bound, actual) {
                    (bound, actual) if bound == actual => true,
                    (Sort::REAL, Sort::INT) => coercion == Coercion::IntToReal,
                    (known, actual) if sorts.can_be(actual, known) => true,
                    (known, actual) if sorts.can_be(known, actual) => {
                        *bound = actual;
                        true
                    }
                    (Sort::INT, Sort::REAL) if coercion == Coercion::IntToReal => {
                        *bound = actual;
                        true
                    }
                    _ => false,
                }
            }
            SortPattern::Built { head, indices, arguments } => {
                self.bind_built(*head, indices, arguments, actual, sorts, bindings)
            }
        }
    }

    fn bind_built(
        &self,
        head: Symbol,
        indices: &[IndexPattern],
        arguments: &[SortPattern],
        actual: Sort,
        sorts: &Sorts,
        bindings: &mut Bindings,
    ) -> bool {
        let view: SortView<'_> = sorts.view(actual);
        // z3 reads a lambda as an array, cvc5 as a function: `(-> A B)` fits where `(Array A B)` is expected.
        let same_head = view.head == head
            || head == Symbol::ARRAY && view.head == Symbol::ARROW
            || head == Symbol::FINITE_SET && view.head == Symbol::SET;
        same_head
            && view.indices.len() == indices.len()
            && view.arguments.len() == arguments.len()
            && indices.iter().zip(view.indices).all(|(p, &a)| p.bind(a, |_| "", bindings))
            && arguments.iter().zip(view.arguments).all(|(p, &a)| p.bind(a, Coercion::No, sorts, bindings))
    }

    /// The sort of a pattern whose variables are bound; `None` if one is unbound or an index is out of range.
    pub fn instance(&self, bindings: &Bindings, sorts: &mut Sorts) -> Option<Sort> {
        match self {
            SortPattern::Sort(sort) => Some(*sort),
            SortPattern::Variable(v) => bindings.sorts[*v],
            SortPattern::Built { head, indices, arguments } => {
                let indices: Option<Vec<Index>> =
                    indices.iter().map(|index| index.instance(bindings)).collect();
                let arguments: Option<Vec<Sort>> =
                    arguments.iter().map(|argument| argument.instance(bindings, sorts)).collect();
                Some(sorts.intern(*head, &indices?, &arguments?))
            }
        }
    }

    /// The pattern as text, for messages, with the numbers that are bound.
    pub fn show(&self, bindings: &Bindings, text: &dyn Fn(Symbol) -> String) -> String {
        let join = |parts: Vec<String>| parts.join(" ");
        match self {
            SortPattern::Sort(sort) => {
                ["?", "Bool", "Int", "Real", "String", "RegLan", "RoundingMode"][sort.index()].into()
            }
            SortPattern::Variable(v) => char::from(b'A' + *v as u8).to_string(),
            SortPattern::Built { head, indices, arguments } if indices.is_empty() && arguments.is_empty() => {
                text(*head)
            }
            SortPattern::Built { head, indices, arguments } if indices.is_empty() => {
                format!(
                    "({} {})",
                    text(*head),
                    join(arguments.iter().map(|a| a.show(bindings, text)).collect())
                )
            }
            SortPattern::Built { head, indices, .. } => {
                let shown = indices.iter().map(|index| match index {
                    IndexPattern::Number(IndexExpression::Numeral(n)) => n.to_string(),
                    IndexPattern::Number(IndexExpression::Variable(v)) => bindings.indices[*v]
                        .map_or_else(|| char::from(b'i' + *v as u8).to_string(), |n| n.to_string()),
                    _ => "…".into(),
                });
                format!("(_ {} {})", text(*head), join(shown.collect()))
            }
        }
    }
}
