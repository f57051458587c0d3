//! Seeds in small scope: chains that start from a seed with few values, so that exhaustion decides most of their cases.
//!
//! ```text
//! (declare-const a (_ BitVec 32))            (declare-const a (_ BitVec 3))
//! (declare-const x Int)             becomes  (declare-const x Int) (assert (<= (- 3) x 4))
//! (assert (= x (ubv_to_int a) 100))          (assert (= x (ubv_to_int a) 4))
//! ```
//!
//! Sorts and literals shrink as in reductions; integers, strings, sequences and sets are bounded by the assertions of generated
//! scripts. A constant of any other sort with too many values equals one of a few (`few_values.rs`), and so do quantified variables and
//! the results of functions (`guards.rs`). The answer of a shrunk seed is unknown. Fusion needs a known answer, so it takes the original seed; so does
//! the strategy `value` if a solver proposed the values for that seed.

mod few_values;
mod guards;

use gainsay_reduce::{SmallSorts, rewrite_and_reparse};
use gainsay_smt::print::{command_text, sort_text, symbol_text};
use gainsay_smt::{Arena, Command, Script, Sort, Symbol, Word};
use rustc_hash::FxHashSet;

use few_values::FewValues;
use guards::{FewResults, one_of};

use crate::random::Rng;
use crate::strategy::generate::FloatFormats;
use crate::strategy::generate::declare::bound_assertions;

/// The most bits of bit vectors.
const MAX_SMALL_WIDTH: usize = 4;
/// The values of a constant whose sort has too many.
const MAX_LISTED_VALUES: usize = 6;
/// The floating-point formats.
const SMALL_FORMATS: [(u32, u32); 2] = [(2, 3), (3, 4)];

/// A seed with few values.
#[derive(Debug)]
pub struct SmallSeed {
    /// The script.
    pub script: Script,
    bounds: Vec<Bound>,
}

/// The text of an assertion that bounds a constant, and that of the constant's declaration.
#[derive(Debug)]
struct Bound {
    declaration: String,
    assertion: String,
}

impl SmallSeed {
    /// Returns true if a command, by its text, bounds a constant of the seed.
    pub fn is_bound(&self, command: &str) -> bool {
        self.bounds.iter().any(|bound| bound.assertion == command)
    }

    /// The text of a script with the bounds of all constants that it declares, in the place of what they were changed to; `None` if
    /// none is missing.
    pub fn restored(&self, commands: &[String]) -> Option<String> {
        let present: FxHashSet<&str> = commands.iter().map(String::as_str).collect();
        let mut is_changed = false;
        let mut text = String::new();
        let mut left = commands.iter().peekable();
        while let Some(command) = left.next() {
            text += command;
            text.push('\n');
            for bound in self.bounds.iter().filter(|bound| bound.declaration == *command) {
                let is_here = left.peek().is_some_and(|next| **next == bound.assertion);
                let is_missing = !present.contains(bound.assertion.as_str());
                if is_here || is_missing && left.peek().is_some_and(|next| next.starts_with("(assert ")) {
                    left.next();
                }
                if is_here || is_missing {
                    is_changed |= is_missing;
                    text += &bound.assertion;
                    text.push('\n');
                }
            }
        }
        is_changed.then_some(text)
    }
}

/// The seed with few values; `None` if nothing in it can shrink. Horn clauses and rules stay, and text that is not understood.
pub fn small_seed(seed: &Script, formats: FloatFormats, rng: &mut Rng) -> Option<SmallSeed> {
    let is_rule = |command: &Command| matches!(command, Command::Term(Word::Rule | Word::Query, ..));
    if seed.is_horn() || seed.has_opaque() || seed.commands.iter().any(is_rule) {
        return None;
    }
    let width = 1 + rng.below(MAX_SMALL_WIDTH) as u32;
    let format = SMALL_FORMATS[rng.below(SMALL_FORMATS.len())];
    let format = (formats == FloatFormats::Any).then_some(format);
    let shrunk = SmallSorts { width, format }.shrink(seed);
    let mut few = FewResults::of(shrunk.as_ref().unwrap_or(seed));
    let script = shrunk.as_ref().unwrap_or(seed);
    let guarded = rewrite_and_reparse(script, &mut few).filter(|guarded| guarded != script).or(shrunk);
    let bounded = bounded(guarded.as_ref().unwrap_or(seed));
    bounded.or(guarded.map(|script| SmallSeed { script, bounds: Vec::new() }))
}

