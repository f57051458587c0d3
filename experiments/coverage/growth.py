#!/usr/bin/env python3
"""What mutants reach beyond their seeds: the coverage tables of the papers, on stock binaries.

    growth.py --table fig7 --gainsay target/release/gainsay --solver "z3@5.4.0 rlimit=2000000" [--level functions] [--mutants 100] [--repeat 10] [--yinyang BIN] [--record FILE]

| table | paper | arms |
|---|---|---|
| fig7 | TypeFuzz, Fig. 7 | operator (OpFuzz), generative (TypeFuzz), both together; yinyang's opfuzz and typefuzz |
| fusion | fusion functions, Tables 1 to 4 | yinyang's functions by hand, generated ones of 5 to 50 nodes; yinyang's own fusion |
| horn | HornFuzz, Table 2 | naive, led by transitions, with parameters, with both; campaigns of the strategy horn alone |
| value | ValFuzz (which has no table of coverage) | constants at random, by coercion (bec), and with domains |

All arms of a table get the same seeds and the same number of mutants, in chains of 10 (`peer_mutants.py` drives yinyang's mutators). Every repetition runs all arms; what is done is kept in the record, and a second call goes on from there. `--yinyang BIN` names the folder with
the programs of an environment with yinyang 0.3.0 (`pip install yinyang==0.3.0`). yinyang removes `set-logic` from seeds, so that z3 takes another solver; the arms "no logic" tell what that alone reaches. At the end, for each pair of arms: which reaches more, and the p-value of a two-sided
Mann-Whitney test (exact without ties, else by the normal approximation). Runs are limited by work (rlimit), not by time: on a loaded machine a time limit decides what is reached. CPU time is user + system of making and of running the mutants.
"""
import argparse, functools, itertools, json, math, os, pathlib, random, re, resource, shutil, statistics, subprocess, tempfile

NO_LOGIC = ", no logic"
SIZES = [5, 10, 20, 25, 30, 50]
LINEAR = ["QF_LIA", "QF_LRA", "QF_NIA", "QF_BV", "QF_S", "QF_UF"]
FUSED = ["LIA", "LRA", "NRA", "QF_LIA", "QF_LRA", "QF_NRA", "QF_S", "QF_SLIA"]
TABLES = {
    "fig7": (LINEAR, ["operator", "generative", "operator and generative", "yinyang opfuzz", "yinyang typefuzz",
                      "seeds, no logic", "operator, no logic", "generative, no logic"]),
    "fusion": (FUSED, ["by hand", "by hand, no logic", *(f"generated, {size} nodes" for size in SIZES), "yinyang fusion"]),
    "horn": (None, ["naive", "transitions", "parameters", "full"]),
    "value": (LINEAR, ["random", "bec", "bec+domains"]),
}
HORN = {
    "naive": ["--parameters", "0", "--order", "default"],
    "transitions": ["--parameters", "0", "--order", "rare"],
    "parameters": ["--order", "default"],
    "full": ["--order", "rare"],
}


def seeds_of(args):
    """The scripts of a table."""
    folders = TABLES[args.table][0]
    found = args.corpus.joinpath("chc").rglob("*.smt2") if folders is None else itertools.chain.from_iterable(
        args.corpus.joinpath("smt", folder).rglob("*.smt2") for folder in folders)
    return sorted(found)


