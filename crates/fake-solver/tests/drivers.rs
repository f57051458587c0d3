//! Every driver with misbehaving solvers.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use fake_solver::fixture::{launcher, limits, open, processes_marked, solver};
use fake_solver::misbehaviour::{self, MISBEHAVIOUR_CASES};
use gainsay_engine::solver::process::RunError;
use gainsay_engine::solver::profile::DriverName;
use gainsay_engine::solver::run::{Answer, Ask, Exit, Limits, Query, Run, TRUNCATION_NOTICE};
use gainsay_engine::solver::runner::{self, Runner};

const FAKE_SOLVER: &str = env!("CARGO_BIN_EXE_fake-solver");

fn driver(name: DriverName, mark: &str) -> Runner {
    let fake = Path::new(FAKE_SOLVER);
    open(name, &solver(fake, &format!("{mark}-{}", name.name())), fake)
}

fn run(runner: &mut Runner, script: &str) -> Run {
    ask(runner, script, Ask::ANSWERS_ONLY)
}

fn ask(runner: &mut Runner, script: &str, ask: Ask) -> Run {
    runner.run(&Query { script, limits: limits(), ask }).expect("the solver runs")
}

#[test]
fn every_misbehaviour_is_told_as_it_was_and_leaves_nothing() {
    for kind in DriverName::ALL {
        let mut driver = driver(kind, "storm");
        misbehaviour::run_all(&mut driver, 2 * MISBEHAVIOUR_CASES.len())
            .unwrap_or_else(|why| panic!("{}: {why}", kind.name()));
        drop(driver);
        assert_eq!(
            processes_marked(&format!("storm-{}", kind.name())),
            Vec::<String>::new(),
            "{}",
            kind.name()
        );
    }
}

#[test]
fn a_flood_is_cut_and_marked() {
    for kind in DriverName::ALL {
        let run = run(&mut driver(kind, "flood"), "(check-sat)\n; fake: flood\n");
        assert_eq!(
            (run.exit, run.answers.as_slice()),
            (Exit::OutputLimit, [Answer::Sat].as_slice()),
            "{}",
            kind.name()
        );
        assert!(run.output.ends_with(TRUNCATION_NOTICE.as_bytes()), "{}", kind.name());
        assert_eq!(
            run.output.len() as u64,
            limits().output + TRUNCATION_NOTICE.len() as u64,
            "{}",
            kind.name()
        );
    }
}

#[test]
fn cpu_time_is_limited_even_below_a_second() {
    for kind in DriverName::ALL {
        let limits =
            Limits { cpu: Some(Duration::from_millis(50)), wall: Duration::from_secs(60), ..limits() };
        let query = Query { script: "(check-sat)\n; fake: spin\n", limits, ask: Ask::ANSWERS_ONLY };
        let run = driver(kind, "spin").run(&query).unwrap();
        assert_eq!(
            (run.exit, run.answers.as_slice()),
            (Exit::CpuLimit, [Answer::Sat].as_slice()),
            "{}",
            kind.name()
        );
        assert!(run.cpu >= Duration::from_millis(50), "{}: {:?}", kind.name(), run.cpu);
    }
}

#[test]
fn waiting_for_a_processor_does_not_count() {
    let rivals = Rivals::start();
    let script = "; fake: burn 200\n(check-sat)\n";
    for kind in DriverName::ALL {
        let run = run(&mut driver(kind, "wait"), script);
        assert_eq!((run.exit, run.answers), (Exit::Code(0), vec![Answer::Sat]), "{}", kind.name());
        let limits = Limits { counts_waiting: true, ..limits() };
        let query = Query { script, limits, ask: Ask::ANSWERS_ONLY };
        let run = driver(kind, "no-wait").run(&query).unwrap();
        assert_eq!((run.exit, run.answers), (Exit::WallLimit, vec![]), "{}", kind.name());
    }
    drop(rivals);
}

#[test]
fn waiting_for_a_processor_does_not_count_in_a_child_either() {
    let rivals = Rivals::start();
    // The commands of users, which are shell scripts as a rule, run through this driver.
    let plain = |mark: &str| driver(DriverName::Plain, mark);
    let run = run(&mut plain("child-wait"), "; fake: burn-in-child 200\n(check-sat)\n");
    assert_eq!((run.exit, run.answers), (Exit::Code(0), vec![Answer::Sat]));
    let run = self::run(&mut plain("child-spin"), "; fake: burn-in-child 60000\n(check-sat)\n");
    assert_eq!(run.exit, Exit::WallLimit, "what the child uses counts");
    drop(rivals);
}

/// Busy threads on one processor, to which the current thread and all that it starts are confined.
struct Rivals {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    processors: libc::cpu_set_t,
}

impl Rivals {
    fn start() -> Self {
        // SAFETY: the sets are plain data, and the calls read and write only them.
        let processors = unsafe {
            let mut processors: libc::cpu_set_t = std::mem::zeroed();
            let size = size_of_val(&processors);
            assert_eq!(libc::sched_getaffinity(0, size, &raw mut processors), 0);
            let last = (0..libc::CPU_SETSIZE as usize).rfind(|&cpu| libc::CPU_ISSET(cpu, &processors));
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(last.expect("a processor"), &mut one);
            assert_eq!(libc::sched_setaffinity(0, size, &raw const one), 0);
            processors
        };
        let stop = Arc::new(AtomicBool::new(false));
        let spin = |stop: Arc<AtomicBool>| move || while !stop.load(Ordering::Relaxed) {};
        let threads = (0..3).map(|_| std::thread::spawn(spin(Arc::clone(&stop)))).collect();
        Rivals { stop, threads, processors }
    }
}

