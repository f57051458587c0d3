//! `gainsay serve`: a web page that shows a campaign while it runs, in a folder or in a shared store.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::environment::Environment;
use crate::serve::access::Access;
use crate::serve::campaign::ServedCampaign;
use crate::{serve, shared_store};

const SERVE_EXAMPLES: &str = "Examples:
  gainsay serve --campaign nightly                                       a campaign in a folder
  gainsay serve --store postgres://fuzz@db.example/nightly               a campaign in a shared store
  gainsay serve --campaign nightly --address 0.0.0.0 --port 9000         visible to other machines, with a token

The page shows throughput, answers, findings with their scripts, workers, and skipped cases, and updates itself. `/metrics` has
the figures in the format of Prometheus. The command prints a link with a token. With the token you can mark findings as known or
filed; without it, the page is read-only, and other machines cannot open it. Set GAINSAY_TOKEN to choose the token, of 16 or
more letters and digits. Stop the command with Ctrl-C.";

/// Arguments of `gainsay serve`.
#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub struct ServeArgs {
    /// The folder of the campaign.
    #[arg(long, value_name = "DIR", required_unless_present = "store", conflicts_with = "store")]
    campaign: Option<PathBuf>,
    /// The address of a shared store: postgres://USER@HOST/DATABASE.
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// The address to listen on; other addresses than those of this machine itself need the token.
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The port to listen on; 0 for any that is free.
    #[arg(long, value_name = "N", default_value_t = 8370)]
    port: u16,
}

/// Runs the command.
pub fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let environment = Environment::read()?;
    let campaign = match (&args.store, &args.campaign) {
        (Some(store), _) => ServedCampaign::in_store(shared_store::address(store, &environment)?),
        (None, folder) => ServedCampaign::in_folder(folder.as_deref().unwrap_or(Path::new("."))),
    };
    // Told before the link, if there is no campaign.
    campaign.overview()?;
    let listen = SocketAddr::new(args.address, args.port);
    let token = environment.variables.get("GAINSAY_TOKEN").filter(|token| !token.is_empty()).cloned();
    let access = Access::new(token, args.address)?;
    serve::run(campaign, access, listen)?;
    Ok(ExitCode::SUCCESS)
}
