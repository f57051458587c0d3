#!/usr/bin/env python3
"""BanditFuzz's Tables 1 and 2 (margins by agent) and Figure 4 (wrong answers over queries), at a budget of your choice.

    experiments/bandits/tables.py margins GAINSAY --theory fp --target z3@4.8.5 --reference cvc5@1.4.2 [--queries 80] [--timeout 1]
    experiments/bandits/tables.py wrong   GAINSAY --theory string --target z3@4.8.5 --reference z3@5.4.0 --reference cvc5@1.4.2

Every agent gets the same number of queries with the same limits, in --repetitions runs with different seeds; agents take turns,
so that a busy machine slows all of them. margins prints the mean and deviation of the best margin of a run (PAR-2, so at most
twice --timeout), in how many runs it reaches the maximum, the queries that were needed, and Welch's t-test of thompson against
each baseline (two-sided). wrong prints the number of scripts with wrong answers, and of different fingerprints, after
parts of the queries. With --operators paper, the default, scripts use the operators of section 2.2 of the paper; with all, those of the theory.
With --log FILE every run is a line in FILE, and runs that are already there are not repeated.
"""

import argparse
import json
import math
import os
import subprocess
import sys

AGENTS = ["thompson", "random", "mutational", "evolutionary"]
OPERATORS = {
    "fp": "fp.abs fp.neg fp.add fp.mul fp.sub fp.div fp.fma fp.rem fp.sqrt fp.roundToIntegral fp.eq fp.lt fp.gt fp.leq fp.geq "
    "fp.isNormal fp.isSubnormal fp.isZero fp.isInfinite fp.isNaN fp.isPositive fp.isNegative",
    "string": "str.++ str.contains str.at str.len str.indexof str.replace re.inter re.range re.+ re.* re.++ str.to_re str.prefixof "
    "str.suffixof str.in_re",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["margins", "wrong"])
    parser.add_argument("gainsay")
    parser.add_argument("--theory", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--reference", action="append", required=True)
    parser.add_argument("--queries", type=int, default=80)
    parser.add_argument("--timeout", type=float, default=1.0)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--operators", choices=["paper", "all"], default="paper")
    parser.add_argument("--sort", default="Float64", help="of floating point; smaller ones make easier scripts")
    parser.add_argument("--score", default="cpu")
    parser.add_argument("--extra", default="", help="more flags of gainsay, in one argument")
    parser.add_argument("--agents", default=",".join(AGENTS))
    parser.add_argument("--log")
    args = parser.parse_args()
    args.agents = args.agents.split(",")
    runs = {agent: [] for agent in args.agents}
    known = read(args.log)
    for seed in range(args.repetitions):
        for agent in args.agents:
            command = flags(args, agent, seed)
            key = " ".join(command)
            if key not in known:
                known[key] = run([args.gainsay, *command])
                write(args.log, key, known[key])
            runs[agent].append(known[key])
    (margins if args.what == "margins" else wrong)(args, runs)


def flags(args, agent, seed):
    command = ["perf" if args.what == "margins" else "localize", "--target", args.target, "--theory", args.theory]
    for reference in args.reference:
        command += ["--reference", reference]
    command += ["--queries", str(args.queries), "--timeout", str(args.timeout), "--agent", agent, "--rng-seed", str(seed), "--json"]
    if args.what == "margins":
        command += ["--score", args.score, "--keep", "1", "--reduce", "0"]
    if args.operators == "paper":
        command += ["--operator", OPERATORS[args.theory].replace(" ", ",")]
        command += ["--sort", args.sort] if args.theory == "fp" else []
    return command + args.extra.split()


def run(command):
    before = os.times()
    done = subprocess.run(command, capture_output=True, text=True)
    after = os.times()
    if done.returncode not in (0, 10):
        sys.exit(f"{' '.join(command)}\nends with {done.returncode}: {done.stderr}")
    result = json.loads(done.stdout.splitlines()[-1])
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    keep = {"queries": result["queries"], "cpu": cpu, "ranking": [row["construct"] for row in result["ranking"][:3]]}
    if "limit" in result:
        best = result["best"][:1]
        return keep | {"margin": best[0]["margin"] if best else 0.0, "limit": result["limit"], "lost": result["lost"]}
    found = [[one["query"], [finding["fingerprint"] for finding in one["findings"]]] for one in result["best"]]
    return keep | {"found": found, "undecided": result["undecided"]}


def read(log):
    if not log or not os.path.exists(log):
        return {}
    with open(log) as file:
        return {line["flags"]: line["run"] for line in map(json.loads, file)}


def write(log, key, result):
    if log:
        with open(log, "a") as file:
            file.write(json.dumps({"flags": key, "run": result}) + "\n")


def margins(args, runs):
    print(f"{args.target}, {args.theory}, references {', '.join(args.reference)}: best margin of {args.queries} queries")
    values = {agent: [one["margin"] for one in runs[agent]] for agent in args.agents}
    for agent in args.agents:
        most = sum(one["margin"] >= 1.8 * one["limit"] for one in runs[agent])
        queries, cpu, lost = (mean([one[key] for one in runs[agent]]) for key in ("queries", "cpu", "lost"))
        line = f"  {agent:<13} {mean(values[agent]):8.3f} ± {deviation(values[agent]):.3f}  at the bound in {most} of {args.repetitions}"
        line += f"  {queries:.0f} queries, {lost:.0f} without a score, {cpu:.1f} CPU s"
        print(line + compared(args, agent, values))
    baselines = [mean(values[agent]) for agent in args.agents if agent != "thompson"]
    if "thompson" in values and baselines and max(baselines) > 0:
        print(f"  thompson against the best baseline: {100 * (mean(values['thompson']) / max(baselines) - 1):+.1f} %")
    firsts = [one["ranking"][0] for one in runs.get("thompson", []) if one["ranking"]]
    print("  first in the ranking of thompson: " + ", ".join(f"{name} {firsts.count(name)}" for name in sorted(set(firsts), key=firsts.count, reverse=True)))


def wrong(args, runs):
    print(f"{args.target}, {args.theory}, references {', '.join(args.reference)}: scripts with wrong answers after queries")
    marks = [args.queries * part // 4 for part in (1, 2, 3, 4)]
    values = {agent: [len(one["found"]) for one in runs[agent]] for agent in args.agents}
    for agent in args.agents:
        counts = [mean([sum(query <= mark for query, _ in one["found"]) for one in runs[agent]]) for mark in marks]
        prints = mean([len({name for _, names in one["found"] for name in names}) for one in runs[agent]])
        shown = ", ".join(f"{mark}: {count:.1f}" for mark, count in zip(marks, counts))
        line = f"  {agent:<13} {shown}  (± {deviation(values[agent]):.1f}; {prints:.1f} fingerprints, "
        line += f"{mean([one['undecided'] for one in runs[agent]]):.0f} undecided, {mean([one['cpu'] for one in runs[agent]]):.1f} CPU s)"
        print(line + compared(args, agent, values))


def compared(args, agent, values):
    if agent == "thompson" or "thompson" not in values:
        return ""
    t, freedom, p = welch(values["thompson"], values[agent])
    return f"  Welch t = {t:.2f}, df = {freedom:.1f}, p = {p:.3f}"


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    return math.sqrt(sum((value - mean(values)) ** 2 for value in values) / max(len(values) - 1, 1))


def welch(here, there):
    """t, the degrees of freedom, and how likely a difference like this is if there is none."""
    a, b = deviation(here) ** 2 / len(here), deviation(there) ** 2 / len(there)
    if a + b == 0:
        return (0.0, 0.0, 1.0) if mean(here) == mean(there) else (math.inf, 0.0, 0.0)
    t = (mean(here) - mean(there)) / math.sqrt(a + b)
    freedom = (a + b) ** 2 / (a**2 / max(len(here) - 1, 1) + b**2 / max(len(there) - 1, 1))
    # With t = sqrt(freedom) tan(x), the density of Student's distribution is that of cos(x)^(freedom - 1).
    start = math.atan(abs(t) / math.sqrt(freedom))
    return t, freedom, simpson(start, freedom - 1) / simpson(0.0, freedom - 1)


def simpson(start, power, steps=4000):
    width = (math.pi / 2 - start) / steps
    value = lambda step: max(math.cos(start + width * step), 0.0) ** power if step < steps or power > 0 else 1.0
    weights = lambda step: 1 if step in (0, steps) else 4 if step % 2 else 2
    return sum(weights(step) * value(step) for step in range(steps + 1)) * width / 3


main()
