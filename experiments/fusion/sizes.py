#!/usr/bin/env python3
"""Functions of one operator against generated ones of sizes 5 to 50: how many different things they make a solver do.

    python3 experiments/fusion/sizes.py --seeds FOLDER --z3 COMMAND [--cases 200] [--sizes 1,5,10,20,25,30,50]

The comparison of "Fusion functions, generated" in small, with what a solver tells of itself in the place of coverage. For
each size so many scripts are fused from the same seeds and streams and put to z3 with -st. A behaviour is an answer with
the names of all counters that are not zero; how large they are does not matter. Size 1 is the table of inversions as it
is. Printed is a Markdown table: behaviours, those that no other size shows, how many were decided, and z3's CPU seconds.
"""

import argparse
import re
import resource
import subprocess
import tempfile
from pathlib import Path

NOISE = {"memory", "max-memory", "max", "time", "total-time", "num-allocs", "rlimit-count"}


def behaviour(z3, path, seconds):
    """The answer of z3 and the names of its counters."""
    try:
        found = subprocess.run([*z3, "-st", f"-T:{seconds}", str(path)], capture_output=True, text=True,
                               timeout=seconds + 5)
    except subprocess.TimeoutExpired:
        return "timeout", frozenset()
    words = found.stdout.split()
    answer = words[0] if words else f"exit {found.returncode}"
    counters = re.findall(r":([a-z0-9.-]+)\s+(\d[\d.]*)", found.stdout)
    return answer, frozenset(name for name, value in counters if name not in NOISE and float(value) > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", required=True)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--z3", default="z3")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--sizes", default="1,5,10,20,25,30,50")
    parser.add_argument("--timeout", type=int, default=2)
    args = parser.parse_args()
    seen, decided, cpu = {}, {}, {}
    sizes = [int(size) for size in args.sizes.split(",")]
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([args.gainsay, "mutate", "--strategy", "fusion", "--seeds", args.seeds, "-n", str(args.cases * 3),
                            "--chain", "1", "--size", str(size), "--out", folder], check=True, stdout=subprocess.DEVNULL)
            paths = sorted(Path(folder).glob("*.smt2"))[:args.cases]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            behaviours = [behaviour(args.z3.split(), path, args.timeout) for path in paths]
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seen[size] = set(behaviours)
        decided[size] = sum(answer in ("sat", "unsat") for answer, _ in behaviours) / max(1, len(behaviours))
        cpu[size] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print("| size | behaviours | of this size only | decided | CPU seconds |\n|---|---|---|---|---|")
    for size in sizes:
        others = set().union(*(seen[other] for other in sizes if other != size))
        print(f"| {size} | {len(seen[size])} | {len(seen[size] - others)} | {decided[size]:.0%} | {cpu[size]:.1f} |")


if __name__ == "__main__":
    main()
