//! Text of others is shown, not sent: no command passes control characters of files or solvers to a terminal.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

mod support;

use support::{CliOutput, CliTest};

/// Clears the screen, sets the title of the window, turns text around.
const HOSTILE_TEXT: &str = "\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}\u{9b}31m";

fn is_harmful(letter: char) -> bool {
    letter != '\n' && letter != '\t' && letter.is_control() || matches!(letter, '\u{202a}'..='\u{202e}')
}

/// Fails if one of these outputs holds a harmful character, or none of them shows the hostile text.
fn assert_shown(what: &str, output: &CliOutput) {
    let all = format!("{}{}", output.stdout, output.stderr);
    assert!(!all.chars().any(is_harmful), "{what}: {all:?}");
    assert!(all.contains("\\u001b[2J"), "{what} shows the text: {all:?}");
}

#[test]
fn no_command_sends_escape_sequences_of_others_to_the_terminal() {
    let cli = CliTest::offline();
    let seed = cli.write(
        "seeds/a.smt2",
        "(set-logic QF_LIA)\n(set-info :status sat)\n(declare-fun x () Int)\n(assert (> x 0))\n(check-sat)\n",
    );
    let odd = format!(
        "(declare-const |a{HOSTILE_TEXT}| Bool)\n(assert |a{HOSTILE_TEXT}|)\n(assert |b{HOSTILE_TEXT}|)"
    );
    let odd = cli.write("odd.smt2", &odd);
    let model = cli.path(&format!("model{HOSTILE_TEXT}")).display().to_string();
    let said = format!("printf '%s\\n' '{HOSTILE_TEXT}'");
    let garbage = cli.write_program("garbage", &format!("#!/bin/sh\n{said}\n"));
    let liar = cli.write_program(
        "liar",
        &format!(
            "#!/bin/sh\nscript=$(while read -r line; do echo \"$line\"; done < \"$1\")\n\
             case \"$script\" in *x*) {said} >&2; kill -SEGV $$;; esac\necho sat\n"
        ),
    );
    let (garbage, liar) = (format!("generic={garbage}"), format!("generic={liar}"));
    let folder = format!("out{HOSTILE_TEXT}");
    let folder = cli.path(&folder).display().to_string();
    let commands: [(&str, &[&str]); 8] = [
        ("parse", &["parse", &odd]),
        ("eval", &["eval", &seed, "--model", &model]),
        ("a missing file", &["parse", &format!("none{HOSTILE_TEXT}")]),
        ("check", &["check", &seed, "--solver", &garbage]),
        ("reduce", &["reduce", &format!("none{HOSTILE_TEXT}"), "--", "true"]),
        (
            "fuzz",
            &[
                "fuzz",
                "--seeds",
                &seed,
                "--strategy",
                "operator",
                "--solver",
                &liar,
                "--cases",
                "5",
                "--plain",
                "--out",
                &folder,
            ],
        ),
        ("list", &["list", &folder]),
        ("report", &["report", &folder]),
    ];
    for (what, arguments) in commands {
        let output = cli.run(arguments);
        match what {
            // Its report writes them in its own notation.
            "list" | "report" => {
                assert!(!output.stdout.chars().any(is_harmful), "{what}: {:?}", output.stdout);
            }
            _ => assert_shown(what, &output),
        }
    }
}
