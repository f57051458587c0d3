#!/usr/bin/env python3
"""Exhaustion against a solver: generates small scripts, decides them by gainsay alone, and compares the answers.

    compare.py GAINSAY Z3 OUT [SCRIPTS [RNG_SEED]]

GAINSAY and Z3 are programs, OUT is a folder for the scripts, SCRIPTS the number for each theory (default 300). Prints one
line for each difference, and a table by theory: decided exactly, the same answer, another answer, no answer.
With CVC5_MODULE set to the folder of cvc5's Python module, cvc5 is asked as well.
"""

import json
import os
import re
import subprocess
import sys

BITS = ["--sort", "(_ BitVec 1)", "--sort", "(_ BitVec 2)", "--sort", "(_ BitVec 3)", "--sort", "(_ BitVec 4)"]
FLOATS = ["--sort", "(_ FloatingPoint 2 3)", "--sort", "(_ FloatingPoint 3 4)"]
TWO = ["--variables", "2", "--assertions", "2"]
THEORIES = {
    "bv": ["--theory", "bitvector", *BITS, *TWO],
    "bvq": ["--theory", "bitvector", *BITS[:6], "--variables", "1", "--assertions", "2", "--quantifiers", "25"],
    "fp": ["--theory", "fp", *FLOATS[:2], *TWO, "--depth", "3"],
    "fpbv": ["--theory", "fp,bitvector", *FLOATS, *BITS, *TWO, "--mix", "2"],
    "int": ["--theory", "int", "--variables", "3", "--assertions", "3"],
    "array": ["--theory", "array,bitvector,bool", *BITS[:4], *TWO],
    "dt": ["--theory", "datatype,bitvector", *BITS[:4], *TWO],
    "uf": ["--theory", "function,bitvector", *BITS[2:4], *TWO],
    "ufq": ["--theory", "function,bitvector", *BITS[2:4], *TWO, "--quantifiers", "25"],
    "all": ["--theory", "bitvector,array,datatype,function,fp,int", *BITS[:4], *FLOATS[:2], *TWO, "--mix", "4"],
}
STEPS = "200000"
BATCH = 50


def small(text):
    """Three elements in a declared sort, and integers from -3 to 4."""
    text = text.replace("(declare-sort U 0)", "(declare-datatypes ((U 0)) (((u1) (u2) (u3))))")
    text = re.sub(r"\(set-logic [A-Z_]*\)", "(set-logic ALL)", text)
    names = re.findall(r"\(declare-const (\S+) Int\)", text)
    bounds = "".join(f"(assert (<= (- 3) {name} 4))\n" for name in names)
    first = text.index("(assert")
    return text[:first] + bounds + text[first:]


def generate(gainsay, folder, options, count, seed):
    command = [gainsay, "generate", *options, "-n", count, "--rng-seed", seed, "--out", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".smt2"):
            with open(path) as file:
                text = small(file.read())
            with open(path, "w") as file:
                file.write(text)
        else:
            os.remove(path)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def decide(gainsay, paths):
    """The exact answers by path; open and undecided ones are left out."""
    output = subprocess.run([gainsay, "decide", "--json", "--steps", STEPS, *paths], capture_output=True, text=True)
    exact = {}
    for line in output.stdout.splitlines():
        record = json.loads(line)
        answer = record["answers"][0]
        if answer["answer"] != "undecided" and not answer["open"]:
            exact[record["file"]] = answer["answer"]
    return exact


def ask_z3(z3, paths):
    """Answers of z3, many scripts a process, with a reset between them."""
    parts = []
    for number, path in enumerate(paths):
        with open(path) as file:
            parts.append(f'(reset)\n{file.read()}\n(echo "@@{number}")\n')
    try:
        run = subprocess.run([z3, "-in", "-t:2000"], input="".join(parts), capture_output=True, text=True,
                             timeout=10 + 3 * len(paths))
        output = run.stdout
    except subprocess.TimeoutExpired:
        output = ""
    answers, last = {}, "none"
    for line in output.splitlines():
        mark = re.match(r"@@(\d+)$", line)
        if mark:
            answers[paths[int(mark.group(1))]], last = last, "none"
        elif line in ("sat", "unsat", "unknown"):
            last = line
        elif "error" in line:
            last = "error"
    return answers


def ask_cvc5(module, paths):
    sys.path.insert(0, module)
    import cvc5

    answers = {}
    for path in paths:
        manager = cvc5.TermManager()
        solver = cvc5.Solver(manager)
        for option, value in (("tlimit-per", "2000"), ("fp-exp", "true"), ("arrays-exp", "true")):
            solver.setOption(option, value)
        try:
            parser = cvc5.InputParser(solver)
            parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
            answers[path] = "none"
            while not (command := parser.nextCommand()).isNull():
                said = command.invoke(solver, parser.getSymbolManager())
                said = (said.decode() if isinstance(said, bytes) else said or "").strip()
                if said in ("sat", "unsat", "unknown"):
                    answers[path] = said
        except RuntimeError:
            answers[path] = "error"
    return answers


def main():
    gainsay, z3, out = sys.argv[1:4]
    count = sys.argv[4] if len(sys.argv) > 4 else "300"
    seed = sys.argv[5] if len(sys.argv) > 5 else "1"
    solvers = {"z3": lambda paths: ask_z3(z3, paths)}
    if os.environ.get("CVC5_MODULE"):
        solvers["cvc5"] = lambda paths: ask_cvc5(os.environ["CVC5_MODULE"], paths)
    for theory, options in THEORIES.items():
        paths = generate(gainsay, os.path.join(out, theory), options, count, seed)
        exact = decide(gainsay, paths)
        decided = sorted(exact)
        for name, ask in solvers.items():
            same = other = silent = 0
            for start in range(0, len(decided), BATCH):
                part = decided[start:start + BATCH]
                answers = ask(part)
                for path in part:
                    answer = answers.get(path, "none")
                    if answer not in ("sat", "unsat"):
                        silent += 1
                    elif answer == exact[path]:
                        same += 1
                    else:
                        other += 1
                        print(f"difference: {name} says {answer}, exhaustion {exact[path]}: {path}", flush=True)
            print(f"{theory}: {len(paths)} scripts, {len(decided)} decided; {name}: {same} the same, {other} "
                  f"different, {silent} without an answer", flush=True)


if __name__ == "__main__":
    main()
