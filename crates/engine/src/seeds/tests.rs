use super::*;
use std::fs;
use std::io::Write;

const SAT_SCRIPT: &str =
    "(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (< x 3))(check-sat)";

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn load(path: &Path) -> Result<Seeds, SeedsError> {
    Seeds::load(&[path.to_owned()], 1000, &Signature::standard(), &mut |_, _| {})
}

fn names(seeds: &Seeds, folder: &Path) -> Vec<String> {
    let name = |seed: &Seed| seed.path.strip_prefix(folder).unwrap().display().to_string();
    seeds.list().iter().map(name).collect()
}

fn refused(seeds: &Seeds) -> Vec<(&'static str, u64)> {
    seeds.refused().map(|(reason, refusal)| (reason, refusal.count)).collect()
}

#[test]
fn seeds_are_found_at_any_depth_packed_or_not_and_sorted_by_name() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "b/z.smt2", SAT_SCRIPT);
    write(folder.path(), "b/a.smt2.gz", gzip(SAT_SCRIPT.replace("x", "y").as_bytes()));
    write(folder.path(), "a.smt2", SAT_SCRIPT.replace("x", "z"));
    let mut steps = Vec::new();
    let seeds = Seeds::load(&[folder.path().to_owned()], 1000, &Signature::standard(), &mut |done, all| {
        steps.push((done, all));
    });
    let seeds = seeds.unwrap();
    assert_eq!(names(&seeds, folder.path()), ["a.smt2", "b/a.smt2.gz", "b/z.smt2"]);
    assert_eq!(steps, [(1, 3), (2, 3), (3, 3)]);
    assert_eq!(seeds.list()[1].read().unwrap(), SAT_SCRIPT.replace("x", "y"));
    assert_eq!(seeds.list()[1].bytes, SAT_SCRIPT.len() as u64);
}

#[test]
fn what_triage_wrote_beside_the_seeds_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let seed = write(folder.path(), "a.smt2", SAT_SCRIPT);
    drop(crate::triage::record::TriageRecords::open(folder.path()).unwrap());
    let bug = write(folder.path(), "triage/bugs/solution-z3-1/bug.smt2", SAT_SCRIPT.replace("x", "y"));
    write(folder.path(), "b/triage/mine.smt2", SAT_SCRIPT.replace("x", "z"));
    let seeds = load(folder.path()).unwrap();
    assert_eq!(names(&seeds, folder.path()), ["a.smt2", "b/triage/mine.smt2"], "a name alone says nothing");
    assert_eq!(refused(&seeds), [("folder of triage", 1)]);
    let named = files(&[seed, bug.parent().unwrap().to_owned()], &mut |_, _| {}).unwrap();
    assert_eq!(named.len(), 2, "the user may name it");
}

#[test]
fn what_cannot_be_a_seed_is_refused_and_counted_by_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write(path, "good.smt2", SAT_SCRIPT);
    write(path, "same.smt2", SAT_SCRIPT);
    write(path, "binary.smt2", [0, 159, 146, 150, b'(']);
    write(path, "sorts.smt2", "(assert (bvadd #b1 #b11))(check-sat)");
    write(path, "open.smt2", "(assert true");
    write(path, "empty.smt2", "");
    write(path, "tactic.smt2", "(assert true)(check-sat-using smt)");
    write(path, "large.smt2", " ".repeat(5000));
    write(path, "bomb.smt2.gz", gzip(&vec![b' '; 1 << 20]));
    write(path, "cut.smt2.gz", &gzip(SAT_SCRIPT.as_bytes())[..20]);
    write(path, "README.md", "words");
    std::os::unix::fs::symlink(path, path.join("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", path.join("gone.smt2")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, path.join("pipe.smt2"), rustix::fs::Mode::RUSR).unwrap();
    let seeds = load(path).unwrap();
    assert_eq!(names(&seeds, path), ["good.smt2"]);
    let expected = [
        ("duplicate", 1),
        ("ill-sorted", 1),
        ("link to a folder that was read already", 1),
        ("not .smt2", 1),
        ("not SMT-LIB", 2),
        ("not a regular file", 1),
        ("too large", 2),
        ("unreadable", 2),
        ("without a check", 2),
    ];
    assert_eq!(refused(&seeds), expected);
}

#[test]
fn the_status_is_what_the_script_and_its_folder_say_unless_they_disagree() {
    let unknown = SAT_SCRIPT.replace("sat)(d", "unknown)(d");
    let twice = format!("{SAT_SCRIPT}(check-sat)");
    let check = |text: &str, path: &str, expected: Option<Answer>| {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        assert_eq!(status(&script, Path::new(path)), expected, "{text} in {path}");
    };
    check(SAT_SCRIPT, "x.smt2", Some(Answer::Sat));
    check(SAT_SCRIPT, "QF_LIA/sat/x.smt2", Some(Answer::Sat));
    check(SAT_SCRIPT, "QF_LIA/unsat/x.smt2", None);
    check(&unknown, "QF_LIA/unsat/x.smt2", Some(Answer::Unsat));
    check(&unknown, "unsat/QF_LIA/sat/x.smt2", Some(Answer::Sat));
    check(&unknown, "unsat.smt2", None);
    check(&twice, "sat/x.smt2", None);
}

#[test]
fn a_seed_that_changed_is_an_error_and_no_other_seed() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.smt2", SAT_SCRIPT);
    let seeds = load(folder.path()).unwrap();
    write(folder.path(), "a.smt2", SAT_SCRIPT.replace('3', "4"));
    assert_eq!(seeds.list()[0].read(), Err(SeedChanged::Other(path.display().to_string())));
    fs::remove_file(&path).unwrap();
    assert!(matches!(seeds.list()[0].read(), Err(SeedChanged::Gone { .. })));
}

#[test]
fn nothing_to_start_from_is_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = |path: &Path| load(path).unwrap_err().to_string();
    let place = folder.path().display();
    assert_eq!(error(folder.path()), format!("{place} holds no file that ends in .smt2, .smt2.gz or .smt"));
    assert!(error(&folder.path().join("none")).contains("No such file or directory"));
    write(folder.path(), "x.smt2", "(assert");
    let message = error(folder.path());
    assert!(message.starts_with("no file can be a seed; skipped 1 file: not SMT-LIB ("), "{message}");
    assert!(matches!(Seeds::load(&[], 1, &Signature::standard(), &mut |_, _| {}), Err(SeedsError::None)));
}
