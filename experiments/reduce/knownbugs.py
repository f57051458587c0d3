#!/usr/bin/env python3
"""How small do triggers of known bugs become, and do they still show the bug in affected releases and not in fixed ones?

    python3 experiments/reduce/knownbugs.py --bugs FOLDER [--jobs 2] [--cap 120] [--only ID,ID] [--category soundness,crash]

FOLDER holds `knownbugs.csv` (columns id, category, soundness_on, crash_on, invalid_on, options) and CATEGORY/ID.smt2, the
published triggers. `gainsay reduce` reduces each trigger that shows on an installable release, with that release and the
newest z3 and cvc5 beside it; an invalid model that only the solver's own check reports (an independent check may call it valid)
is reduced by a command that runs this check. After `--cap` seconds the reduction is interrupted, and its smallest script counts. The published size is
that of the published script as `gainsay parse --print` prints it (no comments). `gainsay check` then checks the result on the
named release and on the newest of the same solver. Triggers that do not show the bug are listed, not counted.
Prints Markdown tables; details go to `knownbugs-reduced.csv`.
"""

import argparse
import csv
import json
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

COLUMNS = {"soundness": "soundness_on", "crash": "crash_on", "invalid-model": "invalid_on", "chc": None}
# How a solver checks its own models, where it says so, and what it says.
SELF = {"z3": (["model_validate=true"], "out", "an invalid model was generated"),
        "cvc4": (["--lang=smt2", "--check-models"], "err", "ERRORS SATISFYING ASSERTIONS")}
NEWEST = {"z3": "z3@5.4.0", "cvc5": "cvc5@1.4.2", "cvc4": "cvc5@1.4.2"}


def affected(row):
    column = COLUMNS.get(row["category"])
    columns = [column] if column else ["soundness_on", "crash_on", "invalid_on"] if row["category"] == "chc" else []
    return [release for name in columns for release in row[name].split()]


def names(args, row):
    """The affected releases as solvers, those that are installed first, the newest of these first."""
    options = re.sub(r"\[.*?\]", "", row["options"]).split()
    solvers = []
    for release in affected(row):
        name, version = release.split("-", 1)
        base = name if name == "cvc4" else f"{name}@{version}"
        known = base in args.installed or (name == "cvc4" and shutil.which("cvc4"))
        if base == NEWEST.get(name) or not (known or args.install):
            continue
        solvers.append((bool(known), " ".join([base, *options])))
    solvers.sort(key=lambda pair: pair[0])
    return [solver for _, solver in reversed(solvers)]


def run(args, *words, seconds):
    """The object that a command prints last, and what else it says; after so many seconds it is interrupted."""
    command = [args.gainsay, *[str(word) for word in words]]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        # An interrupted reduction writes the best that it has.
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "does not stop"
    try:
        return json.loads(out.splitlines()[-1]), err
    except (IndexError, json.JSONDecodeError):
        return None, (err or out).strip()[-200:]


def blamed(args, path, solver):
    """Whether a check of the script finds something wrong with this solver; nothing if the check itself fails."""
    words = ["check", path, "--json", "--solver", solver]
    references = [reference for reference in dict.fromkeys(NEWEST.values()) if reference != solver]
    result, _ = run(args, *words, *[word for reference in references for word in ("--solver", reference)], seconds=120)
    if result is None:
        # One of them may not even start with an option that the script sets; a crash needs no other.
        result, _ = run(args, *words, seconds=120)
    if result is None:
        return None
    # Two that disagree are both suspects.
    suspects = [suspect for finding in result["findings"] for suspect in finding["suspect"].split(" and ")]
    return any(suspect.split()[0] == solver.split()[0] for suspect in suspects)


def itself(args, solver):
    """The command by which a solver checks its own models, and what it says of one that is wrong; nothing if it is not known."""
    name, *options = solver.split()
    words, stream, said = SELF.get(name.split("@")[0], ([], "", ""))
    folder = args.folders.get(name)
    programs = [str(path) for path in Path(folder).rglob("z3") if path.is_file()] if folder else [shutil.which("cvc4")]
    if not words or not programs or not programs[0]:
        return None
    return [programs[0], *words, *[option for option in options if option not in words]], stream, said


def says(command, path, said):
    done = subprocess.run([*command, str(path)], capture_output=True, timeout=60)
    return said.encode() in done.stdout + done.stderr


def reduce_by_itself(args, path, out, solver):
    """Keeps what a solver says of its own model, where nothing else sees that it is wrong: what reduce says, shown, fixed."""
    command, stream, said = itself(args, solver)
    result, trouble = run(args, "reduce", path, "--out", out, "--json", "--jobs", args.jobs, f"--match-{stream}", said, "--",
                          *command, seconds=args.cap)
    if result is None or not out.exists():
        return None, trouble, None, None
    newest = itself(args, " ".join([NEWEST[solver.split("@")[0].split()[0]], *solver.split()[1:]]))
    fixed = newest is None or not says(newest[0], out, newest[2])
    return result, trouble, says(command, out, said), fixed


