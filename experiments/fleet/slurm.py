#!/usr/bin/env python3
"""Does a fleet of 20 shards under Slurm, two of them killed and queued again, make the campaign of one process?

    slurm.py GAINSAY FOLDER [--cases N] [--shards N]

It starts a Slurm of its own (munged, slurmctld, slurmd of Debian's packages munge, slurmctld, slurmd) whose files are all below FOLDER, runs the whole campaign in one
process, submits the same plan by `gainsay fleet slurm --submit`, kills two running shards with SIGKILL, queues them again, waits for the job that joins the shards,
and compares. It needs to be root, as slurmd does, and stops only the processes that it has started. The solvers are z3 4.8.10 and z3 5.4.0, which print an invalid model for the first seed,
bounded by work (rlimit), so that their answers do not depend on the load.
"""

import argparse
import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

SEEDS = [
    "(set-logic QF_FP)\n(declare-const x (_ FloatingPoint 2 11))\n"
    "(assert (not (= x ((_ to_fp 2 11) RNE ((_ to_fp 3 12) RNE x)))))\n(check-sat)\n",
    "(set-logic FP)\n(set-info :status sat)\n"
    "(assert (forall ((x Float16)) (not (fp.isNegative (fp.rem x (_ -zero 5 11))))))\n(check-sat)\n",
    "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (< (+ x y) (* 2 x)))(assert (> y 3))(check-sat)\n",
    "(set-logic QF_BV)(declare-const a (_ BitVec 8))(assert (bvult (bvadd a #x01) (bvurem a #x00)))(check-sat)\n",
]

SLURM_CONF = """
ClusterName=private
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=5
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
JobRequeue=1
KillWait=5
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=6 RealMemory=100000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """A Slurm of its own."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        conf = SLURM_CONF.format(host=socket.gethostname(), user=getpass.getuser(), folder=folder)
        (folder / "slurm.conf").write_text(conf)
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
                   f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed")
        wait_for(lambda: (folder / "munge.socket").exists(), "munged")
        self.start("slurmctld", "-D", "-f", folder / "slurm.conf")
        self.start("slurmd", "-D", "-f", folder / "slurm.conf")
        wait_for(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%t"), "the node")

    def start(self, *words):
        log = open(self.folder / f"{words[0]}.out", "wb")
        program = shutil.which(words[0], path=os.environ["PATH"] + ":/usr/sbin:/sbin") or sys.exit(f"{words[0]} is not installed")
        self.daemons.append(subprocess.Popen([program, *map(str, words[1:])], env=self.environment, stdout=log, stderr=log))

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True).stdout

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait()


def wait_for(test, what, seconds=600):
    end = time.monotonic() + seconds
    while not test():
        if time.monotonic() > end:
            sys.exit(f"waited {seconds} s for {what}")
        time.sleep(0.2)


def run(gainsay, *words, **more):
    done = subprocess.run([gainsay, *map(str, words)], capture_output=True, text=True, **more)
    if done.returncode not in (0, 10):
        sys.exit(f"gainsay {words[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def essence(gainsay, campaign):
    """The cases of a campaign, and its findings by fingerprint: first case, folder, script."""
    listed = json.loads(run(gainsay, "list", campaign, "--json").splitlines()[-1])
    found = {}
    for one in listed["findings"]:
        script = (pathlib.Path(one["path"]) / "case.smt2").read_text()
        # A seed that is itself a finding is one in each shard that uses it.
        count = one["count"] if one["case"] is not None else None
        found[one["fingerprint"]] = (one["case"], count, script if one["case"] is not None else None)
    return listed["cases"], found


def processes_of(text):
    """The processes whose environment has this text."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if text in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def is_recording(slurm, job, task):
    """Whether a shard runs, and has records in its private folder."""
    number, state = (slurm.ask("squeue", "-h", "-j", f"{job}_{task}", "-o", "%A %T").split() + ["", ""])[:2]
    if state != "RUNNING":
        return False
    for pid in processes_of(f"SLURM_JOB_ID={number}".encode()):
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if "--out" in words and (pathlib.Path(words[words.index("--out") + 1]) / "store.sqlite").exists():
            return True
    return False


def kill_shard(slurm, job, task):
    """Kills all processes of a running shard, and has it queued again."""
    number = slurm.ask("squeue", "-h", "-j", f"{job}_{task}", "-o", "%A").strip()
    victims = processes_of(f"SLURM_JOB_ID={number}".encode())
    for pid in victims:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    wait_for(lambda: "RUNNING" not in slurm.ask("squeue", "-h", "-j", f"{job}_{task}", "-o", "%T"), f"the end of shard {task}")
    slurm.ask("scontrol", "requeue", f"{job}_{task}")
    return len(victims)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gainsay", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--shards", type=int, default=20)
    args = parser.parse_args()
    folder, gainsay = args.folder.resolve(), args.gainsay.resolve()
    folder.mkdir(parents=True)
    plan, seeds = folder / "plan.toml", folder / "seeds"
    seeds.mkdir()
    for number, text in enumerate(SEEDS):
        (seeds / f"{number}.smt2").write_text(text)
    plan.write_text(f"""seeds = ["seeds"]
solvers = ["z3@4.8.10 rlimit=100000", "z3@5.4.0 rlimit=100000"]
strategies = ["operator", "generative"]
rng_seed = 26
jobs = 1
[budget]
cases = {args.cases}
[limits]
timeout = 60
patience = 0
""")
    began = time.monotonic()
    run(gainsay, "fuzz", plan, "--out", folder / "whole", "--jobs", "2", "--plain")
    print(f"whole: {time.monotonic() - began:.0f} s")
    slurm = Slurm(folder / "slurm")
    try:
        began = time.monotonic()
        fleet = folder / "fleet"
        told = run(gainsay, "fleet", "slurm", plan, "--shards", args.shards, "--out", fleet, "--checkpoint", "1m", "--job-memory", "500",
                   "--submit", "--json", env=slurm.environment)
        job = json.loads(told.splitlines()[-1])["array"]
        for task in (2, 5):
            wait_for(lambda: is_recording(slurm, job, task), f"shard {task}")
            copied = (fleet / f"shards/{task}/store.sqlite").exists()
            victims = kill_shard(slurm, job, task)
            print(f"killed shard {task}: {victims} processes; {'it goes on from its copy' if copied else 'it had no copy yet'}", flush=True)
        wait_for(lambda: not slurm.ask("squeue", "-h").strip(), "the jobs", 3600)
        print(f"fleet: {time.monotonic() - began:.0f} s")
    finally:
        slurm.stop()
    whole, merged = essence(gainsay, folder / "whole"), essence(gainsay, fleet / "merged")
    print(f"whole:  {whole[0]} cases, {len(whole[1])} findings")
    print(f"merged: {merged[0]} cases, {len(merged[1])} findings")
    if whole != merged:
        for name in sorted(set(whole[1]) | set(merged[1])):
            if whole[1].get(name) != merged[1].get(name):
                print(f"differs: {name}: {str(whole[1].get(name))[:90]!r} {str(merged[1].get(name))[:90]!r}")
        sys.exit("the merged campaign differs from the whole")
    print("the merged campaign equals the whole")


main()
