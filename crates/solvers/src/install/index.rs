//! Reads package indexes: the pages of the simple API, as HTML (PEP 503) and as JSON (PEP 691).
//!
//! A scanner for `<a …>` reads the HTML, since by the standard nothing else matters; many indexes still have no JSON.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::fetch::{FetchError, Fetcher, local_path, percent_decode};

/// The formats of pages that gainsay reads, best first.
const ACCEPTED_FORMATS: &str =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01";

/// A file that an index offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedFile {
    /// The name of the file, which contains package, version and platform.
    pub file: String,
    /// Its address.
    pub address: String,
    /// Its SHA-256; `None` only for local files (`find-links` folders).
    pub sha256: Option<String>,
    /// True if its authors have withdrawn it: used only if exactly its version is requested.
    pub yanked: bool,
}

/// The files of a package on all configured indexes.
#[derive(Debug)]
pub struct OfferedFiles {
    /// The files, in the order of the indexes.
    pub files: Vec<OfferedFile>,
    /// Why one of the indexes could not be reached, so that there may be more files; `None` if all were.
    pub trouble: Option<FetchError>,
}

/// Asks all configured indexes for files of `package`, and skips those without the package.
pub fn offers(fetcher: &Fetcher, package: &str) -> OfferedFiles {
    let mut found = Vec::new();
    let mut trouble = None;
    for link in &fetcher.settings().find_links {
        match linked(fetcher, link) {
            Ok(offers) => found.extend(offers),
            Err(FetchError::Absent(_)) => {}
            Err(error) => trouble = trouble.or(Some(error)),
        }
    }
    let of_package = |offer: &OfferedFile| {
        offer.file.split('-').next().is_some_and(|name| normalise(name) == normalise(package))
    };
    found.retain(of_package);
    for index in &fetcher.settings().indexes {
        let address = format!("{}/{}/", index.trim_end_matches('/'), normalise(package));
        match fetcher.page(&address, ACCEPTED_FORMATS) {
            Ok(page) if page.content_type.contains("json") => {
                found.extend(allowed(read_json(&page.text, &page.address), &page.address));
            }
            Ok(page) => found.extend(allowed(read_html(&page.text, &page.address), &page.address)),
            Err(FetchError::Absent(_)) => {}
            Err(error) => trouble = trouble.or(Some(error)),
        }
    }
    OfferedFiles { files: found, trouble }
}

/// The offers of a page without those that it must not make: a page from the network names no files of this machine.
fn allowed(mut offers: Vec<OfferedFile>, page: &str) -> Vec<OfferedFile> {
    offers.retain(|offer| local_path(page).is_some() || local_path(&offer.address).is_none());
    offers
}

/// The files of a `find-links`: those in a folder, or the links of a page.
fn linked(fetcher: &Fetcher, link: &str) -> Result<Vec<OfferedFile>, FetchError> {
    let Some(folder) = local_path(link).filter(|path| path.is_dir()) else {
        return fetcher
            .page(link, "text/html")
            .map(|page| allowed(read_html(&page.text, &page.address), &page.address));
    };
    let unreadable = |error: std::io::Error| FetchError::Unreachable {
        address: link.to_owned(),
        reason: error.to_string(),
    };
    let mut offers = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let address = path.display().to_string();
        offers.push(OfferedFile { file: name.to_owned(), address, sha256: None, yanked: false });
    }
    offers.sort_by(|a, b| a.file.cmp(&b.file));
    Ok(offers)
}

/// A package's name as addresses spell it (PEP 503): lower case, runs of `-`, `_` and `.` as one `-`.
pub fn normalise(package: &str) -> String {
    let parts = package.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// The offers on a PEP 503 page that came from `address`.
fn read_html(page: &str, address: &str) -> Vec<OfferedFile> {
    let mut base = address.to_owned();
    let mut offers = Vec::new();
    let page = without_comments(page);
    for tag in tags(&page) {
        let attribute = |name: &str| attribute(tag, name);
        if tag.starts_with("base") {
            base = attribute("href").map_or(base, |href| join(address, &href));
        } else if tag.starts_with("a ") || tag.starts_with("a\n") {
            let Some(href) = attribute("href") else { continue };
            let (href, fragment) = href.split_once('#').unwrap_or((&href, ""));
            let file = percent_decode(href.rsplit('/').next().unwrap_or_default());
            let sha256 = fragment.split('&').find_map(|part| part.strip_prefix("sha256="));
            offers.push(OfferedFile {
                file,
                address: join(&base, href),
                sha256: sha256.map(str::to_ascii_lowercase),
                yanked: attribute("data-yanked").is_some(),
            });
        }
    }
    offers
}

fn without_comments(page: &str) -> String {
    let mut pieces = page.split("<!--");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + piece.split_once("-->").map_or("", |(_, after)| after))
}

/// The insides of `<…>`.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<')
        .skip(1)
        .filter(|tag| !tag.starts_with(['!', '/']))
        .map(|tag| tag.split('>').next().unwrap_or(tag))
}

/// The value of an attribute of a tag; empty if it has none.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut rest = tag.split_once(char::is_whitespace)?.1;
    loop {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (key, after) = rest.split_at(end);
        let after = after.trim_start();
        let (value, next) = match after.strip_prefix('=').map(str::trim_start) {
            Some(quoted) if quoted.starts_with(['"', '\'']) => {
                let (quote, inside) = quoted.split_at(1);
                inside.split_once(quote)?
            }
            Some(bare) => bare.split_at(bare.find(char::is_whitespace).unwrap_or(bare.len())),
            None => ("", after),
        };
        if key.eq_ignore_ascii_case(name) {
            return Some(unescape(value));
        }
        if next.is_empty() {
            return None;
        }
        rest = next;
    }
}

