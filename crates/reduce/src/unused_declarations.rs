//! Drops unused declarations.
//!
//! Declarations that a change leaves unused go with the change: one test instead of two. Uses come after declarations, so one
//! walk from the last command to the first finds all of them.

use gainsay_smt::{Command, Index, Script, Sort, Symbol, Term, TermView};

/// The script without its unused declarations.
pub fn drop_unused_declarations(script: &Script) -> Script {
    let mut used = UsedSymbols::new(script);
    let mut kept: Vec<Command> = Vec::with_capacity(script.commands.len());
    for command in script.commands.iter().rev() {
        if used.needs(command) {
            used.note(command);
            kept.push(command.clone());
        }
    }
    kept.reverse();
    let mut after = script.clone();
    after.commands = kept;
    after
}

/// The symbols that later commands use.
struct UsedSymbols<'a> {
    script: &'a Script,
    symbols: Vec<bool>,
    terms: Vec<bool>,
    sorts: Vec<bool>,
    /// Texts that were not parsed: they may use any symbol.
    opaque_texts: Vec<&'a str>,
}

impl<'a> UsedSymbols<'a> {
    fn new(script: &'a Script) -> UsedSymbols<'a> {
        let arena = script.arena();
        UsedSymbols {
            script,
            symbols: vec![false; arena.symbol_count()],
            terms: vec![false; arena.term_count()],
            sorts: vec![false; arena.sort_count()],
            opaque_texts: Vec::new(),
        }
    }

    /// Whether a command is anything but an unused declaration.
    fn needs(&self, command: &Command) -> bool {
        match command {
            Command::DeclareSort(name, _)
            | Command::DefineSort(name, ..)
            | Command::DeclareSortParameter(_, name)
            | Command::Declare(_, name, ..) => self.has(*name),
            Command::Define(_, definition) => self.has(definition.name),
            Command::DefineFunsRec(definitions) => {
                definitions.iter().any(|definition| self.has(definition.name))
            }
            Command::DeclareDatatypes(_, datatypes) => datatypes.iter().any(|datatype| {
                let functions = datatype.constructors.iter().flat_map(|constructor| {
                    std::iter::once(constructor.name).chain(constructor.fields.iter().map(|(name, _)| *name))
                });
                self.has(datatype.name)
                    || functions.into_iter().any(|name| self.has(name) || self.has_tester(name))
            }),
            _ => true,
        }
    }

    fn has(&self, name: Symbol) -> bool {
        let text = self.script.arena().text(name);
        self.symbols[name.index()] || self.opaque_texts.iter().any(|opaque| mentions(opaque, text))
    }

    /// Whether `is-C` is used for a constructor `C`.
    fn has_tester(&self, name: Symbol) -> bool {
        let arena = self.script.arena();
        arena.find_symbol(&format!("is-{}", arena.text(name))).is_some_and(|tester| self.has(tester))
    }

    fn note(&mut self, command: &'a Command) {
        let arena = self.script.arena();
        match command {
            Command::DefineSort(_, _, sort) => self.sort(*sort),
            Command::Declare(_, _, parameters, result) => {
                parameters.iter().for_each(|&sort| self.sort(sort));
                self.sort(*result);
            }
            Command::Define(_, definition) => self.signature(&definition.parameters, definition.result),
            Command::DefineFunsRec(definitions) => {
                for definition in definitions.iter() {
                    self.signature(&definition.parameters, definition.result);
                }
            }
            Command::DeclareDatatypes(_, datatypes) => {
                let constructors = datatypes.iter().flat_map(|datatype| &datatype.constructors);
                let fields = constructors.flat_map(|constructor| &constructor.fields);
                fields.for_each(|(_, sort)| self.sort(*sort));
            }
            Command::Opaque(text) | Command::Plain(_, text) => self.opaque_texts.push(arena.text(*text)),
            _ => {}
        }
        command.terms().into_iter().for_each(|term| self.term(term));
    }

    fn signature(&mut self, parameters: &[gainsay_smt::Variable], result: Sort) {
        parameters.iter().for_each(|parameter| self.sort(parameter.sort));
        self.sort(result);
    }

    fn sort(&mut self, sort: Sort) {
        let arena = self.script.arena();
        let mut open = vec![sort];
        while let Some(sort) = open.pop() {
            if !std::mem::replace(&mut self.sorts[sort.index()], true) {
                let view = arena.view_sort(sort);
                self.symbols[view.head.index()] = true;
                open.extend_from_slice(view.arguments);
            }
        }
    }

    fn term(&mut self, term: Term) {
        let arena = self.script.arena();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if std::mem::replace(&mut self.terms[term.index()], true) {
                continue;
            }
            let view = arena.view(term);
            match view {
                TermView::Application(head, _) => {
                    self.symbols[head.symbol.index()] = true;
                    for index in head.indices {
                        if let Index::Symbol(name) = index {
                            self.symbols[name.index()] = true;
                        }
                    }
                    head.qualifier.into_iter().for_each(|sort| self.sort(sort));
                }
                TermView::Bind(_, variables, _) => {
                    variables.iter().for_each(|variable| self.sort(variable.sort));
                }
                TermView::Match(cases, _) => {
                    let names = cases.iter().filter_map(|case| case.constructor);
                    names.for_each(|name| self.symbols[name.index()] = true);
                }
                TermView::Opaque(text) => self.opaque_texts.push(arena.text(text)),
                _ => {}
            }
            open.extend_from_slice(view.children());
        }
    }
}

/// Whether a text contains a symbol as a word; a symbol that needs bars, anywhere.
fn mentions(text: &str, name: &str) -> bool {
    let is_break = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|' | '"');
    if name.contains(is_break) { text.contains(name) } else { text.split(is_break).any(|word| word == name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    fn check(before: &str, after: &str) {
        let script = Script::parse(before, &Signature::standard()).unwrap();
        assert_eq!(drop_unused_declarations(&script).to_string().replace('\n', ""), after);
    }

    #[test]
    fn declarations_that_only_unused_ones_use_go() {
        check(
            "(declare-sort S 0)(declare-const a S)(declare-sort T 0)(declare-const b T)(define-fun c () T b)(assert (= a a))",
            "(declare-sort S 0)(declare-const a S)(assert (= a a))",
        );
    }

    #[test]
    fn a_datatype_stays_if_any_of_its_functions_is_used() {
        let list = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))";
        check(&format!("{list}(assert true)"), "(assert true)");
        let uses = format!("{list}(assert ((_ is cons) nil))");
        check(&uses, &uses);
    }

    #[test]
    fn commands_that_were_not_parsed_may_use_any_symbol() {
        let text = "(declare-const a Int)(declare-const b Int)(frobnicate a)(check-sat)";
        check(text, "(declare-const a Int)(frobnicate a)(check-sat)");
    }
}
