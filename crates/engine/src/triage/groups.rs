//! Deduplicates triggers into groups that show the same bug.
//!
//! A crash is identified by its message, if that says anything; crashes by a signal alone are one bug if a debugger shows the
//! same functions at the top of their stacks. Wrong answers and invalid models have no message, so two of
//! them count as one bug if they have the same kind and code base, their scripts are similar, and the affected releases do not
//! contradict it. Bugs that were fixed in different releases are never in one group, however similar they look.
//!
//! Groups grow from small triggers to large ones, so that the result does not depend on the order in which they were found. A
//! trigger that is similar to two groups which affect the same releases joins them: a reduction often ends at one of several
//! scripts of one bug, and only the larger triggers show what these have in common.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::bisect::ReleaseResult;
use super::shape::Shape;
use crate::finding::{Evidence, FindingKind, Fingerprint};
use crate::solver::version::Version;

/// The similarity that two scripts need if they affect the same releases.
const SIMILARITY_IF_SAME_RELEASES: f64 = 0.4;
/// The similarity that they need if they were fixed together, and the other releases differ or are not known.
const SIMILARITY_IF_FIXED_TOGETHER: f64 = 0.6;
/// The similarity that they need if the releases tell nothing.
const SIMILARITY_OTHERWISE: f64 = 0.75;

/// The features of a trigger that tell which bug it shows.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// Its name, for ties.
    pub name: String,
    /// The code base of the suspect.
    pub family: String,
    /// The kind of bug.
    pub kind: FindingKind,
    /// How sure that is.
    pub evidence: Evidence,
    /// The message of the crash.
    pub crash: Option<Fingerprint>,
    /// The innermost functions of the solver on the stack of the crash; empty if not known.
    pub crash_site: Vec<String>,
    /// Options that it needs.
    pub options: Vec<String>,
    /// Bytes of its script.
    pub bytes: usize,
    /// What its script looks like.
    pub shape: Shape,
    /// Which releases it shows on.
    pub versions: Vec<ReleaseResult>,
}

/// Triggers of one bug: their indices, the representative first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The representative, then the others from small to large.
    pub members: Vec<usize>,
}

/// Puts triggers into groups, those of the smallest representatives first.
pub fn group(triggers: &[Trigger]) -> Vec<Group> {
    let mut order: Vec<usize> = (0..triggers.len()).collect();
    let rank = |at: &usize| {
        let trigger = &triggers[*at];
        (Reverse(trigger.evidence), trigger.bytes, trigger.name.clone())
    };
    order.sort_by_key(rank);
    let mut growing: Vec<GrowingGroup> = Vec::new();
    for at in order {
        let trigger = &triggers[at];
        let takes = |(place, group): (usize, &GrowingGroup)| Some((group.takes(trigger, triggers)?, place));
        let takers: Vec<(f64, usize)> = growing.iter().enumerate().filter_map(takes).collect();
        // Of equals, the first: its representative is the smallest.
        let best =
            takers.iter().rev().max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, place)| *place);
        let Some(best) = best else {
            growing.push(GrowingGroup::new(at, trigger));
            continue;
        };
        let joined = takers.iter().map(|(_, place)| *place).filter(|&place| {
            let agreement = accord(&growing[best].releases, &growing[place].releases);
            place == best || matches!(agreement, ReleaseAgreement::Same)
        });
        let mut joined: Vec<usize> = joined.collect();
        let first = joined.remove(0);
        for place in joined.into_iter().rev() {
            let absorbed = growing.remove(place);
            absorbed.members.iter().for_each(|&member| growing[first].add(member, &triggers[member]));
        }
        growing[first].add(at, trigger);
    }
    for group in &mut growing {
        group.members.sort_by_key(rank);
    }
    growing.into_iter().map(|group| Group { members: group.members }).collect()
}

/// A group and what all of its members together say of releases.
struct GrowingGroup {
    members: Vec<usize>,
    releases: BTreeMap<Version, bool>,
}

