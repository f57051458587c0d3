//! Symbols: interned names.
//!
//! A [`Symbol`] is a small id for a piece of text: the name of a function, sort, variable or keyword, or
//! the spelling of a literal. `|a|` and `a` are one symbol, as the standard requires; the printer adds the
//! bars where they are needed.
//!
//! The names of the theories are interned once, in the signature, and shared by all scripts: a script's
//! own [`SymbolTable`] continues the shared one. Reading a small script would otherwise spend most of
//! its time copying a table of six hundred operators.

use std::hash::Hasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// An interned name; equal symbols of one script have equal text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub(crate) u32);

impl Symbol {
    /// The symbol's position, for tables with a row per symbol.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! known {
    ($($name:ident = $text:literal),+ $(,)?) => {
        /// The texts of the symbols that the code names, in the order of their ids.
        pub(crate) const KNOWN_SYMBOLS: &[&str] = &[$($text),+];
        impl Symbol { known!(@consts 0u32; $($name = $text),+); }
    };
    (@consts $id:expr; $name:ident = $text:literal $(, $rest:ident = $rest_text:literal)*) => {
        #[doc = concat!("The symbol `", $text, "`.")]
        pub const $name: Symbol = Symbol($id);
        known!(@consts $id + 1; $($rest = $rest_text),*);
    };
    (@consts $id:expr;) => {};
}

known! {
    LET = "let", FORALL = "forall", EXISTS = "exists", MATCH = "match", ANNOTATE = "!", UNDERSCORE = "_", AS = "as",
    LAMBDA = "lambda", CHOICE = "choice", COMPREHENSION = "set.comprehension",
    EMPTY = "", UNKNOWN = "?", BOOL = "Bool", INT = "Int", REAL = "Real", STRING = "String", REGLAN = "RegLan",
    ROUNDING_MODE = "RoundingMode", BITVEC = "BitVec", FLOATING_POINT = "FloatingPoint", ARRAY = "Array",
    ARROW = "->", FINITE_FIELD = "FiniteField",
    TRUE = "true", FALSE = "false", NOT = "not", AND = "and", OR = "or", IMPLIES = "=>", EQUAL = "=", ITE = "ite",
    MINUS = "-", IS = "is", UPDATE = "update", UPDATE_FIELD = "update-field", APPLY = "@", CONST = "const",
    SELECT = "select", STORE = "store", PLUS = "+", TIMES = "*", DIVIDE = "/", DIV = "div", MOD = "mod", ABS = "abs",
    LESS = "<", AT_MOST = "<=", GREATER = ">", AT_LEAST = ">=", DISTINCT = "distinct", TO_REAL = "to_real",
    SET = "Set", FINITE_SET = "FiniteSet", MAP = "map", AS_ARRAY = "as-array",
    BAG = "Bag", TUPLE_SORT = "Tuple", UNIT_TUPLE = "UnitTuple", TUPLE = "tuple", NULLABLE_SORT = "Nullable", NULL = "nullable.null",
    SOME = "nullable.some", EMPTY_HEAP = "sep.emp", NIL = "sep.nil", POINTS_TO = "pto", STAR = "sep", WAND = "wand",
    PATTERN = ":pattern", NO_PATTERN = ":no-pattern", NAMED = ":named", QID = ":qid",
}

impl Symbol {
    /// The last of the keywords that begin a term other than an application.
    pub(crate) const LAST_TERM_KEYWORD: Symbol = Symbol::COMPREHENSION;
}

/// A growing table of names with their ids.
#[derive(Clone, Default)]
pub(crate) struct SymbolTable {
    shared: Option<Arc<SymbolTable>>,
    first: u32,
    text: String,
    ends: Vec<u32>,
    /// The ids of own names, and of shared names that were looked up.
    table: HashTable<HashedName>,
}

/// A name's id and hash: growing the table does not read the texts again.
#[derive(Clone, Copy)]
struct HashedName {
    id: u32,
    hash: u32,
}

impl SymbolTable {
    /// The symbols that the code names.
    pub fn known() -> SymbolTable {
        let mut names = SymbolTable::default();
        for text in KNOWN_SYMBOLS {
            names.intern(text);
        }
        names
    }

