//! The datatypes of a generated script: plain, parametric, or two that refer to each other; and its co-datatypes.
//!
//! ```text
//! (declare-datatypes ((D 0)) (((c1 (s1 Int)) (c2 (s2 D) (s3 Int)))))
//! (declare-datatypes ((D 1)) ((par (T) ((c1) (c2 (s1 T) (s2 (D T)))))))
//! (declare-datatypes ((D 0) (E 0)) (((c1) (c2 (s1 E))) ((c3 (s2 Int)) (c4 (s3 D) (s4 E)))))
//! (declare-codatatypes ((S 0) (T 0)) (((c1 (s1 Bool) (s2 T))) ((c2 (s3 S)) (c3))))
//! ```
//!
//! The first constructor of each datatype refers to no datatype of the declaration, so that values exist. Any constructor of a co-datatype may.

use crate::random::Rng;

/// Drawn datatypes.
pub struct DrawnDatatypes {
    /// The command that declares them.
    pub text: String,
    /// The sorts that constants may have.
    pub sorts: Vec<String>,
}

/// Draws a declaration of datatypes whose fields have these sorts.
pub fn draw(fields: &[String], rng: &mut Rng) -> DrawnDatatypes {
    let mut draft = FieldDraft { fields, own: Vec::new(), constructors: 0, selectors: 0 };
    match rng.below(3) {
        0 => {
            draft.own = vec!["D".to_owned()];
            let text = format!("(declare-datatypes ((D 0)) ({}))\n", draft.datatype(rng));
            DrawnDatatypes { text, sorts: vec!["D".to_owned()] }
        }
        1 => {
            let argument = rng.choose(fields).map_or("Bool", String::as_str);
            draft.own = vec!["T".to_owned(), "(D T)".to_owned()];
            let text = format!("(declare-datatypes ((D 1)) ((par (T) {})))\n", draft.datatype(rng));
            DrawnDatatypes { text, sorts: vec![format!("(D {argument})")] }
        }
        _ => {
            draft.own = vec!["D".to_owned(), "E".to_owned()];
            let (one, other) = (draft.datatype(rng), draft.datatype(rng));
            let text = format!("(declare-datatypes ((D 0) (E 0)) ({one} {other}))\n");
            DrawnDatatypes { text, sorts: vec!["D".to_owned(), "E".to_owned()] }
        }
    }
}

/// Drawn co-datatypes.
pub struct DrawnCodatatypes {
    /// The command that declares them.
    pub text: String,
    /// Their sorts.
    pub sorts: Vec<String>,
    /// The sort, the name and the sorts of the fields of each constructor.
    pub constructors: Vec<(String, String, Vec<String>)>,
}

/// Draws one or two co-datatypes whose fields have these sorts, or `Bool` if there are none.
pub fn draw_codatatypes(fields: &[String], rng: &mut Rng) -> DrawnCodatatypes {
    let sorts: Vec<String> = ["S", "T"][..1 + rng.below(2)].iter().map(|&sort| sort.to_owned()).collect();
    let (mut constructors, mut selectors) = (Vec::new(), 0);
    let mut bodies = Vec::new();
    for sort in &sorts {
        let mut body = String::new();
        for number in 0..1 + rng.below(3) {
            let name = format!("c{}", constructors.len() + 1);
            let mut drawn = Vec::new();
            // Few fields, and at least one that refers to a co-datatype: most values are infinite.
            for place in 0..rng.below(3) + usize::from(number == 0) {
                let is_own = place == 0 && number == 0 || rng.chance(1, 2);
                let choices = if is_own { &sorts } else { fields };
                drawn.push(rng.choose(choices).map_or("Bool", String::as_str).to_owned());
            }
            body += &format!("({name}");
            for field in &drawn {
                selectors += 1;
                body += &format!(" (s{selectors} {field})");
            }
            body += ")";
            constructors.push((sort.clone(), name, drawn));
        }
        bodies.push(format!("({body})"));
    }
    let names: Vec<String> = sorts.iter().map(|sort| format!("({sort} 0)")).collect();
    let text = format!("(declare-codatatypes ({}) ({}))\n", names.join(" "), bodies.join(" "));
    DrawnCodatatypes { text, sorts, constructors }
}

/// The constructors and selectors so far, and the sorts that fields may have.
struct FieldDraft<'a> {
    fields: &'a [String],
    /// The sorts of the declaration itself.
    own: Vec<String>,
    constructors: usize,
    selectors: usize,
}

impl FieldDraft<'_> {
    /// The constructors of a datatype.
    fn datatype(&mut self, rng: &mut Rng) -> String {
        let constructors: String =
            (0..1 + rng.below(3)).map(|number| self.constructor(number > 0, rng)).collect();
        format!("({constructors})")
    }

    fn constructor(&mut self, may_recurse: bool, rng: &mut Rng) -> String {
        self.constructors += 1;
        let mut text = format!("(c{}", self.constructors);
        for _ in 0..rng.below(4) {
            self.selectors += 1;
            let recurses = may_recurse && (rng.chance(1, 2) || self.fields.is_empty());
            let sort =
                rng.choose(if recurses { &self.own } else { self.fields }).map_or("Bool", String::as_str);
            text += &format!(" (s{} {sort})", self.selectors);
        }
        text + ")"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;
    use gainsay_smt::{Script, Signature};

    #[test]
    fn datatypes_are_plain_parametric_and_mutually_recursive() {
        let fields = ["Int".to_owned(), "(Array Int Bool)".to_owned()];
        let (mut parametric, mut mutual) = (0, 0);
        for number in 0..1000 {
            let DrawnDatatypes { text, sorts } = draw(&fields, &mut RandomStream::new(number).rng());
            let constants: String =
                sorts.iter().map(|sort| format!("(declare-const x{} {sort})", sort.len())).collect();
            let script =
                Script::parse(&format!("{text}{}", constants.replace("x1 E", "y E")), &Signature::standard());
            assert!(script.is_ok(), "{text}: {script:?}");
            parametric += usize::from(text.contains("(D T)"));
            mutual += usize::from(
                text.contains(" E)") && text.rsplit("((c").next().is_some_and(|e| e.contains(" D)")),
            );
        }
        assert!(parametric > 20 && mutual > 10, "{parametric} {mutual}");
    }
}
