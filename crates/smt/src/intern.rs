//! Interned slices: lists that are stored once and addressed by a small id.
//!
//! Variable lists, match cases, attributes and identifiers are such lists. Comparing two of them must be as
//! cheap as comparing two numbers, or hash-consing the terms that contain them would be slow.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// A set of slices of `T`, each with its id.
#[derive(Clone)]
pub(crate) struct SliceInterner<T> {
    items: Vec<T>,
    ends: Vec<u32>,
    table: HashTable<u32>,
}

impl<T> Default for SliceInterner<T> {
    fn default() -> Self {
        SliceInterner { items: Vec::new(), ends: Vec::new(), table: HashTable::new() }
    }
}

impl<T: Copy + Eq + Hash> SliceInterner<T> {
    /// The id of `slice`, which is added if it is new.
    pub fn intern(&mut self, slice: &[T]) -> u32 {
        let hash = hash(slice);
        if let Some(&id) = self.table.find(hash, |&id| self.get(id) == slice) {
            return id;
        }
        let id = self.ends.len() as u32;
        self.items.extend_from_slice(slice);
        self.ends.push(self.items.len() as u32);
        let (items, ends) = (&self.items, &self.ends);
        self.table.insert_unique(hash, id, |&id| self::hash(range(items, ends, id)));
        id
    }

    /// The slice with this id.
    pub fn get(&self, id: u32) -> &[T] {
        range(&self.items, &self.ends, id)
    }
}

impl<T> std::fmt::Debug for SliceInterner<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SliceInterner({})", self.ends.len())
    }
}

fn range<'a, T>(items: &'a [T], ends: &[u32], id: u32) -> &'a [T] {
    let start = if id == 0 { 0 } else { ends[id as usize - 1] };
    &items[start as usize..ends[id as usize] as usize]
}

fn hash<T: Hash>(slice: &[T]) -> u64 {
    let mut hasher = FxHasher::default();
    slice.hash(&mut hasher);
    hasher.finish()
}
