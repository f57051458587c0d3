//! Which solvers know the operators and sorts of a script, by the tables of the theories.
//!
//! z3 has finite sets, cvc5 has bags: a case over one of these goes only to solvers whose profile lists the table. Names of the
//! standard in any spelling, and of tables that z3 and cvc5 share, restrict nothing here: for them, logics and spellings decide, as
//! they do for solvers whose profile lists no table beyond the standard. Constructs that have no row in a table count as well:
//! co-datatypes, updates of fields, arrays that a lambda gives outside of a higher-order logic, `nil` for `(as nil (List Int))`,
//! arrays that are used as sets, and options of `simplify`.

use std::collections::{BTreeSet, HashMap, HashSet};

use gainsay_smt::signature::is_standard;
use gainsay_smt::{Binder, Command, DatatypesForm, Index, Script, Signature, Sort, Symbol, TermView, Word};

use crate::solver::profile::Profile;
use crate::solver::profiles::Profiles;

/// The names of the tables that only some solvers have, and which solvers of a campaign have them.
#[derive(Debug, Default)]
pub struct TheoryOwners {
    /// By name, one entry for each solver.
    operators: HashMap<Symbol, Vec<bool>>,
    /// By sort constructor, one entry for each solver.
    sorts: HashMap<Symbol, Vec<bool>>,
    /// In the order of [`OWNED_CONSTRUCTS`], one entry for each solver.
    constructs: Vec<Vec<bool>>,
}

/// A construct that only some solvers have and that no row of a table names.
struct Construct {
    name: &'static str,
    is_in: fn(&Script) -> bool,
    /// Solvers whose profile lists this table have it.
    table: &'static str,
}

const OWNED_CONSTRUCTS: [Construct; 6] = [
    Construct { name: "declare-codatatypes", is_in: has_codatatypes, table: "CVC5_Datatypes" },
    Construct { name: "update", is_in: has_field_updates, table: "CVC5_Datatypes" },
    Construct { name: "lambda", is_in: has_lambda_arrays, table: "Z3_Arrays" },
    Construct { name: "sets as arrays", is_in: has_sets_as_arrays, table: "Z3_Arrays" },
    Construct { name: "options of simplify", is_in: has_simplify_options, table: "Z3_Core" },
    Construct {
        name: "a constructor without its sort",
        is_in: has_unqualified_constructor,
        table: "Z3_Core",
    },
];

fn has_codatatypes(script: &Script) -> bool {
    use DatatypesForm::{ManyCo, OldCo, SingleCo};
    let is_co =
        |command: &Command| matches!(command, Command::DeclareDatatypes(SingleCo | ManyCo | OldCo, _));
    script.commands.iter().any(is_co)
}

/// `((_ update first) pair 3)`, which z3 spells `update-field`.
fn has_field_updates(script: &Script) -> bool {
    let arena = script.arena();
    let is_update = |term| match arena.view(term) {
        TermView::Application(head, _) => {
            matches!(head.indices, [Index::Symbol(_)]) && arena.text(head.symbol) == "update"
        }
        _ => false,
    };
    arena.reachable(script.commands.iter().flat_map(Command::terms)).into_iter().any(is_update)
}

/// `(simplify t :som true)`
fn has_simplify_options(script: &Script) -> bool {
    script.commands.iter().any(|command| matches!(command, Command::Term(Word::Simplify, _, Some(_))))
}

/// `(cons 1 nil)`: z3 writes and infers such sorts; cvc5 takes `nil` for an element of another sort.
fn has_unqualified_constructor(script: &Script) -> bool {
    let arena = script.arena();
    let is_unqualified = |term| match arena.view(term) {
        TermView::Application(head, []) if head.qualifier.is_none() => {
            let sort = arena.sort_of(term);
            let is_function = arena.view_sort(sort).head == Symbol::ARROW;
            sort != Sort::UNKNOWN && !is_function && !arena.is_sort_of_values(sort)
        }
        _ => false,
    };
    arena.reachable(script.commands.iter().flat_map(Command::terms)).into_iter().any(is_unqualified)
}

