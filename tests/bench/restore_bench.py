"""The two rows of `ci/bench backup` about coming back: a large backup to the first service, and to three voters, against what
a person does with etcdutl, bare etcd and a script that waits for nothing but etcd."""
import pathlib
import re
import shutil
import statistics
import subprocess
import time

from act_ground import NAMES, Ground

ROUNDS = 3
PATIENCE = 900  # seconds
MOST_TIMES = 1.3
BUMP = 1_000_000_000  # revisions that are skipped, as quorate does
SCRIPT = pathlib.Path(__file__).with_name("join_member.sh")


class Restores:
    def __init__(self, table, quorate, programs, release):
        self.table, self.quorate, self.programs, self.release = table, quorate, programs, release

    def ground(self, extra=""):
        ground = Ground(self.quorate, self.programs, self.release, extra)
        ground.write(etcd=", quota: 8Gi")
        return ground

    def wait(self, ground, names):
        """The moment when a put through each of them has succeeded."""
        end = time.monotonic() + PATIENCE
        for name in names:
            if not ground.until_it_writes(name, end):
                ground.give_up(f"{name} takes no puts")
        return time.monotonic()

    def by_quorate(self, store, _snapshot):
        """From nothing but the file and the store: a copy of it, because who comes back writes down there that it has."""
        fresh = store.with_name("fresh-store")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(store, fresh)
        wording = (f"backup: {{to: [\"file://{fresh}\"], every: 24h}}\nbootstrap: {{ifNoCluster: restore}}\n"
                   "recovery: {openWhen: first}\nprotect: {approve: [destructive]}\n")
        with self.ground(wording) as ground:
            begin = time.monotonic()
            ground.spawn(self.quorate, "up", "-f", ground.file, "--state-dir", ground.state, log="up.log")
            first = self.wait(ground, NAMES[:1]) - begin
            return first, self.wait(ground, NAMES) - begin

    def by_hand(self, _store, snapshot):
        with self.ground() as ground:
            ground.render()
            urls = {name: f"http://{ground.hosts[name]}:{ground.peer}" for name in NAMES}
            begin = time.monotonic()
            subprocess.run([self.programs / "etcdutl", "snapshot", "restore", snapshot, "--name", "a", "--data-dir",
                            ground.folder / "data/a", "--initial-cluster", f"a={urls['a']}",
                            "--initial-advertise-peer-urls", urls["a"], "--bump-revision", str(BUMP), "--mark-compacted"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            ground.spawn(self.programs / "etcd", "--config-file", ground.config("a"), log="a.log")
            first = self.wait(ground, ["a"]) - begin
            for number, name in enumerate(NAMES[1:], 2):
                self.join(ground, name, {each: urls[each] for each in NAMES[:number]})
            return first, self.wait(ground, NAMES) - begin

    def join(self, ground, name, urls):
        config = ground.config(name)
        members = ",".join(f"{each}={url}" for each, url in urls.items())
        config.write_text(re.sub(r"(?m)^initial-cluster: .*$", f"initial-cluster: {members}", config.read_text("utf-8")),
                          encoding="utf-8")
        done = subprocess.run([SCRIPT, self.programs, f"http://{ground.hosts['a']}:{ground.client}", name, urls[name], config,
                               ground.folder / "script.log"], stdout=subprocess.DEVNULL, timeout=PATIENCE)
        if done.returncode != 0:
            ground.give_up("the script failed")

    def run(self, store, snapshot):
        ours, theirs = [], []
        for number in range(ROUNDS):
            for which in ((ours, self.by_quorate), (theirs, self.by_hand))[::1 if number % 2 == 0 else -1]:
                which[0].append(which[1](store, snapshot))
        for at, what in enumerate(("to the first service", "to three voters")):
            times = [statistics.median(run[at] for run in runs) for runs in (ours, theirs)]
            self.table.row(f"restored {what}: quorate up", f"{times[0]:.2f} s")
            self.table.row(f"restored {what}: etcdutl, etcd and a script", f"{times[1]:.2f} s")
            ratio = times[0] / times[1]
            self.table.row(f"restored {what}: quorate / by hand", f"{ratio:.2f}", f"<= {MOST_TIMES}", ratio <= MOST_TIMES)
