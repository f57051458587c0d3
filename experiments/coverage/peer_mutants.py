"""Writes mutants of yinyang 0.3.0 to a folder; run by the Python of its environment.

    python peer_mutants.py opfuzz|typefuzz|yinyang COUNT NUMBER SEEDS OUT

Drives the mutators as yinyang's own loop does, without solvers: opfuzz and typefuzz make COUNT mutants in chains of 10 of each seed, drawn at random; yinyang
fuses random pairs of the same status. A mutant is named CHAIN-NUMBER. Seeds that yinyang cannot parse or mutate are left out.
"""
import copy, pathlib, random, signal, sys, types

import yinyang
from yinyang.src.mutators.GenTypeAwareMutation.GenTypeAwareMutation import GenTypeAwareMutation
from yinyang.src.mutators.GenTypeAwareMutation.Util import get_unique_subterms
from yinyang.src.mutators.SemanticFusion.SemanticFusion import SemanticFusion
from yinyang.src.mutators.TypeAwareOpMutation import TypeAwareOpMutation
from yinyang.src.parsing.Parse import parse_file
from yinyang.src.parsing.Typechecker import typecheck

CHAIN = 10
PARSE_SECONDS = 30
CONFIGS = {"opfuzz": "operator_mutations.txt", "typefuzz": "typefuzz_config.txt", "yinyang": "fusion_functions.txt"}


def mutator(tool, files, rng):
    args = types.SimpleNamespace(config=str(pathlib.Path(yinyang.__file__).parent / "config" / CONFIGS[tool]), modulo=1)
    if tool == "yinyang":
        args.oracle = rng.choice(["sat", "unsat"])
        own = [path for path in files if f":status {args.oracle})" in path.read_text()]
        return SemanticFusion(*(parse_file(str(path), silent=True)[0] for path in rng.sample(own, 2)), args)
    script, names = parse_file(str(rng.choice(files)), silent=True)
    if tool == "opfuzz":
        return TypeAwareOpMutation(script, args)
    typecheck(script, names)
    return GenTypeAwareMutation(script, args, get_unique_subterms(copy.deepcopy(script)))


def main():
    tool, count, number, seeds, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *map(pathlib.Path, sys.argv[4:6])
    sys.setrecursionlimit(10_000)
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError()))
    random.seed(number)
    rng, files, made = random.Random(number), sorted(seeds.rglob("*.smt2")), 0
    for chain in range(20 * count):
        if made >= count:
            break
        signal.alarm(PARSE_SECONDS)
        try:
            own = mutator(tool, files, rng)
            for _ in range(CHAIN if tool != "yinyang" else 1):
                mutant, success, skip = own.mutate()
                if success and not skip and made < count:
                    made += 1
                    (out / f"{chain:04}-{made:04}.smt2").write_text(str(mutant))
        # The peer fails on some scripts in many ways.
        except (Exception, SystemExit):
            pass
        signal.alarm(0)


if __name__ == "__main__":
    main()
