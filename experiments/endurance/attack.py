#!/usr/bin/env python3
"""Does gainsay stand hostile seeds, models, solvers, kills, damaged records and a machine that lacks everything?

    python3 experiments/endurance/attack.py all --gainsay PATH [--seeds 520] [--models 220] [--kills 1000] [--out FILE]
    python3 experiments/endurance/attack.py seeds|models|solvers|kills|jobs|campaigns|shortages|stores --gainsay PATH

Everything happens in temporary folders and needs no network but for solvers that are missing (z3@5.4.0, yices@2.6.5). Each line of the
result names what was tried, how often, and what did not hold. These count as not held: a panic, an internal error (exit code 3) or a
signal; a run that does not end; a process, or a folder in /dev/shm, that is left; a changed or new file of the user's; control characters
in the output; a believed answer or model that is false; other results than those of the undisturbed run.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hostile

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
SEED = "(set-logic QF_LIA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n(assert (< x (+ y 1)))\n(check-sat)\n"


class Bench:
    """A temporary home folder, by which processes that are left are found again, and the list of what did not hold."""

    def __init__(self, args):
        self.args, self.failures, self.tried = args, [], 0
        self.home = Path(tempfile.mkdtemp(prefix="attack-"))
        self.cache = os.environ.get("GAINSAY_CACHE") or str(Path.home() / ".cache/gainsay")
        self.canary = self.home / "canary"
        self.canary.write_text("precious\n")
        self.work = self.home / "work"
        self.work.mkdir()

    def env(self):
        return {**os.environ, "HOME": str(self.home), "GAINSAY_CACHE": self.cache, "F": str(self.canary), "RUST_BACKTRACE": "0"}

    def fail(self, what):
        self.failures.append(what)
        print("NOT HELD:", what[:300].encode("unicode_escape").decode(), file=sys.stderr)

    def start(self, words, **more):
        # Names of files and arguments come back in messages: they must be as harmless as the rest.
        return subprocess.Popen([self.args.gainsay, *map(str, words)], cwd=self.work, env=self.env(), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def run(self, words, what, seconds=60, data=False, codes=(0, 1, 2, 4, 5, 6, 10)):
        """Runs gainsay to its end and judges how it ended."""
        self.tried += 1
        child = self.start(words)
        try:
            out, err = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            self.fail(f"{what}: does not end in {seconds} s: {words}")
            return None
        out, err = out.decode(errors="replace"), err.decode(errors="replace")
        if child.returncode not in codes or "panicked" in err or "bug in gainsay" in out + err:
            self.fail(f"{what}: exit code {child.returncode}: {words}: {err[-300:]} {out[-300:]}")
        if HARMFUL.search(err) or (not data and HARMFUL.search(out)):
            self.fail(f"{what}: control characters: {words}: {(out + err)[:200]!r}")
        return child.returncode, out, err

    def own_processes(self):
        mark, found = f"HOME={self.home}".encode(), []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(entry.name)
                except OSError:
                    pass
        return found

    def settled(self, what, patience=30):
        """Waits until no process of ours is left, and looks at the user's files."""
        end = time.monotonic() + patience
        while self.own_processes() and time.monotonic() < end:
            time.sleep(0.05)
        left = self.own_processes()
        if left:
            names = [Path(f"/proc/{pid}/cmdline").read_bytes()[:80] for pid in left if Path(f"/proc/{pid}/cmdline").exists()]
            self.fail(f"{what}: processes are left: {names}")
            for pid in left:
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except OSError:
                    pass
        if self.canary.read_text() != "precious\n":
            self.fail(f"{what}: a file of the user's was changed")
            self.canary.write_text("precious\n")

    def file(self, name, text):
        path = self.work / name
        path.write_bytes(text.encode(errors="surrogatepass") if isinstance(text, str) else text)
        return path

    def done(self, what):
        self.settled(what)
        shutil.rmtree(self.home, ignore_errors=True)
        return what, self.tried, self.failures


