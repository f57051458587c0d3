//! Fused scripts against real solvers: every solver that decides one must give the promised answer.
//!
//! The seeds of `corpus/` fused with each other, and the traps of fusion, each by itself. What a fake solver cannot tell
//! is whether the scripts have the answers that we promise.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/launcher.rs"]
mod launcher;
#[path = "support/repository.rs"]
mod repository;
#[path = "support/real_solvers.rs"]
mod solvers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gainsay_engine::campaign::chain::{Chain, Reread, StepOutcome};
use gainsay_engine::campaign::partners::{PartnerLibrary, PartnerPools};
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::prepare::{Preparation, Prepared};
use gainsay_engine::random::RandomStream;
use gainsay_engine::seeds::Seeds;
use gainsay_engine::solver::resolve::Solver;
use gainsay_engine::solver::run::{Answer, Ask, Limits, Query};
use gainsay_engine::solver::runner::{self, Runner};
use gainsay_engine::strategy::operators::Operators;
use gainsay_engine::strategy::value::ConstantSource;
use gainsay_engine::strategy::{self, CaseBounds, FusionSettings, Parent, Skip, StrategySettings};
use gainsay_engine::trial::Promise;
use gainsay_smt::{Script, Signature};
use launcher::launcher;
use repository::repository;
use solvers::REAL_SOLVERS;

/// The newest of both.
const SOLVER_NAMES: [&str; 2] = [REAL_SOLVERS[0], REAL_SOLVERS[2]];

/// Logics of the corpus of whose fused seeds somebody must have decided one.
const MIN_DECIDED_LOGICS: usize = 35;

/// Both solvers, ready to be asked.
struct SolverPair {
    signature: Arc<Signature>,
    preparation: Preparation,
    solvers: Vec<Solver>,
    runners: Vec<Runner>,
    /// Answers that kept the promise.
    kept: usize,
    /// What z3 and cvc5 said of scripts whose logic they would not take.
    refused: Vec<String>,
}

impl SolverPair {
    fn new() -> SolverPair {
        let signature = Signature::standard();
        let launcher = launcher();
        let solvers: Vec<Solver> = SOLVER_NAMES.iter().map(|name| solvers::solver(name)).collect();
        let open =
            |solver: &Solver| Runner::open(solver, runner::drivers(solver, &launcher)[0], &launcher).unwrap();
        let runners = solvers.iter().map(open).collect();
        let versions: Vec<_> =
            solvers.iter().map(|solver| (solver.clone(), solver.version.clone())).collect();
        let preparation = Preparation::new(&versions, &signature);
        SolverPair { signature, preparation, solvers, runners, kept: 0, refused: Vec::new() }
    }

    fn settings(&self) -> StrategySettings {
        let known: Vec<_> =
            self.solvers.iter().map(|solver| (&*solver.profile, solver.version.as_ref())).collect();
        StrategySettings {
            bounds: CaseBounds { bytes: 10_000, depth: 100 },
            operators: Operators::standard(&self.signature),
            fusion: FusionSettings::known_to(&self.signature, &known),
            values: ConstantSource::Random,
            scope: gainsay_engine::strategy::ScopeChoice::default(),
            formats: Default::default(),
            enumerations: Default::default(),
        }
    }

    /// Runs both on a script, and fails if one contradicts the promise.
    fn ask(&mut self, script: &Script, promised: Answer) {
        let text = script.to_string();
        let limits = Limits { cpu: Some(Duration::from_millis(150)), ..Limits::default() };
        let prepared = self.preparation.prepare(script, &text);
        for ((runner, prepared), name) in self.runners.iter_mut().zip(&prepared).zip(SOLVER_NAMES) {
            let Prepared::Text { text, .. } = prepared else { continue };
            let run = runner.run(&Query { script: text, limits, ask: Ask::ANSWERS_ONLY }).unwrap();
            // A rejected part is left out in a second run.
            let is_refused = run.trouble.as_ref().is_some_and(|trouble| trouble.kind.is_rejection());
            let said = run.trouble.as_ref().filter(|_| is_refused).map_or("", |trouble| &trouble.said);
            self.refused.extend(said.contains("logic").then(|| format!("{name}: {said}\n{text}")));
            let decided = run.answers.iter().filter(|answer| !is_refused && **answer != Answer::Unknown);
            for answer in decided {
                assert_eq!(*answer, promised, "{name} says {:?}:\n{text}", run.answers);
                self.kept += 1;
            }
        }
    }

