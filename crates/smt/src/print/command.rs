//! Prints commands.

use super::term::{self, write_sorted_variables};
use super::{write_sort, write_symbol};
use crate::arena::Arena;
use crate::command::{Command, Constructor, DatatypeDeclaration, DatatypesForm, Definition, Word};
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::Term;

/// Writes a command.
pub(super) fn write(out: &mut String, arena: &Arena, command: &Command) {
    match command {
        Command::SetLogic(logic) => named(out, arena, "set-logic", *logic),
        Command::DeclareSort(name, arity) => {
            named(out, arena, "declare-sort", *name);
            out.push_str(&format!(" {arity}"));
        }
        Command::DefineSort(name, parameters, meaning) => {
            named(out, arena, "define-sort", *name);
            write_sorts(out, arena, parameters);
            spaced_sort(out, arena, *meaning);
        }
        Command::DeclareSortParameter(word, name) => named(out, arena, word.text(), *name),
        Command::Declare(word, name, parameters, result) => {
            declare(out, arena, *word, *name, parameters, *result);
        }
        Command::Define(word, definition) => {
            out.push('(');
            out.push_str(word.text());
            out.push(' ');
            write_declaration(out, arena, definition, *word);
            out.push(' ');
            term::write(out, arena, definition.body);
        }
        Command::DefineFunsRec(definitions) => define_funs_rec(out, arena, definitions),
        Command::DeclareDatatypes(form, declarations) => datatypes(out, arena, *form, declarations),
        Command::Term(word, term, options) => {
            out.push('(');
            out.push_str(word.text());
            out.push(' ');
            term::write(out, arena, *term);
            spaced_text(out, options.map_or("", |options| arena.text(options)));
        }
        Command::Terms(word, terms) => write_terms(out, arena, *word, terms),
        Command::Push(levels) => leveled(out, "push", *levels),
        Command::Pop(levels) => leveled(out, "pop", *levels),
        Command::Reset => out.push_str("(reset"),
        Command::ResetAssertions => out.push_str("(reset-assertions"),
        Command::CheckSat => out.push_str("(check-sat"),
        Command::Exit => out.push_str("(exit"),
        Command::Plain(name, text) => {
            named(out, arena, "", *name);
            spaced_text(out, arena.text(*text));
        }
        Command::Opaque(text) | Command::Unreached(text) => return out.push_str(arena.text(*text)),
    }
    out.push(')');
}

/// `(word name`, or `(name` if there is no word.
fn named(out: &mut String, arena: &Arena, word: &str, name: Symbol) {
    out.push('(');
    out.push_str(word);
    if !word.is_empty() {
        out.push(' ');
    }
    write_symbol(out, arena, name);
}

fn leveled(out: &mut String, word: &str, levels: Option<u32>) {
    out.push('(');
    out.push_str(word);
    if let Some(levels) = levels {
        out.push_str(&format!(" {levels}"));
    }
}

fn spaced_text(out: &mut String, text: &str) {
    if !text.is_empty() {
        out.push(' ');
        out.push_str(text);
    }
    // A comment at the end of the kept text must not swallow the parenthesis.
    if text.lines().last().is_some_and(|line| line.contains(';')) {
        out.push('\n');
    }
}

fn spaced_sort(out: &mut String, arena: &Arena, sort: Sort) {
    out.push(' ');
    write_sort(out, arena, sort);
}

/// ` (sort…)`
fn write_sorts(out: &mut String, arena: &Arena, sorts: &[Sort]) {
    out.push_str(" (");
    for (position, &sort) in sorts.iter().enumerate() {
        if position > 0 {
            out.push(' ');
        }
        write_sort(out, arena, sort);
    }
    out.push(')');
}

fn declare(out: &mut String, arena: &Arena, word: Word, name: Symbol, parameters: &[Sort], result: Sort) {
    named(out, arena, word.text(), name);
    if matches!(word, Word::DeclareFun | Word::DeclareRel) {
        write_sorts(out, arena, parameters);
    }
    if word != Word::DeclareRel {
        spaced_sort(out, arena, result);
    }
}