fn has_lambda_arrays(script: &Script) -> bool {
    let arena = script.arena();
    let is_lambda = |term| matches!(arena.view(term), TermView::Bind(Binder::Lambda, ..));
    let is_higher_order = script.logic().is_some_and(|logic| logic.starts_with("HO_"));
    !is_higher_order
        && arena.reachable(script.commands.iter().flat_map(Command::terms)).into_iter().any(is_lambda)
}

/// `(union s t)` over arrays: cvc4 had operators of these names over its own sets.
fn has_sets_as_arrays(script: &Script) -> bool {
    const SET_OPERATORS: [&str; 5] = ["union", "intersection", "setminus", "complement", "subset"];
    let arena = script.arena();
    let is_set = |term| match arena.view(term) {
        TermView::Application(head, &[first, ..]) => {
            SET_OPERATORS.contains(&arena.text(head.symbol))
                && arena.view_sort(arena.sort_of(first)).head == Symbol::ARRAY
        }
        _ => false,
    };
    arena.reachable(script.commands.iter().flat_map(Command::terms)).into_iter().any(is_set)
}

impl TheoryOwners {
    /// For solvers with these profiles.
    pub fn new(profiles: &[&Profile], signature: &Signature) -> TheoryOwners {
        let theories = signature.theories();
        let (mut operators, mut sorts) = (NamedTables::new(), NamedTables::new());
        for rank in signature.ranks() {
            operators.entry(rank.name).or_default().insert(theories[rank.theory].as_str());
        }
        for (name, table) in signature.sort_theories() {
            sorts.entry(name).or_default().insert(table);
        }
        for (name, table, _) in signature.rankless() {
            if let Some(name) = signature.find_symbol(name) {
                operators.entry(name).or_default().insert(table);
            }
        }
        // The other spellings of standard operators are rewritten for each solver (`respell.rs`).
        for old in signature.old_names().filter_map(|(old, _)| signature.find_symbol(old)) {
            operators.remove(&old);
        }
        let keepers = TableKeepers::new();
        let knows = |table: &str| profiles.iter().map(|profile| lists_table(profile, [table])).collect();
        TheoryOwners {
            operators: keepers.owners(operators, profiles),
            sorts: keepers.owners(sorts, profiles),
            constructs: OWNED_CONSTRUCTS.iter().map(|construct| knows(construct.table)).collect(),
        }
    }

    /// For each solver, a sort or an operator of the script that it lacks. The list is empty if no solver lacks any, or if every
    /// solver lacks one: a script that none of them knows is sent to all of them.
    pub fn missing(&self, script: &Script) -> Vec<Option<String>> {
        let arena = script.arena();
        let (sorts, operators) = used_names(script);
        let of_sorts = sorts.iter().filter_map(|name| Some((*name, self.sorts.get(name)?)));
        let of_operators = operators.iter().filter_map(|name| Some((*name, self.operators.get(name)?)));
        let mut named: Vec<(Symbol, &Vec<bool>)> = of_sorts.chain(of_operators).collect();
        if !named.is_empty() {
            let declared = script.declared_names();
            named.retain(|(name, _)| !declared.contains(name));
        }
        let constructs = OWNED_CONSTRUCTS.iter().zip(&self.constructs);
        let constructs = constructs.filter(|(construct, _)| (construct.is_in)(script));
        let constructs = constructs.map(|(construct, known)| (construct.name, known));
        let owned: Vec<(&str, &Vec<bool>)> =
            named.iter().map(|(name, known)| (arena.text(*name), *known)).chain(constructs).collect();
        let Some((_, first)) = owned.first() else { return Vec::new() };
        let lacking = |place: usize| {
            let (name, _) = owned.iter().find(|(_, known)| !known[place])?;
            Some((*name).to_owned())
        };
        let missing: Vec<Option<String>> = (0..first.len()).map(lacking).collect();
        if missing.iter().all(Option::is_some) { Vec::new() } else { missing }
    }
}