/// The script with assertions that bound its constants; `None` if there are none to bound, or if its logic cannot say so.
fn bounded(script: &Script) -> Option<SmallSeed> {
    let arena = script.arena();
    let (mut text, mut commands, mut bounds) = (String::new(), 0, Vec::new());
    let bounding = BoundingText { values: FewValues::of(script), arena };
    for command in &script.commands {
        text += &command_text(arena, command);
        text.push('\n');
        commands += 1;
        if let Command::Declare(_, name, parameters, sort) = command
            && parameters.is_empty()
        {
            let declaration = commands - 1;
            for assertion in bounding.constant(*name, *sort).lines() {
                text += assertion;
                text.push('\n');
                bounds.push((declaration, commands));
                commands += 1;
            }
        }
    }
    if bounds.is_empty() {
        return None;
    }
    let script = Script::parse(&text, arena.signature()).ok()?;
    let written = |number: usize| command_text(script.arena(), &script.commands[number]);
    let bound =
        |(declaration, assertion)| Bound { declaration: written(declaration), assertion: written(assertion) };
    let bounds = bounds.into_iter().map(bound).collect();
    Some(SmallSeed { script, bounds })
}

/// The commands that bound constants.
struct BoundingText<'a> {
    values: FewValues,
    arena: &'a Arena,
}

