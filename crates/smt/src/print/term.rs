//! Prints terms, with an explicit stack.

use super::{write_head, write_sort, write_symbol};
use crate::arena::Arena;
use crate::term::{Attribute, AttributeValue, Term, TermView, Variable};

/// Writes a term.
pub(super) fn write(out: &mut String, arena: &Arena, term: Term) {
    write_within(out, arena, term, usize::MAX);
}

/// Few terms are deeper.
const USUAL_DEPTH: usize = 16;

/// Writes a term until `out` has grown to `limit`; returns true if the whole term was written.
pub(super) fn write_within(out: &mut String, arena: &Arena, term: Term, limit: usize) -> bool {
    // A term, and the number of its children that are written.
    let mut open: Vec<(Term, usize)> = Vec::with_capacity(USUAL_DEPTH);
    open.push((term, 0));
    while let Some((term, child)) = open.pop() {
        if out.len() >= limit {
            return false;
        }
        let view = arena.view(term);
        let children = view.children();
        if let Some(&next) = children.get(child) {
            before(out, arena, &view, child);
            open.push((term, child + 1));
            if arena.children(next).is_empty() {
                leaf(out, arena, &arena.view(next));
            } else {
                open.push((next, 0));
            }
        } else if children.is_empty() {
            leaf(out, arena, &view);
        } else {
            end(out, arena, &view);
        }
    }
    true
}

/// Writes a term that has no children.
fn leaf(out: &mut String, arena: &Arena, view: &TermView<'_>) {
    match *view {
        TermView::Literal(_, text) | TermView::Opaque(text) => out.push_str(arena.text(text)),
        TermView::Variable(name) => write_symbol(out, arena, name),
        TermView::Application(head, _) => write_head(out, arena, head),
        _ => unreachable!("every other term has a child"),
    }
}

/// Writes the text before child number `child`.
fn before(out: &mut String, arena: &Arena, view: &TermView<'_>, child: usize) {
    match *view {
        TermView::Application(head, _) => {
            if child == 0 {
                out.push('(');
                write_head(out, arena, head);
            }
            out.push(' ');
        }
        TermView::Apply(_) => out.push(if child == 0 { '(' } else { ' ' }),
        TermView::Let(variables, _) => {
            out.push_str(match child {
                0 => "(let (",
                _ => ") ",
            });
            match variables.get(child) {
                Some(variable) => {
                    out.push('(');
                    write_symbol(out, arena, variable.name);
                    out.push(' ');
                }
                None if child == 0 => out.push_str(") "),
                None => {
                    out.pop();
                    out.push_str(") ");
                }
            }
        }
        TermView::Bind(binder, variables, _) => {
            if child == 0 {
                out.push('(');
                out.push_str(binder.name());
                out.push_str(" (");
                write_variables(out, arena, variables);
                out.push(')');
            }
            out.push(' ');
        }
        TermView::Match(cases, _) => match child {
            0 => out.push_str("(match "),
            _ => {
                out.push_str(if child == 1 { " ((" } else { ") (" });
                let case = cases.get(child - 1);
                match (case.constructor, case.variables) {
                    (Some(constructor), []) => write_symbol(out, arena, constructor),
                    (Some(constructor), variables) => {
                        out.push('(');
                        write_symbol(out, arena, constructor);
                        write_names(out, arena, variables);
                        out.push(')');
                    }
                    (None, variables) => write_symbol(out, arena, variables[0].name),
                }
                out.push(' ');
            }
        },
        TermView::Annotated(attributes, _) => match child {
            0 => out.push_str("(! "),
            _ => before_pattern(out, arena, attributes, child),
        },
        TermView::Literal(..) | TermView::Variable(_) | TermView::Opaque(_) => {
            unreachable!("a leaf has no children")
        }
    }
}

/// Writes the text after the last child.
fn end(out: &mut String, arena: &Arena, view: &TermView<'_>) {
    match *view {
        TermView::Match(..) => out.push_str(")))"),
        TermView::Annotated(attributes, _) => {
            let last = attributes.iter().rposition(|attribute| attribute.value.terms() > 0);
            if let Some(last) = last {
                out.push_str(closing(attributes[last]));
            }
            write_attributes(out, arena, &attributes[last.map_or(0, |position| position + 1)..]);
            out.push(')');
        }
        _ => out.push(')'),
    }
}

fn write_variables(out: &mut String, arena: &Arena, variables: &[Variable]) {
    for (position, variable) in variables.iter().enumerate() {
        out.push_str(if position == 0 { "(" } else { " (" });
        write_symbol(out, arena, variable.name);
        out.push(' ');
        write_sort(out, arena, variable.sort);
        out.push(')');
    }
}

pub(super) fn write_sorted_variables(out: &mut String, arena: &Arena, variables: &[Variable]) {
    out.push('(');
    write_variables(out, arena, variables);
    out.push(')');
}

fn write_names(out: &mut String, arena: &Arena, variables: &[Variable]) {
    for variable in variables {
        out.push(' ');
        write_symbol(out, arena, variable.name);
    }
}

/// The end of the terms of an attribute.
fn closing(attribute: Attribute) -> &'static str {
    if attribute.value == AttributeValue::Term { "" } else { ")" }
}

/// Writes the text before a term of an attribute: a space, or everything up to its parenthesis.
fn before_pattern(out: &mut String, arena: &Arena, attributes: &[Attribute], child: usize) {
    let (mut first, mut written) = (1, 0);
    for (position, attribute) in attributes.iter().enumerate() {
        let count = attribute.value.terms();
        if count == 0 {
            continue;
        }
        if child == first {
            if written > 0 {
                out.push_str(closing(attributes[written - 1]));
            }
            write_attributes(out, arena, &attributes[written..position]);
            out.push(' ');
            out.push_str(arena.text(attribute.keyword));
            out.push_str(if attribute.value == AttributeValue::Term { " " } else { " (" });
            return;
        }
        written = position + 1;
        first += count;
    }
    out.push(' ');
}

fn write_attributes(out: &mut String, arena: &Arena, attributes: &[Attribute]) {
    for attribute in attributes {
        out.push(' ');
        out.push_str(arena.text(attribute.keyword));
        match attribute.value {
            AttributeValue::None | AttributeValue::Term => {}
            AttributeValue::Terms(_) => out.push_str(" ()"),
            AttributeValue::Name(name) => {
                out.push(' ');
                write_symbol(out, arena, name);
            }
            AttributeValue::Text(text) => {
                out.push(' ');
                out.push_str(arena.text(text));
            }
        }
    }
}
