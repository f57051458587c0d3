#!/usr/bin/env python3
"""Does a long campaign run in constant memory, and does one survive kills at random moments?

    python3 experiments/endurance/endure.py memory --seeds FOLDER [--cases 100000]
    python3 experiments/endurance/endure.py kill --seeds FOLDER [--cases 5000] [--kills 20]

`memory` prints the resident memory of gainsay along the campaign. `kill` runs a campaign to its end undisturbed, then the
same one with SIGKILL at random moments and `--resume` after each, and compares: the same numbers of cases done and skipped,
the same findings with the same counts, no process left behind. A solver that times out is left out for the rest of its
chain, so the skipped cases depend on the clock: `kill` sets no `patience` and a long `--timeout`, and prints how many runs
hit it; if none did, every number must be the same.
"""

import argparse
import json
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def command(args, folder, resume):
    words = [args.gainsay, "fuzz", "--out", folder, "--json"]
    if resume:
        return words + ["--resume"]
    if args.what == "kill":
        plan = Path(f"{folder}.toml")
        plan.write_text("[limits]\npatience = 0\n")
        words.insert(2, plan)
    # What a helper or a classification says may depend on the clock, and cases on that.
    words += ["--strategy", "generative,operator,subterm,value", "--values", "random"]
    words += ["--cases", str(args.cases), "--rng-seed", "1", "--jobs", "2", "--timeout", args.timeout, "--options", "none"]
    for seeds in args.seeds:
        words += ["--seeds", seeds]
    for solver in args.solver:
        words += ["--solver", solver]
    return words


def resident(pid):
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found.group(1)) // 1024 if found else 0


def memory(args):
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/log", "w") as log:
        child = subprocess.Popen(command(args, f"{folder}/out", False), stdout=log)
        points, start = [], time.monotonic()
        while child.poll() is None:
            try:
                points.append((time.monotonic() - start, resident(child.pid)))
            except OSError:
                break
            time.sleep(1)
        child.wait()
        result = json.loads(Path(f"{folder}/log").read_text().splitlines()[-1])
    print(f"{result['cases']} cases and {result['skipped']} skipped in {result['seconds']:.0f} s")
    print("| part of the run | resident memory |\n|---|---|")
    for part in range(1, 11):
        at = points[min(len(points) * part // 10, len(points) - 1)]
        print(f"| {part * 10} % ({at[0]:.0f} s) | {at[1]} MB |")


def end_of(args, folder, kills, rng):
    """The last object that the campaign prints, after it was killed so many times."""
    left, resume = kills, False
    while True:
        child = subprocess.Popen(command(args, folder, resume), stdout=subprocess.PIPE, text=True)
        if left:
            time.sleep(rng.uniform(0.05, args.pause))
            if child.poll() is None:
                child.send_signal(signal.SIGKILL)
                left -= 1
            output, _ = child.communicate()
            # A kill before the store was made leaves nothing to go on with.
            resume = (Path(folder) / "store.sqlite").exists()
            if child.returncode == -signal.SIGKILL:
                continue
        else:
            output, _ = child.communicate()
        if child.returncode not in (0, 10):
            sys.exit(f"gainsay ended with {child.returncode}")
        return json.loads(output.splitlines()[-1]), kills - left


def kill(args):
    rng = random.Random(args.random)
    with tempfile.TemporaryDirectory() as work:
        whole, _ = end_of(args, f"{work}/whole", 0, rng)
        broken, kills = end_of(args, f"{work}/broken", args.kills, rng)
    time.sleep(1)
    left = subprocess.run(["pgrep", "-f", work], capture_output=True, text=True).stdout.split()
    findings = lambda result: sorted((f["fingerprint"], f["count"]) for f in result["findings"])
    late = lambda result: sum(one["troubles"].get("time-out", 0) for one in result["solvers"].values())
    same = [(part, whole[part], broken[part]) for part in ("cases", "skipped")]
    same.append(("findings", findings(whole), findings(broken)))
    print(f"{kills} kills; processes left behind: {len(left)}; runs that hit the time limit: {late(whole)} and {late(broken)}")
    for name, one, other in same:
        print(f"{name}: {'same' if one == other else f'DIFFERENT: {one} and {other}'}" + (f" ({one})" if name != "findings" else f" ({len(one)})"))
    sys.exit(0 if all(one == other for _, one, other in same) and not left else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["memory", "kill"])
    parser.add_argument("--seeds", action="append", required=True)
    parser.add_argument("--solver", action="append")
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--pause", type=float, default=2.0, help="at most so many seconds between kills")
    parser.add_argument("--timeout", default="20")
    parser.add_argument("--random", type=int, default=1)
    args = parser.parse_args()
    args.solver = args.solver or ["z3@4.8.10", "z3@5.4.0", "cvc5@1.4.2"]
    {"memory": memory, "kill": kill}[args.what](args)


if __name__ == "__main__":
    main()