fn unescape(text: &str) -> String {
    let pairs =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (code, letter)| text.replace(code, letter))
}

/// The needed part of a PEP 691 page.
#[derive(Deserialize)]
struct JsonPage {
    files: Vec<JsonFile>,
}

#[derive(Deserialize)]
struct JsonFile {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: BTreeMap<String, String>,
    #[serde(default)]
    yanked: serde_json::Value,
}

/// The offers on a PEP 691 page that came from `address`; none if the page is invalid.
fn read_json(page: &str, address: &str) -> Vec<OfferedFile> {
    let files = serde_json::from_str::<JsonPage>(page).map(|page| page.files).unwrap_or_default();
    let offer = |file: JsonFile| OfferedFile {
        address: join(address, file.url.split('#').next().unwrap_or_default()),
        file: file.filename,
        sha256: file.hashes.get("sha256").map(|hash| hash.to_ascii_lowercase()),
        yanked: !matches!(file.yanked, serde_json::Value::Null | serde_json::Value::Bool(false)),
    };
    files.into_iter().map(offer).collect()
}

/// A link on the page at `base`, as an address of its own (RFC 3986, 5.2).
pub(super) fn join(base: &str, link: &str) -> String {
    if link.contains("://") {
        return link.to_owned();
    }
    let scheme_end = base.find("://").map_or(0, |at| at + 3);
    if let Some(rest) = link.strip_prefix("//") {
        return format!("{}//{rest}", &base[..scheme_end.saturating_sub(2)]);
    }
    let root = base[scheme_end..].find('/').map_or(base.len(), |at| scheme_end + at);
    let (authority, path) = base.split_at(root);
    if link.starts_with('/') {
        return format!("{authority}{link}");
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            // The first part is the empty one before the leading slash; it has no parent.
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => {}
            _ => parts.push(part),
        }
    }
    format!("{authority}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE_ADDRESS: &str = "https://host/simple/z3-solver/";

    #[test]
    fn an_html_page_gives_files_addresses_hashes_and_yanks() {
        let html = "<!DOCTYPE html><html><body><h1>Links</h1>\n<!-- <a href='no.whl'>no</a> -->\
            <a href=\"../../packages/z3_solver-1.0-py3-none-any.whl#sha256=ABCD\" data-requires-python=\"&gt;=3.8\">x</a>\
            <a data-yanked='bad &amp; old' href='/abs/b%2B1.whl'>b</a><a href=\"https://other/c.tar.gz#md5=1\">c</a>";
        let offers = read_html(html, PAGE_ADDRESS);
        let expected = [
            (
                "z3_solver-1.0-py3-none-any.whl",
                "https://host/packages/z3_solver-1.0-py3-none-any.whl",
                Some("abcd"),
                false,
            ),
            ("b+1.whl", "https://host/abs/b%2B1.whl", None, true),
            ("c.tar.gz", "https://other/c.tar.gz", None, false),
        ];
        let expected = expected.map(|(file, address, sha256, yanked)| OfferedFile {
            file: file.to_owned(),
            address: address.to_owned(),
            sha256: sha256.map(str::to_owned),
            yanked,
        });
        assert_eq!(offers, expected);
    }

    #[test]
    fn a_json_page_gives_the_same() {
        let json = r#"{"meta":{"api-version":"1.1"},"name":"x","versions":["1"],"files":[
            {"filename":"a.whl","url":"../a.whl","hashes":{"sha256":"AB"},"yanked":"reason"},
            {"filename":"b.whl","url":"https://o/b.whl","hashes":{},"yanked":false,"size":3}]}"#;
        let offers = read_json(json, PAGE_ADDRESS);
        let brief: Vec<_> =
            offers.iter().map(|o| (o.address.as_str(), o.sha256.as_deref(), o.yanked)).collect();
        assert_eq!(
            brief,
            [("https://host/simple/a.whl", Some("ab"), true), ("https://o/b.whl", None, false)]
        );
        assert!(read_json("<html>", PAGE_ADDRESS).is_empty());
    }

    #[test]
    fn a_page_from_the_network_offers_no_files_of_this_machine() {
        let html = "<a href='file:///etc/passwd#sha256=1'>a</a><a href='https://o/b.whl#sha256=2'>b</a>";
        let offered = |page: &str| -> Vec<String> {
            allowed(read_html(html, page), page).into_iter().map(|offer| offer.address).collect()
        };
        assert_eq!(offered(PAGE_ADDRESS), ["https://o/b.whl"]);
        assert_eq!(offered("file:///srv/simple/"), ["file:///etc/passwd", "https://o/b.whl"]);
    }

    #[test]
    fn links_are_joined_to_their_page() {
        let cases = [
            ("https://h/s/p/", "f.whl", "https://h/s/p/f.whl"),
            ("https://h/s/p/index.html", "f.whl", "https://h/s/p/f.whl"),
            ("https://h/s/p/", "../../x/f.whl", "https://h/x/f.whl"),
            ("https://h/s/p/", "../../../../f.whl", "https://h/f.whl"),
            ("https://h/s/p/", "//cdn/f.whl", "https://cdn/f.whl"),
            ("https://h", "/f.whl", "https://h/f.whl"),
            ("file:///srv/s/p/", "f.whl", "file:///srv/s/p/f.whl"),
            ("/srv/s/p/", "../f.whl", "/srv/s/f.whl"),
        ];
        for (base, link, joined) in cases {
            assert_eq!(join(base, link), joined, "{base} {link}");
        }
    }

    #[test]
    fn package_names_are_normalised() {
        for name in ["Z3_Solver", "z3.solver", "z3--solver"] {
            assert_eq!(normalise(name), "z3-solver");
        }
    }
}
