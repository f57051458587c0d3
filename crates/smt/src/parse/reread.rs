//! Parses one command of a script again, in its context.
//!
//! A mutation changes a command and prints it; the text must have the intended meaning. Parsing the whole script again would tell,
//! but its cost grows with the script. A [`CommandReader`] keeps the declarations before a command and parses only the one
//! text, into the arena of the script itself: terms are hash-consed, so the text means the command if both are
//! equal.

use super::Parser;
use crate::command::Command;
use crate::context::Context;
use crate::edit::Edit;
use crate::error::{Error, Fallible};
use crate::lex::{Lexer, TokenKind};
use crate::rebuild::replace_children;
use crate::script::Script;
use crate::sort_check::ApplicationOffsets;
use crate::term::{Head, Term, TermView, Variable};

/// Parses commands of a script again, and commands of scripts made from it by adding to its arena.
#[derive(Default)]
pub struct CommandReader {
    /// The parser between two texts and two scripts; it has an arena only while it reads.
    parser: Option<Parser<'static>>,
    /// For each command before the current one, the length of the trail before it; `None` if undoing does not lead back
    /// to before it.
    past: Vec<Option<usize>>,
}

impl CommandReader {
    /// Parses command number `number` from the texts of the commands of `script`; returns true if it is that command.
    ///
    /// The commands before it are parsed, too, once. The script may differ from the previous one if its arena extends the
    /// previous arena and the commands parsed so far declare the same names; otherwise the reader must be a
    /// new one.
    pub fn means(&mut self, script: &mut Script, texts: &[String], number: usize) -> Result<bool, Error> {
        let read = self.with_arena_of(script, |reader, commands| {
            reader.go_to(commands, texts, number)?;
            let mark = reader.mark(&commands[number], &texts[number]);
            let command = reader.read(&texts[number], only_command)?;
            reader.past.push(mark);
            reader.go_back(number);
            Ok(command)
        })?;
        Ok(read == script.commands[number])
    }

    /// Parses the new term of an edit in its context, where everything else is unchanged since it was parsed; returns true if
    /// the text means the edited script.
    ///
    /// The enclosing terms are rebuilt and their sorts checked. Neither the old nor the new command may contain `:named`
    /// terms.
    pub fn means_edit(
        &mut self,
        script: &mut Script,
        texts: &[String],
        edit: &Edit,
        text: &str,
    ) -> Result<bool, Error> {
        let read = self.with_arena_of(script, |reader, commands| {
            reader.go_to(commands, texts, edit.command)?;
            let context = reader.context();
            let bound = context.bound();
            context.bind_around(edit, commands[edit.command].parameters(edit.position));
            let new = reader.read(text, only_term)?;
            reader.context().unbind_to(bound);
            reader.context().with_terms_around(edit, new).map_err(|fault| fault.locate(text))
        })?;
        Ok(read == Some(script.commands[edit.command].term(edit.position)))
    }

    /// Calls a function with the arena of a script. After an error the reader starts anew.
    fn with_arena_of<T>(
        &mut self,
        script: &mut Script,
        work: impl FnOnce(&mut CommandReader, &[Command]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.parser.is_none() {
            self.parser = Some(Parser::new("", script.arena().signature()));
            self.past.clear();
        }
        std::mem::swap(&mut self.context().arena, script.arena_mut());
        let done = work(self, &script.commands);
        std::mem::swap(&mut self.context().arena, script.arena_mut());
        if done.is_err() {
            self.parser = None;
        }
        done
    }

    fn context(&mut self) -> &mut Context {
        &mut self.parser.as_mut().expect("it is there but while it reads").context
    }

    /// Reads a text.
    fn read<T>(&mut self, text: &str, read: impl FnOnce(&mut Parser<'_>) -> Fallible<T>) -> Result<T, Error> {
        let parser = self.parser.take().expect("it is there but while it reads");
        let mut parser = parser.with_text(text);
        let read = read(&mut parser);
        self.parser = Some(parser.with_text(""));
        read.map_err(|fault| fault.locate(text))
    }

    /// Moves to the context of command number `number`.
    fn go_to(&mut self, commands: &[Command], texts: &[String], number: usize) -> Result<(), Error> {
        self.go_back(number);
        while self.past.len() < number {
            let (command, text) = (&commands[self.past.len()], &texts[self.past.len()]);
            let mark = self.mark(command, text);
            if CommandEffect::of(command, text) != CommandEffect::Nothing {
                self.read(text, only_command)?;
            }
            self.past.push(mark);
        }
        Ok(())
    }

    /// The trail's length before a command that is about to be read, if undoing leads back to it.
    fn mark(&mut self, command: &Command, text: &str) -> Option<usize> {
        (CommandEffect::of(command, text) != CommandEffect::Other).then(|| self.context().mark())
    }

    /// Moves to the context of command number `number` or an earlier one.
    fn go_back(&mut self, number: usize) {
        while self.past.len() > number {
            match self.past.pop().flatten() {
                Some(mark) => self.context().undo_to(mark),
                None => {
                    self.context().reset();
                    self.past.clear();
                }
            }
        }
    }
}

impl std::fmt::Debug for CommandReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CommandReader(past {} commands)", self.past.len())
    }
}

