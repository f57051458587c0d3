//! `gainsay report DIR`: a report on a campaign, as Markdown or HTML.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use crate::command::list::describe;
use crate::console;
use crate::exit;
use crate::json;
use crate::json::campaigns::ReportedCampaign;
use crate::output_file;
use crate::overwrite::ForceArgs;
use crate::report::{CampaignReport, ReportedFinding, html, markdown, print};

const REPORT_EXAMPLES: &str = "Examples:
  gainsay report out                           Markdown on standard output
  gainsay report out --out report.html         a self-contained HTML page
  gainsay report out --format html > report.html

The campaign may still be running.";

/// Arguments of `gainsay report`.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct ReportArgs {
    /// The folder of the campaign.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The format [default: by the extension of --out, .md or .html, else Markdown].
    #[arg(long)]
    format: Option<ReportFormat>,
    /// The output file [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Print one JSON object as the last line.
    #[arg(long)]
    json: bool,
}

/// The formats of a report.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ReportFormat {
    /// Markdown.
    Md,
    /// One HTML page.
    Html,
}

/// Runs the command.
pub fn run(args: &ReportArgs) -> anyhow::Result<ExitCode> {
    let format = args.format.map_or_else(|| format_of(args.out.as_deref()), Ok)?;
    if let Some(path) = &args.out {
        args.force.check_file(path)?;
    }
    let report = CampaignReport::read(&args.folder)?;
    let text = match format {
        ReportFormat::Md => markdown::render(&report),
        ReportFormat::Html => html::render(&report),
    };
    match &args.out {
        Some(path) => output_file::write(path, &text)?,
        None if !args.json => print(&text)?,
        None => {}
    }
    if args.json {
        let records = |findings: &[ReportedFinding]| -> Vec<_> {
            findings.iter().map(|finding| describe(&args.folder, &finding.record)).collect()
        };
        let (findings, known) = (records(&report.findings), records(&report.known));
        let CampaignReport { tally, samples, plan, .. } = report;
        let object = ReportedCampaign { out: args.out.clone(), tally, samples, plan, findings, known };
        print(&format!("{}\n", json::line(&object)))?;
    } else if let Some(path) = args.out.as_ref().filter(|_| console::shows_bars()) {
        console::err(format_args!("wrote {}", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The format that the extension of a file means.
fn format_of(out: Option<&Path>) -> Result<ReportFormat, exit::UsageError> {
    let Some(ending) = out.and_then(Path::extension) else { return Ok(ReportFormat::Md) };
    match ending.to_string_lossy().to_ascii_lowercase().as_str() {
        "html" | "htm" | "xhtml" => Ok(ReportFormat::Html),
        "md" | "markdown" | "txt" => Ok(ReportFormat::Md),
        other => Err(exit::UsageError(format!(
            "a report cannot be a .{other} file; name a file that ends in .md or .html, or add --format md or --format html"
        ))),
    }
}
