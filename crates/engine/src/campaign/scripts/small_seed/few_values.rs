//! A few values of each sort, as terms: what bounds a constant or a variable whose sort has too many.
//!
//! ```text
//! Real                 0.0  1.0  (- 1.0)  0.5
//! (Array Int Bool)     ((as const (Array Int Bool)) false)  (store ((as const (Array Int Bool)) false) 0 true)
//! IntList              nil  (cons 0 nil)  (cons 1 nil)  (cons 0 (cons 1 nil))
//! ```

use std::cell::RefCell;

use gainsay_smt::print::{sort_text, symbol_text};
use gainsay_smt::{Arena, Command, Constructor, DatatypeDeclaration, Index, Script, Sort, SortView, Symbol};
use rustc_hash::FxHashMap;

/// The nesting of sorts that is looked at.
const MAX_SORT_DEPTH: u32 = 6;
/// A sort with more values counts as one with too many.
const MAX_VALUES: u64 = 4096;
/// The same, for a sort of numbers.
const MAX_NUMBERS: u64 = 256;
/// The values of a field that are combined with those of other fields.
const MAX_FIELD_VALUES: usize = 3;

/// The datatypes of a script, whose values can be written down.
pub(super) struct FewValues {
    datatypes: FxHashMap<Symbol, DatatypeDeclaration>,
    /// The values of a sort that were asked for, by the number wanted and the depth left: without them, a datatype whose constructors have
    /// many fields of its own sort would be written down again and again.
    known: RefCell<FxHashMap<(Sort, usize, u32), Vec<String>>>,
}

impl FewValues {
    /// The datatypes of a script; it has one meaning of each name, or the script made from this is not well-sorted.
    pub fn of(script: &Script) -> FewValues {
        let declared = script.commands.iter().filter_map(|command| match command {
            Command::DeclareDatatypes(form, datatypes) if !form.is_codatatype() => Some(datatypes),
            _ => None,
        });
        let datatypes = declared.flat_map(|datatypes| datatypes.iter());
        let datatypes = datatypes.map(|datatype| (datatype.name, datatype.clone())).collect();
        FewValues { datatypes, known: RefCell::default() }
    }

    /// Returns true if exhaustion can enumerate a sort.
    pub fn is_small(&self, arena: &Arena, sort: Sort) -> bool {
        self.count(arena, sort, MAX_SORT_DEPTH).is_some()
    }

