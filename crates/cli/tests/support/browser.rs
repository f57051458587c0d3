//! Chromium without a window, which tests drive by its DevTools protocol through two named pipes.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Attempts to evaluate an expression while the browser goes from one page to the next.
const MAX_ATTEMPTS: usize = 50;

/// A running browser with one page.
pub struct Browser {
    child: Child,
    requests: File,
    answers: BufReader<File>,
    session: String,
    last: u64,
    _folder: TempDir,
}

impl Browser {
    /// Starts Chromium; `None` on a machine without it, which is told in one line.
    pub fn start() -> Option<Browser> {
        let works =
            |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
        let Some(program) = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(works) else {
            eprintln!("not run, for want of Chromium (.ci/packages installs it): served pages in a browser");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let made = Command::new("mkfifo").args(["requests", "answers"]).current_dir(&folder).status();
        assert!(made.unwrap().success());
        let child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<requests 4>answers", program])
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"])
            .args(["--remote-debugging-pipe", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let requests = File::options().write(true).open(folder.path().join("requests")).unwrap();
        let answers = BufReader::new(File::open(folder.path().join("answers")).unwrap());
        let mut browser =
            Browser { child, requests, answers, session: String::new(), last: 0, _folder: folder };
        let page = browser.ask("Target.createTarget", &json!({ "url": "about:blank" })).unwrap();
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", &attach).unwrap();
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        Some(browser)
    }

    /// Opens an address in a window of this width; a narrow one is a phone.
    pub fn open(&mut self, address: &str, width: u32) {
        let size = json!({ "width": width, "height": 2400, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.ask("Emulation.setDeviceMetricsOverride", &size).unwrap();
        let gone = self.ask("Page.navigate", &json!({ "url": address })).unwrap();
        assert!(gone.get("errorText").is_none(), "{gone}");
        self.wait_for("document.readyState === 'complete'");
    }

    /// The value of an expression, or that of its promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        for _ in 0..MAX_ATTEMPTS {
            // A page that is left takes its promises with it.
            let Ok(done) = self.ask("Runtime.evaluate", &parameters) else { continue };
            assert!(done.get("exceptionDetails").is_none(), "{expression}: {done}");
            return done["result"]["value"].clone();
        }
        panic!("{expression}: the page has no rest");
    }

    /// Waits until a condition holds in the page.
    pub fn wait_for(&mut self, condition: &str) {
        let promise = format!(
            "new Promise(done => {{ let rest = 1200; const look = () => ({condition}) ? done('')
                : rest-- > 0 ? setTimeout(look, 50) : done(document.body.innerText); look(); }})"
        );
        let shown = self.evaluate(&promise);
        assert_eq!(shown, "", "{condition} never holds");
    }

    /// Writes a picture of the page.
    pub fn picture(&mut self, path: &Path) {
        let taken = self.ask("Page.captureScreenshot", &json!({ "format": "png" })).unwrap();
        std::fs::write(path, decoded(taken["data"].as_str().unwrap())).unwrap();
    }

    /// Sends a request, and waits for its answer.
    fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value, Value> {
        self.last += 1;
        let mut request = json!({ "id": self.last, "method": method, "params": parameters });
        if !self.session.is_empty() {
            request["sessionId"] = self.session.as_str().into();
        }
        write!(self.requests, "{request}\0").unwrap();
        loop {
            let mut answer = Vec::new();
            self.answers.read_until(0, &mut answer).unwrap();
            answer.pop();
            let answer: Value = serde_json::from_slice(&answer).expect("the browser ended");
            assert_ne!(answer["method"], "Page.javascriptDialogOpening", "hostile text ran");
            if answer["id"] == self.last {
                return match answer.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(answer["result"].clone()),
                };
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Decodes base64.
fn decoded(text: &str) -> Vec<u8> {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |byte: &u8| digits.iter().position(|digit| digit == byte).unwrap() as u32;
    let letters: Vec<u32> = text.trim_end_matches('=').as_bytes().iter().map(value).collect();
    let bytes = letters.chunks(4).flat_map(|chunk| {
        let word = chunk.iter().fold(0, |word, digit| word << 6 | digit) << (6 * (4 - chunk.len()));
        word.to_be_bytes()[1..chunk.len()].to_vec()
    });
    bytes.collect()
}
