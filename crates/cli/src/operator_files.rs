//! The flags of `fuzz` and `mutate` that name files of operators and of fusion functions.

use std::path::PathBuf;

/// Files that say what mutations may use.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct OperatorFileArgs {
    /// Files of operators that mutations may use: theory tables, or signatures of typefuzz [default: all operators].
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub signatures: Vec<PathBuf>,
    /// Files of interchangeable operators, in the notation of opfuzz [default: the built-in classes].
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub classes: Vec<PathBuf>,
    /// Files of fusion functions, in gainsay's or yinyang's notation [default: the built-in functions].
    #[arg(long, num_args = 1.., value_name = "FILE")]
    pub functions: Vec<PathBuf>,
}
