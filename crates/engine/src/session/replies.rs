//! Finds the replies to questions in the output of a run.
//!
//! The output is cut into expressions and compared with the commands that print something, in order. Where both do not fit
//! (an error in between, a warning, a flood), no reply is taken for that of another command: all are unclear. A reply that is missing or
//! cut off is unclear, too, unless the run ended before it.

use gainsay_smt::Script;

use crate::question::{AskingCommand, asking_commands};
use crate::solver::outline::{is_check, is_timeout_core, outline};
use crate::solver::run::Run;
use crate::trial::reply::{Reply, ReplyCheck, expressions};

/// Bytes of a reply that is read and recorded: proofs and models may be much longer.
const MAX_REPLY_BYTES: usize = 256 << 10;

/// The replies in a run of a text, the one that the solver got.
pub fn read(script: &Script, text: &str, run: &Run) -> Vec<Reply> {
    let asking = asking_commands(script);
    if asking.is_empty() {
        return Vec::new();
    }
    let output = String::from_utf8_lossy(&run.output);
    let outline = outline(text).before_exit();
    let printing: Vec<&str> = outline.printing().map(|one| one.name).collect();
    let items = joined(&output, &printing, &expressions(&output));
    let is_aligned = is_aligned(&printing, &items);
    let replies = asking.into_iter().filter_map(|AskingCommand { kind, command, check, name, number }| {
        let place = place_of(&printing, &name, number, check)?;
        let item = items.get(place).filter(|_| is_aligned);
        let unclear = |why: &str| (String::new(), ReplyCheck::Unclear(why.to_owned()));
        let (text, judgement) = match item {
            // The run ended before it, and its trouble says why.
            None if is_aligned && run.trouble.is_some() => return None,
            None if is_aligned => unclear("it has no complete reply"),
            None => unclear("its output cannot be matched with the commands"),
            Some(item) if item.len() > MAX_REPLY_BYTES => unclear("its reply is too long"),
            Some(item) if item.starts_with("(error") || *item == "unsupported" => {
                (shortened(item), ReplyCheck::Unclear("it has no reply".to_owned()))
            }
            Some(item) => ((*item).to_owned(), ReplyCheck::Pending),
        };
        Some(Reply { kind, command, check, text, judgement })
    });
    replies.collect()
}

/// The place of a command among those that print. A check that the solver lacks was sent as `check-sat`, so checks are counted by
/// themselves.
fn place_of(printing: &[&str], name: &str, number: usize, check: Option<usize>) -> Option<usize> {
    let mut places = printing.iter().enumerate();
    if !is_check(name) {
        return Some(places.filter(|(_, one)| **one == name).nth(number)?.0);
    }
    let (place, sent) = places.by_ref().filter(|(_, one)| is_check(one)).nth(check?)?;
    (*sent == name || !is_timeout_core(name)).then_some(place)
}

