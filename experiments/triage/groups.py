#!/usr/bin/env python3
"""Do many triggers of a few known bugs fall into about as many groups, and does no group mix bugs?

    python3 experiments/triage/groups.py --bugs FOLDER [--count 10] [--triggers 200] [--solver z3@4.8.10]
        [--releases 4.8.10,4.12.2,5.4.0]

FOLDER holds `knownbugs.csv` (columns id, source, category, theories, soundness_on, invalid_on, crash_on, options) and
CATEGORY/ID.smt2. The script takes --count bugs of different sources that the solver has with default options, preferring other
categories, theories and releases to more of the same: two issues about one theory that were fixed together may
well be one bug. It varies each trigger (names and constants changed, assertions reordered, irrelevant ones added, or a
mutation by `gainsay mutate`), and keeps a variant if it keeps the bug: by `gainsay bisect --installed`, the same kind of finding on
exactly the same releases. All variants, under meaningless names, go through one `gainsay triage`, whose reductions are bounded
by candidates, not by seconds. With --releases only these releases of the solver are asked, from a separate cache that links to
the user's. Prints groups against bugs, and how many groups mix bugs that disappeared at different releases (the last bad release of
the trigger that they were made from).
"""

import argparse
import csv
import json
import os
import random
import re
import subprocess
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def version_key(name):
    return [int(part) for part in re.findall(r"\d+", name.split("-", 1)[1])]


COLUMNS = {"soundness": "soundness_on", "invalid-model": "invalid_on", "crash": "crash_on"}


def known(folder, solver):
    """Bugs of different sources on the solver: their category, theories and last release, and their scripts."""
    name = solver.replace("@", "-")
    found = {}
    for row in csv.DictReader((folder / "knownbugs.csv").open()):
        affected = row[COLUMNS[row["category"]]].split() if row["category"] in COLUMNS else []
        options = row["options"].replace("model_validate=true", "").strip()
        if name in affected and not options and row["source"] not in found:
            same = [one for one in affected if one.startswith(name.split("-")[0])]
            kind = (row["category"], row["theories"], max(same, key=version_key))
            found[row["source"]] = (kind, folder / row["category"] / f"{row['id']}.smt2")
    return list(found.values())


def fewer(releases, name, folder):
    """A cache with some releases of a solver, and the newest of all others."""
    user = Path(os.environ.get("GAINSAY_CACHE", Path.home() / ".cache" / "gainsay")) / "solvers"
    for kept in user.glob("*/*"):
        if kept.parent.name != name or kept.name in releases:
            place = folder / "solvers" / kept.parent.name
            place.mkdir(parents=True, exist_ok=True)
            (place / kept.name).symlink_to(kept)
    return {**os.environ, "GAINSAY_CACHE": str(folder)}


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


def mutants(args, trigger, seed, count):
    """Mutants of a trigger."""
    with tempfile.TemporaryDirectory() as folder:
        words = [args.gainsay, "mutate", "--strategy", "generative,operator,subterm", "--seeds", str(trigger), "-n", str(count)]
        words += ["--chain", "3", "--rng-seed", str(seed), "--out", folder + "/out", "--solver", args.solver]
        subprocess.run(words, capture_output=True, timeout=300, env=args.environment)
        return [path.read_text() for path in sorted(Path(folder).glob("out/*.smt2"))]


def told_by(args, *words):
    """The object that a command prints last; nothing if it prints none."""
    limits = ["--timeout", args.timeout, "--memory", "2048", "--json"]
    try:
        run = subprocess.run([args.gainsay, *words, *limits], capture_output=True, text=True, timeout=120, env=args.environment)
        return json.loads(run.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, ValueError):
        return None


def nature(args, text):
    """The kind of wrongness, the releases that show it and the last of them; nothing if none does, or the solver does not."""
    name, version = args.solver.split("@")
    with tempfile.NamedTemporaryFile("w", suffix=".smt2") as file:
        file.write(text)
        file.flush()
        # Most variants have lost the bug, and few runs tell: only the others are asked of all releases.
        beside = [word for solver in [args.solver, f"{name}@latest", *args.beside.split(",")] for word in ("--solver", solver)]
        checked = told_by(args, "check", file.name, *beside)
        if not checked or not any(finding["suspect"] == args.solver for finding in checked["findings"]):
            return None
        told = told_by(args, "bisect", file.name, "--solver", name, "--installed")
        if told is None:
            return None
    vector = tuple((entry["version"], entry["affected"]) for entry in told["versions"])
    shows = (version, True) in vector and told["evidence"] != "disagreement"
    return (told["kind"], vector, told["last_bad"]) if shows else None


