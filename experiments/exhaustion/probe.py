#!/usr/bin/env python3
"""The operators that installed solvers accept, against the tables of gainsay: probes every name.

    probe.py GAINSAY Z3 Z3_LIBRARY CVC5_LIBRARY

The names are those of docs/operators.md and all texts in the two libraries that look like an operator. A name is known to a
solver if an application to a Boolean, plain, with one index or with two, is refused for another reason than that the name
is unknown, or accepted; a constant is part of a conjunction. Prints, for each solver, the names that it knows and `gainsay parse` does not. CVC5_MODULE is the folder
of cvc5's Python module.
"""

import os
import re
import subprocess
import sys
import tempfile

LIKE_AN_OPERATOR = re.compile(
    rb"(?<![\w.@!%/-])((?:str|seq|re|set|bag|rel|table|tuple|nullable|fp|ff|int|char|sep|real|ubv|sbv|fmf)[._][a-z_+*<=0-9.]+"
    rb"|(?:bv|ext_|pb|at-|to_|sep|int2|ubv|sbv|array-|arc|nat|int)[a-z0-9_-]+|[a-z]+(?:-order|-closure|-of|h)|iand|piand|pto|wand|divisible)(?=\x00)"
)
FORMS = ["({} true)", "((_ {} 1) true)", "((_ {} 1 1) true)", "(and {})"]
UNKNOWN = {"z3": ("unknown constant", "unknown function", "invalid indexed identifier"),
           "cvc5": ("not declared", "Unknown indexed"), "gainsay": ("unknown", "not declared")}


def texts(library):
    with open(library, "rb") as file:
        return {match.group(1).decode() for match in LIKE_AN_OPERATOR.finditer(file.read())}


def z3_knows(z3, names):
    """The names that z3 knows; a probe that ends z3 is printed, and the rest is asked again."""
    known, probes = set(), [(name, form.format(name)) for name in names for form in FORMS]
    while probes:
        script = "".join(f'(echo "@")(simplify {term})\n' for _, term in probes)
        run = subprocess.run([z3, "-in"], input=script, capture_output=True, text=True)
        answers = re.split(r"^@$", run.stdout, flags=re.M)[1:]
        known |= {name for (name, _), answer in zip(probes, answers) if not any(word in answer for word in UNKNOWN["z3"])}
        if run.returncode not in (0, 1):
            print(f"z3 ends with code {run.returncode} on (simplify {probes[len(answers) - 1][1]})")
        probes = probes[len(answers):]
    return known


def cvc5_knows(module, names):
    sys.path.insert(0, module)
    import cvc5

    known = set()
    for name in names:
        for form in FORMS:
            parser = cvc5.InputParser(cvc5.Solver(cvc5.TermManager()))
            try:
                parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic HO_ALL)(assert {form.format(name)})", "probe")
                while not parser.nextCommand().isNull():
                    pass
            except RuntimeError as error:
                if any(word in str(error) for word in UNKNOWN["cvc5"]):
                    continue
            known.add(name)
            break
    return known


def gainsay_knows(gainsay, names):
    known = set()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.smt2")
        for name in names:
            for form in FORMS:
                with open(path, "w") as file:
                    file.write(f"(set-logic ALL)\n(assert {form.format(name)})\n(check-sat)\n")
                run = subprocess.run([gainsay, "parse", path], capture_output=True, text=True)
                if not any(word in run.stdout + run.stderr for word in UNKNOWN["gainsay"]):
                    known.add(name)
                    break
    return known


def main():
    gainsay, z3, z3_library, cvc5_library = sys.argv[1:5]
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "../../docs/operators.md")) as file:
        listed = set(re.findall(r"^\| \w+ \| `([^`]+)`", file.read(), re.M))
    for solver, library in (("z3", z3_library), ("cvc5", cvc5_library)):
        names = sorted(texts(library) | listed)
        known = z3_knows(z3, names) if solver == "z3" else cvc5_knows(os.environ["CVC5_MODULE"], names)
        own = sorted(known - listed)
        missing = sorted(set(own) - gainsay_knows(gainsay, own))
        print(f"{solver}: {len(names)} names tried, {len(known)} known, {len(known & listed)} of them in docs/operators.md")
        print("  unknown to gainsay:", " ".join(missing) or "none")


if __name__ == "__main__":
    main()
