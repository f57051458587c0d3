#!/usr/bin/env python3
"""How many distinct bugs do gainsay, each of its strategies, and yinyang find in the same CPU time?

    python3 experiments/versus/versus.py (--seeds FOLDER | --known-bugs FOLDER) [--target z3@4.8.7] [--cpu 120] [--repetitions 10] [--half held-out] [--arms a,b]

`--known-bugs` names a collection with a table `knownbugs.csv`; the seeds are then the scripts near those bugs that the table saw on the target.

All arms get the same seeds, the same target release, the same two references (the newest z3 and cvc5), the same timeout, one job, and `--cpu` seconds of CPU time
of their whole process tree; they alternate within a repetition. The seeds are split into two halves by a hash of their names: tune on one (`tuned-on`), report the
other (`held-out`). yinyang 0.3.0 is installed into a virtual environment; as its users do, z3 runs with model_validate=true, and a tool that ends before its time is
started again. typefuzz ends with an error of its own on seeds that it cannot type: these are found before and left out of its seeds, at no cost to it. `opfuzz@30`
is opfuzz with 30 mutants a seed and not 300, its default, with which a short run sees few seeds.

Triggers of all tools go through the same confirmation: `gainsay check` must call the target wrong. Then `gainsay bisect` asks the installed releases. A bug is
counted by what fixed it: the kind, and the first release that is right after the last bad one; beside it, by the seed that it came from. Triggers that are not
confirmed are listed in `unconfirmed.txt`, to be looked at.

`--variant short='--chain 3'` adds an arm of gainsay with other settings, which are words for `gainsay fuzz`, a campaign file among them; a setting is kept only if
such an arm shows it on the half that tuning may look at.

An arm of gainsay, a variant too, whose name ends with `+reference` names the references by `--reference`: they are asked only where nothing else
tells whether an answer is right.

`runs.jsonl` in the working folder has a line for each arm and repetition, so an interrupted experiment continues where it was. Prints Markdown tables: means and
deviations, and for each arm against the first one Mann-Whitney's U test (two-sided, normal approximation with ties) and the effect size A12.
"""

import argparse
import csv
import hashlib
import json
import math
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PEER = "yinyang==0.3.0"
REFERENCES = ["z3@5.4.0", "cvc5@1.4.2"]
STRATEGIES = ["generative", "operator", "subterm", "fusion", "value", "construct", "generate"]
PEERS = ["opfuzz", "typefuzz", "yinyang"]
JUDGED = "+reference"
TICK = os.sysconf("SC_CLK_TCK")
POLL_SECONDS = 0.5
MAX_SHORT_ROUNDS = 20


def is_peer(arm):
    return arm.partition("@")[0] in PEERS


def tree_cpu(session):
    """CPU seconds of the live processes of a session and of all that they have waited for."""
    total = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session:
                total += sum(int(field) for field in fields[11:15])
    return total / TICK


def run_for(command, cpu, folder, log):
    """Runs a command until it ends or has used so much CPU time; gives the samples (time of day, CPU seconds)."""
    child = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    samples = [(time.time(), 0.0)]
    interrupted = False
    while child.poll() is None:
        time.sleep(POLL_SECONDS)
        samples.append((time.time(), max(samples[-1][1], tree_cpu(child.pid))))
        if samples[-1][1] >= cpu and not interrupted:
            interrupted = True
            os.killpg(child.pid, signal.SIGINT)
        elif samples[-1][1] >= cpu + 20:
            os.killpg(child.pid, signal.SIGKILL)
    return samples


TYPES_SEEDS = """
import sys
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.parsing.Typechecker import typecheck
from yinyang.src.mutators.GenTypeAwareMutation.GenTypeAwareMutation import GenTypeAwareMutation
from yinyang.src.mutators.GenTypeAwareMutation.Util import get_unique_subterms
for name in sys.argv[1:]:
    try:
        script, names = parse_file(name, silent=True)
        if script:
            typecheck(script, names)
            get_unique_subterms(script)
            print("types", name)
    except BaseException:
        pass
"""


