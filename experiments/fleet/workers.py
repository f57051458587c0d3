#!/usr/bin/env python3
"""Do workers that share a PostgreSQL make the campaign of one process, whatever is done to them?

    python3 experiments/fleet/workers.py attack --gainsay PATH --fake-solver PATH [--cases 200000] [--workers 8] [--seconds 600]
    python3 experiments/fleet/workers.py grow   --gainsay PATH --fake-solver PATH [--cases 2000]
    python3 experiments/fleet/workers.py store  [--seconds 10]

`attack` runs a plan in one process, and then in 8 workers on a server of its own (a temporary cluster on a socket, no TCP). Every two seconds it kills a
worker with SIGKILL and starts another; it kills the server twice and starts it again, cuts all connections now and then, and stops a worker
for longer than its lease. At the end it compares cases, skipped cases, and for each finding its first case and its sightings. If the budget is
not used up after --seconds, the disturbance ends, and the workers finish the campaign undisturbed.

`grow` measures cases a second with 1, 2, 4, 8 and 16 workers of one job, with a solver that sleeps.

`store` measures the server alone with pgbench and the statements of the store: leases a second (one chain in each transaction), and batches a second (each
takes a chain, and records its end with a tally of 3 kB), with 1 to 16 clients.

initdb refuses root: root runs the server as the user `postgres`.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEEDS = [
    f"(set-logic QF_LIA)\n(declare-const x Int)\n(declare-const y Int)\n(assert ({one} (+ x y) (* 2 x)))\n(assert ({two} y {n}))\n(check-sat)\n"
    for n, (one, two) in enumerate([("<", ">"), ("<=", "="), (">", "<"), ("=", ">="), (">=", "<="), ("distinct", "<")])
]


class Server:
    """A cluster of PostgreSQL in a private folder."""

    def __init__(self, root):
        self.root = root
        self.bin = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
        os.chmod(self.folder, 0o755)
        self.data = self.folder / "server"
        self.data.mkdir()
        self.as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.as_user:
            shutil.chown(self.data, "postgres", "postgres")
        self.run("initdb", "-A", "trust", "-U", "gainsay", "--no-locale", "-E", "UTF8", "-D", "data")
        self.start()

    def run(self, program, *words, check=True):
        done = subprocess.run([*self.as_user, self.bin / program, *words], cwd=self.data, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if check and done.returncode != 0:
            sys.exit(f"{program} {words}: exit code {done.returncode}")
        return done.stdout

    def start(self):
        # The server must not hold the pipe that `run` reads to its end.
        options = f"-c listen_addresses= -c unix_socket_directories={self.data} -c max_connections=200"
        subprocess.run([*self.as_user, self.bin / "pg_ctl", "-D", "data", "-l", "log", "-w", "-s", "-o", options, "start"],
                       cwd=self.data, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    def kill(self):
        self.run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "-s", "stop", check=False)

    def sql(self, database, text):
        return self.run("psql", "-h", str(self.data), "-U", "gainsay", "-d", database, "-At", "-c", text, check=False).strip()

    def database(self, name):
        self.sql("postgres", f"create database {name}")
        return f"postgres://gainsay@{str(self.data).replace('/', '%2F')}/{name}"

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Bench:
    def __init__(self, args):
        self.args = args
        self.folder = Path(tempfile.mkdtemp(prefix="fleet"))
        (self.folder / "seeds").mkdir()
        for number, text in enumerate(SEEDS):
            (self.folder / f"seeds/{number}.smt2").write_text(text)
        self.server = Server(self.folder)
        self.log = (self.folder / "log").open("w")

    def solver(self, name, *actions):
        path = self.folder / name
        words = " ".join(f"--fake '{action}'" for action in actions)
        path.write_text(f"#!/bin/sh\nexec {Path(self.args.fake_solver).resolve()} {words} \"$@\"\n")
        path.chmod(0o755)
        return f"generic={path}"

    def plan(self, cases, solvers):
        path = self.folder / "plan.toml"
        path.write_text(f"""seeds = ["seeds"]\nsolvers = {json.dumps(solvers)}\nstrategies = ["operator"]\nrng_seed = 5\njobs = 1