impl GrowingGroup {
    fn new(at: usize, trigger: &Trigger) -> Self {
        let mut group = GrowingGroup { members: Vec::new(), releases: BTreeMap::new() };
        group.add(at, trigger);
        group
    }

    fn add(&mut self, at: usize, trigger: &Trigger) {
        self.members.push(at);
        for (version, affected) in firm(&trigger.versions) {
            // Where they differ the bug is there: a trigger may need more than the bug.
            let known = self.releases.entry(version.clone()).or_insert(affected);
            *known |= affected;
        }
    }

    /// The similarity of a trigger to this group; `None` if it cannot belong to it.
    fn takes(&self, trigger: &Trigger, triggers: &[Trigger]) -> Option<f64> {
        let first = &triggers[self.members[0]];
        let is_same_matter = first.family == trigger.family
            && first.kind == trigger.kind
            && first.options == trigger.options
            && !said_otherwise(first, trigger);
        let releases: BTreeMap<Version, bool> =
            firm(&trigger.versions).map(|(version, affected)| (version.clone(), affected)).collect();
        if !is_same_matter || !fixed_together(&self.releases, &releases) {
            return None;
        }
        let likeness = |&member: &usize| triggers[member].shape.likeness(&trigger.shape);
        let likeness = self.members.iter().map(likeness).fold(0.0, f64::max);
        let enough = match accord(&self.releases, &releases) {
            _ if says_enough(first) || self.has_crash_site(trigger, triggers) => 0.0,
            ReleaseAgreement::Same => SIMILARITY_IF_SAME_RELEASES,
            ReleaseAgreement::Other => SIMILARITY_IF_FIXED_TOGETHER,
            ReleaseAgreement::Unknown => SIMILARITY_OTHERWISE,
        };
        (likeness >= enough).then_some(likeness)
    }

    /// Returns true if a trigger crashes where a member of this group does.
    fn has_crash_site(&self, trigger: &Trigger, triggers: &[Trigger]) -> bool {
        !trigger.crash_site.is_empty()
            && self.members.iter().any(|&member| triggers[member].crash_site == trigger.crash_site)
    }
}

/// Certain facts about a trigger.
fn firm(versions: &[ReleaseResult]) -> impl Iterator<Item = (&Version, bool)> {
    versions.iter().filter_map(|entry| Some((&entry.version, entry.firm()?)))
}

/// Returns true if two crashes have different messages.
fn said_otherwise(one: &Trigger, other: &Trigger) -> bool {
    one.kind == FindingKind::Crash && one.crash != other.crash
}

/// Whether the words of a crash tell which bug it is; the number of a signal does not.
fn says_enough(trigger: &Trigger) -> bool {
    trigger.kind == FindingKind::Crash && trigger.crash.as_ref().is_some_and(|crash| !crash.is_bare_signal())
}

/// How the affected releases of two triggers compare.
enum ReleaseAgreement {
    /// They agree wherever both are known, and both are known somewhere good and somewhere bad.
    Same,
    /// They differ somewhere.
    Other,
    /// Nothing can be said.
    Unknown,
}

fn accord(one: &BTreeMap<Version, bool>, other: &BTreeMap<Version, bool>) -> ReleaseAgreement {
    let both = || one.iter().filter_map(|(version, affected)| Some((*affected, *other.get(version)?)));
    let agreed = |wanted: bool| both().any(|(one, other)| one == wanted && other == wanted);
    match () {
        () if both().any(|(one, other)| one != other) => ReleaseAgreement::Other,
        () if agreed(true) && agreed(false) => ReleaseAgreement::Same,
        () => ReleaseAgreement::Unknown,
    }
}