/// The constructors of the sorts, and the operators, of a script, in the order of their first use.
fn used_names(script: &Script) -> (Vec<Symbol>, Vec<Symbol>) {
    let arena = script.arena();
    let mut sorts: Vec<Sort> = Vec::new();
    for command in &script.commands {
        if let Command::Declare(_, _, parameters, sort) = command {
            sorts.extend(parameters.iter().chain([sort]));
        }
    }
    let (mut operators, mut seen_operators) = (Vec::new(), HashSet::new());
    for term in arena.reachable(script.commands.iter().flat_map(Command::terms)) {
        sorts.push(arena.sort_of(term));
        if let TermView::Application(head, _) = arena.view(term)
            && seen_operators.insert(head.symbol)
        {
            operators.push(head.symbol);
        }
    }
    let (mut heads, mut seen_sorts) = (Vec::new(), HashSet::new());
    sorts.reverse();
    while let Some(sort) = sorts.pop() {
        if seen_sorts.insert(sort) {
            let view = arena.view_sort(arena.canonical(sort));
            heads.push(view.head);
            sorts.extend_from_slice(view.arguments);
        }
    }
    // The sort checker takes `(set.singleton 1)` for a set of cvc5, also among finite sets of z3.
    if heads.contains(&Symbol::FINITE_SET) {
        heads.retain(|head| *head != Symbol::SET);
    }
    (heads, operators)
}

/// Returns true if a profile lists one of the tables, or none at all.
fn lists_table<'a>(profile: &Profile, tables: impl IntoIterator<Item = &'a str>) -> bool {
    profile.theories.is_empty() || tables.into_iter().any(|table| profile.knows(table))
}

/// The tables that have each name.
type NamedTables<'a> = HashMap<Symbol, BTreeSet<&'a str>>;

/// The tables that the built-in profiles of z3 and cvc5 list.
struct TableKeepers(Profiles);

impl TableKeepers {
    fn new() -> TableKeepers {
        TableKeepers(Profiles::built_in())
    }

    fn lists(&self, solver: &str, table: &str) -> bool {
        self.0.get(solver).is_ok_and(|profile| profile.theories.iter().any(|name| name == table))
    }

