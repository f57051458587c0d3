//! Versions of solvers and of their packages, and ranges of versions.
//!
//! A package index has `4.8.5.0` and `2.6.5.post24`; users write `4.8.5` and `2.6.5`. One type reads both, ordered by PEP 440
//! as far as solver packages use it, and [`Version::short`] turns the first form into the second.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A version: release numbers, then whether it comes before (`a`, `b`, `rc`, `dev`) or after (`post`) that release.
#[derive(Debug, Clone)]
pub struct Version {
    release: Vec<u64>,
    /// Dev, alpha, beta and candidate releases sort below the release itself, by this key.
    before: Option<(u8, u64)>,
    post: Option<u64>,
}

impl Version {
    /// Returns true for prereleases, which `@latest` and ranges leave out.
    pub fn is_prerelease(&self) -> bool {
        self.before.is_some()
    }

    /// The short form: no post release, and no fourth number that is zero.
    ///
    /// `4.8.5.0` becomes `4.8.5`, `2.6.5.post24` becomes `2.6.5`, `4.4.2.1` stays.
    pub fn short(&self) -> Version {
        let mut release = self.release.clone();
        while release.len() > 3 && release.last() == Some(&0) {
            release.pop();
        }
        Version { release, before: self.before, post: None }
    }

    fn key(&self) -> (&[u64], (u8, u64), u64) {
        let zeros = self.release.iter().rev().take_while(|&&part| part == 0).count();
        let release = &self.release[..self.release.len() - zeros];
        (release, self.before.unwrap_or((u8::MAX, 0)), self.post.map_or(0, |post| post + 1))
    }

    /// The differences of the numbers of two versions; the first one counts most.
    fn distance(&self, other: &Version) -> Vec<u64> {
        let part = |version: &Version, i: usize| version.release.get(i).copied().unwrap_or(0);
        let length = self.release.len().max(other.release.len());
        (0..length).map(|i| part(self, i).abs_diff(part(other, i))).collect()
    }

    /// The version of `known` to suggest for one that does not exist: its neighbour below or above, whichever is nearer.
    pub fn nearest<'a>(&self, known: &'a [Version]) -> Option<&'a Version> {
        let below = known.iter().filter(|version| *version <= self).max();
        let above = known.iter().filter(|version| *version > self).min();
        // Numbers of different versions do not compare: 4.8.17 is nearer to 4.9.0 than 4.8.5 is. So neighbours come first.
        below.into_iter().chain(above).min_by_key(|version| self.distance(version))
    }
}

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        let wrong = || InvalidVersion(text.to_owned());
        // A local part (`+cuda`) names a build, not a version.
        let public = text.split('+').next().unwrap_or_default();
        let public = public.strip_prefix('v').unwrap_or(public).to_ascii_lowercase();
        let numbers = public.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(public.len());
        let (release, suffix) = public.split_at(numbers);
        let release: Result<Vec<u64>, _> =
            release.trim_end_matches('.').split('.').map(str::parse::<u64>).collect();
        let release = release.map_err(|_| wrong())?;
        let mut version = Version { release, before: None, post: None };
        version.read_suffix(suffix).ok_or_else(wrong)?;
        Ok(version)
    }
}

impl Version {
    /// Reads `rc1`, `.post24`, `.dev3`, `a1.dev2`: words with numbers.
    fn read_suffix(&mut self, mut suffix: &str) -> Option<()> {
        loop {
            suffix = suffix.trim_start_matches(['.', '-', '_']);
            if suffix.is_empty() {
                return Some(());
            }
            let word = suffix.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(suffix.len());
            let (word, rest) = suffix.split_at(word);
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (digits, rest) = rest.split_at(digits);
            let number = if digits.is_empty() { 0 } else { digits.parse().ok()? };
            match word {
                "dev" => self.before = self.before.or(Some((0, number))),
                "a" | "alpha" => self.before = Some((1, number)),
                "b" | "beta" => self.before = Some((2, number)),
                "rc" | "c" | "pre" | "preview" => self.before = Some((3, number)),
                "post" | "rev" | "r" => self.post = Some(number),
                _ => return None,
            }
            suffix = rest;
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.release.iter().map(u64::to_string).collect();
        f.write_str(&numbers.join("."))?;
        if let Some((stage, number)) = self.before {
            write!(f, "{}{number}", [".dev", "a", "b", "rc"][usize::from(stage)])?;
        }
        self.post.map_or(Ok(()), |post| write!(f, ".post{post}"))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A text that is not a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", invalid_message(.0))]
pub struct InvalidVersion(pub String);

fn invalid_message(text: &str) -> String {
    match text.split_once("..").map(|(first, last)| (first.parse::<Version>(), last.parse::<Version>())) {
        Some((Ok(first), Ok(last))) if first > last => {
            format!("the range {text} is empty: write the older release first, {last}..{first}")
        }
        _ => format!("`{text}` is not a version; write it like 4.8.10, 4.8.8..4.8.17 or latest"),
    }
}

/// A set of versions: `4.8.10`, `latest`, `4.8.8..4.8.17`, `4.12..`, `..4.8.8`; both ends are included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Versions {
    /// The newest, without prereleases.
    Latest,
    /// Just this one.
    Exactly(Version),
    /// All from the first to the last; `None` for an open end.
    Between(Option<Version>, Option<Version>),
}

impl Versions {
    /// Returns true if `version` is among them; always false for `Latest`, which depends on other versions.
    pub fn contain(&self, version: &Version) -> bool {
        match self {
            Versions::Latest => false,
            Versions::Exactly(wanted) => wanted == version,
            Versions::Between(first, last) => {
                first.as_ref().is_none_or(|first| first <= version)
                    && last.as_ref().is_none_or(|last| version <= last)
            }
        }
    }

    /// The members of `known` (in any order) that belong to the set, oldest first.
    pub fn choose<'a>(&self, known: &'a [Version]) -> Vec<&'a Version> {
        let mut chosen: Vec<&Version> = match self {
            Versions::Latest => {
                known.iter().filter(|version| !version.is_prerelease()).max().into_iter().collect()
            }
            Versions::Exactly(_) => known.iter().filter(|version| self.contain(version)).collect(),
            Versions::Between(..) => {
                known.iter().filter(|version| !version.is_prerelease() && self.contain(version)).collect()
            }
        };
        chosen.sort();
        chosen.dedup();
        chosen
    }
}

