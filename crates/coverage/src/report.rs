//! Sums up the reached sites by function, by scope (the outermost namespace or class) or by source folder, and lists the others.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::name;
use crate::reached::ReachedSites;
use crate::target::{CoverageTarget, Level};

/// How much of a target was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, Deserialize)]
pub struct CoverageSummary {
    /// Functions that were reached.
    pub functions_reached: usize,
    /// All functions.
    pub functions: usize,
    /// Sites that were reached: functions, blocks or starts of lines.
    pub sites_reached: usize,
    /// All sites.
    pub sites: usize,
    /// Lines that were reached, if there are lines.
    pub lines_reached: usize,
    /// All lines.
    pub lines: usize,
    /// Functions whose blocks cannot be told.
    pub left_out: usize,
}

/// The functions of one scope or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScopeRow {
    /// Its name.
    pub scope: String,
    /// Functions that were reached; lines, if there are lines.
    pub reached: usize,
    /// All of them.
    pub all: usize,
}

/// A function that was not reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreachedFunction {
    /// Its name, as in the source.
    pub name: String,
    /// Its code in bytes.
    pub bytes: u64,
}

/// Sums up a set of sites.
pub fn summarise(target: &CoverageTarget, reached: &ReachedSites) -> CoverageSummary {
    let lines = lines(target, reached);
    CoverageSummary {
        functions_reached: reached.functions(target).len(),
        functions: covered_functions(target).iter().filter(|covered| **covered).count(),
        sites_reached: reached.len(),
        sites: target.sites.len(),
        lines_reached: lines.values().filter(|reached| **reached).count(),
        lines: lines.len(),
        left_out: target.left_out,
    }
}

/// The scopes of functions, or the folders of lines; those with the most unreached first.
pub fn by_scope(target: &CoverageTarget, reached: &ReachedSites) -> Vec<ScopeRow> {
    let mut rows: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut count = |scope: String, is_reached: bool| {
        let row = rows.entry(scope).or_default();
        row.0 += usize::from(is_reached);
        row.1 += 1;
    };
    if target.level == Level::Lines {
        for ((file, _), is_reached) in lines(target, reached) {
            count(file.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned(), is_reached);
        }
    } else {
        let mut is_reached = vec![false; target.functions.len()];
        for function in reached.functions(target) {
            is_reached[function as usize] = true;
        }
        let covered = covered_functions(target);
        for ((function, is_reached), covered) in target.functions.iter().zip(is_reached).zip(covered) {
            if covered {
                count(name::scope(&function.symbol), is_reached);
            }
        }
    }
    let mut rows: Vec<ScopeRow> =
        rows.into_iter().map(|(scope, (reached, all))| ScopeRow { scope, reached, all }).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.all - row.reached));
    rows
}

/// The functions that were not reached, the largest first.
pub fn unreached(target: &CoverageTarget, reached: &ReachedSites, most: usize) -> Vec<UnreachedFunction> {
    let mut missing = covered_functions(target);
    for function in reached.functions(target) {
        missing[function as usize] = false;
    }
    let mut list: Vec<_> = target
        .functions
        .iter()
        .zip(missing)
        .filter(|(_, missing)| *missing)
        .map(|(function, _)| function)
        .collect();
    list.sort_by(|one, other| (other.size, &one.symbol).cmp(&(one.size, &other.symbol)));
    list.truncate(most);
    let describe = |function: &&crate::target::CoveredFunction| UnreachedFunction {
        name: name::demangle(&function.symbol),
        bytes: function.size,
    };
    list.iter().map(describe).collect()
}

/// The names of functions, as in the source, sorted.
pub fn names(target: &CoverageTarget, functions: &[u32]) -> Vec<String> {
    let name = |&function: &u32| name::demangle(&target.functions[function as usize].symbol);
    let mut names: Vec<String> = functions.iter().map(name).collect();
    names.sort();
    names
}

/// Which functions have a site.
fn covered_functions(target: &CoverageTarget) -> Vec<bool> {
    let mut covered = vec![false; target.functions.len()];
    for site in &target.sites {
        covered[site.function as usize] = true;
    }
    covered
}

/// The lines, and whether they were reached.
pub fn lines<'a>(target: &'a CoverageTarget, reached: &ReachedSites) -> BTreeMap<(&'a str, u64), bool> {
    let mut lines = BTreeMap::new();
    for (number, site) in (0..).zip(&target.sites) {
        if let Some(line) = site.line.and_then(|line| target.lines.get(line as usize)) {
            *lines.entry((&*line.file, line.line)).or_insert(false) |= reached.contains(number);
        }
    }
    lines
}
