#!/usr/bin/env python3
"""Do many triggers of a few known bugs fall into about as many groups, and is no group a mixture?

    python3 experiments/triage/groups.py --bugs FOLDER [--count 10] [--triggers 200] [--solver z3@4.8.10]

FOLDER holds `knownbugs.csv` (columns id, source, category, soundness_on, options) and CATEGORY/ID.smt2. The bugs taken are the
first --count of different sources that the solver has with default options. Each trigger is varied: names and constants
changed, commands and arguments in another order, irrelevant assertions added, or a mutation by `gainsay mutate`; a variant is
kept if `gainsay check` still finds the same kind of wrong answer of the solver and none of the newest releases. All of them,
under names that tell nothing, go through one `gainsay triage`. Prints groups against bugs, and how many groups mix bugs that
vanished at different releases (by the releases that FOLDER names). A mutation may by chance show another bug than its trigger:
such a variant counts against us here.
"""

import argparse
import csv
import json
import random
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path


def version_key(name):
    return [int(part) for part in re.findall(r"\d+", name.split("-", 1)[1])]


def choose(folder, solver, count):
    """Bugs of different sources on the solver, with the last release that has each."""
    name = solver.replace("@", "-")
    chosen = {}
    for row in csv.DictReader((folder / "knownbugs.csv").open()):
        affected = row["soundness_on"].split()
        options = row["options"].replace("model_validate=true", "").strip()
        if row["category"] == "soundness" and name in affected and not options and row["source"] not in chosen:
            same = [one for one in affected if one.startswith(name.split("-")[0])]
            chosen[row["source"]] = (row["id"], max(same, key=version_key))
    return list(chosen.values())[:count]


def commands(text):
    """The top-level commands of a script."""
    text = re.sub(r";[^\n]*", "", text)
    depth, start, found = 0, 0, []
    for at, letter in enumerate(text):
        if letter == "(":
            start = at if depth == 0 else start
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                found.append(text[start : at + 1])
    return found


def vary(text, draw):
    """A script that is written otherwise: names, order, and something irrelevant."""
    parts = commands(text)
    names = [match.group(1) for part in parts for match in [re.match(r"\(declare-(?:fun|const)\s+([A-Za-z_]\w*)\s", part)] if match]
    fresh = {name: f"{draw.choice('pqrsuvw')}{draw.randrange(10**6)}" for name in set(names)}
    def rename(part):
        return re.sub(r"(?<![\w.!@|\"-])([A-Za-z_]\w*)(?![\w.!|\"-])", lambda word: fresh.get(word.group(1), word.group(1)), part)
    parts = [rename(part) for part in parts if not part.startswith(("(set-info", "(get-", "(exit"))]
    asserts = [at for at, part in enumerate(parts) if part.startswith("(assert")]
    if asserts and "(push" not in text:
        shuffled = [parts[at] for at in draw.sample(asserts, len(asserts))]
        for at, part in zip(asserts, shuffled):
            parts[at] = part
    if asserts and draw.random() < 0.5:
        name = f"extra{draw.randrange(1000)}"
        parts[asserts[0] : asserts[0]] = [f"(declare-const {name} Bool)", f"(assert (or {name} (not {name})))"]
    if draw.random() < 0.5:
        numbers = draw.random()
        change = lambda word: str(int(word.group(0)) + draw.randrange(3)) if draw.random() < numbers / 4 else word.group(0)
        parts = [re.sub(r"(?<![\w.#])\d+(?![\w.])", change, part) if part.startswith("(assert") else part for part in parts]
    return "\n".join(parts) + "\n"


def mutants(args, trigger, draw, folder):
    """A few mutants of a trigger."""
    words = [args.gainsay, "mutate", "--strategy", "generative,operator,subterm", "--seeds", trigger, "-n", "6"]
    words += ["--rng-seed", str(draw.randrange(2**31)), "--out", folder, "--solver", args.solver]
    subprocess.run(words, capture_output=True, timeout=60)
    return [path.read_text() for path in sorted(Path(folder).glob("*.smt2"))]


def wrong(args, path):
    """The kinds of what the solver does wrong with a script; nothing if a newest release is blamed."""
    words = [args.gainsay, "check", str(path), "--timeout", "5", "--json", "--solver", args.solver]
    for reference in args.reference:
        words += ["--solver", reference]
    try:
        run = subprocess.run(words, capture_output=True, text=True, timeout=90)
        findings = json.loads(run.stdout.splitlines()[-1])["findings"]
    except (subprocess.TimeoutExpired, IndexError, ValueError, KeyError):
        return set()
    if any(finding["suspect"] != args.solver for finding in findings):
        return set()
    return {finding["kind"] for finding in findings}


def make(args, bugs, out):
    """Triggers under names that tell nothing; gives the bug of each."""
    draw, labels, wanted = random.Random(args.rng_seed), {}, args.triggers // len(bugs)
    for bug, _ in bugs:
        source = args.bugs / "soundness" / f"{bug}.smt2"
        kinds, kept, tries = wrong(args, source), set(), 0
        while kinds and len(kept) < wanted and tries < 5 * wanted:
            tries += 1
            text = vary(source.read_text(), draw)
            if draw.random() < args.mutated:
                with tempfile.TemporaryDirectory() as scratch:
                    made = mutants(args, str(source), draw, scratch)
                text = draw.choice(made) if made else text
            path = out / f"t{draw.randrange(10**9):09}.smt2"
            path.write_text(text)
            if text in kept or not (wrong(args, path) & kinds):
                path.unlink()
                continue
            kept.add(text)
            labels[path.stem] = bug
        print(f"{bug}: {len(kept)} triggers of {tries} tries", flush=True)
    return labels


def table(groups, labels, fixed):
    print("\n| group | kind | last bad | triggers | bugs |\n|---|---|---|---|---|")
    mixed = 0
    for group in groups:
        bugs = Counter(labels[name] for name in group["triggers"])
        mixed += len({fixed[bug] for bug in bugs}) > 1
        told = ", ".join(f"{bug} ×{count}" for bug, count in bugs.most_common())
        print(f"| {group['name']} | {group['kind']} | {group['last_bad']} | {len(group['triggers'])} | {told} |")
    return mixed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--triggers", type=int, default=200)
    parser.add_argument("--mutated", type=float, default=0.5, help="share of variants that gainsay mutate makes")
    parser.add_argument("--solver", default="z3@4.8.10")
    parser.add_argument("--reference", nargs="*", default=["z3@5.4.0", "cvc5@1.4.2"])
    parser.add_argument("--rng-seed", type=int, default=1)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--reduce-time", default="20")
    parser.add_argument("--out", type=Path, help="keep the triggers and what became of them here")
    parser.add_argument("--gainsay", default="target/release/gainsay")
    args = parser.parse_args()
    out = args.out or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    bugs = choose(args.bugs, args.solver, args.count)
    fixed = dict(bugs)
    labels = make(args, bugs, out)
    (out / "labels.json").write_text(json.dumps(labels))
    words = [args.gainsay, "triage", str(out), "--solver", args.solver, "--jobs", args.jobs, "--json"]
    run = subprocess.run(words + ["--reduce-time", args.reduce_time], stdout=subprocess.PIPE, text=True)
    result = json.loads(run.stdout.splitlines()[-1])
    mixed = table(result["groups"], labels, fixed)
    known = len(set(labels.values()))
    print(f"\n{len(labels)} triggers of {known} bugs: {len(result['groups'])} groups, {mixed} of them mix bugs "
          f"that vanished at different releases; {result['flaky']} flaky, {result['gone']} gone, {result['stuck']} stuck")


if __name__ == "__main__":
    main()
