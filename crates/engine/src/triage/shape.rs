//! The shape of a script: the script without names, constants, widths and order.
//!
//! ```text
//! (assert (= (str.replace x "B" y) "AB"))            (assert (= "q" (str.replace z "" w)))
//!                        ⇒ both: a QF_S script with one (= literal (str.replace String literal String))
//! ```
//!
//! Two triggers of one shape show one bug, as far as scripts can tell. Reduced triggers of one bug that are not of one shape
//! still use mostly the same operators; [`Shape::likeness`] says how much.

use std::collections::{BTreeMap, BTreeSet};

use gainsay_smt::{Arena, Command, Literal, Script, Sort, Symbol, Term, TermView, Word, logic};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::facts;
use crate::solver::outline::outline;

/// A script without names, constants, widths and order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// The logic that people name for it; not part of the mark, since the spelling of a constant may change it.
    pub logic: String,
    /// Equal for scripts of one shape.
    pub mark: String,
    /// How often each operator is used, and each pair of an operator and one directly below it.
    pub operators: BTreeMap<String, usize>,
}

impl Shape {
    /// The shape of a script.
    pub fn of(script: &Script) -> Shape {
        let logic = logic::colloquial(script).to_owned();
        let mut walk = ShapeWalk::new(script);
        let claims = claims(script);
        walk.visit(&claims);
        let mut marks: Vec<u64> = claims.iter().map(|term| walk.marks[term.index()]).collect();
        marks.sort_unstable();
        let checks = script.commands.iter().filter(|command| script.is_check(command)).count();
        let mark = format!("{:016x}", digest(&format!("{checks}"), &marks));
        Shape { logic, mark, operators: walk.operators }
    }

    /// How much two shapes have in common, from 0 to 1: the operators that both use, of all that either uses, each as often
    /// as it is used, common ones left out where there are others.
    pub fn likeness(&self, other: &Shape) -> f64 {
        if self.mark == other.mark {
            return 1.0;
        }
        let common = facts::names("common");
        let telling = |name: &&String| !common.contains(&name.as_str());
        let names: BTreeSet<&String> = self.operators.keys().chain(other.operators.keys()).collect();
        let told: BTreeSet<&String> = names.iter().copied().filter(telling).collect();
        let names = if told.is_empty() { names } else { told };
        let uses = |shape: &Shape, name: &String| shape.operators.get(name).copied().unwrap_or(0);
        let (mut both, mut either) = (0, 0);
        for name in names {
            let (one, two) = (uses(self, name), uses(other, name));
            (both, either) = (both + one.min(two), either + one.max(two));
        }
        if either == 0 { 0.0 } else { both as f64 / either as f64 }
    }
}

/// The features of a script: its operators, pairs of an operator and one directly below it (`=(str.replace)`), and commands that
/// plain scripts do not have.
pub fn features(script: &Script) -> BTreeSet<String> {
    let pair = |name: &String| match name.split_once(' ') {
        Some((above, below)) => format!("{above}({below})"),
        None => name.clone(),
    };
    let mut features: BTreeSet<String> = Shape::of(script).operators.keys().map(pair).collect();
    let is_telling =
        |name: &&str| matches!(*name, "push" | "check-sat-assuming" | "reset" | "reset-assertions");
    let text = script.to_string();
    let commands = outline(&text).commands;
    features.extend(commands.iter().map(|command| command.name).filter(is_telling).map(str::to_owned));
    let checks = script.commands.iter().filter(|command| script.is_check(command)).count();
    features.extend((checks > 1).then(|| "several-checks".to_owned()));
    features
}

/// The features that tell a bug from others: pairs, and operators that are in no pair. Common operators are left out where there
/// are others.
pub fn telling_features(script: &Script) -> Vec<String> {
    let all = features(script);
    let common = facts::names("common");
    let parts = |feature: &str| -> Vec<String> {
        feature.trim_end_matches(')').split('(').map(str::to_owned).collect()
    };
    let is_common = |feature: &String| parts(feature).iter().all(|part| common.contains(&part.as_str()));
    let in_pairs: BTreeSet<String> =
        all.iter().filter(|one| one.contains('(')).flat_map(|one| parts(one)).collect();
    let is_single = |feature: &&String| feature.contains('(') || !in_pairs.contains(*feature);
    let telling: Vec<String> = all.iter().filter(is_single).filter(|one| !is_common(one)).cloned().collect();
    if telling.is_empty() { all.into_iter().collect() } else { telling }
}

