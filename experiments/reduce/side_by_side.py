#!/usr/bin/env python3
"""gainsay reduce beside ddSMT 2.0.6: the same files, the same condition, the same number of jobs, one run.

    python3 experiments/reduce/side_by_side.py --bugs FOLDER --corpus FOLDER [--jobs 2] [--sizes 2,20,200] [--cap 120]

FOLDER of --bugs holds `knownbugs.csv` (columns id, category, theories, correct, wrong, soundness_on, crash_on, invalid_on,
crash_kind, model_check, also, options) and CATEGORY/ID.smt2. For each kind of bug (wrong answer, crash, invalid model, CHC, slow) and
each family of theories, one trigger (`--each N`: up to N) that shows on an installed solver is enlarged to each size with unrelated, renamed
assertions of satisfiable files of the corpus, and given to both tools. The condition is a shell script that
runs the affected z3 and the newest one, each for at most `--limit` seconds of CPU time, and exits with 1 if the first misbehaves and the
second does not. A slow solver misbehaves if it is not done after `--slow` seconds of CPU time. Both tools get it as an external command and use only its exit code. A tool that is not done after
`--cap` seconds is stopped; its result is the smallest script that it has written, and its time is the cap.
`--sizes 0 --each 99` takes all triggers as they were published, `--ids A,B` only those, `--alone` leaves ddSMT out.
`--draw N --rng-seed S` draws N of them, of all kinds alike. With `--cpu-cap` a tool is stopped by the CPU time of all its processes,
so that other work on the machine does not matter; `--keep FOLDER` keeps the reduced scripts.

ddSMT is installed into a virtual environment in the working folder, from the package index that pip is configured for.
Prints a Markdown table; details go to `side_by_side.csv`.
"""

import argparse
import csv
import ctypes
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

FAMILIES = [
    ("CHC", lambda t: "HORN" in t), ("strings", lambda t: "Str" in t or "Seq" in t), ("FP", lambda t: "FP" in t),
    ("quantifiers", lambda t: "Q" in t), ("BV", lambda t: "BV" in t), ("arithmetic", lambda t: "Real" in t or "Int" in t),
]
LOGICS = {"CHC": None, "strings": ["QF_S", "QF_SLIA"], "FP": ["QF_FP", "QF_BVFP"], "BV": ["QF_BV"],
          "quantifiers": ["QF_LRA", "QF_LIA", "LRA"], "arithmetic": ["QF_LRA", "QF_LIA", "QF_NRA"]}
MARKS = {"unreachable": "unreachable", "fatal": "fatal", "verify": "verif", "assert": "assert"}

HEAD = """#!/bin/sh
# Exits with 1 if the first solver misbehaves on the file and the second does not.
echo >> {count}
answer() {{ printf '%s\\n' "$1" | grep -m 1 -x -E 'sat|unsat|unknown'; }}
limited() {{ ulimit -S -t {limit}; exec "$@"; }}
bad=$(limited {bad} "$1" 2>&1)
code=$?
# SIGXCPU: the limit.
[ $code -ne 152 ] || exit 0
"""
TAIL = """good=$(limited {good} "$1" 2>&1)
case "$good" in *'(error'*) exit 0;; esac
{check} || exit 0
exit 1
"""
# The fast solver runs first: it rejects most candidates, and soon.
SLOW = """#!/bin/sh
# Exits with 1 if the first solver is not done after {slow} s of CPU time and the second one decides the file.
echo >> {count}
# SIGKILL at the limit, which no solver can handle.
limited() {{ ulimit -t $1; shift; exec "$@"; }}
good=$(limited {limit} {good} "$1" 2>&1)
case "$good" in *'(error'*) exit 0;; esac
printf '%s\\n' "$good" | grep -q -x -E 'sat|unsat' || exit 0
(limited {slow} {bad} "$1" > /dev/null 2>&1)
[ $? -ne 137 ] || exit 1
exit 0
"""
BODIES = {
    "wrong answer": ("""case "$bad" in *'(error'*) exit 0;; esac
[ "$(answer "$bad")" = {wrong} ] || exit 0
""", '[ "$(answer "$good")" = {correct} ]'),
    "signal": ("[ $code -gt 128 ] || exit 0\n", '[ -n "$(answer "$good")" ]'),
    "message": ("printf '%s' \"$bad\" | grep -q -i {mark} || exit 0\n", '[ -n "$(answer "$good")" ]'),
    "invalid model": ("printf '%s' \"$bad\" | grep -q 'invalid model' || exit 0\n", '[ "$(answer "$good")" = sat ]'),
}


