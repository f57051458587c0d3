#!/usr/bin/env python3
"""Do workers that share a PostgreSQL make the campaign of one process, whatever is done to them?

    python3 experiments/fleet/workers.py attack --gainsay PATH --fake-solver PATH [--cases 200000] [--workers 8] [--seconds 600]
    python3 experiments/fleet/workers.py grow   --gainsay PATH --fake-solver PATH [--cases 2000]
    python3 experiments/fleet/workers.py share  --gainsay PATH [--cases 1000]
    python3 experiments/fleet/workers.py disk   --gainsay PATH --fake-solver PATH [--cases 20000]      (root only)
    python3 experiments/fleet/workers.py wal    --gainsay PATH --fake-solver PATH [--cases 4000]       (root only)
    python3 experiments/fleet/workers.py pool   --gainsay PATH --fake-solver PATH [--cases 4000]
    python3 experiments/fleet/workers.py store  [--seconds 10] [--clients 1 2 4 8 16]

`attack` runs a plan in one process, and then in 8 workers on a server of its own (a temporary cluster on a socket, no TCP). Every two seconds it kills a
worker with SIGKILL and starts another; it kills the server twice and starts it again, cuts all connections now and then, and stops a worker
for longer than its lease. At the end it compares cases, skipped cases, and for each finding its first case and its sightings. If the budget is
not used up after --seconds, the disturbance ends, and the workers finish the campaign undisturbed.

`grow` measures cases a second with 1, 2, 4, 8 and 16 workers of one job, with a solver that sleeps.

`share` runs a plan with z3 and cvc5 in a folder and in the store, and prints the share of the store of all CPU time.

`disk` fills the disk of the server (a tablespace on a tmpfs) while workers are at work, and makes space again.

`wal` fills the disk of the server's write-ahead log (a tmpfs), which ends the server, makes space again, and starts the server.

`pool` puts pgbouncer in transaction mode, with two connections, between four workers and the server.

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


# The liar is wrong about some scripts and crashes on others.
LIES = ["seeing (= answer unsat", "seeing (> assertion a.cpp"]

PROFILE = """name = "fake"
title = "the fake solver"
family = "fake"
command = ["fake-solver"]
option_form = "none"
own_options = "*"
own_commands = "*"
drivers = ["session", "plain"]
logics = ["*"]
tried = []

[input]
file = []

[session]
arguments = []
undo = "(reset)"
positions = "continue"
scripts = 500
"""


class Server:
    """A cluster of PostgreSQL in a private folder."""

    def __init__(self, log_folder=None):
        self.settings = ""
        self.bin = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
        os.chmod(self.folder, 0o755)
        self.data = self.folder / "server"
        self.data.mkdir()
        self.as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.as_user:
            shutil.chown(self.data, "postgres", "postgres")
        words = ["initdb", "-A", "trust", "-U", "gainsay", "--no-locale", "-E", "UTF8", "-D", "data"]
        if log_folder:
            # Small segments and few of them, so that a new one is wanted soon.
            words += ["--wal-segsize=1", "-X", str(log_folder)]
            self.settings = "-c min_wal_size=2MB -c max_wal_size=4MB -c restart_after_crash=off"
        self.run(*words)
        self.start()

    def run(self, program, *words, check=True):
        done = subprocess.run([*self.as_user, self.bin / program, *words], cwd=self.data, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if check and done.returncode != 0:
            sys.exit(f"{program} {words}: exit code {done.returncode}")
        return done.stdout

    def start(self):
        # The server must not hold the pipe that `run` reads to its end.
        options = f"-c listen_addresses= -c unix_socket_directories={self.data} -c max_connections=200 {self.settings}"
        subprocess.run([*self.as_user, self.bin / "pg_ctl", "-D", "data", "-l", "log", "-w", "-s", "-o", options, "start"],
                       cwd=self.data, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    def kill(self):
        self.run("pg_ctl", "-D", "data", "-m", "immediate", "-w", "-s", "stop", check=False)

    def sql(self, database, text):
        return self.run("psql", "-h", str(self.data), "-U", "gainsay", "-d", database, "-At", "-c", text, check=False).strip()

    def database(self, name):
        self.sql("postgres", f"create database {name}")
        return f"postgres://gainsay@{str(self.data).replace('/', '%2F')}/{name}"

    def pool(self, name):
        """Starts pgbouncer with two connections in transaction mode, and returns the address of a database behind it."""
        (self.data / "pool.ini").write_text(f"""[databases]\n* = host={self.data} user=gainsay\n[pgbouncer]\nlisten_addr =\nlisten_port = 6543
