//! Reports of sanitizers: the violation, and the functions on the stack.
//!
//! ```text
//! ==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x6020 at pc 0x55d0 …
//! READ of size 8 at 0x6020 thread T0
//!     #0 0x55d0 in smt::context::propagate() /src/smt_context.cpp:118:9
//!     #1 0x55e1 in smt::context::check(unsigned int) /src/smt_context.cpp:3461:3
//! ```
//!
//! The message alone has addresses and no place; the stack names the bug: `heap-use-after-free in smt::context::propagate,
//! smt::context::check`.

/// Functions of a stack that tell a bug from others.
const MAX_FRAMES: usize = 3;

/// Prefixes of functions that belong to the sanitizer or the C library, and not to the solver.
const RUNTIME_PREFIXES: [&str; 7] =
    ["__asan", "__interceptor", "__sanitizer", "__ubsan", "__tsan", "__msan", "__lsan"];
/// Functions of the C library that are on top of many stacks.
const RUNTIME_FUNCTIONS: [&str; 12] = [
    "malloc", "free", "calloc", "realloc", "memcpy", "memmove", "memset", "strlen", "abort", "raise",
    "_start", // `operator new(unsigned long)` and its relatives
    "operator",
];

/// What a sanitizer reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SanitizerReport {
    /// The violation: `heap-use-after-free`, `signed integer overflow`.
    pub violation: String,
    /// The innermost functions of the solver, without arguments, the innermost first.
    pub frames: Vec<String>,
    /// The file of the violation if there is no stack: `smt_context.cpp`.
    pub file: Option<String>,
}

impl SanitizerReport {
    /// Reads the first report in the output of a program.
    pub fn find(output: &str) -> Option<Self> {
        let mut lines = output.lines();
        let (violation, file) = lines.by_ref().find_map(violation)?;
        let frames = lines.skip_while(|line| frame(line).is_none()).map_while(frame);
        let frames = frames.filter(|function| !is_runtime(function)).take(MAX_FRAMES).collect();
        Some(SanitizerReport { violation, frames, file })
    }

    /// The words by which the bug is known.
    pub fn identity(&self) -> String {
        match (self.frames.is_empty(), &self.file) {
            (false, _) => format!("{} in {}", self.violation, self.frames.join(", ")),
            (true, Some(file)) => format!("{} in {file}", self.violation),
            (true, None) => self.violation.clone(),
        }
    }
}

/// What a line says was violated, and in which file if it says so.
fn violation(line: &str) -> Option<(String, Option<String>)> {
    if let Some((place, message)) = line.split_once(": runtime error: ") {
        let path = place.split(':').next().unwrap_or_default();
        let file = path.rsplit('/').next().filter(|file| !file.is_empty()).map(str::to_owned);
        return Some((general(message), file));
    }
    let (_, message) = line.split_once("Sanitizer: ")?;
    let is_report = line.contains("ERROR: ") || line.contains("WARNING: ");
    is_report.then(|| {
        (message.split([' ', '(']).next().unwrap_or_default().trim_end_matches(':').to_owned(), None)
    })
}

/// A message without values: it ends at its first number, quote or colon.
fn general(message: &str) -> String {
    let end = message.find(|c: char| c.is_ascii_digit() || c == '\'' || c == ':').unwrap_or(message.len());
    message[..end].trim_end_matches([' ', '-']).to_owned()
}

/// The function of a line of a stack, `    #1 0x55e1 in f(int) file:line`, without its arguments.
fn frame(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('#')?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let named =
        rest.strip_prefix("0x").and_then(|rest| rest.split_once(" in ")).map_or(rest, |(_, named)| named);
    Some(without_arguments(named))
}

/// `smt::f(int) const /a.cpp:1` as `smt::f`; parentheses that belong to a name are kept: `f::operator()(int)`.
fn without_arguments(named: &str) -> String {
    let (call, anonymous) = ("operator()", "(anonymous namespace)");
    let hidden = named.replace(call, "operator\u{1}").replace(anonymous, "\u{2}");
    let end = hidden.find(['(', ' ', '<']).unwrap_or(hidden.len());
    hidden[..end].replace('\u{1}', "()").replace('\u{2}', anonymous)
}

fn is_runtime(function: &str) -> bool {
    RUNTIME_PREFIXES.iter().any(|prefix| function.starts_with(prefix))
        || RUNTIME_FUNCTIONS.contains(&function)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USE_AFTER_FREE: &str = "\
=================================================================
==4711==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55d0 bp 0x7ffd sp 0x7ffc
READ of size 8 at 0x602000000010 thread T0
    #0 0x7f2a in __interceptor_memcpy ../../../../src/libsanitizer/asan/asan_interceptors.cpp:1
    #1 0x55d0 in smt::context::propagate() /src/smt/smt_context.cpp:118:9
    #2 0x55e1 in (anonymous namespace)::visitor::operator()(app*) /src/smt/visit.cpp:12:3
    #3 0x55e2 in obj_map<app, unsigned int>::insert(app*) /src/util/obj_hashtable.h:77:3
    #4 0x55e3 in main /src/shell/main.cpp:1:1

freed by thread T0 here:
    #0 0x7f2b in operator delete(void*) ../../../../src/libsanitizer/asan/asan_new_delete.cpp:160
    #1 0x55d9 in other() /src/other.cpp:5
";

    #[test]
    fn the_stack_of_the_access_names_the_bug() {
        let report = SanitizerReport::find(USE_AFTER_FREE).unwrap();
        assert_eq!(
            report.identity(),
            "heap-use-after-free in smt::context::propagate, (anonymous namespace)::visitor::operator(), obj_map"
        );
    }

    #[test]
    fn undefined_behaviour_is_known_by_its_stack_or_else_by_its_file() {
        let line = "/src/rational.cpp:12:5: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented";
        let report = SanitizerReport::find(line).unwrap();
        assert_eq!(report.identity(), "signed integer overflow in rational.cpp");
        let stack = format!("{line} in type 'int'\n    #0 0x1 in mpz::add(int, int) /src/mpz.cpp:3\n");
        assert_eq!(SanitizerReport::find(&stack).unwrap().identity(), "signed integer overflow in mpz::add");
    }

    #[test]
    fn addresses_lines_and_process_ids_do_not_matter() {
        let other =
            USE_AFTER_FREE.replace("4711", "815").replace("0x55d0", "0x9999").replace(":118:9", ":120:9");
        assert_eq!(SanitizerReport::find(USE_AFTER_FREE), SanitizerReport::find(&other));
    }

    #[test]
    fn other_output_is_no_report() {
        for text in [
            "",
            "sat\n",
            "#0 main",
            "(error \"line 1: AddressSanitizer is off\")",
            "==1== ERROR: out of memory",
        ] {
            assert_eq!(SanitizerReport::find(text), None, "{text}");
        }
    }
}
