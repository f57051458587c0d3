#!/usr/bin/env python3
"""Known bugs of CHC solvers: are their triggers judged correctly, and are they found again from their seeds?

    experiments/horn/knownbugs.py --bugs DIR --gainsay target/release/gainsay [--cases 400] [--rng-seed 1]

DIR has knownbugs.csv and chc/NAME.smt2, chc/NAME.seed*.smt2. For each bug that shows on an installed release, all oracles judge the trigger
(with the newest z3 and cvc5 as referees), and campaigns of the strategy horn, and of all strategies, start from its seeds, or from the trigger itself if
it has none.
"""
import argparse, csv, glob, json, os, subprocess, tempfile


def last_json(text):
    lines = [line for line in text.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", required=True)
    parser.add_argument("--gainsay", required=True)
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--rng-seed", type=int, default=1)
    args = parser.parse_args()
    listed = json.loads(subprocess.run([args.gainsay, "solvers", "list", "--json"], capture_output=True, text=True).stdout.splitlines()[-1])
    installed = {f"{one['solver']}-{one['version']}" for one in listed["installed"] if one.get("version")}
    for row in csv.DictReader(open(os.path.join(args.bugs, "knownbugs.csv"))):
        values = list(row.values())
        name = values[0]
        trigger = os.path.join(args.bugs, "chc", name + ".smt2")
        if not os.path.exists(trigger):
            continue
        words = " ".join((value or "").split("; valid on")[0] for value in values).split()
        releases = [word for word in words if word in installed]
        if not releases:
            print(f"{name}: no release that shows it is installed")
            continue
        release = releases[-1].replace("z3-", "z3@")
        options = [word for word in words if word.startswith("fp.")]
        suspect = " ".join([release, *options])
        checked = subprocess.run([args.gainsay, "check", trigger, "--solver", suspect, "--solver", "cvc5@1.4.2", "--solver", "z3@5.4.0", "--json"],
                                 capture_output=True, text=True)
        findings = [f"{one['kind']} ({one['evidence']}) {one['suspect']}" for one in last_json(checked.stdout).get("findings", [])]
        print(f"{name} on {suspect}: trigger {findings or 'NOT SEEN'}", flush=True)
        seeds = sorted(glob.glob(os.path.join(args.bugs, "chc", name + ".seed*.smt2"))) or [trigger]
        for strategies in ["horn", "generative,operator,subterm,value,horn"]:
            with tempfile.TemporaryDirectory() as folder:
                command = [args.gainsay, "fuzz", "--strategy", strategies, "--solver", suspect, "--cases", str(args.cases), "--chain", "20",
                           "--rng-seed", str(args.rng_seed), "--out", os.path.join(folder, "out"), "--json"]
                for seed in seeds:
                    command += ["--seeds", seed]
                ran = last_json(subprocess.run(command, capture_output=True, text=True).stdout)
                found = [f"{one['kind']} ({one['evidence']})" for one in ran.get("findings", [])]
                print(f"    {strategies}: {ran.get('cases')} cases, {found or 'nothing'}", flush=True)


main()
