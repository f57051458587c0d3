//! The web page of a campaign: who may see it and write, what it says, and that a real browser shows it and its updates.
//!
//! Pictures of the pages are in the folder `pages` of cargo's temporary files.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/browser.rs"]
mod browser;
#[path = "support/campaign.rs"]
mod campaign;
#[path = "../../engine/tests/support/postgres.rs"]
mod postgres;
#[path = "support/real_solvers.rs"]
mod solvers;
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use browser::Browser;
use campaign::HOSTILE_TEXT;
use gainsay_engine::store::postgres::Postgres;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{Batch, Store};
use postgres::TemporaryServer;
use solvers::REAL_SOLVERS;
use support::CliTest;

/// A running `gainsay serve`.
struct Served {
    child: Child,
    address: String,
    token: String,
}

impl Served {
    fn start(cli: &CliTest, words: &[&str]) -> Served {
        let words: Vec<&str> = ["serve", "--port", "0"].into_iter().chain(words.iter().copied()).collect();
        let mut child = cli.command(&words).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let link = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line}"));
        let (address, token) = link.split_once("/?token=").unwrap();
        Served { child, address: address.replace("0.0.0.0", "127.0.0.1"), token: token.to_owned() }
    }

    /// Sends a request, and returns the head and the body of the answer.
    fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let form = "Content-Type: application/x-www-form-urlencoded";
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{form}\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    fn get(&self, path: &str) -> (String, String) {
        self.ask("GET", path, &[], "")
    }

    fn cookie(&self) -> String {
        format!("Cookie: gainsay-token={}", self.token)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Records one more case of the campaign in a folder.
fn count_one_more(folder: &Path) {
    let mut store = Sqlite::resume(folder).unwrap();
    let mut tally = store.standing().unwrap().tally;
    tally.cases += 1;
    store.record(&Batch { tally, ..Batch::default() }).unwrap();
}

/// Writes a text as a form does.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn the_page_shows_the_campaign_with_all_hostile_text_escaped_and_a_policy() {
    let cli = CliTest::offline();
    drop(campaign::make(&cli.path("out")));
    let served = Served::start(&cli, &["--campaign", &cli.path("out").display().to_string()]);
    let (head, page) = served.get("/");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let policy =
        head.lines().find(|line| line.to_lowercase().starts_with("content-security-policy:")).unwrap();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("script-src 'unsafe-inline'"),
        "{policy}"
    );
    assert!(page.contains("81\u{202f}900") && page.contains("new EventSource"), "{page}");
    assert!(
        !page.contains("<script>alert") && page.contains("&#60;script&#62;alert"),
        "hostile text is text"
    );
    assert!(!page.contains("<form"), "without the token the page is read-only");
    // A link shows one finding in full, and the others have such links.
    let scripts = |page: &str| page.matches("<h4>Script</h4>").count();
    assert_eq!((scripts(&page), page.matches("./?show=").count()), (5, 0));
    let id = page.split("<article id=\"").nth(2).unwrap().split('"').next().unwrap();
    let (_, one) = served.get(&format!("/?show={id}"));
    assert_eq!((scripts(&one), one.matches("./?show=").count()), (1, 4));
    let (_, metrics) = served.get("/metrics");
    assert!(metrics.contains("\ngainsay_cases_total 81900\n"), "{metrics}");
    assert!(metrics.contains("\ngainsay_findings{state=\"new\"} 4\n"), "{metrics}");
    // A campaign that goes on is seen by the next request.
    count_one_more(&cli.path("out"));
    assert!(served.get("/metrics").1.contains("\ngainsay_cases_total 81901\n"));
}

