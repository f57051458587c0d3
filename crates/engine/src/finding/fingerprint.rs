//! Fingerprints: equal for two sightings of one bug, as far as the output of a solver tells.
//!
//! People read fingerprints: `crash z3 assertion: ast.cpp m_ref_count == #`. They leave out what differs from run to run
//! (addresses, process ids) and from version to version (line numbers, folders of the build).
//!
//! A wrong answer has no message. While a campaign runs, its fingerprint is no more than kind, code base and logic. After a
//! reduction it also has the features of the reduced script, operators and pairs of them: `refutation z3 QF_S {=(str.replace)}`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::FindingKind;

/// Equal for two sightings of one bug. Printed and recorded as its parts, separated by blanks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint {
    kind: FindingKind,
    /// The code base at fault, or several separated by `/`.
    family: String,
    /// What tells the bug from others of its kind: the words of a crash, the operator of a false term.
    detail: String,
    /// The smallest logic of the script, unless the detail tells the bug in every logic.
    logic: Option<String>,
    /// Features of the script that the bug needs, in order; none if they are not known, or if the detail tells enough.
    features: Vec<String>,
}

/// Letters of a solver's message that count.
const MAX_DETAIL_LETTERS: usize = 200;

/// How the detail of a crash begins that is known by a signal alone.
const SIGNAL_PREFIX: &str = "signal_";

/// How the detail of a reply ends that is wrong because the solver gave it before.
const REPEATED_SUFFIX: &str = ":repeated";

impl Fingerprint {
    /// A fingerprint of a kind of finding, a code base, and the message of a solver.
    pub fn new(kind: FindingKind, family: &str, said: &str) -> Self {
        Fingerprint {
            kind,
            family: family.to_owned(),
            detail: normalise(said),
            logic: None,
            features: Vec::new(),
        }
    }

    /// The fingerprint in a logic. A crash is known by its words in every logic alike, and so is a reply that repeats an earlier one.
    #[must_use]
    pub fn in_logic(self, logic: &str) -> Self {
        match self.kind == FindingKind::Crash || self.tells_enough() {
            true => self,
            false => Fingerprint { logic: Some(logic.to_owned()), ..self },
        }
    }

    /// The fingerprint of a bug that needs these features of a script, unless its words tell enough.
    #[must_use]
    pub fn with_features(self, features: Vec<String>) -> Self {
        if self.tells_enough() { self } else { Fingerprint { features, ..self } }
    }

    /// Returns true if the words of the fingerprint tell the bug from others in every script.
    fn tells_enough(&self) -> bool {
        match self.kind {
            FindingKind::Performance => true,
            FindingKind::Crash => !self.is_bare_signal(),
            FindingKind::Reply => self.detail.ends_with(REPEATED_SUFFIX),
            _ => false,
        }
    }

    /// The features of a script that the bug needs; empty if they are not known.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// Returns true if nothing tells this bug from others of its kind in the same code base and logic.
    pub fn is_broad(&self) -> bool {
        self.features.is_empty() && !self.tells_enough()
    }

    /// Returns true if another fingerprint differs from this one by its logic at most.
    pub fn is_same_bug(&self, other: &Fingerprint) -> bool {
        (self.kind, &self.family, &self.detail) == (other.kind, &other.family, &other.detail)
    }

    /// Returns true if another fingerprint tells of the same bug, or of one under more passes: `passes:a` after `passes:a+b`. Which of
    /// several passes a bug needs is seen only when some are left out.
    pub fn is_same_bug_or_simpler(&self, other: &Fingerprint) -> bool {
        let passes = |detail: &str| -> Option<(String, Vec<String>)> {
            let (question, passes) = detail.split_once(':')?;
            let is_list = matches!(question, "passes" | "preprocess");
            let names = passes.split('+').filter(|name| !name.is_empty()).map(str::to_owned).collect();
            is_list.then(|| (question.to_owned(), names))
        };
        let is_simpler = || {
            let ((question, fewer), (asked, all)) = (passes(&self.detail)?, passes(&other.detail)?);
            let is_part = question == asked && fewer.iter().all(|name| all.contains(name));
            Some(is_part && (self.kind, &self.family) == (other.kind, &other.family))
        };
        self.is_same_bug(other) || is_simpler() == Some(true)
    }

