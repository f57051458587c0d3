//! The reducer: makes a script smaller as long as a question says that it still shows what it is reduced for.
//!
//! ```text
//! (declare-const x Int)                       (declare-const x Int)
//! (declare-const y Int)                  ⇒    (assert (< x 0))
//! (assert (and (< x 0) (= y (* 2 x))))        (check-sat)
//! (check-sat)
//! ```
//!
//! It knows scripts and a question, no solver and no oracle. A [`Pass`] lists the simplifications that it knows for a script;
//! the [driver](run) tries them in groups that get smaller and smaller, prints every candidate, reads it again, and asks only
//! about what is well-sorted and smaller. Threads answer in advance what is going to be asked next; what is asked, and so
//! the result, does not depend on their number.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gainsay_smt::{Command, Script, Term};

mod alone;
mod annotations;
mod apply;
mod arguments;
mod bounds;
#[cfg(test)]
mod check;
mod child;
mod commands;
mod constant;
mod contents;
mod datatypes;
mod definitions;
mod eliminate;
mod flatten;
mod formats;
mod fresh;
mod indices;
mod last;
mod lets;
mod levels;
mod links;
mod literals;
mod logic;
mod marks;
mod measure;
mod merge;
mod names;
mod opening;
mod operators;
mod other;
mod parameters;
mod parts;
mod plainest;
mod quantifiers;
mod rewrite;
mod search;
mod sizes;
mod sorts;
mod speculate;
mod spelling;
mod taken;
mod tidy;
mod view;
mod whole;
mod widths;

pub use speculate::{End, Progress, Reduced, Settings, first_candidate, run};
pub use view::View;

/// Every pass, in the order of their use: what takes away most with the fewest questions first.
pub const ALL: &[&dyn Pass] = &[
    &parts::Parts,
    &commands::Commands,
    &levels::Levels,
    // What has fewer bits is solved sooner, so that all that follows is cheaper.
    &widths::Widths,
    &formats::Formats,
    &arguments::Arguments,
    &child::Child,
    &constant::Large,
    &lets::Lets,
    &definitions::Definitions,
    &quantifiers::Quantifiers,
    &annotations::Annotations,
    &parameters::Parameters,
    &flatten::Flatten,
    &eliminate::Eliminate,
    &merge::Merge,
    &datatypes::Datatypes,
    &sorts::Sorts,
    &constant::Constant,
    &operators::Operators,
    &indices::Indices,
    &other::Other,
    &fresh::Fresh,
    &alone::Alone,
    &links::Links,
    &bounds::Bounds,
    &literals::Literals,
    &last::Last,
    &opening::Together,
    &spelling::Spelling,
    &logic::Logic,
    &names::Names,
];

/// So many of the first passes leave whole commands out.
const WHOLE: usize = 2;

/// So many of the first passes are repeated until they find nothing before any of the others is tried.
const COARSE: usize = 8;

/// From this pass on, what failed is not tried once more at the end: it seldom helps, and there is much of it.
const FINE: usize = 18;

/// From this pass on, the same is only written in other words, which opens no way to anything else: that is done once, at the end.
const LAST: usize = 27;

/// One way of making scripts smaller.
pub trait Pass: Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// What it does, in one line.
    fn about(&self) -> &'static str;
    /// The simplifications that it knows for a script, in batches.
    ///
    /// The changes of a batch can be made together in any number, those that take most away first; batches are tried one
    /// after the other. Terms and names may be added to the script, whose commands must stay as they are.
    fn changes(&self, script: &mut Script, view: &View) -> Vec<Vec<Change>>;
    /// Whether all of its changes come again after one of the whole script was made, and not only those after it.
    fn starts_over(&self) -> bool {
        false
    }
}

/// A simplification of a script. Places are positions in the list of [`View::places`].
#[derive(Clone)]
pub enum Change {
    /// Leaves a command out.
    Drop(usize),
    /// Puts other commands in the place of one.
    Command(usize, Vec<Command>),
    /// Puts a term of the same sort in one place.
    Place(usize, Term),
    /// Puts what stands in a place further down in a place: the first becomes the second.
    Hoist(usize, usize),
    /// Leaves an argument out; an application with one argument left becomes that argument.
    Omit(usize),
    /// Puts a term of the same sort in all places of another; its free variables are among those of the old one.
    Replace(Term, Term),
    /// Puts a fresh constant in all places of a term; this command declares it.
    Abstract(Term, Term, Command),
    /// Makes another script, if it can. It is tried alone, and after it was made the pass is asked again.
    /// What failed is not tried again for the same number; without one, it is when anything in the script is another.
    Whole(Option<u64>, Rewrite),
}

/// Makes another script of a script.
pub type Rewrite = Arc<dyn Fn(&Script) -> Option<Script> + Send + Sync>;

/// Says whether a script still shows what it is reduced for. It is asked from several threads.
pub trait Question: Sync {
    /// Answers for one script.
    fn ask(&self, candidate: &Candidate<'_>) -> Reply;
}

/// A script that a question is asked about.
#[derive(Clone, Copy)]
pub struct Candidate<'a> {
    /// The script.
    pub script: &'a Script,
    /// Its text.
    pub text: &'a str,
    /// How long an answer is waited for; nothing where nothing is known of that yet.
    pub time: Option<Duration>,
    /// Set when the answer is no longer wanted.
    pub stop: &'a AtomicBool,
}

/// What a question says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It still shows.
    Shows,
    /// It does not, or not so well.
    Differs,
    /// It could not be told in time.
    Slow,
    /// It cannot be told any more, for anything, and why.
    Broken(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_counted_as_they_are_listed() {
        let names = [WHOLE - 1, COARSE - 1, FINE, LAST].map(|number| ALL[number].name());
        assert_eq!(names, ["commands", "large", "constant", "last"]);
    }
}
