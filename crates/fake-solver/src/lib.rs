//! A solver for tests: it answers, lies, crashes, hangs, floods or leaks on request.
//!
//! It reads a script from a file or from standard input, line by line, as an interactive session does. Directives are
//! comments in the script, or options before it:
//!
//! ```text
//! ; fake: answer unsat          what (check-sat) prints from now on
//! ; fake: segv                  see ALL_ACTIONS for all actions
//! ; fake: liar: answer unsat    only for a solver with the option --fake "role liar"
//! ; fake: once FILE segv        only if FILE does not exist; creates it
//! ; fake: seeing WORD segv      at each later line with that word
//! (set-info :fake |segv|)       the same for scripts without comments
//! fake-solver --fake "answer unsat" --fake hang [FILE]
//! ```
//!
//! It knows the commands `(check-sat)`, `(echo "…")`, `(get-info :rlimit)`, `(get-model)`, `(reset)` and `(exit)`.

pub mod action;
pub mod fixture;
pub mod misbehaviour;
pub mod shard_campaign;
pub mod store_writer;
pub mod test_campaign;

use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};

use action::{ALL_ACTIONS, AfterAction};

/// The state of the solver.
struct FakeSolverState {
    role: String,
    answer: String,
    code: i32,
    /// Words to look for, and the actions to perform where they occur.
    seeing: Vec<(String, String)>,
}

impl FakeSolverState {
    fn new() -> Self {
        FakeSolverState { role: String::new(), answer: "sat".to_owned(), code: 0, seeing: Vec::new() }
    }
}

/// Runs the program and returns its exit code.
pub fn run(mut arguments: impl Iterator<Item = String>) -> i32 {
    let mut state = FakeSolverState::new();
    let mut input: Box<dyn Read> = Box::new(stdin());
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "--fake" => act(&mut state, &arguments.next().unwrap_or_default()),
            word if word.starts_with("--fake=") => act(&mut state, &word["--fake=".len()..]),
            path => match std::fs::File::open(path) {
                Ok(file) => input = Box::new(file),
                Err(error) => {
                    println!("(error \"{path}: {error}\")");
                    return 1;
                }
            },
        }
    }
    read(&mut state, input);
    state.code
}

/// Runs a script and returns the exit code.
pub fn run_text(script: &[u8]) -> i32 {
    let mut state = FakeSolverState::new();
    read(&mut state, script);
    state.code
}

fn read(state: &mut FakeSolverState, input: impl Read) {
    for line in BufReader::new(input).lines().map_while(Result::ok) {
        match line.trim().strip_prefix("; fake:") {
            Some(action) => act(state, action.trim()),
            None => {
                let seen = state.seeing.iter().filter(|(word, _)| line.contains(word.as_str()));
                let seen: Vec<String> = seen.map(|(_, action)| action.clone()).collect();
                seen.iter().for_each(|action| act(state, action));
                commands(state, &line);
            }
        }
    }
}

/// Performs a directive.
fn act(state: &mut FakeSolverState, text: &str) {
    let (name, argument) = text.split_once(' ').unwrap_or((text, ""));
    match name.strip_suffix(':') {
        Some(role) if role == state.role => return act(state, argument),
        Some(_) => return,
        None => {}
    }
    match (name, argument.split_once(' ')) {
        ("answer", _) => return argument.clone_into(&mut state.answer),
        ("role", _) => return argument.clone_into(&mut state.role),
        ("seeing", Some((word, action))) => return state.seeing.push((word.to_owned(), action.to_owned())),
        ("once", Some((file, action))) => {
            if std::fs::File::create_new(file).is_ok() {
                act(state, action);
            }
            return;
        }
        _ => {}
    }
    let Some(action) = ALL_ACTIONS.iter().find(|action| action.name == name) else {
        eprintln!("fake-solver: no action {name}");
        std::process::exit(99);
    };
    if let AfterAction::Fail = (action.run)(argument) {
        state.code = 1;
    }
}

/// Executes the known commands of a line, in order.
fn commands(state: &mut FakeSolverState, line: &str) {
    for command in line.split('(').skip(1) {
        let word = command.split([' ', ')']).next().unwrap_or_default();
        match word {
            "check-sat" => print(&format!("{}\n", state.answer)),
            "echo" => print(&format!("{}\n", command.split('"').nth(1).unwrap_or_default())),
            "get-info" => print("(:rlimit 42)\n"),
            "get-model" if state.answer == "sat" => print("((define-fun x () Int 3))\n"),
            "get-model" => {
                print("(error \"there is no model\")\n");
                state.code = 1;
            }
            "set-info" if command.contains(":fake") => {
                act(state, command.split('|').nth(1).unwrap_or_default());
            }
            "reset" => "sat".clone_into(&mut state.answer),
            "exit" => std::process::exit(state.code),
            _ => {}
        }
    }
}

/// Prints and flushes; exits if the reader is gone, as a real solver does.
fn print(text: &str) {
    if stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()).is_err() {
        std::process::exit(1);
    }
}