/// `f ((x S)…) S`, or `f S` of a constant's definition.
fn write_declaration(out: &mut String, arena: &Arena, definition: &Definition, word: Word) {
    write_symbol(out, arena, definition.name);
    if word != Word::DefineConst {
        out.push(' ');
        write_sorted_variables(out, arena, &definition.parameters);
    }
    spaced_sort(out, arena, definition.result);
}

fn define_funs_rec(out: &mut String, arena: &Arena, definitions: &[Definition]) {
    out.push_str("(define-funs-rec (");
    for (position, definition) in definitions.iter().enumerate() {
        out.push_str(if position == 0 { "(" } else { " (" });
        write_declaration(out, arena, definition, Word::DefineFunRec);
        out.push(')');
    }
    out.push_str(") (");
    for (position, definition) in definitions.iter().enumerate() {
        if position > 0 {
            out.push(' ');
        }
        term::write(out, arena, definition.body);
    }
    out.push(')');
}

fn write_terms(out: &mut String, arena: &Arena, word: Word, terms: &[Term]) {
    out.push('(');
    out.push_str(word.text());
    out.push_str(" (");
    for (position, &term) in terms.iter().enumerate() {
        if position > 0 {
            out.push(' ');
        }
        term::write(out, arena, term);
    }
    out.push(')');
}

fn datatypes(out: &mut String, arena: &Arena, form: DatatypesForm, declarations: &[DatatypeDeclaration]) {
    out.push_str(match form {
        DatatypesForm::Single => "(declare-datatype ",
        DatatypesForm::SingleCo => "(declare-codatatype ",
        DatatypesForm::Many => "(declare-datatypes (",
        DatatypesForm::ManyCo => "(declare-codatatypes (",
        DatatypesForm::Old => "(declare-datatypes",
        DatatypesForm::OldCo => "(declare-codatatypes",
    });
    match form {
        DatatypesForm::Single | DatatypesForm::SingleCo => {
            write_symbol(out, arena, declarations[0].name);
            out.push(' ');
            write_datatype(out, arena, &declarations[0]);
        }
        DatatypesForm::Many | DatatypesForm::ManyCo => {
            for (position, declaration) in declarations.iter().enumerate() {
                out.push_str(if position == 0 { "(" } else { " (" });
                write_symbol(out, arena, declaration.name);
                out.push_str(&format!(" {})", declaration.parameters.len()));
            }
            out.push_str(") (");
            for (position, declaration) in declarations.iter().enumerate() {
                if position > 0 {
                    out.push(' ');
                }
                write_datatype(out, arena, declaration);
            }
            out.push(')');
        }
        DatatypesForm::Old | DatatypesForm::OldCo => {
            write_sorts(out, arena, declarations.first().map_or(&[], |declaration| &declaration.parameters));
            out.push_str(" (");
            for (position, declaration) in declarations.iter().enumerate() {
                out.push_str(if position == 0 { "(" } else { " (" });
                write_symbol(out, arena, declaration.name);
                for constructor in &declaration.constructors {
                    out.push(' ');
                    write_constructor(out, arena, constructor);
                }
                out.push(')');
            }
            out.push(')');
        }
    }
}

/// `(par (T…) (constructors…))` or `(constructors…)`
fn write_datatype(out: &mut String, arena: &Arena, declaration: &DatatypeDeclaration) {
    let has_parameters = !declaration.parameters.is_empty();
    if has_parameters {
        out.push_str("(par");
        write_sorts(out, arena, &declaration.parameters);
        out.push(' ');
    }
    out.push('(');
    for (position, constructor) in declaration.constructors.iter().enumerate() {
        if position > 0 {
            out.push(' ');
        }
        write_constructor(out, arena, constructor);
    }
    out.push_str(if has_parameters { "))" } else { ")" });
}

fn write_constructor(out: &mut String, arena: &Arena, constructor: &Constructor) {
    out.push('(');
    write_symbol(out, arena, constructor.name);
    for &(selector, sort) in &constructor.fields {
        out.push_str(" (");
        write_symbol(out, arena, selector);
        spaced_sort(out, arena, sort);
        out.push(')');
    }
    out.push(')');
}
