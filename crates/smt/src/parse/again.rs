//! Reading one command of a script again, in its place.
//!
//! Who changes a command of a script and prints it wants to know that the text means what was meant. Reading the whole
//! script again tells, and costs as much as the script is long. A [`Reader`] keeps what the commands before a command declare
//! and reads only the one text, into the arena of the script itself: terms are hash-consed, so that the text means the
//! command if both are equal.

use super::Parser;
use crate::command::Command;
use crate::context::Context;
use crate::error::{Error, Fallible, Fault};
use crate::lex::{Kind, Lexer};
use crate::script::Script;

/// Reads commands of a script again, and of scripts that were made from it by adding to its arena.
#[derive(Default)]
pub struct Reader {
    /// A parser between two texts, and between two scripts: it has an arena only while it reads.
    parser: Option<Parser<'static>>,
    /// For each command that the parser is past: how much there was to undo before it, or nothing where undoing does not
    /// lead back to before it.
    past: Vec<Option<usize>>,
}

impl Reader {
    /// Reads command number `number` from the texts of the commands of `script`; says whether it is the command that is there.
    ///
    /// The commands before it are read too, once. The script may be another than the last time if its arena has all that
    /// the arena of the last one had, and if the commands that were read declare the same; otherwise the reader must be a
    /// new one.
    pub fn means(&mut self, script: &mut Script, texts: &[String], number: usize) -> Result<bool, Error> {
        let mut parser = self.parser.take().unwrap_or_else(|| {
            self.past.clear();
            Parser::new("", script.arena().signature())
        });
        std::mem::swap(&mut parser.context.arena, script.arena_mut());
        let (read, mut parser) = self.read(parser, &script.commands, texts, number);
        std::mem::swap(&mut parser.context.arena, script.arena_mut());
        let read = read?;
        self.parser = Some(parser);
        Ok(read == script.commands[number])
    }

    /// Reads a command, and those before it that it needs.
    fn read(
        &mut self,
        mut parser: Parser<'static>,
        commands: &[Command],
        texts: &[String],
        number: usize,
    ) -> (Result<Command, Error>, Parser<'static>) {
        self.go_back(&mut parser.context, number);
        for (command, text) in commands[..number].iter().zip(texts).skip(self.past.len()) {
            let (effect, mark) = (Effect::of(command, text), parser.context.mark());
            if effect != Effect::Nothing {
                let (read, next) = parser.command_of(text);
                parser = next;
                if read.is_err() {
                    return (read, parser);
                }
            }
            self.past.push((effect != Effect::Other).then_some(mark));
        }
        let (effect, mark) = (Effect::of(&commands[number], &texts[number]), parser.context.mark());
        let (read, mut parser) = parser.command_of(&texts[number]);
        self.past.push((effect != Effect::Other).then_some(mark));
        self.go_back(&mut parser.context, number);
        (read, parser)
    }

    /// Makes the context that of command number `number` or of one before it.
    fn go_back(&mut self, context: &mut Context, number: usize) {
        while self.past.len() > number {
            match self.past.pop().flatten() {
                Some(mark) => context.undo_to(mark),
                None => {
                    context.reset();
                    self.past.clear();
                }
            }
        }
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reader(past {} commands)", self.past.len())
    }
}

impl Parser<'static> {
    /// Reads a text that is one command.
    fn command_of(self, text: &str) -> (Result<Command, Error>, Parser<'static>) {
        let mut parser = self.with_text(text);
        let read = parser.only_command();
        (read.map_err(|fault| fault.locate(text)), parser.with_text(""))
    }
}

impl Parser<'_> {
    /// The same parser before another text.
    fn with_text(self, text: &str) -> Parser<'_> {
        Parser {
            lexer: Lexer::new(text),
            context: self.context,
            commands: self.commands,
            recent: self.recent,
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
            slips: self.slips,
        }
    }

    fn only_command(&mut self) -> Fallible<Command> {
        let at = self.expect_open("a command")?;
        let command = self.command(at)?;
        let rest = self.lexer.next()?;
        match rest.kind {
            Kind::End => Ok(command),
            _ => Fault::syntax(rest.start(), "expected nothing after the command"),
        }
    }
}

/// What a command does to the context of those after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Nothing,
    /// It declares something, which can be undone.
    Declares,
    Other,
}

impl Effect {
    fn of(command: &Command, text: &str) -> Effect {
        match command {
            Command::DeclareSort(..)
            | Command::DefineSort(..)
            | Command::DeclareSortParameter(..)
            | Command::Declare(..)
            | Command::Define(..)
            | Command::DefineFunsRec(_)
            | Command::DeclareDatatypes(..) => Effect::Declares,
            // A name for a part of a term is a declaration.
            Command::Term(..) | Command::Terms(..) if text.contains(":named") => Effect::Declares,
            Command::Plain(..) if text.contains(":global-declarations") => Effect::Other,
            Command::SetLogic(_)
            | Command::Push(_)
            | Command::Pop(_)
            | Command::Reset
            | Command::ResetAssertions => Effect::Other,
            Command::Term(..)
            | Command::Terms(..)
            | Command::Plain(..)
            | Command::CheckSat
            | Command::Exit
            | Command::Opaque(_)
            | Command::Unreached(_) => Effect::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::command_text;
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
        let mut reader = Reader::default();
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
        assert_eq!(Reader::default().means(&mut script, &texts, 1), Ok(false));
        for wrong in [
            "(assert (= x true))",
            "(assert (= x y))",
            "(assert x)",
            "(assert (= x 0)) ()",
            "(assert (= x 0)",
        ] {
            texts[1] = wrong.into();
            let read = Reader::default().means(&mut script, &texts, 1);
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
        let error = Reader::default().means(&mut script, &texts, 1).unwrap_err();
        assert_eq!(error.to_string(), "1:9: the term of assert is of sort Int, expected Bool");
    }
}
