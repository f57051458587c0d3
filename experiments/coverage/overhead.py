#!/usr/bin/env python3
"""Measures what coverage costs: CPU time of runs with traps beside runs without, and compares the answers.

    overhead.py --gainsay target/release/gainsay --corpus DIR [--scripts 500] [--first 100] [--repeat 3]

CPU time is user + system of gainsay, its helpers and all solver processes. The figure of each arm is T(all scripts) - T(first
scripts): what the scripts after the first ones cost. Arms alternate, so that a load of the machine hits them alike.
"""
import argparse, json, os, pathlib, random, resource, shutil, statistics, subprocess, tempfile

ARMS = [
    ("z3 plain, functions", "z3@5.4.0", "plain", "functions"),
    ("z3 plain, blocks", "z3@5.4.0", "plain", "blocks"),
    ("z3 session, functions", "z3@5.4.0", "session", "functions"),
    ("cvc5 library, functions", "cvc5@1.4.2", "fork", "functions"),
    ("cvc5 library, blocks", "cvc5@1.4.2", "fork", "blocks"),
]


def cpu_of(command):
    """CPU seconds of a command with all its descendants, and its JSON output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(done.stdout.strip().splitlines()[-1])


def choose(corpus, count, limit):
    files = sorted(path for path in corpus.rglob("*.smt2") if path.stat().st_size <= limit)
    random.Random(1).shuffle(files)
    return files[:count]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--corpus", type=pathlib.Path, default=pathlib.Path("corpus"))
    parser.add_argument("--scripts", type=int, default=500)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--bytes", type=int, default=20000)
    parser.add_argument("--timeout", default="5")
    parser.add_argument("--arms", nargs="*")
    args = parser.parse_args()
    files = choose(args.corpus, args.scripts, args.bytes)
    with tempfile.TemporaryDirectory() as folder:
        sets = {}
        for name, part in (("first", files[: args.first]), ("all", files)):
            place = pathlib.Path(folder, name)
            place.mkdir()
            for number, path in enumerate(part):
                shutil.copy(path, place / f"{number:04}.smt2")
            sets[name] = place
        for title, solver, driver, level in ARMS:
            if args.arms and title not in args.arms:
                continue
            ratios, different, compared = [], set(), 0
            for _ in range(args.repeat):
                spent, answers = {}, {}
                for name, place in sets.items():
                    for traps in (False, True):
                        command = [args.gainsay, "coverage", place, "--solver", solver, "--driver", driver,
                                   "--level", level, "--timeout", args.timeout, "--json"]
                        command += [] if traps else ["--without-traps"]
                        spent[name, traps], report = cpu_of(command)
                        answers[name, traps] = report["answers"]
                plain = spent["all", False] - spent["first", False]
                traced = spent["all", True] - spent["first", True]
                ratios.append(traced / plain)
                pairs = list(zip(answers["all", False], answers["all", True]))
                compared = len(pairs)
                different |= {number for number, (one, other) in enumerate(pairs) if one != other}
            mean = statistics.mean(ratios)
            print(f"| {title} | {plain:.1f} | {traced:.1f} | {mean:.3f} | "
                  f"{', '.join(f'{ratio:.3f}' for ratio in ratios)} | {compared - len(different)} of {compared} |", flush=True)
            for number in sorted(different):
                print(f"  differs: {files[number]}: {pairs[number]}", flush=True)
    print(f"load {os.getloadavg()}")


if __name__ == "__main__":
    main()
