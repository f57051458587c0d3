#!/usr/bin/env python3
"""Measures what coverage costs: CPU time of runs with traps beside runs without, and compares the answers.

    overhead.py --gainsay target/release/gainsay --corpus DIR [--scripts 500] [--first 100] [--repeat 10] [--record DIR]

CPU time is user + system of gainsay, its helpers and all solver processes, so that other work on the machine matters little. The figure of
each arm is T(all scripts) - T(first scripts): what the scripts after the first ones cost. In every round, plain runs, functions and
blocks alternate in random order; a second plain arm shows how far two equal arms differ. Scripts are drawn from those that the solver decides within a
second without traps, and have five minutes here: no run is cut by the limit, which would make an arm look cheap. Printed are the median of the ratios of
rounds with an interval (95 %, order statistics), and the ratio of sums. `--whole` compares the answers of all scripts of the corpus instead, and measures nothing.
"""
import argparse, json, math, os, pathlib, random, resource, statistics, subprocess, tempfile

SETUPS = [("z3 plain", "z3@5.4.0", "plain"), ("z3 session", "z3@5.4.0", "session"), ("cvc5 library", "cvc5@1.4.2", "fork")]
ARMS = ["plain", "plain again", "functions", "blocks"]


def run(args, folder, solver, driver, arm, timeout):
    """CPU seconds of a run over a folder with all descendants, the answers, and the number of traps that were hit."""
    command = [args.gainsay, "coverage", folder, "--solver", solver, "--driver", driver, "--timeout", timeout, "--json"]
    command += ["--without-traps"] if arm.startswith("plain") else ["--level", arm]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report = json.loads(done.stdout.strip().splitlines()[-1])
    return seconds, report["answers"], report.get("summary", {}).get("sites_reached", 0)


def copy(files, place):
    place.mkdir()
    for number, path in enumerate(files):
        # Scripts of the same text would be one.
        place.joinpath(f"{number:04}.smt2").write_text(f"; {number}\n" + pathlib.Path(path).read_text())
    return place


def decided(args, files, solver, driver):
    """The scripts that the solver decides quickly, in order."""
    with tempfile.TemporaryDirectory() as folder:
        _, answers, _ = run(args, copy(files, pathlib.Path(folder, "drawn")), solver, driver, "plain", "1")
    is_decided = lambda answer: answer and not set(answer.split()) - {"sat", "unsat"}
    return [str(path) for path, answer in zip(files, answers) if is_decided(answer)]


def median_interval(values):
    """The median, and the interval between order statistics that contains the true median with a probability of at least 95 %."""
    values, count = sorted(values), len(values)
    low = 0
    while low + 1 < count / 2 and 2 * sum(math.comb(count, k) for k in range(low + 2)) / 2**count <= 0.05:
        low += 1
    return statistics.median(values), values[low], values[count - 1 - low]