def seeds(args):
    bench = Bench(args)
    corpus = [path.read_text(errors="replace") for path in sorted(CORPUS.rglob("*.smt2"))]
    solvers = ["--solver", "z3@5.4.0", "--solver", "yices@2.6.5", "--timeout", "2"]
    kinds = {}
    for index, (kind, text) in enumerate(hostile.seeds(corpus, args.seeds, 1)):
        kinds[kind] = kinds.get(kind, 0) + 1
        seed = bench.file("seed.smt2", text.replace("FILE", str(bench.canary)))
        what = f"{kind} seed {index}"
        bench.run(["parse", seed], what)
        strategies = "construct,operator,generative,subterm,value,generate,horn"
        bench.run(["mutate", "--seeds", seed, "-s", strategies, "-n", "40", "--rng-seed", index, "--discard"], what)
        if kind in ("write", "spoof", "control") or index % 8 == 0:
            ran = bench.run(["check", seed, *solvers], what, data=False)
            if ran and kind in ("write", "spoof") and ran[0] == 10:
                bench.fail(f"{what}: a finding where there is none: {text[:200]}: {ran[1][-300:]}")
        bench.settled(what)
        new = [path.name for path in bench.work.iterdir() if path.name != "seed.smt2"]
        if new:
            bench.fail(f"{what}: new files {new}")
    return bench.done(f"hostile seeds ({', '.join(f'{n} {k}' for k, n in kinds.items())}): parse, mutate by seven strategies, check by z3 and yices")


def models(args):
    bench, count = Bench(args), 0
    script = bench.file("script.smt2", hostile.MODEL_SCRIPT)
    for index, (model, is_false) in enumerate(hostile.models(args.models, 2)):
        count += 1
        path = bench.file("model", model)
        for flag in ([], ["--explain"], ["--json"]):
            ran = bench.run(["eval", script, "--model", path, *flag], f"model {index}")
            if ran and is_false and not flag and (re.search(r"^true", ran[1], re.M) or not re.search(r"^false", ran[1], re.M)):
                bench.fail(f"model {index}: believed: {model[:200]}: {ran[1]}")
    return bench.done(f"{count} hostile models, evaluated three ways")


def solvers(args):
    bench, count = Bench(args), 0
    seed = bench.file("seed.smt2", SEED)
    for name, body in hostile.SOLVER_BODIES.items():
        for profile in ["z3", "cvc5", "generic"]:
            # Without a sandbox the user's own commands may do what they like to the user's files.
            confined = ["--sandbox"] if profile == "generic" else []
            program = bench.home / "bin" / f"{name}"
            program.parent.mkdir(exist_ok=True)
            program.write_text(f"#!/bin/bash\n{body.replace('$F', str(bench.canary))}\n")
            program.chmod(0o755)
            solver, what = f"{profile}={program}", f"solver {name} as {profile}"
            count += 1
            bench.run(["check", seed, "--solver", solver, "--timeout", "0.5", "--memory", "300", *confined], what)
            bench.run(["fuzz", "--seeds", seed, "--strategy", "operator", "--solver", solver, "--cases", "4", "--timeout", "0.3", "--jobs", "2",
                       "--memory", "300", "--time", "20s", "--plain", "--out", bench.home / "campaign", *confined], what, seconds=120)
            bench.settled(what)
            shutil.rmtree(bench.home / "campaign", ignore_errors=True)
            new = [path.name for path in bench.work.iterdir() if path.name != "seed.smt2"]
            if new:
                bench.fail(f"{what}: new files {new}")
                [(bench.work / name).unlink() for name in new]
    return bench.done(f"{count} hostile solvers ({len(hostile.SOLVER_BODIES)} behaviours as three solvers): check and fuzz")


def fuzz_words(bench, folder, seeds, cases, jobs, solvers=("z3@5.4.0 rlimit=300000", "yices@2.6.5")):
    plan = bench.home / "plan.toml"
    plan.write_text("[limits]\npatience = 0\n")
    words = ["fuzz", plan, "--seeds", seeds, "--strategy", "operator,generative,subterm", "--options", "none", "--cases", cases, "--rng-seed", 7,
             "--jobs", jobs, "--timeout", "60", "--json", "--out", folder]
    for solver in solvers:
        words += ["--solver", solver]
    return words


def totals(out):
    """What must not depend on kills, jobs and neighbours."""
    end = json.loads(out.strip().splitlines()[-1])
    findings = sorted((f["fingerprint"], f["count"], f["case"]) for f in end["findings"])
    return end["cases"], end["skipped"], findings


def small_seeds(bench):
    folder = bench.home / "seeds"
    folder.mkdir(exist_ok=True)
    for index, path in enumerate(sorted((CORPUS / "smt").rglob("*.smt2"))):
        if path.stat().st_size < 700 and "QF_" in path.read_text(errors="replace") and len(list(folder.iterdir())) < 20:
            shutil.copy(path, folder / f"{index:03}.smt2")
    return folder


