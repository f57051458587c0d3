#!/usr/bin/env python3
"""How many known bugs of released solvers does each strategy find again from a nearby seed?

    python3 experiments/rediscovery/rediscover.py --bugs FOLDER [--cases 2000] [--seconds 60] [--strategy a,b]

FOLDER holds `knownbugs.csv` (columns id, category, soundness_on, crash_on, options, seeds) and CATEGORY/ID.seed*.smt2.
Runs one campaign for each bug that has a seed and each strategy: its seeds, the affected release, and the newest z3 and cvc5 beside
it. The bug counts as found if the campaign reports a finding whose suspect is that release. Prints a Markdown table; details
go to `rediscovery.csv` in the working folder.
"""

import argparse
import csv
import json
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Releases that are asked for a bug, the first that is affected; all of them can be installed.
RELEASES = ["z3-4.8.10", "z3-4.8.12", "z3-4.8.9", "z3-4.8.8", "z3-4.8.14", "z3-4.8.7", "z3-4.8.6", "z3-4.12.1", "z3-4.13.0",
            "z3-4.16.0", "z3-5.0.0", "cvc5-1.2.1", "cvc5-1.3.0", "cvc4-1.8"]
REFERENCES = ["z3@5.4.0", "cvc5@1.4.2"]
COLUMNS = {"soundness": "soundness_on", "crash": "crash_on"}


def solver_name(release, options):
    name, version = release.split("-")
    # Without brackets: what is in them is for checking models only.
    words = re.sub(r"\[.*?\]", "", options).split()
    base = "cvc4" if name == "cvc4" else f"{name}@{version}"
    return " ".join([base, *words])


def jobs(args):
    """Each bug with a seed and an affected release: id, category, solver, seeds."""
    found = []
    with open(args.bugs / "knownbugs.csv", newline="") as rows:
        for row in csv.DictReader(rows):
            column = COLUMNS.get(row["category"])
            if not column or not row["seeds"]:
                continue
            release = next((r for r in RELEASES if r in row[column].split()), None)
            if release is None or (release == "cvc4-1.8" and not shutil.which("cvc4")):
                continue
            seeds = [args.bugs / row["category"] / seed.split(":")[0] for seed in row["seeds"].split()]
            found.append((row["id"], row["category"], solver_name(release, row["options"]), seeds))
    return found


def campaign(args, job, strategy):
    bug, category, solver, seeds = job
    with tempfile.TemporaryDirectory() as folder:
        command = [args.gainsay, "fuzz", "--strategy", strategy, "--solver", solver, "--out", f"{folder}/out", "--json",
                   "--jobs", "1", "--rng-seed", "1", "--cases", str(args.cases), "--time", f"{args.seconds}s",
                   "--findings", "1", "--timeout", "2", "--options", "none"]
        for reference in REFERENCES:
            command += ["--solver", reference]
        for seed in seeds:
            command += ["--seeds", seed]
        done = subprocess.run(command, capture_output=True, text=True)
        try:
            result = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, json.JSONDecodeError):
            return bug, category, solver, strategy, "failed", 0, done.stderr.strip()[-200:]
    suspects = [f for f in result["findings"] if solver.split()[0] in f["suspect"]]
    verdict = "found" if suspects else "missed"
    kinds = " ".join(sorted({f["kind"] for f in suspects}))
    return bug, category, solver, strategy, verdict, result["cases"], kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--strategy", default="generative,operator,subterm")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    todo, strategies = jobs(args), args.strategy.split(",")
    names = sorted({job[2].split()[0] for job in todo if "@" in job[2]} | set(REFERENCES))
    subprocess.run([args.gainsay, "solvers", "install", *names], check=True, stdout=subprocess.DEVNULL)
    with ThreadPoolExecutor(args.jobs) as pool:
        pending = [pool.submit(campaign, args, job, strategy) for job in todo for strategy in strategies]
        rows = [task.result() for task in pending]
    with open("rediscovery.csv", "w", newline="") as out:
        csv.writer(out).writerows([("bug", "category", "solver", "strategy", "verdict", "cases", "kinds"), *rows])
    print(f"{len(todo)} bugs with seeds, at most {args.cases} cases or {args.seconds} s each\n")
    print("| category | bugs | " + " | ".join(strategies) + " | any |")
    print("|---|---|" + "---|" * (len(strategies) + 1))
    for category in COLUMNS:
        of = [row for row in rows if row[1] == category]
        found = {s: {row[0] for row in of if row[3] == s and row[4] == "found"} for s in strategies}
        cells = [str(len(found[s])) for s in strategies] + [str(len(set().union(*found.values())))]
        print(f"| {category} | {len({row[0] for row in of})} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
