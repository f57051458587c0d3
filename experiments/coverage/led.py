#!/usr/bin/env python3
"""A campaign led by new code against one led by new behaviour and an unled one: code reached and findings at equal CPU time of solvers.

    led.py --gainsay target/release/gainsay --seeds DIR --solver z3@4.8.10 --other z3@5.4.0 [--cpu 60] [--repeat 10]

Every campaign has one job, and is stopped when its solvers have used so much CPU time; findings and functions are those up to then. Every
repetition runs all arms, and the table so far is printed after each. Coverage is measured in all arms, so that all pay for it; the arm "led by behaviour"
cannot learn from behaviour while coverage is measured, so its functions are not counted.
"""
import argparse, json, pathlib, signal, statistics, subprocess, tempfile

ARMS = {
    "unled": ["--coverage"],
    "led by behaviour": ["--schedule", "thompson"],
    "led by new code": ["--schedule", "thompson", "--coverage"],
    "led by new code, with a queue": ["--schedule", "thompson", "--coverage", "--queue"],
}


def campaign(args, flags, number):
    """Distinct findings, functions reached and cases within the CPU time."""
    with tempfile.TemporaryDirectory() as folder:
        command = [args.gainsay, "fuzz", "--seeds", args.seeds, "--solver", args.solver, "--solver", args.other, "--jobs", "1",
                   "--rng-seed", str(number), "--out", pathlib.Path(folder, "campaign"), "--json", *flags]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        found, reached, cases, cpu = set(), None, 0, 0.0
        for line in process.stdout:
            event = json.loads(line)
            if cpu >= args.cpu:
                continue
            cpu += sum(run["cpu_seconds"] for run in event.get("runs") or [])
            cases += event.get("event") == "case"
            if event.get("event") == "found":
                found.add(event["finding"]["fingerprint"])
            if event.get("event") == "covered" and event["solver"] == args.solver:
                reached = event["functions_reached"]
            if cpu >= args.cpu:
                process.send_signal(signal.SIGINT)
        process.wait()
        return len(found), reached, cases


def show(results):
    print("\n| arm | repetitions | findings, mean | deviation | functions reached, mean | cases, mean |\n|---|---|---|---|---|---|")
    for arm, rows in results.items():
        found = [row[0] for row in rows]
        reached = [row[1] for row in rows if row[1] is not None]
        deviation = f"{statistics.stdev(found):.1f}" if len(found) > 1 else ""
        shown = f"{statistics.mean(reached):.0f}" if reached else "not measured"
        print(f"| {arm} | {len(rows)} | {statistics.mean(found):.1f} | {deviation} | {shown} | {statistics.mean(row[2] for row in rows):.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--seeds", default="corpus")
    parser.add_argument("--solver", default="z3@4.8.10")
    parser.add_argument("--other", default="z3@5.4.0")
    parser.add_argument("--cpu", type=float, default=60)
    parser.add_argument("--repeat", type=int, default=10)
    args = parser.parse_args()
    results = {arm: [] for arm in ARMS}
    for number in range(args.repeat):
        for arm, flags in ARMS.items():
            results[arm].append(campaign(args, flags, number))
        show(results)


if __name__ == "__main__":
    main()
