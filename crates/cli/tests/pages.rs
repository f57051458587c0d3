//! The HTML pages in a real browser: they fit a desktop and a phone, are light and dark, and their copy buttons are there.
//!
//! The browser is Chromium without a window. Without one, the tests say in one line that they were not run: the page itself is
//! tested in `report.rs`. The pictures are in the folder `pages` of cargo's temporary files.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/campaign.rs"]
mod campaign;
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use support::CliTest;

/// Widths of a desktop and of a phone, in pixels.
const WIDTHS: [u32; 2] = [1280, 390];

/// Asks a page, after its own script ran, for what the test wants to know.
const PROBE: &str = "<script>\n\
    const wide = [...document.querySelectorAll('body *')].filter(one => {\n\
      const inner = one.closest('.wide, pre');\n\
      return (!inner || inner === one) && one.getBoundingClientRect().right > innerWidth + 1;\n\
    });\n\
    parent.postMessage(['width', innerWidth, 'scroll', document.documentElement.scrollWidth, 'buttons',\n\
      document.querySelectorAll('button.copy').length, 'blocks', document.querySelectorAll('pre').length,\n\
      'ground', getComputedStyle(document.body).backgroundColor,\n\
      'broken', [...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.getElementById(a.getAttribute('href').slice(1))).length,\n\
      'wide', wide.slice(0, 3).map(one => one.tagName + '.' + one.className).join('+')].join(' '), '*');\n\
    </script>";

/// A program that is Chromium; `None`, with a line that says so, without one.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let works = |name: &&&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let found = names.iter().find(works).copied();
    if found.is_none() {
        eprintln!("not run: the pages in a browser, because there is no Chromium");
    }
    found
}

/// Runs the browser with an empty profile, and returns what it printed.
fn browse(browser: &str, folder: &Path, flags: &[&str], page: &Path) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--allow-file-access-from-files",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--virtual-time-budget=3000"])
        .args(flags)
        .arg(format!("file://{}", page.display()))
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A page of pages: the report in a frame of a given width, which tells its parent what the probe found.
fn frame(folder: &Path, page: &str, width: u32) -> PathBuf {
    let policy = page.find("<meta http-equiv").unwrap();
    let end = policy + page[policy..].find('>').unwrap() + 1;
    // The policy forbids the probe, so the copy that is measured has none.
    let free = format!("{}{}", &page[..policy], &page[end..]).replace("</body>", &format!("{PROBE}</body>"));
    std::fs::write(folder.join("measured.html"), free).unwrap();
    let text = format!(
        "<!DOCTYPE html><meta charset=utf-8><style>body{{margin:0}}iframe{{border:0}}</style><p id=told>\
         <script>onmessage = event => told.textContent = 'PROBE ' + event.data</script>\
         <iframe src=measured.html width={width} height=3000></iframe>"
    );
    let path = folder.join("frame.html");
    std::fs::write(&path, text).unwrap();
    path
}

/// Checks a page at both widths, and takes its pictures, light and dark.
fn check_page(browser: &str, name: &str, page: &str) {
    let folder = tempfile::tempdir().unwrap();
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&pictures).unwrap();
    let whole = folder.path().join("page.html");
    std::fs::write(&whole, page).unwrap();
    let mut grounds = Vec::new();
    for width in WIDTHS {
        for (scheme, setting) in [("light", "preferredColorScheme=1"), ("dark", "preferredColorScheme=0")] {
            let settings = format!("--blink-settings={setting}");
            let size = format!("--window-size={},3000", width.max(600));
            let framed = frame(folder.path(), page, width);
            let told = browse(browser, folder.path(), &["--dump-dom", &settings, &size], &framed);
            let told = told
                .split("PROBE ")
                .nth(1)
                .unwrap_or_else(|| panic!("{name}: {told}"))
                .split('<')
                .next()
                .unwrap();
            let fact = |key: &str| told.split(' ').skip_while(|word| *word != key).nth(1).unwrap_or_default();
            assert_eq!(fact("width"), width.to_string(), "{name}: {told}");
            let scroll: u32 = fact("scroll").parse().unwrap();
            assert!(scroll <= width, "{name} scrolls sideways at {width} pixels: {told}");
            assert!(
                fact("buttons") == fact("blocks") && (fact("buttons") != "0") == page.contains("<pre"),
                "a button for each block: {told}"
            );
            assert_eq!(fact("broken"), "0", "{name}: links lead nowhere: {told}");
            grounds.push(told.split("ground ").nth(1).unwrap().split(" broken").next().unwrap().to_owned());
            let picture =
                format!("--screenshot={}", pictures.join(format!("{name}-{width}-{scheme}.png")).display());
            let size = format!("--window-size={width},2400");
            browse(browser, folder.path(), &[&picture, &settings, &size], &whole);
        }
    }
    assert!(
        grounds[0] == grounds[2] && grounds[1] == grounds[3] && grounds[0] != grounds[1],
        "light and dark: {grounds:?}"
    );
    // With its policy the page runs its own script, and no other.
    let hostile = page.replace("</main>", "</main><script>document.title = 'hostile'</script>");
    std::fs::write(&whole, hostile).unwrap();
    let told = browse(browser, folder.path(), &["--dump-dom"], &whole);
    assert!(
        told.contains("class=\"copy\"") == page.contains("<pre") && !told.contains("<title>hostile"),
        "{name}: the policy does not hold"
    );
}

