//! A script as passes see it, computed once: its places, how long each term is, how often it occurs.

use gainsay_smt::{Arena, Command, Occurrences, Script, Term, TermView, Word};

/// Places of a script that passes see; only texts of many megabytes have more.
const MAX_PLACES: usize = 1 << 20;

/// A script as passes see it.
pub struct ScriptView {
    /// The places of its terms, parents before children, in the order of the text.
    pub places: Occurrences,
    /// For each place, whether the term there may be replaced by another of its sort.
    is_changeable: Vec<bool>,
    /// For each place, its depth below the root term of its command.
    depths: Vec<u32>,
    /// For each place, the end of the range of places below it.
    ends: Vec<usize>,
    /// For each term of the arena, the approximate length of its text.
    bytes: Vec<usize>,
    /// For each term of the arena, its number of places.
    counts: Vec<u32>,
    /// For each term of the arena, the first of its places.
    firsts: Vec<usize>,
}

impl ScriptView {
    /// Computes the view of a script.
    pub fn of(script: &Script) -> ScriptView {
        let arena = script.arena();
        let places = Occurrences::of(script, MAX_PLACES);
        let list = places.list();
        let mut counts = vec![0; arena.term_count()];
        let mut firsts = vec![usize::MAX; arena.term_count()];
        let mut depths = vec![0; list.len()];
        let mut is_changeable = vec![true; list.len()];
        for (number, place) in list.iter().enumerate() {
            counts[place.term.index()] += 1;
            firsts[place.term.index()] = firsts[place.term.index()].min(number);
            let own = !arena.has_opaque(place.term) && arena.is_sort_of_values(place.sort);
            match place.parent {
                None => is_changeable[number] = own && has_changeable_terms(&script.commands[place.root.0]),
                Some((parent, child)) => {
                    depths[number] = depths[parent] + 1;
                    let pattern =
                        child > 0 && matches!(arena.view(list[parent].term), TermView::Annotated(..));
                    let above = is_changeable[parent] || arena.has_opaque(list[parent].term);
                    is_changeable[number] = own && above && !pattern;
                }
            }
        }
        let mut ends: Vec<usize> = (1..=list.len()).collect();
        for (number, place) in list.iter().enumerate().rev() {
            if let Some((parent, _)) = place.parent {
                ends[parent] = ends[parent].max(ends[number]);
            }
        }
        ScriptView { is_changeable, depths, ends, bytes: text_lengths(arena), counts, firsts, places }
    }

    /// The places where the term may be replaced by another of its sort: the longest terms first, then in the order of the text.
    pub fn changeable(&self) -> Vec<usize> {
        let list = self.places.list();
        let mut places: Vec<usize> = (0..list.len()).filter(|&place| self.is_changeable[place]).collect();
        self.longest_first(&mut places);
        places
    }

    /// Sorts places: the longest terms first, then in the order of the text.
    pub fn longest_first(&self, places: &mut [usize]) {
        let list = self.places.list();
        places.sort_by_key(|&place| (std::cmp::Reverse(self.bytes(list[place].term)), place));
    }

    /// Whether a place is the first one of its term.
    pub fn is_first(&self, place: usize) -> bool {
        self.firsts[self.places.list()[place].term.index()] == place
    }

    /// Whether the term at a place may be replaced by another of its sort.
    pub fn is_changeable(&self, place: usize) -> bool {
        self.is_changeable[place]
    }

    /// How far a place is below the root term of its command.
    pub fn depth(&self, place: usize) -> u32 {
        self.depths[place]
    }

    /// The places below a place.
    pub fn below(&self, place: usize) -> std::ops::Range<usize> {
        place + 1..self.ends[place]
    }

    /// The approximate length of a term's text; 0 for a term that was added later.
    pub fn bytes(&self, term: Term) -> usize {
        self.bytes.get(term.index()).copied().unwrap_or(0)
    }

    /// How many places a term has.
    pub fn count(&self, term: Term) -> u32 {
        self.counts.get(term.index()).copied().unwrap_or(0)
    }
}

/// Whether the terms of a command may be replaced by others of their sort.
fn has_changeable_terms(command: &Command) -> bool {
    match command {
        Command::Term(word, ..) => matches!(word, Word::Assert | Word::AssertSoft | Word::Rule | Word::Query),
        Command::Define(..) | Command::DefineFunsRec(_) => true,
        _ => false,
    }
}

/// The approximate length of each term's text. Children come before their parents.
fn text_lengths(arena: &Arena) -> Vec<usize> {
    let mut bytes: Vec<usize> = Vec::with_capacity(arena.term_count());
    let mut term_of = |term: Term| {
        let view = arena.view(term);
        let own = match view {
            TermView::Literal(_, text) | TermView::Opaque(text) | TermView::Variable(text) => {
                arena.text(text).len()
            }
            TermView::Application(head, _) => arena.text(head.symbol).len() + 6 * head.indices.len(),
            TermView::Apply(_) => 0,
            TermView::Let(variables, _) => 6 + 5 * variables.len(),
            TermView::Bind(_, variables, _) => 10 + 8 * variables.len(),
            TermView::Match(cases, _) => 8 + 6 * cases.iter().count(),
            TermView::Annotated(attributes, _) => 2 + 10 * attributes.len(),
        };
        let children = view.children();
        let brackets = if children.is_empty() { 0 } else { 2 + children.len() };
        let below = children.iter().fold(0usize, |sum, child| sum.saturating_add(bytes[child.index()]));
        bytes.push(below.saturating_add(own + brackets));
    };
    arena.terms().for_each(&mut term_of);
    bytes
}
