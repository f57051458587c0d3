//! The language: SMT-LIB scripts as typed values.
