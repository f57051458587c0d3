#!/usr/bin/env python3
"""Does a campaign that an agent leads find as many known bugs as the best strategy alone, at the same budget?

    python3 experiments/bandits/knownbugs.py --bugs FOLDER [--release z3-4.8.7] [--cases 2000] [--repetitions 3]

FOLDER holds `knownbugs.csv` (columns id, category, soundness_on, crash_on, options, seeds) and CATEGORY/ID.seed*.smt2. The seeds of
all bugs of one release (wrong answers and crashes that show with the same options) go into one campaign for each strategy alone, one
for all of them drawn uniformly, and one for all of them led by an agent; the newest z3 and cvc5 run beside the release. A bug counts
as found if a case from one of its seeds shows a finding whose suspect is the release; the script does not check that it is the same
bug. A case fused from several seeds counts for the first of them, and only if no bug of any of them was found before.
Prints a Markdown table with means over the repetitions; each campaign is a line of `knownbugs.csv` in the working folder.
"""

import argparse
import csv
import json
import re
import statistics
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

REFERENCES = ["z3@5.4.0", "cvc5@1.4.2"]
COLUMNS = {"soundness": "soundness_on", "crash": "crash_on"}
STRATEGIES = ["generative", "operator", "subterm", "fusion", "value", "construct", "generate"]
AGENTS = ["thompson"]


def bugs_of(args):
    """The options that most bugs of the release need, and the bug of each seed."""
    rows = []
    with open(args.bugs / "knownbugs.csv", newline="") as lines:
        for row in csv.DictReader(lines):
            column = COLUMNS.get(row["category"])
            if column and row["seeds"] and args.release in row[column].split():
                # Without brackets: what is in them is for checking models only.
                rows.append((row, " ".join(re.sub(r"\[.*?\]", "", row["options"]).split())))
    options = Counter(options for _, options in rows).most_common(1)[0][0]
    seeds = {}
    for row, own in rows:
        if own == options:
            for seed in row["seeds"].split():
                seeds[str(args.bugs / row["category"] / seed.split(":")[0])] = row["id"]
    return options, seeds


def campaign(args, solver, seeds, strategies, schedule, rng_seed):
    with tempfile.TemporaryDirectory() as folder:
        command = [args.gainsay, "fuzz", "--strategy", ",".join(strategies), "--schedule", schedule, "--solver", solver,
                   "--out", f"{folder}/out", "--json", "--jobs", str(args.jobs), "--rng-seed", str(rng_seed),
                   "--cases", str(args.cases), "--timeout", args.timeout, "--options", "none"]
        for reference in args.reference:
            command += ["--solver", reference]
        done = subprocess.run([*command, "--seeds", *seeds], capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or "cases" not in lines[-1]:
        raise SystemExit(f"{strategies} {schedule}: {done.stderr.strip()[-500:]}")
    name = solver.split()[0]
    found = [event for event in lines if event.get("event") == "found" and event["case"] is not None
             and name in event["finding"]["suspect"]]
    bugs = set()
    for event in found:
        of_seeds = [seeds[seed] for seed in event["seed"].split(" with ")]
        if not bugs.intersection(of_seeds):
            bugs.add(of_seeds[0])
    prints = {event["finding"]["fingerprint"] for event in found}
    sums = lines[-1]
    return {"bugs": len(bugs), "fingerprints": len(prints), "cases": sums["cases"], "cpu": round(sums["cpu"]["solvers"]),
            "arms": "; ".join(f"{a['strategy']} {a['theory'] or ''} {a['cases']}" for a in sums["arms"][:5])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--release", default="z3-4.8.7")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--timeout", default="1")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--first", type=int, default=1, help="the rng seed of the first repetition")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--reference", nargs="+", default=REFERENCES)
    parser.add_argument("--setup", nargs="+", help="only these rows of the table")
    args = parser.parse_args()
    args.bugs = args.bugs.resolve()
    options, seeds = bugs_of(args)
    solver = f"{args.release.replace('-', '@')} {options}".strip()
    subprocess.run([args.gainsay, "solvers", "install", solver.split()[0], *args.reference], check=True, stdout=subprocess.DEVNULL)
    setups = [(name, [name], "uniform") for name in STRATEGIES]
    setups += [("all, uniform", STRATEGIES, "uniform")] + [(f"all, {agent}", STRATEGIES, agent) for agent in AGENTS]
    setups = [setup for setup in setups if not args.setup or setup[0] in args.setup]
    rows = []
    with open("knownbugs.csv", "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["setup", "rng_seed", "bugs", "fingerprints", "cases", "cpu", "arms"])
        for number in range(args.first, args.first + args.repetitions):
            for name, strategies, schedule in setups:
                result = campaign(args, solver, seeds, strategies, schedule, number)
                rows.append((name, result))
                table.writerow([name, number, *result.values()])
                out.flush()
    print(f"{len(set(seeds.values()))} bugs of {solver}, {len(seeds)} seeds, {args.cases} cases, {args.repetitions} repetitions\n")
    print("| strategies | bugs | fingerprints | cases run | CPU seconds of solvers |\n|---|---|---|---|---|")
    for name, _, _ in setups:
        of = [result for setup, result in rows if setup == name]
        cells = [f"{statistics.mean(result[key] for result in of):.1f}" for key in ["bugs", "fingerprints", "cases", "cpu"]]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
