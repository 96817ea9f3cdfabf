"""Writes many different valid desired files, always the same ones: 3 to 80 lines, every block, every runtime."""
import random

TEAMS = ["infra", "platform", "storage", "payments", "search", "edge"]
ZONES = ["a", "b", "c"]


def pick(rng, probability):
    return rng.random() < probability


def addresses(rng, count):
    net = f"10.{rng.randrange(256)}.{rng.randrange(256)}"
    return [f"{net}.{host}" for host in rng.sample(range(1, 255), count)]


def members(rng, count):
    """In one line, or a line per member, or a block per member."""
    names = [f"{rng.choice(['etcd', 'node', 'm'])}-{letter}" for letter in "abcde"[:count]]
    pairs = list(zip(names, addresses(rng, count)))
    style = rng.choice(["flow", "lines", "lines", "blocks"])
    if style == "flow":
        return ["members: {" + ", ".join(f"{name}: {address}" for name, address in pairs) + "}"]
    lines = ["members:"]
    for index, (name, address) in enumerate(pairs):
        if style == "lines":
            lines.append(f"  {name}: {address}" + (f"   # rack {rng.randrange(40)}" if pick(rng, 0.3) else ""))
            continue
        lines += [f"  {name}:", f"    address: {address}", f"    zone: {ZONES[index % 3]}"]
        if pick(rng, 0.5):
            lines.append(f"    node: host-{index}.example.com")
        if pick(rng, 0.2):
            lines.append(f"    storage: {{dir: /srv/{name}/data}}")
    return lines


def etcd(rng, image):
    """With an image the version has all three numbers: a tag has to name one release."""
    lines = ["etcd:", f'  version: "{rng.choice(["3.4.23", "3.5.16", "3.5.21"] + ([] if image else ["3.5"]))}"']
    optional = ["  quota: " + rng.choice(["2Gi", "4Gi", "8Gi", "512Mi"]),
                f"  snapshotCount: {rng.choice([5000, 10000, 100000])}",
                "  logLevel: " + rng.choice(["info", "warn", "debug"]),
                "  metrics: " + rng.choice(["basic", "extensive"]),
                "  autoCompaction: {mode: periodic, retention: " + rng.choice(["30m", "1h", "12h"]) + "}"]
    lines += [line for line in optional if pick(rng, 0.5)]
    if pick(rng, 0.4):
        lines += ["  heartbeat: 200ms", "  election: " + rng.choice(["2s", "2500ms"])]
    if pick(rng, 0.4):
        lines += ["  flags:", f"    max-request-bytes: {rng.choice([1572864, 4194304])}"]
        if pick(rng, 0.5):
            lines += ["    cipher-suites:", "      - TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                      "      - TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"]
    return lines


def network(rng):
    lines = ["network:"]
    port = rng.randrange(2000, 60000)
    if pick(rng, 0.5):
        lines.append(f"  ports: {{client: {port}, peer: {port + 1}}}")
    else:
        lines += ["  ports:", f"    client: {port}", f"    peer: {port + 1}", f"    metrics: {port + 2}"]
    if pick(rng, 0.5):
        lines += ["  listen:", "    client: [node, loopback]", "    peer:", "      - node"]
    return lines


def tls(rng):
    mode = rng.choice(["mutual", "server", '"off"'])
    lines = ["tls:", f"  mode: {mode}"]
    if mode != '"off"':
        lines.append(f"  dir: /etc/pki/{rng.choice(TEAMS)}")
        if pick(rng, 0.5):
            lines += ["  peer:", "    cert: peer.crt", "    key: peer.key", "    ca: peer-ca.crt"]
    return lines


def process(rng):
    return ["runtime: {type: process}"]


def systemd(rng):
    return ["runtime:", "  type: systemd", "  unit: etcd.service", "  user: etcd"]


def static_pod(rng):
    return ["runtime:", "  type: static-pod", "  manifest: /etc/kubernetes/manifests/etcd.yaml",
            "  namespace: kube-system", "  hostNetwork: true", "  priorityClass: system-node-critical", "  podLabels:",
            "    tier: control-plane", "  resources:", "    requests: {cpu: 200m, memory: 512Mi}", "    limits:",
            "      memory: 2Gi"]


def of_kubernetes(rng):
    lines = [f"size: {rng.choice([1, 3, 5])}"] + etcd(rng, image=True)
    lines += ["runtime:", "  type: kubernetes", f"  namespace: {rng.choice(TEAMS)}", "  storageClass: fast",
              f"  storageSize: {rng.choice([8, 16, 32])}Gi", f"  service: {rng.choice(['headless', 'cluster-ip'])}"]
    if pick(rng, 0.5):
        return lines + ["tls:", '  mode: "off"']
    return lines + ["  tlsSecret: etcd-certificates"]


def desired_file(rng, number):
    lines = ["apiVersion: quorate/v1", f"name: cluster-{number}"]
    if pick(rng, 0.1):
        return lines + members(rng, 3)
    if pick(rng, 0.6):
        lines.append(f"description: {rng.choice(TEAMS)} etcd number {number}, see the runbook.")
    if pick(rng, 0.5):
        lines.append(f"owners: [{rng.choice(TEAMS)}@example.com]")
    if pick(rng, 0.5):
        lines += ["labels:"] + [f"  {key}: {rng.choice(TEAMS)}" for key in ("team", "cost-centre", "tier")]
    if pick(rng, 0.15):
        return lines + of_kubernetes(rng)
    if pick(rng, 0.3):
        lines += ["", "# " + "The members stand in three halls. " * rng.randrange(1, 4)]
    lines += members(rng, rng.choice([1, 3, 3, 3, 5]))
    runtime = rng.choice([process, systemd, static_pod])
    pods = runtime is static_pod
    blocks = [(etcd(rng, pods), 1.0 if pods else 0.6), (network(rng), 0.6), (tls(rng), 0.6),
              (runtime(rng), 1.0 if pods else 0.6), (["storage:", f"  dir: /var/lib/{rng.choice(TEAMS)}/etcd"], 0.3)]
    for block, probability in blocks:
        if pick(rng, probability):
            lines += ([""] if pick(rng, 0.5) else []) + block
    return lines


def write(folder, count):
    """Returns the names of the files; the first ones of a longer run are those of a shorter one."""
    rng = random.Random(7)
    names = []
    for number in range(count):
        lines = desired_file(rng, number)
        assert 3 <= len(lines) <= 80, lines
        names.append(f"{number:05d}.yaml")
        (folder / names[-1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return names
