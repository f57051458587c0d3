//! A local package index for tests: a tiny web server for wheels.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

/// An index that runs until the test ends.
pub struct PackageIndexServer {
    /// Its address, for `index-url`.
    pub address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

/// The pages of the server: content type and body by path.
pub type Pages = BTreeMap<String, (&'static str, Vec<u8>)>;

impl PackageIndexServer {
    /// Serves these pages.
    pub fn serve(pages: Pages) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/simple", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(&stream.unwrap(), &pages, &log);
            }
        });
        PackageIndexServer { address, requests }
    }

    /// The received request lines and authorization headers, in order.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(stream: &TcpStream, pages: &Pages, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let lines: Vec<String> =
            reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
        let Some(request) = lines.first() else { return };
        let authorization = lines.iter().find(|line| line.to_lowercase().starts_with("authorization"));
        log.lock().unwrap().push([request.as_str(), authorization.map_or("", String::as_str)].join(" "));
        // As a proxy, it serves its own pages.
        let tunnel = request.starts_with("CONNECT");
        let path = request.split(' ').nth(1).unwrap_or_default();
        let (status, kind, body) = match pages.get(path) {
            _ if tunnel => ("200 OK", "text/plain", b"".as_slice()),
            Some((kind, body)) => ("200 OK", *kind, body.as_slice()),
            None => ("404 Not Found", "text/plain", b"no".as_slice()),
        };
        // A page of this kind is the address of another page.
        let is_redirect = kind == "redirect";
        let location = String::from_utf8_lossy(body);
        let location = if is_redirect { format!("Location: {location}\r\n") } else { String::new() };
        let (status, body) = if is_redirect { ("302 Found", b"".as_slice()) } else { (status, body) };
        let length = if tunnel {
            String::new()
        } else {
            format!("Content-Length: {}\r\nConnection: close\r\n", body.len())
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{location}{length}\r\n");
        // A client that went away is its own business.
        let sent = writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(body));
        if sent.is_err() || !tunnel {
            return;
        }
    }
}

/// The name of a wheel of `package` for this machine.
pub fn wheel_name(package: &str, version: &str) -> String {
    let platform = match std::env::consts::OS {
        "macos" => format!("macosx_11_0_{}", if cfg!(target_arch = "aarch64") { "arm64" } else { "x86_64" }),
        _ => format!("linux_{}", std::env::consts::ARCH),
    };
    format!("{package}-{version}-py3-none-{platform}.whl")
}

/// A wheel with these files.
pub fn wheel(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The SHA-256 of some bytes, as an index writes it.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
