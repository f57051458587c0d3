//! The theories that scripts are generated over, from the table `rules/generate.txt`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gainsay_smt::logic::Features;
use gainsay_smt::{Command, Script, TermView, suggest};
use rustc_hash::FxHashMap;

/// The table.
const THEORY_TABLE: &str = include_str!("../../rules/generate.txt");

/// A theory to generate scripts over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GeneratorTheory(&'static str);

/// A name that is neither a theory nor a logic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown theory {name}{}; expected {known}, all, the name of a logic, such as QF_BVFP, or a theory of one solver: {own}", hint(.near))]
pub struct UnknownTheory {
    /// The name.
    pub name: String,
    /// The theory with the most similar name.
    pub near: Option<&'static str>,
    /// The theories that z3 and cvc5 share.
    pub known: String,
    /// The theories that one solver has.
    pub own: String,
}

/// The meaning of a theory argument on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TheoryChoice {
    /// Theories.
    pub theories: Vec<GeneratorTheory>,
    /// The logic, if the argument names one.
    pub logic: Option<Features>,
}

impl GeneratorTheory {
    /// The theories that z3 and cvc5 share, in the order of the table.
    pub fn all() -> impl Iterator<Item = GeneratorTheory> {
        GeneratorTheory::every().filter(|theory| theory.solver().is_none())
    }

    /// All theories, those of one solver included.
    pub fn every() -> impl Iterator<Item = GeneratorTheory> {
        TABLE.theories.iter().copied()
    }