    /// Fuses two seeds a few times and runs the solvers on the results; returns how many answers kept the promise.
    fn fuse(&mut self, first: &str, second: &str, status: Answer) -> usize {
        let settings = self.settings();
        let before = self.kept;
        let read = |text: &str| Script::parse(text, &self.signature).unwrap();
        let scripts = [read(first), read(second)];
        let parents = [&scripts[0], &scripts[1]].map(|script| Parent::new(script, Some(status)));
        let fusion = strategy::find("fusion").unwrap();
        for number in 0..12 {
            let proposal = fusion.propose(&parents, &settings, &mut RandomStream::new(number).rng()).unwrap();
            self.ask(&proposal.script, status);
        }
        self.kept - before
    }

    /// Why two seeds are not fused.
    fn skip(&self, first: &str, second: &str, status: Answer) -> Skip {
        let read = |text: &str| Script::parse(text, &self.signature).unwrap();
        let scripts = [read(first), read(second)];
        let parents = [&scripts[0], &scripts[1]].map(|script| Parent::new(script, Some(status)));
        let fusion = strategy::find("fusion").unwrap();
        fusion.propose(&parents, &self.settings(), &mut RandomStream::new(0).rng()).unwrap_err()
    }
}

#[test]
fn no_decided_answer_about_fused_seeds_of_ours_breaks_a_promise() {
    let mut panel = SolverPair::new();
    let corpus = repository().join("corpus/smt");
    let seeds = Seeds::load(&[corpus], 20_000, &panel.signature, &mut |_, _| {}).unwrap();
    let seeds = seeds.list();
    let recipe = Recipe::new(11, 2, vec![strategy::find("fusion").unwrap()], panel.settings());
    let pools = PartnerPools::new(seeds.iter().map(|seed| (seed.status, seed.sorts.as_str())));
    let signature = Arc::clone(&panel.signature);
    let read = |number: usize| Script::parse(&seeds[number].read().ok()?, &signature).ok();
    let library = PartnerLibrary::new(pools, read);
    let mut visits = recipe.visits(seeds.len());
    let (mut made, mut promised) = (0, BTreeSet::new());
    // For each logic of the corpus, how many answers about fused seeds kept the promise.
    let mut logics: BTreeMap<PathBuf, usize> = BTreeMap::new();
    // Every seed once.
    for chain in 0..seeds.len() as u64 {
        let number = visits.seed_of(chain);
        let seed = &seeds[number];
        let script = read(number).unwrap();
        let logic = logics.entry(Path::new(&seed.name).parent().unwrap().to_owned()).or_default();
        let chain = Chain::new(&recipe, chain, &script, seed.status, Reread::Yes);
        for step in chain.with_partners(number, &library) {
            match step.outcome {
                StepOutcome::Made(fused) => {
                    let Promise::Known(answer) = fused.promise else { panic!("nothing is promised") };
                    made += 1;
                    promised.insert(answer.name());
                    let before = panel.kept;
                    panel.ask(&fused.script, answer);
                    *logic += panel.kept - before;
                }
                StepOutcome::Skipped(_) => {}
                StepOutcome::OurBug(message) => panic!("{}: {message}", seed.name),
            }
        }
    }
    assert_eq!(promised.into_iter().collect::<Vec<_>>(), ["sat", "unsat"]);
    let covered = logics.values().filter(|&&kept| kept > 0).count();
    assert!(made > 150 && covered >= MIN_DECIDED_LOGICS, "{made} scripts, {covered} logics: {logics:?}");
    assert!(panel.kept > made / 2, "{} answers to {made} scripts", panel.kept);
    assert!(panel.refused.is_empty(), "{}", panel.refused.join("\n"));
}

