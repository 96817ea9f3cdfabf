"""Swift with its S3 API on loopback, for benchmarks, and an upload to it in parts with nothing but curl."""
import datetime
import hashlib
import hmac
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.parse

from live_cluster import free_ports

ACCESS, SECRET, REGION, BUCKET = "test:tester", "testing", "us-east-1", "bench"
PATIENCE = 60
PIPELINE = ("catch_errors gatekeeper healthcheck proxy-logging cache listing_formats s3api tempauth bulk copy slo dlo "
            "versioned_writes symlink proxy-logging proxy-server")
FILTERS = {"catch_errors": "catch_errors", "gatekeeper": "gatekeeper", "healthcheck": "healthcheck",
           "proxy-logging": "proxy_logging", "listing_formats": "listing_formats", "bulk": "bulk", "copy": "copy", "slo": "slo",
           "dlo": "dlo", "versioned_writes": "versioned_writes", "symlink": "symlink"}


class Swift:
    """One device, one process for each kind of server."""

    def __init__(self, folder):
        self.folder, self.processes = pathlib.Path(folder), []
        (self.folder / "devices/d1").mkdir(parents=True)
        cache, account, container, store, self.port = free_ports(5)
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.start("memcached", "-u", "root", "-l", "127.0.0.1", "-p", str(cache), "-U", "0")
        for kind, port in (("account", account), ("container", container), ("object", store)):
            builder = self.folder / f"{kind}.builder"
            for words in (["create", "4", "1", "0"], ["add", f"r1z1-127.0.0.1:{port}/d1", "1"], ["rebalance"]):
                subprocess.run(["swift-ring-builder", builder, *words], stdout=subprocess.DEVNULL, check=False)
            self.serve(kind, port, f"[pipeline:main]\npipeline = {kind}-server\n[app:{kind}-server]\nuse = egg:swift#{kind}\n")
        filters = "".join(f"[filter:{name}]\nuse = egg:swift#{egg}\n" for name, egg in FILTERS.items())
        self.serve("proxy", self.port, f"[pipeline:main]\npipeline = {PIPELINE}\n[app:proxy-server]\nuse = egg:swift#proxy\n"
                   "account_autocreate = true\n[filter:tempauth]\nuse = egg:swift#tempauth\nuser_test_tester = testing .admin\n"
                   f"[filter:s3api]\nuse = egg:swift#s3api\nlocation = {REGION}\ns3_acl = false\n"
                   f"[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:{cache}\n" + filters)
        deadline = time.monotonic() + PATIENCE
        for port in (cache, account, container, store, self.port):
            while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
                if time.monotonic() > deadline:
                    sys.exit("bench: Swift does not start")
                time.sleep(0.05)

    def start(self, *command):
        self.processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def serve(self, kind, port, more):
        path = self.folder / f"{kind}.conf"
        path.write_text(f"[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = {port}\nworkers = 0\nuser = root\nlog_address = /dev/null\n"
                        f"mount_check = false\nfallocate_reserve = 0\ndevices = {self.folder}/devices\nswift_dir = {self.folder}\n"
                        + more)
        self.start(f"/usr/bin/swift-{kind}-server", str(path))

    def __enter__(self):
        curl("PUT", signed(self.endpoint, "PUT", f"/{BUCKET}", {}))
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()

    def variables(self):
        return {"AWS_ENDPOINT_URL_S3": self.endpoint, "AWS_REGION": REGION, "AWS_ACCESS_KEY_ID": ACCESS,
                "AWS_SECRET_ACCESS_KEY": SECRET}


def signed(endpoint, method, path, query):
    """A URL that says by itself who asks, so that curl needs no keys."""
    now = datetime.datetime.now(datetime.timezone.utc)
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    scope = f"{day}/{REGION}/s3/aws4_request"
    query = {**query, "X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": f"{ACCESS}/{scope}", "X-Amz-Date": stamp,
             "X-Amz-Expires": "3600", "X-Amz-SignedHeaders": "host"}
    quoted = "&".join(f"{urllib.parse.quote(key, safe='')}={urllib.parse.quote(value, safe='')}"
                      for key, value in sorted(query.items()))
    host = endpoint.split("//")[1]
    asked = f"{method}\n{path}\n{quoted}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD"
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(asked.encode()).hexdigest()}"
    key = ("AWS4" + SECRET).encode()
    for part in (day, REGION, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return f"{endpoint}{path}?{quoted}&X-Amz-Signature={hmac.new(key, text.encode(), hashlib.sha256).hexdigest()}"


def curl(method, url, body=b""):
    """Headers and body of the answer."""
    done = subprocess.run(["curl", "-sS", "-i", "--fail", "-X", method, "-H", "Content-Type: application/octet-stream", "-H",
                           "Expect:", "--data-binary", "@-", url], input=body, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"curl: {done.returncode} {done.stderr.decode()} {done.stdout[-500:].decode(errors='replace')}")
    return done.stdout.decode()


def upload(endpoint, key, path, part_size):
    """What a script of an operator does: one part after the other."""
    name = f"/{BUCKET}/{key}"
    begun = re.search(r"<UploadId>([^<]+)", curl("POST", signed(endpoint, "POST", name, {"uploads": ""})))[1]
    parts = []
    with open(path, "rb") as file:
        while piece := file.read(part_size):
            query = {"partNumber": str(len(parts) + 1), "uploadId": begun}
            answer = curl("PUT", signed(endpoint, "PUT", name, query), piece)
            parts.append(re.search(r"(?im)^etag: (\S+)", answer)[1].strip('"'))
    listed = "".join(f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>"
                     for number, etag in enumerate(parts, 1))
    body = f"<CompleteMultipartUpload>{listed}</CompleteMultipartUpload>".encode()
    curl("POST", signed(endpoint, "POST", name, {"uploadId": begun}), body)


def main():
    """swift_place.py ETCDCTL ETCD S3 KEY FOLDER PART_SIZE: a snapshot to a file, and the file into the bucket."""
    etcdctl, etcd, s3, key, folder, part_size = sys.argv[1:]
    snapshot = pathlib.Path(folder) / "uploaded.db"
    snapshot.unlink(missing_ok=True)
    subprocess.run([etcdctl, "--endpoints", etcd, "snapshot", "save", snapshot], check=True, capture_output=True,
                   env={"ETCDCTL_API": "3", "PATH": "/usr/bin:/bin"})
    upload(s3, key, snapshot, int(part_size))


if __name__ == "__main__":
    main()
