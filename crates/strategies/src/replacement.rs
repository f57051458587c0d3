//! Single-place mutations: the search for a place and a replacement within bounds, and the edit.

use gainsay_smt::print::term_text_within;
use gainsay_smt::{Arena, Binder, Head, Index, Script, Sort, Symbol, Term, TermView};

use super::survey::{PlaceScope, ScriptSurvey, TermPlace};
use super::{CaseBounds, MAX_TERM_BYTES_SHOWN, Proposal, Skip};
use crate::promise::Promise;
use crate::random::Rng;

/// Places tried before a script counts as one that cannot be changed.
const MAX_PLACES_TRIED: u64 = 1000;

/// Operators tried at one place before another place is drawn.
pub const MAX_OPERATORS_PER_PLACE: usize = 16;

/// Bytes that a step may add to any script; a large script may grow by a quarter. Without this limit, copies of copies
/// soon keep solvers busy with nothing new.
const MAX_BYTES_ADDED: u64 = 1000;

/// A term to put at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replacement {
    /// A term of the script.
    Term(Term),
    /// A new application.
    Application {
        /// The operator.
        name: Symbol,
        /// Its indices.
        indices: Vec<Index>,
        /// The sort that `as` gives it.
        qualifier: Option<Sort>,
        /// Terms of the script.
        arguments: Vec<Term>,
    },
    /// The quantifier at the place, with another binder.
    Binder(Binder),
}

impl Replacement {
    /// An application of `head` to terms.
    pub fn application(head: Head<'_>, arguments: Vec<Term>) -> Replacement {
        let (indices, qualifier) = (head.indices.to_vec(), head.qualifier);
        Replacement::Application { name: head.symbol, indices, qualifier, arguments }
    }

    /// The operator of a new application.
    pub fn name(&self) -> Option<Symbol> {
        match self {
            Replacement::Application { name, .. } => Some(*name),
            _ => None,
        }
    }

    /// Whether the term already has this form.
    pub fn is(&self, arena: &Arena, term: Term) -> bool {
        match (self, arena.view(term)) {
            (Replacement::Term(new), _) => *new == term,
            (
                Replacement::Application { name, indices, qualifier, arguments },
                TermView::Application(head, old),
            ) => {
                let head = (head.symbol, head.indices, head.qualifier);
                head == (*name, indices.as_slice(), *qualifier) && arguments == old
            }
            (Replacement::Binder(binder), TermView::Bind(old, ..)) => *binder == old,
            _ => false,
        }
    }

    /// Its approximate size in bytes, and its depth.
    fn size(&self, survey: &ScriptSurvey<'_>, place: &TermPlace) -> (u64, usize) {
        match self {
            Replacement::Term(term) => (survey.bytes(*term), survey.depth(*term)),
            Replacement::Application { name, indices, arguments, .. } => {
                let own = survey.script.arena().text(*name).len() + 8 * indices.len() + 2;
                let bytes =
                    arguments.iter().fold(own as u64, |sum, &a| sum.saturating_add(survey.bytes(a) + 1));
                let depth = arguments.iter().map(|&argument| survey.depth(argument)).max().unwrap_or(0);
                (bytes, depth + 1)
            }
            Replacement::Binder(_) => (survey.bytes(place.term), survey.depth(place.term)),
        }
    }

    /// Builds the term in the arena of the script.
    fn build(&self, script: &mut Script, place: &TermPlace) -> Term {
        let arena = script.arena_mut();
        match self {
            Replacement::Term(term) => *term,
            Replacement::Application { name, indices, qualifier, arguments } => {
                let head = Head { symbol: *name, indices, qualifier: *qualifier };
                arena.application(head, arguments, place.sort)
            }
            Replacement::Binder(binder) => {
                let TermView::Bind(_, variables, bodies) = arena.view(place.term) else { return place.term };
                let (variables, bodies) = (variables.to_vec(), bodies.to_vec());
                arena.bind(*binder, &variables, &bodies, place.sort)
            }
        }
    }
}

/// The search for a replacement at one place.
pub struct ReplacementSearch<'a> {
    survey: &'a ScriptSurvey<'a>,
    /// Bytes that may be added, and the depth allowed: a script beyond its bounds may not grow.
    room: u64,
    depth: usize,
}

impl<'a> ReplacementSearch<'a> {
    /// A search within these bounds.
    pub fn new(survey: &'a ScriptSurvey<'a>, bounds: CaseBounds) -> ReplacementSearch<'a> {
        let room = (bounds.bytes as u64).saturating_sub(survey.total_bytes());
        let room = room.min(MAX_BYTES_ADDED.max(survey.total_bytes() / 4));
        ReplacementSearch { survey, room, depth: bounds.depth.max(survey.deepest()) }
    }

    /// Draws places until `change` returns a replacement for one, at most as often as there are places.
    pub fn attempt(
        &self,
        rng: &mut Rng,
        change: impl Fn(&TermPlace, &PlaceScope, &mut Rng) -> Option<Replacement>,
    ) -> Result<Proposal, Skip> {
        let mut skip = Skip::NothingToDo;
        for _ in 0..self.survey.places().min(MAX_PLACES_TRIED) {
            let Some(place) = self.survey.place(rng) else { break };
            let scope = self.survey.scope(&place);
            let Some(draft) = change(&place, &scope, rng) else { continue };
            if draft.is(self.survey.script.arena(), place.term) {
                continue;
            }
            if self.is_too_large(&draft, &place) {
                skip = Skip::TooLarge;
                continue;
            }
            return Ok(self.proposal(&draft, &place));
        }
        Err(skip)
    }

    fn is_too_large(&self, draft: &Replacement, place: &TermPlace) -> bool {
        let (bytes, depth) = draft.size(self.survey, place);
        bytes > self.survey.bytes(place.term).saturating_add(self.room) || place.depth() + depth > self.depth
    }

    fn proposal(&self, draft: &Replacement, place: &TermPlace) -> Proposal {
        let mut script = self.survey.script.clone();
        let new = draft.build(&mut script, place);
        let edit = place.edit(new);
        edit.make(&mut script);
        let show = |term: Term| term_text_within(script.arena(), term, MAX_TERM_BYTES_SHOWN);
        let step = match draft {
            Replacement::Binder(binder) => format!("{} at {}", binder.name(), show(place.term)),
            _ => format!("{} -> {}", show(place.term), show(new)),
        };
        Proposal { edit: Some(edit), ..Proposal::new(script, Promise::Nothing, step) }
    }
}

/// Numbers worth trying as indices: small ones, and those in the sorts of the script.
pub fn numbers(arena: &Arena, sorts: &[Sort]) -> Vec<u32> {
    let mut numbers = vec![0, 1, 2, 3];
    for &sort in sorts {
        for index in arena.view_sort(sort).indices {
            if let Index::Numeral(number) = index
                && !numbers.contains(number)
            {
                numbers.push(*number);
            }
        }
    }
    numbers
}