/// The assertions and assumptions, with conjunctions split: `(and a b)` and two assertions are one shape.
fn claims(script: &Script) -> Vec<Term> {
    let claimed = |command: &Command| match command {
        Command::Term(Word::Assert | Word::AssertSoft | Word::Rule | Word::Query, ..)
        | Command::Terms(Word::CheckSatAssuming | Word::GetTimeoutCoreAssuming, _)
        | Command::Define(..)
        | Command::DefineFunsRec(_) => command.terms(),
        _ => Vec::new(),
    };
    let mut open: Vec<Term> = script.commands.iter().flat_map(claimed).collect();
    let mut claims = Vec::new();
    while let Some(term) = open.pop() {
        match script.arena().view(term) {
            TermView::Application(head, parts)
                if script.arena().text(head.symbol) == "and" && !parts.is_empty() =>
            {
                open.extend_from_slice(parts);
            }
            _ => claims.push(term),
        }
    }
    claims
}

/// The marks of terms, children first.
struct ShapeWalk<'a> {
    arena: &'a Arena,
    /// The names that the script declares, with their placeholders.
    own: BTreeMap<Symbol, &'static str>,
    marks: Vec<u64>,
    /// The operator of each term, for the pairs; empty for constants.
    heads: Vec<String>,
    operators: BTreeMap<String, usize>,
    commutative: Vec<&'static str>,
    /// Other names of operators: older ones, and those of sequences for what strings have.
    names: BTreeMap<&'a str, &'a str>,
    /// Comparisons that say the same as another with their arguments exchanged.
    mirrored: BTreeMap<&'static str, &'static str>,
    /// Operators that make a value of values.
    making_values: Vec<&'static str>,
}

impl<'a> ShapeWalk<'a> {
    fn new(script: &'a Script) -> Self {
        let count = script.arena().term_count();
        let heads = vec![String::new(); count];
        let old = script.arena().signature().old_names();
        let twins = facts::lines("twin").map(|line| (line[0], line[1]));
        ShapeWalk {
            arena: script.arena(),
            own: own(script),
            marks: vec![0; count],
            heads,
            operators: BTreeMap::new(),
            commutative: facts::names("commutative"),
            names: old.chain(twins).collect(),
            mirrored: facts::lines("mirror").map(|line| (line[0], line[1])).collect(),
            making_values: facts::names("value"),
        }
    }

    /// Marks all that the claims are made of. Children have lower numbers than their parents.
    fn visit(&mut self, claims: &[Term]) {
        let reached: BTreeSet<Term> = self.arena.reachable(claims.iter().copied()).collect();
        reached.into_iter().for_each(|term| self.mark(term));
    }

    fn mark(&mut self, term: Term) {
        let view = self.arena.view(term);
        let children = view.children();
        let mut marks: Vec<u64> = children.iter().map(|child| self.marks[child.index()]).collect();
        let head = match view {
            TermView::Annotated(..) => {
                self.marks[term.index()] = marks[0];
                self.heads[term.index()] = self.heads[children[0].index()].clone();
                return;
            }
            TermView::Literal(..) | TermView::Variable(_) | TermView::Opaque(_) => String::new(),
            TermView::Application(head, _) => self.head(head.symbol, term, children),
            TermView::Apply(_) => "apply".to_owned(),
            TermView::Let(..) => "let".to_owned(),
            TermView::Bind(binder, ..) => binder.name().to_owned(),
            TermView::Match(..) => "match".to_owned(),
        };
        if head.is_empty() {
            let word = self.constant(view, term);
            self.marks[term.index()] = digest(&word, &[]);
            return;
        }
        let mirror = self.mirrored.get(head.as_str()).map(|plain| (*plain).to_owned());
        if mirror.is_some() {
            marks.reverse();
        }
        let head = mirror.unwrap_or(head);
        if self.commutative.contains(&head.as_str()) {
            marks.sort_unstable();
        }
        self.count(&head, children);
        self.marks[term.index()] = digest(&head, &marks);
        self.heads[term.index()] = head;
    }

