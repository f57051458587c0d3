//! Assertions that have no name in common with the rest, kept alone.
//!
//! ```text
//! (assert (< a b)) (assert (p c)) (assert (= b 1))   becomes   (assert (< a b)) (assert (= b 1))   and   (assert (p c))
//! ```
//!
//! A bug is seldom about things that have nothing to do with each other. A script with an eighth of the assertions is
//! solved in less time than one without an eighth of them, so what is large is asked about least.

use gainsay_smt::{Command, Script, Symbol, Term, View as TermView, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Phase};
use crate::change::Change;
use crate::change::rewrite_script;
use crate::contents::terms_of;
use crate::script_view::ScriptView;

/// The pass.
pub struct ConnectedAssertions;

/// With fewer assertions there is nothing to gain over leaving them out.
const FEWEST: usize = 6;

/// Groups of parts that are tried, each about as long as the others.
const GROUPS: usize = 8;

impl Pass for ConnectedAssertions {
    fn name(&self) -> &'static str {
        "connected-assertions"
    }

    fn about(&self) -> &'static str {
        "keeps assertions that have names in common, and no others"
    }

    fn phase(&self) -> Phase {
        Phase::Commands
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<Change>> {
        let parts = parts(script);
        if parts.len() < 2 || parts.iter().map(Vec::len).sum::<usize>() < FEWEST {
            return Vec::new();
        }
        let keep = |kept: FxHashSet<usize>| {
            rewrite_script(move |script| {
                let mut after = script.clone();
                let mut number = 0;
                after.commands.retain(|command| {
                    number += 1;
                    !is_assertion(command) || kept.contains(&(number - 1))
                });
                Some(after)
            })
        };
        vec![groups(script, view, parts).into_iter().map(keep).collect()]
    }

    fn starts_over(&self) -> bool {
        true
    }
}

/// The numbers of the assertions, those that have names in common together.
pub fn parts(script: &Script) -> Vec<Vec<usize>> {
    let arena = script.arena();
    let own = own_names(script);
    let mut links = Links::default();
    let mut named: FxHashMap<Term, Node> = FxHashMap::default();
    for term in terms_of(script) {
        let view = arena.view(term);
        let name = match view {
            TermView::Application(head, _) if own.contains(&head.symbol) => Some(Node::Name(head.symbol)),
            _ => None,
        };
        let below = view.children().iter().filter_map(|child| named.get(child).copied());
        let nodes: Vec<Node> = name.into_iter().chain(below).collect();
        if let Some(&first) = nodes.first() {
            nodes.iter().for_each(|&node| links.join(first, node));
            named.insert(term, first);
        }
    }
    for command in &script.commands {
        let definitions = match command {
            Command::Define(_, definition) => std::slice::from_ref(&**definition),
            Command::DefineFunsRec(definitions) => definitions,
            _ => &[],
        };
        for definition in definitions {
            let body = named.get(&definition.body).copied();
            body.into_iter().for_each(|body| links.join(Node::Name(definition.name), body));
        }
    }
    let mut places: FxHashMap<Node, usize> = FxHashMap::default();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (number, command) in script.commands.iter().enumerate() {
        let Command::Term(Word::Assert, term, _) = command else { continue };
        let node = named.get(term).map_or(Node::Assertion(number), |&node| links.root(node));
        let place = *places.entry(node).or_insert(parts.len());
        if place == parts.len() {
            parts.push(Vec::new());
        }
        parts[place].push(number);
    }
    parts
}

/// What names stand together in a term; an assertion without any stands alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Name(Symbol),
    Assertion(usize),
}

/// Which nodes are linked, by a step from each towards one that stands for all.
#[derive(Default)]
struct Links {
    next: FxHashMap<Node, Node>,
}

impl Links {
    fn root(&mut self, node: Node) -> Node {
        let mut root = node;
        while let Some(&next) = self.next.get(&root) {
            root = next;
        }
        // So that the way is short the next time.
        let mut at = node;
        while let Some(next) = self.next.get(&at).copied().filter(|next| *next != root) {
            self.next.insert(at, root);
            at = next;
        }
        root
    }

    fn join(&mut self, one: Node, other: Node) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.next.insert(other, one);
        }
    }
}

/// The functions and constants that a script declares or defines.
fn own_names(script: &Script) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    for command in &script.commands {
        match command {
            Command::Declare(_, name, ..) => drop(names.insert(*name)),
            Command::Define(_, definition) => drop(names.insert(definition.name)),
            Command::DefineFunsRec(definitions) => names.extend(definitions.iter().map(|d| d.name)),
            _ => {}
        }
    }
    names
}

fn is_assertion(command: &Command) -> bool {
    matches!(command, Command::Term(Word::Assert, ..))
}

/// Parts put together in the order of the text until there are few groups, of about as many bytes each.
fn groups(script: &Script, view: &ScriptView, parts: Vec<Vec<usize>>) -> Vec<FxHashSet<usize>> {
    let bytes = |part: &Vec<usize>| -> usize {
        let terms = part.iter().flat_map(|&number| script.commands[number].terms());
        terms.map(|term| view.bytes(term)).sum()
    };
    let all: usize = parts.iter().map(bytes).sum();
    let mut groups: Vec<FxHashSet<usize>> = Vec::new();
    let mut room = 0;
    for part in parts {
        let length = bytes(&part);
        match groups.last_mut() {
            Some(group) if length <= room => {
                room -= length;
                group.extend(part);
            }
            _ => {
                room = (all / GROUPS).saturating_sub(length);
                groups.push(part.into_iter().collect());
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{check, check_nothing};

    #[test]
    fn assertions_without_a_common_name_are_parted() {
        let declared = "(declare-const a Int)(declare-const b Int)(declare-const c Int)";
        let before = format!(
            "{declared}(assert (< a b))(assert (= c 1))(assert (= 1 b))(assert false)(assert (< 1 c))(assert (< a 1))"
        );
        check(
            &ConnectedAssertions,
            &before,
            &format!("{declared}(assert (< a b))(assert (= 1 b))(assert (< a 1))"),
        );
        check(&ConnectedAssertions, &before, &format!("{declared}(assert (= c 1))(assert (< 1 c))"));
        check(&ConnectedAssertions, &before, &format!("{declared}(assert false)"));
    }

    #[test]
    fn a_definition_holds_its_users_together() {
        let declared = "(declare-const a Int)(define-fun f () Int (+ a 1))";
        let assertions = "(assert (< a 0))(assert (= f 1))".repeat(FEWEST);
        check_nothing(&ConnectedAssertions, &format!("{declared}{assertions}"));
    }

    #[test]
    fn there_are_few_groups_of_many_parts() {
        let text: String = (0..500)
            .map(|number| format!("(declare-const x{number} Int)(assert (< x{number} {number}))"))
            .collect();
        let mut script = Script::parse(&text, &gainsay_smt::Signature::standard()).unwrap();
        let view = ScriptView::of(&script);
        let changes = ConnectedAssertions.changes(&mut script, &view);
        assert!((GROUPS..=2 * GROUPS).contains(&changes[0].len()), "{}", changes[0].len());
    }
}
