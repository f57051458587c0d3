//! The operators that mutations may use: rows of the theory tables, indexed by result sort.
//!
//! By default, these are the operators that all solvers of a campaign know according to their profiles.

mod classes;
mod files;

use std::sync::Arc;

use gainsay_smt::signature::{Rank, is_standard};
use gainsay_smt::{Arena, Literal, Signature, Sort, Symbol, Term, TermView};

use crate::random::Rng;
use gainsay_smt::operator_facts as facts;
use gainsay_solvers::profile::Profile;
use gainsay_solvers::version::Version;

use super::generate::theory::GeneratorTheory;

pub use classes::OperatorClasses;
pub use files::{OperatorFileError, load};

/// Theories beyond the standard that z3 and cvc5 share.
const SHARED_THEORIES: &[&str] = &["Sequences", "Finite_Fields"];

/// The only operator with literal arguments that mutations apply themselves.
const REGEX_RANGE: &str = "re.range";

/// The operators that mutations may use.
#[derive(Debug)]
pub struct Operators {
    signature: Arc<Signature>,
    ranks: Vec<Rank>,
    /// For each symbol, the ranks that result in sorts with that head.
    by_head: Vec<Vec<u32>>,
    /// The ranks whose result can be any sort.
    of_any: Vec<u32>,
    /// For each rank, the kinds of sorts that its arguments need, as bits.
    needs: Vec<u64>,
    /// The sort constructors that have a bit, in the order of their bits.
    kinds: Vec<Symbol>,
    binary: Vec<Symbol>,
    /// The theory that converts between reals and integers.
    of_integers: Option<usize>,
    range: Option<Symbol>,
    literal: Vec<Symbol>,
    /// Whether a term may also be replaced by another term of the script, as `(par (A) (id A A))` says.
    pub identity: bool,
    /// Which operators may replace which; `None` allows any that takes the same arguments.
    pub classes: Option<OperatorClasses>,
}

impl Operators {
    /// The operators of the standard, and those that z3 and cvc5 share.
    pub fn standard(signature: &Arc<Signature>) -> Operators {
        Operators::known_to(signature, &[])
    }

    /// The operators of [`Operators::standard`] that all these solvers know; for an unknown version, those known to all
    /// versions. The theories of one solver are added: all if the solvers are versions of it, otherwise those operators
    /// that take or make values of its own sorts, because only scripts with such sorts can have them, and no other solver gets these.
    pub fn known_to(signature: &Arc<Signature>, solvers: &[(&Profile, Option<&Version>)]) -> Operators {
        Operators::chosen(signature, |rank| {
            let (theory, name) = (signature.theories()[rank.theory].as_str(), signature.text(rank.name));
            (is_standard(theory) || SHARED_THEORIES.contains(&theory))
                && is_known(signature, rank, name, solvers)
                || is_own(signature, rank, solvers)
        })
    }

    /// The operators known to all these solvers for which `wanted` returns true, by rank, theory table and name.
    pub fn among(
        signature: &Arc<Signature>,
        solvers: &[(&Profile, Option<&Version>)],
        wanted: impl Fn(&Rank, &str, &str) -> bool,
    ) -> Operators {
        Operators::chosen(signature, |rank| {
            let (theory, name) = (signature.theories()[rank.theory].as_str(), signature.text(rank.name));
            wanted(rank, theory, name) && is_known(signature, rank, name, solvers)
        })
    }

    /// All ranks.
    pub fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// Returns true if a rank of the tables is among them.
    pub fn has(&self, rank: &Rank) -> bool {
        let is_same = |own: &Rank| {
            own.name == rank.name
                && own.theory == rank.theory
                && own.parameter_count() == rank.parameter_count()
        };
        self.ranks.iter().any(is_same)
    }

    /// The name of a rank's operator.
    pub fn name(&self, rank: &Rank) -> &str {
        self.signature.text(rank.name)
    }

    /// Whether all these solvers know an operator with this name, in a shared rank.
    pub fn is_known_to(signature: &Signature, name: &str, solvers: &[(&Profile, Option<&Version>)]) -> bool {
        let mut ranks = signature.ranks().iter().filter(|rank| signature.text(rank.name) == name);
        ranks.any(|rank| is_known(signature, rank, name, solvers))
    }

