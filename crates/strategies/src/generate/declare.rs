//! The declarations of a generated script: its sorts, constants of each, functions and datatypes.

use super::datatypes::{self, DrawnCodatatypes, DrawnDatatypes};
use super::theory::GeneratorTheory;
use super::{FloatFormats, GeneratorSettings, ValueScope};
use crate::random::Rng;
use gainsay_smt::Symbol;

/// A sort that scripts declare no constants of: no solver supports them.
const SORT_WITHOUT_CONSTANTS: &str = "RegLan";

/// Draws the declarations of a script over some theories, as text.
pub fn declarations(settings: &GeneratorSettings, theories: &[GeneratorTheory], rng: &mut Rng) -> String {
    let mut draft = DeclarationText { settings, text: String::new(), sorts: Vec::new(), own: Vec::new() };
    let mut codatatypes = None;
    draft.plain_sorts(theories, rng);
    let declares =
        |what: &str| theories.iter().any(|theory| theory.words("declares").any(|fact| fact == what));
    let needs_sorts =
        declares("orders") || theories.iter().any(|theory| theory.facts("made").next().is_some());
    if declares("functions") || draft.sorts.is_empty() && needs_sorts {
        draft.text += match settings.scope {
            ValueScope::Ordinary => "(declare-sort U 0)\n",
            ValueScope::Small => "(declare-datatypes ((U 0)) (((u1) (u2) (u3))))\n",
        };
        draft.sorts.push("U".to_owned());
    }
    if declares("datatypes") {
        draft.datatypes(rng);
    }
    if declares("codatatypes") {
        codatatypes = Some(draft.codatatypes(rng));
    }
    draft.made_sorts(theories, rng);
    if declares("heaps") {
        draft.heap(rng);
    }
    draft.constants(theories);
    if let Some(drawn) = codatatypes {
        draft.equations(&drawn, rng);
    }
    if declares("functions") {
        draft.functions(rng);
    }
    if declares("orders") {
        draft.relations(rng);
    }
    draft.text
}

struct DeclarationText<'a> {
    settings: &'a GeneratorSettings,
    text: String,
    /// The sorts with constants.
    sorts: Vec<String>,
    /// Datatypes.
    own: Vec<String>,
}