impl Parser<'_> {
    /// The same parser for another text.
    fn with_text(self, text: &str) -> Parser<'_> {
        Parser {
            lexer: Lexer::new(text),
            context: self.context,
            commands: self.commands,
            recent: self.recent,
            command_start: self.command_start,
            frames: self.frames,
            terms: self.terms,
            offsets: self.offsets,
            variables: self.variables,
            indices: self.indices,
            attributes: self.attributes,
            cases: self.cases,
            in_definition: self.in_definition,
            binders: self.binders,
            free: self.free,
            near_misses: self.near_misses,
            lenient: self.lenient,
            elements: self.elements,
        }
    }

    fn expect_end(&mut self) -> Fallible<()> {
        let rest = self.lexer.next()?;
        match rest.kind {
            TokenKind::End => Ok(()),
            _ => self.unexpected(rest, "nothing more"),
        }
    }
}

fn only_command(parser: &mut Parser<'_>) -> Fallible<Command> {
    let at = parser.expect_open("a command")?;
    let command = parser.command(at)?;
    parser.expect_end()?;
    Ok(command)
}

fn only_term(parser: &mut Parser<'_>) -> Fallible<Term> {
    let term = parser.term()?;
    parser.expect_end()?;
    Ok(term)
}

impl Context {
    /// Binds the variables in scope at the place of an edit.
    fn bind_around(&mut self, edit: &Edit, parameters: &[Variable]) {
        let bind = |context: &mut Context, variable: Variable| {
            let sort = context.arena.canonical(variable.sort);
            context.bind(variable.name, sort);
        };
        parameters.iter().for_each(|&parameter| bind(self, parameter));
        for &(term, child) in &edit.path {
            let count = self.arena.view(term).bound_in(child).len();
            for number in 0..count {
                let variable = self.arena.view(term).bound_in(child)[number];
                bind(self, variable);
            }
        }
    }

    /// The whole term of a command with `new` at the place of an edit, if all enclosing terms are well-sorted.
    fn with_terms_around(&mut self, edit: &Edit, new: Term) -> Fallible<Option<Term>> {
        if self.arena.sort_of(new) != self.arena.sort_of(edit.old) {
            return Ok(None);
        }
        let (mut new, mut children) = (new, Vec::new());
        for &(parent, child) in edit.path.iter().rev() {
            children.clear();
            children.extend_from_slice(self.arena.children(parent));
            children[child] = new;
            let place = ApplicationOffsets { head: 0, arguments: &[] };
            let sort = self.arena.sort_of(parent);
            new = match self.arena.view(parent) {
                TermView::Application(head, _) => {
                    let indices = head.indices.to_vec();
                    self.application(Head { indices: &indices, ..head }, &children, place)?
                }
                TermView::Apply(_) => self.apply(&children, place)?,
                _ => replace_children(&mut self.arena, parent, &children),
            };
            if self.arena.sort_of(new) != sort {
                return Ok(None);
            }
        }
        Ok(Some(new))
    }
}

/// The effect of a command on the context of later commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CommandEffect {
    Nothing,
    /// It declares something, which can be undone.
    Declares,
    Other,
}

