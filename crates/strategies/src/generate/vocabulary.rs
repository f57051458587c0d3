//! What terms of a script can be grown from: its sorts, constants and functions, and the operators of the theories.

use std::collections::HashMap;

use gainsay_smt::{Arena, Command, Script, Sort, Symbol};

use super::heap_growth::heap_sorts;
use crate::operators::{Operators, is_first_class};
use crate::random::Rng;
use crate::replacement::numbers;
use crate::survey::{CommandRange, DeclaredFunction, ScriptDeclarations};

/// How large terms grow, and from what.
#[derive(Debug, Clone)]
pub struct GrowthSettings {
    /// The largest depth of a term.
    pub depth: usize,
    /// The most operators in a term.
    pub size: usize,
    /// Percentage of terms above the last level that end early with a leaf.
    pub stop: usize,
    /// Percentage of leaves that are literals, if there are variables, too.
    pub literals: usize,
    /// Percentage of Boolean terms above the last level that are quantified.
    pub quantifiers: usize,
    /// Weights of operators; an operator that is not listed has weight 1.
    pub weights: HashMap<String, u32>,
}

impl Default for GrowthSettings {
    fn default() -> Self {
        GrowthSettings { depth: 4, size: 40, stop: 15, literals: 30, quantifiers: 0, weights: HashMap::new() }
    }
}

/// A constant of a script.
#[derive(Debug, Clone, Copy)]
pub struct ScriptConstant {
    /// Its name.
    pub name: Symbol,
    /// Its sort, canonical.
    pub sort: Sort,
    /// The commands where it is declared.
    pub span: CommandRange,
}

/// What terms of a script can be grown from.
#[derive(Debug)]
pub struct TermVocabulary<'a> {
    /// The operators.
    pub operators: &'a Operators,
    /// How large terms grow.
    pub habits: &'a GrowthSettings,
    /// The sorts that terms can have.
    pub sorts: Vec<Sort>,
    /// The sorts that parametric operators may use.
    pub comparable: Vec<Sort>,
    /// Numbers worth trying as indices.
    pub numbers: Vec<u32>,
    /// The constants of the script.
    pub constants: Vec<ScriptConstant>,
    /// Its functions, and the functions of its datatypes.
    pub functions: Vec<DeclaredFunction>,
    declared: ScriptDeclarations,
    /// The kinds of the sorts, as bits.
    pub kinds: u64,
    /// The sorts of locations and data of the heap that the script declares.
    pub heap: Option<(Sort, Sort)>,
    /// What else terms can be grown from: forms that are no rows of the tables.
    pub forms: GrownForms,
}

/// Forms of terms that are no rows of the tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GrownForms {
    /// Arrays given by functions: `lambda`, `(_ map f)`, `(_ as-array f)`.
    pub tables: bool,
    /// Weighted sums of Booleans: `(_ pble k c1 c2)`.
    pub sums: bool,
    /// Functions over the elements of sequences: `seq.mapi`, `seq.foldl`, `seq.foldli`.
    pub folds: bool,
    /// Tuples and relations: `tuple`, `rel.join`, `rel.tclosure`.
    pub relations: bool,
    /// Tables (bags of tuples), and operators of relations that tables have, too: `table.join`, `rel.project`.
    pub rows: bool,
    /// Functions of values that may be missing: `(_ nullable.lift f)`.
    pub lifts: bool,
    /// Formulas about the heap: `pto`, `sep.nil`.
    pub heaps: bool,
    /// Orders and closures: `(_ partial-order 0)`, `(_ transitive-closure f)`.
    pub orders: bool,
    /// Functions as values: `lambda`, partial application, functions as arguments.
    pub lambdas: bool,
}

impl GrownForms {
    /// The operators of such forms, each with its form.
    pub const FORM_OPERATORS: &'static [(&'static str, &'static str)] = &[
        ("map", "tables"),
        ("as-array", "tables"),
        ("pble", "sums"),
        ("pbge", "sums"),
        ("pbeq", "sums"),
        ("seq.mapi", "folds"),
        ("seq.foldl", "folds"),
        ("seq.foldli", "folds"),
        ("tuple", "relations"),
        ("tuple.select", "relations"),
        ("tuple.update", "relations"),
        ("tuple.project", "relations"),
        ("rel.transpose", "relations"),
        ("rel.product", "relations"),
        ("rel.join", "relations"),
        ("rel.tclosure", "relations"),
        ("rel.iden", "relations"),
        ("rel.join_image", "relations"),
        ("table.product", "rows"),
        ("table.project", "rows"),
        ("table.join", "rows"),
        ("table.group", "rows"),
        ("rel.project", "rows"),
        ("rel.table_join", "rows"),
        ("rel.group", "rows"),
        ("nullable.lift", "lifts"),
        ("pto", "heaps"),
        ("sep.nil", "heaps"),
        ("partial-order", "orders"),
        ("linear-order", "orders"),
        ("piecewise-linear-order", "orders"),
        ("tree-order", "orders"),
        ("transitive-closure", "orders"),
    ];
}