#[test]
fn a_finding_is_marked_with_the_token_only_and_the_campaign_reads_the_mark() {
    let cli = CliTest::offline();
    let store = campaign::make(&cli.path("out"));
    let fingerprint = store.findings().unwrap().iter().find(|one| !one.known).unwrap().fingerprint.clone();
    drop(store);
    let served = Served::start(&cli, &["--campaign", &cli.path("out").display().to_string()]);
    let form = |mark: &str, link: &str| {
        format!("fingerprint={}&mark={mark}&link={}", encoded(&fingerprint), encoded(link))
    };
    let code = |headers: &[&str], body: &str| {
        served.ask("POST", "/mark", headers, body).0.split(' ').nth(1).unwrap().to_owned()
    };
    let cookie = served.cookie();
    let link = "https://example.org/issues/7";
    assert_eq!(code(&[], &form("filed", link)), "403");
    assert_eq!(code(&["Cookie: gainsay-token=wrong"], &form("filed", link)), "403");
    assert_eq!(code(&[&cookie], &form("filed", "javascript:alert(1)")), "400");
    assert_eq!(code(&[&cookie], "fingerprint=nothing&mark=known&link="), "404");
    assert!(!cli.path("out/known.txt").exists());
    assert_eq!(code(&[&cookie], &form("filed", link)), "303");
    let (_, page) = served.ask("GET", "/", &[&cookie], "");
    assert!(page.contains(&format!("filed: <a href=\"{link}\"")) && page.contains("<form"), "{page}");
    assert!(served.get("/metrics").1.contains("gainsay_findings{state=\"known\"} 2\n"));
    let known = std::fs::read_to_string(cli.path("out/known.txt")).unwrap();
    assert_eq!(known, format!("# filed: {link}\n{fingerprint}\n"));
    assert_eq!(code(&[&cookie], &form("none", "")), "303");
    assert_eq!(std::fs::read_to_string(cli.path("out/known.txt")).unwrap(), "");
}

#[test]
fn other_machines_need_the_token_and_a_link_with_it_sets_a_cookie() {
    let cli = CliTest::offline();
    drop(campaign::make(&cli.path("out")));
    let served =
        Served::start(&cli, &["--campaign", &cli.path("out").display().to_string(), "--address", "0.0.0.0"]);
    for path in ["/", "/metrics", "/events", "/?token=wrong"] {
        assert!(served.get(path).0.starts_with("HTTP/1.1 401"), "{path}");
    }
    let (head, _) = served.get(&format!("/?token={}", served.token));
    assert!(head.starts_with("HTTP/1.1 303") && head.contains("HttpOnly; SameSite=Strict"), "{head}");
    assert!(served.ask("GET", "/", &[&served.cookie()], "").0.starts_with("HTTP/1.1 200"));
    let bearer = format!("Authorization: Bearer {}", served.token);
    assert!(served.ask("GET", "/metrics", &[&bearer], "").0.starts_with("HTTP/1.1 200"));
    let missing = cli.run(&["serve", "--campaign", "nowhere"]);
    assert_eq!((missing.code, missing.stderr.lines().count()), (2, 1), "{}", missing.stderr);
}

/// The page in a browser: it fits, its figures follow the records, its forms mark findings, and no text of solvers runs.
fn check_in_browser(served: &Served, name: &str, cases: &str, count_one_more: impl FnOnce()) {
    let Some(mut browser) = Browser::start() else { return };
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&pictures).unwrap();
    for width in [1280, 390] {
        browser.open(&format!("http://{}/?token={}", served.address, served.token), width);
        browser.wait_for("document.getElementById('live-rate').textContent === '0.0'");
        assert_eq!(browser.evaluate("innerWidth"), width);
        assert!(browser.evaluate("document.documentElement.scrollWidth").as_u64().unwrap() <= width.into());
        browser.picture(&pictures.join(format!("{name}-{width}.png")));
    }
    count_one_more();
    browser.wait_for(&format!("document.getElementById('live-cases').textContent === '{cases}'"));
    assert_eq!(browser.evaluate("document.getElementById('live-state').textContent"), "live");
    assert_eq!(browser.evaluate("document.scripts.length"), 2);
    let hostile = "new Promise(done => { document.addEventListener('securitypolicyviolation', () => done('refused'));
        const script = document.createElement('script'); script.textContent = 'document.title = 1'; document.body.append(script); })";
    assert_eq!(browser.evaluate(hostile), "refused");
    let marked = "document.querySelectorAll('[data-mark=known]').length";
    assert_eq!(browser.evaluate(marked), 0);
    browser.evaluate("document.querySelector('.mark button[value=known]').click()");
    browser.wait_for(&format!("{marked} === 1"));
}

#[test]
fn a_browser_shows_a_folder_and_its_updates_and_runs_no_text_of_solvers() {
    let cli = CliTest::offline();
    drop(campaign::make(&cli.path("out")));
    let served = Served::start(&cli, &["--campaign", &cli.path("out").display().to_string()]);
    check_in_browser(&served, "serve-folder", "81\u{202f}901", || count_one_more(&cli.path("out")));
}

