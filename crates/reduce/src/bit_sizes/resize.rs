//! The rewrite of sorts and terms to their new widths.

use gainsay_smt::{Arena, Head, Index, Literal, Sort, Symbol, Term, TermView};

use super::literal::{bits_of, modulo, reformatted, truncated};
use super::{BitSize, NewSizes, format_of, width_of, width_of_term};
use crate::pass::shorter_spelling::NAMED_FORMATS;
use crate::rewrite::RewriteRule;

/// Rewrites a script to new widths.
pub(super) struct ResizeRule<'a> {
    new_sizes: &'a NewSizes,
    /// Symbols with a smaller index belong to the theories.
    theory_symbol_count: usize,
}

impl<'a> ResizeRule<'a> {
    pub fn new(arena: &Arena, new_sizes: &'a NewSizes) -> ResizeRule<'a> {
        ResizeRule { new_sizes, theory_symbol_count: arena.signature().symbol_count() }
    }

    /// The new width for a width.
    fn width(&self, old: u32) -> u32 {
        self.new_sizes.get(&BitSize::Width(old)).copied().unwrap_or(old)
    }

    /// The new format for a format.
    fn format(&self, (eb, sb): (u32, u32)) -> (u32, u32) {
        let new = |size: BitSize, old: u32| self.new_sizes.get(&size).copied().unwrap_or(old);
        (new(BitSize::Exponent(eb, sb), eb), new(BitSize::Significand(eb, sb), sb))
    }

    fn literal(&self, arena: &mut Arena, old: Term, kind: Literal, spelling: Symbol) -> Option<Term> {
        let width = width_of_term(arena, old)?;
        let new = self.width(width);
        let spelling = truncated(arena.text(spelling), new).filter(|_| new != width)?;
        let kind = if spelling.starts_with("#b") { Literal::Binary } else { kind };
        let sort = arena.bit_vector(new);
        Some(arena.literal(kind, &spelling, sort))
    }

    /// `(_ bv5 32)` with the new width.
    fn indexed_literal(&self, arena: &mut Arena, old: Term, name: Symbol) -> Option<Term> {
        let new = self.width(width_of_term(arena, old)?);
        let number = modulo(arena.text(name).strip_prefix("bv")?, new)?;
        let symbol = arena.symbol(&format!("bv{number}"));
        let sort = arena.bit_vector(new);
        Some(arena.application(Head { symbol, indices: &[Index::Numeral(new)], qualifier: None }, &[], sort))
    }

    /// The new indices of an indexed operator; `None` if they stay.
    fn indices(&self, arena: &Arena, old: Term, head: Head<'_>, arguments: &[Term]) -> Option<Vec<Index>> {
        let new_width = |term: Term| width_of_term(arena, term).map(|width| self.width(width));
        let first = || arguments.first().and_then(|&argument| new_width(argument));
        let number = |place: usize| head.indices.get(place).and_then(|index| index.numeral());
        let format = || format_of(arena, arena.sort_of(old)).map(|format| self.format(format));
        let numbers = match arena.text(head.symbol) {
            "extract" => {
                let (width, whole) = (new_width(old)?, first()?);
                let low = number(1)?.min(whole.checked_sub(width)?);
                vec![low + width - 1, low]
            }
            "zero_extend" | "sign_extend" => vec![new_width(old)?.checked_sub(first()?)?],
            "repeat" => vec![new_width(old)? / first()?],
            "rotate_left" | "rotate_right" => vec![number(0)? % first()?],
            "bit2bool" | "bit" => vec![number(0)?.min(first()? - 1)],
            "int_to_bv" | "int2bv" | "nat2bv" | "fp.to_ubv" | "fp.to_sbv" | "fp.to_ubv_I" | "fp.to_sbv_I" => {
                vec![new_width(old)?]
            }
            "to_fp" | "to_fp_unsigned" | "to_fp_signed" | "to_fp_bv" | "to_fp_fp" | "to_fp_real" | "+oo"
            | "-oo" | "+zero" | "-zero" | "NaN" => {
                let (eb, sb) = format()?;
                vec![eb, sb]
            }
            _ => return None,
        };
        Some(numbers.into_iter().map(Index::Numeral).collect())
    }

    /// `(fp …)` over literals in the new format, with its value: truncating the literals would change it.
    fn float(&self, arena: &mut Arena, old: Term) -> Option<Term> {
        let TermView::Application(head, [sign, exponent, significand]) = arena.view(old) else { return None };
        let (symbol, sign) = (head.symbol, *sign);
        let format = format_of(arena, arena.sort_of(old))?;
        let (eb, sb) = self.format(format);
        let bits = |term: Term| match arena.view(term) {
            TermView::Literal(_, spelling) => bits_of(arena.text(spelling)),
            _ => None,
        };
        let (exponent, fraction) = reformatted(&bits(*exponent)?, &bits(*significand)?, eb, sb)?;
        let mut literal = |bits: &str| {
            let sort = arena.bit_vector(bits.len() as u32);
            arena.literal(Literal::Binary, &format!("#b{bits}"), sort)
        };
        let parts = [sign, literal(&exponent), literal(&fraction)];
        ((eb, sb) != format).then(|| arena.application(Head::plain(symbol), &parts, arena.sort_of(old)))
    }
}

impl RewriteRule for ResizeRule<'_> {
    fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Option<Sort> {
        // A sort that the script defines is rewritten in its definition.
        let head = arena.view_sort(sort).head;
        if head.index() >= self.theory_symbol_count {
            return None;
        }
        if let Some(width) = width_of(arena, sort) {
            return Some(arena.bit_vector(self.width(width)));
        }
        let format = format_of(arena, sort)?;
        let new = self.format(format);
        if new == format {
            return Some(sort);
        }
        if let Some((name, _)) = NAMED_FORMATS.iter().find(|(_, format)| *format == new) {
            let name = arena.symbol(name);
            return Some(arena.sort(name, &[], &[]));
        }
        Some(arena.sort(Symbol::FLOATING_POINT, &[Index::Numeral(new.0), Index::Numeral(new.1)], &[]))
    }

    fn term(&mut self, arena: &mut Arena, old: Term, children: &[Term]) -> Option<Term> {
        match arena.view(old) {
            TermView::Literal(kind, spelling) => self.literal(arena, old, kind, spelling),
            TermView::Application(head, [])
                if arena.text(head.symbol).starts_with("bv") && !head.indices.is_empty() =>
            {
                self.indexed_literal(arena, old, head.symbol)
            }
            TermView::Application(head, arguments) if !head.indices.is_empty() => {
                let indices = self.indices(arena, old, head, arguments)?;
                let head = Head { symbol: head.symbol, indices: &indices, qualifier: None };
                Some(arena.application(head, children, arena.sort_of(old)))
            }
            TermView::Application(head, _) if arena.text(head.symbol) == "fp" => self.float(arena, old),
            _ => None,
        }
    }
}
