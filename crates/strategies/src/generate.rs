//! Generation: makes well-sorted scripts from nothing, over any set of theories.
//!
//! ```text
//! (set-logic QF_FP)
//! (declare-const x1 Float32)
//! (declare-const x2 Float32)
//! (assert (fp.leq (fp.mul RTZ x1 x2) (fp.sqrt RNE (_ -zero 8 24))))
//! (check-sat)
//! ```
//!
//! As in StringFuzz and in section 3.2 of "BanditFuzz: Fuzzing SMT Solvers with Reinforcement Learning" (VSTTE 2020),
//! for all theories: draws sorts and constants first, then grows each assertion from a predicate down to constants and
//! literals. It uses only operators that all solvers of the campaign know, so that no solver has to reject a script.

mod datatypes;
pub mod declare;
mod function_growth;
pub mod growth;
mod heap_growth;
mod higher_order_growth;
pub mod literal;
mod order_growth;
mod relation_growth;
mod seeded;
mod table_growth;
pub mod theory;
pub mod vocabulary;

use std::sync::Arc;

use gainsay_smt::logic::{self, Features};
use gainsay_smt::{Command, Index, Script, Signature, Sort, Symbol, Term, TermView, Word, suggest};

use super::operators::Operators;
use crate::random::Rng;
use gainsay_solvers::profile::Profile;
use gainsay_solvers::version::Version;
use growth::{MAX_TERM_DEPTH, TermGrowth};
use theory::GeneratorTheory;
use vocabulary::{GrownForms, GrowthSettings, TermVocabulary};

pub use seeded::GenerateStrategy;

/// The rounding modes, by their short names.
pub const ROUNDING_MODES: [&str; 5] = ["RNE", "RNA", "RTP", "RTN", "RTZ"];

/// How often scripts in small scope use an operator of a theory that one solver has, in place of once.
const OWN_OPERATOR_WEIGHT: u32 = 5;

/// The logic of scripts with functions as values, and of tables.
const HIGHER_ORDER_LOGIC: &str = "HO_ALL";

/// Draws of an assertion before the script is given up.
const MAX_ASSERTION_DRAWS: usize = 20;

/// What scripts to generate.
#[derive(Debug, Clone)]
pub struct GeneratorSettings {
    /// Theories.
    pub theories: Vec<GeneratorTheory>,
    /// The logic that every script must be in, if any.
    pub logic: Option<Features>,
    /// The most theories in one script; which ones is drawn.
    pub mix: usize,
    /// Indexed sorts to use instead of those in the table, as text.
    pub sorts: Vec<String>,
    /// The most sorts of one kind in a script.
    pub few: usize,
    /// Free variables of each sort.
    pub variables: usize,
    /// Declared functions, if the theories include functions.
    pub functions: usize,
    /// Assertions.
    pub assertions: usize,
    /// How large terms grow, and from what.
    pub habits: GrowthSettings,
    /// The operators with arguments to use; empty means all.
    pub operators: Vec<String>,
    /// The rounding modes.
    pub rounding_modes: Vec<String>,
    /// Which declarations to keep.
    pub declarations: KeptDeclarations,
    /// The floating-point formats to draw from if no sorts are named.
    pub formats: FloatFormats,
    /// How many values the sorts have.
    pub scope: ValueScope,
}

/// How many values the sorts of a script have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ValueScope {
    /// As many as in scripts that people write.
    #[default]
    Ordinary,
    /// So few that exhaustion can decide most scripts: narrow bit-vectors, tiny floats, integers and strings that assertions
    /// bound, three elements in a declared sort.
    Small,
}

/// The floating-point formats to draw from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FloatFormats {
    /// Formats that every solver supports.
    #[default]
    Shared,
    /// Other formats, too.
    Any,
}