[budget]\ncases = {cases}\n[limits]\ntimeout = 30\n[questions]\npercent = 0\n""")
        return path

    def start(self, *words):
        return subprocess.Popen([self.args.gainsay, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                start_new_session=True)

    def essence(self, out):
        """Cases, skipped cases, and each finding with its first case and its sightings in cases."""
        store = sqlite3.connect(f"file:{self.folder / out}/store.sqlite?mode=ro", uri=True)
        tally = json.loads(store.execute("select tally from campaign").fetchone()[0])
        findings = {row[1]: (row[2], [n for (n,) in store.execute("select number from sightings where finding = ? order by number", (row[0],))])
                    for row in store.execute("select id, fingerprint, first_case from findings")}
        return tally["cases"], sum(tally["skipped"].values()), tally["our_bugs"], findings


def attack(bench, args):
    solvers = [bench.solver("honest"), bench.solver("liar", "seeing (= answer unsat", "seeing (> assertion a.cpp")]
    plan = bench.plan(args.cases, solvers)
    began = time.time()
    bench.start("fuzz", plan, "--out", "whole", "--jobs", "2", "--plain").wait()
    whole = bench.essence("whole")
    print(f"one process: {whole[0]} cases, {whole[1]} skipped, {len(whole[3])} findings in {time.time() - began:.0f} s", flush=True)
    store = bench.server.database("attack")
    first = bench.start("fuzz", plan, "--store", store, "--jobs", "1", "--plain")
    while bench.server.sql("attack", "select count(*) from roster") != str(len(SEEDS)):
        time.sleep(0.2)
    begin = lambda: bench.start("work", "--store", store, "--jobs", "1", "--lease", "4s", "--plain")
    workers = [first] + [begin() for _ in range(args.workers - 1)]
    draw, counts, began, stopped = random.Random(1), {"kills": 0, "server kills": 0, "cuts": 0, "stops": 0}, time.time(), None
    done = lambda: all(worker.poll() is not None for worker in workers)
    while not done() and time.time() - began < args.seconds:
        time.sleep(2)
        elapsed = time.time() - began
        if stopped and elapsed > stopped[1] + 12:
            os.kill(stopped[0].pid, signal.SIGCONT)
            stopped = None
        alive = [worker for worker in workers if worker.poll() is None and not (stopped and worker is stopped[0])]
        if not alive:
            continue
        if counts["server kills"] < 2 and elapsed > (counts["server kills"] + 1) * args.seconds / 4:
            bench.server.kill()
            time.sleep(1)
            bench.server.start()
            counts["server kills"] += 1
        elif draw.random() < 0.1:
            bench.server.sql("attack", "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gainsay'")
            counts["cuts"] += 1
        elif not stopped and counts["stops"] < 5 and draw.random() < 0.2:
            stopped = (draw.choice(alive), elapsed)
            os.kill(stopped[0].pid, signal.SIGSTOP)
            counts["stops"] += 1
        else:
            victim = draw.choice(alive)
            victim.kill()
            victim.wait()
            counts["kills"] += 1
            workers[workers.index(victim)] = begin()
    cases = bench.server.sql("attack", "select sum((convert_from(tally, 'UTF8')::json->>'cases')::bigint) from (select tally from workers union all select tally from campaign) t")
    print(f"disturbed for {time.time() - began:.0f} s, {cases} cases until then: {counts}", flush=True)
    if stopped:
        os.kill(stopped[0].pid, signal.SIGCONT)
    for worker in workers:
        worker.wait()
    print(f"all done after {time.time() - began:.0f} s, with {bench.server.sql('attack', 'select count(*) from workers')} sessions", flush=True)
    subprocess.run([args.gainsay, "merge", "joined", store], cwd=bench.folder, stdout=bench.log, stderr=bench.log, check=True)
    joined = bench.essence("joined")
    for name, one, other in zip(["cases", "skipped", "our bugs", "findings"], whole, joined):
        same = "equal" if one == other else f"NOT EQUAL: {one if name != 'findings' else len(one)} and {other if name != 'findings' else len(other)}"
        print(f"{name}: {same}")
    return whole == joined


def grow(bench, args):
    solvers = [bench.solver("one", "sleep 50"), bench.solver("two", "sleep 50")]
    for count in [1, 2, 4, 8, 16]:
        plan = bench.plan(args.cases, solvers)
        store = bench.server.database(f"grow{count}")
        began = time.time()
        first = bench.start("fuzz", plan, "--store", store, "--jobs", "1", "--plain")
        while bench.server.sql(f"grow{count}", "select count(*) from roster") != str(len(SEEDS)):
            time.sleep(0.1)
        workers = [first] + [bench.start("work", "--store", store, "--jobs", "1", "--plain") for _ in range(count - 1)]
        for worker in workers:
            worker.wait()
        print(f"{count} workers: {args.cases / (time.time() - began):.1f} cases/s", flush=True)
    return True


TAKE = """begin; set local synchronous_commit = off;
with free as (
    select l.chain from leases l left join chains c on c.chain = l.chain
    where (l.until is null or l.until < clock_timestamp()) and l.chain * 10 + coalesce(c.next, 0) < 9223372036854775807
    order by l.chain limit 1 for update of l skip locked)
