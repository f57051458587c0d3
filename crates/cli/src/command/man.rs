//! `gainsay man`: manual pages, one for gainsay and one for each command.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::Man;

use crate::exit::{NoOutput, UsageError};
use crate::{console, help};

const MAN_EXAMPLES: &str = "Examples:
  gainsay man | man -l -                           the page of gainsay
  gainsay man fuzz | man -l -                      the page of a command
  gainsay man --out ~/.local/share/man/man1        write all pages, gainsay.1, gainsay-fuzz.1, …";

/// Arguments of `gainsay man`.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArgs {
    /// The command whose page to print [default: the overview].
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Option<String>,
    /// A folder for all pages [default: one page goes to standard output].
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &ManArgs) -> anyhow::Result<ExitCode> {
    let mut root = help::grouped();
    root.build();
    match (&args.out, &args.command) {
        (Some(folder), _) => write_all(&root, folder)?,
        (None, Some(name)) => {
            let sub = root.find_subcommand(name).filter(|sub| !sub.is_hide_set());
            let sub =
                sub.ok_or_else(|| UsageError(format!("there is no command {name}; see `gainsay help`")))?;
            console::out(page(&root, Some(sub))?.trim_end());
        }
        (None, None) => console::out(page(&root, None)?.trim_end()),
    }
    Ok(ExitCode::SUCCESS)
}

fn write_all(root: &Command, folder: &Path) -> anyhow::Result<()> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| NoOutput { path, source }
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    let subs = root.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
    for sub in std::iter::once(None).chain(subs.map(Some)) {
        let path = folder.join(format!("{}.1", page_name(sub)));
        std::fs::write(&path, page(root, sub)?).map_err(failed(&path))?;
    }
    Ok(())
}

/// The page of a command, or of gainsay itself, in roff.
fn page(root: &Command, sub: Option<&Command>) -> anyhow::Result<String> {
    let name = page_name(sub);
    let command = match sub {
        Some(sub) => sub.clone().display_name(name),
        None => root.clone(),
    };
    let mut text = Vec::new();
    Man::new(command.version(help::GAINSAY_VERSION)).render(&mut text)?;
    Ok(String::from_utf8(text)?)
}

fn page_name(sub: Option<&Command>) -> String {
    sub.map_or_else(|| "gainsay".to_owned(), |sub| format!("gainsay-{}", sub.get_name()))
}