impl FloatFormats {
    /// The formats that solvers with these profiles support.
    pub fn of_profiles<'a>(profiles: impl IntoIterator<Item = &'a Profile>) -> FloatFormats {
        let mut profiles = profiles.into_iter().peekable();
        match profiles.peek().is_some() && profiles.all(|profile| profile.floats.is_empty()) {
            true => FloatFormats::Any,
            false => FloatFormats::Shared,
        }
    }
}

/// Which declarations to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptDeclarations {
    /// Those that an assertion uses.
    Used,
    /// All, so that any construct may be inserted later.
    All,
}

impl Default for GeneratorSettings {
    fn default() -> Self {
        GeneratorSettings {
            theories: Vec::new(),
            logic: None,
            mix: 3,
            sorts: Vec::new(),
            few: 2,
            variables: 3,
            functions: 2,
            assertions: 3,
            habits: GrowthSettings::default(),
            operators: Vec::new(),
            rounding_modes: ROUNDING_MODES.map(str::to_owned).to_vec(),
            declarations: KeptDeclarations::Used,
            formats: FloatFormats::Shared,
            scope: ValueScope::Ordinary,
        }
    }
}

impl GeneratorSettings {
    /// Returns true unless the logic excludes a sort: QF_S has strings, but no integers.
    fn allows_sort(&self, head: Symbol) -> bool {
        self.logic.is_none_or(|features| match head {
            Symbol::INT => features.integers,
            Symbol::REAL => features.reals,
            _ => true,
        })
    }

    /// In small scope, leaves out literals that no bounded constant equals, and prefers the operators of theories that one solver has:
    /// among all the others, bugs of these operators would hide. Weights that the user chose stay.
    fn weigh_small_scope(&mut self, signature: &Signature) {
        if self.scope != ValueScope::Small {
            return;
        }
        let weights = &mut self.habits.weights;
        for kind in self.theories.iter().flat_map(|theory| theory.words("oversized")) {
            weights.entry(kind.to_owned()).or_insert(0);
        }
        for theory in self.theories.iter().filter(|theory| theory.solver().is_some()) {
            for rank in signature.ranks() {
                if theory.tables().any(|table| table == signature.theories()[rank.theory]) {
                    weights.entry(signature.text(rank.name).to_owned()).or_insert(OWN_OPERATOR_WEIGHT);
                }
            }
        }
    }
}

/// Settings that cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GeneratorSettingsError(pub String);

/// Generates scripts.
#[derive(Debug)]
pub struct Generator {
    signature: Arc<Signature>,
    operators: Operators,
    settings: GeneratorSettings,
}

impl Generator {
    /// A generator for these settings, using only operators known to all these solvers.
    pub fn new(
        signature: &Arc<Signature>,
        mut settings: GeneratorSettings,
        solvers: &[(&Profile, Option<&Version>)],
    ) -> Result<Generator, GeneratorSettingsError> {
        if settings.theories.is_empty() {
            return Err(GeneratorSettingsError("no theory was chosen".to_owned()));
        }
        if let Some(features) = &settings.logic {
            let quantifiers = settings.habits.quantifiers;
            settings.habits.quantifiers = match features.quantifiers {
                true => quantifiers.max(20),
                false => 0,
            };
        }
        if FloatFormats::of_profiles(solvers.iter().map(|(profile, _)| *profile)) == FloatFormats::Any {
            settings.formats = FloatFormats::Any;
        }
        settings.habits.depth = settings.habits.depth.clamp(1, MAX_TERM_DEPTH);
        settings.theories.dedup();
        check_names(signature, &settings)?;
        settings.weigh_small_scope(signature);
        let operators = operators(signature, &settings, solvers);
        let generator = Generator { signature: Arc::clone(signature), operators, settings };
        generator.check_sorts()?;
        Ok(generator)
    }

    /// The settings.
    pub fn settings(&self) -> &GeneratorSettings {
        &self.settings
    }

    /// The operators it uses.
    pub fn operators(&self) -> &Operators {
        &self.operators
    }