impl Drop for Rivals {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        // SAFETY: the call reads the set only.
        unsafe { libc::sched_setaffinity(0, size_of_val(&self.processors), &raw const self.processors) };
    }
}

#[test]
fn a_solver_finds_no_descriptors_of_ours() {
    for kind in DriverName::ALL {
        let run = run(&mut driver(kind, "descriptors"), "; fake: count-descriptors\n");
        assert_eq!(String::from_utf8_lossy(&run.output), "descriptors: 3\n", "{}", kind.name());
    }
}

#[test]
fn errors_and_complaints_are_collected() {
    for kind in DriverName::ALL {
        let run = run(&mut driver(kind, "errors"), "; fake: error bad\n; fake: complain oh\n(check-sat)\n");
        assert_eq!(run.messages, ["bad"], "{}", kind.name());
        assert_eq!(String::from_utf8_lossy(&run.errors), "oh\n", "{}", kind.name());
        assert_eq!((run.exit, run.answers), (Exit::Code(1), vec![Answer::Sat]), "{}", kind.name());
    }
}

#[test]
fn the_work_count_is_asked_for_and_leaves_no_trace() {
    for kind in DriverName::ALL {
        let query = Query { script: "(check-sat)\n(exit)\n", limits: limits(), ask: Ask::WITH_WORK };
        let run = driver(kind, "work").run(&query).unwrap();
        assert_eq!((run.work, run.output), (Some(42), b"sat\n".to_vec()), "{}", kind.name());
    }
}

#[test]
fn a_model_is_asked_for_and_kept_apart() {
    for kind in DriverName::ALL {
        let run = ask(
            &mut driver(kind, "model"),
            "(check-sat)\n(exit)\n",
            Ask { model: true, work: true, ..Ask::ANSWERS_ONLY },
        );
        assert_eq!(run.model.as_deref(), Some("((define-fun x () Int 3))"), "{}", kind.name());
        assert_eq!((run.work, run.output), (Some(42), b"sat\n".to_vec()), "{}", kind.name());
    }
}

#[test]
fn a_model_that_is_not_there_is_no_fault_of_the_script() {
    for kind in DriverName::ALL {
        let run = ask(&mut driver(kind, "none"), "\n; fake: answer unsat\n(check-sat)\n", Ask::WITH_MODEL);
        assert_eq!((run.model, run.exit, run.trouble), (None, Exit::Code(0), None), "{}", kind.name());
        assert_eq!((run.answers.as_slice(), run.messages.len()), ([Answer::Unsat].as_slice(), 0));
    }
}

#[test]
fn memory_and_time_are_measured() {
    for kind in DriverName::ALL {
        let run = run(&mut driver(kind, "measure"), "(check-sat)\n");
        assert!(run.peak_memory > 0 && run.wall > Duration::ZERO, "{}: {run:?}", kind.name());
    }
}

#[test]
fn a_script_can_be_given_as_a_file_which_goes_with_the_driver() {
    let fake = Path::new(FAKE_SOLVER);
    let mut solver = solver(fake, "file");
    Arc::make_mut(&mut solver.profile).input.stdin = None;
    let scratch = tempfile::tempdir().unwrap();
    let mut launcher = launcher(fake);
    launcher.host.scratch = scratch.path().to_owned();
    let mut driver = Runner::open(&solver, runner::kind(DriverName::Plain).unwrap(), &launcher).unwrap();
    assert_eq!(run(&mut driver, "; fake: answer unsat\n(check-sat)\n").answers, [Answer::Unsat]);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
    drop(driver);
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_program_that_cannot_run_is_an_error_and_not_a_run() {
    let fake = Path::new(FAKE_SOLVER);
    let text = std::env::temp_dir().join(format!("gainsay-test-{}", std::process::id()));
    std::fs::write(&text, "no program").unwrap();
    for (program, kind) in [
        (Path::new("/no/such/solver"), std::io::ErrorKind::NotFound),
        (text.as_path(), std::io::ErrorKind::PermissionDenied),
    ] {
        for driver in [DriverName::Plain, DriverName::Session] {
            let mut driver = open(driver, &solver(program, "missing"), fake);
            let query = Query { script: "(check-sat)", limits: limits(), ask: Ask::ANSWERS_ONLY };
            let Err(RunError::Start { source, .. }) = driver.run(&query) else {
                panic!("{}", program.display())
            };
            assert_eq!(source.kind(), kind, "{}", program.display());
        }
    }
    std::fs::remove_file(text).unwrap();
}

#[test]
fn a_helper_that_was_killed_is_replaced() {
    for kind in DriverName::ALL {
        let mut driver = driver(kind, "replaced");
        assert_eq!(run(&mut driver, "(check-sat)\n").answers, [Answer::Sat], "{}", kind.name());
        for process in processes_marked(&format!("replaced-{}", kind.name())) {
            // SAFETY: a signal to a process that this driver started.
            unsafe { libc::kill(process.parse().expect("a process id"), libc::SIGKILL) };
        }
        let again = (0..3).find(|_| run(&mut driver, "(check-sat)\n").answers == [Answer::Sat]);
        assert!(again.is_some(), "{}", kind.name());
    }
}

#[test]
fn a_script_that_would_confuse_a_session_does_not_reach_the_next() {
    let mut driver = driver(DriverName::Session, "confuse");
    for script in [
        "(echo \"open",
        "; fake: answer unsat\n(check-sat)\n(exit)\n; fake: segv\n",
        "(reset)\n(check-sat)\n",
    ] {
        run(&mut driver, script);
        assert_eq!(run(&mut driver, "(check-sat)\n").answers, [Answer::Sat], "after {script}");
    }
}
