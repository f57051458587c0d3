//! Skeletons: a script with holes in place of its constants.
//!
//! ```text
//! (assert (str.in_re s (re.++ (re.range "a" "z") (str.to_re "xy"))))    becomes
//! (assert (str.in_re s (re.++ (re.range "a" "z") (str.to_re hole!2))))
//! ```
//!
//! Every occurrence of a constant is a hole of its own. Some arguments must be literals (the rows `argument` of the
//! operator table): their holes are not open to a solver, but a literal can be drawn for them. Patterns and opaque
//! terms stay as they are.

use gainsay_smt::print::{command_text, term_text};
use gainsay_smt::{
    Arena, AttributeValue, Command, Head, Literal, Occurrences, Script, Sort, Symbol, Term, TermView, Word,
    replace_children,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Filling, NoValuesReason};
use crate::fusion::function::s_expression::SExpression;
use crate::fusion::function::sort_expression;
use gainsay_smt::operator_facts as facts;

/// Places of a script that are considered.
const MAX_SKELETON_PLACES: usize = 20_000;

/// The most constants that become holes; the first ones do.
const MAX_HOLES: usize = 400;

/// A script with holes in place of its constants.
#[derive(Debug, Clone)]
pub struct Skeleton {
    /// The script without annotations, which may not occur twice; it declares its open holes first.
    pub script: Script,
    /// The holes in the order of the text.
    pub holes: Vec<Hole>,
    /// The prefix of the holes' names; no other name has it.
    pub prefix: String,
    /// The text around the holes: one piece more than there are holes.
    pieces: Vec<String>,
}

/// An occurrence of a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// Its name in the skeleton.
    pub name: String,
    /// Its sort, as an expression.
    pub sort: SExpression,
    /// Its term in the skeleton's script; the constant itself if it is not open.
    pub term: Term,
    /// The original constant, in the same arena.
    pub old: Term,
    /// The text of the original constant.
    pub constant: String,
    /// What may fill it.
    pub takes: HoleContent,
}

/// What may fill a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoleContent {
    /// Any term of the sort: the hole is open to a solver.
    Term,
    /// A literal.
    Literal,
    /// A string of one character.
    Character,
    /// A small natural number.
    Small,
}

impl Skeleton {
    /// The skeleton of a script, or why there is none.
    pub fn of(script: &Script) -> Result<Skeleton, NoValuesReason> {
        let places = Occurrences::of(script, MAX_SKELETON_PLACES);
        let found = constants(script, &places);
        if found.is_empty() {
            return Err(NoValuesReason::NoConstants);
        }
        let prefix = unused_prefix(&script.to_string());
        let mut skeleton = script.clone();
        let (mut holes, mut marks) = (Vec::new(), FxHashMap::default());
        for (number, &(place, takes)) in found.iter().enumerate() {
            let occurrence = &places.list()[place];
            let name = format!("{prefix}{number}");
            let symbol = skeleton.arena_mut().symbol(&name);
            let mark = skeleton.arena_mut().application(Head::plain(symbol), &[], occurrence.sort);
            marks.insert(place, mark);
            let (term, old) = (mark, occurrence.term);
            let sort = sort_expression(script.arena(), occurrence.sort).ok_or(NoValuesReason::Unnamed)?;
            let constant = term_text(script.arena(), old);
            holes.push(Hole { name, sort, term, old, constant, takes });
        }
        places.replace_all(&mut skeleton, &marks);
        let pieces = pieces(&skeleton, &prefix);
        // A hole whose name is printed differently cannot be found in the text.
        if pieces.len() != holes.len() + 1 {
            return Err(NoValuesReason::Unnamed);
        }
        let script = unannotated(opened(script, &places, &mut holes, &found));
        Ok(Skeleton { script, holes, prefix, pieces })
    }

    /// The text of the script with these literals.
    pub fn fill(&self, filling: &Filling) -> String {
        let mut text = self.pieces[0].clone();
        for ((hole, value), piece) in self.holes.iter().zip(filling).zip(&self.pieces[1..]) {
            text.push_str(value.as_deref().unwrap_or(&hole.constant));
            text.push_str(piece);
        }
        text
    }

