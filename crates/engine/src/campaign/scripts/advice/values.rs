//! Asks a solver for values of holes.
//!
//! ```text
//! (declare-const hole!0 Int) (declare-const x Int)     sent once
//! (define-fun hole!y0 () Bool (< x hole!0)) …
//! (push 1) (assert hole!y0) (check-sat)                sent for each query
//! (get-value (hole!0)) (pop 1)
//! ```
//!
//! A solver whose profile allows it answers all queries in one process; others get a whole script for each query.

use std::collections::HashMap;
use std::fmt::Write as _;

use gainsay_smt::print::command_text;
use gainsay_smt::{Command, Script};

use super::get_value::model_of_values;
use crate::prepare::{Preparation, Prepared};
use crate::random::Rng;
use crate::solver::dialogue::Dialogue;
use crate::solver::resolve::Solver;
use crate::solver::run::{Answer, Ask, Exit, Limits, Query};
use crate::solver::runner::{self, Launcher, Runner};
use crate::solver::version::Version;
use crate::strategy::value::coerce::{FinderReply, ModelFinder, coerce};
use crate::strategy::value::domains::TermProperty;
use crate::strategy::value::model_literals;
use crate::strategy::value::monitor::{Monitors, monitors};
use crate::strategy::value::skeleton::{HoleContent, Skeleton};
use crate::strategy::value::{Filling, Fillings, NoValuesReason};

/// The solver to ask for advice, with the limits of each query.
#[derive(Debug, Clone)]
pub struct AdviceSolver {
    /// The solver.
    pub solver: Solver,
    /// Its version, if known.
    pub version: Option<Version>,
    /// The limits of each query.
    pub limits: Limits,
}

/// Asks a solver for values of the constants of a script, at most `asks` times.
pub fn ask(
    script: &Script,
    domains: &[TermProperty],
    adviser: &AdviceSolver,
    launcher: &Launcher,
    asks: u32,
    rng: &mut Rng,
) -> Fillings {
    let nothing = |why| Fillings { why: Some(why), ..Fillings::default() };
    let skeleton = match Skeleton::of(script) {
        Ok(skeleton) => skeleton,
        Err(why) => return nothing(why),
    };
    let monitors = monitors(&skeleton, domains, rng);
    match ValueSession::open(&skeleton, &monitors, adviser, launcher) {
        Ok(mut session) => coerce(&skeleton, &monitors, &mut session, asks, rng),
        Err(why) => nothing(why),
    }
}

/// The text sent before the first query: the declarations that monitors use, and the monitors.
pub struct SessionPreamble {
    /// The text, adapted to the solver.
    text: String,
    /// The names of the monitors' terms in it.
    names: HashMap<String, String>,
}

impl SessionPreamble {
    /// The preamble for the monitors of a skeleton, or why there is none.
    pub fn new(
        skeleton: &Skeleton,
        monitors: &Monitors,
        adviser: &AdviceSolver,
    ) -> Result<SessionPreamble, NoValuesReason> {
        let arena = skeleton.script.arena();
        let mut text = String::from("(set-logic ALL)\n");
        for command in skeleton.script.commands.iter().filter(|command| command.is_declaration()) {
            let _ = writeln!(text, "{}", command_text(arena, command));
        }
        let mut names = HashMap::new();
        for (number, monitor) in monitors.list.iter().enumerate() {
            for (letter, term) in [('y', &monitor.yes), ('n', &monitor.no)] {
                let name = format!("{}{letter}{number}", skeleton.prefix);
                let _ = writeln!(text, "(define-fun {name} () Bool {term})");
                names.insert(term.clone(), name);
            }
        }
        let mut script =
            Script::parse(&text, arena.signature()).map_err(|_| NoValuesReason::DeclaredTwice)?;
        set_logic(&mut script);
        let text: String =
            script.commands.iter().map(|command| command_text(script.arena(), command) + "\n").collect();
        let solvers = [(adviser.solver.clone(), adviser.version.clone())];
        let preparation = Preparation::new(&solvers, script.arena().signature());
        match preparation.prepare(&script, &text).pop() {
            Some(Prepared::Text { text, .. }) => Ok(SessionPreamble { text: text.to_string(), names }),
            _ => Err(NoValuesReason::Lacking),
        }
    }

    fn assertions(&self, terms: &[&str]) -> String {
        let name = |term: &&str| self.names.get(*term).map_or(*term, String::as_str).to_owned();
        terms.iter().map(|term| format!("(assert {})\n", name(term))).collect()
    }
}

/// Sets the smallest logic that contains a script.
fn set_logic(script: &mut Script) {
    let smallest = gainsay_smt::logic::smallest(script);
    let symbol = script.arena_mut().symbol(smallest);
    script.commands[0] = Command::SetLogic(symbol);
}

/// The queries about one skeleton.
pub struct ValueSession<'a> {
    skeleton: &'a Skeleton,
    preamble: SessionPreamble,
    adviser: &'a AdviceSolver,
    launcher: &'a Launcher,
    mode: SessionMode,
    micros: u64,
}

enum SessionMode {
    /// One process; `None` before the first query and after it died.
    Talk(Option<Dialogue>),
    /// A script for each query.
    Scripts(Runner),
}