def gainsay_arm(args, arm, seeds, number, folder):
    command = [args.gainsay, "fuzz", "--seeds", seeds, "--out", folder / "out", "--jobs", "1", "--rng-seed", number, "--timeout", args.timeout,
               "--solver", args.target, "--time", "24h", "--json"]
    flag = "--reference" if arm.endswith(JUDGED) else "--solver"
    command += [word for reference in REFERENCES for word in (flag, reference)]
    words = args.variants.get(arm)
    arm = arm.removesuffix(JUDGED)
    if words is not None:
        command[2:2] = words
    elif arm != "default":
        command += ["--schedule" if arm == "thompson" else "--strategy", arm]
    with open(folder / "log", "w") as log:
        samples = run_for(command, args.cpu, folder, log)
    last = next((json.loads(line) for line in reversed((folder / "log").read_text().splitlines()) if line.startswith("{") and '"cases"' in line), {})
    triggers = []
    for origin in sorted((folder / "out/findings").glob("*/origin.toml")) if (folder / "out/findings").exists() else []:
        seed = re.search(r'^\[seed\]\nname = "?([^"\n]*)', origin.read_text(), re.M)
        triggers.append((origin.parent / "case.smt2", Path(seed.group(1).split(" with ")[0]).name if seed else "", origin.stat().st_mtime))
    return last.get("cases", 0), triggers, samples


def peer_solver(args, name):
    """The command of a solver for yinyang; the target validates its models."""
    option = {"z3": "model_validate=true", "cvc5": "--check-models"}.get(name.partition("@")[0], "") if name == args.target else ""
    program = f"{args.gainsay} driver cvc5 {args.binaries[name]}" if name.startswith("cvc5") else args.binaries[name]
    return f"{program} {option}".strip()


def peer_arm(args, arm, seeds, number, folder):
    solvers = [peer_solver(args, name) for name in (args.target, *REFERENCES)]
    samples, cases, short = [(time.time(), 0.0)], 0, 0
    names = sorted(path.name for path in seeds.iterdir())
    arm, _, mutants = arm.partition("@")
    if arm == "typefuzz":
        seeds = typed_seeds(args, seeds)
    while samples[-1][1] < args.cpu:
        round_folder = Path(tempfile.mkdtemp(dir=folder))
        inputs = [seeds / name for name in names]
        if arm == "yinyang":
            inputs = fusion_seeds(args, seeds, round_folder)
            if inputs is None:
                break
        command = [args.peer / "bin" / arm, "-t", args.timeout, "-b", folder / "bugs", "-s", round_folder, *(["-i", mutants] if mutants else []), *(["-o", "sat"] if arm == "yinyang" else ["-m", "1"]),
                   ";".join(solvers), *(inputs if arm == "yinyang" else [seeds])]
        with open(round_folder / "log", "w") as log:
            more = run_for(command, args.cpu - samples[-1][1], round_folder, log)
        base = samples[-1][1]
        samples += [(at, base + used) for at, used in more[1:]]
        found = re.findall(r"Performed (\d+) solver calls", (round_folder / "log").read_text(errors="replace"))
        cases += int(found[-1]) // len(solvers) if found else 0
        short = short + 1 if more[-1][1] < 2 else 0
        if short == MAX_SHORT_ROUNDS:
            print(f"{arm} ends at once: {(round_folder / 'log').read_text(errors='replace')[-200:]}", file=sys.stderr)
            break
    triggers = []
    for path in sorted((folder / "bugs").glob("*.smt2")) if (folder / "bugs").exists() else []:
        # yinyang leaves the dots of a seed's name out.
        fitting = [name for name in names if name.removesuffix(".smt2").replace(".", "") in path.name]
        seed = max(fitting, key=len, default="")
        triggers.append((path, seed, path.stat().st_mtime))
    return cases, triggers, samples


def typed_seeds(args, seeds):
    """A folder of the seeds that typefuzz can type."""
    chosen = seeds.with_name(seeds.name + "-typed")
    if not chosen.exists():
        said = subprocess.run([args.peer / "bin/python", "-c", TYPES_SEEDS, *sorted(seeds.iterdir())], capture_output=True, text=True).stdout
        chosen.mkdir()
        for name in re.findall(r"^types (.*)$", said, re.M):
            shutil.copy(name, chosen)
        print(f"typefuzz can type {len(list(chosen.iterdir()))} of {len(list(seeds.iterdir()))} seeds", file=sys.stderr)
    return chosen


def fusion_seeds(args, seeds, folder):
    """Satisfiable seeds of one logic, which is all that yinyang's fusion takes; their answers are those of the newest z3."""
    marks = seeds.with_name(seeds.name + "-sat.json")
    if not marks.exists():
        answers = {}
        for path in seeds.iterdir():
            said = subprocess.run([args.binaries[REFERENCES[0]], "-T:2", path], capture_output=True, text=True).stdout
            answers[path.name] = said.split()[:1] == ["sat"]
        marks.write_text(json.dumps(answers))
    chosen = [seeds / name for name, is_sat in json.loads(marks.read_text()).items() if is_sat]
    return chosen if len(chosen) > 1 else None


