#!/usr/bin/env python3
"""Runs z3 on many small scripts under each of its simplifiers, or under each line of a file of options, and compares with plain check-sat.

    gainsay generate --theory bitvector,int --quantifiers 30 -n 60 --solver z3@latest --out scripts/a
    sweep.py Z3 SCRIPTS SEED COUNT                  every simplifier that z3's help lists
    sweep.py Z3 SCRIPTS SEED COUNT --pairs N        N random sequences of two or three of them
    sweep.py Z3 SCRIPTS SEED COUNT --options FILE   each line of FILE: smt.arith.solver=2 smt.bv.delay=true

Z3 is the program, SCRIPTS a folder of scripts with one check each, of which COUNT are drawn. One process answers all scripts of a
configuration, with (reset) between them, so that a configuration costs seconds. Prints each crash, each answer that differs, and each model
that z3's own validation rejects. Options that change the meaning (rewriter.hi_div0) or switch off reasoning (smt.array.extensional) differ
by design: look at every line.
"""

import argparse
import random
import re
import subprocess
from pathlib import Path

TIMEOUT_MS = 400
MEMORY_MB = 1500
ANSWER = re.compile(r"^(sat|unsat|unknown)$", re.M)


def ask(z3, scripts, prelude):
    """What one process says to each script, by number, and its exit code; the last number is that of a crash if not all are there."""
    text = ""
    for number, script in enumerate(scripts):
        text += f"(reset)\n(set-option :timeout {TIMEOUT_MS})\n(set-option :model_validate true)\n{prelude}\n"
        text += f'(echo "@{number}")\n{script}\n'
    done = subprocess.run([z3, "-in", f"-memory:{MEMORY_MB}"], input=text + '(echo "@end")\n', capture_output=True, text=True)
    parts = re.split(r"^@(\w+)$", done.stdout, flags=re.M)
    said = {int(key): value for key, value in zip(parts[1::2], parts[2::2]) if key != "end"}
    return said, "@end" in done.stdout, done.returncode


def sweep(z3, paths, scripts, prelude, label):
    """What z3 says to all scripts; it is started again after each crash. Exit code 101 is z3's memory limit."""
    results, first = {}, 0
    while first < len(scripts):
        said, is_complete, code = ask(z3, scripts[first:], prelude)
        results.update({first + number: value for number, value in said.items()})
        if is_complete:
            break
        last = first + max(said, default=0)
        print(f"crash: {label}: exit code {code}: {paths[last]}", flush=True)
        results.pop(last, None)
        first = last + 1
    return results


def preludes(arguments, rng):
    """The configurations: a name and the commands that set it."""
    if arguments.options:
        for line in filter(None, Path(arguments.options).read_text().splitlines()):
            yield line, "\n".join("(set-option :%s %s)" % tuple(word.split("=")) for word in line.split())
        return
    said = subprocess.run([arguments.z3, "-in"], input="(help-simplifier)", capture_output=True, text=True).stdout
    names = re.findall(r"^ *- ([a-z0-9-]+)", said, re.M)
    chosen = [rng.sample(names, rng.randint(2, 3)) for _ in range(arguments.pairs)] if arguments.pairs else [[name] for name in names]
    for some in chosen:
        name = some[0] if len(some) == 1 else f"(then {' '.join(some)})"
        yield name, f"(set-simplifier {name})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("z3", "scripts"):
        parser.add_argument(name)
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--options")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    paths = sorted(Path(arguments.scripts).glob("**/*.smt2"))
    rng.shuffle(paths)
    paths = paths[: arguments.count]
    # A simplifier must be set before the logic chooses a solver.
    scripts = [re.sub(r"\(set-logic \w+\)", "", path.read_text()) for path in paths]
    plain = sweep(arguments.z3, paths, scripts, "", "plain")
    for label, prelude in preludes(arguments, rng):
        for number, said in sweep(arguments.z3, paths, scripts, prelude, label).items():
            before, after = ANSWER.findall(plain.get(number, "")), ANSWER.findall(said)
            if before and after and {before[0], after[0]} == {"sat", "unsat"}:
                print(f"answer: {label}: {before[0]} becomes {after[0]}: {paths[number]}", flush=True)
            if "invalid model" in said and "invalid model" not in plain.get(number, ""):
                print(f"model: {label}: {paths[number]}", flush=True)


if __name__ == "__main__":
    main()