impl<'a> ValueSession<'a> {
    /// Opens a session, or says why the solver cannot be asked.
    pub fn open(
        skeleton: &'a Skeleton,
        monitors: &Monitors,
        adviser: &'a AdviceSolver,
        launcher: &'a Launcher,
    ) -> Result<ValueSession<'a>, NoValuesReason> {
        let preamble = SessionPreamble::new(skeleton, monitors, adviser)?;
        let dialogue =
            Dialogue::open(&adviser.solver, launcher, adviser.limits).map_err(|_| NoValuesReason::Died)?;
        let mut session =
            ValueSession { skeleton, preamble, adviser, launcher, mode: SessionMode::Talk(None), micros: 0 };
        match dialogue {
            // If the process dies on the preamble, the first query starts another.
            Some(dialogue) => session.mode = SessionMode::Talk(session.send_preamble(dialogue).ok()),
            None => {
                let kinds = runner::drivers(&adviser.solver, launcher);
                let kind = kinds.first().copied().unwrap_or_else(runner::plain);
                let runner =
                    Runner::open(&adviser.solver, kind, launcher).map_err(|_| NoValuesReason::Died)?;
                session.mode = SessionMode::Scripts(runner);
            }
        }
        Ok(session)
    }

    /// Sends the preamble; returns what happened if the process ended.
    fn send_preamble(&mut self, mut dialogue: Dialogue) -> Result<Dialogue, FinderReply> {
        let Ok(said) = dialogue.say(&self.preamble.text) else {
            return Err(FinderReply::Failed(NoValuesReason::Died));
        };
        self.micros += u64::try_from(said.cpu.as_micros()).unwrap_or(0);
        match said.exit {
            Some(exit) => Err(ended(exit)),
            None => Ok(dialogue),
        }
    }

    /// The open process, or a new one if the last one died.
    fn dialogue(&mut self) -> Result<Dialogue, FinderReply> {
        if let SessionMode::Talk(dialogue) = &mut self.mode
            && let Some(dialogue) = dialogue.take()
        {
            return Ok(dialogue);
        }
        match Dialogue::open(&self.adviser.solver, self.launcher, self.adviser.limits) {
            Ok(Some(dialogue)) => self.send_preamble(dialogue),
            _ => Err(FinderReply::Failed(NoValuesReason::Died)),
        }
    }

    fn talk(&mut self, terms: &[&str]) -> FinderReply {
        let mut dialogue = match self.dialogue() {
            Ok(dialogue) => dialogue,
            Err(reply) => return reply,
        };
        let question = format!("(push 1)\n{}(check-sat)", self.preamble.assertions(terms));
        let Ok(said) = dialogue.say(&question) else { return FinderReply::Failed(NoValuesReason::Died) };
        self.micros += u64::try_from(said.cpu.as_micros()).unwrap_or(0);
        if let Some(exit) = said.exit {
            return ended(exit);
        }
        let reply = match said.text.trim() {
            "sat" => self.values(&mut dialogue),
            "unsat" => FinderReply::Unsat,
            "unknown" | "timeout" => FinderReply::Unknown,
            _ => FinderReply::Failed(NoValuesReason::Refused),
        };
        let is_alive = dialogue.say("(pop 1)").is_ok_and(|said| said.exit.is_none());
        if let (SessionMode::Talk(place), true) = (&mut self.mode, is_alive) {
            *place = Some(dialogue);
        }
        reply
    }

    fn values(&mut self, dialogue: &mut Dialogue) -> FinderReply {
        let open = self.skeleton.holes.iter().filter(|hole| hole.takes == HoleContent::Term);
        let names = open.map(|hole| hole.name.as_str()).collect::<Vec<_>>().join(" ");
        let Ok(said) = dialogue.say(&format!("(get-value ({names}))")) else {
            return FinderReply::Failed(NoValuesReason::Died);
        };
        match said.exit {
            Some(exit) => ended(exit),
            None => self.read(model_of_values(self.skeleton, &said.text)),
        }
    }

    fn read(&self, model: Option<String>) -> FinderReply {
        let profile = &self.adviser.solver.profile;
        let model = model.map(|model| profile.standard_model(model, self.adviser.version.as_ref()));
        let filling: Option<Filling> = model.and_then(|model| model_literals::filling(self.skeleton, &model));
        filling.map_or(FinderReply::Failed(NoValuesReason::Unreadable), FinderReply::Values)
    }

    fn script(&mut self, terms: &[&str]) -> FinderReply {
        let script = format!("{}{}(check-sat)\n", self.preamble.text, self.preamble.assertions(terms));
        let query = Query { script: &script, limits: self.adviser.limits, ask: Ask::WITH_MODEL };
        let SessionMode::Scripts(runner) = &mut self.mode else {
            return FinderReply::Failed(NoValuesReason::Died);
        };
        let Ok(run) = runner.run(&query) else { return FinderReply::Failed(NoValuesReason::Died) };
        self.micros += u64::try_from(run.cpu.as_micros()).unwrap_or(0);
        match (run.answers.as_slice(), run.exit) {
            ([Answer::Sat], _) => self.read(run.model),
            ([Answer::Unsat], _) => FinderReply::Unsat,
            ([Answer::Unknown], _) => FinderReply::Unknown,
            (_, exit @ (Exit::WallLimit | Exit::CpuLimit)) => ended(exit),
            (_, Exit::Code(_)) => FinderReply::Failed(NoValuesReason::Refused),
            _ => FinderReply::Failed(NoValuesReason::Died),
        }
    }
}

fn ended(exit: Exit) -> FinderReply {
    match exit {
        Exit::WallLimit | Exit::CpuLimit => FinderReply::TimedOut,
        _ => FinderReply::Failed(NoValuesReason::Died),
    }
}

impl ModelFinder for ValueSession<'_> {
    fn ask(&mut self, terms: &[&str]) -> FinderReply {
        match &self.mode {
            SessionMode::Talk(_) => self.talk(terms),
            SessionMode::Scripts(_) => self.script(terms),
        }
    }

    fn micros(&self) -> u64 {
        self.micros
    }
}
