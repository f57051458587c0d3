#!/usr/bin/env python3
"""Measures what coverage costs: CPU time of runs with traps beside runs without, and compares the answers.

    overhead.py --gainsay target/release/gainsay --corpus DIR [--scripts 500] [--first 100] [--repeat 5]

CPU time is user + system of gainsay, its helpers and all solver processes, so that other work on the machine matters little. The figure of
each arm is T(all scripts) - T(first scripts): what the scripts after the first ones cost. In every round, plain runs, functions and
blocks alternate. Scripts are drawn from those that the solver decides within a second without traps, and have a minute here: no run is cut
by the limit, which would make an arm look cheap. `--whole` compares the answers of all scripts of the corpus instead, and measures nothing.
"""
import argparse, json, os, pathlib, random, resource, shutil, statistics, subprocess, tempfile

SETUPS = [("z3 plain", "z3@5.4.0", "plain"), ("z3 session", "z3@5.4.0", "session"), ("cvc5 library", "cvc5@1.4.2", "fork")]
ARMS = ["plain", "functions", "blocks"]


def run(args, folder, solver, driver, arm, timeout):
    """CPU seconds of a run over a folder with all descendants, and the answers."""
    command = [args.gainsay, "coverage", folder, "--solver", solver, "--driver", driver, "--timeout", timeout, "--json"]
    command += ["--without-traps"] if arm == "plain" else ["--level", arm]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(done.stdout.strip().splitlines()[-1])["answers"]


def copy(files, place):
    place.mkdir()
    for number, path in enumerate(files):
        shutil.copy(path, place / f"{number:04}.smt2")
    return place


def decided(args, files, solver, driver, folder):
    """The scripts that the solver decides quickly, in order."""
    _, answers = run(args, copy(files, pathlib.Path(folder, "drawn")), solver, driver, "plain", "1")
    is_decided = lambda answer: answer and not set(answer.split()) - {"sat", "unsat"}
    return [path for path, answer in zip(files, answers) if is_decided(answer)]


def measure(args, title, solver, driver, files):
    with tempfile.TemporaryDirectory() as folder:
        chosen = decided(args, files, solver, driver, folder)[: args.scripts]
        sets = {"first": copy(chosen[: args.first], pathlib.Path(folder, "first")), "all": copy(chosen, pathlib.Path(folder, "all"))}
        spent, different = {arm: [] for arm in ARMS}, set()
        for number in range(args.repeat):
            answers, costs = {}, {}
            for arm in ARMS[number % 3:] + ARMS[: number % 3]:
                first, _ = run(args, sets["first"], solver, driver, arm, "60")
                costs[arm], answers[arm] = run(args, sets["all"], solver, driver, arm, "60")
                spent[arm].append(costs[arm] - first)
            for arm in ARMS[1:]:
                pairs = zip(answers["plain"], answers[arm])
                different |= {place for place, (one, other) in enumerate(pairs) if one != other}
        for arm in ARMS[1:]:
            ratios = [traced / plain for plain, traced in zip(spent["plain"], spent[arm])]
            low = min(spent[arm]) / min(spent["plain"])
            print(f"| {title}, {arm} | {len(chosen) - args.first} | {statistics.mean(spent['plain']):.2f} | {statistics.mean(spent[arm]):.2f} | "
                  f"{statistics.median(ratios):.3f} | {min(ratios):.3f} to {max(ratios):.3f} | {low:.3f} | {len(chosen) - len(different)} of {len(chosen)} |", flush=True)
        for place in sorted(different):
            print(f"  differs: {chosen[place]}", flush=True)


def compare(args, title, solver, driver, files):
    with tempfile.TemporaryDirectory() as folder:
        place = copy(files, pathlib.Path(folder, "all"))
        _, plain = run(args, place, solver, driver, "plain", args.timeout)
        for arm in ARMS[1:]:
            _, traced = run(args, place, solver, driver, arm, args.timeout)
            different = [(path, one, other) for path, one, other in zip(files, plain, traced) if one != other]
            print(f"| {title}, {arm} | {len(files) - len(different)} of {len(files)} |", flush=True)
            for path, one, other in different:
                print(f"  differs: {path}: {one!r} without traps, {other!r} with", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--corpus", type=pathlib.Path, default=pathlib.Path("corpus"))
    parser.add_argument("--scripts", type=int, default=500)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--bytes", type=int, default=20000)
    parser.add_argument("--setups", nargs="*", default=[title for title, _, _ in SETUPS])
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--timeout", default="10", help="limit of a run with --whole")
    args = parser.parse_args()
    files = sorted(path for path in args.corpus.rglob("*.smt2") if args.whole or path.stat().st_size <= args.bytes)
    random.Random(1).shuffle(files)
    print(f"load {os.getloadavg()}", flush=True)
    for title, solver, driver in SETUPS:
        if title in args.setups:
            (compare if args.whole else measure)(args, title, solver, driver, files)
    print(f"load {os.getloadavg()}")


if __name__ == "__main__":
    main()
