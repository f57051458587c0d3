#!/usr/bin/env python3
"""What mutants reach beyond their seeds: the coverage experiments of the papers, on stock binaries.

    growth.py --gainsay target/release/gainsay --seeds DIR --solver z3@5.4.0 [--level functions] [--mutants 300] [--repeat 10] [--yinyang BIN]

Arms are sets of flags of `gainsay mutate` (TypeFuzz Fig. 7: seeds, operator = OpFuzz, generative = TypeFuzz; fusion tables: functions
by hand and generated ones of sizes 5 to 50; HornFuzz: horn; ValFuzz: value). `--yinyang BIN` names the folder with the programs of yinyang
0.3.0 (`pip install yinyang`): its opfuzz and typefuzz run as arms, with a "solver" that keeps each mutant. All arms get the same seeds
and number of mutants. Every repetition runs all arms, and the table so far is printed after each; at the end, for each pair of arms, the
p-value of a permutation test on means.
"""
import argparse, itertools, json, os, pathlib, random, shutil, statistics, subprocess, tempfile

ARMS = {
    "operator": ["--strategy", "operator"],
    "generative": ["--strategy", "generative"],
    "value": ["--strategy", "value"],
    "fusion, built-in functions": ["--strategy", "fusion", "--size", "1"],
    "fusion, size 5": ["--strategy", "fusion", "--size", "5"],
    "fusion, size 20": ["--strategy", "fusion", "--size", "20"],
    "fusion, size 50": ["--strategy", "fusion", "--size", "50"],
    "horn": ["--strategy", "horn"],
}
YINYANG_ARMS = {"yinyang opfuzz": "opfuzz", "yinyang typefuzz": "typefuzz"}
RECORDER = '#!/bin/sh\nfor last; do :; done\ncp "$last" "$MUTANTS/$$.smt2"\necho unknown\n'


def measure(args, folders):
    command = [args.gainsay, "coverage", *folders, "--solver", args.solver, "--level", args.level,
               "--timeout", args.timeout, "--json", "--unreached", "0", "--scopes", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])["summary"]


def permutation_test(one, other, rounds=2000):
    """The probability of a difference of means at least as large if the arms were the same."""
    pooled, size = one + other, len(one)
    observed = abs(statistics.mean(one) - statistics.mean(other))
    rng, hits = random.Random(0), 0
    for _ in range(rounds):
        rng.shuffle(pooled)
        hits += abs(statistics.mean(pooled[:size]) - statistics.mean(pooled[size:])) >= observed - 1e-9
    return (hits + 1) / (rounds + 1)


def mutate(args, arm, number, out):
    """Writes mutants of the seeds to a folder."""
    if arm not in YINYANG_ARMS:
        subprocess.run([args.gainsay, "mutate", *ARMS[arm], "--seeds", args.seeds, "-n", str(args.mutants),
                        "--rng-seed", str(number), "--out", out], capture_output=True, check=True)
        return
    with tempfile.TemporaryDirectory() as work:
        recorder, made = pathlib.Path(work, "recorder"), pathlib.Path(work, "mutants")
        recorder.write_text(RECORDER)
        recorder.chmod(0o755)
        made.mkdir()
        files = sorted(args.seeds.rglob("*.smt2"))
        each = max(1, -(-args.mutants // len(files)))
        program = str(pathlib.Path(args.yinyang, YINYANG_ARMS[arm]))
        # A quiet second "solver": differential testing needs two.
        for path in files:
            subprocess.run([program, "-i", str(each), "-m", "1", "-n", "-q", f"{recorder};true", path], cwd=work,
                           capture_output=True, env={**os.environ, "MUTANTS": str(made)})
        mutants = sorted(made.iterdir())
        random.Random(number).shuffle(mutants)
        for path in mutants[: args.mutants]:
            shutil.copy(path, out)


def show(args, base, results, key):
    print(f"\n| arm | repetitions | mutants, mean | {args.level} reached, mean | deviation | beyond the seeds |\n|---|---|---|---|---|---|")
    print(f"| seeds alone | 1 | 0 | {base[key]} | | |")
    for arm, rows in results.items():
        reached = [row[0] for row in rows]
        deviation = f"{statistics.stdev(reached):.1f}" if len(reached) > 1 else ""
        mean = statistics.mean(reached)
        print(f"| {arm} | {len(rows)} | {statistics.mean(row[1] for row in rows):.0f} | {mean:.1f} | {deviation} | {mean - base[key]:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--seeds", type=pathlib.Path, default=pathlib.Path("corpus/smt"))
    parser.add_argument("--solver", default="z3@5.4.0")
    parser.add_argument("--level", default="functions")
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--timeout", default="2")
    parser.add_argument("--arms", nargs="*", default=list(ARMS))
    parser.add_argument("--yinyang")
    args = parser.parse_args()
    args.seeds = args.seeds.resolve()
    key = "functions_reached" if args.level == "functions" else "sites_reached"
    arms = args.arms + (list(YINYANG_ARMS) if args.yinyang else [])
    base, results = measure(args, [args.seeds]), {arm: [] for arm in arms}
    for number in range(args.repeat):
        for arm in arms:
            with tempfile.TemporaryDirectory() as out:
                mutate(args, arm, number, out)
                made = len(list(pathlib.Path(out).rglob("*.smt2")))
                results[arm].append((measure(args, [args.seeds, out] if made else [args.seeds])[key], made))
        show(args, base, results, key)
    for one, other in itertools.combinations(results, 2):
        values = [[row[0] for row in results[arm]] for arm in (one, other)]
        print(f"{one} against {other}: p = {permutation_test(*values):.3f}")


if __name__ == "__main__":
    main()