    /// The holes that a text mentions.
    pub fn named_in(&self, text: &str) -> Vec<usize> {
        let mut named: Vec<usize> = text
            .match_indices(&self.prefix)
            .filter_map(|(at, _)| {
                let rest = &text[at + self.prefix.len()..];
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                rest[..digits].parse().ok()
            })
            .collect();
        named.sort_unstable();
        named.dedup();
        named
    }
}

/// The script with its open holes declared and inserted; other holes keep their constants.
fn opened(
    script: &Script,
    places: &Occurrences,
    holes: &mut [Hole],
    found: &[(usize, HoleContent)],
) -> Script {
    let mut opened = script.clone();
    let (mut declared, mut marks) = (Vec::new(), FxHashMap::default());
    for (hole, (place, takes)) in holes.iter_mut().zip(found) {
        hole.term = hole.old;
        if *takes == HoleContent::Term {
            let symbol = opened.arena_mut().symbol(&hole.name);
            let sort = places.list()[*place].sort;
            hole.term = opened.arena_mut().application(Head::plain(symbol), &[], sort);
            marks.insert(*place, hole.term);
            declared.push(Command::Declare(Word::DeclareConst, symbol, [].into(), sort));
        }
    }
    places.replace_all(&mut opened, &marks);
    opened.commands.splice(0..0, declared);
    opened
}

/// A script without annotations; the name of a `:named` term is replaced by the term.
fn unannotated(mut script: Script) -> Script {
    let is_annotated = |term: Term| matches!(script.arena().view(term), TermView::Annotated(..));
    if !script.arena().terms().any(is_annotated) {
        return script;
    }
    let named = named(&script);
    let mut bare = |arena: &Arena, term: Term, children: &[Term]| match arena.view(term) {
        TermView::Annotated(..) => Some(children[0]),
        _ => None,
    };
    let mut target = |arena: &Arena, term: Term, _: &[Term]| match arena.view(term) {
        TermView::Application(head, []) => named.get(&head.symbol).copied(),
        _ => None,
    };
    rebuild(&mut script, &mut target);
    rebuild(&mut script, &mut bare);
    script
}

/// The terms that names in a script stand for.
fn named(script: &Script) -> FxHashMap<Symbol, Term> {
    let arena = script.arena();
    let mut named = FxHashMap::default();
    for term in arena.reachable(script.commands.iter().flat_map(Command::terms)) {
        if let TermView::Annotated(attributes, children) = arena.view(term) {
            for attribute in attributes {
                if let AttributeValue::Name(name) = attribute.value {
                    named.entry(name).or_insert(children[0]);
                }
            }
        }
    }
    named
}

/// Replaces each term for which `other` returns one, given its rebuilt children.
fn rebuild(script: &mut Script, mut other: impl FnMut(&Arena, Term, &[Term]) -> Option<Term>) {
    let mut new: Vec<Term> = Vec::new();
    let terms: Vec<Term> = script.arena().terms().collect();
    // Children come before their parents.
    for term in terms {
        let children: Vec<Term> =
            script.arena().children(term).iter().map(|child| new[child.index()]).collect();
        let changed = match other(script.arena(), term, &children) {
            Some(other) => other,
            None if children == script.arena().children(term) => term,
            None => replace_children(script.arena_mut(), term, &children),
        };
        new.push(changed);
    }
    for command in &mut script.commands {
        for position in 0..command.term_count() {
            command.set_term(position, new[command.term(position).index()]);
        }
    }
}