#[test]
fn multiplication_by_zero_breaks_no_promise() {
    let mut panel = SolverPair::new();
    for sort in ["Int", "Real"] {
        let zero = if sort == "Int" { "0" } else { "0.0" };
        let sat =
            format!("(declare-const x {sort})(declare-const y {sort})(assert (= x y {zero}))(check-sat)");
        assert!(panel.fuse(&sat, &sat, Answer::Sat) > 12);
        let unsat =
            format!("(declare-const x {sort})(assert (= x {zero}))(assert (distinct x {zero}))(check-sat)");
        assert!(panel.fuse(&unsat, &unsat, Answer::Unsat) > 12);
    }
}

#[test]
fn strings_that_are_fused_in_unsatisfiable_seeds_break_no_promise() {
    let mut panel = SolverPair::new();
    let first = "(declare-const s String)(assert (= (str.len s) 1))(assert (= s \"\"))(check-sat)";
    let second = "(declare-const s String)(declare-const i Int)(assert (= (str.indexof s \"a\" i) i))(assert (< i 0))\
        (assert (str.contains s \"a\"))(assert (not (str.contains s (str.at \"a\" 0))))(check-sat)";
    assert!(panel.fuse(first, second, Answer::Unsat) > 12);
    let short = "(declare-const s String)(assert (= s \"\"))(check-sat)";
    assert!(panel.fuse(short, short, Answer::Sat) > 12);
}

#[test]
fn names_like_commands_are_names() {
    let seed = "(declare-const echo_x Int)(declare-const |check-sat| Int)(declare-const |(assert| Int)\
        (assert (< echo_x |check-sat| |(assert|))(check-sat)";
    assert!(SolverPair::new().fuse(seed, seed, Answer::Sat) > 12);
}

#[test]
fn division_by_zero_is_shared_by_unsatisfiable_seeds_only() {
    let mut panel = SolverPair::new();
    for (sort, operator, zero) in [("Real", "/", "0.0"), ("Int", "div", "0"), ("Int", "mod", "0")] {
        let seed = |value: &str, more: &str| {
            format!(
                "(declare-const x {sort})(assert (= ({operator} x {zero}) {value}))(assert (= x {zero})){more}(check-sat)"
            )
        };
        let one = if sort == "Int" { "1" } else { "1.0" };
        // Each has a model, both together have none.
        let skip = panel.skip(&seed(zero, ""), &seed(one, ""), Answer::Sat);
        assert_eq!(skip, Skip::Unfit("both seeds use what the standard leaves open"));
        let more = format!("(assert (distinct x (+ x ({operator} x {zero}))))");
        let unsat = seed(zero, &more);
        assert!(panel.fuse(&unsat, &unsat, Answer::Unsat) > 12, "{unsat}");
        let plain = format!("(declare-const x {sort})(assert (< {one} x))(check-sat)");
        assert!(panel.fuse(&seed(one, ""), &plain, Answer::Sat) > 6);
    }
}

