//! Rules that the flags of all commands keep: the same flag means the same everywhere, a value shows its unit and its default.
//!
//! The tests walk over clap's tree of commands, so that a new flag is checked without being listed anywhere. The commands of
//! other tools (`yinyang`, `ddsmt` …) have those tools' flags and are left out.

use std::collections::BTreeMap;

use clap::{Arg, Command, CommandFactory};

use crate::Gainsay;

/// Commands with the flags of other tools.
const FOREIGN_COMMANDS: [&str; 4] = ["typefuzz", "opfuzz", "yinyang", "ddsmt"];

/// Names of values, with the unit or the notation that they stand for.
const VALUE_NAMES: &[(&str, &str)] = &[
    ("A..B", "a range of releases"),
    ("AGENT", "a name"),
    ("ANSWER", "sat or unsat"),
    ("BUG", "a fingerprint or a folder"),
    ("BYTES", "bytes"),
    ("COMMAND", "a command line"),
    ("DIR", "a folder"),
    ("DRIVER", "a name"),
    ("FACTOR", "a number up to 1"),
    ("FILE", "a file"),
    ("FORM", "a name"),
    ("FORMAT", "a name"),
    ("HOW", "a name"),
    ("I/N", "part I of N"),
    ("IP", "an address of this machine"),
    ("K", "a count"),
    ("KIND", "a kind of finding"),
    ("LEVEL", "functions, blocks or lines"),
    ("LOGICS", "a name"),
    ("MB", "megabytes"),
    ("MODE", "a rounding mode"),
    ("N", "a count or a number"),
    ("NAME", "a name"),
    ("NAME=N", "a name and a number"),
    ("OLD..NEW", "two solvers or two commits"),
    ("ORDER", "a name"),
    ("PATH", "files and folders"),
    ("PERCENT", "percent"),
    ("REVISION", "a commit"),
    ("SCHEDULE", "a name"),
    ("SCOPE", "a name"),
    ("SCORE", "a name"),
    ("SOLVER", "NAME@VERSION, NAME or NAME=COMMAND"),
    ("SORT", "a sort of SMT-LIB"),
    ("SOURCE", "a name"),
    ("STEPS", "steps of evaluation"),
    ("STORE", "postgres://USER@HOST/DATABASE"),
    ("TEXT", "text"),
    ("THEORY", "a theory or a logic"),
    ("TIER", "a name"),
    ("TIME", "90s, 500ms, 1h30m or seconds"),
    ("WHEN", "auto, always or never"),
];

/// Flags whose help differs between commands because it names what the command makes or reads.
const TOLD_BY_COMMAND: &[&str] = &[
    "cases",
    "expect",
    "format",
    "help",
    "jobs",
    "json",
    "known",
    "out",
    "repository",
    "scope",
    "seeds",
    "shard",
    "size",
    "solver",
    "sort",
    "store",
    "strategy",
    "time",
    "timeout",
];
/// Names of values that an absent flag does without: there is no default to show, unless the flag is `--out`.
const ABSENT_BY_DEFAULT: &[&str] =
    &["COMMAND", "DIR", "FILE", "FORMAT", "NAME", "PATH", "REVISION", "SOLVER", "STORE", "TEXT"];

/// A flag with the command that has it.
struct FlagOfCommand {
    command: String,
    arg: Arg,
}

impl FlagOfCommand {
    fn help(&self) -> String {
        self.arg.get_help().map(ToString::to_string).unwrap_or_default()
    }

    fn value_names(&self) -> Vec<String> {
        self.arg.get_value_names().into_iter().flatten().map(ToString::to_string).collect()
    }

    fn takes_value(&self) -> bool {
        self.arg.get_action().takes_values()
    }
}

/// The help of a flag without the default, which each command may choose.
fn without_default(flag: &FlagOfCommand) -> String {
    let help = flag.help();
    help.split(" [default").next().unwrap_or_default().trim_end_matches(", which need --helper").to_owned()
}

/// The visible flags of gainsay's own commands, by long name.
fn flags() -> BTreeMap<String, Vec<FlagOfCommand>> {
    let mut found: BTreeMap<String, Vec<FlagOfCommand>> = BTreeMap::new();
    let mut root = Gainsay::command();
    root.build();
    let mut open = vec![(String::new(), root)];
    while let Some((path, command)) = open.pop() {
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            if let Some(long) = arg.get_long() {
                let flag = FlagOfCommand { command: path.clone(), arg: arg.clone() };
                found.entry(long.to_owned()).or_default().push(flag);
            }
        }
        let own = |sub: &&Command| !FOREIGN_COMMANDS.contains(&sub.get_name()) && sub.get_name() != "help";
        open.extend(
            command
                .get_subcommands()
                .filter(own)
                .map(|sub| (format!("{path} {}", sub.get_name()).trim().to_owned(), sub.clone())),
        );
    }
    found
}

