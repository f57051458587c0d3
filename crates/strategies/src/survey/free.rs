//! Sets of free variables, numbered; 0 is the empty set.
//!
//! Most terms have the same free variables as one of their children, so most sets are shared.

use gainsay_smt::Variable;

/// The number of a set.
pub type SetId = u32;

/// The set of a term without free variables.
pub const NO_VARIABLES: SetId = 0;
/// The set of a term with too many free variables.
pub const TOO_MANY_VARIABLES: SetId = u32::MAX;

/// The most free variables recorded; a term with more cannot be moved.
const MAX_FREE_VARIABLES: usize = 256;

/// The sets of the terms of one script.
#[derive(Debug)]
pub struct FreeSets {
    variables: Vec<Variable>,
    ends: Vec<u32>,
    scratch: Vec<Variable>,
}

impl FreeSets {
    /// Only the empty set.
    pub fn new() -> FreeSets {
        FreeSets { variables: Vec::new(), ends: vec![0], scratch: Vec::new() }
    }

    /// The variables of a set, sorted.
    pub fn get(&self, set: SetId) -> &[Variable] {
        let start = if set == NO_VARIABLES { 0 } else { self.ends[set as usize - 1] };
        &self.variables[start as usize..self.ends[set as usize] as usize]
    }

    /// The set of one variable.
    pub fn single(&mut self, variable: Variable) -> SetId {
        self.add(&[variable])
    }

    /// The variables of both sets.
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        match (a, b) {
            (TOO_MANY_VARIABLES, _) | (_, TOO_MANY_VARIABLES) => return TOO_MANY_VARIABLES,
            (NO_VARIABLES, other) | (other, NO_VARIABLES) => return other,
            _ if a == b => return a,
            _ => {}
        }
        let mut all = std::mem::take(&mut self.scratch);
        all.clear();
        merge(self.get(a), self.get(b), &mut all);
        let set = match all.len() {
            length if length == self.get(a).len() => a,
            length if length == self.get(b).len() => b,
            length if length > MAX_FREE_VARIABLES => TOO_MANY_VARIABLES,
            _ => self.add(&all),
        };
        self.scratch = all;
        set
    }

    /// A set without bound variables.
    pub fn without(&mut self, set: SetId, bound: &[Variable]) -> SetId {
        let is_bound = |variable: &Variable| bound.iter().any(|b| b.name == variable.name);
        if set == TOO_MANY_VARIABLES || !self.get(set).iter().any(is_bound) {
            return set;
        }
        let mut rest = std::mem::take(&mut self.scratch);
        rest.clear();
        rest.extend(self.get(set).iter().filter(|variable| !is_bound(variable)));
        let set = if rest.is_empty() { NO_VARIABLES } else { self.add(&rest) };
        self.scratch = rest;
        set
    }

    fn add(&mut self, set: &[Variable]) -> SetId {
        self.variables.extend_from_slice(set);
        self.ends.push(self.variables.len() as u32);
        self.ends.len() as u32 - 1
    }
}

fn merge(a: &[Variable], b: &[Variable], all: &mut Vec<Variable>) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(&&left), Some(&&right)) = (a.peek(), b.peek()) {
        all.push(left.min(right));
        if left <= right {
            a.next();
        }
        if right <= left {
            b.next();
        }
    }
    all.extend(a);
    all.extend(b);
}
