"""What `ci/bench act` measures: how long quorate takes for what people do by hand, and what an idle agent costs."""
import http.client
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import threading
import time

from act_ground import NAMES, PATIENCE, Ground

RELEASE = "3.5.16"
PAIRS = 15
MOST_TIMES_BARE = 1.3
MOST_TIMES_SCRIPT = 1.5
MOST_EDIT = 0.050  # seconds, an aim that is printed
SETTLED = 5.5  # seconds: etcd refuses additions until all members have been connected for five
IDLE = 60  # seconds
MOST_CPU, MOST_RSS_MIB, MOST_RPCS = 0.5, 30, 1  # percent of one core, and each second: aims that are printed
SCRIPT = pathlib.Path(__file__).with_name("replace_member.sh")


class Bench:
    def __init__(self, table, quorate, follow, programs):
        self.table, self.quorate, self.follow, self.programs = table, quorate, follow, programs

    def ground(self, extra=""):
        return Ground(self.quorate, self.programs, RELEASE, extra)

    def pairs(self, what, ours, theirs, most, names):
        """Both in turns, and who is first in turns too, so that a busy moment hits both alike."""
        times = ([], [])
        for number in range(PAIRS):
            for which in ((0, 1) if number % 2 == 0 else (1, 0)):
                times[which].append((ours, theirs)[which]())
        for name, each in zip(names, times):
            self.table.row(name, f"{statistics.median(each):.2f} s  ({min(each):.2f} - {max(each):.2f})")
        ratio = statistics.median(times[0]) / statistics.median(times[1])
        by_pair = statistics.median(a / b for a, b in zip(*times))
        self.table.row(what, f"{ratio:.2f}  (median of the pairs' own ratios {by_pair:.2f})", f"<= {most}", ratio <= most)

    # ------------------------------------------------------------------------------------- from nothing to healthy
    def form_by_up(self):
        with self.ground() as ground:
            begin = time.monotonic()
            ground.up()
            return ground.until_all_write() - begin

    def form_bare(self):
        with self.ground() as ground:
            ground.render()
            begin = time.monotonic()
            ground.bare()
            return ground.until_all_write() - begin

    def formation(self):
        self.pairs("quorate up / bare etcd", self.form_by_up, self.form_bare, MOST_TIMES_BARE,
                   ("quorate up --create, until all three take puts", "three bare etcd, the same flags"))

    # ------------------------------------------------------------------------------------------------ a wiped member
    def wipe(self, ground, heal):
        """From the moment of the wipe, which is one when etcd accepts additions, to a voter that takes puts."""
        time.sleep(max(0, ground.settled_at - time.monotonic()))
        name = ground.follower()
        others = [each for each in NAMES if each != name]
        begin = time.monotonic()
        ground.wipe(name)
        heal(name, others)
        end = ground.until_all_write([name])
        if ground.voters(others[0]) != set(NAMES):
            ground.give_up(f"{name} takes puts, and the voters are {ground.voters(others[0])}")
        ground.settled_at = ground.until_all_write() + SETTLED
        return end - begin

    def by_script(self, ground, name, others):
        script = subprocess.run(
            [SCRIPT, self.programs, ",".join(f"http://{ground.hosts[each]}:{ground.client}" for each in others), name,
             f"http://{ground.hosts[name]}:{ground.peer}", ground.config(name), ground.folder / "script.log"],
            stdout=subprocess.DEVNULL, timeout=PATIENCE)
        if script.returncode != 0:
            ground.give_up("the script failed")

    def replacement(self):
        with self.ground() as kept, self.ground() as bare:
            kept.up()
            bare.render()
            bare.bare()
            for ground in (kept, bare):
                ground.settled_at = ground.until_all_write() + SETTLED
            self.pairs("quorate / script", lambda: self.wipe(kept, lambda *_: None),
                       lambda: self.wipe(bare, lambda *who: self.by_script(bare, *who)), MOST_TIMES_SCRIPT,
                       ("a wiped member, until it takes puts again", "a script: remove, add, start, promote"))

    # ---------------------------------------------------------------------------------------------------- an edit
    def edit(self):
        """Paused, so that the plan is made and not carried out; the quota differs each time, and so does the plan."""
        until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
        paused = f"paused: {{until: \"{until}\", reason: bench}}\n"
        with self.ground() as ground:
            ground.up()
            ground.until_all_write()
            ground.write(paused)
            follow = subprocess.Popen([self.follow, ground.state / "agent.sock"], stdout=subprocess.PIPE, text=True)
            ground.children.append(follow)
            plans, came = {}, threading.Condition()

            def listen():
                for line in follow.stdout:
                    plan = json.loads(line).get("plan")
                    with came:
                        plans.setdefault(plan, time.monotonic())
                        came.notify_all()

            listener = threading.Thread(target=listen, daemon=True)
            listener.start()
            times = []
            for number in range(PAIRS + 1):
                time.sleep(1)
                with came:
                    known = set(plans)
                begin = time.monotonic()
                ground.write(paused, f", quota: {2048 + number}Mi")
                with came:
                    new = came.wait_for(lambda: set(plans) - known, timeout=PATIENCE)
                    if not new:
                        ground.give_up("no new plan for a new file")
                    times.append(min(plans[plan] for plan in new) - begin)
            follow.send_signal(signal.SIGTERM)
            listener.join()
        times = times[1:]  # the first has changed from no plan to one
        self.table.row("from an edit to the new plan", f"{statistics.median(times) * 1e3:.0f} ms  "
                       f"({min(times) * 1e3:.0f} - {max(times) * 1e3:.0f})", f"aim {MOST_EDIT * 1e3:.0f} ms")

    # ---------------------------------------------------------------------------------------------------- idle agents
    def idle(self):
        with self.ground("bootstrap: {ifNoCluster: new}\n") as ground:
            agents = {name: ground.spawn(self.quorate, "agent", "--member", name, "-f", ground.file, "--state-dir",
                                         ground.folder / f"node-{name}", "--agent", ground.folder / f"{name}.sock",
                                         "--stop-members", log=f"agent-{name}.log") for name in NAMES}
            ground.until_all_write()
            ground.extra = ""
            ground.write()
            time.sleep(10)
            before = self.spent(ground, agents)
            time.sleep(IDLE)
            after = self.spent(ground, agents)
            memory = [rss_mib(agent.pid) for agent in agents.values()]
        cpu = [(after[0][name] - before[0][name]) / IDLE * 100 for name in NAMES]
        rpcs = {kind: (after[1][kind] - before[1].get(kind, 0)) / IDLE / len(NAMES) for kind in after[1]}
        most = ", ".join(f"{kind} {rate:.2f}" for kind, rate in sorted(rpcs.items(), key=lambda each: -each[1])[:5] if rate)
        self.table.row("idle agent, CPU of one core", ", ".join(f"{each:.2f} %" for each in cpu), f"aim {MOST_CPU} %")
        self.table.row("idle agent, resident memory", ", ".join(f"{each:.1f} MiB" for each in memory),
                       f"aim {MOST_RSS_MIB} MiB")
        self.table.row("idle agent, calls to etcd each second", f"{sum(rpcs.values()):.2f}  ({most})", f"aim {MOST_RPCS}")

    def spent(self, ground, agents):
        calls = {}
        for name in NAMES:
            for kind, count in rpcs_of(ground, name).items():
                calls[kind] = calls.get(kind, 0) + count
        return {name: cpu_seconds(agent.pid) for name, agent in agents.items()}, calls

    def run(self, parts):
        load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
        self.table.row("load of this machine before", f"{load} on {os.cpu_count()} cores")
        for part in parts:
            part(self)
        load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
        self.table.row("load of this machine after", f"{load} on {os.cpu_count()} cores")


def cpu_seconds(pid):
    """Of the process and of those it has waited for: what it runs to look at its node counts too."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def rss_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def rpcs_of(ground, name):
    connection = http.client.HTTPConnection(ground.hosts[name], ground.client, timeout=10)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    finally:
        connection.close()
    counts = {}
    for line in text.splitlines():
        match = re.match(r'grpc_server_handled_total\{.*grpc_method="(\w+)".*\} (\S+)$', line)
        if match:
            counts[match[1]] = counts.get(match[1], 0) + float(match[2])
    return counts


def run(table, quorate, follow, deps, parts=(Bench.formation, Bench.replacement, Bench.edit, Bench.idle)):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: stopped"))  # so that nothing is left running
    Bench(table, quorate, follow, deps / f"etcd-{RELEASE}/usr/bin").run(parts)
