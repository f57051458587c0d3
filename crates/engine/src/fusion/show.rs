//! Functions as pictures and formulas for people.
