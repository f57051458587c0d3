#!/usr/bin/env python3
"""How many known bugs per 1,000 solver calls does value mutation find by chance, by coercion, and by coercion with domains?

    python3 experiments/values/compare.py KNOWNBUGS [--kinds const,opswap,tovar,todef] [--repetitions 10] [--cases 30] [--asks 30]

KNOWNBUGS holds knownbugs.csv and CATEGORY/*.smt2: bugs of released solvers, with seeds a small step away on which the solver is
right. For each release of z3 with such bugs, one campaign runs over the seeds of these bugs, with the newest z3 as the
reference; a chain ends when its seed has shown a finding of the release. A bug is found if a case of one of its seeds shows
a finding whose suspect is the release. Calls are all runs of solvers, including the questions to the helper.

Every repetition has another --rng-seed. The last lines compare each way with chance by Welch's t-test, one-sided.
"""

import argparse
import csv
import json
import math
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

WAYS = ["random", "bec", "bec+domains"]
NEWEST = "z3@5.4.0"


def bugs(folder, kinds, installed):
    """The seeds by release and its options: seed file to bug."""
    by_release = defaultdict(dict)
    with open(folder / "knownbugs.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["category"] not in ("soundness", "crash", "invalid-model"):
                continue
            # What stands in brackets is for the solver's own check of its models; we have ours.
            options = " ".join(re.sub(r"\[.*?\]|model_validate=true", "", row["options"]).split())
            affected = " ".join(row[key] for key in ("soundness_on", "crash_on", "invalid_on")).split()
            ours = [name for name in affected if name in installed]
            seeds = [word.split(":") for word in row["seeds"].split()]
            files = [folder / row["category"] / name for name, kind in seeds if kind in kinds]
            if ours:
                for file in filter(Path.exists, files):
                    target = ours[-1].replace("-", "@", 1)
                    by_release[f"{target} {options}".strip()][file] = row["id"]
    return by_release


def campaign(args, way, target, seeds, number):
    """The bugs that a campaign finds, and its solver calls."""
    with tempfile.TemporaryDirectory() as work:
        plan = Path(work) / "campaign.toml"
        plan.write_text(f'[values]\nway = "{way}"\nhelper = "{NEWEST}"\nasks = {args.asks}\n')
        command = [args.gainsay, "fuzz", plan, "--strategy", "value", "--out", Path(work) / "out", "--json",
                   "--solver", target, "--solver", NEWEST, "--chain", str(args.cases), "--timeout", args.timeout,
                   "--cases", str(args.cases * len(seeds)), "--rng-seed", str(number), "--jobs", str(args.jobs), "--seeds", *seeds]
        found = subprocess.run(command, capture_output=True, text=True)
        lines = found.stdout.splitlines()
        if found.returncode not in (0, 10) or not lines:
            sys.exit(f"{way} on {target} failed: {found.stderr}")
        hit = set()
        for line in lines[:-1]:
            event = json.loads(line)
            if event["event"] == "found" and event["case"] is not None and target in event["finding"]["suspect"]:
                hit.add(next(bug for seed, bug in seeds.items() if event["seed"].endswith(seed.name)))
        sums = json.loads(lines[-1])
        calls = sum(solver["runs"] for solver in sums["solvers"].values()) + sums["values"]["account"]["asked"]
        return hit, calls, sums["cases"]


def welch(a, b):
    """One-sided p that the mean of a is not above that of b."""
    va, vb = statistics.variance(a) / len(a), statistics.variance(b) / len(b)
    if va + vb == 0:
        return float("nan")
    t = (statistics.mean(a) - statistics.mean(b)) / math.sqrt(va + vb)
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    return student(t, freedom)


def student(t, freedom):
    """The upper tail of Student's distribution, by summing its density."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    steps, end = 20_000, abs(t)
    width = end / steps
    density = lambda x: scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)
    inner = sum(density((i + 0.5) * width) for i in range(steps)) * width
    return 0.5 - inner if t > 0 else 0.5 + inner


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("knownbugs", type=Path)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--kinds", default="const", help="kinds of seeds, separated by commas")
    parser.add_argument("--releases", default="z3-4.8.6,z3-4.8.7,z3-4.8.8,z3-4.8.9,z3-4.8.10,z3-4.8.12,z3-4.8.14,z3-4.12.1,z3-4.13.0",
                        help="releases that may be the target, the last one that has the bug is taken")
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--cases", type=int, default=30, help="cases of a seed")
    parser.add_argument("--asks", type=int, default=30, help="questions to the helper about a seed")
    parser.add_argument("--timeout", default="1")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    by_release = bugs(args.knownbugs, args.kinds.split(","), args.releases.split(","))
    count = len({bug for seeds in by_release.values() for bug in seeds.values()})
    files = sum(len(seeds) for seeds in by_release.values())
    print(f"{count} bugs, {files} seeds, {len(by_release)} releases of z3, {args.cases} cases and {args.asks} questions a seed\n")
    rates, totals = {way: [] for way in WAYS}, {way: [] for way in WAYS}
    ever = {way: set() for way in WAYS}
    for number in range(args.repetitions):
        for way in WAYS:
            hit, calls = set(), 0
            for release, seeds in sorted(by_release.items()):
                found, asked, _ = campaign(args, way, release, seeds, number)
                hit |= found
                calls += asked
            rates[way].append(1000 * len(hit) / calls)
            totals[way].append(len(hit))
            ever[way] |= hit
            print(f"repetition {number + 1}, {way}: {len(hit)} bugs in {calls} calls", file=sys.stderr, flush=True)
    print("| | bugs per 1,000 calls | bugs a repetition | ever | against chance |")
    print("|---|---|---|---|---|")
    for way in WAYS:
        mean, deviation = statistics.mean(rates[way]), statistics.stdev(rates[way])
        ratio = mean / statistics.mean(rates["random"]) if way != "random" else None
        test = f"{ratio:.2f} times, p = {welch(rates[way], rates['random']):.4f}" if ratio else ""
        print(f"| {way} | {mean:.2f} ± {deviation:.2f} | {statistics.mean(totals[way]):.1f} | {len(ever[way])} | {test} |")


if __name__ == "__main__":
    main()