    /// The one solver that has the theory, if so.
    pub fn solver(self) -> Option<&'static str> {
        self.facts("solver").next()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// A short description.
    pub fn about(self) -> &'static str {
        self.facts("theory").next().unwrap_or_default()
    }

    /// The theory with this name or alias.
    pub fn find(name: &str) -> Option<GeneratorTheory> {
        let is =
            |theory: &GeneratorTheory| theory.0 == name || theory.words("alias").any(|alias| alias == name);
        GeneratorTheory::every().find(is)
    }

    /// The theories that a name means in any usual spelling: `Strings`, `Floating-Point`, `Reals_Ints`. The names of the
    /// standard's theories count; one of them combines two of ours.
    pub fn spelled(name: &str) -> Vec<GeneratorTheory> {
        let wanted = plain_letters(name);
        let is_named =
            |theory: &GeneratorTheory| plain_letters(theory.0) == wanted || theory.has("alias", &wanted);
        let by_name = GeneratorTheory::every().find(is_named);
        by_name.map_or_else(
            || GeneratorTheory::all().filter(|theory| theory.has("table", &wanted)).collect(),
            |theory| vec![theory],
        )
    }

    /// Returns true if a word of a fact is the wanted one, apart from case and hyphens.
    fn has(self, fact: &'static str, wanted: &str) -> bool {
        self.words(fact).any(|word| plain_letters(word) == wanted)
    }

    /// The theories that a script with these features uses.
    pub fn of_script(script: &Script, features: &Features) -> Vec<GeneratorTheory> {
        let arena = script.arena();
        let head = |sort| arena.text(arena.view_sort(arena.canonical(sort)).head);
        let sequences =
            |command: &Command| matches!(command, Command::Declare(_, _, _, sort) if head(*sort) == "Seq");
        let mut theories = of_logic(features);
        // No logic includes the theories of one solver: a sort of theirs, or an array that is given by a function, shows them.
        let declared = |name: &str| {
            script
                .commands
                .iter()
                .any(|command| matches!(command, Command::Declare(_, _, _, sort) if head(*sort) == name))
        };
        let used = used_names(script);
        let is_own = |theory: &GeneratorTheory| {
            theory.words("mark").any(&declared) || theory.words("uses").any(|name| used.contains(name))
        };
        let own = GeneratorTheory::every().filter(|theory| theory.solver().is_some()).filter(is_own);
        let own: Vec<GeneratorTheory> = own.filter(|theory| !theories.contains(theory)).collect();
        theories.extend(own);
        // No logic includes sequences.
        theories.extend(GeneratorTheory::find("sequence").filter(|_| script.commands.iter().any(sequences)));
        theories
    }

    /// Returns true if its scripts have terms of a form that is no row of a table.
    pub fn has_form(self, form: &str) -> bool {
        self.words("declares").any(|word| word == form)
    }

    /// Returns true if its scripts do not have an operator of its tables.
    pub fn leaves_out(self, operator: &str) -> bool {
        self.words("synonym").any(|name| name == operator)
    }

    /// The sorts by which a script shows that it uses the theory.
    pub fn marks(self) -> impl Iterator<Item = &'static str> {
        self.words("mark")
    }

    /// The sorts of constants of its enumerated scripts.
    pub fn enumerated_sorts(self) -> impl Iterator<Item = &'static str> {
        self.facts("enumerated")
    }

    /// The tables of its operators.
    pub fn tables(self) -> impl Iterator<Item = &'static str> {
        self.words("table")
    }

    /// The rows of a fact about this theory, without both names.
    pub(super) fn facts(self, fact: &'static str) -> impl Iterator<Item = &'static str> {
        TABLE.rows.get(&(fact, self.0)).into_iter().flatten().copied()
    }

    /// The words in these rows.
    pub(super) fn words(self, fact: &'static str) -> impl Iterator<Item = &'static str> {
        self.facts(fact).flat_map(str::split_whitespace)
    }
}

impl TheoryChoice {
    /// Reads a theory argument: the name of a theory or logic, or `all`.
    pub fn read(name: &str) -> Result<TheoryChoice, UnknownTheory> {
        if name.eq_ignore_ascii_case("all") {
            return Ok(TheoryChoice { theories: GeneratorTheory::all().collect(), logic: None });
        }
        if let Some(theory) = GeneratorTheory::find(name) {
            return Ok(TheoryChoice { theories: vec![theory], logic: None });
        }
        // `FP` and `UF` are logics as they stand, so other spellings of theories come after logics.
        if let Some(features) = Features::of_name(name) {
            return Ok(TheoryChoice { theories: of_logic(&features), logic: Some(features) });
        }
        let theories = GeneratorTheory::spelled(name);
        if !theories.is_empty() {
            return Ok(TheoryChoice { theories, logic: None });
        }
        match Features::of_name(&name.to_ascii_uppercase()) {
            Some(features) => Ok(TheoryChoice { theories: of_logic(&features), logic: Some(features) }),
            None => Err(unknown(name)),
        }
    }
}

/// The names of operators and binders in the assertions.
fn used_names(script: &Script) -> BTreeSet<&str> {
    let arena = script.arena();
    let name = |term| match arena.view(term) {
        TermView::Application(head, _) => Some(arena.text(head.symbol)),
        TermView::Bind(binder, ..) => Some(binder.name()),
        _ => None,
    };
    arena.reachable(script.assertions()).filter_map(name).collect()
}

/// The theories of a logic.
fn of_logic(features: &Features) -> Vec<GeneratorTheory> {
    let has = |theory: &GeneratorTheory| match theory.0 {
        "bool" => true,
        "int" => features.integers,
        "real" => features.reals,
        "bitvector" => features.bit_vectors,
        "floatingpoint" => features.floats,
        "string" => features.strings,
        "array" => features.arrays,
        "datatype" => features.datatypes,
        "function" => features.functions,
        "field" => features.fields,
        _ => false,
    };
    GeneratorTheory::every().filter(has).collect()
}

fn unknown(name: &str) -> UnknownTheory {
    let words = GeneratorTheory::every().flat_map(|theory| theory.words("alias").chain([theory.0]));
    let near = suggest::nearest(&plain_letters(name), words, suggest::max_edits(name).max(1));
    // Suggest the name that all texts use, not an alias.
    let near = near.and_then(GeneratorTheory::find).map(GeneratorTheory::name);
    let (own, known): (Vec<_>, Vec<_>) =
        GeneratorTheory::every().partition(|theory| theory.solver().is_some());
    let names = |all: &[GeneratorTheory]| all.iter().map(|theory| theory.0).collect::<Vec<_>>().join(", ");
    UnknownTheory { name: name.to_owned(), near, known: names(&known), own: names(&own) }
}

/// A name without case, hyphens, underscores and blanks.
fn plain_letters(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).map(|letter| letter.to_ascii_lowercase()).collect()
}

fn hint(near: &Option<&'static str>) -> String {
    near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

/// The table as it is looked up: several times for each script.
struct TheoryTable {
    /// In the order of the file.
    theories: Vec<GeneratorTheory>,
    /// The rows of a fact about a theory, without both names.
    rows: FxHashMap<(&'static str, &'static str), Vec<&'static str>>,
}

static TABLE: LazyLock<TheoryTable> = LazyLock::new(|| {
    let mut table = TheoryTable { theories: Vec::new(), rows: FxHashMap::default() };
    for line in THEORY_TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with(';')) {
        let mut words = line.splitn(3, ' ');
        let (Some(fact), Some(theory)) = (words.next(), words.next()) else {
            panic!("a row of rules/generate.txt is a fact, a theory and more: {line}");
        };
        if fact == "theory" {
            table.theories.push(GeneratorTheory(theory));
        }
        table.rows.entry((fact, theory)).or_default().extend(words.next());
    }
    table
});

