//! Which solvers know the operators and sorts of a script, by the tables of the theories.
//!
//! z3 has finite sets, cvc5 has bags: a case over one of these goes only to solvers whose profile lists the table. Names of the
//! standard, and of tables that z3 and cvc5 share, restrict nothing here: for them, logics and spellings decide.

use std::collections::{HashMap, HashSet};

use gainsay_smt::signature::is_standard;
use gainsay_smt::{Command, Script, Signature, Sort, Symbol, TermView};

use crate::solver::profile::Profile;
use crate::solver::profiles::Profiles;

/// The names of the tables that only some solvers have, and which solvers of a campaign have them.
#[derive(Debug, Default)]
pub struct TheoryOwners {
    /// By name, one entry for each solver.
    operators: HashMap<Symbol, Vec<bool>>,
    /// By sort constructor, one entry for each solver.
    sorts: HashMap<Symbol, Vec<bool>>,
}

impl TheoryOwners {
    /// For solvers with these profiles.
    pub fn new(profiles: &[&Profile], signature: &Signature) -> TheoryOwners {
        let theories = signature.theories();
        let mut operators: HashMap<Symbol, Vec<&str>> = HashMap::new();
        let mut sorts: HashMap<Symbol, Vec<&str>> = HashMap::new();
        for rank in signature.ranks() {
            let theory = theories[rank.theory].as_str();
            operators.entry(rank.name).or_default().push(theory);
            for head in rank.parameter_heads().chain(rank.result_head()) {
                sorts.entry(head).or_default().push(theory);
            }
        }
        for (name, theory, _) in signature.rankless() {
            if let Some(name) = signature.find_symbol(name) {
                operators.entry(name).or_default().push(theory);
            }
        }
        let owned_tables = owned_tables(theories);
        let owners = |names: HashMap<Symbol, Vec<&str>>| {
            let owned = names
                .into_iter()
                .filter(|(_, tables)| tables.iter().all(|table| owned_tables.contains(table)));
            let knows = |profile: &&Profile, tables: &[&str]| tables.iter().any(|table| profile.knows(table));
            owned
                .map(|(name, tables)| (name, profiles.iter().map(|one| knows(one, &tables)).collect()))
                .collect()
        };
        TheoryOwners { operators: owners(operators), sorts: owners(sorts) }
    }

    /// For each solver, an operator or a sort of the script that it lacks; an empty list if none lacks any.
    pub fn missing(&self, script: &Script) -> Vec<Option<String>> {
        let arena = script.arena();
        let mut missing = Vec::new();
        let mut note = |symbol: Symbol, known: Option<&Vec<bool>>| {
            let Some(known) = known else { return };
            missing.resize(known.len(), None);
            for (place, _) in known.iter().enumerate().filter(|(_, knows)| !**knows) {
                missing[place].get_or_insert_with(|| arena.text(symbol).to_owned());
            }
        };
        let mut declared: Vec<Sort> = Vec::new();
        for command in &script.commands {
            if let Command::Declare(_, _, parameters, sort) = command {
                declared.extend(parameters.iter().chain([sort]).map(|&sort| arena.canonical(sort)));
            }
        }
        while let Some(sort) = declared.pop() {
            let view = arena.view_sort(sort);
            note(view.head, self.sorts.get(&view.head));
            declared.extend_from_slice(view.arguments);
        }
        for term in arena.reachable(script.assertions()) {
            if let TermView::Application(head, _) = arena.view(term) {
                note(head.symbol, self.operators.get(&head.symbol));
            }
        }
        if missing.iter().any(Option::is_some) {
            let own: Vec<&str> = script.declared_names().into_iter().map(|name| arena.text(name)).collect();
            for lacking in &mut missing {
                lacking.take_if(|name| own.contains(&name.as_str()));
            }
        }
        missing
    }
}

/// The tables beyond the standard that either z3 or cvc5 has, but not both.
fn owned_tables(tables: &[String]) -> HashSet<&str> {
    let profiles = Profiles::built_in();
    let lists = |solver: &str, table: &str| {
        profiles.get(solver).is_ok_and(|profile| profile.theories.iter().any(|name| name == table))
    };
    let is_owned = |table: &&str| !is_standard(table) && lists("z3", table) != lists("cvc5", table);
    tables.iter().map(String::as_str).filter(is_owned).collect()
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
        let bags = "(declare-const b (Array Int (Bag Int)))(assert (= b b))(check-sat)";
        assert_eq!(missing(bags), [Some("Bag".to_owned()), None]);
        let sums = "(declare-const p Bool)(assert ((_ at-most 1) p p))(check-sat)";
        assert_eq!(missing(sums), [None, Some("at-most".to_owned())]);
        let sums = "(declare-const p Bool)(assert ((_ pble 1 2 3) p p))(check-sat)";
        assert_eq!(missing(sums), [None, Some("pble".to_owned())]);
    }

    #[test]
    fn shared_names_and_names_of_the_script_are_known_to_all() {
        let shared = "(declare-const s (Seq Int))(assert (= (seq.len s) 1))(check-sat)";
        assert_eq!(missing(shared), [None; 0]);
        let own = "(declare-fun insert (Int) Int)(assert (= (insert 1) 2))(check-sat)";
        assert!(missing(own).iter().all(Option::is_none));
    }
}