def measure(args, title, solver, driver, files):
    """Runs rounds that the record lacks; each runs all arms in another order."""
    record = pathlib.Path(args.record, title.replace(" ", "-") + ".jsonl")
    if not record.exists():
        chosen = decided(args, files, solver, driver)[: args.scripts]
        record.write_text(json.dumps(chosen) + "\n")
    chosen, *rounds = [json.loads(line) for line in record.read_text().splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        sets = {"first": copy(chosen[: args.first], pathlib.Path(folder, "first")), "all": copy(chosen, pathlib.Path(folder, "all"))}
        for number in range(len(rounds), args.repeat):
            arms, spent, answers, traps = ARMS[:], {}, {}, {}
            random.Random(number).shuffle(arms)
            for arm in arms:
                first, _, early = run(args, sets["first"], solver, driver, arm, "300")
                whole, answers[arm], all_traps = run(args, sets["all"], solver, driver, arm, "300")
                spent[arm], traps[arm] = whole - first, all_traps - early
            different = [place for place in range(len(chosen)) if len({answers[arm][place] for arm in ARMS}) > 1]
            rounds.append({"spent": spent, "different": different, "traps": traps, "load": os.getloadavg()[0]})
            with record.open("a") as out:
                out.write(json.dumps(rounds[-1]) + "\n")
    show(title, chosen, rounds, args.first)


def show(title, chosen, rounds, first):
    different = {place for each in rounds for place in each["different"]}
    for arm in ARMS[1:]:
        median, low, high = median_interval([each["spent"][arm] / each["spent"]["plain"] for each in rounds])
        total = sum(each["spent"][arm] for each in rounds) / sum(each["spent"]["plain"] for each in rounds)
        plain = statistics.median(each["spent"]["plain"] for each in rounds)
        traps = statistics.median(each["traps"][arm] for each in rounds)
        print(f"| {title}, {arm} | {len(chosen) - first} | {len(rounds)} | {traps:.0f} | {plain:.2f} | {median:.3f} | {low:.3f} to {high:.3f} | {total:.3f} | "
              f"{len(chosen) - len(different)} of {len(chosen)} |", flush=True)
    for place in sorted(different):
        print(f"  differs: {chosen[place]}", flush=True)


def cost_of_parts(args, title, solver, driver, files):
    """What a run costs that hits no new trap, and what a trap costs. With the number of traps of `measure`, these tell the overhead without long runs."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = json.loads(pathlib.Path(args.record, title.replace(" ", "-") + ".jsonl").read_text().splitlines()[0])
        small = min(chosen[: args.first], key=lambda path: os.stat(path).st_size)
        lists = {"one": [small], "same": [small] * 101, "many": [small, *chosen[: args.first]]}
        sets = {name: copy(paths, pathlib.Path(folder, name)) for name, paths in lists.items()}
        costs = {arm: [] for arm in ARMS}
        for number in range(args.repeat):
            for arm in random.Random(number).sample(ARMS, len(ARMS)):
                times = {name: run(args, place, solver, driver, arm, "300") for name, place in sets.items()}
                costs[arm].append({"run": (times["same"][0] - times["one"][0]) / 100, "many": times["many"][0] - times["one"][0],
                                   "traps": times["many"][2] - times["one"][2]})
        median = lambda arm, key: statistics.median(cost[key] for cost in costs[arm])
        for arm in ARMS[1:]:
            extra, traps = median(arm, "run") - median("plain", "run"), median(arm, "traps")
            news = median(arm, "many") - median("plain", "many") - args.first * extra
            each = news / traps * 1e6 if traps else 0.0
            print(f"| {title}, {arm} | {median('plain', 'run') * 1e3:.2f} | {extra * 1e3:+.3f} | {traps:.0f} | {each:.1f} |", flush=True)


def compare(args, title, solver, driver, files):
    with tempfile.TemporaryDirectory() as folder:
        place = copy(files, pathlib.Path(folder, "all"))
        _, plain, _ = run(args, place, solver, driver, "plain", args.timeout)
        for arm in ARMS[2:]:
            _, traced, _ = run(args, place, solver, driver, arm, args.timeout)
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
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--record", type=pathlib.Path, default=pathlib.Path("overhead-record"), help="folder of finished rounds, to go on from")
    parser.add_argument("--bytes", type=int, default=20000)
    parser.add_argument("--setups", nargs="*", default=[title for title, _, _ in SETUPS])
    parser.add_argument("--parts", action="store_true", help="measure the cost of a run without new code, ms, and of a trap, µs")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--timeout", default="10", help="limit of a run with --whole")
    args = parser.parse_args()
    files = sorted(path for path in args.corpus.rglob("*.smt2") if args.whole or path.stat().st_size <= args.bytes)
    random.Random(1).shuffle(files)
    args.record.mkdir(exist_ok=True)
    print(f"load {os.getloadavg()}", flush=True)
    for title, solver, driver in SETUPS:
        if title in args.setups:
            (compare if args.whole else cost_of_parts if args.parts else measure)(args, title, solver, driver, files)
    print(f"load {os.getloadavg()}")


if __name__ == "__main__":
    main()