    /// The number of values of a sort, if they are few. Recurses on sorts, up to a depth.
    fn count(&self, arena: &Arena, sort: Sort, depth: u32) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let view = arena.view_sort(arena.canonical(sort));
        let numbers = |bits: u32| 2u64.checked_pow(bits).filter(|count| *count <= MAX_NUMBERS);
        let count = match (arena.text(view.head), view.indices, view.arguments) {
            ("Bool", ..) => 2,
            ("RoundingMode", ..) => 5,
            ("BitVec", &[Index::Numeral(width)], _) => numbers(width)?,
            ("FloatingPoint", &[Index::Numeral(exponent), Index::Numeral(significand)], _) => {
                numbers(exponent.checked_add(significand)?)?
            }
            ("FiniteField", &[Index::Numeral(order)], _) => u64::from(order),
            ("Set" | "FiniteSet", _, &[element]) => {
                2u64.checked_pow(u32::try_from(self.count(arena, element, depth)?).ok()?)?
            }
            ("Array", _, &[index, element]) => {
                let indices = u32::try_from(self.count(arena, index, depth)?).ok()?;
                self.count(arena, element, depth)?.checked_pow(indices)?
            }
            _ => {
                let mut total: u64 = 0;
                for (_, fields) in self.constructors(arena, view)? {
                    let mut made: u64 = 1;
                    for field in fields {
                        made = made.checked_mul(self.count(arena, field, depth)?)?;
                    }
                    total = total.checked_add(made)?;
                }
                total
            }
        };
        (count <= MAX_VALUES).then_some(count)
    }

    /// The constructors of a datatype, with the sorts of their fields.
    fn constructors<'a>(
        &'a self,
        arena: &Arena,
        view: SortView<'_>,
    ) -> Option<Vec<(&'a Constructor, Vec<Sort>)>> {
        let datatype = self.datatypes.get(&view.head)?;
        let pairs = datatype.parameters.iter().copied().zip(view.arguments.iter().copied());
        let bindings: Vec<(Sort, Sort)> = pairs.collect();
        let field = |&(_, sort): &(Symbol, Sort)| arena.find_instance(sort, &bindings);
        let fields =
            |constructor: &Constructor| constructor.fields.iter().map(field).collect::<Option<Vec<Sort>>>();
        datatype.constructors.iter().map(|constructor| Some((constructor, fields(constructor)?))).collect()
    }

    /// Some values of a sort, not more than `most`; none if it is not known how to write them.
    pub fn texts(&self, arena: &Arena, sort: Sort, most: usize) -> Vec<String> {
        let mut texts = self.values(arena, sort, most, MAX_SORT_DEPTH);
        texts.truncate(most);
        texts
    }

    /// Recurses on sorts, up to a depth.
    fn values(&self, arena: &Arena, sort: Sort, most: usize, depth: u32) -> Vec<String> {
        let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
        let key = (arena.canonical(sort), most, depth);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let made = self.make_values(arena, key);
        self.known.borrow_mut().insert(key, made.clone());
        made
    }

    fn make_values(&self, arena: &Arena, (sort, most, depth): (Sort, usize, u32)) -> Vec<String> {
        let view = arena.view_sort(sort);
        let plain = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        match (arena.text(view.head), view.indices, view.arguments) {
            ("Bool", ..) => plain(&["false", "true"]),
            ("RoundingMode", ..) => plain(&["RNE", "RTZ", "RTP", "RTN", "RNA"]),
            ("Int", ..) => plain(&["0", "1", "(- 1)", "2", "3"]),
            ("Real", ..) => plain(&["0.0", "1.0", "(- 1.0)", "0.5", "2.0", "(- 0.5)", "3.0"]),
            ("String", ..) => plain(&["\"\"", "\"a\"", "\"b\"", "\"ab\"", "\"0\""]),
            ("BitVec", &[Index::Numeral(width)], _) => bit_vectors(width),
            ("FloatingPoint", &[Index::Numeral(exponent), Index::Numeral(significand)], _) => {
                floats(exponent, significand)
            }
            ("Seq", _, &[element]) => {
                sequences(&sort_text(arena, sort), &self.values(arena, element, most, depth))
            }
            ("Array", _, &[index, element]) => {
                let (indices, elements) =
                    (self.values(arena, index, most, depth), self.values(arena, element, most, depth));
                arrays(&sort_text(arena, sort), &indices, &elements)
            }
            _ => self.constructs(arena, sort, most, depth),
        }
    }

    /// Values of a datatype, those of each constructor in turn: the first ones without fields, the last ones nested.
    fn constructs(&self, arena: &Arena, sort: Sort, most: usize, depth: u32) -> Vec<String> {
        let view = arena.view_sort(sort);
        let Some(constructors) = self.constructors(arena, view) else { return Vec::new() };
        let mut made: Vec<Vec<String>> = Vec::new();
        for (constructor, fields) in &constructors {
            let name = symbol_text(arena, constructor.name);
            if fields.is_empty() {
                let is_plain = view.arguments.is_empty();
                made.push(vec![if is_plain {
                    name
                } else {
                    format!("(as {name} {})", sort_text(arena, sort))
                }]);
                continue;
            }
            let mut rows = vec![format!("({name}")];
            for &field in fields {
                let mut values = self.values(arena, field, MAX_FIELD_VALUES, depth);
                values.truncate(MAX_FIELD_VALUES);
                let longer =
                    |value: &String| rows.iter().map(|row| format!("{row} {value}")).collect::<Vec<_>>();
                rows = values.iter().flat_map(longer).take(most).collect();
            }
            made.push(rows.into_iter().map(|row| row + ")").collect());
        }
        let longest = made.iter().map(Vec::len).max().unwrap_or(0);
        let turns = (0..longest).flat_map(|place| made.iter().filter_map(move |values| values.get(place)));
        turns.take(most).cloned().collect()
    }
}

/// Zero, one, all bits, the first bit alone.
fn bit_vectors(width: u32) -> Vec<String> {
    let width = width as usize;
    let zeros = "0".repeat(width.saturating_sub(1));
    vec![
        format!("#b{zeros}0"),
        format!("#b{zeros}1"),
        format!("#b{}", "1".repeat(width)),
        format!("#b1{zeros}"),
    ]
}

/// One, zeros, the least number, a not-a-number, an infinity, minus one and a half.
fn floats(exponent: u32, significand: u32) -> Vec<String> {
    let zeros = |count: u32| "0".repeat(count as usize);
    let bias = format!("#b0{}", "1".repeat(exponent as usize - 1));
    let (low, fraction) = (format!("#b{}", zeros(exponent)), significand - 1);
    let special = |name: &str| format!("(_ {name} {exponent} {significand})");
    vec![
        format!("(fp #b0 {bias} #b{})", zeros(fraction)),
        special("-zero"),
        special("NaN"),
        special("+oo"),
        format!("(fp #b0 {low} #b{}1)", zeros(fraction - 1)),
        format!("(fp #b1 {bias} #b1{})", zeros(fraction - 1)),
        special("+zero"),
        special("-oo"),
    ]
}

fn sequences(sort: &str, elements: &[String]) -> Vec<String> {
    let mut values = vec![format!("(as seq.empty {sort})")];
    values.extend(elements.iter().take(2).map(|element| format!("(seq.unit {element})")));
    if let [a, b, ..] = elements {
        values.push(format!("(seq.++ (seq.unit {b}) (seq.unit {a}))"));
    }
    values
}

fn arrays(sort: &str, indices: &[String], elements: &[String]) -> Vec<String> {
    let [first, rest @ ..] = elements else { return Vec::new() };
    let constant = format!("((as const {sort}) {first})");
    let stored = rest
        .iter()
        .take(2)
        .zip(indices)
        .map(|(element, index)| format!("(store {constant} {index} {element})"));
    let other = rest.first().map(|element| format!("((as const {sort}) {element})"));
    [constant.clone()].into_iter().chain(stored).chain(other).collect()
}