/// Scripts over datatypes with their answers: fields of other sorts, recursion, selectors of other constructors, `match`,
/// quantifiers, parameters, few values.
const DATATYPE_SEEDS: &[(&str, Answer)] = &[
    (
        "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)(declare-const m L)\
         (assert (= l (cons 1 (cons 2 m))))(assert (= (head (tail l)) 2))(assert ((_ is nil) m))(check-sat)",
        Answer::Sat,
    ),
    (
        "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)\
         (assert (distinct l (cons (head l) (tail l))))(assert ((_ is cons) l))(check-sat)",
        Answer::Unsat,
    ),
    (
        "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)\
         (assert (= l (cons 3 (tail l))))(assert (= l (tail l)))(check-sat)",
        Answer::Unsat,
    ),
    (
        "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)\
         (assert (= 7 (head nil)))(assert (= l (tail nil)))(assert (= 2 (match l ((nil 1) ((cons h t) (+ h 1))))))(check-sat)",
        Answer::Sat,
    ),
    (
        "(declare-datatypes ((C 0)) (((red) (green) (blue))))(declare-const a C)(declare-const b C)(declare-const c C)\
         (declare-const d C)(assert (distinct a b c d))(check-sat)",
        Answer::Unsat,
    ),
    (
        "(declare-datatype P ((pair (first Bool) (second Bool))))(declare-fun f (P) Int)\
         (assert (forall ((p P)) (= (f p) (ite (first p) 1 0))))(assert (= (f (pair true false)) 0))(check-sat)",
        Answer::Unsat,
    ),
    (
        "(declare-datatypes ((T 0) (F 0)) (((leaf (value Int)) (node (children F))) ((none) (more (tree T) (rest F)))))\
         (declare-const t T)(declare-const f F)(assert (= t (node (more (leaf 1) f))))(assert (= f (more t none)))(check-sat)",
        Answer::Unsat,
    ),
    (
        "(declare-datatypes ((T 0) (F 0)) (((leaf (value Int)) (node (children F))) ((none) (more (tree T) (rest F)))))\
         (declare-const t T)(declare-const f F)(assert (= t (node (more (leaf 1) f))))(assert (= (tree f) (leaf 4)))(check-sat)",
        Answer::Sat,
    ),
    (
        "(declare-datatypes ((O 1)) ((par (X) ((none) (some (get X))))))(declare-const a (O Int))(declare-const b (O Bool))\
         (assert (= a (some 3)))(assert (= b (as none (O Bool))))(assert (= (get a) (ite (get b) 3 4)))(check-sat)",
        Answer::Sat,
    ),
    (
        "(declare-datatypes ((O 1)) ((par (X) ((none) (some (get X))))))(declare-const a (O Int))(declare-const b (O Int))\
         (assert (distinct a b))(assert (= (get a) (get b)))(assert (and ((_ is some) a) ((_ is some) b)))(check-sat)",
        Answer::Unsat,
    ),
];

#[test]
fn changed_declarations_of_datatypes_break_no_promise() {
    let mut solvers = SolverPair::new();
    let datatype = strategy::find("datatype").unwrap();
    let settings = solvers.settings();
    let mut steps = BTreeSet::new();
    for (text, status) in DATATYPE_SEEDS {
        for number in 0..12 {
            let mut rng = RandomStream::new(number).rng();
            let mut script = Script::parse(text, &solvers.signature).unwrap();
            let mut known = Some(*status);
            // Changes are made one after the other, as in a chain.
            for _ in 0..4 {
                let Ok(proposal) = datatype.propose(&[Parent::new(&script, known)], &settings, &mut rng)
                else {
                    continue;
                };
                script = proposal.script;
                known = match proposal.promise {
                    Promise::Known(answer) => Some(answer),
                    _ => None,
                };
                steps.insert(proposal.step.to_string());
                if let Some(promised) = known {
                    solvers.ask(&script, promised);
                }
            }
        }
    }
    assert_eq!(steps.len(), 6, "{steps:?}");
    assert!(solvers.refused.is_empty(), "{}", solvers.refused.join("\n"));
    assert!(solvers.kept > 300, "{}", solvers.kept);
}

