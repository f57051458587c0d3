//! Declarations of datatypes as text, to be changed and printed.

use gainsay_smt::print::{sort_text, symbol_text};
use gainsay_smt::{Arena, DatatypeDeclaration, Sort};

/// The longest sort that is printed whole.
const MAX_SORT_BYTES: usize = 250;

/// A datatype of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatatypeDraft {
    pub name: String,
    pub parameters: Vec<String>,
    pub constructors: Vec<ConstructorDraft>,
}

/// A constructor, and the selector and sort of each field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstructorDraft {
    pub name: String,
    pub fields: Vec<(String, String)>,
}

impl DatatypeDraft {
    /// The text of a datatype; `None` if a sort is too long.
    pub fn of(arena: &Arena, datatype: &DatatypeDeclaration) -> Option<DatatypeDraft> {
        let sort = |sort: Sort| Some(sort_text(arena, sort)).filter(|text| text.len() < MAX_SORT_BYTES);
        let constructors = datatype.constructors.iter().map(|constructor| {
            let field = |&(selector, of): &(_, Sort)| Some((symbol_text(arena, selector), sort(of)?));
            let fields = constructor.fields.iter().map(field).collect::<Option<_>>()?;
            Some(ConstructorDraft { name: symbol_text(arena, constructor.name), fields })
        });
        Some(DatatypeDraft {
            name: symbol_text(arena, datatype.name),
            parameters: datatype
                .parameters
                .iter()
                .map(|&parameter| sort(parameter))
                .collect::<Option<_>>()?,
            constructors: constructors.collect::<Option<_>>()?,
        })
    }

    /// Its constructors, `(par (T) (…))` around them if it has parameters.
    fn body(&self) -> String {
        let constructors: Vec<String> = self.constructors.iter().map(ConstructorDraft::text).collect();
        let constructors = constructors.join(" ");
        match self.parameters.is_empty() {
            true => format!("({constructors})"),
            false => format!("(par ({}) ({constructors}))", self.parameters.join(" ")),
        }
    }
}

impl ConstructorDraft {
    fn text(&self) -> String {
        let fields = self.fields.iter().map(|(selector, sort)| format!(" ({selector} {sort})"));
        format!("({}{})", self.name, fields.collect::<String>())
    }
}

/// The command that declares some datatypes.
pub fn declaration(datatypes: &[DatatypeDraft]) -> String {
    let names: Vec<String> = datatypes
        .iter()
        .map(|datatype| format!("({} {})", datatype.name, datatype.parameters.len()))
        .collect();
    let bodies: Vec<String> = datatypes.iter().map(DatatypeDraft::body).collect();
    format!("(declare-datatypes ({}) ({}))", names.join(" "), bodies.join(" "))
}
