//! A solver for tests: it answers, lies, crashes, hangs, floods or leaks on request.
//!
//! It reads a script from a file or from standard input, line by line, as a session would. What it shall do stands in
//! the script as a comment, or on the command line before the script:
//!
//! ```text
//! ; fake: answer unsat          what (check-sat) prints from here on
//! ; fake: segv                  and so on: see ACTIONS
//! ; fake: liar: answer unsat    only by who was told its role: --fake "role liar"
//! ; fake: once FILE segv        only if there is no such file, which there is from then on
//! ; fake: seeing WORD segv      only at a line with that word, whenever there is one from here on
//! (set-info :fake |segv|)       the same for scripts that are printed anew, without comments
//! fake-solver --fake "answer unsat" --fake hang [FILE]
//! ```
//!
//! Of the script itself it knows `(check-sat)`, `(echo "…")`, `(get-info :rlimit)`, `(get-model)`, `(reset)` and `(exit)`.

pub mod action;
pub mod fixture;
pub mod misbehaviour;
pub mod store_writer;
pub mod test_campaign;

use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};

use action::{ACTIONS, AfterAction};

/// What the solver remembers.
struct FakeSolverState {
    role: String,
    answer: String,
    code: i32,
    /// Words to look for, and what to do where they are.
    seeing: Vec<(String, String)>,
}

impl FakeSolverState {
    fn new() -> Self {
        FakeSolverState { role: String::new(), answer: "sat".to_owned(), code: 0, seeing: Vec::new() }
    }
}

/// Runs like the program, and gives its exit code.
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

/// Runs a script that is there already.
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

/// Does what a directive says.
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
    let Some(action) = ACTIONS.iter().find(|action| action.name == name) else {
        eprintln!("fake-solver: no action {name}");
        std::process::exit(99);
    };
    if let AfterAction::Fail = (action.run)(argument) {
        state.code = 1;
    }
}

/// Executes the commands of a line that it knows, in order.
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

/// Prints at once; a reader that is gone ends us, as it does a real solver.
fn print(text: &str) {
    if stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()).is_err() {
        std::process::exit(1);
    }
}
