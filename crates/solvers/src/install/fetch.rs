//! Downloads pages and files from the addresses that pip is configured for: `https`, `http`, `file`, or a plain path.
//!
//! A thin layer over ureq that adds what pip does: the configured certificates and proxies, trusted hosts, names and
//! passwords inside an address, and retries after temporary errors. Messages never contain passwords.
//!
//! Data from the network comes encrypted, from this machine, or from a host that the user has called trusted, also after a redirect;
//! and nothing from the network may name a file of this machine.
//!
//! A fetcher remembers downloaded pages and unreachable hosts, so that one command requests a page once and waits for a dead
//! host once, however many solvers it names.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Proxy};

use super::index::join;
use super::pip::PipSettings;

/// The most bytes of a page that are read; the largest index page of a solver is under a megabyte.
const MAX_PAGE_BYTES: u64 = 64 << 20;

/// Redirects that are followed, as many as pip follows.
const MAX_REDIRECTS: u32 = 30;

/// Downloads with the settings of pip.
pub struct Fetcher {
    settings: PipSettings,
    certificates: RootCerts,
    history: Mutex<FetchHistory>,
}

/// Downloaded pages and unreachable hosts.
#[derive(Default)]
struct FetchHistory {
    /// Pages by address and accepted formats.
    pages: BTreeMap<(String, String), FetchedPage>,
    /// Why a host could not be reached, by [`origin`].
    unreachable: BTreeMap<String, String>,
}

