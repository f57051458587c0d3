#!/usr/bin/env python3
"""gainsay beside yinyang's typefuzz and opfuzz: same seeds, same solvers, same limits, one machine, one run.

    python3 experiments/typefuzz/side_by_side.py --seeds FOLDER [--count 40] [--chain 30] [--rounds 2]

Prints a Markdown table. Both tools get every core: gainsay as jobs, yinyang as that many processes with half the seeds
each, since it is one process by design. A case is a mutant that all solvers ran. CPU time is that of the whole
process tree, solvers included. Every tool mutates every seed `--chain` times, so that all meet the same easy and hard seeds.
The rounds alternate, so that a busy machine slows both.

Seeds that take solvers seconds say nothing about a fuzzer, so the script picks seeds that each solver decides quickly (`--quick`).
gainsay is measured twice: with only the limits of its peer (`patience` 0) and the operator files of its peer, and with its
defaults: every operator that the solvers know, and at most twenty times the CPU time of the seed for a mutant. An answer is a
run that ended in sat, unsat or unknown.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PEER = "yinyang==0.3.0"

# Runs inside the peer's environment: keeps the seeds that it can read and type-check.
USABLE = """
import sys
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.parsing.Typechecker import typecheck
from yinyang.src.mutators.GenTypeAwareMutation.Util import get_unique_subterms
for path in sys.stdin.read().split("\\n"):
    try:
        script, names = parse_file(path, silent=True)
        typecheck(script, names)
        get_unique_subterms(script)
        print(path)
    except BaseException:
        pass
"""

# Runs inside the peer's environment: makes mutants and prints them to nowhere, in process, without solvers.
MUTANTS = """
import copy, json, resource, sys, types
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.parsing.Typechecker import typecheck
from yinyang.src.mutators.GenTypeAwareMutation.Util import get_unique_subterms
from yinyang.src.mutators.GenTypeAwareMutation.GenTypeAwareMutation import GenTypeAwareMutation
from yinyang.src.mutators.TypeAwareOpMutation import TypeAwareOpMutation
tool, config, iterations, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
args, made = types.SimpleNamespace(config=config, modulo=1), 0
for seed in seeds:
    script, names = parse_file(seed, silent=True)
    if tool == "typefuzz":
        typecheck(script, names)
        mutator = GenTypeAwareMutation(script, args, get_unique_subterms(copy.deepcopy(script)))
    else:
        mutator = TypeAwareOpMutation(script, args)
    for _ in range(iterations):
        mutant, success, skip = mutator.mutate()
        if success and not skip:
            str(mutant)
            made += 1
use = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"cases": made, "cpu": use.ru_utime + use.ru_stime}))
"""


def cpu_of_children():
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


class Watch:
    """Wall and CPU time of what runs inside it, and the peak memory of the processes that it is told of."""

    def __enter__(self):
        self.wall, self.cpu, self.peak = time.monotonic(), cpu_of_children(), {}
        return self

    def look(self, pids):
        for pid in pids:
            try:
                found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
                self.peak[pid] = max(self.peak.get(pid, 0), int(found.group(1)) // 1024)
            except (OSError, AttributeError):
                pass

    def __exit__(self, *_):
        self.wall, self.cpu = time.monotonic() - self.wall, cpu_of_children() - self.cpu


class Peer:
    """yinyang in an environment of its own."""

    def __init__(self, work):
        self.folder = work / "peer"
        subprocess.run([sys.executable, "-m", "venv", self.folder], check=True)
        subprocess.run([self.python, "-m", "pip", "install", "-q", PEER], check=True)
        found = subprocess.run([self.python, "-c", "import yinyang; print(yinyang.__path__[0])"],
                               check=True, capture_output=True, text=True)
        self.config = Path(found.stdout.strip()) / "config"

    @property
    def python(self):
        return self.folder / "bin/python"

    def usable(self, paths):
        text = "\n".join(map(str, paths))
        found = subprocess.run([self.python, "-c", USABLE], input=text, capture_output=True, text=True)
        return found.stdout.split()

    def fuzz(self, tool, work, seeds, solvers, seconds, timeout, chain, processes):
        """Cases of so many processes at once, each with its share of the seeds."""
        folder = Path(tempfile.mkdtemp(dir=work))
        with Watch() as watch:
            running = []
            for number in range(processes):
                home = folder / str(number)
                share = home / "seeds"
                share.mkdir(parents=True)
                for seed in seeds[number::processes]:
                    shutil.copy(seed, share)
                # Without -m 1 every other mutant is put to no solver.
                command = [self.folder / "bin" / tool, "-t", str(timeout), "-i", str(chain), "-m", "1",
                           ";".join(solvers), str(share)]
                log = open(home / "log", "w")
                running.append((subprocess.Popen(command, cwd=home, stdout=log, stderr=log), home))
            end = time.monotonic() + seconds
            while time.monotonic() < end and any(child.poll() is None for child, _ in running):
                watch.look([child.pid for child, _ in running])
                time.sleep(0.2)
            for child, _ in running:
                child.send_signal(signal.SIGINT)
            for child, _ in running:
                child.wait()
        calls = solved = 0
        for _, home in running:
            found = re.findall(r"Performed (\d+) solver calls \(.*?eff: ([\d.]+)%", (home / "log").read_text())
            calls += int(found[-1][0]) if found else 0
            solved += int(found[-1][0]) * float(found[-1][1]) / 100 if found else 0
        if watch.wall >= seconds:
            print(f"note: {tool} was stopped after {seconds} s, before its last seed", file=sys.stderr)
        return calls / len(solvers), solved, watch

    def operators(self, tool):
        return self.config / ("typefuzz_config.txt" if tool == "typefuzz" else "operator_mutations.txt")

    def make(self, tool, seeds, iterations):
        found = subprocess.run([self.python, "-c", MUTANTS, tool, self.operators(tool), str(iterations), *seeds],
                               capture_output=True, text=True, check=True)
        made = json.loads(found.stdout.splitlines()[-1])
        return made["cases"] / made["cpu"]


def gainsay_fuzz(program, strategy, work, seeds, solvers, seconds, timeout, chain, jobs, settings):
    folder = Path(tempfile.mkdtemp(dir=work))
    plan = folder / "campaign.toml"
    plan.write_text(settings)
    share = folder / "seeds"
    share.mkdir()
    for seed in seeds:
        shutil.copy(seed, share)
    command = [program, "fuzz", plan, "--strategy", strategy, "--seeds", share, "--out", folder / "out", "--time", f"{seconds}s",
               "--cases", str(len(seeds) * chain),
               "--timeout", str(timeout), "--chain", str(chain), "--jobs", str(jobs), "--rng-seed", "1", "--json"]
    for solver in solvers:
        command += ["--solver", solver]
    with Watch() as watch:
        with open(folder / "log", "w") as log:
            child = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        while child.poll() is None:
            watch.look([child.pid])
            time.sleep(0.2)
    return json.loads((folder / "log").read_text().splitlines()[-1]), watch


def gainsay_make(program, strategy, folder, chain, count):
    before = cpu_of_children()
    subprocess.run([program, "mutate", "--strategy", strategy, "--seeds", folder, "-n", str(count), "--chain", str(chain),
                    "--jobs", "1", "--rng-seed", "1", "--discard", "--json"], check=True, stdout=subprocess.DEVNULL)
    return count / (cpu_of_children() - before)


def is_quick(seed, solvers, seconds):
    """Whether each solver decides the seed in that time."""
    for solver in solvers:
        try:
            found = subprocess.run([*solver.split(), seed], capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        if found.stdout.split()[:1] not in (["sat"], ["unsat"]):
            return False
    return True


def pick(peer, folder, limit, count, solvers, seconds):
    """Small seeds of the theories that typefuzz was made for (it dies of others), decided quickly by each solver."""
    alien = re.compile(r"BitVec|Float|Array|RoundingMode|#[xb]|declare-sort|declare-datatype")
    paths = sorted(p for p in Path(folder).rglob("*.smt2") if p.stat().st_size <= limit)
    paths = [p for p in paths if not alien.search(p.read_text(errors="replace"))]
    random.Random(1).shuffle(paths)
    picked = []
    while paths and len(picked) < count:
        usable, paths = peer.usable(paths[:count]), paths[count:]
        picked += [seed for seed in usable if is_quick(seed, solvers, seconds)]
    return picked[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", required=True, help="a folder of SMT-LIB files")
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--cache", default=os.environ.get("GAINSAY_CACHE", str(Path.home() / ".cache/gainsay")))
    parser.add_argument("--seconds", type=int, default=600, help="at most, for one tool")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=1)
    parser.add_argument("--chain", type=int, default=30)
    parser.add_argument("--count", type=int, default=40, help="seeds")
    parser.add_argument("--limit", type=int, default=4000, help="bytes of a seed")
    parser.add_argument("--quick", type=float, default=0.05, help="seconds in which each solver decides a seed")
    parser.add_argument("--made", type=int, default=10, help="mutants of each seed that the peer makes without solvers")
    args = parser.parse_args()
    program, jobs = str(Path(args.gainsay).resolve()), os.cpu_count()
    managed = Path(args.cache) / "solvers"
    ours = ["z3@5.4.0", "cvc5@1.4.2"]
    subprocess.run([program, "solvers", "install", *ours], check=True, stdout=subprocess.DEVNULL)
    theirs = [f"{managed}/z3/5.4.0/bin/z3", f"{program} driver cvc5 {managed}/cvc5/1.4.2/lib"]
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        peer = Peer(work)
        seeds = pick(peer, args.seeds, args.limit, args.count, theirs, args.quick)
        folder = work / "picked"
        folder.mkdir()
        for seed in seeds:
            shutil.copy(seed, folder)
        size = sum(os.path.getsize(seed) for seed in seeds) / len(seeds)
        print(f"{len(seeds)} seeds of {size:.0f} bytes on average, {jobs} cores, {args.rounds} rounds, "
              f"chains of {args.chain}, {args.timeout} s a run, z3 5.4.0 and cvc5 1.4.2\n", flush=True)
        print("| | cases a minute | answers a minute | cases a CPU second | own share of CPU | peak memory of the tool |")
        print("|---|---|---|---|---|---|")
        for tool, strategy in (("typefuzz", "generative"), ("opfuzz", "operator")):
            totals = {name: Total() for name in ("peer", "equal", "as it comes")}
            for _ in range(args.rounds):
                cases, answers, watch = peer.fuzz(tool, work, seeds, theirs, args.seconds, args.timeout, args.chain, jobs)
                totals["peer"].add(cases, answers, 0, watch)
                key = "signatures" if strategy == "generative" else "classes"
                equal = f'[limits]\npatience = 0\n[operators]\n{key} = ["{peer.operators(tool)}"]\n'
                for name, settings in (("equal", equal), ("as it comes", "")):
                    result, watch = gainsay_fuzz(program, strategy, work, seeds, ours, args.seconds, args.timeout,
                                                 args.chain, jobs, settings)
                    answers = sum(one["sat"] + one["unsat"] + one["unknown"] for one in result["solvers"].values())
                    totals[name].add(result["cases"], answers, result["cpu"]["own"], watch)
            print(totals["peer"].row(tool))
            for name, words in (("equal", "limits and operators of the peer"), ("as it comes", "as it comes")):
                print(totals[name].row(f"gainsay, {strategy}, {words}"))
                print(totals[name].ratio(totals["peer"]), flush=True)
        print("\n| cases made a CPU second, no solver | peer | gainsay | ratio |")
        print("|---|---|---|---|")
        for tool, strategy in (("typefuzz", "generative"), ("opfuzz", "operator")):
            peer_rate = peer.make(tool, seeds, args.made)
            our_rate = gainsay_make(program, strategy, folder, args.made, 200_000)
            print(f"| {tool} | {peer_rate:.0f} | {our_rate:.0f} | {our_rate / peer_rate:.0f} |", flush=True)


class Total:
    """What one tool did in all rounds."""

    def __init__(self):
        self.cases = self.answers = self.own = self.wall = self.cpu = self.peak = 0

    def add(self, cases, answers, own, watch):
        self.cases += cases
        self.answers += answers
        self.own += own
        self.wall += watch.wall
        self.cpu += watch.cpu
        self.peak = max(self.peak, *watch.peak.values(), 0)

    def rates(self):
        return self.cases / self.wall * 60, self.answers / self.wall * 60, self.cases / self.cpu

    def row(self, name):
        cases, answers, per_cpu = self.rates()
        share = f"{self.own / self.cpu:.1%}" if self.own else ""
        return f"| {name} | {cases:.0f} | {answers:.0f} | {per_cpu:.1f} | {share} | {self.peak} MB |"

    def ratio(self, other):
        mine, theirs = self.rates(), other.rates()
        return "| ratio | " + " | ".join(f"{a / b:.1f}" for a, b in zip(mine, theirs)) + " | | |"


if __name__ == "__main__":
    main()
