#!/usr/bin/env python3
"""A campaign led by new code against one led by new behaviour and an unled one: code reached and findings at equal CPU time of solvers.

    led.py --gainsay target/release/gainsay --knownbugs DIR --solver z3@4.8.10 --other z3@5.4.0 [--cpu 60] [--repeat 10] [--record FILE]

Seeds are the scripts near known bugs of the solver (`CATEGORY/ID.seed*.smt2` of the rows of knownbugs.csv that name it); all lie in one folder. Every campaign has one
job, and is stopped when its solvers have used so much CPU time; findings and functions are those up to then. A bug counts once for each kind of finding and seed.
Every repetition runs all arms; what is done is kept in the record, and a second call goes on from there. Coverage is measured in all arms but one, so that these pay for it; the
arm "led by behaviour" cannot learn from behaviour while coverage is measured, so its functions are not counted. p-values are of a two-sided Mann-Whitney test.
"""
import argparse, csv, itertools, json, os, pathlib, shutil, signal, statistics, subprocess, tempfile

from growth import mann_whitney

ARMS = {
    "unled": ["--coverage"],
    "led by behaviour": ["--schedule", "thompson"],
    "led by new code": ["--schedule", "thompson", "--coverage"],
    "led by new code, with a queue": ["--schedule", "thompson", "--coverage", "--queue"],
}


def copy_seeds(args, folder):
    """Copies the scripts near known bugs of the solver."""
    version = args.solver.replace("@", "-")
    for row in csv.DictReader(args.knownbugs.joinpath("knownbugs.csv").open()):
        if version in " ".join(row[key] for key in ("soundness_on", "crash_on", "invalid_on")).split():
            for path in args.knownbugs.joinpath(row["category"]).glob(row["id"] + ".seed*.smt2"):
                shutil.copy(path, folder)


def campaign(args, seeds, arm, number):
    """What is found and reached within the CPU time."""
    with tempfile.TemporaryDirectory() as folder:
        command = [args.gainsay, "fuzz", "--seeds", seeds, "--solver", args.solver, "--solver", args.other, "--jobs", "1", "--timeout", args.timeout,
                   "--rng-seed", str(number), "--out", pathlib.Path(folder, "campaign"), "--json", *ARMS[arm]]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        prints, bugs, reached, cases, cpu = set(), set(), None, 0, 0.0
        for line in process.stdout:
            event = json.loads(line)
            if cpu >= args.cpu:
                continue
            cpu += sum(run["cpu_seconds"] for run in event.get("runs") or [])
            cases += event.get("event") == "case"
            if event.get("event") == "found":
                finding = event["finding"]
                prints.add(finding["fingerprint"])
                bugs.add((finding["kind"], event.get("seed")))
            if event.get("event") == "covered" and event["solver"] == args.solver:
                reached = event["functions_reached"]
            if cpu >= args.cpu:
                process.send_signal(signal.SIGINT)
        process.wait()
        return {"arm": arm, "number": number, "bugs": len(bugs), "fingerprints": len(prints), "reached": reached, "cases": cases, "load": os.getloadavg()[0]}


def show(args, rows):
    print(f"\n{args.solver}, {args.cpu:.0f} s of CPU time of solvers\n\n| arm | repetitions | bugs by seed, mean | deviation | fingerprints, mean | functions reached, mean | cases, mean |\n|---|---|---|---|---|---|---|")
    of = {arm: [row for row in rows if row["arm"] == arm] for arm in ARMS}
    for arm, own in ((arm, own) for arm, own in of.items() if own):
        bugs, reached = [row["bugs"] for row in own], [row["reached"] for row in own if row["reached"] is not None]
        deviation = f"{statistics.stdev(bugs):.1f}" if len(bugs) > 1 else ""
        print(f"| {arm} | {len(own)} | {statistics.mean(bugs):.1f} | {deviation} | {statistics.mean(row['fingerprints'] for row in own):.1f} | "
              f"{f'{statistics.mean(reached):.0f}' if reached else 'not measured'} | {statistics.mean(row['cases'] for row in own):.0f} |", flush=True)
    for key, (one, other) in itertools.product(("bugs", "reached"), itertools.combinations(ARMS, 2)):
        first, second = ([row[key] for row in of[arm] if row[key] is not None] for arm in (one, other))
        if min(len(first), len(second)) > 2:
            print(f"{key}: {one} against {other}: p = {mann_whitney(first, second):.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--knownbugs", type=pathlib.Path, required=True)
    parser.add_argument("--solver", default="z3@4.8.10")
    parser.add_argument("--other", default="z3@5.4.0")
    parser.add_argument("--cpu", type=float, default=60)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--timeout", default="10")
    parser.add_argument("--record", type=pathlib.Path)
    args = parser.parse_args()
    args.record = args.record or pathlib.Path(f"led-{args.solver}.jsonl")
    rows = [json.loads(line) for line in args.record.read_text().splitlines()] if args.record.exists() else []
    done = {(row["arm"], row["number"]) for row in rows}
    with tempfile.TemporaryDirectory() as seeds:
        copy_seeds(args, seeds)
        for number, arm in itertools.product(range(args.repeat), ARMS):
            if (arm, number) not in done:
                rows.append(campaign(args, seeds, arm, number))
                with args.record.open("a") as out:
                    out.write(json.dumps(rows[-1]) + "\n")
    show(args, rows)


if __name__ == "__main__":
    main()