    /// The operator of an application; empty if the whole of it is a constant.
    fn head(&self, symbol: Symbol, term: Term, children: &[Term]) -> String {
        let name = self.arena.text(symbol);
        let is_value = |child: &Term| self.is_value(*child);
        match self.own.get(&symbol) {
            _ if children.is_empty() && self.arena.sort_of(term) != Sort::REGLAN => String::new(),
            Some(word) if children.is_empty() => (*word).to_owned(),
            Some(word) => format!("{word}/{}", children.len()),
            None if self.making_values.contains(&name) && children.iter().all(is_value) => String::new(),
            None => self.names.get(name).copied().unwrap_or(name).to_owned(),
        }
    }

    /// Whether a term is a constant that the script does not declare.
    fn is_value(&self, term: Term) -> bool {
        match self.arena.view(term) {
            TermView::Literal(..) => true,
            TermView::Application(head, _) => {
                !self.own.contains_key(&head.symbol) && self.heads[term.index()].is_empty()
            }
            _ => false,
        }
    }

    /// The placeholder of a constant: its kind and sort.
    fn constant(&self, view: TermView<'_>, term: Term) -> String {
        let sort = self.sort(self.arena.sort_of(term));
        match view {
            TermView::Literal(Literal::String, spelling) if self.arena.text(spelling) == "\"\"" => {
                format!("empty {sort}")
            }
            TermView::Variable(_) => format!("variable {sort}"),
            TermView::Opaque(_) => "opaque".to_owned(),
            TermView::Application(head, []) if self.own.contains_key(&head.symbol) => {
                format!("constant {sort}")
            }
            _ => format!("literal {sort}"),
        }
    }

    /// The names of a sort and its arguments, without widths.
    fn sort(&self, sort: Sort) -> String {
        let (mut words, mut open) = (Vec::new(), vec![sort]);
        while let Some(sort) = open.pop() {
            let view = self.arena.view_sort(self.arena.canonical(sort));
            words.push(self.own.get(&view.head).copied().unwrap_or_else(|| self.arena.text(view.head)));
            open.extend(view.arguments.iter().rev());
        }
        words.join(" ")
    }

    fn count(&mut self, head: &str, children: &[Term]) {
        *self.operators.entry(head.to_owned()).or_default() += 1;
        for child in children {
            let below = &self.heads[child.index()];
            if !below.is_empty() {
                *self.operators.entry(format!("{head} {below}")).or_default() += 1;
            }
        }
    }
}

/// The names that a script declares, each with the word that stands for all of its like.
fn own(script: &Script) -> BTreeMap<Symbol, &'static str> {
    let mut own = BTreeMap::new();
    for command in &script.commands {
        match command {
            Command::DeclareSort(name, _) => drop(own.insert(*name, "sort")),
            Command::Declare(_, name, ..) => drop(own.insert(*name, "function")),
            Command::Define(_, definition) => drop(own.insert(definition.name, "defined")),
            Command::DefineFunsRec(all) => {
                own.extend(all.iter().map(|definition| (definition.name, "defined")));
            }
            Command::DeclareDatatypes(_, all) => {
                for datatype in all.iter() {
                    own.insert(datatype.name, "datatype");
                    for constructor in &datatype.constructors {
                        own.insert(constructor.name, "constructor");
                        own.extend(constructor.fields.iter().map(|(selector, _)| (*selector, "selector")));
                    }
                }
            }
            _ => {}
        }
    }
    own
}

