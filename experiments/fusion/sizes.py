#!/usr/bin/env python3
"""Functions of one operator against generated ones of sizes 5 to 50: how much different behaviour do they trigger in a solver?

    python3 experiments/fusion/sizes.py --seeds FOLDER --z3 COMMAND [--cases 200] [--sizes 1,5,10,20,25,30,50]
        [--hand-written FILE]

The comparison of the paper on generated fusion functions at a small scale, with a solver's own statistics instead of coverage. For
each size, --cases scripts are fused from the same seeds and streams and run by z3 with -st. Size 1 is the table of
inversions unchanged; --hand-written adds a row for the functions of a file, such as yinyang's, without the blocks
that cannot be read. Two things are counted, since the set of all counters would make nearly every script a kind of its own:

* kinds: an answer, the parts of z3 that did something (counters that are not zero, by their first words), and how many
  conflicts there were, by powers of ten;
* traits: a counter that is not zero with its magnitude, by powers of four, in any script. They grow as coverage does.

Prints a Markdown table: kinds and traits, those that no other size shows, the number of decided scripts, and z3's CPU seconds.
"""

import argparse
import math
import re
import resource
import subprocess
import tempfile
from pathlib import Path

NOISE = {"memory", "max-memory", "max", "time", "total-time", "num-allocs", "rlimit-count"}

PARTS = ("arith", "array", "bv", "datatype", "dyn-ack", "fpa", "nlsat", "pb", "quant", "sat", "seq", "str")


def magnitude(value, base):
    """How many digits a number has; zero has none."""
    return 0 if value < 1 else 1 + int(math.log(value, base))


def behaviour(z3, path, work):
    """What z3 answers, what kind of run that is, and the traits of it."""
    try:
        found = subprocess.run([*z3, "-st", f"rlimit={work}", str(path)], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "timeout", ("timeout",), set()
    words = found.stdout.split()
    answer = words[0] if words else f"exit {found.returncode}"
    pairs = re.findall(r":([a-z0-9.-]+)\s+(\d[\d.]*)", found.stdout)
    counters = {name: float(value) for name, value in pairs if name not in NOISE and float(value) > 0}
    parts = frozenset(part for part in PARTS if any(name.startswith(part) for name in counters))
    conflicts = sum(value for name, value in counters.items() if "conflicts" in name)
    kind = (answer, parts, magnitude(conflicts, 10))
    return answer, kind, {(name, magnitude(value, 4)) for name, value in counters.items()}


def readable(gainsay, path, folder, seeds):
    """A copy of a file of functions without the blocks that are malformed."""
    lines = Path(path).read_text().splitlines()
    copy = Path(folder) / "functions.txt"
    while True:
        copy.write_text("\n".join(lines) + "\n")
        found = subprocess.run([gainsay, "mutate", "--strategy", "fusion", "--functions", copy, "--seeds", seeds, "-n", "1",
                                "--discard"], capture_output=True, text=True)
        if found.returncode == 0:
            return copy
        line = re.search(r": line (\d+):", found.stderr)
        if not line:
            raise SystemExit(found.stderr)
        at = int(line.group(1)) - 1
        begin = max(number for number in range(at + 1) if lines[number].startswith("#begin"))
        end = min(number for number in range(begin, len(lines)) if lines[number].startswith("#end"))
        print(f"left out: lines {begin + 1} to {end + 1} ({found.stderr.strip().split(': ', 2)[-1]})")
        lines[begin:end + 1] = [""] * (end + 1 - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", required=True)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--z3", default="z3")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--sizes", default="1,5,10,20,25,30,50")
    parser.add_argument("--hand-written", help="a file of fusion functions")
    parser.add_argument("--work", type=int, default=2000000, help="z3's rlimit for a script: a loaded machine changes nothing")
    args = parser.parse_args()
    kinds, traits, scripts, decided, cpu = {}, {}, {}, {}, {}
    sizes = args.sizes.split(",") + (["hand-written"] if args.hand_written else [])
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as beside:
            which = ["--size", size]
            if size == "hand-written":
                which = ["--functions", readable(args.gainsay, args.hand_written, beside, args.seeds)]
            subprocess.run([args.gainsay, "mutate", "--strategy", "fusion", "--seeds", args.seeds, "-n", str(args.cases * 3),
                            "--chain", "1", *which, "--out", folder], check=True, stdout=subprocess.DEVNULL)
            paths = sorted(Path(folder).glob("*.smt2"))[:args.cases]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            behaviours = [behaviour(args.z3.split(), path, args.work) for path in paths]
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        kinds[size] = {kind for _, kind, _ in behaviours}
        traits[size] = set().union(*(found for _, _, found in behaviours))
        scripts[size] = len(behaviours)
        decided[size] = sum(answer in ("sat", "unsat") for answer, _, _ in behaviours) / max(1, len(behaviours))
        cpu[size] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print("| size | scripts | kinds | of this size only | traits | of this size only | decided | CPU seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for size in sizes:
        own = [len(seen[size] - set().union(*(seen[other] for other in sizes if other != size))) for seen in (kinds, traits)]
        print(f"| {size} | {scripts[size]} | {len(kinds[size])} | {own[0]} | {len(traits[size])} | {own[1]} | "
              f"{decided[size]:.0%} | {cpu[size]:.1f} |")


if __name__ == "__main__":
    main()