/// The expressions of an output, where the answer and the list of a timeout core are one.
fn joined<'o>(output: &'o str, printing: &[&str], items: &[&'o str]) -> Vec<&'o str> {
    let offset = |item: &str| item.as_ptr() as usize - output.as_ptr() as usize;
    let (mut whole, mut at) = (Vec::new(), 0);
    while let Some(&item) = items.get(at) {
        let name = printing.get(whole.len()).copied().unwrap_or_default();
        let core = items.get(at + 1).filter(|next| {
            is_timeout_core(name)
                && matches!(item, "unsat" | "unknown")
                && next.starts_with('(')
                && !next.starts_with("(error")
        });
        whole.push(match core {
            Some(core) => &output[offset(item)..offset(core) + core.len()],
            None => item,
        });
        at += 1 + usize::from(core.is_some());
    }
    whole
}

/// The first letters of an error.
fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Returns true if each expression is the reply to the command in its place, as far as can be told: checks are answered by
/// words, and a solver that stops early prints no error before its last words.
fn is_aligned(printing: &[&str], items: &[&str]) -> bool {
    let is_answer = |item: &str| matches!(item, "sat" | "unsat" | "unknown");
    let fits = |(name, item): (&&str, &&str)| match is_check(name) {
        true if is_timeout_core(name) => {
            item.split_whitespace().next().is_some_and(is_answer) || item.starts_with("(error")
        }
        true => is_answer(item) || item.starts_with("(error") || *item == "timeout",
        false => !is_answer(item),
    };
    let errors_before_the_end = items.iter().rev().skip(1).any(|item| item.starts_with("(error"));
    let is_complete = items.len() == printing.len();
    (is_complete || items.len() < printing.len() && !errors_before_the_end)
        && printing.iter().zip(items).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::run::Answer;
    use crate::solver::trouble::{Trouble, TroubleKind};
    use crate::trial::tests::run;
    use gainsay_smt::Signature;

    const REPLIES_SCRIPT: &str = "(declare-const p Bool)(assert (! p :named a))(assert (! (not p) :named b))\
        (check-sat)(get-unsat-core)(get-info :name)(get-unsat-core)";

    fn replies(output: &str) -> Vec<(String, bool)> {
        let script = Script::parse(REPLIES_SCRIPT, &Signature::standard()).unwrap();
        let run = Run { output: output.as_bytes().to_vec(), ..run(&[Answer::Unsat]) };
        let replies = read(&script, REPLIES_SCRIPT, &run).into_iter();
        replies.map(|reply| (reply.text, reply.judgement == ReplyCheck::Pending)).collect()
    }

    #[test]
    fn each_reply_belongs_to_its_command() {
        let expected = [("(a b)".to_owned(), true), ("(b a)".to_owned(), true)];
        assert_eq!(replies("unsat\n(a b)\n(:name \"z3\")\n(b a)\n"), expected);
    }

    #[test]
    fn a_missing_or_cut_off_reply_is_unclear_unless_the_run_ended_before_it() {
        let unclear = (String::new(), false);
        assert_eq!(replies("unsat\n"), [unclear.clone(), unclear.clone()]);
        assert_eq!(replies("unsat\n(a b)\n"), [("(a b)".to_owned(), true), unclear.clone()]);
        assert_eq!(replies("unsat\n(a b"), [unclear.clone(), unclear.clone()]);
        assert_eq!(replies("unsat\n(a b)\n(:name \"z3\")\n(b (a"), [("(a b)".to_owned(), true), unclear]);
        let script = Script::parse(REPLIES_SCRIPT, &Signature::standard()).unwrap();
        let trouble = Some(Trouble::new(TroubleKind::TimeOut, "10 s"));
        let stopped = Run { output: b"unsat\n(a b)\n".to_vec(), trouble, ..run(&[Answer::Unsat]) };
        let texts: Vec<String> =
            read(&script, REPLIES_SCRIPT, &stopped).into_iter().map(|reply| reply.text).collect();
        assert_eq!(texts, ["(a b)"]);
    }

    #[test]
    fn a_timeout_core_is_one_reply_and_a_check_for_solvers_that_lack_it() {
        let script = "(declare-const p Bool)(assert (! p :named a))(get-timeout-core)(push)(assert (not p))(check-sat)";
        let parsed = Script::parse(script, &Signature::standard()).unwrap();
        let texts = |sent: &str, output: &str| -> Vec<String> {
            let run = Run { output: output.as_bytes().to_vec(), ..run(&[]) };
            read(&parsed, sent, &run).into_iter().map(|reply| reply.text).collect()
        };
        assert_eq!(texts(script, "unknown\n(\na\n)\nunsat\n"), ["unknown\n(\na\n)", "unsat"]);
        assert_eq!(texts(script, "sat\nunsat\n"), ["sat", "unsat"]);
        let sent = script.replace("get-timeout-core", "check-sat");
        assert_eq!(
            texts(&sent, "sat\nunsat\n"),
            ["unsat"],
            "the answer of the second check, not of the first"
        );
    }

    #[test]
    fn output_that_does_not_fit_is_never_taken_for_a_reply() {
        assert_eq!(
            replies("(error \"x\")\nunsat\n(a b)\n(b a)\n"),
            [(String::new(), false), (String::new(), false)]
        );
        let refused = [("(error \"no core\")".to_owned(), false), (String::new(), false)];
        assert_eq!(replies("unsat\n(error \"no core\")\n"), refused);
        assert_eq!(
            replies("unsat\n(a b)\n(x)\n(y)\n(z)\n"),
            [(String::new(), false), (String::new(), false)]
        );
    }
}