    /// The signature of the theories.
    pub fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    /// Draws a script; `None` if the draws fail.
    pub fn script(&self, rng: &mut Rng) -> Option<Script> {
        script(&self.signature, &self.operators, &self.settings, rng)
    }

    fn check_sorts(&self) -> Result<(), GeneratorSettingsError> {
        for sort in &self.settings.sorts {
            let text = format!("(declare-const x {sort})");
            if let Err(error) = Script::parse(&text, &self.signature) {
                return Err(GeneratorSettingsError(format!("{sort} is not a sort: {}", error.message)));
            }
        }
        Ok(())
    }
}

/// Draws a script within the settings; `None` if the draws fail.
fn script(
    signature: &Arc<Signature>,
    operators: &Operators,
    settings: &GeneratorSettings,
    rng: &mut Rng,
) -> Option<Script> {
    let theories = draw_theories(settings, rng);
    let options: String =
        theories.iter().flat_map(|theory| theory.facts("option")).map(option_command).collect();
    let text = declare::declarations(settings, &theories, rng);
    let mut script = Script::parse(&format!("{options}(set-logic ALL)\n{text}"), signature)
        .unwrap_or_else(|error| panic!("declarations of ours: {error}\n{text}"));
    let bare = script.clone();
    let mut vocabulary = TermVocabulary::of(&bare, &[], operators, &settings.habits);
    let has = |form: &str| theories.iter().any(|theory| theory.words("declares").any(|fact| fact == form));
    vocabulary.forms = GrownForms {
        tables: has("tables"),
        sums: has("sums"),
        folds: has("folds"),
        relations: has("relations"),
        rows: has("rows"),
        lifts: has("lifts"),
        heaps: has("heaps"),
        orders: has("orders"),
        lambdas: has("lambdas"),
    };
    if vocabulary.forms.lambdas {
        vocabulary.add_function_sorts(bare.arena());
    }
    let command = script.commands.len();
    for _ in 0..settings.assertions {
        let term = (0..MAX_ASSERTION_DRAWS).find_map(|_| {
            let mut growth = TermGrowth::new(&vocabulary, script.arena_mut(), command, rng);
            let term = growth.term(Sort::BOOL, settings.habits.depth);
            term.filter(|&term| is_about_something(&script, term))
        })?;
        script.commands.push(Command::Term(Word::Assert, term, None));
    }
    script.commands.push(Command::CheckSat);
    if settings.declarations == KeptDeclarations::Used {
        drop_unused(&mut script);
    }
    let features = Features::of_script(&script);
    let fits = settings.logic.is_none_or(|logic| logic.include(&features));
    let forms = vocabulary.forms;
    fits.then(|| match forms.lambdas || forms.rows || forms.lifts && lifts_function(&script) {
        true => with_logic(script, HIGHER_ORDER_LOGIC),
        false => with_smallest_logic(script),
    })
}

/// Returns true if a script applies a function to values that may be missing, which cvc5 wants its higher-order logic for.
fn lifts_function(script: &Script) -> bool {
    let arena = script.arena();
    let is_lift = |term| matches!(arena.view(term), TermView::Application(head, _) if arena.text(head.symbol) == "nullable.lift");
    arena.reachable(script.assertions()).any(is_lift)
}

/// `(set-option :sets-exp true)`, from its two words.
fn option_command(words: &str) -> String {
    format!("(set-option :{words})\n")
}

fn draw_theories(settings: &GeneratorSettings, rng: &mut Rng) -> Vec<GeneratorTheory> {
    let mut theories = settings.theories.clone();
    if theories.len() > settings.mix {
        rng.shuffle(&mut theories);
        theories.truncate(1 + rng.below(settings.mix));
    }
    // Sorts built from other sorts come last.
    theories.sort_by_key(|theory| theory.facts("made").next().is_some());
    theories
}

/// Sets the logic of a script to the smallest that contains it.
pub fn with_smallest_logic(script: Script) -> Script {
    let smallest = logic::smallest(&script);
    with_logic(script, smallest)
}

