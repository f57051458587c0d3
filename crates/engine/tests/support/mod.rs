//! Parts that tests of the engine share.

pub mod postgres;