def measure(args, folders):
    command = [args.gainsay, "coverage", *folders, "--solver", args.solver, "--level", args.level,
               "--timeout", args.timeout, "--json", "--unreached", "0", "--scopes", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    summary = json.loads(done.stdout.strip().splitlines()[-1])["summary"]
    of = "functions" if args.level == "functions" else "sites"
    return summary[of + "_reached"], summary[of]


def by_gainsay(args, flags, number, count, out):
    subprocess.run([args.gainsay, "mutate", *flags, "--seeds", args.seeds, "-n", str(count), "--chain", "10",
                    "--rng-seed", str(number), "--out", out, "--force"], capture_output=True, check=True)


def by_yinyang(args, program, number, out):
    script = pathlib.Path(__file__).with_name("peer_mutants.py")
    python = pathlib.Path(args.yinyang, "python")
    subprocess.run([python, script, program, str(args.mutants), str(number), args.seeds, out], capture_output=True, check=True)


def generated_functions(args, size, number, folder):
    """A file of 60 functions, as in the paper."""
    path = pathlib.Path(folder, f"functions-{size}.smt2")
    subprocess.run([args.gainsay, "fusion", "generate", "--theory", "int", "real", "string", "--size", str(size), "-n", "60",
                    "--rng-seed", str(number), "--out", path], capture_output=True, check=True)
    return path


def mutate(args, arm, number, out, work):
    """Writes mutants of the seeds to a folder."""
    if arm.endswith(NO_LOGIC):
        mutate(args, arm.removesuffix(NO_LOGIC), number, out, work)
        for path in pathlib.Path(out).rglob("*.smt2"):
            path.write_text(re.sub(r"\(set-logic [^)]*\)", "", path.read_text()))
    elif arm == "seeds":
        shutil.copytree(args.seeds, out, dirs_exist_ok=True)
    elif arm.startswith("yinyang "):
        by_yinyang(args, {"fusion": "yinyang"}.get(arm.split()[1], arm.split()[1]), number, out)
    elif arm == "operator and generative":
        for place, strategy in enumerate(("operator", "generative")):
            by_gainsay(args, ["--strategy", strategy], number, args.mutants, pathlib.Path(out, str(place)))
    elif arm in ("operator", "generative"):
        by_gainsay(args, ["--strategy", arm], number, args.mutants, out)
    elif arm == "by hand":
        functions = pathlib.Path(work, "functions.txt")
        theirs = next(pathlib.Path(args.yinyang).parent.rglob("yinyang/config/fusion_functions.txt"))
        # One function of yinyang 0.3.0 is an equation of three terms, which is an error; gainsay refuses it.
        functions.write_text("#begin".join(block for block in theirs.read_text().split("#begin") if "(= z (+ x c) y)" not in block))
        by_gainsay(args, ["--strategy", "fusion", "--functions", functions], number, args.mutants, out)
    elif arm.startswith("generated"):
        functions = generated_functions(args, int(arm.split()[1]), number, work)
        by_gainsay(args, ["--strategy", "fusion", "--functions", functions], number, args.mutants, out)
    else:
        helper = [] if arm == "random" else ["--helper", args.solver.split()[0]]
        by_gainsay(args, ["--strategy", "value", "--values", arm, *helper], number, args.mutants, out)


def horn_campaign(args, arm, number):
    """What a campaign of the strategy horn alone reaches."""
    with tempfile.TemporaryDirectory() as folder:
        command = [args.gainsay, "fuzz", "--seeds", args.seeds, "--solver", args.solver, "--strategy", "horn", "--cases", str(args.mutants), "--jobs", "1",
                   "--timeout", args.timeout, "--rng-seed", str(number), "--out", pathlib.Path(folder, "campaign"), f"--coverage={args.level}", "--json", *HORN[arm]]
        done = subprocess.run(command, capture_output=True, text=True)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        last = [event for event in events if event.get("event") == "covered"][-1]
        return last["functions_reached" if args.level == "functions" else "sites_reached"], sum(event.get("event") == "case" for event in events)


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def repetition(args, arm, number):
    """What seeds and mutants of one arm reach, the number of mutants, and the CPU time."""
    before = cpu()
    if args.table == "horn":
        (reached, made), chains = horn_campaign(args, arm, number), None
    else:
        with tempfile.TemporaryDirectory() as out, tempfile.TemporaryDirectory() as work:
            mutate(args, arm, number, out, work)
            mutants = [path.name for path in pathlib.Path(out).rglob("*.smt2")]
            made = len(mutants)
            chains = len({name.split("-")[0] for name in mutants}) if arm.startswith("yinyang") else -(-made // 10)
            reached, _ = measure(args, [args.seeds, out] if made else [args.seeds])
    return {"arm": arm, "number": number, "reached": reached, "mutants": made, "chains": chains, "cpu": cpu() - before, "load": os.getloadavg()[0]}


@functools.cache
def arrangements(one, other, statistic):
    """The number of orders of two samples without ties with this U."""
    if statistic < 0 or one < 0 or other < 0:
        return 0
    if one == 0 or other == 0:
        return int(statistic == 0)
    return arrangements(one - 1, other, statistic - other) + arrangements(one, other - 1, statistic)


def mann_whitney(one, other):
    """The two-sided p-value."""
    pairs = list(itertools.product(one, other))
    u = sum((a > b) + (a == b) / 2 for a, b in pairs)
    low, pooled = min(u, len(pairs) - u), one + other
    if len(set(pooled)) == len(pooled):
        total = math.comb(len(pooled), len(one))
        return min(1.0, 2 * sum(arrangements(len(one), len(other), k) for k in range(int(low) + 1)) / total)
    size = len(pooled)
    ties = sum(count**3 - count for count in (pooled.count(value) for value in set(pooled)))
    variance = len(pairs) / 12 * (size + 1 - ties / (size * (size - 1)))
    return 1.0 if variance == 0 else math.erfc(max(0.0, len(pairs) / 2 - low - 0.5) / math.sqrt(2 * variance))


def show(args, base, rows, arms):
    (reached, whole), counts = base, {arm: [row for row in rows if row["arm"] == arm] for arm in arms}
    print(f"\n{args.solver}, {args.level}, of {whole}\n\n| arm | repetitions | mutants | reached, mean | deviation | beyond the seeds | share | CPU, s |\n|---|---|---|---|---|---|---|---|")
    print(f"| seeds alone | 1 | 0 | {reached} | | | {100 * reached / whole:.2f} % | |")
    for arm, own in ((arm, own) for arm, own in counts.items() if own):
        values = [row["reached"] for row in own]
        mean, deviation = statistics.mean(values), f"{statistics.stdev(values):.1f}" if len(values) > 1 else ""
        print(f"| {arm} | {len(own)} | {statistics.mean(row['mutants'] for row in own):.0f} | {mean:.1f} | {deviation} | {mean - reached:.1f} | "
              f"{100 * mean / whole:.2f} % | {statistics.mean(row['cpu'] for row in own):.1f} |", flush=True)
    for one, other in itertools.combinations((arm for arm in arms if len(counts[arm]) > 2), 2):
        first, second = ([row["reached"] for row in counts[arm]] for arm in (one, other))
        sign = "more" if statistics.mean(first) > statistics.mean(second) else "fewer"
        print(f"{one} reaches {sign} than {other}: p = {mann_whitney(first, second):.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", choices=TABLES, required=True)
    parser.add_argument("--gainsay", default="target/release/gainsay")
    parser.add_argument("--corpus", type=pathlib.Path, default=pathlib.Path("corpus"))
    parser.add_argument("--solver", default="z3@5.4.0 rlimit=2000000", help="for cvc5: 'cvc5@1.4.2 --rlimit=200000'")
    parser.add_argument("--level", default="functions", choices=["functions", "blocks"])
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--timeout", default="300")
    parser.add_argument("--arms", nargs="*")
    parser.add_argument("--yinyang", help="the folder of its programs; without it, arms that need it are left out")
    parser.add_argument("--record", type=pathlib.Path)
    args = parser.parse_args()
    args.record = args.record or pathlib.Path(f"growth-{args.table}-{args.solver.split()[0]}-{args.level}.jsonl")
    arms = [arm for arm in args.arms or TABLES[args.table][1] if args.yinyang or not (arm.startswith("yinyang") or arm.startswith("by hand"))]
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(seeds_of(args)):
            shutil.copy(path, pathlib.Path(folder, f"{number:03}-{path.name}"))
        args.seeds = pathlib.Path(folder)
        lines = args.record.read_text().splitlines() if args.record.exists() else []
        base, *rows = [json.loads(line) for line in lines] or [measure(args, [args.seeds])]
        if not lines:
            args.record.write_text(json.dumps(base) + "\n")
        done = {(row["arm"], row["number"]) for row in rows}
        for number, arm in itertools.product(range(args.repeat), arms):
            if (arm, number) not in done:
                rows.append(repetition(args, arm, number))
                with args.record.open("a") as out:
                    out.write(json.dumps(rows[-1]) + "\n")
        show(args, base, rows, arms)


if __name__ == "__main__":
    main()
