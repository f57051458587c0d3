#!/usr/bin/env python3
"""Are known triggers of one issue in one group, and those of different issues in different groups?

    cargo build -p gainsay-engine --example group_triggers
    python3 experiments/triage/known_pairs.py --bugs FOLDER [--program target/debug/examples/group_triggers] [--half 0|1]

FOLDER holds `knownbugs.csv` (columns id, source, category, soundness_on, invalid_on, wrong) and CATEGORY/ID.smt2. Wrong answers
and invalid models are grouped as triage groups them, by the scripts as published and by the releases of the table: no solver runs. Crashes
are left out, because their messages decide. Pairs of triggers of one kind and one code base count: recall is the share of
pairs of one issue that are in one group, precision the share of pairs in one group that are of one issue. `--half` takes the issues whose
hash is even or odd, so that thresholds can be chosen on one half and judged on the other.
"""

import argparse
import csv
import hashlib
import itertools
import subprocess
from pathlib import Path

COLUMNS = {"soundness": "soundness_on", "invalid-model": "invalid_on"}


def rows(args):
    """Triggers: id, issue, code base, kind, affected releases, path."""
    found, releases = [], {}
    for row in csv.DictReader((args.bugs / "knownbugs.csv").open(newline="")):
        for column in ("soundness_on", "invalid_on", "crash_on"):
            for one in row[column].split():
                releases.setdefault(one.split("-")[0], set()).add(one)
        if row["category"] not in COLUMNS or "issues/" not in row["source"]:
            continue
        affected = row[COLUMNS[row["category"]]].split()
        solver = row["id"].split("-")[0]
        family = {"cvc": "cvc"}.get(solver, solver)
        affected = [one for one in affected if one.startswith(solver)]
        kind = "model" if row["category"] == "invalid-model" else {"unsat": "refutation", "sat": "solution"}.get(row["wrong"])
        half = hashlib.sha256(row["source"].encode()).digest()[0] % 2
        if affected and kind and args.half in (None, half):
            found.append((row["id"], row["source"], family, kind, affected, args.bugs / row["category"] / f"{row['id']}.smt2"))
    return found, releases


def version(name):
    return name.split("-", 1)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--program", default="target/debug/examples/group_triggers")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--one-release", action="store_true", help="only the last release that is affected is known")
    parser.add_argument("--pairs", action="store_true", help="print the pairs that are judged wrongly")
    args = parser.parse_args()
    triggers, releases = rows(args)
    lines = []
    for name, _, family, kind, affected, path in triggers:
        # Names of releases differ by code base: cvc4 and cvc5 are one.
        own = set().union(*(all_of for prefix, all_of in releases.items() if prefix.startswith(family)))
        others = [] if args.one_release else sorted(own - set(affected))
        affected = affected[-1:] if args.one_release else affected
        words = [name, family, kind, ",".join(map(version, affected)), ",".join(map(version, others)), str(path)]
        lines.append("\t".join(words))
    printed = subprocess.run([args.program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    group = {name: number for number, line in enumerate(printed.splitlines()) for name in line.split()}
    known = [trigger for trigger in triggers if trigger[0] in group]
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for one, other in itertools.combinations(known, 2):
        if one[2:4] == other[2:4]:
            key = one[1] == other[1], group[one[0]] == group[other[0]]
            counts[key] += 1
            if args.pairs and key[0] != key[1]:
                print("apart" if key[0] else "mixed", one[0], other[0])
    both, apart, mixed = counts[True, True], counts[True, False], counts[False, True]
    print(f"{len(known)} triggers of {len({t[1] for t in known})} issues in {len(set(group.values()))} groups; pairs of one issue: {both} together, "
          f"{apart} apart; pairs of different issues: {mixed} together, {counts[False, False]} apart; "
          f"recall {both / max(both + apart, 1):.2f}, precision {both / max(both + mixed, 1):.2f}")


if __name__ == "__main__":
    main()
