"""What `ci/bench backup` measures: backups into a folder against `etcdctl snapshot save`, into a bucket of Swift against that and
an upload in parts with curl, and our gzip against gzip -1.

QUORATE_BENCH_BACKUP_MIB says how large the database is; 2048 unless it is set.
"""
import base64
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from live_cluster import free_ports
from restore_bench import Restores
from swift_place import BUCKET, Swift

RELEASE = "3.5.16"
ROUNDS = 3
PATIENCE = 120
LEAST_OF_ETCDCTL = 0.9  # of its speed
LEAST_OF_CURL = 0.9
PART_SIZE = 16 << 20
LEAST_OF_GZIP = 3.0
MOST_RSS_MIB = 96
MIB = 1 << 20


def text_like_kubernetes(size, seed):
    """Objects as an API server keeps them: the same words over and over, with names and hashes of their own."""
    dice = random.Random(seed)
    pieces, length = [], 0
    while length < size:
        piece = json.dumps({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": f"web-{dice.getrandbits(40):x}", "namespace": f"team-{dice.randrange(40)}",
                         "uid": f"{dice.getrandbits(128):032x}", "resourceVersion": str(dice.randrange(10 ** 9)),
                         "labels": {"app": "web", "pod-template-hash": f"{dice.getrandbits(40):x}"}},
            "spec": {"containers": [{"name": "web", "image": f"registry.example/web@sha256:{dice.getrandbits(256):064x}",
                                     "ports": [{"containerPort": 8080, "protocol": "TCP"}]}],
                     "nodeName": f"node-{dice.randrange(400)}", "serviceAccountName": "default"},
            "status": {"phase": "Running", "podIP": f"10.{dice.randrange(256)}.{dice.randrange(256)}.7"}}).encode()
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces)[:size]