impl<'a> TermVocabulary<'a> {
    /// The vocabulary of a script that also has terms of the sorts in `others`.
    pub fn of(
        script: &Script,
        others: &[Sort],
        operators: &'a Operators,
        habits: &'a GrowthSettings,
    ) -> TermVocabulary<'a> {
        let arena = script.arena();
        let mut declared = ScriptDeclarations::of(script);
        let mut constants = Vec::new();
        let mut sorts = vec![Sort::BOOL];
        let mut add = |sort: Sort| {
            if arena.is_sort_of_values(sort) && !sorts.contains(&sort) {
                sorts.push(sort);
            }
        };
        for command in &script.commands {
            let Command::Declare(_, name, parameters, sort) = command else { continue };
            let sort = arena.canonical(*sort);
            add(sort);
            if parameters.is_empty() {
                constants.push((*name, sort));
            }
        }
        others.iter().for_each(|&sort| add(sort));
        // Strings come with regular expressions, and floats with rounding modes, even if the script declares none.
        let floats = sorts.iter().any(|&sort| arena.view_sort(sort).head == Symbol::FLOATING_POINT);
        let mode = arena.find_sort(Symbol::ROUNDING_MODE, &[]).filter(|_| floats);
        let expressions = sorts.contains(&Sort::STRING).then_some(Sort::REGLAN);
        for sort in mode.into_iter().chain(expressions) {
            if !sorts.contains(&sort) {
                sorts.push(sort);
            }
        }
        declared.finish(script, &sorts);
        let functions = declared.functions.clone();
        let span = |name: Symbol| declared.function(name).unwrap_or(CommandRange::NO_COMMAND);
        let constants = constants
            .into_iter()
            .map(|(name, sort)| ScriptConstant { name, sort, span: span(name) })
            .collect();
        TermVocabulary {
            operators,
            habits,
            comparable: sorts.iter().copied().filter(|&sort| is_first_class(sort)).collect(),
            numbers: numbers(arena, &sorts),
            kinds: operators.kinds_of(arena, &sorts),
            heap: heap_sorts(script, &sorts),
            sorts,
            constants,
            functions,
            declared,
            forms: GrownForms::default(),
        }
    }

    /// Adds the sorts of constants that are functions, for scripts of higher-order logic.
    pub fn add_function_sorts(&mut self, arena: &Arena) {
        for constant in &self.constants {
            let is_function = arena.view_sort(constant.sort).head == Symbol::ARROW;
            if is_function && !self.sorts.contains(&constant.sort) {
                self.sorts.push(constant.sort);
                self.comparable.push(constant.sort);
            }
        }
        self.kinds = self.operators.kinds_of(arena, &self.sorts);
    }

    /// Whether a name means the theory operator in this script.
    pub fn has_operator(&self, name: Symbol) -> bool {
        self.declared.function(name).is_none()
    }

    /// Whether this operator or kind of literal has a non-zero weight.
    pub fn wants(&self, name: &str) -> bool {
        self.habits.weights.get(name) != Some(&0)
    }

    /// Draws one of `names` by weight.
    pub fn weighted<'n>(&self, names: &[(usize, &'n str)], rng: &mut Rng) -> Option<(usize, &'n str)> {
        if self.habits.weights.is_empty() {
            return rng.choose(names).copied();
        }
        let weight = |name: &str| self.habits.weights.get(name).copied().unwrap_or(1) as usize;
        let total: usize = names.iter().map(|(_, name)| weight(name)).sum();
        let mut rest = if total == 0 { return None } else { rng.below(total) };
        names.iter().copied().find(|(_, name)| {
            let (here, weight) = (rest, weight(name));
            rest = rest.saturating_sub(weight);
            here < weight
        })
    }
}
