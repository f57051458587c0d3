#!/usr/bin/env python3
"""What mutants reach beyond their seeds: the coverage experiments of the papers, on stock binaries.

    growth.py --gainsay target/release/gainsay --seeds DIR --solver z3@5.4.0 [--level functions] [--mutants 300] [--repeat 10]

Arms are sets of flags of `gainsay mutate` (TypeFuzz Fig. 7: seeds, operator = OpFuzz, generative = TypeFuzz; fusion tables: functions
by hand and generated ones of sizes 5 to 50; HornFuzz: horn). `--yinyang PROGRAM` adds typefuzz or opfuzz of yinyang 0.3.0 as an arm: the
program is called with `--keep-mutants` and a solver that answers nothing. All arms get the same seeds and number of mutants.
Prints mean and standard deviation over repetitions, and for each pair of arms the p-value of an exact permutation test on means.
"""
import argparse, itertools, json, pathlib, random, statistics, subprocess, tempfile

ARMS = {
    "operator": ["--strategy", "operator"],
    "generative": ["--strategy", "generative"],
    "fusion, built-in functions": ["--strategy", "fusion", "--size", "1"],
    "fusion, size 5": ["--strategy", "fusion", "--size", "5"],
    "fusion, size 20": ["--strategy", "fusion", "--size", "20"],
    "fusion, size 50": ["--strategy", "fusion", "--size", "50"],
    "horn": ["--strategy", "horn"],
}


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


def yinyang(args, seeds, out, number):
    files = sorted(seeds.rglob("*.smt2"))
    random.Random(number).shuffle(files)
    each = max(1, args.mutants // len(files))
    subprocess.run([args.yinyang, "-i", str(each), "--keep-mutants", "-s", str(out), "true", *files],
                   capture_output=True, timeout=3600)


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
    key = "functions_reached" if args.level == "functions" else "sites_reached"
    base = measure(args, [args.seeds])
    print(f"| arm | {args.level} reached, mean | deviation | beyond the seeds |\n|---|---|---|---|")
    print(f"| seeds alone | {base[key]} | 0 | 0 |", flush=True)
    results = {}
    for arm in args.arms + (["yinyang"] if args.yinyang else []):
        reached = []
        for number in range(args.repeat):
            with tempfile.TemporaryDirectory() as out:
                if arm == "yinyang":
                    yinyang(args, args.seeds, out, number)
                else:
                    subprocess.run([args.gainsay, "mutate", *ARMS[arm], "--seeds", args.seeds, "-n", str(args.mutants),
                                    "--rng-seed", str(number), "--out", out], capture_output=True, check=True)
                reached.append(measure(args, [args.seeds, out])[key])
        results[arm] = reached
        deviation = statistics.stdev(reached) if len(reached) > 1 else 0.0
        print(f"| {arm} | {statistics.mean(reached):.1f} | {deviation:.1f} | {statistics.mean(reached) - base[key]:.1f} |", flush=True)
    for one, other in itertools.combinations(results, 2):
        print(f"{one} against {other}: p = {permutation_test(results[one], results[other]):.3f}")


if __name__ == "__main__":
    main()
