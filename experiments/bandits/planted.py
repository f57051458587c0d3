#!/usr/bin/env python3
"""Does the ranking name a planted flaw first? The target is a real z3 that is slow with one operator, or lies where it occurs.

    experiments/bandits/planted.py GAINSAY Z3 (slow|lie) [QUERIES] [AGENT]

GAINSAY is the program, Z3 a binary of z3. Makes ten runs, each with another operator and another seed; the references are z3 5.4.0 and,
for lies, cvc5 1.4.2. Prints the first three of the ranking for each run, and at the end in how many runs the planted operator is first.
"""

import json
import os
import subprocess
import sys
import tempfile

PLANTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../crates/fake-solver/planted.sh")
SLOW = ["bvsdiv", "bvurem", "bvashr", "bvnor", "bvsmod", "bvxor", "bvnand", "bvumulo", "bvneg", "bvule"]
LIES = [
    "str.replace", "str.indexof", "str.substr", "str.prefixof", "str.from_int",
    "str.replace_all", "str.is_digit", "str.to_code", "re.opt", "str.<=",
]


def run(gainsay, z3, flaw, word, seed, queries, agent, folder):
    target = os.path.join(folder, f"{flaw}-{seed}.sh")
    turns = "100000 " if flaw == "slow" else ""
    with open(target, "w") as file:
        file.write(f'#!/bin/sh\nexec "{PLANTED}" {flaw} "{word}" {turns}"{z3}" -smt2 "$@"\n')
    os.chmod(target, 0o755)
    command = [gainsay, "perf" if flaw == "slow" else "localize", "--target", f"generic={target}"]
    command += ["--reference", "z3@5.4.0", "--assertions", "2", "--depth", "3", "--timeout", "1"]
    command += ["--queries", str(queries), "--rng-seed", str(seed), "--agent", agent, "--json"]
    if flaw == "slow":
        command += ["--theory", "bv", "--sort", "(_ BitVec 8)", "--go-on", "--reduce", "0"]
    else:
        command += ["--theory", "string", "--reference", "cvc5@1.4.2"]
    output = subprocess.run(command, capture_output=True, text=True).stdout
    return json.loads(output.splitlines()[-1])


def main():
    gainsay, z3, flaw = sys.argv[1:4]
    queries = int(sys.argv[4]) if len(sys.argv) > 4 else 2000
    agent = sys.argv[5] if len(sys.argv) > 5 else "thompson"
    first = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed, word in enumerate(SLOW if flaw == "slow" else LIES):
            result = run(gainsay, z3, flaw, word, seed, queries, agent, folder)
            top = result["ranking"][:3]
            first += top[0]["construct"] == word
            shown = ", ".join(f"{row['construct']} {row['mean']:.2f} ({row['pulls']:.0f})" for row in top)
            print(f"{word}: {result['queries']} queries: {shown}", flush=True)
    print(f"{flaw}: first in {first} of 10")


main()