#[test]
fn datatypes_of_one_name_are_two() {
    let mut panel = SolverPair::new();
    let numbers = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)(declare-const i Int)\
        (assert ((_ is cons) l))(assert (= (head l) i 3))(check-sat)";
    let colours = "(declare-datatypes ((L 0)) (((nil) (red) (cons (head Bool)))))(declare-const l L)(declare-const m L)\
        (declare-const i Int)(assert (distinct l m nil red))(assert (= i 5))(assert (is-cons l))(check-sat)";
    assert!(panel.fuse(numbers, colours, Answer::Sat) > 6);
    let none = "(declare-datatypes ((L 0)) (((nil) (red))))(declare-const l L)(declare-const m L)(declare-const k L)\
        (assert (distinct l m k))(check-sat)";
    assert!(panel.fuse(none, none, Answer::Unsat) > 6);
}

#[test]
fn bound_variables_of_the_same_name_are_others() {
    let mut panel = SolverPair::new();
    let sat = "(declare-const x Int)(declare-const y Int)(assert (forall ((x Int)) (=> (< x y) (< x (+ y 1)))))\
        (assert (exists ((z Int) (y Int)) (= z (+ x y 1))))(assert (= x y 2))(check-sat)";
    assert!(panel.fuse(sat, sat, Answer::Sat) > 6);
    let unsat = "(declare-const x Int)(declare-const y Int)(assert (forall ((y Int)) (< x y)))\
        (assert (let ((x y)) (= x y)))(check-sat)";
    assert!(panel.fuse(unsat, unsat, Answer::Unsat) > 6);
}

#[test]
fn sorts_of_few_elements_stay_apart() {
    let mut panel = SolverPair::new();
    let one = "(declare-sort U 0)(declare-const a U)(declare-const i Int)(assert (forall ((u U)) (= u a)))(assert (= i 1))(check-sat)";
    let two = "(declare-sort U 0)(declare-const a U)(declare-const b U)(declare-const i Int)(assert (distinct a b))\
        (assert (= i 2))(check-sat)";
    assert!(panel.fuse(one, two, Answer::Sat) > 6);
    let none = "(declare-sort U 0)(declare-const a U)(declare-const b U)(declare-const i Int)(assert (distinct a b))\
        (assert (forall ((u U)) (= u a)))(assert (= i i))(check-sat)";
    assert!(panel.fuse(none, none, Answer::Unsat) > 6);
}

#[test]
fn no_solver_refuses_the_logic_of_fused_arrays() {
    let mut panel = SolverPair::new();
    let bytes = "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (= x #x01))(check-sat)";
    let others = [
        "(set-logic QF_AX)(declare-sort U 0)(declare-const a (Array U U))(declare-const u U)(declare-const p Bool)\
         (assert (=> p (= (select a u) u)))(check-sat)",
        "(set-logic ALL)(declare-const a (Array Bool (_ BitVec 8)))(declare-const p Bool)\
         (assert (=> p (= (select a p) #x00)))(check-sat)",
    ];
    for other in others {
        assert!(panel.fuse(bytes, other, Answer::Sat) > 12, "{other}");
    }
    assert!(panel.refused.is_empty(), "{}", panel.refused.join("\n"));
}

#[test]
fn seeds_of_several_levels_mean_what_is_in_force_at_their_check() {
    let mut panel = SolverPair::new();
    let seed = "(declare-const x Int)(push 1)(assert (< x 0))(pop 1)(push 1)(declare-const p Bool)(assert (=> p (< 4 x)))\
        (check-sat-assuming (p))(pop 1)(assert false)";
    assert!(panel.fuse(seed, seed, Answer::Sat) > 12);
    let reset = "(declare-const x Int)(assert (< x 0))(reset-assertions)(declare-const x Int)(assert (< 4 x 5))(check-sat)";
    assert!(panel.fuse(reset, reset, Answer::Unsat) > 12);
    let asks_twice = "(declare-const x Int)(check-sat)(assert (< x 0))(check-sat)";
    assert_eq!(panel.skip(seed, asks_twice, Answer::Sat), Skip::Unfit("a seed asks more than once"));
}

