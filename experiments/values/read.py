#!/usr/bin/env python3
"""Do solvers read value mutants, and do they read the same values in them?

    gainsay mutate --strategy value --values bec+domains --helper z3@5.4.0 --seeds FOLDER -n 26000 --chain 26 --out CASES
    python3 experiments/values/read.py CASES [--gainsay target/release/gainsay]

z3 5.4.0 and cvc5 1.4.2 read every case without its checks; refused cases are counted by message, and
by whether the solver refuses the seed for the same reason. Then every literal that the origins of the cases name is asserted equal to a
constant; z3, cvc5 and yices give a model, and `gainsay eval` says whether it has the value that we meant.
"""

import argparse
import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

END = "gainsay-read"
QUESTIONS = re.compile(r"^\((check-sat|get-|exit|push|pop|echo|minimize|maximize|reset|set-option)")
SORTS = [(re.compile(r"#b([01]+)$"), lambda m: f"(_ BitVec {len(m[1])})"),
         (re.compile(r"#x([0-9a-f]+)$"), lambda m: f"(_ BitVec {4 * len(m[1])})"),
         (re.compile(r"\(fp #b. (\S+) (\S+)\)$"), lambda m: f"(_ FloatingPoint {bits(m[1])} {bits(m[2]) + 1})"),
         (re.compile(r"\(_ (?:NaN|[+-]oo|[+-]zero) (\d+) (\d+)\)$"), lambda m: f"(_ FloatingPoint {m[1]} {m[2]})"),
         (re.compile(r'".*"$'), lambda m: "String"),
         (re.compile(r"R(NE|NA|TP|TN|TZ)$"), lambda m: "RoundingMode"),
         (re.compile(r"(true|false)$"), lambda m: "Bool"),
         (re.compile(r"(\d+|\(- \d+\))$"), lambda m: "Int"),
         (re.compile(r"[()\d. /-]+$"), lambda m: "Real")]
COMMON = {"(_ FloatingPoint 8 24)", "(_ FloatingPoint 11 53)"}


def bits(literal):
    return len(literal) - 2 if literal.startswith("#b") else 4 * (len(literal) - 2)


class Reader:
    """A solver in one process that reads script after script; `between` makes it forget."""

    def __init__(self, command, between):
        self.between = between
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def read(self, text):
        self.process.stdin.write(text + f'\n{self.between}(echo "{END}")\n')
        self.process.stdin.flush()
        said = []
        for line in self.process.stdout:
            if END in line:
                return "".join(said)
            said.append(line)
        raise SystemExit("a solver died")


def without_questions(text):
    return "\n".join(line for line in text.splitlines() if not QUESTIONS.match(line))


def message(said):
    """What a solver complains about, without names and numbers; nothing if it does not."""
    found = re.search(r"\(error \"(.*?)\"\)?", said, re.S)
    return re.sub(r"line \d+ column \d+:|<stdin>:[\d.]+:?|[0-9]+|\|[^|]*\||'[^']*'", "", found.group(1))[:90] if found else None


def refusals(args, readers):
    seeds, counts, cases = {}, Counter(), 0
    for path in sorted(args.cases.glob("*.smt2")):
        cases += 1
        seed = json.loads(path.with_suffix(".json").read_text())["parents"][0]
        text = without_questions(path.read_text())
        for name, reader in readers.items():
            why = message(reader.read(text))
            if why is None:
                continue
            if (name, seed) not in seeds:
                seeds[name, seed] = message(reader.read(without_questions(Path(seed).read_text(errors="replace"))))
            known = "the seed, too" if seeds[name, seed] is not None else "the mutant only"
            counts[name, known, why] += 1
    print(f"{cases} cases read\n")
    for (name, known, why), count in counts.most_common():
        print(f"* {name}, {known}, {count} times: {why}")


def literals(args, programs):
    found = set()
    for path in args.cases.glob("*.json"):
        for step in json.loads(path.read_text())["steps"]:
            for part in re.split(r", (?=[^,]* ⇒ )", re.sub(r" and \d+ more$", "", step)):
                found.add(part.split(" ⇒ ")[-1])
    sorted_ = {}
    for literal in found:
        sort = next((make(match) for pattern, make in SORTS if (match := pattern.match(literal))), None)
        if sort:
            sorted_[literal] = sort
    print(f"\n{len(sorted_)} different literals, {len(found) - len(sorted_)} not understood by this script")
    for name, (command, skips) in programs.items():
        wrong = asked = 0
        usable = [(literal, sort) for literal, sort in sorted(sorted_.items()) if not skips(sort)]
        for start in range(0, len(usable), 100):
            wrong_here = judge(args, command, usable[start:start + 100])
            wrong, asked = wrong + wrong_here, asked + len(usable[start:start + 100])
        print(f"* {name}: {asked} literals asked, {wrong} read as another value or not at all")


def judge(args, command, chunk):
    lines = [f"(declare-const x{i} {sort})\n(assert (= x{i} {literal}))" for i, (literal, sort) in enumerate(chunk)]
    head = "(set-option :produce-models true)\n(set-logic ALL)\n"
    with tempfile.TemporaryDirectory() as work:
        script, model = Path(work) / "s.smt2", Path(work) / "m.txt"
        script.write_text(head + "\n".join(lines) + "\n(check-sat)\n(get-model)\n")
        model.write_text(subprocess.run([*command, script], capture_output=True, text=True).stdout)
        said = subprocess.run([args.gainsay, "eval", script, "--model", model, "--json"], capture_output=True, text=True)
        try:
            return sum(one != "true" for one in json.loads(said.stdout.splitlines()[-1])["assertions"])
        except (IndexError, KeyError, ValueError):
            print(said.stderr[:300], model.read_text()[:300])
            return len(chunk)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--cache", default=os.environ.get("GAINSAY_CACHE", str(Path.home() / ".cache/gainsay")))
    args = parser.parse_args()
    managed = Path(args.cache) / "solvers"
    z3, cvc5 = managed / "z3/5.4.0/bin/z3", managed / "cvc5/1.4.2/lib"
    refusals(args, {"z3": Reader([z3, "-in"], "(reset)\n"),
                    "cvc5": Reader([args.gainsay, "driver", "session", "cvc5", END, cvc5, "--parse-only"], "")})
    yices = next(managed.glob("yices/*/bin/yices-smt2"), None) or next(managed.glob("yices/**/yices-smt2"))
    no_theory = lambda sort: sort == "String" or "Floating" in sort or sort == "RoundingMode"
    literals(args, {"z3": ([z3], lambda sort: False),
                    "cvc5": ([args.gainsay, "driver", "cvc5", cvc5], lambda sort: "Floating" in sort and sort not in COMMON),
                    "yices": ([yices], no_theory)})


if __name__ == "__main__":
    main()
