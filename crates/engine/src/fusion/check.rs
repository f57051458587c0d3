//! Checking functions.