fn with_logic(mut script: Script, logic: &str) -> Script {
    let symbol = script.arena_mut().symbol(logic);
    if let Some(place) = script.commands.iter().position(|command| matches!(command, Command::SetLogic(_))) {
        script.commands[place] = Command::SetLogic(symbol);
    }
    script
}

/// The operators that the settings allow.
fn operators(
    signature: &Arc<Signature>,
    settings: &GeneratorSettings,
    solvers: &[(&Profile, Option<&Version>)],
) -> Operators {
    let linear = settings.logic.is_some_and(|features| !features.nonlinear);
    let theories = || settings.theories.iter().copied().chain(GeneratorTheory::find("bool"));
    let says =
        |fact: &'static str, name: &str| theories().any(|theory| theory.words(fact).any(|n| n == name));
    let is_mode = |name: &str| ROUNDING_MODES.contains(&name);
    Operators::among(signature, solvers, |rank, table, name| {
        // A table of one solver may have operators of other theories, which are not wanted by themselves.
        let here = says("table", table) || table == "Ints" && says("borrow", name);
        let named = settings.operators.is_empty()
            || settings.operators.iter().any(|operator| operator == name)
            || signature
                .ranks_of(signature.find_symbol(name).unwrap_or(Symbol::BOOL))
                .iter()
                .all(|rank| rank.parameter_count() == 0);
        let mode = !is_mode(name) || settings.rounding_modes.iter().any(|mode| mode == name);
        here && named
            && mode
            && settings.habits.weights.get(name) != Some(&0)
            && !says("synonym", name)
            && !(linear && says("nonlinear", name))
            && rank.parameter_heads().chain(rank.result_head()).all(|head| settings.allows_sort(head))
    })
}

/// Checks that operators and rounding modes in the settings exist.
fn check_names(signature: &Signature, settings: &GeneratorSettings) -> Result<(), GeneratorSettingsError> {
    let kinds: Vec<String> = literal::ALL.iter().map(literal::LiteralKind::full_name).collect();
    let known = || {
        let names = signature.ranks().iter().map(|rank| signature.text(rank.name));
        names.chain(kinds.iter().map(String::as_str))
    };
    for name in settings.operators.iter().chain(settings.habits.weights.keys()) {
        if !known().any(|known| known == name) {
            let near = suggest::nearest(name, known(), suggest::max_edits(name).max(1));
            let hint = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
            return Err(GeneratorSettingsError(format!("unknown operator {name}{hint}")));
        }
    }
    for mode in &settings.rounding_modes {
        if !ROUNDING_MODES.contains(&mode.as_str()) {
            let known = ROUNDING_MODES.join(", ");
            return Err(GeneratorSettingsError(format!(
                "unknown rounding mode {mode}; expected one of {known}"
            )));
        }
    }
    Ok(())
}

/// Whether a term contains anything that a solver could choose a value for.
fn is_about_something(script: &Script, term: Term) -> bool {
    let arena = script.arena();
    arena.reachable([term]).any(|part| match arena.view(part) {
        TermView::Application(head, []) => head.symbol.index() >= arena.signature().symbol_count(),
        view => matches!(view, TermView::Bind(..)),
    })
}

/// Removes constants and functions that no assertion uses.
fn drop_unused(script: &mut Script) {
    let arena = script.arena();
    let mut used = vec![false; arena.symbol_count()];
    for term in arena.reachable(script.assertions()) {
        if let TermView::Application(head, _) = arena.view(term) {
            used[head.symbol.index()] = true;
            // `(_ map f)` and `(_ as-array f)` use a function as well.
            for index in head.indices {
                if let Index::Symbol(name) = index {
                    used[name.index()] = true;
                }
            }
        }
    }
    script.commands.retain(|command| match command {
        Command::Declare(_, name, ..) => used[name.index()],
        _ => true,
    });
}

#[cfg(test)]
mod tests;
