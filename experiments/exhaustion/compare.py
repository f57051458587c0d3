#!/usr/bin/env python3
"""Exhaustion against solvers: generates small scripts, decides them by gainsay alone, and compares the answers.

    compare.py GAINSAY Z3 OUT [SCRIPTS [RNG_SEED...] [THEORY...]]

GAINSAY and Z3 are programs, OUT is a folder, SCRIPTS the number for each theory and random seed (default 300), of all theories unless some are named. Prints one line
for each difference, and at the end one line for each theory and solver: decided exactly, the same answer, another answer, no answer.
OUT/compare.jsonl has one line for each theory and random seed, so that a comparison goes on where it stopped; scripts with a
difference stay in OUT. With CVC5_MODULE set to the folder of cvc5's Python module, cvc5 is asked as well.
"""

import json
import multiprocessing
import os
import re
import shutil
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
    "real": ["--theory", "real", "--scope", "small", *TWO],
    "intreal": ["--theory", "int,real,bool", "--scope", "small", *TWO, "--quantifiers", "25"],
    "string": ["--theory", "string", "--scope", "small", *TWO],
    "seq": ["--theory", "sequence", "--scope", "small", *TWO],
}
LAST = ("string", "seq")
STEPS = "200000"
BATCH = 50


def small(text):
    """Three elements in a declared sort, and integers from -3 to 4."""
    text = text.replace("(declare-sort U 0)", "(declare-datatypes ((U 0)) (((u1) (u2) (u3))))")
    text = re.sub(r"\(set-logic [A-Z_]*\)", "(set-logic ALL)", text)
    names = re.findall(r"\(declare-const (\S+) Int\)", text)
    bounds = "".join(f"(assert (<= (- 3) {name} 4))\n" for name in names if f"(assert (<= (- 3) {name} 4))" not in text)
    first = text.index("(assert")
    return text[:first] + bounds + text[first:]


def generate(gainsay, folder, options, count, seed):
    shutil.rmtree(folder, ignore_errors=True)
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
        run = subprocess.run([z3, "-in", "-t:10000", "rlimit=300000"], input="".join(parts), capture_output=True, text=True,
                             timeout=60 + 10 * len(paths))
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
    """Answers of cvc5, many scripts a process; the script that ends the process has no answer."""
    answers = {}
    while len(answers) < len(paths):
        receiver, sender = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.Process(target=run_cvc5, args=(module, paths[len(answers):], sender))
        child.start()
        sender.close()
        before = len(answers)
        try:
            while True:
                answers[paths[len(answers)]] = receiver.recv()
        except (EOFError, IndexError):
            child.join()
        if len(answers) < len(paths):
            path = paths[len(answers)]
            answers[path] = "crash"
            print(f"crash: cvc5 after {len(answers) - before} scripts: {path}", flush=True)
    return answers


def run_cvc5(module, paths, sender):
    sys.path.insert(0, module)
    import cvc5

    for path in paths:
        manager = cvc5.TermManager()
        solver = cvc5.Solver(manager)
        for option, value in (("tlimit-per", "10000"), ("rlimit-per", "100000"), ("fp-exp", "true"), ("arrays-exp", "true"), ("strings-exp", "true"), ("sets-exp", "true")):
            solver.setOption(option, value)
        answer = "none"
        try:
            parser = cvc5.InputParser(solver)
            parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
            while not (command := parser.nextCommand()).isNull():
                said = command.invoke(solver, parser.getSymbolManager())
                said = (said.decode() if isinstance(said, bytes) else said or "").strip()
                if said in ("sat", "unsat", "unknown"):
                    answer = said
        except RuntimeError:
            answer = "error"
        sender.send(answer)
    sender.close()


def compare(exact, ask):
    """The numbers of equal, other and missing answers, and the paths with another answer."""
    decided = sorted(exact)
    same, other, silent = 0, [], 0
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
                other.append((path, answer))
    return same, other, silent


def run_theory(gainsay, solvers, out, theory, count, seed):
    """Compares the scripts of one theory and random seed; removes those without a difference."""
    folder = os.path.join(out, f"{theory}-{seed}")
    paths = generate(gainsay, folder, THEORIES[theory], count, seed)
    exact = {}
    for start in range(0, len(paths), BATCH):
        exact.update(decide(gainsay, paths[start:start + BATCH]))
    record = {"theory": theory, "seed": seed, "scripts": len(paths), "decided": len(exact), "solvers": {}}
    differing = set()
    for name, ask in solvers.items():
        same, other, silent = compare(exact, ask)
        record["solvers"][name] = [same, len(other), silent]
        for path, answer in other:
            differing.add(path)
            print(f"difference: {name} says {answer}, exhaustion {exact[path]}: {path}", flush=True)
    for path in paths:
        if path not in differing:
            os.remove(path)
    if not differing:
        os.rmdir(folder)
    return record


def print_table(records):
    for theory in THEORIES:
        of_theory = [record for record in records if record["theory"] == theory]
        for name in ("z3", "cvc5"):
            asked = [record for record in of_theory if name in record["solvers"]]
            if asked:
                same, other, silent = (sum(record["solvers"][name][at] for record in asked) for at in range(3))
                scripts, decided = (sum(record[key] for record in asked) for key in ("scripts", "decided"))
                print(f"{theory}: {scripts} scripts, {decided} decided; {name}: {same} the same, {other} different, "
                      f"{silent} without an answer")


def main():
    gainsay, z3, out = sys.argv[1:4]
    count = sys.argv[4] if len(sys.argv) > 4 else "300"
    theories = [word for word in sys.argv[5:] if word in THEORIES] or list(THEORIES)
    seeds = [word for word in sys.argv[5:] if word not in THEORIES] or ["1"]
    solvers = {"z3": lambda paths: ask_z3(z3, paths)}
    if os.environ.get("CVC5_MODULE"):
        solvers["cvc5"] = lambda paths: ask_cvc5(os.environ["CVC5_MODULE"], paths)
    os.makedirs(out, exist_ok=True)
    log = os.path.join(out, "compare.jsonl")
    records = []
    if os.path.exists(log):
        with open(log) as file:
            records = [json.loads(line) for line in file]
    done = {(record["theory"], record["seed"]) for record in records}
    work = [(theory, seed) for seed in seeds for theory in theories]
    # A script of the last theories costs as much as many others.
    work.sort(key=lambda one: one[0] in LAST)
    for theory, seed in work:
        if (theory, seed) not in done:
            records.append(run_theory(gainsay, solvers, out, theory, count, seed))
            with open(log, "a") as file:
                file.write(json.dumps(records[-1]) + "\n")
    print_table(records)


if __name__ == "__main__":
    main()