fn digest(word: &str, marks: &[u64]) -> u64 {
    let mut hash = Sha256::new();
    hash.update(word.as_bytes());
    hash.update([0]);
    marks.iter().for_each(|mark| hash.update(mark.to_le_bytes()));
    let bytes = hash.finalize();
    u64::from_le_bytes(*bytes.first_chunk().expect("a hash has 32 bytes"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use gainsay_smt::Signature;

    /// The shape of a script.
    pub fn shape(text: &str) -> Shape {
        Shape::of(&Script::parse(text, &Signature::standard()).unwrap())
    }

    const STRING_SCRIPT: &str = "(declare-const x String)(declare-const y String)
        (assert (= (str.replace x \"B\" y) \"AB\"))(assert (> (str.len x) 3))(check-sat)";

    #[test]
    fn names_constants_and_order_do_not_matter() {
        let variants = [
            "(declare-fun u () String)(declare-fun v () String)(assert (< 7 (str.len v)))
             (assert (= \"q\" (str.replace v \"zz\" u)))(check-sat)",
            "(set-logic ALL)(declare-const b String)(declare-const a String)
             (assert (and (= (str.replace a \"B\" b) \"AB\") (> (str.len a) (- 3))))(check-sat)",
        ];
        for variant in variants {
            assert_eq!(shape(variant), shape(STRING_SCRIPT), "{variant}");
        }
    }

    #[test]
    fn another_name_of_an_operator_does_not_matter() {
        // Logics need not be the same: the standard has none with sequences.
        let essence = |text: &str| (shape(text).mark, shape(text).operators);
        let sequences = STRING_SCRIPT.replace("str.len", "seq.len").replace("str.replace", "seq.replace");
        assert_eq!(essence(&sequences), essence(STRING_SCRIPT));
        let member = |is_in: &str, of: &str| {
            format!("(declare-const x String)(assert ({is_in} x (re.* ({of} \"a\"))))(check-sat)")
        };
        assert_eq!(essence(&member("str.in.re", "str.to.re")), essence(&member("str.in_re", "str.to_re")));
    }

    #[test]
    fn operators_do_matter_and_so_do_sorts_and_places() {
        let others = [
            STRING_SCRIPT.replace("str.replace ", "str.replace_all "),
            STRING_SCRIPT.replace("(> (str.len x) 3)", "(not (> (str.len x) 3))"),
            STRING_SCRIPT.replace("(str.replace x \"B\" y)", "(str.replace \"B\" x y)"),
            STRING_SCRIPT.replace("(check-sat)", "(check-sat)(check-sat)"),
        ];
        for other in others {
            assert_ne!(shape(&other).mark, shape(STRING_SCRIPT).mark, "{other}");
        }
    }

    #[test]
    fn widths_and_declared_sorts_are_all_alike() {
        let wide = |width: u32| {
            format!(
                "(declare-const a (_ BitVec {width}))(assert (bvult a (bvadd a (_ bv1 {width}))))(check-sat)"
            )
        };
        assert_eq!(shape(&wide(8)), shape(&wide(32)));
        let sorted = |name: &str| {
            format!(
                "(declare-sort {name} 0)(declare-fun f ({name}) {name})(declare-const c {name})(assert (= c (f c)))(check-sat)"
            )
        };
        assert_eq!(shape(&sorted("U")), shape(&sorted("Elem")));
        let floats = "(declare-const a Float16)(assert (fp.gt a (fp #b0 #b00000 #b0000000001)))(check-sat)";
        let others = "(declare-const a Float32)(assert (fp.lt (_ +oo 8 24) a))(check-sat)";
        assert_eq!(shape(floats).mark, shape(others).mark);
    }

    #[test]
    fn likeness_is_one_for_one_shape_and_less_the_more_differs() {
        let near = STRING_SCRIPT.replace("(> (str.len x) 3)", "(> (str.len x) (str.indexof x y 0))");
        let far = "(declare-const a Real)(assert (> (* a a) 2.0))(check-sat)";
        let (same, near, far) = (shape(STRING_SCRIPT), shape(&near), shape(far));
        assert!((same.likeness(&shape(STRING_SCRIPT)) - 1.0).abs() < f64::EPSILON);
        assert!(same.likeness(&near) > 0.5 && same.likeness(&near) < 1.0, "{}", same.likeness(&near));
        assert!(same.likeness(&far) < 0.3, "{}", same.likeness(&far));
    }

    #[test]
    fn features_are_pairs_of_operators_and_those_of_a_reduced_script_are_in_what_it_was_reduced_from() {
        let read = |text: &str| Script::parse(text, &Signature::standard()).unwrap();
        let reduced = read("(declare-const x String)(assert (= (str.replace x \"B\" x) \"AB\"))(check-sat)");
        assert_eq!(telling_features(&reduced), ["=(str.replace)"]);
        let whole = read(STRING_SCRIPT);
        assert!(telling_features(&reduced).iter().all(|one| features(&whole).contains(one)));
        assert!(!features(&whole).contains("several-checks"));
        let scopes = read("(push 1)(assert false)(check-sat)(pop 1)(check-sat)");
        assert_eq!(telling_features(&scopes), ["push", "several-checks"]);
    }

    #[test]
    fn a_shared_term_of_great_depth_has_a_shape() {
        let mut text = "(declare-const x Int)(assert (< 0 ".to_owned();
        text.push_str(&"(+ x ".repeat(20_000));
        text.push('x');
        text.push_str(&")".repeat(20_000));
        text.push_str("))(check-sat)");
        assert_eq!(shape(&text).operators["+"], 20_000);
    }
}