unix_socket_dir = {self.data}\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 2\nlogfile = {self.data}/pool.log\npidfile = {self.data}/pool.pid\n""")
        subprocess.run([*self.as_user, "/usr/sbin/pgbouncer", "-q", "-d", "pool.ini"], cwd=self.data, check=True)
        return self.database(name).replace(f"/{name}", f":6543/{name}")

    def is_up(self):
        return subprocess.run([*self.as_user, self.bin / "pg_ctl", "-D", "data", "-s", "status"], cwd=self.data,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def cpu_seconds(self):
        """The CPU time of all processes of the server, those that have ended included."""
        master = int((self.data / "data/postmaster.pid").read_text().split()[0])
        total = 0
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(entry.name) == master:
                total += sum(map(int, fields[11:15]))
            elif int(fields[1]) == master:
                total += sum(map(int, fields[11:13]))
        return total / os.sysconf("SC_CLK_TCK")

    def remove(self):
        self.kill()
        if (self.data / "pool.pid").exists():
            os.kill(int((self.data / "pool.pid").read_text()), signal.SIGTERM)
        shutil.rmtree(self.folder, ignore_errors=True)


class Bench:
    def __init__(self, args):
        self.args = args
        self.folder = Path(tempfile.mkdtemp(prefix="fleet"))
        (self.folder / "seeds").mkdir()
        for number, text in enumerate(SEEDS):
            (self.folder / f"seeds/{number}.smt2").write_text(text)
        # The fake solver in sessions: most of the CPU time goes to gainsay and to the store, not to new processes.
        (self.folder / "config/solvers").mkdir(parents=True)
        (self.folder / "config/solvers/fake.toml").write_text(PROFILE)
        self.small = self.folder / "small"
        log_folder = None
        if args.what == "wal":
            self.small.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", self.small], check=True)
            os.chmod(self.folder, 0o755)
            log_folder = self.small / "wal"
            log_folder.mkdir()
            shutil.chown(log_folder, "postgres", "postgres")
        self.server = Server(log_folder)
        self.log = (self.folder / "log").open("w")

    def solver(self, name, *actions):
        path = self.folder / name
        words = " ".join(f"--fake '{action}'" for action in actions)
        # The sandbox of solvers shows them the folder of their program.
        shutil.copy(shutil.which(self.args.fake_solver), self.folder / "fake-solver")
        path.write_text(f"#!/bin/sh\nexec {self.folder}/fake-solver {words} \"$@\"\n")
        path.chmod(0o755)
        return f"fake={path}"

    def plan(self, cases, solvers):
        path = self.folder / "plan.toml"
        path.write_text(f"""seeds = ["seeds"]\nsolvers = {json.dumps(solvers)}\nstrategies = ["operator"]\nrng_seed = 5\njobs = 1