def vary_many(args, pool, source, wanted, draw):
    """As many different variants of a trigger as are wanted, or as can be had: texts, and how many were tried."""
    count = args.triggers // args.count
    own = [vary(source.read_text(), draw) for _ in range(4 * count)]
    made = mutants(args, source, draw.randrange(2**31), 4 * count)
    mixed = [text for _, text in sorted(((draw.random() * (1 - args.mutated if text in made else args.mutated), text) for text in own + made))]
    mixed, kept, tries = list(dict.fromkeys(mixed)), [], 0
    while mixed and len(kept) < count:
        some, mixed = mixed[: count - len(kept)], mixed[count - len(kept) :]
        tries += len(some)
        kept += [text for text, found in zip(some, pool.map(lambda text: nature(args, text), some)) if found == wanted]
    return kept, tries


def make(args, out):
    """Triggers under names that tell nothing; gives the bug of each, and the last release that has each bug."""
    draw, labels, last, taken = random.Random(args.rng_seed), {}, {}, Counter()
    bugs = known(args.bugs, args.solver)
    with ThreadPoolExecutor(int(args.jobs)) as pool:
        while bugs and len(last) < args.count:
            # The next is the one that is least like those that were taken.
            kind, source = bugs.pop(min(range(len(bugs)), key=lambda bug: sum(taken[part] for part in bugs[bug][0])))
            begin = time.monotonic()
            wanted = nature(args, source.read_text())
            if wanted is None or time.monotonic() - begin > args.slowest:
                print(f"{source.stem}: {'not shown' if wanted is None else 'too slow'}", flush=True)
                continue
            kept, tries = vary_many(args, pool, source, wanted, draw)
            print(f"{source.stem}: {wanted[0]}, last bad {wanted[2]}: {len(kept)} triggers of {tries} tries", flush=True)
            if len(kept) < args.fewest:
                continue
            taken.update(kind)
            last[source.stem] = wanted[2]
            for text in kept:
                path = out / f"t{draw.randrange(10**9):09}.smt2"
                path.write_text(text)
                labels[path.stem] = source.stem
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
    parser.add_argument("--reduce-checks", default="300", help="candidates that a reduction may ask about")
    parser.add_argument("--beside", default="cvc5@latest", help="solvers that variants are asked of too, with commas between them")
    parser.add_argument("--timeout", default="5", help="seconds that each run of a variant may take")
    parser.add_argument("--slowest", type=float, default=30, help="bugs that take more seconds to show on all releases are left out")
    parser.add_argument("--fewest", type=int, default=2, help="bugs of which fewer triggers can be made are left out")
    parser.add_argument("--reduce-time", default="3600", help="seconds that a reduction may take")
    parser.add_argument("--releases", help="only these releases of the solver, with commas between them")
    parser.add_argument("--out", type=Path, help="keep the triggers and what became of them here")
    parser.add_argument("--gainsay", default="target/release/gainsay")
    args = parser.parse_args()
    out = args.out or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    args.environment = dict(os.environ)
    if args.releases:
        args.environment = fewer(args.releases.split(","), args.solver.split("@")[0], Path(tempfile.mkdtemp()))
    labels, last = make(args, out)
    (out / "labels.json").write_text(json.dumps({"bugs": labels, "last": last}))
    words = [args.gainsay, "triage", str(out), "--solver", args.solver, "--jobs", args.jobs, "--json"]
    words += ["--reduce-checks", args.reduce_checks, "--reduce-time", args.reduce_time]
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True, env=args.environment)
    result = json.loads(run.stdout.splitlines()[-1])
    mixed = table(result["groups"], labels, last)
    known = len(set(labels.values()))
    print(f"\n{len(labels)} triggers of {known} bugs: {len(result['groups'])} groups, {mixed} of them mix bugs "
          f"that vanished at different releases; {result['flaky']} flaky, {result['gone']} gone, {result['stuck']} stuck")


if __name__ == "__main__":
    main()
