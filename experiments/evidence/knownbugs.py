#!/usr/bin/env python3
"""Do known bugs get the right kind, evidence and suspect, and are fixed releases not blamed?

    python3 experiments/evidence/knownbugs.py --bugs FOLDER

FOLDER holds `knownbugs.csv` (columns id, category, soundness_on, invalid_on, model_check, options) and CATEGORY/ID.smt2. Each
script runs on an affected release beside the newest z3 and cvc5, and on the newest alone. Prints a Markdown table; details
go to `evidence.csv` in the working folder.
"""

import argparse
import csv
import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Releases that are asked for a bug, the first that is affected.
RELEASES = ["z3-4.8.12", "z3-4.8.10", "z3-4.8.9", "z3-4.8.14", "z3-4.8.13", "z3-4.12.2", "z3-4.8.8", "z3-4.8.7", "z3-4.8.6",
            "cvc5-1.2.1", "cvc5-1.2.0"]
# The program on PATH, if there is one: it cannot be installed from the package index.
ON_PATH = {"cvc4-1.8": "cvc4"}
NEWEST = ["z3@5.4.0", "cvc5@1.4.2"]
COLUMNS = {"soundness": ("soundness_on", ("refutation", "solution")), "invalid-model": ("invalid_on", ("model",))}


def check(args, path, solvers):
    command = [args.gainsay, "check", str(path), "--json", "--timeout", str(args.timeout)]
    for solver in solvers:
        command += ["--solver", solver]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout.splitlines()[-1])["findings"]
    except (IndexError, json.JSONDecodeError):
        return [{"kind": "failed", "evidence": done.stderr.strip()[-120:], "suspect": ""}]


def judge(args, row):
    column, kinds = COLUMNS[row["category"]]
    releases = RELEASES + [release for release, program in ON_PATH.items() if shutil.which(program)]
    release = next((r for r in releases if r in row[column].split()), None)
    path = args.bugs / row["category"] / f"{row['id']}.smt2"
    if release is None or not path.exists():
        return None
    options = re.sub(r"\[.*?\]", "", row["options"]).split()
    suspect = " ".join([ON_PATH.get(release, release.replace("-", "@")), *options])
    found = check(args, path, [suspect, *NEWEST])
    right = [f for f in found if f["kind"] in kinds and f["suspect"].startswith(suspect.split()[0])]
    best = max((f["evidence"] for f in right), key=["disagreement", "corroborated", "proved"].index, default="")
    other = [f for f in found if f["kind"] != "disagreement" and any(name in f["suspect"] for name in NEWEST)]
    alone = check(args, path, NEWEST)
    say = lambda findings: "; ".join(f"{f['kind']} {f['evidence']} {f['suspect']}" for f in findings)
    return row["id"], row["category"], row["model_check"], suspect, best or say(found) or "nothing", say(other), say(alone)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--timeout", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="how the names of bugs begin")
    args = parser.parse_args()
    names = [release.replace("-", "@") for release in RELEASES] + NEWEST
    subprocess.run([args.gainsay, "solvers", "install", *names], check=True, stdout=subprocess.DEVNULL)
    with open(args.bugs / "knownbugs.csv", newline="") as rows:
        todo = [row for row in csv.DictReader(rows) if row["category"] in COLUMNS and row["id"].startswith(args.only)]
    with ThreadPoolExecutor(args.jobs) as pool:
        rows = [row for row in pool.map(lambda row: judge(args, row), todo) if row]
    with open("evidence.csv", "w", newline="") as out:
        header = ("bug", "category", "model_check", "suspect", "called", "newest blamed", "newest alone")
        csv.writer(out).writerows([header, *rows])
    print("| category | bugs | proved | corroborated | otherwise | newest blamed | found on newest alone |")
    print("|---|---|---|---|---|---|---|")
    for name, of in (("soundness", lambda r: r[1] == "soundness"),
                     ("invalid model, refuted elsewhere too", lambda r: r[1] == "invalid-model" and r[2] == "INVALID"),
                     ("invalid model, others", lambda r: r[1] == "invalid-model" and r[2] != "INVALID")):
        part = [row for row in rows if of(row)]
        count = lambda test: sum(1 for row in part if test(row))
        print(f"| {name} | {len(part)} | {count(lambda r: r[4] == 'proved')} | {count(lambda r: r[4] == 'corroborated')} | "
              f"{count(lambda r: r[4] not in ('proved', 'corroborated'))} | {count(lambda r: r[5])} | {count(lambda r: r[6])} |")


if __name__ == "__main__":
    main()