def installed(args):
    """The binaries of z3 and cvc5 that gainsay has installed, by solver and version."""
    listed = subprocess.run([args.gainsay, "solvers", "list", "--json"], capture_output=True, text=True, check=True)
    binaries = {}
    for solver in json.loads(listed.stdout.splitlines()[-1])["installed"]:
        name = solver["solver"]
        found = [path for path in Path(solver["folder"]).rglob(name) if os.access(path, os.X_OK) and path.is_file()]
        if name in ("z3", "cvc5") and found:
            binaries[f"{name}-{solver['version']}"] = found[0]
    return binaries


def newest(binaries, name="z3"):
    number = lambda solver: [int(part) for part in solver.split("-")[1].split(".")]
    return max((solver for solver in binaries if solver.startswith(f"{name}-")), key=number)


def fast(row, binaries):
    """An installed solver that decides a slow trigger: the newest z3 if it does, else the last that is named."""
    named = [name for name in re.findall(r"(\S+?)=", row["also"]) if name in binaries]
    return newest(binaries) if newest(binaries) in named else next(reversed(named), None)


def kind_of(row):
    """What is wrong, on which releases, and which condition tells."""
    if row["category"] == "soundness" or (row["category"] == "chc" and row["soundness_on"]):
        return ("wrong answer", row["soundness_on"], "wrong answer") if row["wrong"] in ("sat", "unsat") else None
    if row["category"] == "crash" or (row["category"] == "chc" and row["crash_on"]):
        kind = row["crash_kind"]
        how = "signal" if "sig" in kind or "segv" in kind else "message"
        return ("crash", row["crash_on"], how) if how == "signal" or kind in MARKS else None
    if row["category"] == "invalid-model" and row["model_check"] == "INVALID":
        return "invalid model", row["invalid_on"], "invalid model"
    if row["category"] == "performance":
        return "slow", " ".join(re.findall(r"(\S+?)>", row["wrong"])), "slow"
    return None


def candidates(args, binaries):
    """Triggers by kind and family: (kind, family) and the rows that an installed z3 may show."""
    groups = {}
    with open(args.bugs / "knownbugs.csv", newline="") as rows:
        for row in csv.DictReader(rows):
            kind = kind_of(row)
            family = next((name for name, fits in FAMILIES if fits(row["theories"])), None)
            if kind is None or family is None:
                continue
            name, releases, how = kind
            good = fast(row, binaries) if how == "slow" else newest(binaries)
            solvers = [solver for solver in releases.split() if solver in binaries and solver != good]
            if how != "slow":
                solvers = [solver for solver in solvers if solver.startswith("z3-")]
            if solvers and good:
                groups.setdefault((name, family), []).append((row, (solvers[-1], good), how))
    return groups


def drawn(args, groups):
    """The triggers, or those that were drawn; each drawn one is a group of its own."""
    if not args.draw:
        return sorted(groups.items())
    # Those of one issue count as one, and very short ones leave nothing to reduce.
    size = lambda row: (args.bugs / row["category"] / f"{row['id']}.smt2").stat().st_size
    ones = {}
    for key, triggers in sorted(groups.items()):
        for trigger in triggers:
            if 300 <= size(trigger[0]) <= 8000:
                ones.setdefault(trigger[0]["source"], (key, [trigger]))
    tuned = set(filter(None, args.without.split(",")))
    list_of_ones = [one for _, one in sorted(ones.items()) if one[1][0][0]["id"] not in tuned]
    return random.Random(args.rng_seed).sample(list_of_ones, min(args.draw, len(list_of_ones)))


def condition(args, folder, binaries, row, solvers, how):
    """Writes the shell script that both tools get."""
    options = [word for word in re.sub(r"\[.*?\]", "", row["options"]).split()]
    if how != "invalid model":
        options = [word for word in options if not word.startswith("model_validate")]
    command = lambda binary: " ".join(shlex.quote(str(word)) for word in [binary, *options])
    words = {"wrong": row["wrong"], "correct": row["correct"].split()[0] if row["correct"] else "unknown",
             "mark": MARKS.get(row["crash_kind"], "x"), "limit": args.limit, "count": folder / "count",
             "slow": args.slow, "bad": command(binaries[solvers[0]]), "good": command(binaries[solvers[1]])}
    script = folder / "condition.sh"
    body, check = BODIES.get(how, ("", ""))
    text = SLOW if how == "slow" else HEAD + body + TAIL.replace("{check}", check)
    script.write_text(text.format(**words))
    script.chmod(0o755)
    return script


def shows(script, path):
    return subprocess.run([script, path], capture_output=True).returncode == 1


def expressions(text):
    """The top-level expressions of a text, as text without comments."""
    token = re.compile(r';[^\n]*|"(?:[^"]|"")*"|\|[^|]*\||[()]|[^\s()";|]+')
    found, depth, words = [], 0, []
    for match in token.finditer(text):
        word = match.group()
        if word.startswith(";"):
            continue
        depth += (word == "(") - (word == ")")
        words.append(word)
        if depth == 0:
            found.append(words)
            words = []
    return found


