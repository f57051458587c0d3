#!/usr/bin/python3
"""Bitwuzla's command line over its Python package, since no package index has its program.

    pip install --target FOLDER bitwuzla
    install experiments/hunt/bitwuzla.py FOLDER/bitwuzla
    gainsay fuzz --solver bitwuzla=FOLDER/bitwuzla --solver z3@latest --seeds corpus/smt

The folder holds all that gainsay's sandbox lets the solver read, besides the system; the package must be for the system's Python.
Options are those of Bitwuzla's program (`--check-model=true`). Without a file, it reads all of standard input before it answers.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import bitwuzla


def main():
    words = sys.argv[1:]
    if "--version" in words:
        print(bitwuzla.version())
        return 0
    options = bitwuzla.Options()
    files = [word for word in words if not word.startswith("--")]
    for word in words:
        if word not in files:
            options.set_args(word)
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    try:
        if files:
            parser.parse(files[0], False, True)
        else:
            parser.parse(sys.stdin.read(), False, False)
    except bitwuzla.BitwuzlaException as error:
        print(f"[error] {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
