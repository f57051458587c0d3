//! Feeds damaged scripts to the parser, for a given time.
//!
//! ```text
//! cargo run --release -p gainsay-smt --example damage_scripts -- SECONDS [PATH…]
//! ```
//!
//! Takes scripts (by default those of the golden tests), damages copies of them at random, and parses them. A panic, a
//! text that takes more than a second, or a script that changes when printed stops it with the text on standard
//! error. The random numbers depend only on their seed, so the same call makes the same texts.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gainsay_smt::{Printer, Script, Signature, decode};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: u64 = arguments.next().and_then(|seconds| seconds.parse().ok()).unwrap_or(10);
    let mut paths: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden")));
    }
    let texts = read_all(paths);
    let signature = Signature::standard();
    let mut random = Random(0x5EED);
    let (mut tried, mut read, mut slowest) = (0u64, 0u64, Duration::ZERO);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(seconds) {
        let bytes = damaged(&texts, &mut random);
        let began = Instant::now();
        let outcome = decode(&bytes).and_then(|text| Script::parse(&text, &signature));
        if let Ok(script) = &outcome {
            read += 1;
            check(script, &signature, &bytes);
        }
        slowest = slowest.max(began.elapsed());
        tried += 1;
        assert!(began.elapsed() < Duration::from_secs(10), "slow:\n{}", String::from_utf8_lossy(&bytes));
    }
    println!("{tried} texts from {} scripts, {read} of them read, slowest {slowest:?}", texts.len());
}

/// A script must be the same after printing, and well-formed with its shared subterms bound by `let`.
fn check(script: &Script, signature: &std::sync::Arc<Signature>, bytes: &[u8]) {
    let printed = script.to_string();
    match Script::parse(&printed, signature) {
        Ok(again) if again == *script => {}
        Ok(_) => {
            panic!("another script after printing:\n{printed}\nfrom\n{}", String::from_utf8_lossy(bytes))
        }
        Err(error) => panic!("{error} after printing:\n{printed}"),
    }
    let shared = Printer::new().sharing().print(script);
    if let Err(error) = Script::parse(&shared, signature) {
        panic!("{error} after sharing:\n{shared}");
    }
}

fn read_all(mut open: Vec<PathBuf>) -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let mut below: Vec<PathBuf> =
                fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
            below.sort();
            open.append(&mut below);
        } else if path.extension().is_some_and(|extension| extension == "smt2") {
            let text = fs::read(&path).expect("a file");
            // Small scripts are damaged in more ways in the same time.
            if text.len() < 20_000 {
                texts.push(text);
            }
        }
    }
    texts
}

/// Fragments to insert: tokens with a meaning to the parser.
const INSERTED_FRAGMENTS: [&str; 40] = [
    "(",
    ")",
    "((",
    "))",
    "\"",
    "|",
    ";",
    "#b",
    "#x",
    "#|",
    " ",
    "\n",
    "\0",
    ":",
    "_",
    "!",
    "as",
    "let",
    "forall",
    "match",
    "lambda",
    "(_ ",
    "(as ",
    "(let ((",
    "(! ",
    ":named ",
    ":pattern (",
    "(par (X) ",
    "Int",
    "Bool",
    "(_ BitVec 8)",
    "(Array Int Bool)",
    "4294967295",
    "99999999999999999999",
    "1.5",
    "-1",
    "(push 1)",
    "(pop 1)",
    "(reset)",
    "(exit)",
];

fn damaged(texts: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = texts[random.below(texts.len())].clone();
    for _ in 0..=random.below(6) {
        let (from, to) = (random.below(bytes.len() + 1), random.below(bytes.len() + 1));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
        match random.below(7) {
            0 => bytes.truncate(to),
            1 => drop(bytes.drain(from..to)),
            2 => {
                let copy = bytes[from..to].to_vec();
                let place = random.below(bytes.len() + 1);
                bytes.splice(place..place, copy);
            }
            3 => {
                let piece = INSERTED_FRAGMENTS[random.below(INSERTED_FRAGMENTS.len())];
                bytes.splice(from..from, piece.bytes());
            }
            4 => {
                let piece = INSERTED_FRAGMENTS[random.below(INSERTED_FRAGMENTS.len())];
                bytes.splice(from..to, piece.bytes());
            }
            5 => {
                let other = &texts[random.below(texts.len())];
                let (a, b) = (random.below(other.len() + 1), random.below(other.len() + 1));
                bytes.splice(from..from, other[a.min(b)..a.max(b)].iter().copied());
            }
            _ if from < bytes.len() => bytes[from] = random.below(256) as u8,
            _ => {}
        }
    }
    bytes
}

/// SplitMix64: small, and good enough here.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}
