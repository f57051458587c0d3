#!/usr/bin/env python3
"""Known bugs of each kind of question: does `gainsay check` recognise them on the release that had them?

    history.py GAINSAY HISTORY [REFERENCE]

GAINSAY is the program, HISTORY the folder of scripts, each with the affected release at its head; REFERENCE the solver of another code
base [cvc5@1.4.2]. Prints a table of the findings on the affected release and on the newest one. Install the releases first."""

import json
import pathlib
import subprocess
import sys


def head(path):
    lines = [line[1:] for line in path.read_text().splitlines() if line.startswith(";")]
    return {key.strip(): value.strip() for key, value in (line.split(":", 1) for line in lines)}


def findings(gainsay, path, solver, reference):
    words = [gainsay, "check", str(path), "--solver", solver, "--solver", reference, "--json", "--timeout", "20"]
    output = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
    if not output:
        return "not judged"
    found = json.loads(output[-1])["findings"]
    told = [f"{one['kind']} ({one['evidence']})" for one in found if one["suspect"].startswith(solver)]
    return ", ".join(told) or "none"


def main():
    gainsay, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    reference = sys.argv[3] if len(sys.argv) > 3 else "cvc5@1.4.2"
    print("| script | question | affected release | found on it | found on z3@5.4.0 |")
    print("|---|---|---|---|---|")
    for path in sorted(folder.glob("*.smt2")):
        facts = head(path)
        bad = findings(gainsay, path, facts["affected"], reference)
        good = findings(gainsay, path, "z3@5.4.0", reference)
        print(f"| [{path.stem}]({facts['issue'].split(' ')[0]}) | {facts['question']} | {facts['affected']} | {bad} | {good} |")


main()
