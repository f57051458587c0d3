//! The web page of a campaign: `gainsay serve`.
//!
//! The page is the HTML report with a live part above it: figures and workers, which server-sent events update every second. There is
//! no build step and nothing comes from other sites: the content security policy allows two scripts, by their checksums. All
//! text of solvers and scripts is escaped by the template, or set as text by the script. `access.rs` decides who may see and write.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::{Form, RawQuery, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, REFERRER_POLICY, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::sse::{Event as SentEvent, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream;
use gainsay_engine::store::postgres::overview::FindingMark;
use serde::Deserialize;
use tokio::sync::watch;

pub mod access;
pub mod campaign;
mod live;
mod marks;
mod metrics;

use crate::console;
use crate::exit::UsageError;
use crate::report::html::{self, LivePart};
use access::{Access, TOKEN_COOKIE};
use campaign::ServedCampaign;
use live::{LiveUpdate, RateMeter};

/// Time between two updates of a page.
const UPDATE_INTERVAL: Duration = Duration::from_secs(1);
/// The script of the live part.
const LIVE_SCRIPT: &str = include_str!("serve/live.js");
/// The content security policy: that of reports, the script of the live part, and requests to this server alone.
const SERVE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'sha256-l/VVmRRVyYP3bP5oYHzU+jt1rWIxuzIT9REa4C9AwZs=' 'sha256-58/gp3zet07nAp3SPWF2AaCN32CAqsJYwyre+jqejmo='";
/// Bytes of a link to a report.
const MAX_LINK_BYTES: usize = 500;

struct ServerState {
    campaign: ServedCampaign,
    access: Access,
    updates: watch::Sender<String>,
}

type Shared = State<Arc<ServerState>>;

/// Serves the page until the process ends.
pub fn run(campaign: ServedCampaign, access: Access, listen: SocketAddr) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let bound = tokio::net::TcpListener::bind(listen).await;
        let listener = bound.map_err(|error| UsageError(format!("cannot listen on {listen}: {error}")))?;
        let address = listener.local_addr()?;
        console::out(format_args!("http://{address}/?token={}", access.token()));
        let (updates, _) = watch::channel(String::new());
        let state = Arc::new(ServerState { campaign, access, updates });
        tokio::spawn(update(Arc::clone(&state)));
        let router = Router::new()
            .route("/", get(page))
            .route("/events", get(events))
            .route("/metrics", get(figures))
            .route("/mark", post(mark))
            .layer(middleware::from_fn_with_state(Arc::clone(&state), guard))
            .with_state(state);
        axum::serve(listener, router).await.context("the server ended")
    })
}