def stanza(path, number):
    """Declarations and assertions of a file under names of their own; nothing if it has anything else."""
    commands = expressions(path.read_text(errors="replace"))
    names, kept = set(), []
    for command in commands:
        head = command[1] if len(command) > 1 else ""
        if head in ("declare-fun", "declare-const", "define-fun"):
            names.add(command[2])
            kept.append(command)
        elif head == "assert":
            kept.append(command)
        elif head not in ("set-logic", "set-info", "set-option", "check-sat", "exit", "get-model"):
            return None
    rename = lambda word: f"|p{number}.{word.strip('|')}|" if word in names else word
    return "\n".join(" ".join(rename(word) for word in command) for command in kept) + "\n"


def padding(args, family):
    """Files of the corpus that are known to be satisfiable, small ones first."""
    if family == "CHC":
        files = (args.corpus / "chc").rglob("*.smt2")
    else:
        files = (path for logic in LOGICS[family] for path in (args.corpus / "smt" / logic / "sat").glob("*.smt2"))
    return sorted((path for path in files if path.stat().st_size < 20_000), key=lambda path: (path.stat().st_size, path))


def padded(args, folder, script, trigger, family, size):
    """The trigger with stanzas before its first check until it has `size` bytes and still shows; nothing if that fails."""
    text = trigger.read_text()
    before, check, after = text.partition("(check-sat")
    stanzas, files, number, failures = [], padding(args, family), 0, 0
    path = folder / f"{trigger.stem}.{size}.smt2"
    assemble = lambda parts: before + "".join(parts) + check + after
    # Stanzas come in groups that double as long as the bug shows.
    group = 1
    while files and len(assemble(stanzas)) < size and failures < 12:
        new = []
        while len(new) < group and len(assemble(stanzas + new)) < size:
            made = stanza(files[number % len(files)], number)
            number += 1
            if made and len(made) < size:
                new.append(made)
            if number > 5000:
                return None
        path.write_text(assemble(stanzas + new))
        if shows(script, path):
            stanzas += new
            group = min(group * 2, 64)
        else:
            failures += 1
            group = max(group // 2, 1)
    path.write_text(assemble(stanzas))
    return path if len(assemble(stanzas)) >= size * 0.7 and shows(script, path) else None


def cpu_seconds():
    """The CPU time of all descendants of this process, alive or reaped. It is their subreaper, so none escapes."""
    tick, parents, times = os.sysconf("SC_CLK_TCK"), {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = int(words[1])
            times[int(folder.name)] = sum(int(word) for word in words[11:15]) / tick
    mine, own = {os.getpid()}, os.getpid()
    while True:
        more = {process for process, parent in parents.items() if parent in mine} - mine
        if not more:
            break
        mine |= more
    reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(times.get(process, 0) for process in mine - {own}) + reaped.ru_utime + reaped.ru_stime


def reap_orphans():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def reduce_with(args, command, out, source, count):
    """Runs a tool; gives the bytes of its result, seconds, checks, the result and the CPU seconds of all its processes."""
    count.write_text("")
    out.unlink(missing_ok=True)
    begin, cpu = time.monotonic(), cpu_seconds()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([str(word) for word in command], stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
        is_over = lambda: time.monotonic() - begin > args.cap or args.cpu_cap and cpu_seconds() - cpu > args.cpu_cap
        while process.poll() is None and not is_over():
            time.sleep(0.1)
        seconds, is_capped = time.monotonic() - begin, process.poll() is None
        if is_capped:
            # An interrupt first: both write the best they have.
            os.killpg(process.pid, signal.SIGINT)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        reap_orphans()
        cpu = cpu_seconds() - cpu
        said.seek(0)
        if not out.exists():
            print(f"{command[0]}: no result: {said.read().strip()[-300:]}", file=sys.stderr)
    result = out if out.exists() else source
    return len(result.read_bytes()), seconds, len(count.read_text()), result, cpu, is_capped


def ddsmt(args):
    """ddSMT in a virtual environment of its own."""
    if args.ddsmt or args.alone:
        return args.ddsmt
    folder = Path("ddsmt-venv").resolve()
    binary = folder / "bin" / "ddsmt"
    if not binary.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([folder / "bin" / "pip", "install", "--quiet", "ddsmt==2.0.6"], check=True)
    return binary


def compare(args, tool, folder, row, kind, family, size, script, path):
    count = folder / "count"
    gainsay = [args.gainsay, "reduce", path, "--out", folder / "gainsay.smt2", "--jobs", args.jobs, "--ignore-output", "--", script]
    peer = [tool, "-j", args.jobs, "--ignore-output", path, folder / "ddsmt.smt2", script]
    ours = reduce_with(args, gainsay, folder / "gainsay.smt2", path, count)
    theirs = ours if args.alone else reduce_with(args, peer, folder / "ddsmt.smt2", path, count)
    # What counts is the script, not the blanks that a tool leaves: both are printed alike.
    size_of = lambda result: normalised(args, result)
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
        shutil.copy(ours[3], args.keep / f"{row['id']}.gainsay.smt2")
        shutil.copy(theirs[3], args.keep / f"{row['id']}.ddsmt.smt2")
    return {"bug": row["id"], "kind": kind, "family": family, "wanted": size, "bytes": path.stat().st_size,
            "gainsay bytes": size_of(ours[3]), "gainsay s": round(ours[1], 1), "gainsay checks": ours[2],
            "gainsay cpu": round(ours[4], 1), "gainsay capped": ours[5], "gainsay shows": shows(script, ours[3]),
            "ddsmt bytes": size_of(theirs[3]), "ddsmt s": round(theirs[1], 1), "ddsmt checks": theirs[2],
            "ddsmt cpu": round(theirs[4], 1), "ddsmt capped": theirs[5], "times": round(theirs[1] / max(ours[1], 0.01), 1)}


def normalised(args, path):
    printed = subprocess.run([args.gainsay, "parse", "--print", path], capture_output=True)
    return len(printed.stdout) if printed.returncode == 0 and printed.stdout else path.stat().st_size


def table(rows):
    print("| bug | kind | theories | bytes | gainsay | ddSMT | time | CPU s | checks |\n|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        result = lambda tool: f"{row[f'{tool} bytes']} B, {row[f'{tool} s']} s{' (cap)' if row[f'{tool} capped'] else ''}"
        print(f"| {row['bug']} | {row['kind']} | {row['family']} | {row['bytes']} | {result('gainsay')} | {result('ddsmt')} | "
              f"{row['times']} times | {row['gainsay cpu']} / {row['ddsmt cpu']} | {row['gainsay checks']} / {row['ddsmt checks']} |")
    if rows:
        times = [row["times"] for row in rows]
        larger = sum(row["gainsay bytes"] > row["ddsmt bytes"] for row in rows)
        lost = sum(not row["gainsay shows"] for row in rows)
        print(f"\n{len(rows)} files; time of ddSMT in terms of ours: least {min(times)}, median {statistics.median(times)}; "
              f"below 5 on {sum(t < 5 for t in times)}; our result larger on {larger}; no longer shows on {lost}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--ddsmt", help="a ddSMT that is installed already")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sizes", default="2,20,200", help="in kB")
    parser.add_argument("--cap", type=int, default=120)
    parser.add_argument("--cpu-cap", type=float, default=0, help="CPU seconds of all processes of a tool; 0 for no limit")
    parser.add_argument("--limit", type=int, default=2)
    parser.add_argument("--slow", type=int, default=1, help="CPU seconds after which a solver is slow")
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--ids", default="", help="triggers that are wanted, by a comma")
    parser.add_argument("--draw", type=int, default=0, help="how many triggers to draw; 0 for all in order")
    parser.add_argument("--without", default="", help="triggers that are not drawn, by a comma")
    parser.add_argument("--rng-seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the reduced scripts")
    parser.add_argument("--alone", action="store_true", help="without ddSMT")
    parser.add_argument("--only", default="", help="kinds or families that are wanted, by a comma")
    args = parser.parse_args()
    args.gainsay = shutil.which(args.gainsay) or str(Path(args.gainsay).resolve())
    tool, binaries, rows = ddsmt(args), installed(args), []
    wanted, ids = set(filter(None, args.only.split(","))), set(filter(None, args.ids.split(",")))
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    for (kind, family), triggers in drawn(args, candidates(args, binaries)):
        if wanted and not wanted & {kind, family}:
            continue
        found = 0
        for row, solvers, how in triggers:
            if ids and row["id"] not in ids:
                continue
            trigger = args.bugs / row["category"] / f"{row['id']}.smt2"
            with tempfile.TemporaryDirectory() as folder:
                folder = Path(folder)
                script = condition(args, folder, binaries, row, solvers, how)
                if found >= args.each or not shows(script, trigger):
                    continue
                made = 0
                for size in [int(float(size) * 1000) for size in args.sizes.split(",")]:
                    path = padded(args, folder, script, trigger, family, size)
                    if path is None:
                        print(f"{row['id']}: not shown any more with {size} bytes", file=sys.stderr)
                        continue
                    made += 1
                    rows.append(compare(args, tool, folder, row, kind, family, size, script, path))
                    print(json.dumps(rows[-1]), file=sys.stderr)
                found += made > 0
    if rows:
        with open("side_by_side.csv", "w", newline="") as out:
            writer = csv.DictWriter(out, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
    table(rows)


if __name__ == "__main__":
    main()
