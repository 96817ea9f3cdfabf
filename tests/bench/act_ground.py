"""A file for three members on loopback, a folder of their own, and the processes that keep them, for `ci/bench act`."""
import base64
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import live_cluster

NAMES = ["a", "b", "c"]
PATIENCE = 60  # seconds
PACE = 0.01


class Ground:
    """Folder, addresses and desired file of one cluster; on leaving a `with`, nothing of it is left."""

    count = 0

    def __init__(self, quorate, programs, release, extra=""):
        Ground.count += 1
        self.quorate, self.programs, self.extra = quorate, programs, extra
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="quorate-act."))
        self.file, self.state = self.folder / "quorate.yaml", self.folder / "state"
        self.client, self.peer, self.agent = live_cluster.free_ports(3)
        subnet, place = 1 + os.getpid() % 200, Ground.count % 250
        self.hosts = {name: f"127.{subnet}.{place}.{number}" for number, name in enumerate(NAMES, 1)}
        self.release = release
        self.children = []
        self.settled_at = 0.0
        self.write()

    def text(self, extra=""):
        members = ", ".join(f"{name}: {host}" for name, host in self.hosts.items())
        return (f"apiVersion: quorate/v1\nname: lab\nmembers: {{{members}}}\n"
                f"network: {{ports: {{client: {self.client}, peer: {self.peer}, agent: {self.agent}}}}}\n"
                f"storage: {{dir: {self.folder / 'data'}}}\nruntime: {{type: process}}\ntls: {{mode: \"off\"}}\n"
                f"reconcile: {{maxHealsPerDay: 1000}}\n{self.extra}{extra}")

    def write(self, extra="", etcd=""):
        """As editors do it: a new file takes the old one's name."""
        etcd = f"etcd: {{version: \"{self.release}\", binary: {self.programs / 'etcd'}{etcd}}}\n"
        new = self.file.with_suffix(".new")
        new.write_text(self.text(etcd + extra), encoding="utf-8")
        new.rename(self.file)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for child in self.children:  # those that start others again go first
            child.kill()
        for child in self.children:
            child.wait()
        for name in NAMES:
            self.kill(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def spawn(self, *command, log):
        with (self.folder / log).open("ab") as out:
            self.children.append(subprocess.Popen([str(word) for word in command], stdout=out, stderr=out,
                                                  stdin=subprocess.DEVNULL))
        return self.children[-1]

    def up(self):
        return self.spawn(self.quorate, "up", "--create", "-f", self.file, "--state-dir", self.state, log="up.log")

    def config(self, name):
        return self.state / "lab" / name / "etcd.yaml"

    def render(self):
        rendered = self.folder / "rendered"
        subprocess.run([self.quorate, "render", "-f", self.file, "--dir", rendered, "--boot", "new", "--token", "bench",
                        "--state-dir", self.state], check=True, stdout=subprocess.DEVNULL)
        for name in NAMES:
            self.config(name).parent.mkdir(parents=True)
            [config] = rendered.rglob(f"{name}/etcd.yaml")
            shutil.copy2(config, self.config(name))
        (self.folder / "data").mkdir()

    def bare(self):
        for name in NAMES:
            self.spawn(self.programs / "etcd", "--config-file", self.config(name), log=f"{name}.log")

    def process_of(self, name):
        """Its etcd, by the configuration file that only it has."""
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                dead = (folder / "stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()[0] in "ZX"
            except OSError:
                continue
            if not dead and os.fsencode(self.config(name)) in words and words[0].endswith(b"etcd"):
                return int(folder.name)
        return None

    def kill(self, name):
        """And waits until it is gone."""
        pid = self.process_of(name)
        if pid is None:
            return
        os.kill(pid, signal.SIGKILL)
        while self.process_of(name) == pid:
            time.sleep(0.001)

    def wipe(self, name):
        self.kill(name)
        shutil.rmtree(self.folder / "data" / name, ignore_errors=True)

    def ask(self, name, path, body, timeout=10):
        """The answer of a member over HTTP; nothing when there is none, or a refusal."""
        connection = http.client.HTTPConnection(self.hosts[name], self.client, timeout=timeout)
        try:
            connection.request("POST", path, json.dumps(body))
            answer = connection.getresponse()
            text = answer.read()
            return json.loads(text) if answer.status == 200 else None
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()

    def put(self, name):
        key = base64.b64encode(b"bench").decode()
        return self.ask(name, "/v3/kv/put", {"key": key, "value": key}) is not None

    def until_it_writes(self, name, end):
        """A learner refuses, and so does whoever has no leader."""
        while not self.put(name):
            if time.monotonic() > end:
                return False
            time.sleep(PACE)
        return True

    def until_all_write(self, names=None):
        """The moment when a put through each member has succeeded."""
        end, done = time.monotonic() + PATIENCE, {}
        threads = [threading.Thread(target=lambda each=name: done.update({each: self.until_it_writes(each, end)}))
                   for name in names or NAMES]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not all(done.values()):
            self.give_up(f"{[name for name, good in done.items() if not good]} take no puts")
        return time.monotonic()

    def voters(self, name):
        listed = self.ask(name, "/v3/cluster/member/list", {}) or {}
        return {each.get("name") for each in listed.get("members", []) if not each.get("isLearner")}

    def follower(self):
        """The last by name that does not lead."""
        for name in reversed(NAMES):
            status = self.ask(name, "/v3/maintenance/status", {})
            if status and status.get("leader") != status["header"]["member_id"]:
                return name
        return self.give_up("no member follows")

    def give_up(self, why):
        logs = "".join(f"--- {log.name}\n{log.read_text(encoding='utf-8', errors='replace')[-2500:]}\n"
                       for log in sorted(self.folder.glob("*.log")))
        raise SystemExit(f"bench: {why}\n{logs}")