def killed(bench, words, rng, longest):
    """Starts a command and kills it at a random moment; returns how long it ran if it ended first."""
    begin = time.monotonic()
    child = bench.start(words)
    try:
        child.communicate(timeout=rng.uniform(0.0, longest))
        return False
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return True


def kills(args):
    bench, rng = Bench(args), random.Random(3)
    seeds_folder, cases = small_seeds(bench), 60
    undisturbed = bench.run(fuzz_words(bench, bench.home / "whole", seeds_folder, cases, 2), "undisturbed", seconds=600)
    expected = totals(undisturbed[1])
    seed = bench.file("seed.smt2", SEED)
    whole, generic = bench.home / "whole", f"generic={bench.home}/slow"
    Path(generic[8:]).write_text("#!/bin/sh\ncat \"$1\" >/dev/null\necho sat\n")
    Path(generic[8:]).chmod(0o755)
    report = bench.home / "report.md"
    # A report shows what triage has found: it runs once to its end before the texts are compared.
    bench.run(["triage", whole, "--reduce-checks", "20"], "triage", seconds=600)
    bench.run(["report", whole, "--force", "--out", report], "report")
    good = {report.read_text()}
    commands = {
        "check": ["check", seed, "--solver", "z3@5.4.0", "--solver", generic], "parse": ["parse", seed], "eval": ["eval", seed, "--model", seed],
        "mutate": ["mutate", "--seeds", seeds_folder, "--strategy", "operator", "-n", "3000", "--discard"], "generate": ["generate", "-n", "200", "--theory", "int"],
        "list": ["list", whole], "report": ["report", whole, "--force", "--out", report], "replay": ["replay", whole, "3", "--run"],
        "triage": ["triage", whole, "--reduce-checks", "20"], "reduce": ["reduce", seed, "--force", "--out", bench.home / "small.smt2", "--", "grep", "-q", "check-sat"],
        "perf": ["perf", "--target", "z3@5.4.0", "--reference", "yices@2.6.5", "--theory", "int", "--queries", "5", "--timeout", "1", "--force", "--out", bench.home / "perf"],
        "localize": ["localize", "--target", "z3@5.4.0", "--reference", "yices@2.6.5", "--theory", "int", "--queries", "20"],
        "bisect": ["bisect", seed, "--solver", "z3@5.4.0"], "solvers": ["solvers", "list"], "selftest": ["solvers", "check", "yices@2.6.5"],
    }
    counts = dict.fromkeys([*commands, "fuzz"], 0)
    folder, resume = bench.home / "killed", False
    while sum(counts.values()) < args.kills:
        # A third of the kills hit a campaign, which resumes each time, and begins anew when it is done.
        if rng.random() < 0.33:
            words = ["fuzz", "--resume", "--out", folder, "--json"] if resume else fuzz_words(bench, folder, seeds_folder, cases, rng.choice([1, 2, 5]))
            if killed(bench, words, rng, args.pause):
                counts["fuzz"] += 1
                resume = (folder / "store.sqlite").exists()
                if not resume:
                    shutil.rmtree(folder, ignore_errors=True)
                if rng.random() > 0.06:
                    bench.settled("fuzz")
                    continue
            if (folder / "store.sqlite").exists():
                ran = bench.run(["fuzz", "--resume", "--out", folder, "--json"], "resumed campaign", seconds=600)
                if ran and totals(ran[1]) != expected:
                    bench.fail(f"resumed campaign: {totals(ran[1])} instead of {expected}")
            shutil.rmtree(folder, ignore_errors=True)
            resume = False
            continue
        name = rng.choice(list(commands))
        counts[name] += killed(bench, commands[name], rng, args.pause)
        bench.settled(name)
        if report.read_text() not in good:
            bench.fail("report: the file is neither the old nor the new one")
    bench.run(["triage", whole, "--reduce-checks", "20"], "triage after kills", seconds=300)
    left = [entry.name for entry in Path("/dev/shm").glob("gainsay-*") if not Path(f"/proc/{entry.name.split('-')[1]}").exists()]
    bench.run(["check", seed, "--solver", generic], "the next command sweeps up")
    again = [name for name in left if (Path("/dev/shm") / name).exists()]
    if again:
        bench.fail(f"folders are left in /dev/shm: {again}")
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    return bench.done(f"{sum(counts.values())} kills ({listed}); {len(left)} folders swept up by the next command")


