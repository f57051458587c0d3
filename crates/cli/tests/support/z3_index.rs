//! A package index with releases of a program that looks like z3.

#![allow(dead_code, reason = "each test file uses a part of it")]

use super::index::{PackageIndexServer, Pages, sha256, wheel, wheel_name};

/// The page that lists the releases.
pub const Z3_PAGE: &str = "/simple/z3-solver/";

/// Serves these releases, each with the answer that it gives to scripts with an assertion; to others it says sat.
pub fn serve(releases: &[(&str, &str)]) -> PackageIndexServer {
    let programs = releases.iter().map(|(version, answer)| ((*version).to_owned(), program(version, answer)));
    serve_programs(&programs.collect::<Vec<_>>())
}

/// Serves these releases, each with its program.
pub fn serve_programs(releases: &[(String, String)]) -> PackageIndexServer {
    let (mut pages, mut links) = (Pages::new(), String::new());
    for (version, program) in releases {
        let name = wheel_name("z3_solver", &format!("{version}.0"));
        let bytes = wheel(&[(&format!("z3_solver-{version}.0.data/data/bin/z3"), program)]);
        links += &format!("<a href=\"/files/{name}#sha256={}\">{name}</a>", sha256(&bytes));
        pages.insert(format!("/files/{name}"), ("application/zip", bytes));
    }
    pages.insert(Z3_PAGE.to_owned(), ("text/html", links.into_bytes()));
    PackageIndexServer::serve(pages)
}

/// Built-in commands of the shell only: tests give their programs no PATH.
fn program(version: &str, answer: &str) -> String {
    format!(
        "#!/bin/sh\n\
         case \"$1\" in --version) echo 'Z3 version {version}'; exit;; esac\n\
         [ {answer} = sat ] && echo sat && exit\n\
         for word; do [ -f \"$word\" ] && exec <\"$word\"; done\n\
         said=sat\n\
         while read -r line; do case \"$line\" in *assert*) said={answer};; esac; done\n\
         echo $said\n"
    )
}