/// Refuses requests that may not read, takes the token of a link, and sets the headers of all answers.
async fn guard(State(state): Shared, request: Request, next: Next) -> Response {
    let mut response = if state.access.is_in_query(request.uri().query()) {
        let cookie = format!("{TOKEN_COOKIE}={}; HttpOnly; SameSite=Strict; Path=/", state.access.token());
        (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, "./".to_owned())]).into_response()
    } else if state.access.may_read(request.headers()) {
        next.run(request).await
    } else {
        refusal(StatusCode::UNAUTHORIZED, "open the link with the token that `gainsay serve` has printed")
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, SERVE_POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refusal(code: StatusCode, why: &str) -> Response {
    (code, [(CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{why}\n")).into_response()
}

fn unavailable(why: &str) -> Response {
    refusal(StatusCode::SERVICE_UNAVAILABLE, why)
}

/// Reads records on a thread that may wait. An error is one line.
async fn reading<T: Send + 'static>(
    state: Arc<ServerState>,
    read: impl FnOnce(&ServedCampaign) -> anyhow::Result<T> + Send + 'static,
) -> Result<T, String> {
    match tokio::task::spawn_blocking(move || read(&state.campaign)).await {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

async fn page(State(state): Shared, RawQuery(query): RawQuery, headers: HeaderMap) -> Response {
    let may_write = state.access.may_write(&headers);
    let shown = reading(state, move |campaign| {
        let LiveUpdate { figures, workers, .. } = LiveUpdate::new(&campaign.overview()?, None);
        let marks = campaign.marks()?.into_iter().map(|mark| (mark.fingerprint.clone(), mark)).collect();
        let live = LivePart { script: LIVE_SCRIPT, figures, workers, marks, may_write };
        let query = query.unwrap_or_default();
        let shown = query.split('&').find_map(|pair| pair.strip_prefix("show="));
        Ok(Html(html::render_live(&campaign.report(shown)?, live, SERVE_POLICY)))
    });
    shown.await.map_or_else(|why| unavailable(&why), Html::into_response)
}

async fn figures(State(state): Shared) -> Response {
    let text = reading(state, |campaign| Ok(metrics::write(&campaign.overview()?)));
    let kind = [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    text.await.map_or_else(|why| unavailable(&why), |text| (kind, text).into_response())
}

async fn events(State(state): Shared) -> impl IntoResponse {
    let updates = state.updates.subscribe();
    let next = |mut updates: watch::Receiver<String>| async move {
        updates.changed().await.ok()?;
        let event = SentEvent::default().data(updates.borrow_and_update().clone());
        Some((Ok::<_, std::convert::Infallible>(event), updates))
    };
    Sse::new(stream::unfold(updates, next)).keep_alive(KeepAlive::default())
}

/// Reads the figures every second while a page is open.
async fn update(state: Arc<ServerState>) {
    let mut meter = RateMeter::default();
    loop {
        tokio::time::sleep(UPDATE_INTERVAL).await;
        if state.updates.receiver_count() == 0 {
            meter = RateMeter::default();
            continue;
        }
        let update = match reading(Arc::clone(&state), |campaign| Ok(campaign.overview()?)).await {
            Ok(overview) => LiveUpdate::new(&overview, meter.rate(overview.tally.cases)),
            Err(why) => LiveUpdate::of_trouble(why),
        };
        state.updates.send_replace(serde_json::to_string(&update).unwrap_or_default());
    }
}

/// The fields of the form that marks a finding.
#[derive(Deserialize)]
struct MarkForm {
    fingerprint: String,
    mark: String,
    #[serde(default)]
    link: String,
}

async fn mark(State(state): Shared, headers: HeaderMap, Form(form): Form<MarkForm>) -> Response {
    if !state.access.may_write(&headers) {
        let why = "marking a finding needs the token: open the link that `gainsay serve` has printed";
        return refusal(StatusCode::FORBIDDEN, why);
    }
    let MarkForm { fingerprint, mark, link } = form;
    let link = link.trim().to_owned();
    if !is_link(&link) || !["known", "filed", "none"].contains(&mark.as_str()) {
        let why = "a mark is known, filed or none, and a link begins with https:// or http://";
        return refusal(StatusCode::BAD_REQUEST, why);
    }
    let written = reading(state, move |campaign| {
        let mark = FindingMark { fingerprint, mark, link };
        campaign.mark(&mark.fingerprint, Some(&mark).filter(|mark| mark.mark != "none"))
    });
    match written.await {
        Ok(true) => (StatusCode::SEE_OTHER, [(LOCATION, "./")]).into_response(),
        Ok(false) => refusal(StatusCode::NOT_FOUND, "the campaign has no such finding"),
        Err(why) => unavailable(&why),
    }
}

/// Returns true if a text is empty or the address of a page.
fn is_link(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_graphic() && !"\"<>\\^`{|}".contains(letter);
    text.is_empty()
        || ((text.starts_with("https://") || text.starts_with("http://"))
            && text.len() <= MAX_LINK_BYTES
            && text.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::copy_script::{PAGE_POLICY, tests::base64};
    use sha2::{Digest, Sha256};

    #[test]
    fn the_policy_allows_the_two_scripts_and_no_other() {
        let checksum = base64(&Sha256::digest(LIVE_SCRIPT.as_bytes()));
        let reports = PAGE_POLICY.split("script-src ").nth(1).unwrap();
        assert!(
            SERVE_POLICY.ends_with(&format!("script-src {reports} 'sha256-{checksum}'")),
            "write {checksum}"
        );
    }

    #[test]
    fn a_link_is_the_address_of_a_page_and_nothing_else() {
        assert!(is_link("") && is_link("https://a.example/issues/1?x=y#z"));
        for text in ["javascript:alert(1)", "https://a b", "https://a\n# x", "ftp://a", "https://a\"onclick"]
        {
            assert!(!is_link(text), "{text}");
        }
    }
}