/// Fails with all troubles at once.
fn check(trouble: impl Fn(&str, &FlagOfCommand, &FlagOfCommand) -> Option<String>) {
    let mut troubles = Vec::new();
    for (long, flags) in flags() {
        for flag in &flags {
            troubles.extend(
                trouble(&long, flag, &flags[0]).map(|why| format!("{} --{long}: {why}", flag.command)),
            );
        }
    }
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

#[test]
fn a_flag_has_one_short_letter_and_one_kind_of_value_in_all_commands() {
    check(|long, flag, first| {
        // `--out` names what the command makes: a file or a folder. A switch has no value.
        let is_place = long == "out" || (!flag.takes_value() && !first.takes_value());
        let same_value = is_place || flag.value_names() == first.value_names();
        let same_short = flag.arg.get_short() == first.arg.get_short();
        let many = |flag: &FlagOfCommand| flag.arg.get_value_delimiter();
        let same = same_value && same_short && many(flag) == many(first);
        let shown = |flag: &FlagOfCommand| {
            format!("{:?} {:?} {:?}", flag.arg.get_short(), flag.value_names(), many(flag))
        };
        (!same).then(|| format!("{} here, {} in {}", shown(flag), shown(first), first.command))
    });
}

#[test]
fn a_short_letter_means_one_flag() {
    let mut letters: BTreeMap<char, String> = BTreeMap::new();
    for (long, flags) in flags() {
        for letter in flags.iter().filter_map(|flag| flag.arg.get_short()) {
            let known = letters.entry(letter).or_insert_with(|| long.clone());
            assert_eq!(*known, long, "-{letter} means --{known} and --{long}");
        }
    }
}

#[test]
fn a_flag_is_explained_in_the_same_words_everywhere() {
    check(|long, flag, first| {
        let same = TOLD_BY_COMMAND.contains(&long) || without_default(flag) == without_default(first);
        (!same).then(|| format!("`{}` here, `{}` in {}", flag.help(), first.help(), first.command))
    });
}

#[test]
fn the_name_of_a_value_tells_its_unit_or_notation() {
    check(|_, flag, _| {
        let unknown = |name: &String| !VALUE_NAMES.iter().any(|(known, _)| known == name);
        let names = flag.value_names();
        let missing = flag.takes_value() && names.iter().any(unknown);
        missing.then(|| format!("the value {names:?} is in no row of VALUE_NAMES"))
    });
}

#[test]
fn every_optional_value_shows_its_default() {
    check(|long, flag, _| {
        let is_shown = !flag.arg.get_default_values().is_empty() || flag.help().contains("default");
        let is_absent = |name: &String| ABSENT_BY_DEFAULT.contains(&name.as_str());
        let needs_none = long != "out" && flag.value_names().iter().any(is_absent);
        let is_optional = flag.takes_value() && !flag.arg.is_required_set();
        (is_optional && !is_shown && !needs_none).then(|| format!("no default is shown: {}", flag.help()))
    });
}

#[test]
fn every_flag_is_explained_and_limits_name_their_unit() {
    check(|_, flag, _| {
        let (help, names) = (flag.help(), flag.value_names());
        let names = |unit: &str| names.iter().any(|name| name == unit);
        let is_memory_told = !names("MB") || help.contains("megabytes");
        let is_time_told =
            !names("TIME") || help.contains("500ms") || help.contains("10m") || help.contains("2m");
        (help.is_empty() || !is_memory_told || !is_time_told).then(|| format!("name the unit: {help}"))
    });
}

/// The headings of parts of the help, with the flags below them.
const HEADED_FLAGS: &[(&str, &[&str])] = &[
    ("Commits instead of releases", &["repository", "build", "good", "bad"]),
    ("Output", &["color", "quiet", "verbose"]),
    ("Sandbox", &["no-sandbox", "sandbox"]),
];

#[test]
fn a_heading_holds_the_flags_of_its_part_only() {
    let mut root = Gainsay::command();
    root.build();
    let mut open = vec![root];
    let mut count = 0;
    while let Some(command) = open.pop() {
        for arg in command.get_arguments() {
            let Some(heading) = arg.get_help_heading() else { continue };
            let (_, flags) = HEADED_FLAGS.iter().find(|(title, _)| *title == heading).unwrap();
            let name = arg.get_long().unwrap_or_default();
            assert!(flags.contains(&name), "{}: --{name} stands under {heading}", command.get_name());
            count += 1;
        }
        open.extend(command.get_subcommands().cloned());
    }
    assert!(count > 100, "{count}");
}