def jobs(args):
    bench = Bench(args)
    seeds_folder, seen = small_seeds(bench), {}
    for number in [1, 2, 4, 8, 16, 32, 64, 128]:
        ran = bench.run(fuzz_words(bench, bench.home / f"jobs{number}", seeds_folder, 150, number), f"{number} jobs", seconds=900)
        if ran:
            seen[number] = totals(ran[1])
    if len({json.dumps(result) for result in seen.values()}) != 1:
        bench.fail(f"jobs change the results: {seen}")
    return bench.done("campaigns with 1, 2, 4, 8, 16, 32, 64 and 128 jobs: the same results")


def campaigns(args):
    bench = Bench(args)
    seeds_folder = small_seeds(bench)
    alone = totals(bench.run(fuzz_words(bench, bench.home / "alone", seeds_folder, 100, 2), "alone", seconds=900)[1])
    words = [fuzz_words(bench, bench.home / f"beside{number}", seeds_folder, 100, 4) for number in range(4)]
    children = [bench.start(word) for word in words]
    for number, child in enumerate(children):
        out, err = child.communicate(timeout=1800)
        bench.tried += 1
        if child.returncode not in (0, 10) or totals(out.decode()) != alone:
            bench.fail(f"campaign {number} of four: exit code {child.returncode}, {err.decode()[-300:]}")
    return bench.done("four campaigns at once, four jobs each: the results of one alone")


def shortages(args):
    bench = Bench(args)
    seeds_folder = small_seeds(bench)
    expected = totals(bench.run(fuzz_words(bench, bench.home / "enough", seeds_folder, 60, 2), "enough", seconds=600)[1])
    sat = bench.home / "sat"
    sat.write_text('#!/bin/sh\ncat "$1" > /dev/null\necho sat\n')
    sat.chmod(0o755)

    def limited(limits, name, words, codes):
        script = f'{limits}; exec "$0" "$@"'
        child = subprocess.run(["bash", "-c", script, args.gainsay, *map(str, words)], cwd=bench.work, env=bench.env(), stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, errors="replace", timeout=900)
        bench.tried += 1
        if child.returncode not in codes or "panicked" in child.stderr or "bug in gainsay" in child.stdout + child.stderr:
            bench.fail(f"{name}: exit code {child.returncode}: {child.stderr[-300:]}")
        bench.settled(name)
        return child

    for number in [16, 24, 32, 48, 64, 100, 150, 200, 300, 500]:
        child = limited(f"ulimit -n {number}", f"{number} descriptors", fuzz_words(bench, bench.home / f"d{number}", seeds_folder, 60, 1), (0, 1, 2, 4, 5, 10, 101))
        if child.returncode in (0, 10) and totals(child.stdout) != expected:
            bench.fail(f"{number} descriptors: other results")
    # In less, the system cannot load a program of this size.
    for kilobytes in [50_000, 100_000, 200_000, 400_000]:
        limited(f"ulimit -v {kilobytes}", f"{kilobytes} kB of address space", fuzz_words(bench, bench.home / f"v{kilobytes}", seeds_folder, 30, 2),
                (0, 1, 2, 3, 4, 5, 6, 10, 126, 127, 134, 139))
    for blocks in [0, 1, 4, 16, 64, 256]:
        folder = bench.home / f"f{blocks}"
        limited(f"ulimit -f {blocks}", f"files of {blocks} blocks", fuzz_words(bench, folder, seeds_folder, 60, 2), (0, 2, 4, 5, 10))
        if (folder / "store.sqlite").exists():
            ran = bench.run(["fuzz", "--resume", "--out", folder, "--json"], f"resumed after files of {blocks} blocks", seconds=600)
            if ran and ran[0] in (0, 10) and totals(ran[1]) != expected:
                bench.fail(f"files of {blocks} blocks: other results after the resume")
    # A disk of its own, in a mount namespace of its own.
    for size in ["64k", "256k", "1m"]:
        disk = bench.home / f"disk{size}"
        disk.mkdir()
        mount = f'mount -t tmpfs -o size={size} none {disk} && "$0" "$@"; code=$?; cp -r {disk} {disk}-copy; exit $code'
        child = subprocess.run(["unshare", "-m", "bash", "-c", mount, args.gainsay, *map(str, fuzz_words(bench, disk / "c", seeds_folder, 400, 2))],
                               cwd=bench.work, env=bench.env(), capture_output=True, text=True, errors="replace", timeout=900)
        bench.tried += 1
        if child.returncode not in (0, 5, 10) or "panicked" in child.stderr:
            bench.fail(f"disk of {size}: exit code {child.returncode}: {child.stderr[-300:]}")
        bench.settled(f"disk of {size}")
    # Limits of processes do not bind root.
    if os.geteuid() == 0:
        home = Path(tempfile.mkdtemp(prefix="attack-user-"))
        shutil.copy(args.gainsay, home / "gainsay")
        shutil.copytree(seeds_folder, home / "seeds")
        shutil.copy(sat, home / "sat")
        subprocess.run(["chown", "-R", "65534:65534", home], check=True)
        for number in [3, 6, 10, 15, 20, 30, 60]:
            words = ["fuzz", "--seeds", home / "seeds", "--strategy", "operator", "--solver", f"generic={home}/sat", "--cases", 60, "--jobs", 4,
                     "--time", "60s", "--json", "--out", home / f"p{number}"]
            child = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "bash", "-c",
                                    f'ulimit -u {number}; exec "$0" "$@"', home / "gainsay", *map(str, words)], cwd=home,
                                   env={**bench.env(), "HOME": str(home)}, capture_output=True, text=True, errors="replace", timeout=300)
            bench.tried += 1
            if child.returncode not in (0, 1, 4, 6, 10, 254) and "Resource temporarily unavailable" not in child.stderr:
                bench.fail(f"{number} processes: exit code {child.returncode}: {child.stderr[-300:]}")
            if "panicked" in child.stderr:
                bench.fail(f"{number} processes: a panic: {child.stderr[-300:]}")
        shutil.rmtree(home, ignore_errors=True)
    return bench.done("campaigns without descriptors, address space, file size, disk and processes")


