#!/usr/bin/env python3
"""How fast is the page of a large campaign, and what do its updates cost?

    python3 experiments/fleet/page.py --gainsay PATH --fake-solver PATH [--findings 1000] [--cases 10000000] [--seconds 30]

It runs a small campaign into a PostgreSQL of its own (that of workers.py), multiplies its findings with all their files, sets its counts, and copies it to a folder by
`gainsay merge`. For the store and for the folder it starts `gainsay serve`, opens the page in Chromium (Debian's package, without a window, an empty profile each time), and prints the time until the
first contentful paint as the browser measures it, from the start of the navigation. Then the page stays open, with its update every second, and the CPU time of the server, and of PostgreSQL's
process for it, is taken from /proc.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import workers


class Browser:
    """Chromium, driven by its DevTools protocol through two pipes."""

    def __init__(self):
        (to_read, self.requests), (self.answers, to_write) = os.pipe(), os.pipe()
        profile = tempfile.mkdtemp(prefix="chromium")
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={profile}"]
        command = f'exec chromium "$@" 3<&{to_read} 4>&{to_write}'
        self.process = subprocess.Popen(["bash", "-c", command, "bash", *flags], pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read), os.close(to_write)
        self.answers, self.last, self.session = os.fdopen(self.answers, "rb"), 0, None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def ask(self, method, **parameters):
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        while True:
            text = bytearray()
            while (byte := self.answers.read(1)) not in (b"\0", b""):
                text += byte
            answer = json.loads(text)
            if answer.get("id") == self.last:
                return answer["result"]

    def evaluate(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)["result"].get("value")

    def close(self):
        self.process.kill()
        self.process.wait()


FIRST_PAINT = """new Promise(done => {
  const look = () => { const [paint] = performance.getEntriesByName('first-contentful-paint');
                       paint ? done(paint.startTime) : setTimeout(look, 10); };
  look(); })"""


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def enlarge(bench, database, findings, cases):
    """Multiplies the findings of a campaign, with their files, and sets its counts."""
    sql = lambda text: bench.server.sql(database, text)
    rows = [line.split("|") for line in sql("select encode(fingerprint, 'hex'), encode(record, 'hex'), encode(seed, 'hex') from findings").splitlines()]
    files = {}
    for line in sql("select encode(fingerprint, 'hex'), name, encode(content, 'hex') from exhibits").splitlines():
        fingerprint, name, content = line.split("|")
        files.setdefault(fingerprint, []).append((name, zlib.decompress(bytes.fromhex(content))))
    path = bench.server.data / "enlarge.sql"
    with path.open("w") as out:
        for number in range(len(rows), findings):
            fingerprint, record, seed = rows[number % len(rows)]
            old = bytes.fromhex(fingerprint)
            new = old + f" {number}".encode()
            record = json.loads(bytes.fromhex(record))
            record.update(fingerprint=new.decode(), path=f"{record['path']}-{number}", case=number * 1000)
            packed = json.dumps(record).encode()
            out.write(f"insert into findings values ('\\x{new.hex()}', {number * 1000}, '\\x{seed}', {number}, {number * 3}, false, '\\x{packed.hex()}');\n")
            out.write(f"insert into sightings select '\\x{new.hex()}', generate_series({number}, {number + 99});\n")
            for name, content in files[fingerprint]:
                content = zlib.compress(content.replace(old, new))
                out.write(f"insert into exhibits values ('\\x{new.hex()}', '{name}', '\\x{content.hex()}');\n")
        for number in range(1000):
            out.write(f"insert into samples values ({number * 60 + 100000}, {number * cases // 1000}, {number * findings // 1000}, {number * 110}, {number * 3});\n")
        out.write("update campaign set tally = convert_to(jsonb_set(convert_from(tally, 'UTF8')::jsonb, '{cases}', '" + str(cases) + "')::text, 'UTF8');\n")
    os.chmod(path, 0o644)
    bench.server.run("psql", "-q", "-h", str(bench.server.data), "-U", "gainsay", "-d", database, "-v", "ON_ERROR_STOP=1", "-1", "-f", str(path))


def measure(bench, args, name, *where):
    serve = subprocess.Popen([args.gainsay, "serve", "--port", "0", *where], cwd=bench.folder, stdout=subprocess.PIPE, stderr=bench.log, text=True)
    link = serve.stdout.readline().strip()
    for attempt in range(3):
        browser = Browser()
        browser.ask("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
        # The first request only takes the token.
        browser.ask("Page.navigate", url=link)
        paint = browser.evaluate(FIRST_PAINT)
        whole = "new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', () => done()))"
        browser.evaluate(f"{whole}.then(() => 0)")
        loaded = browser.evaluate("performance.timing.loadEventStart - performance.timing.navigationStart")
        size = browser.evaluate("document.documentElement.outerHTML.length")
        cases = browser.evaluate("document.getElementById('live-cases').textContent")
        findings = browser.evaluate("document.querySelectorAll('article').length")
        print(f"{name}: first paint after {paint:.0f} ms, all after {loaded:.0f} ms; {findings} findings, {cases} cases, {size:,} characters; load {os.getloadavg()[0]:.1f}", flush=True)
        if attempt < 2:
            browser.close()
    backends = [int(pid) for pid in bench.server.sql("postgres", "select pid from pg_stat_activity where application_name = 'gainsay'").split()]
    browser.evaluate("window.updates = 0; source.addEventListener('message', () => window.updates++); 0")
    time.sleep(2)
    began, server, store = time.time(), cpu_seconds(serve.pid), sum(map(cpu_seconds, backends))
    time.sleep(args.seconds)
    took = time.time() - began
    used, stored = cpu_seconds(serve.pid) - server, sum(map(cpu_seconds, backends)) - store
    state = browser.evaluate("document.getElementById('live-state').textContent")
    updates = browser.evaluate("window.updates")
    print(f"{name}: {updates} updates in {took + 2:.0f} s ({state}): the server took {100 * used / took:.2f} % of a core, PostgreSQL {100 * stored / took:.2f} %", flush=True)
    browser.close()
    serve.kill()
    serve.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gainsay", default="gainsay")
    parser.add_argument("--fake-solver", default="fake-solver")
    parser.add_argument("--findings", type=int, default=1000)
    parser.add_argument("--cases", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=30)
    args = parser.parse_args()
    args.gainsay = str(Path(args.gainsay).resolve()) if "/" in args.gainsay else args.gainsay
    bench = workers.Bench(args)
    try:
        plan = bench.plan(300, [bench.solver("honest"), bench.solver("liar", *workers.LIES)])
        store = bench.server.database("page")
        bench.start("fuzz", plan, "--store", store, "--jobs", "2", "--plain").wait()
        enlarge(bench, "page", args.findings, args.cases)
        subprocess.run([args.gainsay, "merge", "joined", store], cwd=bench.folder, stdout=bench.log, stderr=bench.log, check=True)
        measure(bench, args, "store", "--store", store)
        measure(bench, args, "folder", "--campaign", "joined")
    finally:
        bench.server.remove()
    print("log:", bench.folder / "log")


if __name__ == "__main__":
    main()
