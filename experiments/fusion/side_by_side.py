#!/usr/bin/env python3
"""Fused cases per second: gainsay beside yinyang, same seeds, one machine, one run.

    python3 experiments/fusion/side_by_side.py --seeds FOLDER [--pairs 40] [--rounds 3]

FOLDER has scripts below folders called sat and unsat. Both tools make fused scripts of the same small seeds, those that
yinyang can read and fuse, without solvers, each in one process: yinyang from its own classes in its own environment,
gainsay by `gainsay mutate --strategy fusion`, which re-reads every script that it makes. Prints a Markdown table of
cases per CPU second, including the start of the interpreter and of the program. Rounds alternate.
"""

import argparse
import json
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PEER = "yinyang==0.3.0"

# Runs inside the peer's environment: fuses neighbours of a list so many times each; with 0, says which can be fused.
FUSE = """
import json, sys, types
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.mutators.SemanticFusion.SemanticFusion import SemanticFusion
status, config, iterations = sys.argv[1], sys.argv[2], int(sys.argv[3])
args, made, usable = types.SimpleNamespace(config=config, oracle=status), 0, []
def read(path):
    script, _ = parse_file(path, silent=True)
    return script
seeds = sys.stdin.read().split("\\n")
if iterations == 0:
    for path in seeds:
        try:
            fused, success, skip = SemanticFusion(read(path), read(path), args).mutate()
            if success and not skip and "_fused" in str(fused):
                usable.append(path)
        except BaseException:
            pass
    print(json.dumps(usable))
else:
    for first, second in zip(seeds, seeds[1:]):
        try:
            mutator = SemanticFusion(read(first), read(second), args)
            for _ in range(iterations):
                fused, success, skip = mutator.mutate()
                if success and not skip:
                    str(fused)
                    made += 1
        except Exception:
            pass
    print(json.dumps(made))
"""


def cpu_of(command, **more):
    """What a command prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = subprocess.run(command, capture_output=True, text=True, check=True, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Peer:
    """yinyang in an environment of its own."""

    def __init__(self, folder):
        self.python = folder / "bin/python"
        if not self.python.exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run([self.python, "-m", "pip", "install", "-q", PEER], check=True)
        found = subprocess.run([self.python, "-c", "import yinyang; print(yinyang.__path__[0])"],
                               check=True, capture_output=True, text=True)
        self.config = Path(found.stdout.strip()) / "config/fusion_functions.txt"

    def run(self, status, iterations, seeds):
        command = [self.python, "-c", FUSE, status, self.config, str(iterations)]
        out, cpu = cpu_of(command, input="\n".join(map(str, seeds)))
        return json.loads(out.splitlines()[-1]), cpu


def pick(peer, folder, status, limit, count):
    """Small seeds of one status and of the theories that yinyang fuses."""
    alien = re.compile(r"BitVec|Float|Array|RoundingMode|#[xb]|declare-sort|declare-datatype|\(push|forall|exists")
    paths = [p for p in sorted(Path(folder).rglob("*.smt2")) if status in p.parts and p.stat().st_size <= limit]
    paths = [p for p in paths if not alien.search(p.read_text(errors="replace"))]
    random.Random(1).shuffle(paths)
    usable, _ = peer.run(status, 0, paths[:count * 4])
    return usable[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", required=True, help="a folder of SMT-LIB files below folders sat and unsat")
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--peer", help="a folder for the environment of yinyang; one that is there is used")
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=30, help="scripts of a pair by yinyang, its default")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=4000, help="bytes of a seed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        peer = Peer(Path(args.peer) if args.peer else work / "peer")
        print("| status | seeds | yinyang, cases per CPU second | gainsay | ratio |\n|---|---|---|---|---|")
        for status in ["sat", "unsat"]:
            seeds = pick(peer, args.seeds, status, args.limit, args.pairs + 1)
            folder = work / status / status
            folder.mkdir(parents=True)
            for number, seed in enumerate(seeds):
                shutil.copy(seed, folder / f"{number}.smt2")
            theirs, ours = [], []
            for _ in range(args.rounds):
                made, cpu = peer.run(status, args.iterations, seeds)
                theirs.append(made / cpu)
                count = args.pairs * args.iterations
                out, cpu = cpu_of([args.gainsay, "mutate", "--strategy", "fusion", "--seeds", folder, "-n", str(count),
                                   "--chain", str(args.iterations), "--discard", "--json"])
                ours.append(json.loads(out.splitlines()[-1])["cases"] / cpu)
            a, b = sum(theirs) / len(theirs), sum(ours) / len(ours)
            print(f"| {status} | {len(seeds)} | {a:.0f} | {b:.0f} | {b / a:.0f} |")


if __name__ == "__main__":
    main()