/// The text of a script, cut at the names of holes.
fn pieces(script: &Script, prefix: &str) -> Vec<String> {
    let text: String =
        script.commands.iter().map(|command| command_text(script.arena(), command) + "\n").collect();
    let mut pieces = vec![String::new()];
    let mut rest = text.as_str();
    while let Some(at) = rest.find(prefix) {
        pieces.last_mut().expect("there is one").push_str(&rest[..at]);
        pieces.push(String::new());
        rest = rest[at + prefix.len()..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    pieces.last_mut().expect("there is one").push_str(rest);
    pieces
}

/// A prefix that does not occur in the text.
fn unused_prefix(text: &str) -> String {
    let mut prefix = "hole!".to_owned();
    while text.contains(&prefix) {
        prefix.push('!');
    }
    prefix
}

/// The outermost occurrences of constants, in the order of the text, with what may fill them.
fn constants(script: &Script, places: &Occurrences) -> Vec<(usize, HoleContent)> {
    let arena = script.arena();
    let (declared, rows) = (script.declared_functions(), facts::lines("argument").collect::<Vec<_>>());
    // Places whose subterms are not considered.
    let mut closed = vec![false; places.list().len()];
    let mut found = Vec::new();
    for (place, occurrence) in places.list().iter().enumerate() {
        let is_within = occurrence.parent.is_some_and(|(parent, _)| closed[parent]);
        let is_pattern = occurrence.parent.is_some_and(|(parent, child)| {
            child > 0 && matches!(arena.view(places.list()[parent].term), TermView::Annotated(..))
        });
        let is_asked = matches!(
            &script.commands[occurrence.root.0],
            Command::Term(Word::Assert, ..) | Command::Define(..) | Command::DefineFunsRec(_)
        );
        closed[place] = is_within || is_pattern || !is_asked;
        if closed[place] || !is_constant(arena, occurrence.term, &declared) {
            continue;
        }
        closed[place] = true;
        let takes = occurrence.parent.map_or(HoleContent::Term, |(parent, child)| {
            takes(arena, places.list()[parent].term, child, &declared, &rows)
        });
        // A constant expression in place of a required literal stays: only some solvers evaluate it.
        if takes == HoleContent::Term || is_literal(arena, occurrence.term) {
            found.push((place, takes));
        }
        if found.len() == MAX_HOLES {
            break;
        }
    }
    found
}

fn is_literal(arena: &Arena, term: Term) -> bool {
    matches!(arena.view(term), TermView::Literal(..))
}

/// Whether a term is a value, of a sort whose values all solvers print alike.
fn is_constant(arena: &Arena, term: Term, declared: &FxHashSet<Symbol>) -> bool {
    let is_number =
        |term: &Term| matches!(arena.view(*term), TermView::Literal(Literal::Numeral | Literal::Decimal, _));
    let is_zero = |term: &Term| match arena.view(*term) {
        TermView::Literal(_, text) => !arena.text(text).contains(|c: char| ('1'..='9').contains(&c)),
        _ => false,
    };
    match arena.view(term) {
        TermView::Literal(kind, _) => kind != Literal::Field,
        TermView::Application(head, _) if declared.contains(&head.symbol) => false,
        TermView::Application(head, []) => {
            let sort = arena.text(arena.view_sort(arena.sort_of(term)).head);
            let is_known = arena.signature().is_operator(head.symbol) || !head.indices.is_empty();
            is_known && matches!(sort, "Bool" | "BitVec" | "FloatingPoint" | "RoundingMode" | "String")
        }
        TermView::Application(head, [number]) if arena.text(head.symbol) == "-" => is_number(number),
        TermView::Application(head, [above, below]) if arena.text(head.symbol) == "/" => {
            is_number(above) && is_number(below) && !is_zero(below) && arena.sort_of(term) == Sort::REAL
        }
        TermView::Application(head, parts @ [_, _, _]) if arena.text(head.symbol) == "fp" => {
            parts.iter().all(|&part| is_literal(arena, part))
        }
        _ => false,
    }
}

/// What may fill an argument of a term, according to the operator table.
fn takes(
    arena: &Arena,
    parent: Term,
    child: usize,
    declared: &FxHashSet<Symbol>,
    rows: &[Vec<&'static str>],
) -> HoleContent {
    let TermView::Application(head, arguments) = arena.view(parent) else { return HoleContent::Term };
    let name = arena.text(head.symbol);
    let is_here = |argument: &str| argument == "*" || argument.parse() == Ok(child);
    let row = rows.iter().find(|row| row[0] == name && is_here(row[1]));
    let Some(row) = row.filter(|_| !declared.contains(&head.symbol)) else { return HoleContent::Term };
    // A rounding mode is not a number, and may be any term.
    if arena.text(arena.view_sort(arena.sort_of(arguments[child])).head) == "RoundingMode" {
        return HoleContent::Term;
    }
    match row[2] {
        "character" => HoleContent::Character,
        "small" => HoleContent::Small,
        _ => HoleContent::Literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn skeleton(text: &str) -> Result<Skeleton, NoValuesReason> {
        Skeleton::of(&Script::parse(text, &Signature::standard()).unwrap())
    }

    fn constants_of(text: &str) -> Vec<(String, HoleContent)> {
        let holes = skeleton(text).unwrap().holes;
        holes.into_iter().map(|hole| (hole.constant, hole.takes)).collect()
    }

    #[test]
    fn every_place_of_a_constant_is_a_hole_of_its_own() {
        let found = skeleton("(declare-const x Int)(assert (< (+ x 1) 1))(check-sat)").unwrap();
        assert_eq!(found.script.to_string().lines().last(), Some("(check-sat)"));
        assert!(found.script.to_string().contains("(assert (< (+ x hole!0) hole!1))"), "{}", found.script);
        assert!(found.script.to_string().starts_with("(declare-const hole!0 Int)\n"));
        let filled = found.fill(&vec![None, Some("(- 7)".into())]);
        assert_eq!(filled, "(declare-const x Int)\n(assert (< (+ x 1) (- 7)))\n(check-sat)\n");
    }

    #[test]
    fn what_is_written_as_one_value_is_one_hole() {
        let found = constants_of(
            "(declare-const x Real)(declare-const f Float32)(declare-const b (_ BitVec 8))
             (assert (= x (- 1.5) (/ 1 3)))(assert (= f (fp #b0 #x00 #b00000000000000000000000) (_ NaN 8 24)))
             (assert (= b (_ bv5 8) #x0a))(assert (= f (fp.add RNE f f)))(assert (or true (= \"a\"\"b\" \"\")))",
        );
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "(- 1.5)",
                "(/ 1 3)",
                "(fp #b0 #x00 #b00000000000000000000000)",
                "(_ NaN 8 24)",
                "(_ bv5 8)",
                "#x0a",
                "RNE",
                "true",
                "\"a\"\"b\"",
                "\"\""
            ]
        );
    }

    #[test]
    fn what_must_be_a_literal_is_not_open() {
        let found = constants_of(
            "(declare-const s String)(declare-const a (Array Int Int))
             (assert (str.in_re s (re.++ (re.range \"a\" \"z\") (str.to_re \"xy\"))))
             (assert (= a ((as const (Array Int Int)) 3)))
             (assert (= ((_ to_fp 8 24) RNE 0.5) ((_ to_fp 8 24) RNE 1.5)))",
        );
        let of = |text: &str| found.iter().find(|(constant, _)| constant == text).map(|(_, takes)| *takes);
        assert_eq!(of("\"a\""), Some(HoleContent::Character));
        assert_eq!(of("\"xy\""), Some(HoleContent::Term));
        assert_eq!(of("3"), Some(HoleContent::Literal));
        assert_eq!(of("0.5"), Some(HoleContent::Literal));
        assert_eq!(of("RNE"), Some(HoleContent::Term));
    }

    #[test]
    fn indices_patterns_and_own_functions_are_no_constants() {
        let found = constants_of(
            "(declare-fun f (Int) Int)(declare-const b (_ BitVec 8))
             (assert (forall ((x Int)) (! (< (f x) 9) :pattern ((f (+ x 3))))))
             (assert (= ((_ extract 3 0) b) #b0000))",
        );
        let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["9", "#b0000"]);
        let none = skeleton("(declare-const p Bool)(assert p)(check-sat)").unwrap_err();
        assert_eq!(none, NoValuesReason::NoConstants);
    }

    #[test]
    fn annotations_stay_in_the_cases_and_not_in_what_is_asked() {
        let found = skeleton(
            "(declare-const x Int)(assert (! (and (! (< x 3) :named n) (< 4 x)) :named m))(assert (or n m))",
        )
        .unwrap();
        let asked = found.script.to_string();
        assert!(!asked.contains(":named"), "{asked}");
        assert!(asked.contains("(assert (or (< x hole!0) (and (< x hole!0) (< hole!1 x))))"), "{asked}");
        assert!(found.fill(&vec![Some("5".into()), None]).contains("(! (< x 5) :named n) (< 4 x))"));
    }

    #[test]
    fn a_name_of_the_script_is_no_hole() {
        let found = skeleton("(declare-const hole!0 Int)(assert (< hole!0 3))").unwrap();
        assert_eq!(found.prefix, "hole!!");
        assert_eq!(
            found.fill(&vec![Some("4".into())]),
            "(declare-const hole!0 Int)\n(assert (< hole!0 4))\n"
        );
    }
}
