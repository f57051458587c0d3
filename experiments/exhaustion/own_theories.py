#!/usr/bin/env python3
"""Exhaustion against the one solver that has a theory: generates small scripts, decides them, and compares the answers.

    own_theories.py GAINSAY Z3 CVC5 OUT [SCRIPTS [RNG_SEED [THEORY...]]]

GAINSAY, Z3 and CVC5 are programs, OUT is a folder for the scripts, SCRIPTS the number for each theory (default 300), THEORY the
theories (default: all of THEORIES). Each script has a process of its own, so a crash costs one script. Prints one line for each
difference and each crash, and a line for each theory: decided exactly, the same answer, another answer, crashes, no answer, and
the CPU seconds of the solver. The scripts stay in OUT.
"""

import os
import resource
import subprocess
import sys

from compare import decide

TWO = ["--variables", "2", "--assertions", "2"]
Z3, CVC5 = "z3@5.4.0", "cvc5@1.4.2"
THEORIES = {
    "finiteset": ("z3", ["--theory", "finiteset", "--solver", Z3, *TWO]),
    "finiteset-bv": ("z3", ["--theory", "finiteset,bitvector", "--solver", Z3, *TWO]),
    "mapped": ("z3", ["--theory", "mapped,bitvector", "--solver", Z3, *TWO]),
    "order": ("z3", ["--theory", "order", "--solver", Z3, *TWO]),
    "order-bv": ("z3", ["--theory", "order,bitvector", "--solver", Z3, *TWO]),
    "count": ("z3", ["--theory", "count,bool", "--solver", Z3, "--variables", "4", "--assertions", "3"]),
    "fold": ("z3", ["--theory", "fold,bitvector", "--solver", Z3, *TWO]),
    "field": ("z3", ["--theory", "field", "--solver", Z3, "--assertions", "3"]),
    "set": ("cvc5", ["--theory", "set", "--solver", CVC5, *TWO]),
    "set-bv": ("cvc5", ["--theory", "set,bitvector", "--solver", CVC5, *TWO]),
    "bag": ("cvc5", ["--theory", "bag", "--solver", CVC5, *TWO]),
    "bag-bv": ("cvc5", ["--theory", "bag,bitvector", "--solver", CVC5, *TWO]),
    "relation": ("cvc5", ["--theory", "relation", "--solver", CVC5, *TWO]),
    "relation-bv": ("cvc5", ["--theory", "relation,bitvector", "--solver", CVC5, *TWO]),
    "separation": ("cvc5", ["--theory", "separation", "--solver", CVC5, *TWO]),
    "separation-one": ("cvc5", ["--theory", "separation", "--solver", CVC5, "--variables", "2", "--assertions", "1", "--depth", "3"]),
    "transcendental": ("cvc5", ["--theory", "transcendental", "--solver", CVC5, *TWO, "--depth", "3"]),
    "codatatype": ("cvc5", ["--theory", "codatatype", "--solver", CVC5, *TWO]),
    "codatatype-bv": ("cvc5", ["--theory", "codatatype,bitvector", "--solver", CVC5, *TWO]),
    "higherorder": ("cvc5", ["--theory", "higherorder", "--solver", CVC5, *TWO]),
    "higherorder-bool": ("cvc5", ["--theory", "higherorder,bool", "--solver", CVC5, *TWO]),
    "collection": ("cvc5", ["--theory", "collection", "--solver", CVC5, *TWO]),
    "cvc5int": ("cvc5", ["--theory", "cvc5int", "--solver", CVC5, *TWO]),
    "cvc5bitvector": ("cvc5", ["--theory", "cvc5bitvector", "--solver", CVC5, *TWO]),
    "z3bitvector": ("z3", ["--theory", "z3bitvector", "--solver", Z3, *TWO]),
    "cvc5string": ("cvc5", ["--theory", "cvc5string", "--solver", CVC5, *TWO]),
    "universe": ("cvc5", ["--theory", "universe", "--solver", CVC5, *TWO]),
    "table": ("cvc5", ["--theory", "table", "--solver", CVC5, *TWO]),
    "z3string": ("z3", ["--theory", "z3string", "--solver", Z3, *TWO]),
    "z3int": ("z3", ["--theory", "z3int", "--solver", Z3, *TWO]),
    "z3real": ("z3", ["--theory", "z3real", "--solver", Z3, *TWO, "--depth", "3"]),
    "z3array": ("z3", ["--theory", "z3array", "--solver", Z3, *TWO]),
    "nullable": ("cvc5", ["--theory", "nullable,bool", "--solver", CVC5, *TWO]),
}
OPTIONS = {"z3": ["-t:2000"], "cvc5": ["--tlimit=2000"]}
WALL_SECONDS = 20


def generate(gainsay, folder, options, count, seed):
    os.makedirs(folder, exist_ok=True)
    command = [gainsay, "generate", *options, "--scope", "small", "-n", count, "--rng-seed", seed, "--out", folder, "--force"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".smt2")]


def ask(program, options, path):
    """The answer, `crash` with the reason, `error` with the message, or `none`."""
    try:
        run = subprocess.run([program, *options, path], capture_output=True, text=True, timeout=WALL_SECONDS)
    except subprocess.TimeoutExpired:
        return "none", ""
    for line in run.stdout.splitlines():
        if line in ("sat", "unsat", "unknown"):
            return line, ""
    text = " ".join((run.stdout + run.stderr).split())[:200]
    if "interrupted by timeout" in text or text == "timeout":
        return "none", ""
    if run.returncode < 0 or "ASSERTION VIOLATION" in text or "Fatal failure" in text or "invalid memory" in text:
        return "crash", f"{run.returncode} {text}"
    return "error", text


def main():
    gainsay, z3, cvc5, out = sys.argv[1:5]
    count = sys.argv[5] if len(sys.argv) > 5 else "300"
    seed = sys.argv[6] if len(sys.argv) > 6 else "1"
    programs = {"z3": z3, "cvc5": cvc5}
    for theory in sys.argv[7:] or THEORIES:
        solver, options = THEORIES[theory]
        paths = generate(gainsay, os.path.join(out, f"{theory}-{seed}"), options, count, seed)
        exact = {}
        for start in range(0, len(paths), 50):
            exact.update(decide(gainsay, paths[start:start + 50]))
        counts = dict.fromkeys(("same", "other", "crash", "error", "none"), 0)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        for path in paths:
            answer, why = ask(programs[solver], OPTIONS[solver], path)
            if answer in ("crash", "error"):
                counts[answer] += 1
                print(f"{answer}: {solver} {path}: {why}", flush=True)
            elif answer in ("unknown", "none") or path not in exact:
                counts["none"] += path in exact
            else:
                counts["same" if answer == exact[path] else "other"] += 1
                if answer != exact[path]:
                    print(f"difference: {solver} says {answer}, exhaustion {exact[path]}: {path}", flush=True)
        cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        said = ", ".join(f"{number} {name}" for name, number in counts.items())
        print(f"{theory}: {len(paths)} scripts, {len(exact)} decided; {solver}: {said}; {cpu:.0f} s", flush=True)


if __name__ == "__main__":
    main()