impl CommandEffect {
    fn of(command: &Command, text: &str) -> CommandEffect {
        match command {
            command if command.is_declaration() => CommandEffect::Declares,
            // A `:named` term is a declaration.
            Command::Term(..) | Command::Terms(..) if text.contains(":named") => CommandEffect::Declares,
            Command::Plain(..) if text.contains(":global-declarations") => CommandEffect::Other,
            Command::Term(..)
            | Command::Terms(..)
            | Command::Plain(..)
            | Command::CheckSat
            | Command::Exit
            | Command::Opaque(_)
            | Command::Unreached(_) => CommandEffect::Nothing,
            _ => CommandEffect::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::occurrence::{Occurrence, Occurrences};
    use crate::print::{command_text, term_text};
    use crate::signature::Signature;
    use crate::sort::Sort;
    use crate::term::Head;

    fn script(text: &str) -> (Script, Vec<String>) {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let texts = script.commands.iter().map(|command| command_text(script.arena(), command)).collect();
        (script, texts)
    }

    #[test]
    fn every_command_is_read_in_its_place_in_any_order() {
        let (mut script, texts) = script(
            "(set-logic QF_LRA)(declare-const x Real)(assert (< x 1))(push 1)(declare-sort S 0)(declare-const s S)\
             (define-fun f ((y Real)) Real (+ x y))(assert (! (= (f 1) 2) :named a))(assert (or a (= s s)))(pop 1)\
             (declare-const s Bool)(assert s)(declare-datatype L ((nil) (cons (head Real) (tail L))))\
             (define-fun-rec g ((l L)) Real (match l ((nil 0) ((cons h t) (+ h (g t))))))(assert (> (g nil) 0))\
             (reset)(declare-const s Int)(assert (= s 0))(check-sat)(exit)",
        );
        let mut reader = CommandReader::default();
        let count = texts.len();
        let there_and_back = (0..count).chain((0..count).rev()).chain((0..count).map(|n| n * 7 % count));
        for number in there_and_back {
            assert_eq!(reader.means(&mut script, &texts, number), Ok(true), "{}", texts[number]);
        }
    }

    #[test]
    fn a_text_that_means_something_else_is_seen() {
        let (mut script, mut texts) = script("(declare-const x Int)(assert (= x 0))(declare-const y Int)");
        texts[1] = "(assert (= x 1))".into();
        assert_eq!(CommandReader::default().means(&mut script, &texts, 1), Ok(false));
        for wrong in [
            "(assert (= x true))",
            "(assert (= x y))",
            "(assert x)",
            "(assert (= x 0)) ()",
            "(assert (= x 0)",
        ] {
            texts[1] = wrong.into();
            let read = CommandReader::default().means(&mut script, &texts, 1);
            assert!(read.is_err(), "{wrong}: {read:?}");
        }
    }

    #[test]
    fn a_term_that_was_built_with_a_wrong_sort_is_seen() {
        let (mut script, mut texts) = script("(declare-const x Int)(assert (= x 0))");
        let equation = script.assertions().next().unwrap();
        let x = script.arena().children(equation)[0];
        let minus = script.arena().find_symbol("-").unwrap();
        let wrong = script.arena_mut().application(Head::plain(minus), &[x], Sort::BOOL);
        script.commands[1].set_term(0, wrong);
        texts[1] = command_text(script.arena(), &script.commands[1]);
        let error = CommandReader::default().means(&mut script, &texts, 1).unwrap_err();
        assert_eq!(error.to_string(), "1:9: the term of assert is of sort Int, expected Bool");
    }

    /// Reads `new` in place of the first `x` of the assertion.
    fn edited(text: &str, new: &str, sort: Sort) -> Result<bool, Error> {
        let (script, texts) = script(text);
        let number = script.commands.iter().position(|command| command.term_count() > 0).unwrap();
        let places = Occurrences::of(&script, 100);
        let is_x =
            |place: &Occurrence| term_text(script.arena(), place.term) == "x" && place.root.0 == number;
        let mut here = places.list().iter().position(is_x).unwrap();
        let old = places.list()[here].term;
        let mut path = Vec::new();
        while let Some((parent, child)) = places.list()[here].parent {
            path.insert(0, (places.list()[parent].term, child));
            here = parent;
        }
        let mut after = script.clone();
        let name = after.arena_mut().symbol(new);
        let term = after.arena_mut().application(Head::plain(name), &[], sort);
        let edit = Edit { command: number, position: 0, path, old, new: term };
        edit.make(&mut after);
        CommandReader::default().means_edit(&mut after, &texts, &edit, new)
    }

    #[test]
    fn an_edit_is_read_in_its_place() {
        let text = "(declare-const x Int)(declare-const c Int)(assert (let ((b true)) (= (+ 1 x) 2)))(declare-const d Int)";
        assert_eq!(edited(text, "c", Sort::INT), Ok(true));
        let message = |new, sort| edited(text, new, sort).map_err(|error| error.message);
        assert_eq!(message("e", Sort::INT), Err("unknown function or constant e".into()));
        assert_eq!(
            message("d", Sort::INT),
            Err("unknown function or constant d".into()),
            "it is declared later"
        );
        assert_eq!(message("c c", Sort::INT), Err("expected nothing more, found c".into()));
        assert_eq!(message("true", Sort::INT), Ok(false), "it was built as an integer");
        assert_eq!(message("true", Sort::BOOL), Ok(false), "nothing else can stand there");
        assert_eq!(message("b", Sort::INT), Ok(false), "it is a variable, and of another sort");
    }

    #[test]
    fn variables_bound_around_an_edit_hide_declarations() {
        let text = "(declare-const x Int)(declare-const y Int)(assert (exists ((y Int)) (> x y)))";
        assert_eq!(edited(text, "y", Sort::INT), Ok(false), "the constant was meant, the variable is read");
    }
}
