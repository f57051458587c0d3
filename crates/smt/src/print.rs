//! The printer: from a script to text that parses back to the same script.
//!
//! Literals keep their spelling and sorts their synonyms, so a script that was only read is printed as it
//! was written, except for white space, comments and needless bars. With [`Printer::sharing`], repeated
//! subterms are bound by `let`: a graph whose tree is exponentially large is
//! printed in the size of the graph.

mod command;
mod share;
mod term;

use crate::arena::Arena;
use crate::command::Command;
use crate::lex::is_simple_symbol;
use crate::script::Script;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Head, Term};

pub use share::share;

/// How a script is printed.
///
/// ```
/// use gainsay_smt::{Printer, Script, Signature};
///
/// let text = "(declare-const a Int)(assert (= (+ a 1) (* 2 (+ a 1))))";
/// let script = Script::parse(text, &Signature::standard())?;
/// let printed = Printer::new().sharing().print(&script);
/// assert!(printed.ends_with("(assert (let ((s!0 (+ a 1))) (= s!0 (* 2 s!0))))\n"));
/// # Ok::<(), gainsay_smt::Error>(())
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct Printer {
    sharing: bool,
}

impl Printer {
    /// A printer that writes terms as they are.
    pub fn new() -> Printer {
        Printer::default()
    }

    /// The same printer, binding repeated subterms by `let`.
    pub fn sharing(self) -> Printer {
        Printer { sharing: true }
    }

    /// The text of a script, one command per line.
    pub fn print(self, script: &Script) -> String {
        if self.sharing {
            return Printer::new().print(&share::share_script(script));
        }
        let mut text = String::new();
        for command in &script.commands {
            command::write(&mut text, script.arena(), command);
            text.push('\n');
        }
        text
    }
}

/// The text of a term.
pub fn term_text(arena: &Arena, term: Term) -> String {
    let mut text = String::with_capacity(64);
    term::write(&mut text, arena, term);
    text
}

/// Writes the text of a term behind another text.
pub(crate) fn write_term(text: &mut String, arena: &Arena, term: Term) {
    term::write(text, arena, term);
}

/// The text of a term, cut off after about `limit` bytes.
pub fn term_text_within(arena: &Arena, term: Term, limit: usize) -> String {
    let mut text = String::new();
    if !term::write_within(&mut text, arena, term, limit) {
        text.push('…');
    }
    text
}

/// The text of a command.
pub fn command_text(arena: &Arena, command: &Command) -> String {
    let mut text = String::with_capacity(256);
    command::write(&mut text, arena, command);
    text
}

/// The text of a sort, cut off if it is very long.
pub fn sort_text(arena: &Arena, sort: Sort) -> String {
    let mut text = String::new();
    write_sort_within(&mut text, arena, sort, 300);
    text
}

/// The text of the head of an application.
pub fn head_text(arena: &Arena, head: Head<'_>) -> String {
    let mut text = String::new();
    write_head(&mut text, arena, head);
    text
}

/// The text of a symbol, with bars where it needs them.
pub fn symbol_text(arena: &Arena, symbol: Symbol) -> String {
    let mut text = String::new();
    write_symbol(&mut text, arena, symbol);
    text
}

fn write_symbol(out: &mut String, arena: &Arena, symbol: Symbol) {
    let text = arena.text(symbol);
    if is_simple_symbol(text) && !needs_bars(symbol, text) {
        out.push_str(text);
    } else {
        out.push('|');
        out.push_str(text);
        out.push('|');
    }
}

/// Returns true if a symbol of simple characters would be read as something else without bars.
fn needs_bars(symbol: Symbol, text: &str) -> bool {
    symbol <= Symbol::AS
        || text == "par"
        || text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn write_index(out: &mut String, arena: &Arena, name: Symbol, index: Index) {
    match index {
        // The operator of `(_ map (bvadd (S S) S))`, with its sorts.
        Index::Symbol(symbol) if name == Symbol::MAP && arena.text(symbol).starts_with('(') => {
            out.push_str(arena.text(symbol));
        }
        Index::Numeral(number) => out.push_str(&number.to_string()),
        Index::Symbol(symbol) => {
            let text = arena.text(symbol);
            // A hexadecimal or a large numeral is not a symbol and takes no bars.
            if text.starts_with('#') || text.bytes().all(|b| b.is_ascii_digit()) {
                out.push_str(text);
            } else {
                write_symbol(out, arena, symbol);
            }
        }
    }
}

fn write_indexed(out: &mut String, arena: &Arena, name: Symbol, indices: &[Index]) {
    if indices.is_empty() {
        return write_symbol(out, arena, name);
    }
    out.push_str("(_ ");
    write_symbol(out, arena, name);
    for &index in indices {
        out.push(' ');
        write_index(out, arena, name, index);
    }
    out.push(')');
}

fn write_head(out: &mut String, arena: &Arena, head: Head<'_>) {
    match head.qualifier {
        None => write_indexed(out, arena, head.symbol, head.indices),
        Some(sort) => {
            out.push_str("(as ");
            write_indexed(out, arena, head.symbol, head.indices);
            out.push(' ');
            write_sort(out, arena, sort);
            out.push(')');
        }
    }
}

fn write_sort(out: &mut String, arena: &Arena, sort: Sort) {
    write_sort_within(out, arena, sort, usize::MAX);
}

/// Writes a sort, or the beginning of one that is longer than `limit`.
fn write_sort_within(out: &mut String, arena: &Arena, sort: Sort, limit: usize) {
    let start = out.len();
    // The sorts still to be written, and `None` for a closing parenthesis.
    let mut rest = vec![Some(sort)];
    while let Some(next) = rest.pop() {
        if out.len() - start > limit {
            return out.push('…');
        }
        if out.len() > start && next.is_some() && !out.ends_with('(') {
            out.push(' ');
        }
        match next {
            None => out.push(')'),
            Some(sort) => {
                let view = arena.view_sort(sort);
                if view.arguments.is_empty() {
                    write_indexed(out, arena, view.head, view.indices);
                    continue;
                }
                out.push('(');
                write_indexed(out, arena, view.head, view.indices);
                rest.push(None);
                rest.extend(view.arguments.iter().rev().map(|&argument| Some(argument)));
            }
        }
    }
}
