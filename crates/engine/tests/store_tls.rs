//! A shared store over TLS: the certificate of the server is checked, and a server without TLS is refused where the address requires it.
//!
//! `openssl` makes the certificates; without it, or without PostgreSQL, the test says so and tests nothing.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/postgres.rs"]
mod postgres;

use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use gainsay_engine::store::postgres::{Postgres, StoreAddress};
use postgres::TemporaryServer;

/// Makes a certificate that signs itself for a name: `NAME.pem` and `NAME.key`.
fn make_certificate(folder: &Path, name: &str, host: &str) -> bool {
    let alternative = format!("subjectAltName=DNS:{host},IP:127.0.0.1");
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args([
            "-subj",
            &format!("/CN={host}"),
            "-addext",
            &alternative,
            "-addext",
            "basicConstraints=critical,CA:false",
        ])
        .args(["-keyout", &format!("{name}.key"), "-out", &format!("{name}.pem")])
        .current_dir(folder)
        .output();
    made.is_ok_and(|made| made.status.success())
}

#[test]
fn the_certificate_of_a_server_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    if !["right", "wrong"].iter().all(|name| make_certificate(folder.path(), name, "localhost")) {
        eprintln!("not run, for want of openssl: a shared store over TLS");
        return;
    }
    let Some(server) = TemporaryServer::start() else { return };
    drop(server.database("tls"));
    server.run("pg_ctl", &["-D", "data", "-m", "fast", "-s", "-w", "stop"]);
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let certificate = server.write_private("server.pem", &read("right.pem"));
    let key = server.write_private("server.key", &read("right.key"));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = format!("-c listen_addresses=127.0.0.1 -c port={port}");
    let tls =
        format!("-c ssl=on -c ssl_cert_file={} -c ssl_key_file={}", certificate.display(), key.display());
    server.start_with(&format!("{options} {tls}"));
    let enter = |more: &str| {
        let text = format!("postgres://gainsay@localhost:{port}/tls?{more}");
        Postgres::enter(&StoreAddress::read(&text, &|_| None).unwrap(), "plan").map(drop)
    };
    let trusting = |name: &str| format!("sslmode=require&sslrootcert={}", folder.path().join(name).display());
    enter(&trusting("right.pem")).unwrap();
    for untrusted in [trusting("wrong.pem"), "sslmode=require".to_owned()] {
        let why = enter(&untrusted).unwrap_err();
        assert!(why.to_string().contains("certificate") && !why.is_passing(), "{why}");
    }
    enter("sslmode=disable").unwrap();
    // The same address without TLS on the server.
    server.run("pg_ctl", &["-D", "data", "-m", "fast", "-s", "-w", "stop"]);
    server.start_with(&options);
    let why = enter(&trusting("right.pem")).unwrap_err();
    assert!(!why.is_passing() && why.to_string().contains("TLS"), "{why}");
}
