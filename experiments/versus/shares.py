#!/usr/bin/env python3
"""Where does the CPU time of a campaign go?

    gainsay fuzz --seeds FOLDER --solver z3@4.8.7 --solver z3@latest --solver cvc5@latest --jobs 1 --time 3m --json > log
    python3 experiments/versus/shares.py log [log ...]

Reads the events of campaigns and prints Markdown tables: solver time by event (seeds themselves, cases), by strategy, by question, by what became of the run
(answered, unknown, timeout, refused, crash), by solver; the share of slow cases; and cases and findings for each CPU second. gainsay's own time comes from the last line.
"""

import collections
import json
import sys

SLOW_SECONDS = 0.5


def outcome(run):
    if run.get("trouble"):
        return run["trouble"]
    answers = run.get("answers") or []
    if not answers:
        return "no answer"
    return "unknown" if "unknown" in answers else "answered"


class Shares:
    """CPU seconds and counts by one property."""

    def __init__(self, title):
        self.title, self.cpu, self.count, self.found = title, collections.Counter(), collections.Counter(), collections.Counter()

    def add(self, key, cpu, count=1):
        self.cpu[key] += cpu
        self.count[key] += count

    def show(self, whole):
        print(f"\n| {self.title} | count | CPU s | share | CPU s each | findings |\n|---|---|---|---|---|---|")
        for key, cpu in self.cpu.most_common():
            print(f"| {key} | {self.count[key]} | {cpu:.1f} | {100 * cpu / whole:.1f} % | {cpu / max(self.count[key], 1):.3f} | {self.found[key] or ''} |")


def main():
    by_event, by_strategy, by_question = Shares("event"), Shares("strategy"), Shares("question")
    by_outcome, by_solver, by_size = Shares("outcome of a run"), Shares("solver"), Shares("bytes of a case, below")
    slow = Shares("cases")
    own = cases = findings = 0
    questions = {}
    for name in sys.argv[1:]:
        for line in open(name):
            if not line.startswith("{"):
                continue
            event = json.loads(line)
            kind = event.get("event")
            runs = event.get("runs") or []
            cpu = sum(run["cpu_seconds"] + run.get("side_cpu_seconds", 0) for run in runs)
            if kind == "case":
                by_event.add("case", cpu)
                by_strategy.add(event["strategy"], cpu)
                by_question.add(event.get("question") or "sat or unsat", cpu)
                by_size.add(1 << max(event["bytes"].bit_length(), 9), cpu)
                slow.add(f"{SLOW_SECONDS} s and more" if cpu >= SLOW_SECONDS else "faster", cpu)
                questions[event["case"]] = event.get("question") or "sat or unsat"
                for run in runs:
                    by_outcome.add(outcome(run), run["cpu_seconds"])
                    by_solver.add(run["solver"], run["cpu_seconds"])
            elif kind in ("probed", "abandoned"):
                by_event.add("seed itself", cpu)
            elif kind in ("phrased", "coerced"):
                by_event.add(f"constants of value ({kind})", event.get("cpu_seconds", 0))
            elif kind == "found" and event["count"] == 1:
                by_strategy.found[event["strategy"]] += 1
                by_question.found[questions.get(event["case"], "seed itself")] += 1
            elif kind is None and "strategies" in event:
                own += event["cpu"].get("own", 0) or event["cpu"].get("gainsay", 0)
                findings += len(event["findings"])
                cases += event["cases"]
    whole = sum(by_event.cpu.values()) + own
    print(f"{cases} cases, {findings} findings, {whole:.0f} CPU s of which gainsay itself {own:.1f} ({100 * own / whole:.1f} %); {cases / whole:.1f} cases and {findings / whole:.3f} findings a CPU second")
    for shares in (by_event, by_strategy, by_question, by_outcome, by_solver, by_size, slow):
        shares.show(whole)


if __name__ == "__main__":
    main()
