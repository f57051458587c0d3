//! `gainsay enumerate`: shards divide the scripts, and numbers do not depend on them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use std::collections::BTreeMap;

use support::CliTest;

const BITS: [&str; 7] = ["enumerate", "--theory", "bv", "--sort", "(_ BitVec 1)", "--size", "1"];

fn scripts(cli: &CliTest, name: &str, more: &[&str]) -> BTreeMap<String, String> {
    let folder = cli.path(name);
    let outcome = cli.run(&[&BITS[..], &["--out", folder.to_str().unwrap()], more].concat());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap());
    files
        .map(|file| (file.file_name().into_string().unwrap(), std::fs::read_to_string(file.path()).unwrap()))
        .collect()
}

#[test]
fn shards_divide_the_scripts() {
    let cli = CliTest::offline();
    let all = scripts(&cli, "all", &[]);
    assert!(all.len() > 20, "{}", all.len());
    let mut shards = scripts(&cli, "first", &["--shard", "1/2"]);
    shards.extend(scripts(&cli, "second", &["--shard", "2/2"]));
    assert_eq!(shards, all);
    assert!(all.values().any(|text| text.contains("(assert (bvult x1 x2))")));
}

#[test]
fn scripts_are_counted_and_decided() {
    let cli = CliTest::offline();
    let json = cli.json(&[&BITS[..], &["--count", "--decide", "--json"]].concat());
    let number = |key: &str| json[key].as_u64().unwrap();
    assert_eq!(number("scripts"), number("sat") + number("unsat"), "{json}");
    assert!(number("unsat") > 0, "{json}");
    let outcome = cli.run(&[&BITS[..], &["--count", "--shard", "3/2"]].concat());
    assert_eq!(outcome.code, 2, "{}", outcome.stderr);
}