    /// The operators of a signature for which `allowed` returns true.
    pub fn chosen(signature: &Arc<Signature>, allowed: impl Fn(&Rank) -> bool) -> Operators {
        let literal = facts::names("literal");
        let symbols = |names: &[&str]| names.iter().filter_map(|name| signature.find_symbol(name)).collect();
        let mut operators = Operators {
            signature: Arc::clone(signature),
            ranks: Vec::new(),
            by_head: vec![Vec::new(); signature.symbol_count()],
            of_any: Vec::new(),
            needs: Vec::new(),
            kinds: Vec::new(),
            binary: symbols(&facts::names("binary")),
            of_integers: signature.theories().iter().position(|theory| theory == "Reals_Ints"),
            range: signature.find_symbol(REGEX_RANGE),
            literal: symbols(&literal),
            identity: false,
            classes: None,
        };
        let is_usable = |name: &str, rank: &Rank| {
            !literal.contains(&name)
                || name == REGEX_RANGE
                || rank.result_head() == Some(Symbol::REGLAN) && rank.parameter_count() == 1
        };
        let allowed = |rank: &&Rank| is_usable(signature.text(rank.name), rank) && allowed(rank);
        for rank in signature.ranks().iter().filter(allowed) {
            operators.add(rank.clone());
        }
        operators
    }

    fn add(&mut self, rank: Rank) {
        let row = self.ranks.len() as u32;
        match rank.result_head() {
            Some(head) => self.by_head[head.index()].push(row),
            None => self.of_any.push(row),
        }
        let mut needs = 0;
        for head in rank.parameter_heads() {
            needs |= self.kind(head);
        }
        // In a script with reals only, numerals are reals; an operator on integers would turn them into integers.
        if self.of_integers == Some(rank.theory) {
            needs |= self.kind(Symbol::INT);
        }
        self.needs.push(needs);
        self.ranks.push(rank);
    }

    /// The bit of a sort constructor, assigned on first use; constructors beyond the 63rd share the last bit.
    fn kind(&mut self, head: Symbol) -> u64 {
        let position = self.kinds.iter().position(|&kind| kind == head).unwrap_or_else(|| {
            self.kinds.push(head);
            self.kinds.len() - 1
        });
        1 << position.min(63)
    }

    /// The bits of the kinds of these sorts.
    pub fn kinds_of(&self, arena: &Arena, sorts: &[Sort]) -> u64 {
        let mut bits = 0;
        for &sort in sorts {
            let head = arena.view_sort(sort).head;
            if let Some(position) = self.kinds.iter().position(|&kind| kind == head) {
                bits |= 1 << position.min(63);
            }
        }
        bits
    }

    /// The number of operators with this result sort.
    pub fn count(&self, arena: &Arena, goal: Sort) -> usize {
        let [of_head, of_any] = self.rows(arena, goal);
        of_head.len() + of_any.len()
    }

    /// Operator `number` among those with this result sort, if terms exist for all its kinds of arguments.
    pub fn get(&self, arena: &Arena, goal: Sort, kinds: u64, number: usize) -> Option<&Rank> {
        let [of_head, of_any] = self.rows(arena, goal);
        let row = of_head.get(number).or_else(|| of_any.get(number - of_head.len()))?;
        let row = *row as usize;
        (self.needs[row] & !kinds == 0).then(|| &self.ranks[row])
    }

    fn rows(&self, arena: &Arena, goal: Sort) -> [&[u32]; 2] {
        let head = arena.view_sort(goal).head;
        let of_head = self.by_head.get(head.index()).map_or(&[][..], Vec::as_slice);
        [of_head, if is_first_class(goal) { &self.of_any } else { &[] }]
    }

    /// Draws the number of arguments for an operator: two to four if it is variadic.
    pub fn arity(&self, rank: &Rank, rng: &mut Rng) -> usize {
        let listed = rank.parameter_count();
        if !rank.repeats() || self.binary.contains(&rank.name) {
            return listed;
        }
        listed + [0, 0, 1, 2][rng.below(4)]
    }