    /// An empty table that continues `shared`, with capacity for `count` names.
    pub fn continuing(shared: &Arc<SymbolTable>, count: usize) -> SymbolTable {
        debug_assert!(shared.shared.is_none(), "one shared level is all that lookups know");
        SymbolTable {
            first: shared.len(),
            shared: Some(Arc::clone(shared)),
            text: String::with_capacity(count * 8),
            ends: Vec::with_capacity(count),
            table: HashTable::with_capacity(count),
        }
    }

    /// The number of names, shared ones included.
    pub fn len(&self) -> u32 {
        self.first + self.ends.len() as u32
    }

    /// The names in order, up to a number that is quick to look through.
    pub fn iter(&self) -> impl Iterator<Item = Symbol> {
        (0..self.len().min(100_000)).map(Symbol)
    }

    /// The id of `text`, which is added if it is new.
    #[inline]
    pub fn intern(&mut self, text: &str) -> Symbol {
        let hash = hash(text);
        match self.find(text, hash) {
            Some(symbol) => symbol,
            None => self.add(text, hash),
        }
    }

    #[cold]
    fn add(&mut self, text: &str, hash: u64) -> Symbol {
        let shared = self.shared.as_ref().and_then(|shared| shared.find(text, hash));
        let id = shared.map_or(self.len(), |symbol| symbol.0);
        if shared.is_none() {
            self.text.push_str(text);
            self.ends.push(self.text.len() as u32);
        }
        self.table.insert_unique(hash, HashedName { id, hash: hash as u32 }, |entry| spread(entry.hash));
        Symbol(id)
    }

    /// The id of `text`, if it has one.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        let hash = hash(text);
        self.find(text, hash).or_else(|| self.shared.as_ref()?.find(text, hash))
    }

    #[inline]
    fn find(&self, text: &str, hash: u64) -> Option<Symbol> {
        let same = |entry: &HashedName| entry.hash == hash as u32 && self.bytes(entry.id) == text.as_bytes();
        self.table.find(hash, same).map(|entry| Symbol(entry.id))
    }

    #[inline]
    fn bytes(&self, id: u32) -> &[u8] {
        match &self.shared {
            Some(shared) if id < self.first => shared.bytes(id),
            _ => {
                let (start, end) = self.range(id - self.first);
                &self.text.as_bytes()[start..end]
            }
        }
    }

    #[inline]
    fn range(&self, own: u32) -> (usize, usize) {
        let start = if own == 0 { 0 } else { self.ends[own as usize - 1] };
        (start as usize, self.ends[own as usize] as usize)
    }

    /// The text of `symbol`.
    #[inline]
    pub fn text(&self, symbol: Symbol) -> &str {
        match &self.shared {
            Some(shared) if symbol.0 < self.first => shared.text(symbol),
            _ => {
                let (start, end) = self.range(symbol.0 - self.first);
                &self.text[start..end]
            }
        }
    }
}

impl std::fmt::Debug for SymbolTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SymbolTable({})", self.len())
    }
}

#[inline]
fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    spread(hasher.finish() as u32)
}

/// A 64-bit hash from 32 bits, which are its lower half: a table takes its slots from the bottom of a
/// hash, where `FxHasher` leaves its best bits, and its tags from the top.
#[inline]
pub(crate) fn spread(hash: u32) -> u64 {
    u64::from(hash.wrapping_mul(0x9E37_79B9)) << 32 | u64::from(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_symbols_have_the_ids_of_their_constants() {
        let names = SymbolTable::known();
        assert_eq!(names.get("Bool"), Some(Symbol::BOOL));
        assert_eq!(names.text(Symbol::NAMED), ":named");
        assert_eq!(names.len() as usize, KNOWN_SYMBOLS.len(), "a known name is listed twice");
    }

    #[test]
    fn a_continued_set_keeps_the_shared_ids_and_adds_its_own() {
        let shared = Arc::new(SymbolTable::known());
        let mut names = SymbolTable::continuing(&shared, 0);
        assert_eq!(names.intern("and"), Symbol::AND);
        let x = names.intern("x");
        assert_eq!(x.0, shared.len());
        assert_eq!(names.intern("x"), x);
        assert_eq!((names.text(x), names.text(Symbol::AND)), ("x", "and"));
        assert_eq!(shared.get("x"), None);
    }
}