#[test]
fn what_cannot_be_read_is_not_fused() {
    let panel = SolverPair::new();
    let plain = "(declare-const s String)(assert (= s \"a\"))(check-sat)";
    let opaque = "(declare-const s String)(assert (= s (str.frobnicate_all s)))(check-sat)";
    assert_eq!(panel.skip(plain, opaque, Answer::Sat), Skip::Unfit("a seed holds what gainsay cannot read"));
    let command = "(declare-const s String)(assert (= s s))(assert-soft (= s \"\"))(check-sat)";
    assert_eq!(
        panel.skip(plain, command, Answer::Sat),
        Skip::Unfit("a seed has commands that cannot be fused")
    );
}

/// Asks both solvers about cases of a strategy of one parent, made from every seed of the corpus; returns the number of cases, and that
/// of the answers that kept a promise.
fn keeps_promises(name: &str, rounds: u64) -> (usize, usize) {
    let mut panel = SolverPair::new();
    let corpus = repository().join("corpus/smt");
    let seeds = Seeds::load(&[corpus], 4_000, &panel.signature, &mut |_, _| {}).unwrap();
    let (strategy, settings) = (strategy::find(name).unwrap(), panel.settings());
    let mut made = 0;
    for (place, seed) in seeds.list().iter().enumerate() {
        let Ok(script) = Script::parse(&seed.read().unwrap(), &panel.signature) else { continue };
        let parents = [Parent::new(&script, seed.status)];
        for round in 0..rounds {
            let stream = RandomStream::new(7).child("promise", place as u64).child("round", round);
            let Ok(proposal) = strategy.propose(&parents, &settings, &mut stream.rng()) else { continue };
            made += 1;
            if let Some(answer) = proposal.promise.answer() {
                panel.ask(&proposal.script, answer);
            }
        }
    }
    (made, panel.kept)
}

#[test]
fn rewritten_scripts_keep_their_answers() {
    let (made, kept) = keeps_promises("equivalence", 4);
    assert!(made > 600 && kept > made, "{kept} answers about {made} scripts");
}

#[test]
fn split_scripts_keep_their_answers() {
    let (made, kept) = keeps_promises("subspace", 4);
    assert!(made > 400 && kept > made / 2, "{kept} answers about {made} scripts");
}

#[test]
fn scripts_with_a_core_are_unsatisfiable() {
    let (made, kept) = keeps_promises("contradiction", 4);
    assert!(made > 400 && kept > made, "{kept} answers about {made} scripts");
}

#[test]
fn reassembled_scripts_are_satisfiable() {
    let (made, kept) = keeps_promises("reassemble", 4);
    assert!(made > 400 && kept > made, "{kept} answers about {made} scripts");
}

#[test]
fn solvers_prove_every_equation_of_the_table() {
    let mut panel = SolverPair::new();
    let sorts = ["Bool", "Int", "Real", "String", "(_ BitVec 8)", "(_ FloatingPoint 3 4)", "(Array Int Int)"];
    let table = strategy::equivalence::equations_at(6, &sorts);
    let mut open = Vec::new();
    for row in table.lines() {
        let script = Script::parse(row, &panel.signature).unwrap();
        let gainsay_smt::Command::Define(_, definition) = &script.commands[0] else { panic!("{row}") };
        let arena = script.arena();
        let (mut text, mut names) = (format!("{row}\n"), String::new());
        for one in definition.parameters.iter() {
            let sort = gainsay_smt::print::sort_text(arena, one.sort);
            text.push_str(&format!("(declare-const arg_{} {sort})\n", arena.text(one.name)));
            names.push_str(&format!(" arg_{}", arena.text(one.name)));
        }
        text.push_str(&format!("(assert (not ({}{names})))\n(check-sat)\n", arena.text(definition.name)));
        let before = panel.kept;
        panel.ask(&Script::parse(&text, &panel.signature).unwrap(), Answer::Unsat);
        if panel.kept == before {
            open.push(row.to_owned());
        }
    }
    assert!(open.is_empty(), "no solver proves {open:#?}");
}
