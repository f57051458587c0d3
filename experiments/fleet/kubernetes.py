#!/usr/bin/env python3
"""Does kubectl know every field of the jobs that `gainsay fleet kubernetes` writes? No cluster is needed.

    python3 experiments/fleet/kubernetes.py FILE.yaml …

kubectl reads each Job as a typed object (`kubectl set env --local`) and writes it again: a field that it does not know is gone then. To show that this check can fail,
each Job is also tried with a field that does not exist. Other kinds are only read (`kubectl annotate --local`), which keeps unknown fields. Needs PyYAML.
"""

import json
import subprocess
import sys
import tempfile

import yaml


def fields(value, place=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from fields(inner, f"{place}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from fields(inner, f"{place}[{number}]")
    else:
        yield place


def lost_fields(document):
    """The fields that kubectl does not write again."""
    words = ["set", "env", "--local", "ADDED=1"] if document["kind"] == "Job" else ["annotate", "--local", "added=1"]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        done = subprocess.run(["kubectl", *words, "-f", file.name, "-o", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"kubectl refuses {document['kind']}: {done.stderr.strip()}")
    known = set(fields(json.loads(done.stdout)))
    return [field for field in fields(document) if field not in known]


def main():
    print(subprocess.run(["kubectl", "version", "--client"], capture_output=True, text=True).stdout.splitlines()[0])
    held = True
    for path in sys.argv[1:]:
        for document in yaml.safe_load_all(open(path)):
            lost = lost_fields(document)
            print(f"{path}: {document['kind']}: {len(list(fields(document)))} fields, unknown: {lost or 'none'}")
            held &= not lost
            if document["kind"] == "Job":
                document["spec"]["noSuchField"] = 1
                held &= lost_fields(document) == [".spec.noSuchField"]
    sys.exit(0 if held else 1)


main()