def printed(args, path):
    done = subprocess.run([args.gainsay, "parse", "--print", path], capture_output=True)
    return len(done.stdout) if done.returncode == 0 and done.stdout else path.stat().st_size


def reduce_one(args, folder, row, solver):
    path = args.bugs / row["category"] / f"{row['id']}.smt2"
    out = folder / "out.smt2"
    out.unlink(missing_ok=True)
    words = ["reduce", path, "--out", out, "--json", "--jobs", args.jobs, "--solver", solver]
    for reference in dict.fromkeys(NEWEST.values()):
        words += ["--solver", reference]
    result, trouble = run(args, *words, seconds=args.cap)
    entry = {"id": row["id"], "category": row["category"], "solver": solver, "published": printed(args, path), "reduced": None,
             "seconds": None, "checks": None, "shows": None, "fixed": None, "by": "oracle", "trouble": ""}
    if result is None and row["category"] == "invalid-model" and "shows nothing" in trouble and itself(args, solver):
        result, trouble, shows, fixed = reduce_by_itself(args, path, out, solver)
        if result:
            return entry | {"reduced": printed(args, out), "seconds": round(result["seconds"], 1), "checks": result["checks"],
                            "shows": shows, "fixed": fixed, "by": "itself"}
    if result is None or not out.exists():
        return entry | {"trouble": (trouble or "no result").replace("\n", " ")}
    name = solver.split("@")[0].split()[0]
    options = solver.split()[1:] if name in ("z3", "cvc5") else []
    newest = " ".join([NEWEST[name], *options])
    return entry | {"reduced": printed(args, out), "seconds": round(result["seconds"], 1), "checks": result["checks"],
                    "shows": blamed(args, out, solver), "fixed": blamed(args, out, newest) is False}


def table(entries):
    print("| category | reduced | within 1.5 times | ratio: median, most | shows | not on the newest | median s |\n|---|---|---|---|---|---|---|")
    for category in COLUMNS:
        done = [e for e in entries if e["category"] == category and e["reduced"]]
        if not done:
            continue
        ratios = [e["reduced"] / e["published"] for e in done]
        print(f"| {category} | {len(done)} | {sum(r <= 1.5 for r in ratios)} | {statistics.median(ratios):.2f}, {max(ratios):.2f} | "
              f"{sum(e['shows'] is True for e in done)} | {sum(e['fixed'] for e in done)} | "
              f"{statistics.median(e['seconds'] for e in done):.1f} |")
    odd = [e for e in entries if e["reduced"] and (e["reduced"] > 1.5 * e["published"] or e["shows"] is not True or not e["fixed"])]
    if odd:
        print("\n| bug | solver | published | reduced | shows | not on the newest |\n|---|---|---|---|---|---|")
        for e in odd:
            print(f"| {e['id']} | {e['solver']} | {e['published']} | {e['reduced']} | {e['shows']} | {e['fixed']} |")
    lost = [e for e in entries if not e["reduced"]]
    if lost:
        print(f"\nNot reduced, {len(lost)}:\n")
        for e in lost:
            print(f"* {e['id']} ({e['solver']}): {e['trouble']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", type=Path, required=True)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cap", type=int, default=120)
    parser.add_argument("--install", action="store_true", help="install releases that are not there")
    parser.add_argument("--only", default="")
    parser.add_argument("--category", default="")
    parser.add_argument("--first", type=int, default=10**9, help="so many of each category")
    args = parser.parse_args()
    args.gainsay = shutil.which(args.gainsay) or str(Path(args.gainsay).resolve())
    listed, trouble = run(args, "solvers", "list", "--json", seconds=60)
    if listed is None:
        sys.exit(trouble)
    args.folders = {f"{s['solver']}@{s['version']}": s["folder"] for s in listed["installed"]}
    args.installed = {f"{s['solver']}@{s['version']}" for s in listed["installed"]}
    only, categories = set(filter(None, args.only.split(","))), set(filter(None, args.category.split(",")))
    entries, counts = [], {}
    with open(args.bugs / "knownbugs.csv", newline="") as rows, tempfile.TemporaryDirectory() as folder:
        for row in csv.DictReader(rows):
            solvers = names(args, row)
            wanted = (not only or row["id"] in only) and (not categories or row["category"] in categories)
            if not wanted or not solvers or counts.get(row["category"], 0) >= args.first:
                continue
            counts[row["category"]] = counts.get(row["category"], 0) + 1
            # A release may not show it here (limits, platform): the next is asked, three at most.
            for solver in solvers[:3]:
                entry = reduce_one(args, Path(folder), row, solver)
                if entry["reduced"]:
                    break
            entries.append(entry)
            print(json.dumps(entry), file=sys.stderr)
    if entries:
        with open("knownbugs-reduced.csv", "w", newline="") as out:
            writer = csv.DictWriter(out, entries[0].keys())
            writer.writeheader()
            writer.writerows(entries)
    table(entries)


if __name__ == "__main__":
    main()