    /// For each name that either z3 or cvc5 has, but not both, which of the profiles have it. Profiles that list no tables have all names.
    fn owners(&self, names: NamedTables<'_>, profiles: &[&Profile]) -> HashMap<Symbol, Vec<bool>> {
        let is_owned =
            |table: &str| !is_standard(table) && self.lists("z3", table) != self.lists("cvc5", table);
        // Tables that neither lists have the names of models, which scripts do not use.
        let is_kept =
            |table: &str| is_standard(table) || self.lists("z3", table) || self.lists("cvc5", table);
        let mut owners = HashMap::new();
        for (name, mut tables) in names {
            tables.retain(|table| is_kept(table));
            if !tables.is_empty() && tables.iter().all(|table| is_owned(table)) {
                let knows = |profile: &&Profile| lists_table(profile, tables.iter().copied());
                owners.insert(name, profiles.iter().map(knows).collect());
            }
        }
        owners
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(text: &str) -> Vec<Option<String>> {
        let signature = Signature::standard();
        let profiles = Profiles::built_in();
        let both = ["z3", "cvc5"].map(|name| &**profiles.get(name).unwrap());
        let script = Script::parse(text, &signature).unwrap_or_else(|error| panic!("{text}: {error}"));
        TheoryOwners::new(&both, &signature).missing(&script)
    }

    #[test]
    fn a_solver_lacks_the_sorts_and_operators_of_another() {
        let sets = "(declare-const s (FiniteSet Int))(assert (= (set.size s) 1))(check-sat)";
        assert_eq!(missing(sets), [None, Some("FiniteSet".to_owned())]);
        let singleton =
            "(declare-const s (FiniteSet Int))(assert (set.subset (set.singleton 1) s))(check-sat)";
        assert_eq!(missing(singleton), [None, Some("FiniteSet".to_owned())]);
        let bags = "(declare-const b (Array Int (Bag Int)))(assert (= b b))(check-sat)";
        assert_eq!(missing(bags), [Some("Bag".to_owned()), None]);
        let sums = "(declare-const p Bool)(assert ((_ at-most 1) p p))(check-sat)";
        assert_eq!(missing(sums), [None, Some("at-most".to_owned())]);
        let sums = "(declare-const p Bool)(assert ((_ pble 1 2 3) p p))(check-sat)";
        assert_eq!(missing(sums), [None, Some("pble".to_owned())]);
    }

    #[test]
    fn constructs_count_like_operators() {
        let streams = "(declare-codatatypes ((S 0)) (((more (rest S)))))(declare-const s S)(assert (= s (rest s)))(check-sat)";
        assert_eq!(missing(streams), [Some("declare-codatatypes".to_owned()), None]);
        let lambda = "(declare-const a (Array Int Int))(assert (= a (lambda ((x Int)) x)))(check-sat)";
        assert_eq!(missing(lambda), [None, Some("lambda".to_owned())]);
        let simplify = |options: &str| {
            missing(&format!("(declare-const x Int)(simplify (+ x x){options})(assert (> x 0))(check-sat)"))
        };
        assert_eq!(simplify(" :som true"), [None, Some("options of simplify".to_owned())]);
        assert_eq!(simplify(""), [None; 0]);
        let list = |nil: &str| {
            let head = "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))";
            missing(&format!("{head}(declare-const l (List Int))(assert (= l (cons 1 {nil})))(check-sat)"))
        };
        assert_eq!(list("nil"), [None, Some("a constructor without its sort".to_owned())]);
        assert_eq!(list("(as nil (List Int))"), [None; 0]);
        let function =
            "(set-logic HO_ALL)(declare-const f (-> Int Int))(assert (= f (lambda ((x Int)) x)))(check-sat)";
        assert_eq!(missing(function), [None; 0]);
    }

    #[test]
    fn shared_names_old_names_and_names_of_the_script_are_known_to_all() {
        let shared = "(declare-const s (Seq Int))(assert (= (seq.len s) 1))(check-sat)";
        assert_eq!(missing(shared), [None; 0]);
        let old = "(declare-const s String)(assert (str.in.re s (re.complement (str.to.re (int.to.str 1)))))(check-sat)";
        assert_eq!(missing(old), [None; 0]);
        let own = "(declare-fun insert (Int) Int)(assert (= (insert 1) 2))(check-sat)";
        assert_eq!(missing(own), [None; 0]);
        let own = "(declare-datatype List ((nil)))(declare-fun s (List) (Bag Int))(assert (= (s nil) (s nil)))(check-sat)";
        assert_eq!(missing(own), [Some("Bag".to_owned()), None], "a name of the script hides no other");
    }

    #[test]
    fn names_count_wherever_they_are() {
        let defined = "(define-fun f ((p Bool)) Bool ((_ at-most 1) p p))(assert (f true))(check-sat)";
        assert_eq!(missing(defined), [None, Some("at-most".to_owned())]);
        let assumed = "(declare-const p Bool)(check-sat-assuming (((_ at-most 1) p p)))";
        assert_eq!(missing(assumed), [None, Some("at-most".to_owned())]);
        let bound = "(assert (forall ((s (FiniteSet Int))) (= s s)))(check-sat)";
        assert_eq!(missing(bound), [None, Some("FiniteSet".to_owned())]);
    }

    #[test]
    fn a_script_that_no_solver_knows_and_a_solver_without_tables_restrict_nothing() {
        let mixed = "(declare-const s (FiniteSet Int))(declare-const b (Bag Int))(assert (= s s))(assert (= b b))(check-sat)";
        assert_eq!(missing(mixed), [None; 0]);
        let signature = Signature::standard();
        let profiles = Profiles::built_in();
        let both = ["generic", "cvc5"].map(|name| &**profiles.get(name).unwrap());
        let sets = "(declare-const s (FiniteSet Int))(assert (= s s))(check-sat)";
        let script = Script::parse(sets, &signature).unwrap();
        assert_eq!(
            TheoryOwners::new(&both, &signature).missing(&script),
            [None, Some("FiniteSet".to_owned())]
        );
    }
}