impl DeclarationText<'_> {
    fn add(&mut self, sort: &str) {
        if sort != SORT_WITHOUT_CONSTANTS && !self.sorts.iter().any(|known| known == sort) {
            self.sorts.push(sort.to_owned());
        }
    }

    fn plain_sorts(&mut self, theories: &[GeneratorTheory], rng: &mut Rng) {
        for theory in theories {
            let is_allowed = |sort: &&str| match *sort {
                "Int" => self.settings.allows_sort(Symbol::INT),
                "Real" => self.settings.allows_sort(Symbol::REAL),
                _ => true,
            };
            let always: Vec<&str> = theory.facts("always").filter(is_allowed).collect();
            always.iter().for_each(|sort| self.add(sort));
            let known = self.known_sorts(*theory);
            let head = known.first().map(|sort| head(sort));
            let wished: Vec<&str> = self
                .settings
                .sorts
                .iter()
                .map(String::as_str)
                .filter(|sort| Some(head_of(sort)) == head)
                .collect();
            let mut drawn = if wished.is_empty() { known } else { wished };
            rng.shuffle(&mut drawn);
            drawn.iter().take(self.settings.few).for_each(|sort| self.add(sort));
        }
        self.bits_of_floats(rng);
    }

    /// The sorts that the table has for a theory.
    fn known_sorts(&self, theory: GeneratorTheory) -> Vec<&'static str> {
        let (usual, more) = match self.settings.scope {
            ValueScope::Ordinary => ("some", "rare"),
            ValueScope::Small => ("small", "tiny"),
        };
        let more = theory.facts(more).filter(|_| self.settings.formats == FloatFormats::Any);
        let known: Vec<&str> = theory.facts(usual).chain(more).collect();
        // A theory without small sorts has its ordinary ones.
        if known.is_empty() { theory.facts("some").collect() } else { known }
    }

    /// Adds the widths of a float's parts, if the script has bit vectors.
    fn bits_of_floats(&mut self, rng: &mut Rng) {
        if !self.settings.sorts.is_empty() || !self.sorts.iter().any(|sort| head_of(sort) == "BitVec") {
            return;
        }
        let floats: Vec<(u32, u32)> = self.sorts.iter().filter_map(|sort| format(sort)).collect();
        if let Some((exponent, significand)) = rng.choose(&floats) {
            let widths: &[u32] =
                if rng.chance(1, 2) { &[exponent + significand] } else { &[1, *exponent, significand - 1] };
            widths.iter().for_each(|width| self.add(&format!("(_ BitVec {width})")));
        }
    }

    fn made_sorts(&mut self, theories: &[GeneratorTheory], rng: &mut Rng) {
        for theory in theories {
            for pattern in theory.facts("made") {
                for _ in 0..self.settings.few {
                    let mut sort = pattern.to_owned();
                    let is_plain = |sort: &&String| !sort.contains("Array") && !self.own.contains(sort);
                    let plain: Vec<&String> = self.sorts.iter().filter(is_plain).collect();
                    let Some(part) = rng.choose(&plain) else { continue };
                    sort = sort.replace('!', part);
                    let Some(part) = rng.choose(&self.sorts) else { continue };
                    sort = sort.replace('?', part);
                    while sort.contains('%') {
                        let few = self.sorts_with_few_values();
                        sort = sort.replacen('%', few[rng.below(few.len())], 1);
                    }
                    self.add(&sort);
                }
            }
        }
    }

    /// The sorts with few values; `Bool` is always one.
    fn sorts_with_few_values(&self) -> Vec<&str> {
        let is_few = |sort: &&String| {
            !sort.contains("Array")
                && !sort.contains("Set")
                && !sort.contains("Seq")
                && !sort.contains("Bag")
                && !sort.contains("->")
                && !["Int", "Real", "String"].contains(&sort.as_str())
                && !self.own.contains(sort)
        };
        let few = self.sorts.iter().filter(is_few).map(String::as_str);
        few.chain(["Bool"]).collect()
    }

    /// A heap; its sorts have constants.
    fn heap(&mut self, rng: &mut Rng) {
        let few: Vec<String> = self.sorts_with_few_values().into_iter().map(str::to_owned).collect();
        let location = self.sorts[rng.below(self.sorts.len())].clone();
        let data = few[rng.below(few.len())].clone();
        self.text += &format!("(declare-heap ({location} {data}))\n");
        self.add(&data);
    }

    fn datatypes(&mut self, rng: &mut Rng) {
        let DrawnDatatypes { text, sorts } = datatypes::draw(&self.sorts, rng);
        self.text += &text;
        for sort in sorts {
            self.add(&sort);
            self.own.push(sort);
        }
    }

    fn codatatypes(&mut self, rng: &mut Rng) -> DrawnCodatatypes {
        let drawn = datatypes::draw_codatatypes(&self.sorts, rng);
        self.text += &drawn.text;
        for sort in &drawn.sorts {
            self.add(sort);
            self.own.push(sort.clone());
        }
        drawn
    }

    /// `(= x1 (c1 true (c2 x1)))`: equations that only infinite values may satisfy, for about half of the constants.
    fn equations(&mut self, drawn: &DrawnCodatatypes, rng: &mut Rng) {
        const MAX_EQUATION_DEPTH: u32 = 2;
        let names: Vec<(String, String)> = self.constant_names();
        for (name, sort) in names.iter().filter(|(_, sort)| drawn.sorts.contains(sort)) {
            if rng.chance(1, 2) {
                let depth = rng.below(MAX_EQUATION_DEPTH as usize) as u32 + 1;
                let tree = tree(drawn, &names, sort, depth, rng);
                self.text += &format!("(assert (= {name} {tree}))\n");
            }
        }
    }

    /// The names and sorts of the constants, in the order of their declarations.
    fn constant_names(&self) -> Vec<(String, String)> {
        let declared = |line: &str| {
            let (name, sort) = line.strip_prefix("(declare-const ")?.strip_suffix(')')?.split_once(' ')?;
            Some((name.to_owned(), sort.to_owned()))
        };
        self.text.lines().filter_map(declared).collect()
    }

    fn constants(&mut self, theories: &[GeneratorTheory]) {
        let mut number = 0;
        let booleans = theories.iter().any(|theory| theory.name() == "bool");
        let is_new = booleans && !self.sorts.iter().any(|sort| sort == "Bool");
        let bool = is_new.then(|| "Bool".to_owned());
        let mut bounds = String::new();
        for sort in self.sorts.iter().chain(&bool) {
            for _ in 0..self.settings.variables {
                number += 1;
                self.text += &format!("(declare-const x{number} {sort})\n");
                if self.settings.scope == ValueScope::Small {
                    bounds += &bound_assertions(&format!("x{number}"), sort);
                }
            }
        }
        self.text += &bounds;
    }

    /// Relations between values of one sort, of which terms have the closures.
    fn relations(&mut self, rng: &mut Rng) {
        for number in 1..=self.settings.functions {
            let sort = rng.choose(&self.sorts).map_or("Bool", String::as_str);
            self.text += &format!("(declare-fun r{number} ({sort} {sort}) Bool)\n");
        }
    }

    fn functions(&mut self, rng: &mut Rng) {
        let mut sorts = self.sorts.clone();
        sorts.push("Bool".to_owned());
        for number in 1..=self.settings.functions {
            let parameters: Vec<&str> =
                (0..1 + rng.below(3)).map(|_| sorts[rng.below(sorts.len())].as_str()).collect();
            let result = &sorts[rng.below(sorts.len())];
            self.text += &format!("(declare-fun f{number} ({}) {result})\n", parameters.join(" "));
        }
    }
}