def stores(args):
    bench, rng, silent, told, same = Bench(args), random.Random(5), 0, 0, 0
    seeds_folder, whole = small_seeds(bench), bench.home / "whole"
    bad = bench.home / "liar"
    bad.write_text('#!/bin/sh\nif grep -q assert "$1"; then echo unsat; else echo sat; fi\n')
    bad.chmod(0o755)
    bench.run(fuzz_words(bench, whole, seeds_folder, 60, 2, (f"generic={bad}", "z3@5.4.0 rlimit=300000")), "a store", seconds=600)
    sqlite3.connect(whole / "store.sqlite").execute("pragma wal_checkpoint(truncate)").fetchall()
    good = (whole / "store.sqlite").read_bytes()
    listed = bench.run(["list", whole, "--json"], "list")[1]
    for index in range(args.stores):
        folder = bench.home / "damaged"
        shutil.copytree(whole, folder)
        data = bytearray(good)
        if index % 6 == 0:
            data = data[:rng.randrange(len(data))]
        else:
            for _ in range(rng.choice([1, 1, 8, 200])):
                data[rng.randrange(len(data))] = rng.randrange(256)
        (folder / "store.sqlite").write_bytes(data)
        ran = bench.run(["list", folder, "--json"], f"store {index}")
        if ran and ran[0] == 0:
            altered = ran[1].replace(str(folder), str(whole)) != listed
            silent, same = silent + altered, same + (not altered)
            if altered:
                bench.fail(f"store {index}: altered text is listed without a word")
        else:
            told += 1
        for words in (["report", folder], ["replay", folder, "3"], ["fuzz", "--resume", "--out", folder, "--plain"]):
            bench.run(words, f"store {index}", seconds=120)
        shutil.rmtree(folder)
    return bench.done(f"{args.stores} damaged stores, four commands each: {told} told, {same} listed as before, {silent} listed altered text")


PARTS = {"models": models, "solvers": solvers, "seeds": seeds, "stores": stores, "shortages": shortages, "jobs": jobs, "campaigns": campaigns, "kills": kills}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["all", *PARTS])
    parser.add_argument("--gainsay", default="target/release/gainsay", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--seeds", type=int, default=520)
    parser.add_argument("--models", type=int, default=220)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--stores", type=int, default=120)
    parser.add_argument("--pause", type=float, default=1.0, help="longest time before a kill, in seconds")
    parser.add_argument("--out", help="a file for the table")
    args = parser.parse_args()
    lines = ["| tried | runs | did not hold | minutes |", "|---|---|---|---|"]
    for part in PARTS if args.part == "all" else [args.part]:
        begin = time.monotonic()
        what, tried, failures = PARTS[part](args)
        lines.append(f"| {what} | {tried} | {len(failures)} | {(time.monotonic() - begin) / 60:.1f} |")
        print(lines[-1], flush=True)
        if args.out:
            Path(args.out).write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