[budget]\ncases = {cases}\n[limits]\ntimeout = 30\n[questions]\npercent = 0\n""")
        return path

    def start(self, *words):
        return subprocess.Popen([self.args.gainsay, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                start_new_session=True, env={**os.environ, "GAINSAY_CONFIG": str(self.folder / "config")})

    def essence(self, out):
        """Cases, skipped cases, and each finding with its first case and its sightings in cases."""
        store = sqlite3.connect(f"file:{self.folder / out}/store.sqlite?mode=ro", uri=True)
        tally = json.loads(store.execute("select tally from campaign").fetchone()[0])
        findings = {row[1]: (row[2], [n for (n,) in store.execute("select number from sightings where finding = ? order by number", (row[0],))])
                    for row in store.execute("select id, fingerprint, first_case from findings")}
        return tally["cases"], sum(tally["skipped"].values()), tally["our_bugs"], findings


def attack(bench, args):
    plan = bench.plan(args.cases, [bench.solver("honest"), bench.solver("liar", *LIES)])
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
    return compare(bench, whole, store)


def grow(bench, args):
    # Where the script is checked, also in a session.
    solvers = [bench.solver(name, "seeing (check-sat sleep 50") for name in ("one", "two")]
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


TAKE = """with quick as (select set_config('synchronous_commit', 'off', true)), free as (
    select l.chain from leases l left join chains c on c.chain = l.chain
    where l.worker is null and l.chain * 10 + coalesce(c.next, 0) < 9223372036854775807
    order by l.chain limit 1 for update of l skip locked)