/// The assertions of a script in small scope that bound a constant of this sort.
pub fn bound_assertions(constant: &str, sort: &str) -> String {
    let rows = GeneratorTheory::every().flat_map(|theory| theory.facts("bound"));
    let rows =
        rows.filter_map(bounded_sort).filter(|(bounded, _)| *bounded == head_of(sort) || *bounded == sort);
    rows.map(|(_, bound)| format!("(assert {})\n", bound.replace('?', constant))).collect()
}

/// The sort of a row, which is a name or in parentheses, and the assertion.
fn bounded_sort(row: &str) -> Option<(&str, &str)> {
    match row.starts_with('(') {
        true => row.split_once(") ").map(|(sort, bound)| (&row[..sort.len() + 1], bound)),
        false => row.split_once(' '),
    }
}

/// The constructor of a sort.
fn head_of(sort: &str) -> &str {
    let word =
        |sort: &str| sort.split([' ', '(', ')']).find(|word| !word.is_empty() && *word != "_").map(str::len);
    let start = sort.find(|c: char| c != '(' && c != '_' && c != ' ').unwrap_or(0);
    let length = word(&sort[start..]).unwrap_or(0);
    head(&sort[start..start + length])
}

/// The constructor of a sort's short name: `Float32` is a `FloatingPoint`.
fn head(name: &str) -> &str {
    if name.starts_with('(') {
        return head_of(name);
    }
    match name.strip_prefix("Float") {
        Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => "FloatingPoint",
        _ => name,
    }
}

/// The exponent and significand widths of a floating-point sort.
fn format(sort: &str) -> Option<(u32, u32)> {
    match sort {
        "Float16" => return Some((5, 11)),
        "Float32" => return Some((8, 24)),
        "Float64" => return Some((11, 53)),
        _ => {}
    }
    let numbers = sort.strip_prefix("(_ FloatingPoint ")?.strip_suffix(')')?;
    let (exponent, significand) = numbers.split_once(' ')?;
    Some((exponent.parse().ok()?, significand.parse().ok()?))
}

/// Constructors around constants of the script, up to a depth, which is small.
fn tree(
    drawn: &DrawnCodatatypes,
    constants: &[(String, String)],
    sort: &str,
    depth: u32,
    rng: &mut Rng,
) -> String {
    let names: Vec<&str> =
        constants.iter().filter(|(_, of)| of == sort).map(|(name, _)| name.as_str()).collect();
    if depth == 0 && !names.is_empty() {
        return names[rng.below(names.len())].to_owned();
    }
    let own: Vec<&(String, String, Vec<String>)> =
        drawn.constructors.iter().filter(|(of, ..)| of == sort).collect();
    if own.is_empty() || depth == 0 {
        let is_true = rng.chance(1, 2);
        return if is_true { "true" } else { "false" }.to_owned();
    }
    let (_, name, fields) = own[rng.below(own.len())];
    if fields.is_empty() {
        return name.clone();
    }
    let parts: Vec<String> = fields
        .iter()
        .map(|field| {
            let is_own = drawn.sorts.contains(field);
            let depth = if is_own { depth - 1 } else { 0 };
            tree(drawn, constants, field, depth, rng)
        })
        .collect();
    format!("({name} {})", parts.join(" "))
}