class OneMember:
    """A single etcd on loopback with so many MiB in it."""

    def __init__(self, programs, folder, mib):
        self.programs, self.mib = programs, mib
        client, peer = free_ports(2)
        self.endpoint, self.port = f"http://127.0.0.1:{client}", client
        self.log = open(folder / "etcd.log", "wb")
        self.process = subprocess.Popen(
            [programs / "etcd", "--name", "bench", "--data-dir", folder / "data", "--listen-client-urls", self.endpoint,
             "--advertise-client-urls", self.endpoint, "--listen-peer-urls", f"http://127.0.0.1:{peer}",
             "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}", "--initial-cluster",
             f"bench=http://127.0.0.1:{peer}", "--quota-backend-bytes", str(8 << 30), "--unsafe-no-fsync"],
            stdout=self.log, stderr=self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def post(self, connection, path, body):
        connection.request("POST", path, json.dumps(body))
        response = connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {text[:200]}")
        return json.loads(text)

    def fill(self):
        """Values of 256 KiB, each from another place of a text that is longer than any window of gzip."""
        deadline = time.monotonic() + PATIENCE
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        while True:
            try:
                self.post(connection, "/v3/maintenance/status", {})
                break
            except (OSError, RuntimeError):
                connection.close()
                if time.monotonic() > deadline or self.process.poll() is not None:
                    sys.exit("bench: etcd does not start")
                time.sleep(0.05)
        text, size = text_like_kubernetes(16 * MIB, 7), MIB // 4
        for number in range(self.mib * 4):
            begin = (number * 1_234_577) % (len(text) - size)
            self.post(connection, "/v3/kv/put", {"key": base64.b64encode(f"key-{number:06}".encode()).decode(),
                                                 "value": base64.b64encode(text[begin:begin + size]).decode()})
        status = self.post(connection, "/v3/maintenance/status", {})
        connection.close()
        return int(status["dbSize"])


class Bench:
    def __init__(self, table, quorate, build, programs):
        self.table, self.quorate, self.programs = table, quorate, programs
        self.interleave, self.pack = build / "tests/bench/quorate_interleave", build / "tests/bench/quorate_pack"

    def once(self, *command):
        """Seconds, seconds of CPU, and peak of memory in MiB."""
        done = subprocess.run([self.interleave, "1", *map(str, command)], capture_output=True, text=True)
        result = json.loads(done.stdout)[0] if done.returncode == 0 else {"exit_code": done.returncode}
        if result["exit_code"] != 0:
            sys.exit(f"bench: exit code {result['exit_code']} of {' '.join(map(str, command))}\n{done.stderr[-2000:]}")
        return result["seconds"][0], result["cpu_seconds"][0], result["max_rss_kib"] / 1024

    def backup(self, endpoint, folder, how):
        store = folder / "store"
        store.mkdir()
        try:
            return self.once(self.quorate, "backup", "create", "--endpoints", endpoint, "--store", f"file://{store}",
                             "--compress", how, "--always", "-q")
        finally:
            shutil.rmtree(store)

    def backup_to_s3(self, endpoint, swift):
        os.environ.update(swift.variables())
        return self.once(self.quorate, "backup", "create", "--endpoints", endpoint, "--store", f"s3://{BUCKET}/ours",
                         "--compress", "none", "--always", "-q")

    def save_to_s3(self, endpoint, swift, folder):
        script = pathlib.Path(__file__).with_name("swift_place.py")
        return self.once(sys.executable, script, self.programs / "etcdctl", endpoint, swift.endpoint, "theirs.db",
                         folder, PART_SIZE)

    def save(self, endpoint, folder):
        snapshot = folder / "snapshot.db"
        snapshot.unlink(missing_ok=True)
        os.environ["ETCDCTL_API"] = "3"
        return self.once(self.programs / "etcdctl", "--endpoints", endpoint, "snapshot", "save", snapshot)

    def speed(self, what, runs, size):
        times = [run[0] for run in runs]
        middle = statistics.median(times)
        gib = size / (1 << 30)
        cpu = statistics.median(run[1] for run in runs) / gib
        self.table.row(what, f"{middle:.2f} s  ({min(times):.2f} - {max(times):.2f}), {size / MIB / middle:.0f} MiB/s, "
                       f"CPU {cpu:.2f} s/GiB, peak {max(run[2] for run in runs):.0f} MiB")
        return middle

    def run(self, folder, mib):
        with OneMember(self.programs, folder, mib) as member:
            size = member.fill()
            self.table.row("database", f"{size / MIB:.0f} MiB")
            runs = {"save": [], "none": [], "gzip": [], "zstd": []}
            for number in range(ROUNDS):
                for what in list(runs) if number % 2 == 0 else reversed(list(runs)):
                    runs[what].append(self.save(member.endpoint, folder) if what == "save"
                                      else self.backup(member.endpoint, folder, what))
            bucket = self.bucket(member, folder)
            store = folder / "to-restore"
            store.mkdir()
            self.once(self.quorate, "backup", "create", "--endpoints", member.endpoint, "--store", f"file://{store}", "-q")
        theirs = self.speed("etcdctl snapshot save", runs["save"], size)
        ours = self.speed("quorate backup create, not compressed, hashed", runs["none"], size)
        self.table.row("speed of quorate / etcdctl", f"{theirs / ours:.2f}", f">= {LEAST_OF_ETCDCTL}",
                       theirs / ours >= LEAST_OF_ETCDCTL)
        for how in ("gzip", "zstd"):
            self.speed(f"quorate backup create, {how}", runs[how], size)
        theirs = self.speed("etcdctl snapshot save, then curl in parts", bucket["theirs"], size)
        ours = self.speed("quorate backup create to S3, not compressed, hashed", bucket["ours"], size)
        self.table.row("speed of quorate / etcdctl and curl", f"{theirs / ours:.2f}", f">= {LEAST_OF_CURL}",
                       theirs / ours >= LEAST_OF_CURL)
        peak = max(run[2] for each in (runs["none"], runs["gzip"], runs["zstd"], bucket["ours"]) for run in each)
        self.table.row("peak of memory, whatever the packing", f"{peak:.0f} MiB", f"< {MOST_RSS_MIB} MiB",
                       peak < MOST_RSS_MIB)
        self.gzip(folder / "snapshot.db")
        Restores(self.table, self.quorate, self.programs, RELEASE).run(store, folder / "snapshot.db")

    def bucket(self, member, folder):
        """Into Swift, in turns, and into a new one for each round: a disk holds only so many."""
        runs = {"theirs": [], "ours": []}
        for number in range(ROUNDS):
            with Swift(folder / "swift") as swift:
                for what in list(runs) if number % 2 == 0 else reversed(list(runs)):
                    runs[what].append(self.backup_to_s3(member.endpoint, swift) if what == "ours"
                                      else self.save_to_s3(member.endpoint, swift, folder))
            shutil.rmtree(folder / "swift")
        return runs

    def gzip(self, snapshot):
        """The packing alone, from the cache and into nothing, in turns."""
        ours, theirs = [], []
        for _ in range(ROUNDS):
            theirs.append(self.once("gzip", "-1", "-c", snapshot))
            ours.append(self.once(self.pack, "gzip", snapshot))
        size = snapshot.stat().st_size
        ratio = self.speed("gzip -1", theirs, size) / self.speed(f"our gzip, {os.cpu_count()} cores", ours, size)
        self.table.row("throughput of our gzip / gzip -1", f"{ratio:.2f}", f">= {LEAST_OF_GZIP}", ratio >= LEAST_OF_GZIP)


def run(table, quorate, build, deps):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: stopped"))  # so that nothing is left running
    mib = int(os.environ.get("QUORATE_BENCH_BACKUP_MIB", "2048"))
    with tempfile.TemporaryDirectory(prefix="quorate-bench.") as folder:
        Bench(table, quorate, build, deps / f"etcd-{RELEASE}/usr/bin").run(pathlib.Path(folder), mib)
