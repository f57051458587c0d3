//! Random ground applications of every operator of the tables, with their values by our evaluator.
//!
//! A solver can check them: `(assert (not (= (bvadd #x3 #xf) #x2)))` must be unsatisfiable.

use std::sync::Arc;

use gainsay_smt::eval::{EvalBudget, Evaluator};
use gainsay_smt::print::{head_text, sort_text};
use gainsay_smt::signature::{Associativity, Rank};
use gainsay_smt::value::value_text;
use gainsay_smt::{Arena, Command, Head, Model, Script, Signature, Sort, sat_queries};

/// The applications of one rank of an operator.
pub struct Applications {
    /// The operator's name.
    pub operator: String,
    /// Its theory.
    pub theory: String,
    /// The number of its arguments.
    pub arity: usize,
    /// Applications and their values, all as text.
    pub values: Vec<(String, String)>,
    /// Applications that are undecided, and why.
    pub undecided: Vec<(String, String)>,
}

/// A reproducible sequence of draws.
pub struct Draws(u64);

impl Draws {
    /// The sequence with this seed.
    pub fn new(seed: u64) -> Draws {
        Draws(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    fn bits(&mut self, width: u32) -> String {
        (0..width).map(|_| if self.below(2) == 0 { '0' } else { '1' }).collect()
    }
}

/// So many applications of every rank of every theory whose values can be written.
pub fn applications(count: usize, seed: u64) -> Vec<Applications> {
    let signature = Signature::standard();
    let mut all = Vec::new();
    for (number, rank) in signature.ranks().iter().enumerate() {
        let (name, theory) = (signature.text(rank.name), signature.theories()[rank.theory].as_str());
        // No solver of today takes the names that CVC4 had for the operators of sets.
        if theory == "Sets" && !name.starts_with("set.") {
            continue;
        }
        let mut draws = Draws::new(seed.wrapping_mul(10_007).wrapping_add(number as u64));
        let terms: Vec<(String, String)> =
            (0..count * 2).filter_map(|_| term(rank, &signature, &mut draws)).collect();
        if terms.is_empty() {
            continue;
        }
        let (mut values, mut undecided) = (Vec::new(), Vec::new());
        for (term, value) in terms.iter().zip(evaluated(&terms, &signature)) {
            match value {
                Ok(value) => values.push((term.0.clone(), value)),
                Err(why) => undecided.push((term.0.clone(), why)),
            }
        }
        values.truncate(count);
        let (operator, theory) =
            (signature.text(rank.name).to_owned(), signature.theories()[rank.theory].clone());
        let arity = rank.arity();
        all.push(Applications { operator, theory, arity, values, undecided });
    }
    all
}

/// The values of terms, each with the text of its sort.
fn evaluated(terms: &[(String, String)], signature: &Arc<Signature>) -> Vec<Result<String, String>> {
    let text: String = terms
        .iter()
        .enumerate()
        .map(|(n, (term, sort))| format!("(define-fun t{n} () {sort} {term})\n"))
        .collect();
    let script =
        Script::parse(&text, signature).unwrap_or_else(|error| panic!("{error}\n{}", error.snippet()));
    let model = Model::empty(&script, &sat_queries(&script)[0]);
    let mut results = Vec::new();
    for command in &script.commands {
        let Command::Define(_, definition) = command else { continue };
        // Each term has its own budget: a large one must not spoil the others.
        let mut evaluator = Evaluator::new(&model, EvalBudget { steps: 100_000, bytes: 1 << 20 });
        let value = evaluator.value(definition.body);
        results.push(match value {
            // Bounds are no value that a solver could be asked about.
            Ok(gainsay_smt::Value::Enclosure(_)) => Err("bounds".to_owned()),
            Ok(value) => Ok(value_text(model.arena(), definition.result, &value)),
            Err(why) => Err(why.to_string()),
        });
    }
    results
}

/// A random application of a rank, and its sort.
fn term(rank: &Rank, signature: &Arc<Signature>, draws: &mut Draws) -> Option<(String, String)> {
    let mut arena = Arena::new(signature);
    let sorts = [Sort::INT, Sort::BOOL, Sort::REAL, arena.bit_vector(4)];
    let instance = rank.instance(&mut arena, &sorts, &mut |bound| draws.below(bound))?;
    let mut parameters = instance.parameters.clone();
    let result = instance.result;
    if parameters.iter().chain([&result]).any(|&sort| is_large(&arena, sort)) {
        return None;
    }
    // A sort without values here has none to compare with either.
    value(&arena, result, draws, 2)?;
    let associates = matches!(rank.associativity, Some(Associativity::Left | Associativity::Right));
    let is_uniform = parameters.len() == 2 && parameters[0] == parameters[1] && parameters[1] == result;
    // cvc5 accepts bvxnor only with two arguments.
    let is_longer = draws.below(4) == 0 && signature.text(rank.name) != "bvxnor";
    if associates && is_uniform && is_longer {
        parameters.push(result);
    }
    let qualifier = instance.needs_qualifier.then_some(result);
    let head = head_text(&arena, Head { symbol: rank.name, indices: &instance.indices, qualifier });
    let mut text = if parameters.is_empty() { head } else { format!("({head}") };
    for &parameter in &parameters {
        text.push(' ');
        text += &value(&arena, parameter, draws, 2)?;
    }
    if !parameters.is_empty() {
        text.push(')');
    }
    if result == Sort::REGLAN {
        // Solvers do not compare regular expressions; membership can be queried.
        return Some((format!("(str.in_re {} {text})", string(draws)), "Bool".into()));
    }
    Some((text, sort_text(&arena, result)))
}

/// Returns true if solvers take long for a format, or refuse it.
fn is_large(arena: &Arena, sort: Sort) -> bool {
    let view = arena.view_sort(sort);
    let number = |place: usize| view.indices.get(place).and_then(|index| index.numeral()).unwrap_or(0);
    match arena.text(view.head) {
        "BitVec" => number(0) > 256,
        "FloatingPoint" => number(0) > 11 || number(1) > 53,
        _ => false,
    }
}

/// A random value of a sort as text; `None` for sorts without values here.
fn value(arena: &Arena, sort: Sort, draws: &mut Draws, depth: usize) -> Option<String> {
    let view = arena.view_sort(sort);
    let number = |place: usize| view.indices.get(place).and_then(|index| index.numeral());
    Some(match arena.text(view.head) {
        "Bool" => draws.pick(&["true", "false"]).to_string(),
        "Int" => integer(draws),
        "Real" => real(draws),
        "RoundingMode" => draws.pick(&["RNE", "RNA", "RTP", "RTN", "RTZ"]).to_string(),
        "BitVec" => format!("#b{}", bit_vector(number(0)?, draws)),
        "FloatingPoint" => float(number(0)?, number(1)?, draws),
        "String" => string(draws),
        "RegLan" => regex(draws, 2),
        "Unicode" => format!("(_ Char {})", draws.pick(&[0, 48, 57, 65, 97, 255, 196_607])),
        "Array" if depth > 0 => {
            // Of two indices, the value at either may be the default, which cvc5 requires to be a literal.
            let [index, element] = *view.arguments else { return None };
            if index == Sort::BOOL {
                return None;
            }
            let default = match element {
                Sort::INT => draws.below(4).to_string(),
                Sort::REAL => format!("{}.0", draws.below(4)),
                _ => value(arena, element, draws, depth - 1)?,
            };
            let mut text = format!("((as const {}) {default})", sort_text(arena, sort));
            for _ in 0..draws.below(3) {
                let at = value(arena, index, draws, depth - 1)?;
                text = format!("(store {text} {at} {})", value(arena, element, draws, depth - 1)?);
            }
            text
        }
        "Seq" if depth > 0 => {
            let mut text = format!("(as seq.empty {})", sort_text(arena, sort));
            for _ in 0..draws.below(4) {
                text = format!(
                    "(seq.++ {text} (seq.unit {}))",
                    value(arena, view.arguments[0], draws, depth - 1)?
                );
            }
            text
        }
        "FiniteField" => format!("(as ff{} {})", draws.below(number(0)? as usize), sort_text(arena, sort)),
        "FiniteSet" | "Set" if depth > 0 => {
            let mut text = format!("(as set.empty {})", sort_text(arena, sort));
            for _ in 0..draws.below(4) {
                let element = small_value(arena, view.arguments[0], draws, depth - 1)?;
                text = format!("(set.union {text} (set.singleton {element}))");
            }
            text
        }
        "Bag" if depth > 0 => {
            let mut text = format!("(as bag.empty {})", sort_text(arena, sort));
            for _ in 0..draws.below(4) {
                let element = small_value(arena, view.arguments[0], draws, depth - 1)?;
                text = format!("(bag.union_disjoint {text} (bag {element} {}))", draws.below(4));
            }
            text
        }
        "->" if depth > 0 => {
            let [parameter, result] = *view.arguments else { return None };
            if arena.text(arena.view_sort(result).head) == "->" {
                return None;
            }
            let mut value = |sort: Sort| small_value(arena, sort, draws, depth - 1);
            let (at, then, otherwise) = (value(parameter)?, value(result)?, value(result)?);
            format!("(lambda ((z {})) (ite (= z {at}) {then} {otherwise}))", sort_text(arena, parameter))
        }
        _ => return None,
    })
}

/// A value of a sort; integers are few, so that two of them are often equal.
fn small_value(arena: &Arena, sort: Sort, draws: &mut Draws, depth: usize) -> Option<String> {
    match sort {
        Sort::INT => Some(draws.below(4).to_string()),
        Sort::REAL => Some(format!("{}.0", draws.below(4))),
        _ => value(arena, sort, draws, depth),
    }
}

fn integer(draws: &mut Draws) -> String {
    let number: i128 = match draws.below(10) {
        0..6 => draws.below(12) as i128 - 3,
        6..8 => draws.below(600) as i128 - 300,
        8 => *draws.pick(&[1 << 31, 1 << 63, -(1 << 63), 196_607, 196_608, 65_536, 1 << 100, 255]),
        _ => (draws.below(1 << 30) as i128) * (draws.below(1 << 30) as i128) - (1 << 58),
    };
    if number < 0 { format!("(- {})", -number) } else { number.to_string() }
}

fn real(draws: &mut Draws) -> String {
    let (numerator, denominator) = (draws.below(40) as i64 - 20, draws.below(12) + 1);
    let size = match draws.below(4) {
        0 => format!("{}.0", numerator.abs()),
        1 => format!("(/ {}.0 {denominator}.0)", numerator.abs()),
        2 => format!("{}.{}", draws.below(1_000_000), draws.below(1000)),
        _ => format!("(/ {}.0 {}.0)", draws.below(1 << 30), draws.below(1 << 30) + 1),
    };
    if numerator < 0 { format!("(- {size})") } else { size }
}

fn bit_vector(width: u32, draws: &mut Draws) -> String {
    let all = |digit: &str, count: u32| digit.repeat(count as usize);
    match draws.below(8) {
        0 => all("0", width),
        1 => all("1", width),
        2 => format!("1{}", all("0", width - 1)),
        3 => format!("0{}", all("1", width - 1)),
        4 => format!("{}1", all("0", width - 1)),
        5 if width > 3 => format!("{}{}", all("0", width - 3), draws.bits(3)),
        _ => draws.bits(width),
    }
}

fn float(eb: u32, sb: u32, draws: &mut Draws) -> String {
    let special = ["+oo", "-oo", "+zero", "-zero", "NaN"];
    match draws.below(8) {
        0 => format!("(_ {} {eb} {sb})", draws.pick(&special)),
        1 => format!("((_ to_fp {eb} {sb}) RNE {})", real(draws)),
        2 => format!("((_ to_fp {eb} {sb}) RTZ (- {}.0))", draws.below(9)),
        _ => {
            let exponent = bit_vector(eb, draws);
            format!("(fp #b{} #b{exponent} #b{})", draws.bits(1), bit_vector(sb - 1, draws))
        }
    }
}

fn string(draws: &mut Draws) -> String {
    let pieces = ["a", "b", "c", "A", "Z", "0", "1", "9", "\\u{0}", "\\u{ff}", "\\u{2ffff}", " ", "\"\""];
    let few = if draws.below(3) == 0 { pieces.len() } else { 3 };
    let digits = draws.below(6) == 0;
    let text: String = (0..draws.below(6))
        .map(|_| if digits { *draws.pick(&["0", "1", "7", "9"]) } else { pieces[draws.below(few)] })
        .collect();
    format!("\"{text}\"")
}

/// Recurses to the given depth.
fn regex(draws: &mut Draws, depth: usize) -> String {
    if depth == 0 {
        return match draws.below(6) {
            0 => "re.allchar".into(),
            1 => "(re.range \"a\" \"c\")".into(),
            2 => "re.all".into(),
            _ => format!("(str.to_re {})", string(draws)),
        };
    }
    let (a, b) = (regex(draws, depth - 1), regex(draws, depth - 1));
    match draws.below(9) {
        0 => format!("(re.union {a} {b})"),
        1 => format!("(re.inter {a} {b})"),
        2 => format!("(re.++ {a} {b})"),
        3 => format!("(re.* {a})"),
        4 => format!("(re.comp {a})"),
        5 => format!("(re.opt {a})"),
        6 => format!("((_ re.loop 1 {}) {a})", draws.below(4)),
        7 => format!("(re.diff {a} {b})"),
        _ => a,
    }
}