/// Why something could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The server has no such page.
    #[error("{0} does not exist")]
    Absent(String),
    /// The server wants a password, or another one.
    #[error("{0} refuses access (HTTP {1}); check the user and password in pip's index-url")]
    Refused(String, u16),
    /// Anybody on the way could change the data.
    #[error(
        "{0} is not encrypted, so anybody on the way could change it: use https, name the host in pip's trusted-host, or \
         allow it by `gainsay solvers install --allow-insecure`"
    )]
    Insecure(String),
    /// A server redirects to something that is not on the network.
    #[error("{0} redirects to {1}, which is not on the network")]
    Redirected(String, String),
    /// No response.
    #[error("cannot reach {address}: {reason}")]
    Unreachable {
        /// Where.
        address: String,
        /// Why not, in the words of the layer that failed.
        reason: String,
    },
    /// The file of certificates in pip's settings cannot be used.
    #[error("cannot use the certificates in {path}: {reason}; check PIP_CERT or `cert` in pip.conf", path = path.display())]
    Certificates {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// A downloaded page.
#[derive(Debug, Clone)]
pub struct FetchedPage {
    /// Its text.
    pub text: String,
    /// The content type of the response; empty for files.
    pub content_type: String,
    /// Its address after redirects, which its links refer to.
    pub address: String,
}

/// A running download.
pub struct Download {
    /// Its bytes.
    pub reader: Box<dyn Read>,
    /// The size, if known.
    pub length: Option<u64>,
}

impl Fetcher {
    /// Reads the certificates that `settings` name.
    pub fn new(settings: PipSettings) -> Result<Self, FetchError> {
        let certificates = match &settings.certificates {
            Some(path) => read_certificates(path)?,
            None => RootCerts::PlatformVerifier,
        };
        Ok(Fetcher { settings, certificates, history: Mutex::default() })
    }

    /// The settings of pip.
    pub fn settings(&self) -> &PipSettings {
        &self.settings
    }

    /// Downloads a page as text, in one of the formats in `accept`.
    pub fn page(&self, address: &str, accept: &str) -> Result<FetchedPage, FetchError> {
        if let Some(path) = local_path(address) {
            let path = if path.is_dir() { path.join("index.html") } else { path };
            let text = std::fs::read_to_string(&path).map_err(|error| file_error(&path, &error))?;
            return Ok(FetchedPage { text, content_type: String::new(), address: address.to_owned() });
        }
        let key = (address.to_owned(), accept.to_owned());
        if let Some(page) = self.history().pages.get(&key) {
            return Ok(page.clone());
        }
        if let Some(reason) = self.history().unreachable.get(&origin(address)) {
            return Err(unreachable(address, reason));
        }
        let page = self.network_page(address, accept)?;
        self.history().pages.insert(key, page.clone());
        Ok(page)
    }

    fn history(&self) -> MutexGuard<'_, FetchHistory> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn network_page(&self, address: &str, accept: &str) -> Result<FetchedPage, FetchError> {
        let (response, end) = self.get(address, accept)?;
        let address = &with_credentials_of(address, &end);
        let content_type = response.headers().get("content-type").and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_owned();
        let mut bytes = Vec::new();
        let reader = response.into_body().into_reader();
        reader.take(MAX_PAGE_BYTES).read_to_end(&mut bytes).map_err(|error| unreachable(address, &error))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(FetchedPage { text, content_type, address: address.clone() })
    }

    /// Starts to download a file.
    pub fn file(&self, address: &str) -> Result<Download, FetchError> {
        if let Some(path) = local_path(address) {
            let file = File::open(&path).map_err(|error| file_error(&path, &error))?;
            let length = file.metadata().ok().map(|metadata| metadata.len());
            return Ok(Download { reader: Box::new(file), length });
        }
        let (response, _) = self.get(address, "*/*")?;
        let body = response.into_body();
        Ok(Download { length: body.content_length(), reader: Box::new(body.into_reader()) })
    }

    /// Follows redirects; returns the response and the address that it came from.
    fn get(
        &self,
        address: &str,
        accept: &str,
    ) -> Result<(ureq::http::Response<ureq::Body>, String), FetchError> {
        let (mut address, mut credentials) = split_credentials(address);
        for _ in 0..=MAX_REDIRECTS {
            let response = self.request(&address, credentials.as_deref(), accept)?;
            let location = response.headers().get("location").and_then(|location| location.to_str().ok());
            let Some(location) = location.filter(|_| response.status().is_redirection()) else {
                return Ok((response, address));
            };
            let target = join(&address, location.split('#').next().unwrap_or_default());
            if local_path(&target).is_some() {
                return Err(FetchError::Redirected(address, target));
            }
            if origin(&target) != origin(&address) {
                credentials = None;
            }
            address = redact(&target);
        }
        Err(unreachable(&address, &"too many redirects"))
    }

    /// Returns an error if somebody on the way could change the response.
    fn check_secure(&self, address: &str) -> Result<(), FetchError> {
        let (scheme, host) = scheme_and_host(address);
        let is_safe = scheme == "https" || is_loopback(host) || self.trusts(host);
        if is_safe || self.settings.allow_insecure {
            Ok(())
        } else {
            Err(FetchError::Insecure(redact(address)))
        }
    }

    fn trusts(&self, host: &str) -> bool {
        self.settings.trusted_hosts.iter().any(|trusted| trusted.split(':').next() == Some(host))
    }

    /// One request, with retries after temporary errors.
    fn request(
        &self,
        address: &str,
        credentials: Option<&str>,
        accept: &str,
    ) -> Result<ureq::http::Response<ureq::Body>, FetchError> {
        self.check_secure(address)?;
        let agent = self.agent(address)?;
        let mut attempt = 0;
        loop {
            let mut request = agent.get(address).header("accept", accept);
            if let Some(credentials) = credentials {
                request = request.header("authorization", format!("Basic {}", base64(credentials)));
            }
            match request.call() {
                Ok(response) => return Ok(response),
                Err(error) if attempt < self.settings.retries && may_pass(&error) => {
                    attempt += 1;
                    std::thread::sleep(Duration::from_millis(100 << attempt.min(6)));
                }
                Err(ureq::Error::StatusCode(404 | 410)) => {
                    return Err(FetchError::Absent(address.to_owned()));
                }
                Err(ureq::Error::StatusCode(code @ (401 | 403 | 407))) => {
                    return Err(FetchError::Refused(address.to_owned(), code));
                }
                Err(error) => {
                    // A host that responds with a status code may have other pages.
                    if !matches!(error, ureq::Error::StatusCode(_)) {
                        self.history().unreachable.insert(origin(address), error.to_string());
                    }
                    return Err(unreachable(address, &error));
                }
            }
        }
    }

    fn agent(&self, address: &str) -> Result<Agent, FetchError> {
        let (scheme, host) = scheme_and_host(address);
        let tls = TlsConfig::builder().root_certs(self.certificates.clone());
        let tls = tls.disable_verification(self.trusts(host)).build();
        let proxy = match scheme {
            "https" => &self.settings.https_proxy,
            _ => &self.settings.http_proxy,
        };
        let proxy = proxy.as_ref().filter(|_| !bypassed(host, &self.settings.no_proxy));
        let proxy =
            proxy.map(|proxy| Proxy::new(proxy)).transpose().map_err(|error| unreachable(address, &error))?;
        let timeout = Some(self.settings.timeout);
        let config = Agent::config_builder()
            .user_agent(concat!("gainsay/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            // Every redirect is checked first.
            .max_redirects(0)
            .proxy(proxy)
            .timeout_connect(timeout)
            .timeout_recv_response(timeout)
            .timeout_per_read(timeout);
        Ok(config.build().new_agent())
    }
}

/// An address without the name and password that it may hold: the form for messages and records.
pub fn redact(address: &str) -> String {
    split_credentials(address).0
}

/// The path of `file:///x` or a plain path; `None` for an address on the network.
pub fn local_path(address: &str) -> Option<PathBuf> {
    if let Some(path) = address.strip_prefix("file://") {
        let path = path.strip_prefix("localhost").unwrap_or(path);
        return Some(PathBuf::from(percent_decode(path.split(['#', '?']).next().unwrap_or_default())));
    }
    (!address.contains("://")).then(|| PathBuf::from(address))
}

/// Decodes `%20` and the like.
pub fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail.get(..2).filter(|_| first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn read_certificates(path: &Path) -> Result<RootCerts, FetchError> {
    let wrong = |reason: String| FetchError::Certificates { path: path.to_owned(), reason };
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let items: Result<Vec<_>, _> = parse_pem(&text).collect();
    let items = items.map_err(|error| wrong(error.to_string()))?;
    let certificates = items.into_iter().filter_map(|item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    match certificates.is_empty() {
        true => Err(wrong("it contains no certificates".to_owned())),
        false => Ok(RootCerts::new_with_certs(&certificates)),
    }
}

fn may_pass(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::StatusCode(code) => matches!(code, 429 | 500 | 502 | 503 | 504),
        ureq::Error::Timeout(_) => true,
        ureq::Error::Io(error) => {
            use io::ErrorKind::{BrokenPipe, ConnectionReset, UnexpectedEof};
            matches!(error.kind(), ConnectionReset | BrokenPipe | UnexpectedEof)
        }
        _ => false,
    }
}

fn unreachable(address: &str, error: &dyn std::fmt::Display) -> FetchError {
    FetchError::Unreachable { address: redact(address), reason: error.to_string() }
}

fn file_error(path: &Path, error: &io::Error) -> FetchError {
    match error.kind() {
        io::ErrorKind::NotFound => FetchError::Absent(path.display().to_string()),
        _ => FetchError::Unreachable { address: path.display().to_string(), reason: error.to_string() },
    }
}

/// The scheme, host and port of an address, without a password.
fn origin(address: &str) -> String {
    redact(address).splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
}

fn scheme_and_host(address: &str) -> (&str, &str) {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    // An IPv6 address has colons of its own: `[::1]:8080`.
    let end = host.find(']').map_or(0, |bracket| bracket + 1);
    let end = host[end..].find(':').map_or(host.len(), |colon| end + colon);
    (scheme, &host[..end])
}

/// Returns true for names and addresses of this machine.
fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || host.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// Returns true if `no_proxy` names the host, one of its domains, or everything.
fn bypassed(host: &str, no_proxy: &[String]) -> bool {
    no_proxy.iter().any(|entry| {
        let domain = entry.trim_start_matches("*.").trim_start_matches('.');
        let below = host.len() > domain.len()
            && host.ends_with(domain)
            && host[..host.len() - domain.len()].ends_with('.');
        entry == "*" || host == domain || below
    })
}

/// An address with the name and password of another one of the same server.
fn with_credentials_of(other: &str, address: &str) -> String {
    let authority =
        other.split_once("://").map_or("", |(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or(""));
    match (authority.rsplit_once('@'), address.split_once("://")) {
        (Some((credentials, _)), Some((scheme, rest))) if origin(other) == origin(address) => {
            format!("{scheme}://{credentials}@{rest}")
        }
        _ => address.to_owned(),
    }
}

/// `https://user:secret@host/x` as the address without, and `user:secret`.
fn split_credentials(address: &str) -> (String, Option<String>) {
    let Some((scheme, rest)) = address.split_once("://") else { return (address.to_owned(), None) };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((credentials, host)) => {
            let credentials =
                if credentials.contains(':') { credentials.to_owned() } else { format!("{credentials}:") };
            (format!("{scheme}://{host}{}", &rest[end..]), Some(percent_decode(&credentials)))
        }
        None => (address.to_owned(), None),
    }
}

fn base64(text: &str) -> String {
    const BASE64_DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = BASE64_DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_and_encrypted_addresses_are_safe() {
        for host in ["localhost", "127.0.0.1", "127.8.9.1", "[::1]", "x.localhost"] {
            assert!(is_loopback(scheme_and_host(&format!("http://{host}:8080/simple")).1), "{host}");
        }
        for host in ["localhost.example", "128.0.0.1", "[::2]", "10.0.0.1", "127.0.0.1.example", ""] {
            assert!(!is_loopback(scheme_and_host(&format!("http://{host}:80/")).1), "{host}");
        }
    }

    #[test]
    fn a_password_is_taken_out_of_the_address() {
        let (address, credentials) = split_credentials("https://me:p%40ss@host:8080/simple/z3/");
        assert_eq!(address, "https://host:8080/simple/z3/");
        assert_eq!(credentials.as_deref(), Some("me:p@ss"));
        assert_eq!(split_credentials("https://host/a@b"), ("https://host/a@b".to_owned(), None));
        assert_eq!(redact("https://token@host/x"), "https://host/x");
    }

    #[test]
    fn base64_pads_as_the_standard_says() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("me:p@ss", "bWU6cEBzcw==")];
        for (text, code) in pairs {
            assert_eq!(base64(text), code);
        }
    }

    #[test]
    fn no_proxy_names_hosts_domains_or_everything() {
        let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        let cases = [
            ("a.lab.example", "lab.example", true),
            ("a.lab.example", ".lab.example", true),
            ("collab.example", "lab.example", false),
            ("lab.example", "localhost,lab.example", true),
            ("anything", "*", true),
        ];
        for (host, no_proxy, expected) in cases {
            assert_eq!(bypassed(host, &list(no_proxy)), expected, "{host} {no_proxy}");
        }
    }

    #[test]
    fn a_file_address_is_a_path() {
        assert_eq!(local_path("file:///a%20b/c.whl#sha256=0"), Some(PathBuf::from("/a b/c.whl")));
        assert_eq!(local_path("/wheels"), Some(PathBuf::from("/wheels")));
        assert_eq!(local_path("https://host/x"), None);
    }

    #[test]
    fn a_file_without_certificates_is_an_error_that_names_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = read_certificates(file.path()).unwrap_err().to_string();
        assert!(error.contains("it contains no certificates") && error.contains("PIP_CERT"), "{error}");
    }
}
