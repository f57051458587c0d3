#!/usr/bin/env python3
"""The share of cases of campaigns in small scope that gainsay decides exactly, by theory, and why it does not decide the others.

    small_scope.py GAINSAY SEEDS OUT RNG_SEED...

GAINSAY is the program, SEEDS a folder of scripts, OUT a folder. Runs a campaign of 600 cases for each random seed on the newest z3 and cvc5, makes each of
its cases again, and decides it with the steps of a campaign. A script is *trivially* unsatisfiable if no assignment had to be evaluated. Prints the
findings of the campaigns as well: one that exhaustion contradicts is a bug of a solver or of gainsay.
"""

import collections
import json
import os
import re
import subprocess
import sys

CASES = 600
STEPS = "200000"
BATCH = 50
SOLVERS = ["z3@5.4.0", "cvc5@1.4.2"]


def campaign(gainsay, seeds, folder, rng_seed):
    """The totals of a campaign, which is run unless the folder has it already."""
    kept = folder + ".json"
    if not os.path.exists(kept):
        command = [gainsay, "fuzz", "--seeds", seeds, "--scope", "small", "--question-share", "0", "--cases", str(CASES), "--jobs", "1",
                   "--timeout", "1s", "--rng-seed", rng_seed, "--json", "--out", folder]
        for solver in SOLVERS:
            command += ["--solver", solver]
        run = subprocess.run(command, capture_output=True, text=True)
        with open(kept, "w") as file:
            file.write(run.stdout.splitlines()[-1])
    with open(kept) as file:
        return json.load(file)


def scripts(gainsay, folder):
    """The files of all cases of a campaign."""
    made = folder + ".cases"
    os.makedirs(made, exist_ok=True)
    for number in range(CASES):
        path = os.path.join(made, f"{number:04}.smt2")
        if not os.path.exists(path):
            subprocess.run([gainsay, "replay", folder, str(number), "--out", path], capture_output=True)
    return [os.path.join(made, name) for name in sorted(os.listdir(made)) if name.endswith(".smt2")]


def decisions(gainsay, paths):
    """For each script its answer and the reason of an undecided one."""
    for start in range(0, len(paths), BATCH):
        command = [gainsay, "decide", "--json", "--steps", STEPS, *paths[start:start + BATCH]]
        for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines():
            answers = json.loads(line)["answers"]
            gaps = [one for one in answers if one["answer"] == "undecided" or one["open"]]
            if gaps:
                one = gaps[0]
                why = "open: " + ", ".join(one["open"]) if one["open"] else re.sub(r"\d+", "N", one["reason"])
                yield "undecided", why
            elif answers:
                is_trivial = answers[0]["answer"] == "unsat" and answers[0]["assignments"] == 0
                yield answers[0]["answer"], "trivially" if is_trivial else ""


def by_theory(gainsay, folder, totals):
    """Adds the numbers of cases by theory, and of those that were decided, from the report."""
    report = subprocess.run([gainsay, "report", folder], capture_output=True, text=True).stdout
    table = report.partition("## Cases decided by exhaustion, by theory")[2].partition("\n## ")[0]
    for theory, cases, decided in re.findall(r"^\| ([a-z]\S*) \| ([\d,]+) \| ([\d,]+) \|", table, re.M):
        if cases != "cases":
            totals[theory][0] += int(cases.replace(",", ""))
            totals[theory][1] += int(decided.replace(",", ""))


def main():
    gainsay, seeds, out = sys.argv[1:4]
    os.makedirs(out, exist_ok=True)
    answers, reasons, theories = collections.Counter(), collections.Counter(), collections.defaultdict(lambda: [0, 0])
    for rng_seed in sys.argv[4:]:
        folder = os.path.join(out, rng_seed)
        totals = campaign(gainsay, seeds, folder, rng_seed)
        print(f"random seed {rng_seed}: {totals['cases']} cases, {totals['our_bugs']} lost to bugs of gainsay, findings: {totals['findings']}")
        by_theory(gainsay, folder, theories)
        for answer, why in decisions(gainsay, scripts(gainsay, folder)):
            answers[answer] += 1
            answers["trivially unsat"] += why == "trivially"
            if answer == "undecided":
                reasons[why] += 1
    print(dict(answers))
    for theory, (cases, decided) in sorted(theories.items()):
        print(f"{theory}: {decided} of {cases}")
    for why, count in reasons.most_common():
        print(f"{count} {why}")


if __name__ == "__main__":
    main()