def confirm(args, trigger):
    """The kind and the fix of the bug that a trigger shows on the target; None if it shows none."""
    key = hashlib.sha256(trigger.read_bytes()).hexdigest()
    record = args.work / "confirmed" / key
    if not record.exists():
        command = [args.gainsay, "check", trigger, "--json", "--timeout", "5", "--solver", args.target]
        command += [word for reference in REFERENCES for word in ("--solver", reference)]
        said = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120).stdout
        bug = None
        findings = [finding for line in said.splitlines() if line.startswith("{") for finding in json.loads(line).get("findings", [])]
        wrong = [finding for finding in findings if args.target in str(finding.get("suspect"))]
        if wrong:
            bug = {"kind": wrong[0]["kind"], "fingerprint": str(wrong[0]["fingerprint"]), "fixed": fix(args, trigger, wrong[0]["kind"])}
        record.parent.mkdir(exist_ok=True)
        record.write_text(json.dumps(bug))
    return json.loads(record.read_text())


def fix(args, trigger, kind):
    command = [args.gainsay, "bisect", trigger, "--solver", args.target.split("@")[0], "--installed", "--kind", kind, "--json", "--timeout", "5"]
    try:
        said = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300).stdout
        found = json.loads(said.splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, ValueError):
        return "undecided"
    return str(found.get("fixed_in") or found.get("fixed") or found.get("last_bad") or "undecided")


def cpu_at(samples, moment):
    return next((cpu for at, cpu in samples if at >= moment), samples[-1][1])


def one_run(args, arm, seeds, number):
    folder = Path(tempfile.mkdtemp(dir=args.work, prefix=f"{arm}-"))
    make = peer_arm if is_peer(arm) else gainsay_arm
    cases, triggers, samples = make(args, arm, seeds, number, folder)
    bugs, by_seed, unconfirmed = {}, set(), []
    for path, seed, moment in sorted(triggers, key=lambda trigger: trigger[2]):
        bug = confirm(args, path)
        if bug is None:
            unconfirmed.append(str(path))
            continue
        bugs.setdefault(f"{bug['kind']} fixed in {bug['fixed']}", round(cpu_at(samples, moment), 1))
        by_seed.add(seed)
    with open(args.work / "unconfirmed.txt", "a") as out:
        out.writelines(f"{arm} {number} {path}\n" for path in unconfirmed)
    if not unconfirmed and not args.keep:
        shutil.rmtree(folder)
    return {"arm": arm, "repetition": number, "target": args.target, "half": args.half, "cases": cases, "cpu": round(samples[-1][1], 1),
            "triggers": len(triggers), "unconfirmed": len(unconfirmed), "bugs": bugs, "seeds": sorted(by_seed)}


def mann_whitney(xs, ys):
    """The two-sided p of the U test by the normal approximation, and A12: how often x is larger than y."""
    wins = sum((x > y) + 0.5 * (x == y) for x in xs for y in ys)
    n, m = len(xs), len(ys)
    everything = sorted(xs + ys)
    ties = sum(count ** 3 - count for count in (everything.count(value) for value in set(everything)))
    variance = n * m / 12 * ((n + m + 1) - ties / ((n + m) * max(n + m - 1, 1)))
    p = math.erfc(max(abs(wins - n * m / 2) - 0.5, 0) / math.sqrt(2 * variance)) if variance else 1.0
    return p, wins / (n * m)


def tables(args, runs):
    runs = [run for run in runs if run["target"] == args.target and run["half"] == args.half]
    arms = [arm for arm in args.arms if any(run["arm"] == arm for run in runs)]
    of = {arm: [run for run in runs if run["arm"] == arm] for arm in arms}
    counts = {arm: [len(run["bugs"]) for run in of[arm]] for arm in arms}
    spread = lambda values: f"{statistics.mean(values):.1f} ± {statistics.stdev(values) if len(values) > 1 else 0:.1f}"
    print(f"{args.target}, {args.cpu} CPU seconds an arm, {args.half} half of the seeds\n")
    print("| arm | runs | bugs by fix | bugs by seed | cases | unconfirmed triggers | p | A12 | all bugs of all runs |\n|---|---|---|---|---|---|---|---|---|")
    for arm in arms:
        p, effect = mann_whitney(counts[arm], counts[arms[0]])
        test = "| |" if arm == arms[0] else f"{p:.3f} | {effect:.2f} |"
        together = {bug for run in of[arm] for bug in run["bugs"]}
        print(f"| {arm} | {len(of[arm])} | {spread(counts[arm])} | {spread([len(run['seeds']) for run in of[arm]])} | {spread([run['cases'] for run in of[arm]])} | "
              f"{sum(run['unconfirmed'] for run in of[arm])} of {sum(run['triggers'] for run in of[arm])} | {test} {len(together)} |")
    ours = {bug for arm in arms if not is_peer(arm) for run in of[arm] for bug in run["bugs"]}
    missed = {(arm, bug) for arm in arms if is_peer(arm) for run in of[arm] for bug in run["bugs"] if bug not in ours}
    print("\nBugs that a peer found and no arm of gainsay: " + ("; ".join(sorted(f"{bug} ({arm})" for arm, bug in missed)) or "none"))
    print("\n| arm | " + " | ".join(f"bugs after {args.cpu * part // 4} s" for part in range(1, 5)) + " |\n|---|---|---|---|---|")
    for arm in arms:
        cells = [statistics.mean(sum(at <= args.cpu * part / 4 or part == 4 for at in run["bugs"].values()) for run in of[arm]) for part in range(1, 5)]
        print(f"| {arm} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")