    /// The kind of finding.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// The code base at fault, or several separated by `/`.
    pub fn family(&self) -> &str {
        &self.family
    }

    /// What tells the bug from others of its kind: the words of a crash, the operator of a false term, a question.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The code bases at fault.
    pub fn families(&self) -> impl Iterator<Item = &str> {
        self.family.split('/')
    }

    /// Returns true if nothing but the number of a signal tells this crash from others.
    pub fn is_bare_signal(&self) -> bool {
        let words = self.detail.split_once(": ").map_or(self.detail.as_str(), |(_, words)| words);
        self.kind == FindingKind::Crash && words.starts_with(SIGNAL_PREFIX)
    }

    /// The detail of a reply that is wrong because the solver gave it before.
    pub(crate) fn repeated(question: &str) -> String {
        format!("{question}{REPEATED_SUFFIX}")
    }

    /// The words for a signal in the detail of a crash: its number tells more than `#`.
    pub(crate) fn keep_signal(said: &str) -> String {
        said.replace("signal ", SIGNAL_PREFIX)
    }

    /// Reads a printed fingerprint; `None` if it does not begin with a kind of finding and a code base.
    pub fn parse(text: &str) -> Option<Self> {
        let featured = text.strip_suffix('}').and_then(|text| text.rsplit_once(" {"));
        if let Some((rest, features)) = featured
            && let Some(fingerprint) = Fingerprint::parse_plain(rest)
            && (fingerprint.kind != FindingKind::Crash || fingerprint.is_bare_signal())
        {
            return Some(fingerprint.with_features(features.split_whitespace().map(str::to_owned).collect()));
        }
        Fingerprint::parse_plain(text)
    }

    fn parse_plain(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ' ');
        let kind = parts.next()?;
        let kind = FindingKind::BY_SEVERITY.into_iter().find(|one| one.name() == kind)?;
        let family = parts.next()?.to_owned();
        let rest = parts.next().unwrap_or_default().to_owned();
        let some = |logic: &str| Some(logic.to_owned()).filter(|logic| !logic.is_empty());
        Some(match kind {
            FindingKind::Crash | FindingKind::Performance => {
                Fingerprint { kind, family, detail: rest, logic: None, features: Vec::new() }
            }
            FindingKind::Model | FindingKind::Reply => match rest.rsplit_once(' ') {
                Some((detail, logic)) => Fingerprint {
                    kind,
                    family,
                    detail: detail.to_owned(),
                    logic: some(logic),
                    features: Vec::new(),
                },
                None => Fingerprint { kind, family, detail: rest, logic: None, features: Vec::new() },
            },
            _ => {
                Fingerprint { kind, family, detail: String::new(), logic: some(&rest), features: Vec::new() }
            }
        })
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.family)?;
        let parts = [self.detail.as_str(), self.logic.as_deref().unwrap_or_default()];
        parts.iter().filter(|part| !part.is_empty()).try_for_each(|part| write!(f, " {part}"))?;
        if self.features.is_empty() { Ok(()) } else { write!(f, " {{{}}}", self.features.join(" ")) }
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Fingerprint::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not the fingerprint of a finding")))
    }
}

/// Leaves out of a message what differs between sightings.
pub(crate) fn normalise(said: &str) -> String {
    let words = said.split_whitespace().map(|word| numbers_out(base_name(word)));
    words.collect::<Vec<_>>().join(" ").chars().take(MAX_DETAIL_LETTERS).collect()
}

/// `../src/ast/ast.cpp:431` as `ast.cpp:431`; a word that is no path stays.
fn base_name(word: &str) -> &str {
    let is_path = word.len() > 1 && word.contains('/') && word.contains('.');
    if is_path { word.rsplit('/').next().unwrap_or(word) } else { word }
}

