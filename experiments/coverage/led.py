#!/usr/bin/env python3
"""A campaign led by new code against one led by new behaviour and an unled one: code reached and findings at equal CPU time.

    led.py --gainsay target/release/gainsay --seeds DIR --solver z3@4.8.10 --other z3@5.4.0 [--seconds 600] [--repeat 10]

The budget is wall-clock time of one job; the figures name the CPU time that each arm used.
"""
import argparse, json, pathlib, statistics, subprocess, tempfile

ARMS = {
    "unled": ["--coverage"],
    "led by behaviour": ["--schedule", "thompson"],
    "led by new code": ["--schedule", "thompson", "--coverage"],
}


def campaign(args, flags, number):
    with tempfile.TemporaryDirectory() as folder:
        command = [args.gainsay, "fuzz", "--seeds", args.seeds, "--solver", args.solver, "--solver", args.other, "--time",
                   f"{args.seconds}s", "--jobs", "1", "--rng-seed", str(number), "--out", pathlib.Path(folder, "campaign"),
                   "--json", *flags]
        done = subprocess.run(command, capture_output=True, text=True)
        events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        found = {event["finding"]["fingerprint"] for event in events if event.get("event") == "found"}
        covered = [event for event in events if event.get("event") == "covered" and event["solver"] == args.solver]
        cpu = sum(run["cpu_seconds"] for event in events for run in event.get("runs") or [])
        return len(found), covered[-1]["functions_reached"] if covered else None, cpu


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--seeds", default="corpus")
    parser.add_argument("--solver", default="z3@4.8.10")
    parser.add_argument("--other", default="z3@5.4.0")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--repeat", type=int, default=10)
    args = parser.parse_args()
    print("| arm | findings, mean | functions reached, mean | solver CPU, mean |\n|---|---|---|---|")
    for arm, flags in ARMS.items():
        rows = [campaign(args, flags, number) for number in range(args.repeat)]
        reached = [row[1] for row in rows if row[1] is not None]
        shown = f"{statistics.mean(reached):.1f}" if reached else "not measured"
        print(f"| {arm} | {statistics.mean(row[0] for row in rows):.1f} | {shown} | {statistics.mean(row[2] for row in rows):.0f} s |", flush=True)


if __name__ == "__main__":
    main()