def near_known_bugs(args):
    """The scripts near those known bugs that were seen on the target."""
    version = args.target.replace("@", "-")
    for row in csv.DictReader((args.known_bugs / "knownbugs.csv").open()):
        if version in " ".join(row[key] for key in ("soundness_on", "crash_on", "invalid_on")).split():
            yield from (args.known_bugs / row["category"]).glob(row["id"] + ".seed*.smt2")


def seeds_of(args):
    """The half of the seeds, copied to one folder under names that are unique."""
    root = args.known_bugs or args.seeds
    chosen = args.work / f"seeds-{args.half}-{args.target}-{root.name}"
    if not chosen.exists():
        chosen.mkdir()
        for path in sorted(near_known_bugs(args) if args.known_bugs else root.rglob(args.pattern)):
            name = str(path.relative_to(root)).replace("/", "-")
            # Seeds of one bug stay in one half.
            half = int(hashlib.sha256(path.name.split(".")[0].encode()).hexdigest(), 16) % 2
            if path.stat().st_size <= args.limit and half == (args.half == "held-out"):
                shutil.copy(path, chosen / name)
    return chosen


def prepare(args):
    args.gainsay = str(Path(args.gainsay).resolve())
    args.work.mkdir(parents=True, exist_ok=True)
    args.work = args.work.resolve()
    solvers = [args.target, *REFERENCES]
    subprocess.run([args.gainsay, "solvers", "install", *solvers], check=True, stdout=subprocess.DEVNULL)
    listed = json.loads(subprocess.run([args.gainsay, "solvers", "list", "--json"], capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    folders = {f"{one['solver']}@{one['version']}": Path(one["folder"]) for one in listed["installed"]}
    program = {"cvc5": "lib", "z3": "bin/z3", "yices": "bin/yices-smt2"}
    args.binaries = {name: folders[name] / program[name.partition("@")[0]] for name in solvers}
    args.peer = args.work / "peer"
    if any(map(is_peer, args.arms)) and not args.peer.exists():
        subprocess.run([sys.executable, "-m", "venv", args.peer], check=True)
        subprocess.run([args.peer / "bin/python", "-m", "pip", "install", "-q", PEER], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--seeds", type=Path)
    source.add_argument("--known-bugs", type=Path)
    parser.add_argument("--pattern", default="*.smt2", help="names of seeds within the folder")
    parser.add_argument("--limit", type=int, default=6000, help="bytes of a seed")
    parser.add_argument("--half", choices=["tuned-on", "held-out"], default="held-out")
    parser.add_argument("--target", default="z3@4.8.7")
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--work", type=Path, default=Path("versus"))
    parser.add_argument("--cpu", type=int, default=120)
    parser.add_argument("--timeout", default="2")
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--arms", type=lambda text: text.split(","), default=["default", "thompson", *STRATEGIES, *PEERS])
    parser.add_argument("--variant", action="append", default=[], help="NAME=WORDS: an arm of gainsay with these further arguments")
    parser.add_argument("--keep", action="store_true", help="keep the folders of all runs")
    args = parser.parse_args()
    args.variants = {name: shlex.split(words) for name, _, words in (text.partition("=") for text in args.variant)}
    args.arms += [name for name in args.variants if name not in args.arms]
    prepare(args)
    seeds, record = seeds_of(args), args.work / "runs.jsonl"
    runs = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    done = {(run["arm"], run["repetition"], run["target"], run["half"]) for run in runs}
    print(f"{len(list(seeds.iterdir()))} seeds", file=sys.stderr)
    for number in range(1, args.repetitions + 1):
        for arm in args.arms:
            if (arm, number, args.target, args.half) not in done:
                runs.append(one_run(args, arm, seeds, number))
                print({key: value for key, value in runs[-1].items() if key != "seeds"}, file=sys.stderr, flush=True)
                with open(record, "a") as out:
                    out.write(json.dumps(runs[-1]) + "\n")
    tables(args, runs)


if __name__ == "__main__":
    main()