#[cfg(test)]
mod tests {
    use gainsay_smt::Signature;

    use super::*;

    #[test]
    fn every_line_is_a_fact_about_a_theory_and_every_name_in_it_is_known() {
        let facts = [
            "theory",
            "alias",
            "table",
            "borrow",
            "always",
            "some",
            "rare",
            "small",
            "tiny",
            "bound",
            "made",
            "declares",
            "nonlinear",
            "synonym",
            "solver",
            "mark",
            "uses",
            "enumerated",
            "oversized",
            "option",
        ];
        let signature = Signature::standard();
        for line in THEORY_TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with(';')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(facts.contains(&words[0]), "{line}");
            assert!(GeneratorTheory::every().any(|theory| theory.0 == words[1]), "{line}");
            let operators = ["borrow", "nonlinear", "synonym"].contains(&words[0]);
            for name in words[2..].iter().filter(|_| operators) {
                assert!(
                    signature.find_symbol(name).is_some_and(|name| signature.is_operator(name)),
                    "{line}"
                );
            }
            if words[0] == "table" {
                assert!(
                    words[2..].iter().all(|&name| signature.theories().iter().any(|t| t == name)),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn a_name_is_a_theory_an_alias_a_logic_or_a_slip() {
        let names = |name: &str| {
            TheoryChoice::read(name)
                .map(|choice| choice.theories.iter().map(|t| t.name()).collect::<Vec<_>>())
        };
        assert_eq!(names("fp").unwrap(), ["floatingpoint"]);
        assert_eq!(names("string").unwrap(), ["string"]);
        assert_eq!(names("QF_ABVFP").unwrap(), ["bool", "bitvector", "floatingpoint", "array"]);
        assert_eq!(names("all").unwrap().len(), 10);
        assert_eq!(names("stirng").unwrap_err().near, Some("string"));
        assert_eq!(names("stirngs").unwrap_err().near, Some("string"), "the name that all texts use");
        assert!(
            names("topology").unwrap_err().to_string().starts_with("unknown theory topology; expected bool")
        );
        let error = names("relatoin").unwrap_err();
        assert_eq!(error.near, Some("relation"));
        assert!(error.to_string().contains("z3array"), "{error}");
        assert_eq!(names("QF_FF").unwrap(), ["bool", "field"]);
    }

    #[test]
    fn a_theory_is_known_by_any_usual_name_and_case() {
        let pairs = [
            ("string", ["Strings", "STRING", "UnicodeStrings", "str"]),
            ("bitvector", ["BitVec", "bit-vectors", "FixedSizeBitVectors", "Bitvectors"]),
            ("floatingpoint", ["Floating-Point", "FloatingPoint", "float", "floating_point"]),
            ("array", ["Arrays", "ArraysEx", "Array", "ARRAY"]),
            ("int", ["Ints", "Integer", "Int", "integers"]),
            ("real", ["Reals", "Real", "REAL", "real"]),
            ("sequence", ["Seq", "Sequences", "SEQUENCE", "seqs"]),
            ("datatype", ["Datatypes", "DataType", "adt", "data-types"]),
            ("function", ["Functions", "EUF", "uninterpreted", "UFs"]),
            ("bool", ["Core", "Bool", "boolean", "Booleans"]),
        ];
        for (theory, spellings) in pairs {
            for spelling in spellings {
                let choice = TheoryChoice::read(spelling).unwrap();
                let names: Vec<&str> = choice.theories.iter().map(|theory| theory.name()).collect();
                assert_eq!((names, choice.logic), (vec![theory], None), "{spelling}");
            }
        }
        let both = TheoryChoice::read("Reals_Ints").unwrap().theories;
        assert_eq!(both.iter().map(|theory| theory.name()).collect::<Vec<_>>(), ["int", "real"]);
        assert_eq!(TheoryChoice::read("qf_bv").unwrap(), TheoryChoice::read("QF_BV").unwrap());
        assert!(TheoryChoice::read("FP").unwrap().logic.is_some(), "a logic keeps its name");
    }
}