impl FromStr for Versions {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        let end = |text: &str| if text.is_empty() { Ok(None) } else { text.parse().map(Some) };
        match text.split_once("..") {
            Some(("", "")) => Err(InvalidVersion(text.to_owned())),
            Some((first, last)) => match (end(first)?, end(last)?) {
                (Some(first), Some(last)) if first > last => Err(InvalidVersion(text.to_owned())),
                (first, last) => Ok(Versions::Between(first, last)),
            },
            None if text == "latest" => Ok(Versions::Latest),
            None => text.parse().map(Versions::Exactly),
        }
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |version: &Option<Version>| version.as_ref().map(Version::to_string).unwrap_or_default();
        match self {
            Versions::Latest => f.write_str("latest"),
            Versions::Exactly(version) => version.fmt(f),
            Versions::Between(first, last) => write!(f, "{}..{}", end(first), end(last)),
        }
    }
}

impl<'de> Deserialize<'de> for Versions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    fn choose(versions: &str, known: &[&str]) -> String {
        let known: Vec<Version> = known.iter().map(|text| version(text)).collect();
        let chosen = versions.parse::<Versions>().unwrap();
        chosen.choose(&known).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn versions_sort_as_pep_440_says() {
        let sorted =
            ["1.0.dev1", "1.0a1", "1.0b2", "1.0rc1", "1.0", "1.0.post1", "1.0.1", "1.2", "1.10", "2"];
        for pair in sorted.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
        assert_eq!(version("4.8.5"), version("4.8.5.0"));
    }

    #[test]
    fn a_version_prints_as_it_was_written() {
        for text in ["4.8.5.0", "2.6.5.post24", "1.0rc1", "0.0.10", "1.3.3.dev2"] {
            assert_eq!(version(text).to_string(), text);
        }
    }

    #[test]
    fn the_short_version_is_what_people_say() {
        let pairs = [
            ("4.8.5.0", "4.8.5"),
            ("2.6.5.post24", "2.6.5"),
            ("4.4.2.1.post1", "4.4.2.1"),
            ("1.4.2", "1.4.2"),
        ];
        for (long, short) in pairs {
            assert_eq!(version(long).short().to_string(), short);
        }
    }

    #[test]
    fn a_range_holds_both_its_ends_and_no_prerelease() {
        let known = ["4.8.17", "4.8.8", "4.8.7", "4.8.10", "4.8.9rc1", "4.9.0"];
        assert_eq!(choose("4.8.8..4.8.17", &known), "4.8.8 4.8.10 4.8.17");
        assert_eq!(choose("4.8.17..", &known), "4.8.17 4.9.0");
        assert_eq!(choose("..4.8.7", &known), "4.8.7");
        assert_eq!(choose("latest", &known), "4.9.0");
        assert_eq!(choose("4.8.9rc1", &known), "4.8.9rc1");
    }

    #[test]
    fn the_nearest_version_agrees_in_the_numbers_that_count() {
        let known = [version("4.8.5"), version("4.8.17"), version("5.4.0")];
        assert_eq!(version("4.8.4").nearest(&known).unwrap().to_string(), "4.8.5");
        assert_eq!(version("4.8.99").nearest(&known).unwrap().to_string(), "4.8.17");
        assert_eq!(version("4.9.0").nearest(&known).unwrap().to_string(), "4.8.17", "not 4.8.5");
        assert_eq!(version("5.1").nearest(&known).unwrap().to_string(), "5.4.0");
        assert_eq!(version("6").nearest(&known).unwrap().to_string(), "5.4.0");
        assert_eq!(version("1").nearest(&[]), None);
    }

    #[test]
    fn text_that_is_no_version_is_refused() {
        for text in ["", "..", "x", "1.x", "1..x", "4.8.5-beta-q", "4.8.10..4.8.9"] {
            assert!(text.parse::<Versions>().is_err(), "{text}");
        }
    }
}