/// Numbers as `#`, addresses too; a digit inside a name (`cvc5`, `Float32`) stays.
fn numbers_out(word: &str) -> String {
    let mut out = String::new();
    let mut letters = word.chars().peekable();
    let mut last = ' ';
    while let Some(letter) = letters.next() {
        if letter.is_ascii_digit() && !last.is_alphanumeric() && last != '_' {
            let hex = letter == '0' && letters.peek() == Some(&'x');
            while letters
                .next_if(|next| next.is_ascii_digit() || (hex && next.is_ascii_alphanumeric()))
                .is_some()
            {}
            out.push('#');
            last = '#';
        } else {
            out.push(letter);
            last = letter;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(said: &str, normal: &str) {
        assert_eq!(normalise(said), normal, "{said}");
    }

    #[test]
    fn what_differs_between_sightings_is_left_out() {
        check("File: ../src/ast/ast.cpp\nLine: 431", "File: ast.cpp Line: #");
        check("File: /build/z3/src/ast/ast.cpp\nLine: 512", "File: ast.cpp Line: #");
        check("cvc5 at src/theory/x.cpp:55, address 0x7ffe12ab", "cvc5 at x.cpp:#, address #");
        check("==4711==ERROR: AddressSanitizer", "==#==ERROR: AddressSanitizer");
    }

    #[test]
    fn what_tells_bugs_apart_stays() {
        check("get_num_bits(a) == m_util.Float32", "get_num_bits(a) == m_util.Float32");
        check("signal 11", "signal #");
    }

    #[test]
    fn fewer_passes_are_the_same_bug_and_others_are_not() {
        let reply = |detail: &str| Fingerprint::new(FindingKind::Reply, "cvc", detail);
        let both = reply("passes:ite-simp+ext-rew-prep");
        assert!(reply("passes:ext-rew-prep").is_same_bug_or_simpler(&both));
        assert!(!both.is_same_bug_or_simpler(&reply("passes:ext-rew-prep")));
        assert!(!reply("passes:bv-to-bool").is_same_bug_or_simpler(&both));
        assert!(!reply("preprocess:ite-simp").is_same_bug_or_simpler(&both));
        assert!(
            reply("core").is_same_bug_or_simpler(&reply("core"))
                && !reply("core").is_same_bug_or_simpler(&both)
        );
    }

    #[test]
    fn a_printed_fingerprint_is_read_back() {
        let model = Fingerprint::new(FindingKind::Model, "z3", "bvadd");
        let crash = Fingerprint::new(FindingKind::Crash, "cvc", "assertion: x.cpp y > 0");
        let wrong = Fingerprint::new(FindingKind::Disagreement, "cvc/z3", "");
        let signal = Fingerprint::new(FindingKind::Crash, "z3", "crash: signal_11");
        let reply = |detail: &str| Fingerprint::new(FindingKind::Reply, "cvc", detail);
        let featured = |one: Fingerprint| one.with_features(vec!["*".to_owned(), "=(/)".to_owned()]);
        let printed = [
            (model.clone(), "model z3 bvadd"),
            (model.in_logic("QF_BV"), "model z3 bvadd QF_BV"),
            (crash.clone(), "crash cvc assertion: x.cpp y > #"),
            (crash.clone().in_logic("QF_BV"), "crash cvc assertion: x.cpp y > #"),
            (wrong.clone(), "disagreement cvc/z3"),
            (wrong.clone().in_logic("ALL"), "disagreement cvc/z3 ALL"),
            (featured(wrong.in_logic("ALL")), "disagreement cvc/z3 ALL {* =(/)}"),
            (featured(signal), "crash z3 crash: signal_11 {* =(/)}"),
            (featured(crash), "crash cvc assertion: x.cpp y > #"),
            (featured(reply("core").in_logic("QF_LIA")), "reply cvc core QF_LIA {* =(/)}"),
            (
                featured(reply(&Fingerprint::repeated("interpolant")).in_logic("LIA")),
                "reply cvc interpolant:repeated",
            ),
        ];
        for (fingerprint, text) in printed {
            assert_eq!(fingerprint.to_string(), text);
            assert_eq!(Fingerprint::parse(text), Some(fingerprint));
        }
        assert_eq!(Fingerprint::parse("nonsense z3"), None);
        assert_eq!(Fingerprint::parse("crash"), None);
    }

    #[test]
    fn a_crash_by_a_signal_alone_is_told_from_one_with_words() {
        let crash = |said: &str| Fingerprint::new(FindingKind::Crash, "z3", &Fingerprint::keep_signal(said));
        assert!(crash("crash: signal 11").is_bare_signal());
        assert_ne!(crash("crash: signal 11"), crash("crash: signal 8"));
        assert!(!crash("assertion: handler of signal 11").is_bare_signal());
    }

    #[test]
    fn a_flood_of_words_is_cut() {
        assert_eq!(normalise(&"word ".repeat(1000)).len(), MAX_DETAIL_LETTERS);
    }
}