update leases l set worker = :client_id, until = clock_timestamp() + make_interval(secs => 60)
from free cross join quick where l.chain = free.chain returning l.chain as chain \\gset
select chain, next, out from chains where chain = any(array[:chain]::bigint[]);
"""
BATCH = TAKE + """begin; set local synchronous_commit = off;
update workers set batches = batches + 1, seen = clock_timestamp(), tally = convert_to('TALLY', 'UTF8') where id = :client_id + 1;
update leases set until = clock_timestamp() + make_interval(secs => 60) where worker = :client_id and chain = :chain returning chain;
insert into chains values (:chain, null, '[]') on conflict (chain) do update set next = excluded.next, out = excluded.out where chains.next is not null;
delete from leases where chain = :chain;
commit;
"""


def disk(bench, args):
    """A full disk of the server stops the workers with one sentence each; with space again, they make the campaign of one process."""
    plan = bench.plan(args.cases, [bench.solver("honest"), bench.solver("liar", *LIES)])
    bench.start("fuzz", plan, "--out", "whole", "--jobs", "2", "--plain").wait()
    small = bench.folder / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", small], check=True)
    try:
        (small / "space").mkdir()
        shutil.chown(small / "space", "postgres", "postgres")
        os.chmod(bench.folder, 0o755)
        bench.server.sql("postgres", f"create tablespace small location '{small}/space'")
        bench.server.sql("postgres", "create database disk tablespace small")
        address = bench.server.database("disk")
        workers = [bench.start("fuzz", plan, "--store", address, "--jobs", "1", "--plain")]
        while bench.server.sql("disk", "select count(*) from chains where next is null") in ("", "0"):
            time.sleep(0.2)
        workers += [bench.start("work", "--store", address, "--jobs", "1", "--plain") for _ in range(2)]
        with (small / "filler").open("wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4096))
            except OSError as error:
                print(f"the disk of the server is full: {error}", flush=True)
        print("exit codes of the workers:", [worker.wait() for worker in workers], flush=True)
        print("told:", next((line.strip() for line in (bench.folder / "log").read_text(errors="replace").splitlines() if "takes no more records" in line), "nothing"))
        (small / "filler").unlink()
        workers = [bench.start("work", "--store", address, "--jobs", "1", "--plain") for _ in range(3)]
        print("exit codes with space again:", [worker.wait() for worker in workers], flush=True)
        return compare(bench, bench.essence("whole"), address)
    finally:
        bench.server.kill()
        subprocess.run(["umount", small])


def wal(bench, args):
    """A full disk of the write-ahead log ends the server; with space again and a server, the workers make the campaign of one process."""
    plan = bench.plan(args.cases, [bench.solver("honest"), bench.solver("liar", *LIES)])
    bench.start("fuzz", plan, "--out", "whole", "--jobs", "2", "--plain").wait()
    address = bench.server.database("wal")
    filler = bench.small / "filler"
    try:
        workers = [bench.start("fuzz", plan, "--store", address, "--jobs", "1", "--plain")]
        while bench.server.sql("wal", "select count(*) from chains where next is null") in ("", "0"):
            time.sleep(0.2)
        workers += [bench.start("work", "--store", address, "--jobs", "1", "--plain") for _ in range(2)]
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError as error:
                print(f"the disk of the write-ahead log is full: {error}", flush=True)
        began = time.time()
        # The server uses old segments again as long as it can: it is made to want new ones.
        while bench.server.is_up() and any(worker.poll() is None for worker in workers):
            bench.server.sql("wal", "select pg_switch_wal(), txid_current()")
        print(f"after {time.time() - began:.0f} s the server is {'up' if bench.server.is_up() else 'down'}; workers that ended: "
              f"{[worker.poll() for worker in workers]}", flush=True)
        time.sleep(3)
        print("workers that ended without a server:", [worker.poll() for worker in workers])
        filler.unlink()
        if not bench.server.is_up():
            bench.server.start()
        print("exit codes:", [worker.wait() for worker in workers], flush=True)
        told = {line.strip() for line in (bench.folder / "log").read_text(errors="replace").splitlines() if "the store" in line}
        print("told:", *sorted(told)[:6], sep="\n  ")
        return compare(bench, bench.essence("whole"), address)
    finally:
        bench.server.kill()
        subprocess.run(["umount", "-l", bench.small])


def pool(bench, args):
    plan = bench.plan(args.cases, [bench.solver("honest"), bench.solver("liar", *LIES)])
    bench.start("fuzz", plan, "--out", "whole", "--jobs", "2", "--plain").wait()
    address = bench.server.pool("pool")
    workers = [bench.start("fuzz", plan, "--store", address, "--jobs", "1", "--plain")]
    while bench.server.sql("pool", "select count(*) from roster") != str(len(SEEDS)) and workers[0].poll() is None:
        time.sleep(0.2)
    workers += [bench.start("work", "--store", address, "--jobs", "1", "--plain") for _ in range(3)]
    print("exit codes:", [worker.wait() for worker in workers], flush=True)
    told = {line.strip() for line in (bench.folder / "log").read_text(errors="replace").splitlines() if "the store" in line}
    print("told:", *sorted(told)[:6], sep="\n  ")
    print("connections of the pool:", bench.server.sql("pool", "select count(*) from pg_stat_activity where datname = 'pool' and pid <> pg_backend_pid()"))
    return compare(bench, bench.essence("whole"), address)


def compare(bench, whole, address):
    """Copies the campaign of a store to a folder, and compares it with the whole."""
    subprocess.run([bench.args.gainsay, "merge", "joined", address], cwd=bench.folder, stdout=bench.log, stderr=bench.log, check=True)
    joined = bench.essence("joined")
    for name, one, other in zip(["cases", "skipped", "our bugs", "findings"], whole, joined):
        shown = [len(value) if name == "findings" else value for value in (one, other)]
        print(f"{name}: {shown[0]}, {'equal' if one == other else f'NOT EQUAL: {shown[1]}'}")
    return whole == joined


def share(bench, args):
    """The CPU time of the store with real solvers: that of the server, and what workers take more than a process with a folder."""
    plan = bench.plan(args.cases, ["z3@5.4.0 rlimit=200000", "cvc5@1.4.2"])
    bench.start("fuzz", plan, "--out", "whole", "--jobs", "2", "--plain").wait()
    address = bench.server.database("share")
    before = bench.server.cpu_seconds()
    bench.start("fuzz", plan, "--store", address, "--jobs", "2", "--plain").wait()
    server = bench.server.cpu_seconds() - before
    subprocess.run([bench.args.gainsay, "merge", "joined", address], cwd=bench.folder, stdout=bench.log, stderr=bench.log, check=True)
    own, solvers = {}, {}
    for out in ["whole", "joined"]:
        store = sqlite3.connect(f"file:{bench.folder / out}/store.sqlite?mode=ro", uri=True)
        tally = json.loads(store.execute("select tally from campaign").fetchone()[0])
        own[out], solvers[out] = tally["own_cpu"], sum(one["cpu"] for one in tally["solvers"].values())
        print(f"{out}: {tally['cases']} cases, {solvers[out]:.1f} CPU s of solvers, {own[out]:.2f} of gainsay", flush=True)
    total = solvers["joined"] + own["joined"] + server
    print(f"server: {server:.2f} CPU s, {100 * server / total:.2f} % of all; with the difference of gainsay's own: {100 * (server + own['joined'] - own['whole']) / total:.2f} %; load {os.getloadavg()[0]:.1f}")
    return True


def sample_tally():
    """A text of 3 kB that compresses as a tally does."""
    draw = random.Random(7)
    names = ["cases", "skipped", "sightings", "runs", "sat", "unsat", "unknown", "fine", "undecided", "bug", "cpu", "rejected", "timeout"]
    return json.dumps({f"{draw.choice(names)} {n}": draw.randrange(10 ** 7) for n in range(130)})


def store(bench, args):
    folder = Path(__file__).resolve().parents[2] / "crates/engine/src/store/postgres/migrations"
    schema = "".join(path.read_text() for path in sorted(folder.glob("*.sql")))
    # The store keeps no statements by name ("extended"); "prepared" shows what that costs.
    runs = [("extended", clients) for clients in args.clients] + [("prepared", 1), ("extended", 1)] * 2
    for name, script in [("leases", TAKE), ("batches", BATCH)]:
        for number, (protocol, clients) in enumerate(runs):
            database = f"{name}{number}"
            bench.server.database(database)
            bench.server.sql(database, schema)
            bench.server.sql(database, f"insert into leases (chain) select generate_series(0, {args.chains - 1}); analyze leases; "
                                       "insert into workers (name, tally) select 'w', '' from generate_series(1, 16)")
            path = bench.server.data / "script.sql"
            path.write_text(script.replace("TALLY", sample_tally()))
            position = lambda: bench.server.sql(database, "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
            before, cpu = float(position()), bench.server.cpu_seconds()
            told = bench.server.run("pgbench", "-h", str(bench.server.data), "-U", "gainsay", "-n", "-M", protocol, "-c", str(clients), "-j", "2",
                                    "-T", str(int(args.seconds)), "-f", str(path), database)
            cpu = bench.server.cpu_seconds() - cpu
            rate = next(line for line in told.splitlines() if line.startswith("tps")).split("(")[0].strip()
            count = int(next(line for line in told.splitlines() if "actually processed" in line).split(":")[1].split("/")[0])
            made = int(bench.server.sql(database, "select (select count(*) from leases where worker is not null) + (select count(*) from chains)"))
            if made != count:
                sys.exit(f"{name}, {clients} clients: {count} transactions, but {made} chains")
            print(f"{name}, {protocol}, {clients} clients: {rate}; {1e6 * cpu / count:.0f} µs of CPU of the server and "
                  f"{(float(position()) - before) / count:.0f} bytes of WAL each; load {os.getloadavg()[0]:.1f}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["attack", "disk", "grow", "pool", "share", "store", "wal"])
    parser.add_argument("--gainsay", default="gainsay")
    parser.add_argument("--fake-solver", default="fake-solver")
    parser.add_argument("--cases", type=int, default=200_000)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 2, 4, 8, 16])
    parser.add_argument("--chains", type=int, default=1_000_000)
    args = parser.parse_args()
    args.gainsay = str(Path(args.gainsay).resolve()) if "/" in args.gainsay else args.gainsay
    bench = Bench(args)
    try:
        held = {"attack": attack, "disk": disk, "grow": grow, "pool": pool, "share": share, "store": store, "wal": wal}[args.what](bench, args)
    finally:
        bench.server.remove()
    print("log:", bench.folder / "log")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
