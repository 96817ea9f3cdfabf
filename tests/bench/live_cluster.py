"""A cluster of three etcd on loopback, started from what `quorate render` writes, for as long as a `with` lasts."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time


def free_ports(count):
    """Ports that nobody has on any address, found free together."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class LiveCluster:
    """`file` is the desired file, `state` its state directory, `endpoints` the client URLs."""

    def __init__(self, quorate, programs, release):
        self.quorate, self.programs, self.release = quorate, programs, release
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="quorate-live."))
        self.file, self.state = self.folder / "quorate.yaml", self.folder / "state"
        self.running = []
        client, peer = free_ports(2)
        subnet = 1 + os.getpid() % 200
        hosts = [f"127.{subnet}.7.{number}" for number in (1, 2, 3)]
        self.endpoints = [f"http://{host}:{client}" for host in hosts]
        members = "".join(f"  {name}: {host}\n" for name, host in zip("abc", hosts))
        self.file.write_text(
            f"apiVersion: quorate/v1\nname: lab\nmembers:\n{members}"
            f"network: {{ports: {{client: {client}, peer: {peer}}}}}\n"
            f"storage: {{dir: {self.folder / 'data'}}}\netcd: {{version: \"{release}\"}}\ntls: {{mode: \"off\"}}\n",
            encoding="utf-8")

    def __enter__(self):
        try:
            self.start()
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.running:
            process.kill()
        for process in self.running:
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        rendered = self.folder / "rendered"
        subprocess.run([self.quorate, "render", "-f", self.file, "--dir", rendered, "--boot", "new", "--token", "bench",
                        "--state-dir", self.state], check=True, stdout=subprocess.DEVNULL)
        for name in "abc":
            [config] = rendered.rglob(f"{name}/etcd.yaml")
            where = self.state / "lab" / name / "etcd.yaml"
            where.parent.mkdir(parents=True)
            shutil.copy2(config, where)
            (self.folder / "data").mkdir(exist_ok=True)
            with (self.folder / f"{name}.log").open("wb") as log:
                self.running.append(subprocess.Popen([self.programs / "etcd", "--config-file", where], stdout=log,
                                                     stderr=log, stdin=subprocess.DEVNULL))

    def etcdctl(self, *words):
        return ["env", "ETCDCTL_API=3", str(self.programs / "etcdctl"), "--endpoints", ",".join(self.endpoints), *words]

    def wait(self, patience=60):
        """Until every member answers a read."""
        end = time.monotonic() + patience
        while subprocess.run(self.etcdctl("endpoint", "health"), capture_output=True).returncode != 0:
            ended = [process.args for process in self.running if process.poll() is not None]
            if ended or time.monotonic() > end:
                log = (self.folder / "a.log").read_text(encoding="utf-8", errors="replace")[-1500:]
                raise SystemExit(f"bench: the cluster does not come up: {log}")
            time.sleep(0.1)
