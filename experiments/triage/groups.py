#!/usr/bin/env python3
"""Do many triggers of a few known bugs fall into about as many groups, and is no group a mixture?

    python3 experiments/triage/groups.py --bugs FOLDER [--count 10] [--triggers 200] [--solver z3@4.8.10]

FOLDER holds `knownbugs.csv` (columns id, source, category, soundness_on, options) and CATEGORY/ID.smt2. The bugs taken are the
first --count of different sources that the solver has with default options, those of other theories or other releases before more
of the same: two issues about one theory that vanished together may well be one bug. Each trigger is varied: names and constants
changed, commands and arguments in another order, irrelevant assertions added, or a mutation by `gainsay mutate`; a variant is
kept if it keeps the bug: by `gainsay bisect --installed` the same kind of wrongness, last seen in the same release. All of them,
under names that tell nothing, go through one `gainsay triage`. Prints groups against bugs, and how many groups mix bugs that
vanished at different releases (the last bad release of the trigger that they were made of).
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


def choose(folder, solver):
    """Bugs of different sources on the solver, the most different ones first."""
    name = solver.replace("@", "-")
    chosen, kinds = {}, Counter()
    for row in csv.DictReader((folder / "knownbugs.csv").open()):
        affected = row["soundness_on"].split()
        options = row["options"].replace("model_validate=true", "").strip()
        if row["category"] == "soundness" and name in affected and not options and row["source"] not in chosen:
            same = [one for one in affected if one.startswith(name.split("-")[0])]
            kind = (row["theories"], max(same, key=version_key))
            chosen[row["source"]] = (kinds[kind], len(chosen), row["id"])
            kinds[kind] += 1
    return [bug for _, _, bug in sorted(chosen.values())]


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


def nature(args, path):
    """The kind of wrongness and the last installed release that shows it; nothing if none does, or the solver does not."""
    name, version = args.solver.split("@")
    words = [args.gainsay, "bisect", str(path), "--solver", name, "--installed", "--timeout", "5", "--json"]
    try:
        run = subprocess.run(words, capture_output=True, text=True, timeout=300)
        told = json.loads(run.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, ValueError):
        return None
    shows = any(entry["version"] == version and entry["affected"] for entry in told["versions"])
    return (told["kind"], told["last_bad"]) if shows and told["evidence"] != "disagreement" else None


def make(args, out):
    """Triggers under names that tell nothing; gives the bug of each, and the last release that has each bug."""
    draw, labels, last = random.Random(args.rng_seed), {}, {}
    for bug in choose(args.bugs, args.solver):
        source = args.bugs / "soundness" / f"{bug}.smt2"
        wanted, kept, tries = nature(args, source), set(), 0
        if wanted is None or len(last) == args.count:
            continue
        last[bug] = wanted[1]
        while len(kept) < args.triggers // args.count and tries < 4 * args.triggers // args.count:
            tries += 1
            text = vary(source.read_text(), draw)
            if draw.random() < args.mutated:
                with tempfile.TemporaryDirectory() as scratch:
                    made = mutants(args, str(source), draw, scratch)
                text = draw.choice(made) if made else text
            path = out / f"t{draw.randrange(10**9):09}.smt2"
            path.write_text(text)
            if text in kept or nature(args, path) != wanted:
                path.unlink()
                continue
            kept.add(text)
            labels[path.stem] = bug
        print(f"{bug}: {wanted[0]}, last bad {wanted[1]}: {len(kept)} triggers of {tries} tries", flush=True)
    return labels, last


def table(groups, labels, last):
    print("\n| group | kind | last bad | triggers | bugs |\n|---|---|---|---|---|")
    mixed = 0
    for group in groups:
        bugs = Counter(labels[name] for name in group["triggers"])
        mixed += len({last[bug] for bug in bugs}) > 1
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
    parser.add_argument("--rng-seed", type=int, default=1)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--reduce-time", default="20")
    parser.add_argument("--out", type=Path, help="keep the triggers and what became of them here")
    parser.add_argument("--gainsay", default="target/release/gainsay")
    args = parser.parse_args()
    out = args.out or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    labels, last = make(args, out)
    (out / "labels.json").write_text(json.dumps(labels))
    words = [args.gainsay, "triage", str(out), "--solver", args.solver, "--jobs", args.jobs, "--json"]
    run = subprocess.run(words + ["--reduce-time", args.reduce_time], stdout=subprocess.PIPE, text=True)
    result = json.loads(run.stdout.splitlines()[-1])
    mixed = table(result["groups"], labels, last)
    known = len(set(labels.values()))
    print(f"\n{len(labels)} triggers of {known} bugs: {len(result['groups'])} groups, {mixed} of them mix bugs "
          f"that vanished at different releases; {result['flaky']} flaky, {result['gone']} gone, {result['stuck']} stuck")


if __name__ == "__main__":
    main()