update leases l set worker = :client_id, until = clock_timestamp() + make_interval(secs => 60)
from free where l.chain = free.chain returning l.chain as chain \\gset
select chain, next, out from chains where chain = :chain;
commit;
"""
BATCH = TAKE + """begin; set local synchronous_commit = off;
update workers set batches = batches + 1, seen = clock_timestamp(), tally = convert_to(repeat('x', 3000), 'UTF8') where id = :client_id + 1;
update leases set until = clock_timestamp() + make_interval(secs => 60) where worker = :client_id and chain = :chain returning chain;
insert into chains values (:chain, null, '[]') on conflict (chain) do update set next = excluded.next, out = excluded.out where chains.next is not null;
delete from leases where chain = :chain;
commit;
"""


def store(bench, args):
    schema = (Path(__file__).resolve().parents[2] / "crates/engine/src/store/postgres/migrations/1.sql").read_text()
    for name, script in [("leases", TAKE), ("batches", BATCH)]:
        for clients in [1, 2, 4, 8, 16]:
            database = f"{name}{clients}"
            bench.server.database(database)
            bench.server.sql(database, schema)
            bench.server.sql(database, "insert into leases (chain) select generate_series(0, 999999); analyze leases; "
                                       "insert into workers (name, tally) select 'w', '' from generate_series(1, 16)")
            path = bench.server.data / "script.sql"
            path.write_text(script)
            told = bench.server.run("pgbench", "-h", str(bench.server.data), "-U", "gainsay", "-n", "-M", "prepared", "-c", str(clients), "-j", "2",
                                    "-T", str(int(args.seconds)), "-f", str(path), database)
            rate = next(line for line in told.splitlines() if line.startswith("tps"))
            print(f"{name}, {clients} clients: {rate}; load {os.getloadavg()[0]:.1f}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["attack", "grow", "store"])
    parser.add_argument("--gainsay", default="gainsay")
    parser.add_argument("--fake-solver", default="fake-solver")
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=600)
    args = parser.parse_args()
    args.gainsay = str(Path(args.gainsay).resolve()) if "/" in args.gainsay else args.gainsay
    bench = Bench(args)
    try:
        held = {"attack": attack, "grow": grow, "store": store}[args.what](bench, args)
    finally:
        bench.server.remove()
    print("log:", bench.folder / "log")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
