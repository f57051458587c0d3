//! Sets of sites.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::target::CoverageTarget;

/// A set of sites by their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReachedSites {
    bits: Vec<u64>,
    count: usize,
}

impl ReachedSites {
    /// Adds a site; returns true if it is new.
    pub fn insert(&mut self, site: u32) -> bool {
        let (word, bit) = (site as usize / 64, 1_u64 << (site % 64));
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        self.count += usize::from(is_new);
        is_new
    }

    /// Returns true if a site is in the set.
    pub fn contains(&self, site: u32) -> bool {
        self.bits.get(site as usize / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
    }

    /// The number of sites in the set.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Its sites, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.bits.iter().enumerate().flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| (word * 64 + bit) as u32)
        })
    }

    /// The set as hexadecimal digits, sixteen for 64 sites.
    pub fn to_hex(&self) -> String {
        self.bits.iter().map(|word| format!("{word:016x}")).collect()
    }

    /// Reads a set from hexadecimal digits; `None` if the text has other characters.
    pub fn from_hex(text: &str) -> Option<Self> {
        if !text.is_ascii() || !text.len().is_multiple_of(16) {
            return None;
        }
        let words = text.as_bytes().chunks_exact(16);
        let word = |digits| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let bits: Vec<u64> = words.map(word).collect::<Option<_>>()?;
        let count = bits.iter().map(|word| word.count_ones() as usize).sum();
        Some(ReachedSites { bits, count })
    }

    /// The functions that have a site in the set, in order.
    pub fn functions(&self, target: &CoverageTarget) -> Vec<u32> {
        let mut is_reached = vec![false; target.functions.len()];
        for site in self.iter() {
            if let Some(site) = target.sites.get(site as usize) {
                is_reached[site.function as usize] = true;
            }
        }
        (0..).zip(is_reached).filter_map(|(function, reached)| reached.then_some(function)).collect()
    }
}

/// A set of sites, cheap to copy; in records as hexadecimal digits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReachedRecord(Arc<ReachedSites>);

impl ReachedRecord {
    /// A record of these sites.
    pub fn new(sites: ReachedSites) -> Self {
        ReachedRecord(Arc::new(sites))
    }

    /// The sites.
    pub fn sites(&self) -> &ReachedSites {
        &self.0
    }
}

impl Serialize for ReachedRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_hex())
    }
}

impl<'de> Deserialize<'de> for ReachedRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let sites = ReachedSites::from_hex(&text).ok_or_else(|| D::Error::custom("not a set of sites"))?;
        Ok(ReachedRecord::new(sites))
    }
}

impl Extend<u32> for ReachedSites {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, sites: I) {
        for site in sites {
            self.insert(site);
        }
    }
}

impl FromIterator<u32> for ReachedSites {
    fn from_iter<I: IntoIterator<Item = u32>>(sites: I) -> Self {
        let mut set = ReachedSites::default();
        set.extend(sites);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_counts_each_site_once() {
        let set: ReachedSites = [64, 3, 64, 200].into_iter().collect();
        assert_eq!(set.len(), 3);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 200]);
        assert_eq!(ReachedSites::from_hex(&set.to_hex()), Some(set.clone()));
        assert_eq!(ReachedSites::from_hex("00"), None);
        assert!(set.contains(200) && !set.contains(201) && !set.contains(100_000));
    }
}