/// Returns true if two bugs may have been fixed in one release: each was last seen before the other was gone.
fn fixed_together(one: &BTreeMap<Version, bool>, other: &BTreeMap<Version, bool>) -> bool {
    let last = |releases: &BTreeMap<Version, bool>| -> Option<Version> {
        releases.iter().rfind(|(_, affected)| **affected).map(|(version, _)| version.clone())
    };
    let gone = |releases: &BTreeMap<Version, bool>| -> Option<Version> {
        let last = last(releases)?;
        releases
            .iter()
            .find(|(version, affected)| !**affected && **version > last)
            .map(|(version, _)| version.clone())
    };
    let before = |last: Option<Version>, gone: Option<Version>| match (last, gone) {
        (Some(last), Some(gone)) => last < gone,
        _ => true,
    };
    before(last(one), gone(other)) && before(last(other), gone(one))
}

#[cfg(test)]
mod tests {
    use super::super::shape::tests::shape;
    use super::*;

    const REPLACE_SCRIPT: &str = "(declare-const x String)(declare-const y String)(assert (= (str.replace x \"B\" y) \"AB\"))(check-sat)";
    const TO_CODE_SCRIPT: &str =
        "(declare-const x String)(assert (< (str.to_code x) (str.len x)))(check-sat)";

    /// A refutation on releases 1, 2, …: `X` has it, `.` has it not, `?` was not asked, `u` is undecided.
    fn trigger(name: &str, script: &str, releases: &str) -> Trigger {
        let entry = |(at, letter): (usize, char)| ReleaseResult {
            version: (at + 1).to_string().parse().unwrap(),
            affected: match letter {
                'X' => Some(true),
                '?' => None,
                _ => Some(false),
            },
            said: if letter == 'u' { "unknown".into() } else { "sat".into() },
            why: String::new(),
        };
        Trigger {
            name: name.into(),
            family: "z3".into(),
            kind: FindingKind::Refutation,
            evidence: Evidence::Proved,
            crash: None,
            crash_site: Vec::new(),
            options: Vec::new(),
            bytes: script.len(),
            shape: shape(script),
            versions: releases.chars().enumerate().map(entry).collect(),
        }
    }