#[test]
fn a_browser_shows_a_shared_store_with_its_workers_and_its_updates() {
    let Some(server) = TemporaryServer::shared() else { return };
    let address = server.database("served");
    let mut store = Postgres::enter(&address, &campaign::plan()).unwrap();
    campaign::fill(&mut store);
    store.join(HOSTILE_TEXT, Duration::from_secs(600)).unwrap();
    let cli = CliTest::offline();
    let served = Served::start(&cli, &["--store", &server.address("served")]);
    let (_, page) = served.get("/");
    assert!(page.contains("<td>works</td>") && !page.contains("<script>alert"), "{page}");
    assert!(page.contains("(assert (&#60; (* x y) 0.0))"), "scripts come from the store: {page}");
    let (_, metrics) = served.get("/metrics");
    assert!(metrics.contains("\ngainsay_cases_total 81900\n"), "{metrics}");
    assert!(metrics.contains("\ngainsay_workers 1\n"), "{metrics}");
    let mut tally = store.standing().unwrap().tally;
    tally.cases += 1;
    let batch = Batch { tally, ..Batch::default() };
    check_in_browser(&served, "serve-store", "81\u{202f}901", || store.record(&batch).unwrap());
}

/// A plan whose seed shows a bug of both releases, an invalid model.
fn write_plan(cli: &CliTest) -> String {
    for name in &REAL_SOLVERS[..2] {
        solvers::solver(name);
    }
    cli.write(
        "seeds/0.smt2",
        "(set-logic QF_FP)\n(declare-const x (_ FloatingPoint 2 11))\n\
         (assert (not (= x ((_ to_fp 2 11) RNE ((_ to_fp 3 12) RNE x)))))\n(check-sat)\n",
    );
    let solvers = [REAL_SOLVERS[1], REAL_SOLVERS[0]].map(|name| format!("\"{name} rlimit=100000\""));
    cli.write(
        "plan.toml",
        &format!(
            "seeds = [\"seeds\"]\nsolvers = [{}]\nstrategies = [\"operator\"]\nrng_seed = 5\njobs = 1\n\
             [budget]\ncases = 10\n[limits]\ntimeout = 20\n",
            solvers.join(", ")
        ),
    )
}

/// Marks the one new finding of a campaign on its page, and returns its fingerprint.
fn mark_first(cli: &CliTest, out: &str, served: &Served) -> serde_json::Value {
    let listed = cli.json(&["list", out, "--json"]);
    let finding = &listed["findings"][0]["fingerprint"];
    let form = format!("fingerprint={}&mark=known&link=", encoded(finding.as_str().unwrap()));
    let (head, body) = served.ask("POST", "/mark", &[&served.cookie()], &form);
    assert!(head.starts_with("HTTP/1.1 303"), "{head}: {body}");
    finding.clone()
}

#[test]
fn a_campaign_with_real_solvers_honours_marks_in_a_folder_when_it_resumes_and_in_a_store_at_once() {
    let cli = CliTest::with_real_solvers();
    let plan = write_plan(&cli);
    assert_eq!(cli.run(&["fuzz", &plan, "--out", "out", "--plain"]).code, 10, "there is a finding");
    let served = Served::start(&cli, &["--campaign", &cli.path("out").display().to_string()]);
    let marked = mark_first(&cli, "out", &served);
    let resumed = cli.run(&["fuzz", "--resume", "--out", "out", "--cases", "12", "--plain"]);
    assert!([0, 10].contains(&resumed.code), "{}", resumed.stderr);
    let is_known = |out: &str| {
        let known = cli.json(&["list", out, "--json"])["known"].clone();
        known.as_array().unwrap().iter().any(|finding| finding["fingerprint"] == marked)
    };
    assert!(is_known("out"));
    let Some(server) = TemporaryServer::shared() else { return };
    drop(server.database("marked"));
    let store = server.address("marked");
    assert_eq!(cli.run(&["fuzz", &plan, "--store", &store, "--plain"]).code, 10);
    cli.json(&["merge", "before", &store, "--json"]);
    assert!(!is_known("before"));
    let served = Served::start(&cli, &["--store", &store]);
    assert_eq!(mark_first(&cli, "before", &served), marked);
    cli.json(&["merge", "after", &store, "--json"]);
    assert!(is_known("after"));
}
