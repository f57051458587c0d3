#!/usr/bin/env python3
"""Makes mutants of systems of Horn clauses and asks z3 whether they have the answers of their seeds.

    experiments/horn/mutants.py --seeds DIR --gainsay target/release/gainsay --z3 PATH [-n 20000] [--chain 10] [--rlimit 1000000]

Uses only seeds that z3 decides within the limit. Prints mutants that z3 refuses, mutants with another answer, and the number of mutants of each
mutation. The limit is z3's own count of work, so that the load of the machine changes nothing.
"""
import argparse, collections, concurrent.futures, glob, json, os, shutil, subprocess, tempfile


def answer(z3, rlimit, path):
    try:
        run = subprocess.run([z3, f"rlimit={rlimit}", "-T:60", path], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "timeout"
    if "error" in run.stdout or run.returncode < 0:
        return f"refused ({run.stdout.strip()[:200]}, exit {run.returncode})"
    return run.stdout.split("\n")[0].strip() or "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", required=True)
    parser.add_argument("--gainsay", required=True)
    parser.add_argument("--z3", required=True)
    parser.add_argument("--helper", default="z3@5.4.0")
    parser.add_argument("-n", type=int, default=20000)
    parser.add_argument("--chain", type=int, default=10)
    parser.add_argument("--rlimit", type=int, default=1000000)
    parser.add_argument("--rng-seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
    ask = lambda path: answer(args.z3, args.rlimit, path)
    files = sorted(glob.glob(os.path.join(args.seeds, "**", "*.smt2"), recursive=True))
    known = {path: said for path, said in zip(files, pool.map(ask, files)) if said in ("sat", "unsat")}
    print(f"{len(known)} of {len(files)} seeds are decided", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        seeds, out = os.path.join(folder, "seeds"), os.path.join(folder, "out")
        os.mkdir(seeds)
        names = {}
        for number, path in enumerate(known):
            copy = os.path.join(seeds, f"{number}.smt2")
            shutil.copy(path, copy)
            names[copy] = path
        subprocess.run([args.gainsay, "mutate", "--strategy", "horn", "--seeds", seeds, "-n", str(args.n), "--chain", str(args.chain),
                        "--rng-seed", str(args.rng_seed), "--helper", args.helper, "--jobs", str(args.jobs), "--out", out], check=True)
        mutants = sorted(glob.glob(os.path.join(out, "*.smt2")))
        count, kinds = collections.Counter(), collections.Counter()
        for path, said in zip(mutants, pool.map(ask, mutants)):
            origin = json.load(open(path[:-5] + ".json"))
            seed, step = names[origin["parents"][0]], origin["steps"][0]
            kinds[step.split(":")[0]] += 1
            same = said == known[seed]
            count["same" if same else said if said not in ("sat", "unsat") else "DIFFERENT"] += 1
            if said.startswith("refused") or said in ("sat", "unsat") and not same:
                print(f"{seed}: {known[seed]}, and {said} after {step[:120]}")
                shutil.copy(path, ".")
    print(dict(count))
    print(dict(kinds))


main()
