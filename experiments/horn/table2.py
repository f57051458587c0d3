#!/usr/bin/env python3
"""HornFuzz's Table 2 on a stock solver: how many runs does a new trace take, by configuration?

    python3 experiments/horn/table2.py SEEDS [--time 60s] [--repetitions 5] [--solver spacer@5.4.0] [--jobs 2] [--weights weighted]

| configuration | seeds | parameters of the solver |
|---|---|---|
| naive | in the given order | never |
| transition | rare transitions first | never |
| parameter | in the given order | in a third of the cases |
| full | rare transitions first | in a third of the cases |

Each repetition has another --rng-seed, the same for all configurations, and configurations take turns, so that the load of the machine affects all alike. Runs are those
whose trace was recorded: mutants, and each seed once. With --order rare all seeds run before the first mutant. The column "mutants" excludes the runs of seeds and
the traces that they showed first. By default a budget of time ends each campaign, as in the paper; --runs ends them after a number of runs of
mutants, which compares configurations regardless of the cost of a run. The last lines have the mean and the sample standard deviation.

--mutations also prints the probability of a new trace after each mutation (Tables 4 and 5), over all repetitions of a configuration.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

CONFIGURATIONS = {
    "naive": ["--order", "default", "--parameters", "0"],
    "transition": ["--order", "rare", "--parameters", "0"],
    "parameter": ["--order", "default", "--parameters", "33"],
    "full": ["--order", "rare", "--parameters", "33"],
}


class Result:
    """What a campaign showed."""

    def __init__(self):
        self.runs = self.unique = self.mutants = self.fresh = self.unreadable = self.findings = 0
        self.seconds = 0.0
        self.applied, self.new = Counter(), Counter()

    def take(self, event):
        """Counts the runs of an event."""
        shown = [run["behaviour"] for run in event.get("runs", []) if "behaviour" in run]
        if event.get("event") != "case" or not shown:
            return
        fresh = sum(way["new"] for way in shown)
        self.mutants += len(shown)
        self.fresh += fresh
        options = [option for run in event["runs"] for option in run.get("options", [])]
        names = [event.get("mutation", "none")] + ["parameters"] * bool(options) + sorted(set(options))
        for name in names:
            self.applied[name] += 1
            self.new[name] += fresh > 0

    def close(self, sums):
        """Takes over the sums that end the output."""
        traces = sums["traces"]
        self.runs, self.unique, self.unreadable = traces["runs"], traces["unique"], traces["unreadable"]
        self.findings, self.seconds = len(sums["findings"]), sums["seconds"]


def campaign(args, flags, number):
    """Runs a campaign, and gives what it showed."""
    with tempfile.TemporaryDirectory() as work:
        command = [args.gainsay, "fuzz", "--strategy", "horn", "--solver", args.solver, "--seeds", *args.seeds, "--out", Path(work) / "out",
                   "--rng-seed", str(number), "--jobs", str(args.jobs), "--timeout", args.timeout, "--weights", args.weights, "--json", *flags]
        if not args.runs:
            command += ["--time", args.time]
        result = Result()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        last, is_over = {}, False
        for line in process.stdout:
            last = json.loads(line)
            result.take(last)
            if args.runs and result.mutants >= args.runs and not is_over:
                # As Ctrl-C: the cases in flight are finished, and the sums are told.
                process.send_signal(2)
                is_over = True
        said = process.stderr.read()
        if process.wait() not in (0, 10) or "traces" not in last:
            sys.exit(f"{' '.join(map(str, command))}\nended with {process.returncode}: {said.strip()}")
        result.close(last)
        return result


def ratio(part, whole):
    """How often something happens, if it does."""
    return whole / part if part else float("nan")


def spread(values):
    """Mean and deviation."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):9.2f} ± {deviation:7.2f}"


COLUMNS = {
    "runs": lambda result: result.runs,
    "unique traces": lambda result: result.unique,
    "runs a new trace": lambda result: ratio(result.unique, result.runs),
    "mutants": lambda result: result.mutants,
    "mutants a new trace": lambda result: ratio(result.fresh, result.mutants),
    "runs a second": lambda result: ratio(result.seconds, result.runs),
    "unreadable": lambda result: result.unreadable,
    "findings": lambda result: result.findings,
}


def table(results):
    """A line for each configuration."""
    print("\n| configuration | " + " | ".join(COLUMNS) + " |\n|" + "---|" * (len(COLUMNS) + 1))
    for name, runs in results.items():
        print(f"| {name} | " + " | ".join(spread([column(run) for run in runs]) for column in COLUMNS.values()) + " |")


def mutations(results):
    """The probability of a new trace after each mutation."""
    for name, runs in results.items():
        applied = sum((run.applied for run in runs), Counter())
        new = sum((run.new for run in runs), Counter())
        print(f"\n{name}: mutation, applied, new traces, probability")
        for mutation in sorted(applied, key=lambda word: -new[word] / applied[word]):
            print(f"  {mutation:<16} {applied[mutation]:7} {new[mutation]:7} {new[mutation] / applied[mutation]:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="+", type=Path)
    parser.add_argument("--time", default="60s", help="of each campaign")
    parser.add_argument("--runs", type=int, help="runs of mutants of each campaign, instead of --time")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--solver", default="spacer@5.4.0")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", default="2s", help="of each run")
    parser.add_argument("--weights", default="weighted", choices=["weighted", "uniform"])
    parser.add_argument("--mutations", action="store_true")
    parser.add_argument("--gainsay", default="target/release/gainsay")
    args = parser.parse_args()
    results = {name: [] for name in CONFIGURATIONS}
    for number in range(1, args.repetitions + 1):
        for name, flags in CONFIGURATIONS.items():
            result = campaign(args, flags, number)
            results[name].append(result)
            print(f"{number} {name}: {result.runs} runs, {result.unique} unique traces", file=sys.stderr, flush=True)
    table(results)
    if args.mutations:
        mutations(results)


if __name__ == "__main__":
    main()