impl BoundingText<'_> {
    /// What bounds a constant; empty if its sort has few values, or if nothing is known of it.
    fn constant(&self, name: Symbol, sort: Sort) -> String {
        let sort = self.arena.canonical(sort);
        let constant = symbol_text(self.arena, name);
        let has_bounded_parts = match self.arena.view_sort(sort).arguments {
            // Elements of sets are bounded together with the sets.
            [element] if self.arena.text(self.arena.view_sort(sort).head) == "Seq" => {
                self.values.is_small(self.arena, *element)
            }
            _ => true,
        };
        let bound = bound_assertions(&constant, &sort_text(self.arena, sort));
        if !bound.is_empty() && has_bounded_parts {
            return bound;
        }
        if self.values.is_small(self.arena, sort) {
            return String::new();
        }
        let values = self.values.texts(self.arena, sort, MAX_LISTED_VALUES);
        one_of(&constant, &values)
            .filter(|_| values.len() > 1)
            .map(|cases| format!("(assert {cases})\n"))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use gainsay_smt::Signature;
    use gainsay_smt::exhaust::{ExactAnswer, ExhaustionBudget, decide};
    use gainsay_smt::sat_queries;

    use super::*;
    use crate::random::RandomStream;

    fn small(text: &str, formats: FloatFormats) -> Option<Script> {
        let seed = Script::parse(text, &Signature::standard()).unwrap();
        small_seed(&seed, formats, &mut RandomStream::new(1).rng()).map(|small| small.script)
    }

    #[test]
    fn a_datatype_with_many_fields_of_its_own_sort_is_bounded_by_few_of_its_values() {
        // Written down one by one, the nested values are 26^6.
        let nodes: String = ('a'..='m').map(|name| format!("({name} (l{name} T) (r{name} T))")).collect();
        let text = format!(
            "(declare-datatypes ((T 0)) (({nodes}(leaf (value Int)))))(declare-const t T)(assert ((_ is a) t))(check-sat)"
        );
        let script = small(&text, FloatFormats::Any).unwrap();
        assert!(script.to_string().contains("(assert (or (= t "), "{script}");
    }

    #[test]
    fn shrunk_seeds_are_decided_by_exhaustion() {
        let seeds = [
            "(declare-const a (_ BitVec 32))(declare-const b (_ BitVec 32))(assert (= (bvmul a b) #x00012345))(check-sat)",
            "(declare-const x Int)(declare-const y Int)(assert (= (* x x) (+ y 1000)))(check-sat)",
            "(declare-const s String)(assert (= (str.++ s \"x\") (str.++ \"x\" s)))(assert (> (str.len s) 100))(check-sat)",
            "(declare-sort U 0)(declare-const u U)(declare-const v U)(declare-fun f (U) U)(assert (distinct u v (f u)))(check-sat)",
            "(declare-const x Float64)(assert (fp.lt (fp.add RNE x x) x))(check-sat)",
            "(declare-const r Real)(declare-const s Real)(assert (= (* r s) 1004.25))(check-sat)",
            "(declare-fun f (Int Real) Real)(assert (< (f 1 2.0) (f 2 1.0)))(check-sat)",
            "(declare-datatypes ((L 1)) ((par (E) ((nil) (cons (head E) (tail (L E)))))))(declare-const l (L (L Int)))\
             (declare-const m (L Int))(assert (= l (cons m nil)))(assert ((_ is cons) m))(check-sat)",
            "(declare-const a (Array Int Real))(declare-const i Int)(assert (> (select a i) (select a 1)))(check-sat)",
            "(declare-const s (Seq Int))(assert (= s (seq.++ s s)))(check-sat)",
            "(assert (forall ((x Int) (s String)) (! (exists ((r Real)) (> (+ r x) (str.len s))) :pattern ((str.len s)))))(check-sat)",
        ];
        for seed in seeds {
            let script = small(seed, FloatFormats::Any).unwrap_or_else(|| panic!("{seed}"));
            let decided = decide(&script, &sat_queries(&script)[0], ExhaustionBudget::of_steps(1_000_000));
            assert!(!matches!(decided.answer, ExactAnswer::Undecided(..)), "{script}");
        }
    }

    #[test]
    fn integers_are_bounded_where_they_are_declared() {
        let seed = "(push 1)(declare-const |a b| Int)(assert (< 900 |a b|))(check-sat)(pop 1)(check-sat)";
        let text = small(seed, FloatFormats::Shared).unwrap().to_string();
        let wanted = "(declare-const |a b| Int)\n(assert (<= (- 3) |a b| 4))\n(assert (< 4 |a b|))\n(check-sat)\n(pop 1)";
        assert!(text.contains(wanted), "{text}");
    }

    #[test]
    fn wide_floats_of_shared_formats_are_one_of_a_few_values() {
        let float = "(declare-const x Float64)(assert (fp.lt (fp.add RNE x x) x))(check-sat)";
        let script = small(float, FloatFormats::Shared).unwrap();
        assert!(script.to_string().contains("(= x (_ NaN 11 53))"), "{script}");
        let decided = decide(&script, &sat_queries(&script)[0], ExhaustionBudget::of_steps(1_000_000));
        assert!(matches!(decided.answer, ExactAnswer::Sat { .. }), "{script}");
    }

    #[test]
    fn guards_stay_within_the_patterns_of_a_quantifier() {
        let seed = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (! (> (f x) x) :pattern ((f x)))))(check-sat)";
        let text = small(seed, FloatFormats::Shared).unwrap().to_string();
        let wanted = "(forall ((x Int)) (! (=> (<= (- 1) x 2) (> (f x) x)) :pattern ((f x))))";
        assert!(text.contains(wanted), "{text}");
        assert!(text.contains("(define-fun f ((x!1 Int)) Int (ite (f!1 x!1)"), "{text}");
    }

    #[test]
    fn bounds_are_restored_after_their_declarations() {
        let seed = "(declare-const x Int)(declare-const y Int)(assert (< x y))(check-sat)";
        let seed = Script::parse(seed, &Signature::standard()).unwrap();
        let small = small_seed(&seed, FloatFormats::Shared, &mut RandomStream::new(1).rng()).unwrap();
        let restored = |commands: &[&str]| {
            let commands: Vec<String> = commands.iter().map(|&command| command.to_owned()).collect();
            small.restored(&commands)
        };
        let changed = ["(declare-const x Int)", "(assert (<= (- 3) x 5))", "(assert (< x 0))"];
        let wanted = "(declare-const x Int)\n(assert (<= (- 3) x 4))\n(assert (< x 0))\n";
        assert_eq!(restored(&changed).as_deref(), Some(wanted));
        let without = ["(declare-const x Int)", "(push 1)", "(assert (< x 0))"];
        let wanted = "(declare-const x Int)\n(assert (<= (- 3) x 4))\n(push 1)\n(assert (< x 0))\n";
        assert_eq!(restored(&without).as_deref(), Some(wanted));
        assert_eq!(restored(&["(declare-const x Int)", "(assert (<= (- 3) x 4))", "(assert (< x 0))"]), None);
        assert_eq!(restored(&["(declare-const z Int)", "(assert (<= (- 3) z 5))"]), None);
        assert!(small.is_bound("(assert (<= (- 3) y 4))") && !small.is_bound("(assert (< x y))"));
    }

    #[test]
    fn horn_clauses_and_booleans_stay() {
        let horn = "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> (< x 100) (p x))))(check-sat)";
        assert_eq!(small(horn, FloatFormats::Any), None);
        assert_eq!(small("(declare-const p Bool)(assert p)(check-sat)", FloatFormats::Any), None);
    }
}
