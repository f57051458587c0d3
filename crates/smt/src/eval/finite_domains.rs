//! The values of sorts: all values of a small sort, and a default value for functions that a model omits.

use std::collections::BTreeSet;
use std::sync::Arc;

use dashu_int::UBig;
use rustc_hash::FxHashMap;

use super::codatatypes::CodatatypeSize;
use super::evaluator::Evaluator;
use super::{EvalResult, Undecided};
use crate::float::{Float, Format, RoundingMode, Sign};
use crate::print::sort_text;
use crate::sort::{Sort, SortView};
use crate::symbol::Symbol;
use crate::text::Text;
use crate::value::{Array, BitVec, Indices, Value};

/// The maximal number of values of an enumerated sort.
const MAX_DOMAIN_VALUES: usize = 1 << 12;
/// The maximal nesting of enumerated sorts; a deeper sort counts as infinite.
const MAX_SORT_DEPTH: u32 = 16;

/// The maximal width of bit-vectors and floating-point numbers that a quantifier enumerates one by one.
const MAX_COUNTED_BITS: u32 = 20;

/// All values of a sort, by their number.
#[derive(Clone)]
pub(super) enum FiniteDomain {
    /// Listed values.
    Listed(Arc<[Value]>),
    /// The bit-vectors of a width.
    BitVectors(u32),
    /// The floating-point numbers of a format, NaN more than once.
    Floats(Format),
}

impl FiniteDomain {
    /// The number of values.
    pub fn len(&self) -> usize {
        match self {
            FiniteDomain::Listed(values) => values.len(),
            FiniteDomain::BitVectors(width) => 1 << width,
            FiniteDomain::Floats(format) => 1 << format.width(),
        }
    }

    /// Value number `number`, below [`FiniteDomain::len`].
    pub fn value(&self, number: usize) -> Value {
        match self {
            FiniteDomain::Listed(values) => values[number].clone(),
            FiniteDomain::BitVectors(width) => Value::BitVec(BitVec::new(*width, UBig::from(number))),
            FiniteDomain::Floats(format) => Value::Float(Float::from_bits(*format, &number.into())),
        }
    }
}

/// How many values a sort has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SortSize {
    Finite,
    Infinite,
    /// It has as many as the model gives it, and the model does not list them.
    Unlisted,
}

/// The enumerated sorts.
#[derive(Default)]
pub(super) struct DomainCache {
    known: FxHashMap<Sort, Option<Arc<[Value]>>>,
}

