// Every rule in one table: what it says, why it is a rule, how it looks when broken and when kept, what to do.
#include "reconciler/model/codes.h"

#include <algorithm>
#include <deque>
#include <string>

#include "reconciler/base/check.h"
#include "reconciler/model/codes_of_text.h"

namespace quorate::model {
namespace {

constexpr Rule kRules[] = {
    {Code::E100, "E100", "a required key is missing",
     "A key that must be there is not, or there is neither `members` nor `size`.",
     "Names and addresses become part of the cluster's identity. One that was guessed could never be taken back.",
     "apiVersion: quorate/v1\nname: prod", "apiVersion: quorate/v1\nname: prod\nmembers: {etcd-a: 10.0.0.11}",
     "Add the key; `quorate explain` shows what it takes."},
    {Code::E101, "E101", "the wrong type",
     "A value is of another type than its field, for example a number where text belongs.",
     "YAML reads an unquoted 3.10 as the number 3.1, so a version without quotes would ask for a release that nobody "
     "meant, and every node would fetch it.",
     "etcd: {version: 3.5}", "etcd: {version: \"3.5\"}",
     "Quote text that looks like a number; otherwise use the type that is expected."},
    {Code::E102, "E102", "an unknown key", "No field has this name at this place.",
     "A key that nobody reads looks like a setting in force. With `quotta` etcd keeps its default of 2 GiB and, once "
     "the database reaches it, refuses every write.",
     "etcd: {quotta: 8Gi}", "etcd: {quota: 8Gi}",
     "Take the suggested key, move it to the block it belongs to, or let it begin with `x-` if it is a note of yours."},
    {Code::E103, "E103", "two members share an address",
     "Two members have one address, or two of their URLs have one host and port.",
     "etcd derives a member's ID from its peer URLs, and only one process can listen there. The second voter never "
     "answers, so the cluster survives one failure less than it seems to.",
     "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.12}",
     "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}",
     "Give each member its own address; on one machine, give each its own `peerURLs` and `clientURLs`."},
    {Code::E104, "E104", "a duration or size without a unit",
     "A duration or size is a bare number, or is not written as a number and a unit.",
     "etcd itself counts heartbeats in milliseconds, retention in hours and the quota in bytes. A bare number is read "
     "a thousand times too long or too small, and a quota of 8 bytes stops all writes.",
     "etcd: {heartbeat: 100, quota: 8}", "etcd: {heartbeat: 100ms, quota: 8Gi}",
     "Durations end in `ms`, `s`, `m`, `h`, `d` or `w`; sizes in `B`, `Ki`, `Mi`, `Gi`, `Ti`, `K`, `M`, `G` or `T`."},
    {Code::E105, "E105", "not one of the allowed values",
     "The field takes one of a few words, and this is none of them.",
     "A word that is not known cannot be carried out, and the nearest guess could be the wrong way round: `ephemeral` "
     "data are expected to be lost, `disk` data are not.",
     "storage: {kind: ssd}", "storage: {kind: disk}", "Take one of the words that the message lists."},
    {Code::E106, "E106", "a malformed value",
     "The text has the right type but not the form its field needs: a name that is no DNS name, an empty text, a space "
     "at its end.",
     "Names become host names, units, directories, objects in Kubernetes and parts of etcd's `initial-cluster`, where "
     "a comma or `=` begins another member.",
     "name: Prod_1\nmembers: {\"etcd,a\": 10.0.0.11}", "name: prod-1\nmembers: {etcd-a: 10.0.0.11}",
     "Use lower-case letters, digits and `-`, at most 63 characters a label; other fields show their form in the "
     "message."},
    {Code::E107, "E107", "a number out of range", "A number or a count is smaller or larger than its field allows.",
     "etcd ends at start on a port that does not exist. More than nine voters make every write wait for more "
     "acknowledgements and add hardly any safety.",
     "network: {ports: {client: 70000}}", "network: {ports: {client: 2379}}", "Stay within the range in the message."},
    {Code::E110, "E110", "both members and size",
     "The file says both who the members are and how many there should be.",
     "The two can differ, and then one of them is wrong: a file with five members and `size: 3` would remove two "
     "voters "
     "or add none.",
     "size: 3\nmembers: {etcd-a: 10.0.0.11}\nruntime: {type: kubernetes}\netcd: {version: \"3.5.21\"}",
     "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}",
     "Keep `size` with runtime kubernetes, `members` with any other."},
    {Code::E111, "E111", "size needs runtime kubernetes", "`size` stands in a file whose runtime is not kubernetes.",
     "Only Kubernetes brings machines of its own. Elsewhere nobody knows at which addresses three members should run.",
     "size: 3\nruntime: {type: systemd}", "size: 3\nruntime: {type: kubernetes}\netcd: {version: \"3.5.21\"}",
     "List the `members` with their addresses, or use runtime kubernetes."},
    {Code::E112, "E112", "a URL does not match tls.mode",
     "A URL begins with `http` although TLS is on, or with `https` although it is off.",
     "etcd ignores its certificates on an http URL and serves in the clear; on an https URL without certificates it "
     "does not start. Members of both kinds cannot talk to each other.",
     "tls: {mode: mutual}\nmembers:\n  etcd-a: {address: 10.0.0.11, peerURLs: [\"http://10.0.0.11:2380\"]}",
     "tls: {mode: mutual}\nmembers:\n  etcd-a: {address: 10.0.0.11, peerURLs: [\"https://10.0.0.11:2380\"]}",
     "Change the scheme, or `tls.mode`; a change of both on a running cluster needs ports of its own."},
    {Code::E113, "E113", "two listeners share a port", "Two listeners on one node ask for one port.",
     "The second one gets \"bind: address already in use\" and etcd ends. A listener on `any` takes its port on every "
     "address of the node.",
     "network: {ports: {client: 2379, peer: 2379}}", "network: {ports: {client: 2379, peer: 2380}}",
     "Give each listener a port of its own, or members on one node addresses of their own."},
    {Code::E114, "E114", "TLS files are incomplete", "A certificate, its key or the CA is missing while TLS is on.",
     "etcd ends at start with \"KeyFile and CertFile must both be present\"; without a CA it cannot tell members and "
     "clients from strangers.",
     "tls: {peer: {cert: peer.crt}}", "tls: {peer: {cert: peer.crt, key: peer.key, ca: ca.crt}}",
     "Name `cert`, `key` and `ca` together; relative names start in `tls.dir`."},
    {Code::E115, "E115", "image and version disagree",
     "The image's tag is another release than `etcd.version`, or an image stands without a version.",
     "The version decides which options are written and in which order members may be replaced. An image that runs "
     "something else refuses those options, or upgrades the cluster by accident, which cannot be undone.",
     "etcd: {version: \"3.5.21\", image: \"registry.example.com/etcd:v3.6.1\"}\nruntime: {type: static-pod}",
     "etcd: {version: \"3.5.21\", image: \"registry.example.com/etcd:v3.5.21\"}\nruntime: {type: static-pod}",
     "Let both say the same, or leave the tag out of the image: `v` and the version are then added."},
    {Code::E116, "E116", "two members share a directory",
     "Two members on one node would share a data directory, a unit or a manifest.",
     "etcd locks its database: the second process waits for the lock, looks alive and never answers. With one unit or "
     "manifest for both, writing the second stops the first.",
     "network: {listen: {client: [node]}}\nmembers:\n  etcd-a: {address: 10.0.0.11, node: n1, storage: {dir: /data}}\n"
     "  etcd-b: {address: 10.0.0.12, node: n1, storage: {dir: /data}}\n  etcd-c: 10.0.0.13",
     "network: {listen: {client: [node]}}\nmembers:\n  etcd-a: {address: 10.0.0.11, node: n1, storage: {dir: "
     "/data/a}}\n"
     "  etcd-b: {address: 10.0.0.12, node: n1, storage: {dir: /data/b}}\n  etcd-c: 10.0.0.13",
     "Give each its own, or put them on nodes of their own, which also survives more."},
    {Code::E117, "E117", "some members on loopback, others not",
     "Some members have a loopback address and others do not.",
     "A member on another machine that dials 127.0.0.1 reaches itself. etcd then rejects the connection, and the voter "
     "on loopback never counts for the others.",
     "members: {etcd-a: 127.0.0.1, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}",
     "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}",
     "Use addresses that every member can reach; all on loopback is fine for a try on one machine."},
    {Code::E118, "E118", "a path must be absolute",
     "The path is relative where somebody else starts etcd, or the data directory is `/`.",
     "systemd and the kubelet start etcd in directories of their own, so a relative path names an empty place and the "
     "member comes up without its data. And old data are set aside by renaming their directory, which `/` cannot be.",
     "runtime: {type: systemd}\nstorage: {dir: data}", "runtime: {type: systemd}\nstorage: {dir: /var/lib/etcd}",
     "Write the path from `/` on; relative paths are for runtime process."},
    {Code::E119, "E119", "etcd listens on IP addresses only",
     "A member with a DNS name as its address should listen on `node`.",
     "etcd does not resolve names before it listens; it ends with \"expected IP in URL for binding\".",
     "members: {etcd-a: etcd-a.example.com}\nnetwork: {listen: {client: [node], peer: [node]}}",
     "members: {etcd-a: etcd-a.example.com}\nnetwork: {listen: {client: [any], peer: [any]}}",
     "Listen on `any` or on an IP address; the name stays in the advertised URLs."},
    {Code::E120, "E120", "a secret is written in the file",
     "A value looks like a key, a password or a token. It is masked in every message.",
     "The file lives in git and is read on every node. A secret in it is known to everybody who ever cloned the "
     "repository, also after it was deleted.",
     "tls: {cert: etcd.crt, key: \"-----BEGIN EC PRIVATE KEY-----...\", ca: ca.crt}",
     "tls: {cert: etcd.crt, key: etcd.key, ca: ca.crt}",
     "Write where the secret is, not what it is, and replace the secret: it is in the history already."},
    {Code::E121, "E121", "a field has no effect here",
     "The field belongs to another runtime or mode than the one chosen.",
     "A setting that is ignored looks like one that is in force: somebody relies on the unit, the mount or the limit "
     "that never comes.",
     "runtime: {type: process, unit: etcd.service}", "runtime: {type: systemd, unit: etcd.service}",
     "Remove the field, or choose the runtime or mode that it belongs to."},
    {Code::E122, "E122", "a malformed URL", "A URL is not of the form scheme://host:port.",
     "etcd refuses URLs without a port or with a path when it starts, and a URL that was wrong in the member list is "
     "what the other members keep dialling.",
     "members:\n  etcd-a: {address: 10.0.0.11, peerURLs: [\"10.0.0.11:2380\"]}",
     "members:\n  etcd-a: {address: 10.0.0.11, peerURLs: [\"https://10.0.0.11:2380\"]}",
     "Write scheme, host and port, and nothing after them; an IPv6 address stands in brackets."},
    {Code::E123, "E123", "a member that nobody manages",
     "A member has `managed: false`, but no cluster is being adopted.",
     "No agent starts such a member, replaces it when it is dead or renews its certificate: it is a voter that counts "
     "and that nobody looks after. That is meant for the old members of a cluster while it is taken over.",
     "members:\n  etcd-a: 10.0.0.11\n  etcd-b: 10.0.0.12\n  old: {address: 10.9.0.1, managed: false}",
     "members:\n  etcd-a: 10.0.0.11\n  etcd-b: 10.0.0.12\n  old: {address: 10.9.0.1, managed: false}\n"
     "adopt: {clusterId: \"cdf818194e3a8c32\", endpoints: [\"https://10.9.0.1:2379\"], stage: observe}",
     "Say which cluster is adopted, or let an agent manage the member."},
    {Code::E124, "E124", "no member would remain", "Every member is to retire.",
     "Members are removed one at a time, and the last voter of a cluster cannot be: its data would be gone. Where it "
     "stops would be an accident of names.",
     "members: {etcd-a: {address: 10.0.0.11, retire: true}}",
     "members:\n  etcd-a: {address: 10.0.0.11, retire: true}\n  etcd-b: 10.0.0.12",
     "List the members that stay. To end a cluster, stop its members; no file does that."},
    {Code::E125, "E125", "lost says come back, the rest says leave",
     "A member that is `lost` is also to `retire`, or has `managed: false`.",
     "`lost` means that the old member is gone for good and that a new one takes its name. One that retires has no "
     "successor, and nobody would start one that is not managed: the two words ask for opposite things.",
     "members:\n  etcd-a: 10.0.0.11\n  etcd-b: {address: 10.0.0.12, retire: true, lost: \"fd422379fda50e48\"}",
     "members:\n  etcd-a: 10.0.0.11\nlost: [\"fd422379fda50e48\"]",
     "Take the member out of `members` and put its ID into the list `lost` of the file; or drop one of the two."},
    {Code::E126, "E126", "an entry appears twice",
     "A list has the same entry twice, or one member ID is declared lost at two places.",
     "One of the two is a mistake, and it is often the name that should have stood there: the second voter that is "
     "gone, the other member that is paused. An ID is declared lost where its member is listed, or in the list `lost` "
     "when it is no longer listed; never in both.",
     "lost: [\"fd422379fda50e48\", \"fd422379fda50e48\"]", "lost: [\"fd422379fda50e48\", \"8211f1d0f64f3269\"]",
     "Write what was meant, or remove one of them; both places are shown."},
    {Code::E127, "E127", "more voters protected than there are",
     "`protect.minVoters` is more than the members that do not retire.",
     "Every plan that reaches what the file wants would be refused by the file itself, and the refusal would come at "
     "night, from an agent, instead of in review.",
     "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}\nprotect: {minVoters: 5}",
     "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}\nprotect: {minVoters: 3}",
     "Lower `protect.minVoters`, or list more members. A cluster that shrinks needs both in one change."},
    {Code::E128, "E128", "no member of this name", "A field names a member that `members` does not list.",
     "What was to be left alone would be touched: a pause for `etcd-d` that was meant for `etcd-b` stops nothing, and "
     "somebody is working on that node.",
     "members: {etcd-a: 10.0.0.11}\npaused: {reason: new disks, until: \"2026-09-24T17:00:00Z\", members: [etcd-b]}",
     "members: {etcd-a: 10.0.0.11}\npaused: {reason: new disks, until: \"2026-09-24T17:00:00Z\", members: [etcd-a]}",
     "Take one of the names in the message. Names that `size` makes are the cluster's with -0, -1 and so on."},
    {Code::E129, "E129", "no field has this path", "A path names a field that this file format does not have.",
     "A difference that was to be ignored would be reported, or put right by an agent, while people believe that it is "
     "left alone.",
     "drift: {ignore: [{path: etcd.quotta, reason: raised by hand}]}",
     "drift: {ignore: [{path: etcd.quota, reason: raised by hand}]}",
     "Write the path as `quorate explain` does, with the member's name where it has <name>."},
    {Code::E130, "E130", "election does not fit heartbeat",
     "`etcd.election` is less than five heartbeats, or more than 50 s.",
     "etcd refuses both at start. With few heartbeats to an election one late packet deposes a healthy leader, and "
     "writes stop while a new one is chosen.",
     "etcd: {heartbeat: 500ms, election: 1s}", "etcd: {heartbeat: 500ms, election: 5s}",
     "Set the heartbeat to about the round trip between members and the election to ten times as much."},
    {Code::E131, "E131", "retention does not fit its mode",
     "Mode `periodic` keeps a duration, mode `revision` a number of revisions.",
     "etcd takes a bare number in mode periodic for hours, and `1h` in mode revision for its 3,600,000,000,000 "
     "nanoseconds: as many revisions are kept, so nothing is ever compacted, the quota fills up and writes stop.",
     "etcd: {autoCompaction: {mode: revision, retention: 1h}}",
     "etcd: {autoCompaction: {mode: periodic, retention: 1h}}",
     "Write a duration with mode periodic, a number with mode revision."},
    {Code::E132, "E132", "settings of backups that contradict each other",
     "Two settings below `backup` cannot both hold, or one of a pair is missing.",
     "Which of them counts would be a matter of taste, and a schedule, a key or a warning that is not the one in "
     "somebody's mind is noticed on the day when a backup is needed.",
     "backup: {to: [\"s3://acme-etcd/prod\"], every: 30m, cron: \"0 3 * * *\"}",
     "backup: {to: [\"s3://acme-etcd/prod\"], every: 30m}",
     "Keep one of the two, or write what is missing; the message names both."},
    {Code::E140, "E140", "etcd has no such flag",
     "The etcd version in the file does not have this flag: it came later, was renamed, or is gone.",
     "An etcd that meets an unknown flag on its command line does not start; one in its configuration file is ignored "
     "without a word, so the setting never comes into force.",
     "etcd: {version: \"3.5\", flags: {max-learners: 2}}", "etcd: {version: \"3.6\", flags: {max-learners: 2}}",
     "Use the name the message gives for your version, or remove the flag."},
    {Code::E141, "E141", "a flag that quorate sets itself",
     "The flag is derived from other fields, or nobody may set it.",
     "Two places for one setting means that one of them is ignored. And `force-new-cluster` or `initial-cluster-state` "
     "set by hand is how a member that lost its disk forms a second cluster.",
     "etcd: {flags: {quota-backend-bytes: 8589934592}}", "etcd: {quota: 8Gi}", "Use the field that the message names."},
    {Code::E142, "E142", "an etcd version that is not supported", "quorate runs etcd 3.4, 3.5 and 3.6.",
     "etcd 3.3 has no learners: a new member votes before it holds any data, and a typing mistake in its address costs "
     "the quorum. Options of releases newer than these are not known yet.",
     "etcd: {version: \"3.3.27\"}", "etcd: {version: \"3.5.21\"}",
     "Upgrade a running cluster one minor version at a time, up to one of these."},
    {Code::E143, "E143", "a flag value of the wrong type",
     "The value of a flag is not what etcd reads there: a boolean, a number, a duration, a list of URLs.",
     "etcd ends at start, on each member as the change reaches it; what a valid file cannot contain cannot stop a "
     "rollout halfway.",
     "etcd: {flags: {pre-vote: maybe}}", "etcd: {flags: {pre-vote: true}}",
     "Write a value of the type in the message."},
    {Code::W201, "W201", "an even number of voters", "The cluster has an even number of voters.",
     "Four voters need three for every write and survive one failure, exactly as three do with one vote less; and two "
     "halves of a divided network can both be without a quorum.",
     "size: 4\nruntime: {type: kubernetes}\netcd: {version: \"3.5.21\"}",
     "size: 3\nruntime: {type: kubernetes}\netcd: {version: \"3.5.21\"}",
     "Use 3 or 5 voters. An even number for a while, during a move, does no harm."},
    {Code::W202, "W202", "a boolean of YAML 1.1 is read as text",
     "The value `off`, `on`, `yes` or `no` stands without quotes and is read as text.",
     "YAML 1.1 readers, editors and formatters among them, take it for a boolean: the next tool to write the file "
     "makes `false` of `off`.",
     "members: {etcd-a: 127.0.0.1}\ntls: {mode: off}", "members: {etcd-a: 127.0.0.1}\ntls: {mode: \"off\"}",
     "Quote it, or write `true` or `false` where a boolean is meant."},
    {Code::W203, "W203", "no TLS where others can reach it",
     "TLS is off and members have addresses that other machines reach.",
     "Whoever reaches the ports can read and delete every key and change the membership; for Kubernetes that is every "
     "Secret and every right.",
     "members: {etcd-a: 10.0.0.11}\ntls: {mode: \"off\"}", "members: {etcd-a: 10.0.0.11}\ntls: {mode: mutual}",
     "Use `mutual`; without TLS keep to loopback addresses."},
    {Code::W204, "W204", "a quota above 8 GiB", "`etcd.quota` is above the 8 GiB that etcd suggests as a maximum.",
     "etcd warns at start. A large database makes joins, restarts, snapshots and defragmentation slow, and a member "
     "that joins slowly is a failure that the cluster cannot survive for longer.",
     "etcd: {quota: 16Gi}", "etcd: {quota: 8Gi}", "Compact more often, or move what fills the database elsewhere."},
    {Code::W205, "W205", "TLS files while TLS is off", "TLS files are named, but `tls.mode` is off.",
     "The files say that somebody expects encryption; etcd serves in the clear and ignores them.",
     "members: {etcd-a: 127.0.0.1}\ntls: {mode: \"off\", cert: etcd.crt, key: etcd.key, ca: ca.crt}",
     "members: {etcd-a: 127.0.0.1}\ntls: {mode: mutual, cert: etcd.crt, key: etcd.key, ca: ca.crt}",
     "Turn TLS on, or remove the files."},
    {Code::W206, "W206", "one zone can take the quorum with it",
     "So many voters are in one zone that losing it loses the quorum.",
     "Zones fail as a whole. Two of three voters in one of them means that its power cut stops all writes, which zones "
     "were to prevent.",
     "members:\n  etcd-a: {address: 10.0.0.11, zone: a}\n  etcd-b: {address: 10.0.0.12, zone: a}\n  etcd-c: {address: "
     "10.0.0.13, zone: b}",
     "members:\n  etcd-a: {address: 10.0.0.11, zone: a}\n  etcd-b: {address: 10.0.0.12, zone: b}\n  etcd-c: {address: "
     "10.0.0.13, zone: c}",
     "Spread the voters over three zones; with two zones, the smaller half cannot carry on by itself."},
    {Code::W207, "W207", "dead before it could restart", "`reconcile.deadAfter` is shorter than a minute.",
     "A node that boots is silent for a minute or more. Its member would be removed and copied anew for each update "
     "of its kernel, and for as long the cluster survives one failure less.",
     "reconcile: {deadAfter: 10s}", "reconcile: {deadAfter: 5m}",
     "Use a few minutes. A member that comes back empty is not waited for anyway."},
    {Code::W208, "W208", "agents that nothing proves",
     "Agents on different machines have no certificate of their own, and `tls.mode` lends them none.",
     "An agent believes what the agent of a member says about it: that its disk is empty, that it promised a decision. "
     "Without certificates an address is all the proof there is, and whoever can answer at that address can make "
     "the others replace a member that is well.",
     "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}\ntls: {mode: \"off\"}",
     "members: {etcd-a: 10.0.0.11, etcd-b: 10.0.0.12, etcd-c: 10.0.0.13}\ntls: {mode: mutual}",
     "Use mode `mutual`, whose certificates agents can show, too, or name `cert`, `key` and `ca` under `tls.agent`."},
    {Code::W209, "W209", "a time zone that cannot be looked up",
     "`backup.timeZone` names a zone, and the tz database cannot be read on this machine.",
     "When clocks change is decided by parliaments and stands in a database that each machine has to itself. An agent "
     "without it makes its backups by `backup.cron` in UTC, and says so until the database is there.",
     "backup: {to: [\"s3://acme-etcd/prod\"], cron: \"30 3 * * *\", timeZone: Europe/Amsterdam}",
     "backup: {to: [\"s3://acme-etcd/prod\"], cron: \"30 2 * * *\"}",
     "Install the package `tzdata` on each node, or write the schedule in UTC."},
};

std::string fenced(std::string_view example) {
  const bool is_command = example.substr(0, 2) == "$ ";
  return std::string(is_command ? "```console\n" : "```yaml\n") + std::string(example) + "\n```\n";
}

std::string page_of(const Rule& rule) {
  return std::string(rule.meaning) + "\n\n" + std::string(rule.why) + "\n\nWrong:\n\n" + fenced(rule.wrong) +
         "\nRight:\n\n" + fenced(rule.right) + "\nWhat to do: " + std::string(rule.advice) + "\n";
}

}  // namespace

const std::vector<CodeInfo>& all_codes() {
  static std::deque<std::string> pages;  // the addresses of its elements stay
  static const std::vector<CodeInfo> codes = [] {
    std::vector<CodeInfo> rows;
    const auto add = [&](const Rule& rule) {
      rows.push_back({rule.code, rule.id, rule.title, pages.emplace_back(page_of(rule))});
    };
    for (const Rule& rule : kTextRules) add(rule);
    for (const Rule& rule : kRules) add(rule);
    return rows;
  }();
  return codes;
}

const CodeInfo& info(Code code) {
  const auto index = static_cast<std::size_t>(code);
  QUORATE_CHECK(index < all_codes().size() && all_codes()[index].code == code);
  return all_codes()[index];
}

std::optional<Code> find_code(std::string_view id) {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  for (const CodeInfo& known : all_codes()) {
    const bool same = std::equal(id.begin(), id.end(), known.id.begin(), known.id.end(),
                                 [&](char a, char b) { return upper(a) == b; });
    if (same) return known.code;
  }
  return std::nullopt;
}

Severity severity(Code code) {
  return info(code).id.front() == 'W' ? Severity::Warning : Severity::Error;
}

}  // namespace quorate::model
