#!/usr/bin/env python3
"""Sums up campaigns of one question each.

    python3 experiments/questions/sum.py OUT [OUT...]

Reads the events of OUT/*.json (`gainsay fuzz --json`), also of campaigns that were stopped, and prints a row for each question: cases,
replies by judgement, runs, CPU seconds of solvers, and findings by kind.
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path


def read(path, rows):
    for line in path.open():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            break  # A campaign that was stopped may end in half a line.
        kind = event.get("event")
        for run in event.get("runs", []):
            rows["cpu"] += run["cpu_seconds"] + (run.get("side_cpu_seconds") or 0)
            rows["runs"] += 1
        if kind == "case":
            rows["cases"] += 1
            if event.get("question"):
                rows["asked"] += 1
                rows[dict(event["oracles"]).get("reply", "none")] += 1
        elif kind == "found" and event["count"] == 1 and not event["known"]:
            rows["found " + event["finding"]["kind"]] += 1


def main():
    questions = defaultdict(Counter)
    for folder in sys.argv[1:]:
        for path in sorted(Path(folder).glob("*.json")):
            question = path.stem.rsplit("-", 1)[0].split("-")[-1]
            read(path, questions[question])
    print("| question | cases | asked | right | undecided | wrong | runs | CPU s of solvers | findings |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, rows in sorted(questions.items()):
        found = ", ".join(f"{key[6:]} {count}" for key, count in sorted(rows.items()) if key.startswith("found "))
        figures = [rows[key] for key in ("cases", "asked", "fine", "undecided", "bug", "runs")]
        print(f"| {name} | " + " | ".join(f"{figure:,}" for figure in figures) + f" | {rows['cpu']:,.0f} | {found or '-'} |")


main()