    /// Whether an operator accepts an argument: the bounds of `re.range` must be characters.
    pub fn accepts(&self, rank: &Rank, arena: &Arena, argument: Term) -> bool {
        Some(rank.name) != self.range || is_character(arena, argument)
    }

    /// Whether all solvers accept an operator with `count` arguments.
    pub fn takes(&self, rank: &Rank, count: usize) -> bool {
        let listed = rank.parameter_count();
        count == listed || count > listed && rank.repeats() && !self.binary.contains(&rank.name)
    }

    /// The number of leading children of a term that may be changed, including their subterms.
    #[inline]
    pub fn changeable(&self, view: &TermView<'_>) -> usize {
        match view {
            // `((_ re.loop 1 3) r)` is safe to change, `(re.loop r 1 3)` is not.
            TermView::Application(head, children) => {
                let frozen = head.indices.is_empty() && self.literal.contains(&head.symbol);
                if frozen { 0 } else { children.len() }
            }
            TermView::Annotated(..) => 1,
            _ => view.children().len(),
        }
    }
}

/// Whether a rank is of a theory that only one of these solvers has.
fn is_own(signature: &Signature, rank: &Rank, solvers: &[(&Profile, Option<&Version>)]) -> bool {
    let (table, name) = (signature.theories()[rank.theory].as_str(), signature.text(rank.name));
    if is_standard(table) || SHARED_THEORIES.contains(&table) {
        return false;
    }
    let is_generated = |theory: GeneratorTheory| {
        theory.solver().is_some() && theory.tables().any(|own| own == table) && !theory.leaves_out(name)
    };
    let owners: Vec<bool> = solvers.iter().map(|(profile, _)| profile.knows(table)).collect();
    let marks = |head: Symbol| {
        let text = signature.text(head);
        GeneratorTheory::every().any(|theory| theory.marks().any(|mark| mark == text))
    };
    let has_own_sort = || rank.parameter_heads().chain(rank.result_head()).any(marks);
    owners.contains(&true)
        && (owners.iter().all(|&knows| knows) || has_own_sort())
        && GeneratorTheory::every().any(is_generated)
}

/// Whether all these solvers know a rank of an operator; ranks listed as unshared are known to too few.
fn is_known(
    signature: &Signature,
    rank: &Rank,
    name: &str,
    solvers: &[(&Profile, Option<&Version>)],
) -> bool {
    let theory = signature.theories()[rank.theory].as_str();
    let known = |(profile, version): &(&Profile, Option<&Version>)| {
        profile.knows(theory) && !is_missing(profile, *version, name)
    };
    let is_owner =
        |owner: &str| !solvers.is_empty() && solvers.iter().all(|(profile, _)| profile.name == owner);
    let is_unshared = |line: Vec<&str>| {
        line[0] == name
            && line[1].parse::<usize>() == Ok(rank.parameter_count())
            && !line.get(2).is_some_and(|owner| is_owner(owner))
    };
    !facts::lines("unshared").any(is_unshared) && solvers.iter().all(known)
}

/// Whether this version of a solver lacks an operator, or needs options for it.
fn is_missing(profile: &Profile, version: Option<&Version>, name: &str) -> bool {
    if profile.reluctant.iter().any(|row| row.name == name) {
        return true;
    }
    profile.dialect.iter().any(|row| {
        let of_version = match (&row.versions, version) {
            (Some(versions), Some(version)) => versions.contain(version),
            _ => true,
        };
        row.standard == name && row.spelled.is_none() && of_version
    })
}

/// Whether a term is a string literal with one unescaped character.
fn is_character(arena: &Arena, term: Term) -> bool {
    match arena.view(term) {
        TermView::Literal(Literal::String, text) => {
            let text = arena.text(text).as_bytes();
            text.len() == 3 && text[1] != b'\\'
        }
        _ => false,
    }
}

/// Whether parametric operators (`=`, `ite`, …) may use a sort: solvers do not compare regular expressions.
pub fn is_first_class(sort: Sort) -> bool {
    sort != Sort::REGLAN
}