    fn check(triggers: &[Trigger], expected: &[&str]) {
        let groups = group(triggers);
        let name = |members: &Group| {
            members.members.iter().map(|&at| triggers[at].name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(groups.iter().map(name).collect::<Vec<_>>(), expected);
    }

    fn renamed(script: &str) -> String {
        script.replace("x ", "longer ").replace('y', "other").replace("\"B\"", "\"bb\"")
    }

    #[test]
    fn variants_of_a_script_are_one_group_led_by_the_smallest() {
        let renamed = "(declare-const long String)(declare-const u String)(assert (= \"AB\" (str.replace long \"CC\" u)))(check-sat)";
        let more = REPLACE_SCRIPT.replace("(check-sat)", "(assert (> (str.len x) 1))(check-sat)");
        let triggers = [
            trigger("more", &more, ".XX."),
            trigger("a", REPLACE_SCRIPT, ".XX."),
            trigger("b", renamed, ".XX."),
        ];
        check(&triggers, &["a b more"]);
    }

    #[test]
    fn what_was_fixed_at_different_releases_is_never_one_group() {
        check(&[trigger("a", REPLACE_SCRIPT, "XX..."), trigger("b", REPLACE_SCRIPT, "XXXX.")], &["a", "b"]);
        // With the middle unknown it may be one, and with a third that tells it may not.
        check(&[trigger("a", REPLACE_SCRIPT, "X???."), trigger("b", REPLACE_SCRIPT, "XXXX.")], &["a b"]);
        check(&[trigger("a", REPLACE_SCRIPT, "X??.."), trigger("b", REPLACE_SCRIPT, "XXXX.")], &["a", "b"]);
    }

    #[test]
    fn that_a_release_is_undecided_speaks_neither_for_nor_against() {
        check(&[trigger("a", REPLACE_SCRIPT, "XXu.."), trigger("b", REPLACE_SCRIPT, "XXX..")], &["a b"]);
    }

    #[test]
    fn other_operators_are_another_bug_even_on_the_same_releases() {
        check(&[trigger("a", REPLACE_SCRIPT, "XX.."), trigger("b", TO_CODE_SCRIPT, "XX..")], &["b", "a"]);
    }

    #[test]
    fn a_trigger_that_is_like_two_groups_of_the_same_releases_joins_them() {
        let left = "(declare-const x Int)(declare-const y Int)(assert (= (div x y) (mod x y)))(check-sat)";
        let right = "(declare-const x Int)(declare-const y Int)(assert (= (abs x) (* x y)))(check-sat)";
        let both = "(declare-const x Int)(declare-const y Int)(assert (= (div x y) (mod x y)))(assert (= (abs x) (* x y)))(check-sat)";
        let apart = [trigger("left", left, ".XX."), trigger("right", right, ".XX.")];
        check(&apart, &["right", "left"]);
        let bridge = trigger("both", both, ".XX.");
        check(&[apart.to_vec(), vec![bridge.clone()]].concat(), &["right left both"]);
        let other = [trigger("left", left, ".XX."), trigger("right", right, "?.X."), bridge];
        check(&other, &["right", "left both"]);
    }

    #[test]
    fn kinds_code_bases_and_options_are_kept_apart() {
        let a = trigger("a", REPLACE_SCRIPT, "XX.");
        let kind = Trigger { kind: FindingKind::Model, name: "k".into(), ..a.clone() };
        let family = Trigger { family: "cvc".into(), name: "f".into(), ..a.clone() };
        let options = Trigger { options: vec!["o=1".into()], name: "o".into(), ..a.clone() };
        assert_eq!(group(&[a, kind, family, options]).len(), 4);
    }

    #[test]
    fn crashes_go_by_what_was_said_and_bare_signals_by_their_scripts() {
        let crash = |name: &str, script: &str, said: &str| Trigger {
            kind: FindingKind::Crash,
            crash: Fingerprint::parse(said),
            ..trigger(name, script, "XX.")
        };
        let said = "crash z3 assertion: x.cpp";
        check(&[crash("a", REPLACE_SCRIPT, said), crash("b", TO_CODE_SCRIPT, said)], &["b a"]);
        check(
            &[crash("a", REPLACE_SCRIPT, said), crash("b", REPLACE_SCRIPT, "crash z3 assertion: y.cpp")],
            &["a", "b"],
        );
        let said = "crash z3 crash: signal_11";
        check(&[crash("a", REPLACE_SCRIPT, said), crash("b", TO_CODE_SCRIPT, said)], &["b", "a"]);
        check(&[crash("a", REPLACE_SCRIPT, said), crash("b", &renamed(REPLACE_SCRIPT), said)], &["a b"]);
        let at = |trigger: Trigger, function: &str| Trigger { crash_site: vec![function.into()], ..trigger };
        let a = || at(crash("a", REPLACE_SCRIPT, said), "smt::f()");
        check(&[a(), at(crash("b", TO_CODE_SCRIPT, said), "smt::f()")], &["b a"]);
        check(&[a(), at(crash("b", TO_CODE_SCRIPT, said), "smt::g()")], &["b", "a"]);
        check(&[a(), at(crash("b", &renamed(REPLACE_SCRIPT), said), "smt::g()")], &["a b"]);
        let fixed_later = Trigger { versions: trigger("", "", "XXX.").versions, ..a() };
        check(&[Trigger { versions: trigger("", "", "X..").versions, ..a() }, fixed_later], &["a", "a"]);
    }

    #[test]
    fn the_surest_leads_and_order_does_not_matter() {
        let sure = trigger("sure", &format!("{REPLACE_SCRIPT} "), "XX.");
        let unsure = Trigger { evidence: Evidence::Corroborated, ..trigger("unsure", REPLACE_SCRIPT, "XX.") };
        check(&[unsure.clone(), sure.clone()], &["sure unsure"]);
        check(&[sure, unsure], &["sure unsure"]);
    }
}