/// The result of triage of the campaign, as `gainsay triage` writes it.
fn write_triage(folder: &Path) {
    let bug = folder.join("triage/bugs/refutation-z3-1f3a9c02");
    std::fs::create_dir_all(&bug).unwrap();
    std::fs::write(bug.join("bug.smt2"), "(assert (= (str.at \"a\" 0) \"REDUCED\"))\n(check-sat)\n").unwrap();
    std::fs::write(
        bug.join("report.md"),
        "Z3 4.8.10 answers `unsat` to the script below, which is satisfiable.\n",
    )
    .unwrap();
    let group = serde_json::json!({
        "name": "refutation-z3-1f3a9c02", "title": "Z3 4.8.10 returns unsat for a satisfiable QF_S script with str.at",
        "kind": "refutation", "suspect": "z3@4.8.10", "evidence": "proved", "fingerprint": "refutation z3 QF_S {=(str.at)}",
        "triggers": ["a", "b", "c"], "bytes": 44, "introduced": "in 4.8.7", "fixed": "in 4.8.11", "still_bad": false, "week": 1,
        "note": "", "path": "out/triage/bugs/refutation-z3-1f3a9c02",
    });
    let groups = serde_json::json!({
        "format": 1, "triggers": 3, "groups": [group], "flaky": 0, "gone": 0, "stuck": 0, "open": 0,
    });
    std::fs::write(folder.join("triage/groups.json"), groups.to_string()).unwrap();
}

#[test]
fn a_report_shows_bugs_as_a_table_with_links_and_reduced_scripts() {
    let cli = CliTest::offline();
    let folder = cli.path("out");
    let _store = campaign::make(&folder);
    write_triage(&folder);
    let outcome = cli.run(&["report", &folder.display().to_string(), "--format", "html"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let page = outcome.stdout;
    for part in [
        "href=\"#bug-refutation-z3-1f3a9c02\"",
        "id=\"bug-refutation-z3-1f3a9c02\"",
        "REDUCED",
        "in 4.8.7",
        "Host",
        "Date",
    ] {
        assert!(page.contains(part), "{part}");
    }
    if let Some(browser) = browser() {
        check_page(browser, "report", &page);
    }
}

#[test]
fn a_page_of_perf_says_so_when_nothing_was_learnt() {
    let cli = CliTest::with_real_solvers();
    let out = cli.path("slow").display().to_string();
    let words = [
        "perf",
        "--target",
        "z3@5.4.0",
        "--reference",
        "cvc5@1.4.2",
        "--theory",
        "bool",
        "--queries",
        "6",
        "--timeout",
        "2s",
        "--reduce",
        "0",
        "--out",
        &out,
    ];
    let outcome = cli.run(&words);
    assert!(outcome.code == 0 || outcome.code == 10, "{}{}", outcome.stdout, outcome.stderr);
    let page = std::fs::read_to_string(cli.path("slow/report.html")).unwrap();
    assert!(page.contains("Nothing was learnt: ") && !page.contains("<svg"), "{}", outcome.stdout);
    assert!(!page.contains("The probability that adding a construct"), "the ranking makes no claim");
    if let Some(browser) = browser() {
        check_page(browser, "perf", &page);
    }
}
