//! Keeps a group of assertions that share no symbol with the rest.
//!
//! ```text
//! (assert (< a b)) (assert (p c)) (assert (= b 1))   becomes   (assert (< a b)) (assert (= b 1))   and   (assert (p c))
//! ```
//!
//! A bug seldom involves unrelated assertions. Solvers are faster on an eighth of the assertions than on seven eighths, so
//! trying what to keep costs less than trying what to drop.

use gainsay_smt::{Command, Script, Symbol, Term, TermView, Word};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Pass, Phase};
use crate::change::{ScriptChange, rewrite_script};
use crate::contents::terms_of;
use crate::script_view::ScriptView;

/// Keeps a connected group of assertions.
pub struct ConnectedAssertions;

/// With fewer assertions, dropping them one by one is as cheap.
const MIN_ASSERTIONS: usize = 6;

/// How many groups of components of about the same length are tried, roughly.
const TARGET_GROUPS: usize = 8;

impl Pass for ConnectedAssertions {
    fn name(&self) -> &'static str {
        "connected-assertions"
    }

    fn about(&self) -> &'static str {
        "keeps a group of assertions that share symbols, and drops the others"
    }

    fn phase(&self) -> Phase {
        Phase::Commands
    }

    fn changes(&self, script: &mut Script, view: &ScriptView) -> Vec<Vec<ScriptChange>> {
        let components = connected_components(script);
        if components.len() < 2 || components.iter().map(Vec::len).sum::<usize>() < MIN_ASSERTIONS {
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
        vec![groups(script, view, components).into_iter().map(keep).collect()]
    }

    fn starts_over(&self) -> bool {
        true
    }
}

/// The positions of the assertions, grouped by shared symbols.
pub fn connected_components(script: &Script) -> Vec<Vec<usize>> {
    let arena = script.arena();
    let declared = declared_functions(script);
    let mut joined = JoinedNodes::default();
    let mut named: FxHashMap<Term, ComponentNode> = FxHashMap::default();
    for term in terms_of(script) {
        let view = arena.view(term);
        let name = match view {
            TermView::Application(head, _) if declared.contains(&head.symbol) => {
                Some(ComponentNode::Symbol(head.symbol))
            }
            _ => None,
        };
        let below = view.children().iter().filter_map(|child| named.get(child).copied());
        let nodes: Vec<ComponentNode> = name.into_iter().chain(below).collect();
        if let Some(&first) = nodes.first() {
            nodes.iter().for_each(|&node| joined.join(first, node));
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
            body.into_iter().for_each(|body| joined.join(ComponentNode::Symbol(definition.name), body));
        }
    }
    let mut positions: FxHashMap<ComponentNode, usize> = FxHashMap::default();
    let mut components: Vec<Vec<usize>> = Vec::new();
    for (number, command) in script.commands.iter().enumerate() {
        let Command::Term(Word::Assert, term, _) = command else { continue };
        let node = named.get(term).map_or(ComponentNode::Assertion(number), |&node| joined.root(node));
        let position = *positions.entry(node).or_insert(components.len());
        if position == components.len() {
            components.push(Vec::new());
        }
        components[position].push(number);
    }
    components
}

/// A symbol, or an assertion without declared symbols, which is a component of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ComponentNode {
    Symbol(Symbol),
    Assertion(usize),
}

/// A union-find structure: from each node a step towards the representative of its component.
#[derive(Default)]
struct JoinedNodes {
    next: FxHashMap<ComponentNode, ComponentNode>,
}

impl JoinedNodes {
    fn root(&mut self, node: ComponentNode) -> ComponentNode {
        let mut root = node;
        while let Some(&next) = self.next.get(&root) {
            root = next;
        }
        // Path compression.
        let mut at = node;
        while let Some(next) = self.next.get(&at).copied().filter(|next| *next != root) {
            self.next.insert(at, root);
            at = next;
        }
        root
    }

    fn join(&mut self, one: ComponentNode, other: ComponentNode) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.next.insert(other, one);
        }
    }
}

/// The functions and constants that a script declares or defines.
fn declared_functions(script: &Script) -> FxHashSet<Symbol> {
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

/// Components joined in the order of the text into a few groups of about the same length.
fn groups(script: &Script, view: &ScriptView, components: Vec<Vec<usize>>) -> Vec<FxHashSet<usize>> {
    let bytes = |component: &Vec<usize>| -> usize {
        let terms = component.iter().flat_map(|&number| script.commands[number].terms());
        terms.map(|term| view.bytes(term)).sum()
    };
    let all: usize = components.iter().map(bytes).sum();
    let mut groups: Vec<FxHashSet<usize>> = Vec::new();
    let mut room = 0;
    for component in components {
        let length = bytes(&component);
        match groups.last_mut() {
            Some(group) if length <= room => {
                room -= length;
                group.extend(component);
            }
            _ => {
                room = (all / TARGET_GROUPS).saturating_sub(length);
                groups.push(component.into_iter().collect());
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
    fn assertions_without_a_common_symbol_are_separated() {
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
    fn a_definition_connects_its_users() {
        let declared = "(declare-const a Int)(define-fun f () Int (+ a 1))";
        let assertions = "(assert (< a 0))(assert (= f 1))".repeat(MIN_ASSERTIONS);
        check_nothing(&ConnectedAssertions, &format!("{declared}{assertions}"));
    }

    #[test]
    fn many_components_are_joined_into_few_groups() {
        let text: String = (0..500)
            .map(|number| format!("(declare-const x{number} Int)(assert (< x{number} {number}))"))
            .collect();
        let mut script = Script::parse(&text, &gainsay_smt::Signature::standard()).unwrap();
        let view = ScriptView::of(&script);
        let changes = ConnectedAssertions.changes(&mut script, &view);
        assert!((TARGET_GROUPS..=2 * TARGET_GROUPS).contains(&changes[0].len()), "{}", changes[0].len());
    }
}