impl Evaluator<'_> {
    /// All values of a sort, if it is small.
    pub(super) fn domain(&mut self, sort: Sort) -> Option<Arc<[Value]>> {
        if let Some(known) = self.domains.known.get(&sort) {
            return known.clone();
        }
        let values = self.list(sort, MAX_SORT_DEPTH).map(Arc::from);
        self.domains.known.insert(sort, values.clone());
        values
    }

    /// All values of a sort, if a quantifier can enumerate them.
    pub(super) fn quantified_domain(&mut self, sort: Sort) -> Option<FiniteDomain> {
        if let Some(values) = self.domain(sort) {
            return Some(FiniteDomain::Listed(values));
        }
        let view = self.arena.view_sort(sort);
        if view.head == Symbol::BITVEC {
            let width = view.indices.first()?.numeral()?;
            return (width <= MAX_COUNTED_BITS).then_some(FiniteDomain::BitVectors(width));
        }
        let format = format_of(view).filter(|format| format.width() <= MAX_COUNTED_BITS);
        format.map(FiniteDomain::Floats)
    }

    /// The name of a sort of a theory; the empty symbol for a sort of the script, which may have the same name.
    fn theory_sort(&self, name: Symbol) -> Symbol {
        if self.model.declares_sort(name) { Symbol::EMPTY } else { name }
    }

    /// How many values a sort has.
    pub(super) fn size_of(&mut self, sort: Sort) -> SortSize {
        self.size_within(sort, MAX_SORT_DEPTH, &mut FxHashMap::default())
    }

    /// Recurses on the depth of the sort, up to the limit, and looks at each sort once: a datatype of many fields of its own sort has
    /// exponentially many paths to that depth. A sort within itself has infinitely many values.
    fn size_within(&mut self, sort: Sort, depth: u32, known: &mut FxHashMap<Sort, SortSize>) -> SortSize {
        if depth == 0 {
            return SortSize::Infinite;
        }
        if let Some(size) = known.get(&sort) {
            return *size;
        }
        known.insert(sort, SortSize::Infinite);
        if self.model.is_codatatype(sort) {
            let size = match self.codatatype_size(sort, depth) {
                CodatatypeSize::One(_) => Some(SortSize::Finite),
                CodatatypeSize::Infinite => Some(SortSize::Infinite),
                CodatatypeSize::Unknown => Some(SortSize::Unlisted),
                CodatatypeSize::Plain => None,
            };
            if let Some(size) = size {
                known.insert(sort, size);
                return size;
            }
        }
        let (model, view) = (self.model, self.arena.view_sort(sort));
        let head = self.theory_sort(view.head);
        let mut of_all = |sorts: &[Sort]| {
            let mut sizes = sorts.iter().map(|&part| self.size_within(part, depth - 1, known));
            sizes.find(|size| *size != SortSize::Finite).unwrap_or(SortSize::Finite)
        };
        let size = match head {
            Symbol::BOOL
            | Symbol::BITVEC
            | Symbol::ROUNDING_MODE
            | Symbol::FLOATING_POINT
            | Symbol::FINITE_FIELD => SortSize::Finite,
            Symbol::ARRAY | Symbol::ARROW | Symbol::SET | Symbol::FINITE_SET => of_all(view.arguments),
            _ if model.is_uninterpreted(sort) => match model.universe(sort) {
                Some(_) => SortSize::Finite,
                None => SortSize::Unlisted,
            },
            _ => match model.constructors_of(sort) {
                Some(constructors) => {
                    let fields: Vec<Sort> = constructors.into_iter().flat_map(|(_, fields)| fields).collect();
                    of_all(&fields)
                }
                None => SortSize::Infinite,
            },
        };
        known.insert(sort, size);
        size
    }

    /// The indices of an array with this index sort.
    pub(super) fn indices(&mut self, sort: Sort) -> Indices {
        if let Some(values) = self.domain(sort) {
            return Indices::Few(values);
        }
        if self.model.is_uninterpreted(sort) || !self.has_known_size(sort) {
            return Indices::Unknown;
        }
        let view = self.arena.view_sort(sort);
        let count = |bits: u32| Indices::Many(1u64.checked_shl(bits).unwrap_or(u64::MAX));
        match view.indices {
            [width] if view.head == Symbol::BITVEC => count(width.numeral().unwrap_or(64)),
            // All NaNs are one value, so there are fewer values than bit patterns, but more than half as many.
            _ => format_of(view).map_or(Indices::Infinite, |format| count(format.width() - 1)),
        }
    }

    /// Recurses on the depth of the sort, up to the limit.
    pub(super) fn list(&mut self, sort: Sort, depth: u32) -> Option<Vec<Value>> {
        let view = self.arena.view_sort(sort);
        match self.theory_sort(view.head) {
            _ if depth == 0 => None,
            Symbol::BOOL => Some(vec![Value::Bool(false), Value::Bool(true)]),
            Symbol::BITVEC => {
                let width = view.indices.first()?.numeral().filter(|&width| width <= 12)?;
                Some(
                    (0..1u32 << width)
                        .map(|bits| Value::BitVec(BitVec::new(width, UBig::from(bits))))
                        .collect(),
                )
            }
            Symbol::ROUNDING_MODE => Some(RoundingMode::ALL.map(Value::RoundingMode).to_vec()),
            Symbol::FLOATING_POINT => {
                let format = format_of(view).filter(|format| format.width() <= 12)?;
                let all = (0..1u32 << format.width())
                    .map(|bits| Value::Float(Float::from_bits(format, &bits.into())));
                Some(all.collect::<BTreeSet<Value>>().into_iter().collect())
            }
            Symbol::ARRAY | Symbol::ARROW => match *view.arguments {
                [index, element] => self.list_arrays(index, element, depth),
                _ => None,
            },
            Symbol::FINITE_FIELD => {
                let order =
                    view.indices.first()?.numeral().filter(|&order| order as usize <= MAX_DOMAIN_VALUES)?;
                Some((0..order).map(|number| Value::Field(order, number)).collect())
            }
            Symbol::SET | Symbol::FINITE_SET => {
                let elements = self.list(*view.arguments.first()?, depth - 1)?;
                subsets(&elements)
            }
            _ if self.model.is_uninterpreted(sort) => {
                let universe = self.model.universe(sort)?;
                Some(universe.iter().map(|&name| Value::Abstract(name)).collect())
            }
            _ if self.model.is_codatatype(sort) => match self.codatatype_size(sort, depth) {
                CodatatypeSize::One(only) => Some(vec![only]),
                CodatatypeSize::Plain => self.list_datatype(sort, depth),
                CodatatypeSize::Infinite | CodatatypeSize::Unknown => None,
            },
            _ => self.list_datatype(sort, depth),
        }
    }

    /// Returns true unless a co-datatype of which the number of values is not known is part of a sort.
    fn has_known_size(&mut self, sort: Sort) -> bool {
        let parts = self.sorts_within(sort);
        parts.into_iter().all(|part| {
            !self.model.is_codatatype(part)
                || !matches!(self.codatatype_size(part, MAX_SORT_DEPTH), CodatatypeSize::Unknown)
        })
    }

    fn list_arrays(&mut self, index: Sort, element: Sort, depth: u32) -> Option<Vec<Value>> {
        let (indices, elements) = (self.list(index, depth - 1)?, self.list(element, depth - 1)?);
        let count = elements.len().checked_pow(u32::try_from(indices.len()).ok()?)?;
        if count > MAX_DOMAIN_VALUES {
            return None;
        }
        let all = Indices::Few(indices.clone().into());
        let array = |mut number: usize| {
            let stores: Vec<(Value, Value)> = (indices.iter())
                .map(|index| {
                    let element = elements[number % elements.len()].clone();
                    number /= elements.len();
                    (index.clone(), element)
                })
                .collect();
            Array::constant(elements[0].clone(), all.clone()).with(stores).into_value()
        };
        Some((0..count).map(array).collect())
    }

    fn list_datatype(&mut self, sort: Sort, depth: u32) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        for (constructor, fields) in self.model.constructors_of(sort)? {
            let mut made: Vec<Vec<Value>> = vec![Vec::new()];
            for field in fields {
                // A recursive datatype is infinite and reaches any depth.
                let choices = self.list(field, depth - 1)?;
                if made.len() * choices.len() > MAX_DOMAIN_VALUES {
                    return None;
                }
                let longer = made.iter().flat_map(|start| {
                    choices.iter().map(move |choice| start.iter().chain([choice]).cloned().collect())
                });
                made = longer.collect();
            }
            for fields in made {
                values.push(self.made(sort, constructor, fields)?);
            }
            if values.len() > MAX_DOMAIN_VALUES {
                return None;
            }
        }
        Some(values)
    }

    /// Some value of a sort.
    pub(super) fn default_value(&mut self, sort: Sort) -> EvalResult {
        self.some_value(sort, MAX_SORT_DEPTH)
            .ok_or_else(|| super::binders::no_default(&sort_text(self.arena, sort)))
    }

    /// Recurses on the depth of the sort, up to the limit.
    fn some_value(&mut self, sort: Sort, depth: u32) -> Option<Value> {
        let view = self.arena.view_sort(sort);
        match self.theory_sort(view.head) {
            _ if depth == 0 => None,
            Symbol::BOOL => Some(Value::Bool(false)),
            Symbol::INT => Some(Value::int(0)),
            Symbol::REAL => Some(Value::Real(dashu_ratio::RBig::ZERO)),
            Symbol::BITVEC => Some(Value::BitVec(BitVec::new(view.indices.first()?.numeral()?, UBig::ZERO))),
            Symbol::ROUNDING_MODE => Some(Value::RoundingMode(RoundingMode::RNE)),
            Symbol::FLOATING_POINT => Some(Value::Float(Float::zero(format_of(view)?, Sign::Positive))),
            Symbol::STRING => Some(Value::Text(Text::new([])?)),
            Symbol::ARRAY | Symbol::ARROW => match *view.arguments {
                [index, element] => {
                    let default = self.some_value(element, depth - 1)?;
                    Some(Array::constant(default, self.indices(index)).into_value())
                }
                _ => None,
            },
            Symbol::FINITE_FIELD => Some(Value::Field(view.indices.first()?.numeral()?, 0)),
            Symbol::SET | Symbol::FINITE_SET => Value::set(BTreeSet::new()),
            head if self.arena.text(head) == "Bag" => Value::bag(std::collections::BTreeMap::new()),
            head if self.arena.text(head) == "Seq" => Some(Value::sequence(Vec::new())),
            _ if self.model.is_uninterpreted(sort) => {
                let named = self.model.universe(sort).and_then(|universe| universe.first().copied());
                Some(Value::Abstract(named.unwrap_or(Symbol::UNKNOWN)))
            }
            _ if self.model.is_codatatype(sort) => self.small_trees(sort, 1).pop(),
            _ => self.some_construct(sort, depth),
        }
    }

    /// A value of the first constructor that stays within the depth.
    fn some_construct(&mut self, sort: Sort, depth: u32) -> Option<Value> {
        let mut constructors = self.model.constructors_of(sort)?;
        constructors.sort_by_key(|(_, fields)| fields.contains(&sort));
        constructors.into_iter().find_map(|(constructor, fields)| {
            let fields: Option<Vec<Value>> =
                fields.into_iter().map(|field| self.some_value(field, depth / 2)).collect();
            self.made(sort, constructor, fields?)
        })
    }

    /// A value of a datatype or a co-datatype.
    fn made(&self, sort: Sort, constructor: Symbol, fields: Vec<Value>) -> Option<Value> {
        match self.model.is_codatatype(sort) {
            true => Value::codata(sort, constructor, fields).ok(),
            false => Some(Value::datatype(constructor, fields)),
        }
    }

    /// `((as const S) value)`
    pub(super) fn constant_array(&mut self, sort: Sort, arguments: &[Value]) -> EvalResult {
        let view = self.arena.view_sort(sort);
        match (view.arguments, arguments) {
            ([index, element], [value]) => {
                let value = self.coerced(Ok(value.clone()), *element)?;
                Ok(Array::constant(value, self.indices(*index)).into_value())
            }
            (_, [value]) => Ok(Array::constant(value.clone(), Indices::Infinite).into_value()),
            _ => Err(Undecided::Unknown("a constant array of these arguments".into())),
        }
    }
}

/// All sets of some values; `None` if they are too many.
pub(crate) fn subsets(values: &[Value]) -> Option<Vec<Value>> {
    let count = 1usize.checked_shl(u32::try_from(values.len()).ok()?)?;
    if count > MAX_DOMAIN_VALUES {
        return None;
    }
    let chosen = |number: usize| {
        let members = values.iter().enumerate().filter(|(place, _)| number >> place & 1 == 1);
        Value::set(members.map(|(_, value)| value.clone()).collect())
    };
    (0..count).map(chosen).collect()
}

/// The format of a floating-point sort.
pub(super) fn format_of(view: SortView<'_>) -> Option<Format> {
    match view.indices {
        [eb, sb] if view.head == Symbol::FLOATING_POINT => {
            Format::new(eb.numeral()?.into(), sb.numeral()?.into())
        }
        _ => None,
    }
}
