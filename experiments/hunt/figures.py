#!/usr/bin/env python3
"""Sums up the events of the campaigns of a hunt.

    python3 experiments/hunt/figures.py OUT/*.json

Reads the output of `gainsay fuzz --json`. Queries are runs of solvers on cases and seeds; a refused query is wasted. A finding counts
once for each campaign that meets it.
"""

import json
import sys
from collections import Counter
from pathlib import Path

REFUSALS = {"unsupported", "parse-error", "sort-error", "garbage"}


class Campaign:
    """The events of one campaign."""

    def __init__(self, path):
        self.name = path.stem
        self.cases = self.runs = self.skipped = 0
        self.cpu = 0.0
        self.first = None
        self.troubles, self.found, self.made, self.why = Counter(), [], Counter(), Counter()
        with path.open() as lines:
            for line in lines:
                try:
                    self.read(json.loads(line))
                except json.JSONDecodeError:
                    # A campaign that was stopped may end in half a line.
                    break

    def read(self, event):
        kind = event.get("event")
        for run in event.get("runs", []):
            self.runs += 1
            self.cpu += run["cpu_seconds"]
            if run["trouble"]:
                self.troubles[run["trouble"]] += 1
            if run["trouble"] in REFUSALS:
                self.why[f"{run['solver'].split()[0]}: {run.get('said', '')[:70]}"] += 1
        if kind == "case":
            self.cases += 1
            self.made[event["strategy"]] += 1
        elif kind == "skipped":
            self.skipped += event["count"]
        elif kind == "found" and event["count"] == 1 and not event["known"]:
            self.first = self.first or (self.cpu, self.cases)
            logic = Path(event["seed"]).parts[-2:-1]
            self.found.append((event["strategy"], logic[0] if logic else "", event["finding"]))

    def refused(self):
        return sum(count for kind, count in self.troubles.items() if kind in REFUSALS)


def share(part, whole):
    return f"{100 * part / whole:.2f} %" if whole else "-"


def main():
    campaigns = [Campaign(Path(name)) for name in sys.argv[1:]]
    print("| campaign | CPU s | cases | skipped | queries | refused | timed out | findings | to the first: CPU s, cases |")
    print("|---|---|---|---|---|---|---|---|---|")
    for one in campaigns:
        first = f"{one.first[0]:.0f}, {one.first[1]}" if one.first else "-"
        print(
            f"| {one.name} | {one.cpu:.0f} | {one.cases} | {one.skipped} | {one.runs} | {share(one.refused(), one.runs)} "
            f"| {share(one.troubles['time-out'], one.runs)} | {len(one.found)} | {first} |"
        )
    cpu, cases, runs = (sum(getattr(one, key) for one in campaigns) for key in ("cpu", "cases", "runs"))
    refused = sum(one.refused() for one in campaigns)
    found = [finding for one in campaigns for finding in one.found]
    print(f"\n{cpu / 3600:.2f} CPU hours of solvers, {cases} cases, {runs} queries, {share(refused, runs)} refused, {len(found)} findings")
    for title, key in {
        "strategy": lambda strategy, logic, finding: strategy,
        "logic of the seed": lambda strategy, logic, finding: logic,
        "evidence": lambda strategy, logic, finding: finding["evidence"],
        "kind": lambda strategy, logic, finding: finding["kind"],
        "release": lambda strategy, logic, finding: finding["suspect"].split()[0],
    }.items():
        counts = Counter(key(*finding) for finding in found)
        print(f"by {title}: " + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    made = sum((one.made for one in campaigns), Counter())
    print("cases by strategy: " + ", ".join(f"{name} {count}" for name, count in made.most_common()))
    why = sum((one.why for one in campaigns), Counter())
    print("refused:")
    for reason, count in why.most_common(12):
        print(f"  {count:6} {reason}")


if __name__ == "__main__":
    main()
