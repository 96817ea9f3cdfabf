// Why an etcd ended: lines that real ones wrote (without their stack traces), and some that mean harm.
#include "reconciler/model/run_state.h"

#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quorate::model {
namespace {

using testing::HasSubstr;

struct Case {
  const char* name;
  const char* release;
  int status;
  EndReason reason;
  const char* output;
};

// clang-format off
const std::vector<Case> kCases{
    {"PortTaken", "3.4.23", 1, EndReason::PortTaken,
     R"~({"level":"warn","ts":"2026-11-18T17:22:12.335Z","caller":"etcdmain/etcd.go:176","msg":"failed to start etcd","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:12.335Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"},
    {"PortTaken", "3.5.16", 1, EndReason::PortTaken,
     R"~({"level":"warn","ts":"2026-11-18T17:22:59.172091Z","caller":"etcdmain/etcd.go:146","msg":"failed to start etcd","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:59.172118Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"},
    {"PortTaken", "3.5.30", 1, EndReason::PortTaken,
     R"~({"level":"warn","ts":"2026-11-18T17:23:48.657257Z","caller":"etcdmain/etcd.go:146","msg":"failed to start etcd","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:48.657274Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"},
    {"PeerPortTaken", "3.4.23", 1, EndReason::PortTaken,
     R"~({"level":"warn","ts":"2026-11-18T17:22:12.357Z","caller":"etcdmain/etcd.go:176","msg":"failed to start etcd","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:12.357Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"},
    {"PeerPortTaken", "3.5.16", 1, EndReason::PortTaken,
     R"~({"level":"error","ts":"2026-11-18T17:22:59.239686Z","caller":"embed/etcd.go:539","msg":"creating peer listener failed","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:22:59.239758Z","caller":"etcdmain/etcd.go:146","msg":"failed to start etcd","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:59.239767Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"listen tcp 127.0.0.1:26305: bind: address already in use"})~"},
    {"AddressOfAnotherMachine", "3.4.23", 1, EndReason::BadConfig,
     R"~({"level":"warn","ts":"2026-11-18T17:22:12.383Z","caller":"etcdmain/etcd.go:176","msg":"failed to start etcd","error":"listen tcp 192.0.2.1:26300: bind: cannot assign requested address"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:12.383Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"listen tcp 192.0.2.1:26300: bind: cannot assign requested address"})~"},
    {"AddressOfAnotherMachine", "3.5.16", 1, EndReason::BadConfig,
     R"~({"level":"warn","ts":"2026-11-18T17:22:59.343742Z","caller":"etcdmain/etcd.go:146","msg":"failed to start etcd","error":"listen tcp 192.0.2.1:26300: bind: cannot assign requested address"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:59.343759Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"listen tcp 192.0.2.1:26300: bind: cannot assign requested address"})~"},
    {"UnknownFlag", "3.4.23", 2, EndReason::BadFlag,
     R"~(flag provided but not defined: -foo)~"
     "\n"
     R"~(Usage:)~"},
    {"UnknownFlag", "3.5.16", 2, EndReason::BadFlag,
     R"~(flag provided but not defined: -foo)~"
     "\n"
     R"~(Usage:)~"},
    {"BadFlagValue", "3.4.23", 2, EndReason::BadFlag,
     R"~(invalid value "abc" for flag -heartbeat-interval: parse error)~"
     "\n"
     R"~(Usage:)~"},
    {"BadFlagValue", "3.5.16", 2, EndReason::BadFlag,
     R"~(invalid value "abc" for flag -heartbeat-interval: parse error)~"
     "\n"
     R"~(Usage:)~"},
    {"BadConfigValue", "3.4.23", 1, EndReason::BadConfig,
     R"~(2026-11-18 17:22:12.226199 E | etcdmain: error verifying flags, error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field configYAML.heartbeat-interval of type uint. See 'etcd --help'.)~"},
    {"BadConfigValue", "3.5.16", 1, EndReason::BadConfig,
     R"~({"level":"warn","ts":"2026-11-18T17:22:59.052922Z","caller":"etcdmain/etcd.go:75","msg":"failed to verify flags","error":"error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field configYAML.Config.heartbeat-interval of type uint"})~"},
    {"NoYaml", "3.4.23", 1, EndReason::BadConfig,
     R"~(2026-11-18 17:22:12.250111 E | etcdmain: error verifying flags, error converting YAML to JSON: yaml: line 2: did not find expected node content. See 'etcd --help'.)~"},
    {"NoYaml", "3.5.16", 1, EndReason::BadConfig,
     R"~({"level":"warn","ts":"2026-11-18T17:22:59.072883Z","caller":"etcdmain/etcd.go:75","msg":"failed to verify flags","error":"error converting YAML to JSON: yaml: line 2: did not find expected node content"})~"},
    {"NoConfigFile", "3.4.23", 1, EndReason::BadConfig,
     R"~(2026-11-18 17:22:12.274624 E | etcdmain: error verifying flags, open /nonexistent: no such file or directory. See 'etcd --help'.)~"},
    {"NoConfigFile", "3.5.16", 1, EndReason::BadConfig,
     R"~({"level":"warn","ts":"2026-11-18T17:22:59.093145Z","caller":"etcdmain/etcd.go:75","msg":"failed to verify flags","error":"open /nonexistent: no such file or directory"})~"},
    {"ContradictingValues", "3.4.23", 1, EndReason::BadConfig,
     R"~(2026-11-18 17:22:12.303683 E | etcdmain: error verifying flags, --election-timeout[500ms] should be at least as 5 times as --heartbeat-interval[1000ms]. See 'etcd --help'.)~"},
    {"ContradictingValues", "3.5.16", 1, EndReason::BadConfig,
     R"~({"level":"warn","ts":"2026-11-18T17:22:59.119878Z","caller":"etcdmain/etcd.go:75","msg":"failed to verify flags","error":"--election-timeout[500ms] should be at least as 5 times as --heartbeat-interval[1000ms]"})~"},
    {"NameNotInCluster", "3.4.23", 1, EndReason::BadConfig,
     R"~({"level":"warn","ts":"2026-11-18T17:22:15.656Z","caller":"etcdmain/etcd.go:176","msg":"failed to start etcd","error":"couldn't find local name \"a\" in the initial cluster configuration"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:15.656Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"couldn't find local name \"a\" in the initial cluster configuration"})~"},
    {"NameNotInCluster", "3.5.16", 1, EndReason::BadConfig,
     R"~({"level":"warn","ts":"2026-11-18T17:23:02.671144Z","caller":"etcdmain/etcd.go:146","msg":"failed to start etcd","error":"couldn't find local name \"a\" in the initial cluster configuration"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:02.671167Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"couldn't find local name \"a\" in the initial cluster configuration"})~"},
    {"MissingCertificate", "3.4.23", 1, EndReason::BadCertificate,
     R"~({"level":"fatal","ts":"2026-11-18T17:22:12.947Z","caller":"etcdmain/etcd.go:290","msg":"listener failed","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"},
    {"MissingCertificate", "3.5.16", 1, EndReason::BadCertificate,
     R"~({"level":"error","ts":"2026-11-18T17:22:59.991613Z","caller":"embed/serve.go:124","msg":"registerGateway failed","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:59.991756Z","caller":"etcdmain/etcd.go:219","msg":"listener failed","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"},
    {"MissingCertificate", "3.5.30", 1, EndReason::BadCertificate,
     R"~({"level":"error","ts":"2026-11-18T17:23:49.833478Z","caller":"embed/serve.go:143","msg":"registerGateway failed","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:49.833616Z","caller":"etcdmain/etcd.go:219","msg":"listener failed","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"},
    {"MissingPeerCertificate", "3.4.23", 1, EndReason::BadCertificate,
     R"~({"level":"warn","ts":"2026-11-18T17:22:15.620Z","caller":"etcdmain/etcd.go:176","msg":"failed to start etcd","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:15.620Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"},
    {"MissingPeerCertificate", "3.5.16", 1, EndReason::BadCertificate,
     R"~({"level":"error","ts":"2026-11-18T17:23:02.587362Z","caller":"embed/etcd.go:539","msg":"creating peer listener failed","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:23:02.587424Z","caller":"etcdmain/etcd.go:146","msg":"failed to start etcd","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:02.587433Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"open /var/lib/etcd/nocert.pem: no such file or directory"})~"},
    {"NoPem", "3.4.23", 1, EndReason::BadCertificate,
     R"~({"level":"fatal","ts":"2026-11-18T17:22:13.511Z","caller":"etcdmain/etcd.go:290","msg":"listener failed","error":"tls: failed to find any PEM data in certificate input"})~"},
    {"NoPem", "3.5.16", 1, EndReason::BadCertificate,
     R"~({"level":"error","ts":"2026-11-18T17:23:00.916638Z","caller":"embed/serve.go:124","msg":"registerGateway failed","error":"tls: failed to find any PEM data in certificate input"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:00.916744Z","caller":"etcdmain/etcd.go:219","msg":"listener failed","error":"tls: failed to find any PEM data in certificate input"})~"},
    {"OtherKey", "3.4.23", 1, EndReason::BadCertificate,
     R"~({"level":"fatal","ts":"2026-11-18T17:22:14.489Z","caller":"etcdmain/etcd.go:290","msg":"listener failed","error":"tls: private key does not match public key"})~"},
    {"OtherKey", "3.5.16", 1, EndReason::BadCertificate,
     R"~({"level":"error","ts":"2026-11-18T17:23:01.623149Z","caller":"embed/serve.go:124","msg":"registerGateway failed","error":"tls: private key does not match public key"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:01.623247Z","caller":"etcdmain/etcd.go:219","msg":"listener failed","error":"tls: private key does not match public key"})~"},
    {"MissingAuthority", "3.4.23", 1, EndReason::BadCertificate,
     R"~({"level":"fatal","ts":"2026-11-18T17:22:15.568Z","caller":"etcdmain/etcd.go:290","msg":"listener failed","error":"open /var/lib/etcd/noca.pem: no such file or directory"})~"},
    {"MissingAuthority", "3.5.16", 1, EndReason::BadCertificate,
     R"~({"level":"error","ts":"2026-11-18T17:23:02.529906Z","caller":"embed/serve.go:124","msg":"registerGateway failed","error":"open /var/lib/etcd/noca.pem: no such file or directory"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:02.530275Z","caller":"etcdmain/etcd.go:219","msg":"listener failed","error":"open /var/lib/etcd/noca.pem: no such file or directory"})~"},
    {"HttpsWithoutCertificate", "3.4.23", 1, EndReason::BadCertificate,
     R"~({"level":"warn","ts":"2026-11-18T17:22:15.632Z","caller":"etcdmain/etcd.go:176","msg":"failed to start etcd","error":"cannot listen on TLS for 127.0.0.1:26301: KeyFile and CertFile are not presented"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:15.632Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"cannot listen on TLS for 127.0.0.1:26301: KeyFile and CertFile are not presented"})~"},
    {"HttpsWithoutCertificate", "3.5.16", 1, EndReason::BadCertificate,
     R"~({"level":"error","ts":"2026-11-18T17:23:02.627508Z","caller":"embed/etcd.go:539","msg":"creating peer listener failed","error":"cannot listen on TLS for 127.0.0.1:26301: KeyFile and CertFile are not presented"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:23:02.627585Z","caller":"etcdmain/etcd.go:146","msg":"failed to start etcd","error":"cannot listen on TLS for 127.0.0.1:26301: KeyFile and CertFile are not presented"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:02.627595Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"cannot listen on TLS for 127.0.0.1:26301: KeyFile and CertFile are not presented"})~"},
    {"DiskFullAtTheStart", "3.4.23", 2, EndReason::DiskFull,
     R"~({"level":"warn","ts":"2026-11-18T17:22:15.670Z","caller":"wal/wal.go:151","msg":"failed to preallocate an initial WAL file","path":"/var/lib/etcd/small/d/member/wal.tmp/0000000000000000-0000000000000000.wal","segment-bytes":64000000,"error":"no space left on device"})~"
     "\n"
     R"~({"level":"panic","ts":"2026-11-18T17:22:15.670Z","caller":"etcdserver/raft.go:513","msg":"failed to create WAL","error":"no space left on device"})~"
     "\n"
     R"~(panic: failed to create WAL)~"},
    {"DiskFullAtTheStart", "3.5.16", 2, EndReason::DiskFull,
     R"~({"level":"warn","ts":"2026-11-18T17:23:02.735835Z","caller":"wal/wal.go:147","msg":"failed to preallocate an initial WAL file","path":"/var/lib/etcd/small/d/member/wal.tmp/0000000000000000-0000000000000000.wal","segment-bytes":64000000,"error":"no space left on device"})~"
     "\n"
     R"~({"level":"panic","ts":"2026-11-18T17:23:02.735889Z","caller":"etcdserver/raft.go:490","msg":"failed to create WAL","error":"no space left on device"})~"
     "\n"
     R"~(panic: failed to create WAL)~"},
    {"DiskFullAtTheStart", "3.5.30", 2, EndReason::DiskFull,
     R"~({"level":"warn","ts":"2026-11-18T17:23:52.348073Z","caller":"wal/wal.go:147","msg":"failed to preallocate an initial WAL file","path":"/var/lib/etcd/small/d/member/wal.tmp/0000000000000000-0000000000000000.wal","segment-bytes":64000000,"error":"no space left on device"})~"
     "\n"
     R"~({"level":"panic","ts":"2026-11-18T17:23:52.348139Z","caller":"etcdserver/raft.go:492","msg":"failed to create WAL","error":"no space left on device"})~"
     "\n"
     R"~(panic: failed to create WAL)~"},
    {"DiskFullWhileItRuns", "3.4.23", 1, EndReason::DiskFull,
     R"~({"level":"fatal","ts":"2026-11-18T17:22:24.243Z","caller":"backend/batch_tx.go:248","msg":"failed to commit tx","error":"write /var/lib/etcd/small/d/member/snap/db: no space left on device"})~"},
    {"DiskFullWhileItRuns", "3.5.16", 1, EndReason::DiskFull,
     R"~({"level":"fatal","ts":"2026-11-18T17:23:13.512227Z","caller":"backend/batch_tx.go:282","msg":"failed to commit tx","error":"write /var/lib/etcd/small/d/member/snap/db: no space left on device"})~"},
    {"DiskFullWhileItRuns", "3.5.30", 1, EndReason::DiskFull,
     R"~({"level":"fatal","ts":"2026-11-18T17:24:03.795429Z","caller":"backend/batch_tx.go:282","msg":"failed to commit tx","error":"write /var/lib/etcd/small/d/member/snap/db: no space left on device"})~"},
    {"RemovedWhileItRuns", "3.4.23", 0, EndReason::RemovedFromCluster,
     R"~({"level":"warn","ts":"2026-11-18T17:22:35.624Z","caller":"rafthttp/peer_status.go:68","msg":"peer became inactive (message send to peer failed)","peer-id":"5da5a86d35afd25a","error":"failed to dial 5da5a86d35afd25a on stream MsgApp v2 (the member has been permanently removed from the cluster)"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:22:35.624Z","caller":"etcdserver/server.go:1078","msg":"server error","error":"the member has been permanently removed from the cluster"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:22:35.624Z","caller":"etcdserver/server.go:1079","msg":"data-dir used by this member must be removed"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:22:35.625Z","caller":"rafthttp/peer_status.go:68","msg":"peer became inactive (message send to peer failed)","peer-id":"1c002a35077f021d","error":"failed to dial 1c002a35077f021d on stream Message (the member has been permanently removed from the cluster)"})~"},
    {"RemovedWhileItRuns", "3.5.16", 0, EndReason::RemovedFromCluster,
     R"~({"level":"warn","ts":"2026-11-18T17:23:25.044385Z","caller":"rafthttp/peer_status.go:66","msg":"peer became inactive (message send to peer failed)","peer-id":"5da5a86d35afd25a","error":"failed to dial 5da5a86d35afd25a on stream MsgApp v2 (the member has been permanently removed from the cluster)"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:23:25.044414Z","caller":"etcdserver/server.go:1154","msg":"server error","error":"the member has been permanently removed from the cluster"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:23:25.044443Z","caller":"etcdserver/server.go:1155","msg":"data-dir used by this member must be removed"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:23:25.045344Z","caller":"rafthttp/stream.go:421","msg":"lost TCP streaming connection with remote peer","stream-reader-type":"stream Message","local-member-id":"3bcb8f15f92fa14c","remote-peer-id":"5da5a86d35afd25a","error":"EOF"})~"},
    {"RemovedWhileItRuns", "3.5.30", 0, EndReason::RemovedFromCluster,
     R"~({"level":"warn","ts":"2026-11-18T17:24:15.281508Z","caller":"rafthttp/peer_status.go:66","msg":"peer became inactive (message send to peer failed)","peer-id":"5da5a86d35afd25a","error":"failed to dial 5da5a86d35afd25a on stream Message (the member has been permanently removed from the cluster)"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:24:15.281528Z","caller":"etcdserver/server.go:1156","msg":"server error","error":"the member has been permanently removed from the cluster"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:24:15.281559Z","caller":"etcdserver/server.go:1157","msg":"data-dir used by this member must be removed"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:24:15.281627Z","caller":"rafthttp/stream.go:286","msg":"closed TCP streaming connection with remote peer","stream-writer-type":"stream MsgApp v2","remote-peer-id":"1c002a35077f021d"})~"},
    {"RemovedWhileItWasDown", "3.4.23", 0, EndReason::RemovedFromCluster,
     R"~({"level":"warn","ts":"2026-11-18T17:22:45.790Z","caller":"etcdserver/server.go:1078","msg":"server error","error":"the member has been permanently removed from the cluster"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:22:45.790Z","caller":"etcdserver/server.go:1079","msg":"data-dir used by this member must be removed"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:22:45.791Z","caller":"etcdserver/server.go:2098","msg":"failed to publish local member to cluster through raft","local-member-id":"a53fbca910e096bc","local-member-attributes":"{Name:c ClientURLs:[http://127.0.0.1:26314]}","request-path":"/0/members/a53fbca910e096bc/attributes","publish-timeout":"7s","error":"etcdserver: request cancelled"})~"},
    {"RemovedWhileItWasDown", "3.5.16", 0, EndReason::RemovedFromCluster,
     R"~({"level":"warn","ts":"2026-11-18T17:23:35.245604Z","caller":"etcdserver/server.go:1154","msg":"server error","error":"the member has been permanently removed from the cluster"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:23:35.245663Z","caller":"etcdserver/server.go:1155","msg":"data-dir used by this member must be removed"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:23:35.246245Z","caller":"etcdserver/server.go:2161","msg":"failed to publish local member to cluster through raft","local-member-id":"749c2d3056ec2c8a","local-member-attributes":"{Name:c ClientURLs:[http://127.0.0.1:26314]}","request-path":"/0/members/749c2d3056ec2c8a/attributes","publish-timeout":"7s","error":"etcdserver: request cancelled"})~"},
    {"RemovedWhileItWasDown", "3.5.30", 0, EndReason::RemovedFromCluster,
     R"~({"level":"warn","ts":"2026-11-18T17:24:25.489519Z","caller":"etcdserver/server.go:1156","msg":"server error","error":"the member has been permanently removed from the cluster"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:24:25.490437Z","caller":"etcdserver/server.go:1157","msg":"data-dir used by this member must be removed"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:24:25.490469Z","caller":"etcdserver/server.go:2195","msg":"failed to publish local member to cluster through raft","local-member-id":"2a6b18b84a2a58d7","local-member-attributes":"{Name:c ClientURLs:[http://127.0.0.1:26314]}","request-path":"/0/members/2a6b18b84a2a58d7/attributes","publish-timeout":"7s","error":"etcdserver: request cancelled"})~"},
    {"BrokenChecksum", "3.4.23", 1, EndReason::DataUnusable,
     R"~({"level":"fatal","ts":"2026-11-18T17:22:20.015Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"walpb: crc mismatch"})~"},
    {"BrokenChecksum", "3.5.16", 1, EndReason::DataUnusable,
     R"~({"level":"fatal","ts":"2026-11-18T17:23:08.755248Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"walpb: crc mismatch"})~"},
    {"BrokenChecksum", "3.5.30", 1, EndReason::DataUnusable,
     R"~({"level":"fatal","ts":"2026-11-18T17:23:58.755650Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"walpb: crc mismatch"})~"},
    {"NoDatabase", "3.4.23", 2, EndReason::DataUnusable,
     R"~({"level":"panic","ts":"2026-11-18T17:22:21.215Z","caller":"backend/backend.go:162","msg":"failed to open database","path":"/var/lib/etcd/d/member/snap/db","error":"invalid database"})~"
     "\n"
     R"~(panic: failed to open database)~"},
    {"NoDatabase", "3.5.16", 2, EndReason::DataUnusable,
     R"~({"level":"panic","ts":"2026-11-18T17:23:10.243868Z","caller":"backend/backend.go:201","msg":"failed to open database","path":"/var/lib/etcd/d/member/snap/db","error":"invalid database"})~"
     "\n"
     R"~(panic: failed to open database)~"},
    {"NoDatabase", "3.5.30", 2, EndReason::DataUnusable,
     R"~({"level":"panic","ts":"2026-11-18T17:24:00.334734Z","caller":"backend/backend.go:211","msg":"failed to open database","path":"/var/lib/etcd/d/member/snap/db","error":"invalid database"})~"
     "\n"
     R"~(panic: failed to open database)~"},
    {"LogIsGone", "3.4.23", 1, EndReason::DataUnusable,
     R"~({"level":"warn","ts":"2026-11-18T17:22:21.597Z","caller":"wal/util.go:99","msg":"ignored file in WAL directory","path":"foo.wal"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:21.604Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"wal: file not found"})~"},
    {"LogIsGone", "3.5.16", 1, EndReason::DataUnusable,
     R"~({"level":"warn","ts":"2026-11-18T17:23:10.674775Z","caller":"wal/util.go:90","msg":"ignored file in WAL directory","path":"foo.wal"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:10.715465Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"wal: file not found"})~"},
    {"LogOfOnes", "3.4.23", 1, EndReason::DataUnusable,
     R"~({"level":"fatal","ts":"2026-11-18T17:22:20.996Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"wal: max entry size limit exceeded"})~"},
    {"LogOfOnes", "3.5.16", 2, EndReason::DataUnusable,
     R"~({"level":"warn","ts":"2026-11-18T17:23:10.022930Z","caller":"wal/util.go:90","msg":"ignored file in WAL directory","path":"0000000000000000-0000000000000000.wal.broken"})~"
     "\n"
     R"~(panic: cannot use none as id)~"},
    {"LogOfOnes", "3.5.30", 2, EndReason::DataUnusable,
     R"~({"level":"warn","ts":"2026-11-18T17:24:00.050064Z","caller":"wal/util.go:90","msg":"ignored file in WAL directory","path":"0000000000000000-0000000000000000.wal.broken"})~"
     "\n"
     R"~(panic: cannot use none as id)~"},
    {"VotedWithAmnesia", "3.4.23", 2, EndReason::DataUnusable,
     R"~(panic: tocommit(13) is out of range [lastIndex(0)]. Was the raft log corrupted, truncated, or lost?)~"},
    {"VotedWithAmnesia", "3.5.16", 2, EndReason::DataUnusable,
     R"~(panic: tocommit(12) is out of range [lastIndex(0)]. Was the raft log corrupted, truncated, or lost?)~"},
    {"BootstrappedBefore", "3.4.23", 1, EndReason::Other,
     R"~({"level":"warn","ts":"2026-11-18T17:22:45.911Z","caller":"etcdmain/etcd.go:176","msg":"failed to start etcd","error":"member 5da5a86d35afd25a has already been bootstrapped"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:22:45.911Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"member 5da5a86d35afd25a has already been bootstrapped"})~"},
    {"BootstrappedBefore", "3.5.16", 1, EndReason::Other,
     R"~({"level":"warn","ts":"2026-11-18T17:23:35.370926Z","caller":"etcdmain/etcd.go:146","msg":"failed to start etcd","error":"member 5da5a86d35afd25a has already been bootstrapped"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:23:35.370977Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"member 5da5a86d35afd25a has already been bootstrapped"})~"},
    {"PeersDoNotAnswer", "3.4.23", 1, EndReason::Other,
     R"~({"level":"fatal","ts":"2026-11-18T17:22:21.416Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs"})~"},
    {"PeersDoNotAnswer", "3.5.16", 1, EndReason::Other,
     R"~({"level":"fatal","ts":"2026-11-18T17:23:10.459416Z","caller":"etcdmain/etcd.go:204","msg":"discovery failed","error":"cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs"})~"},
    {"OlderThanTheCluster", "3.4.23", 1, EndReason::WrongVersion,
     R"~({"level":"fatal","ts":"2026-11-18T17:24:50.008Z","caller":"membership/cluster.go:795","msg":"invalid downgrade; server version is lower than determined cluster version","current-server-version":"3.4.23","determined-cluster-version":"3.5"})~"},
    {"OlderThanItsPeers", "3.4.23", 1, EndReason::WrongVersion,
     R"~({"level":"warn","ts":"2026-11-18T17:24:45.797Z","caller":"etcdserver/cluster_util.go:283","msg":"cluster version of remote member is not compatible; too high","remote-member-id":"1f35c35b3ebdc92f","remote-member-cluster-version":"3.5.0","minimum-cluster-version-supported":"3.0.0"})~"
     "\n"
     R"~({"level":"warn","ts":"2026-11-18T17:24:45.813Z","caller":"etcdmain/etcd.go:176","msg":"failed to start etcd","error":"incompatible with current running cluster"})~"
     "\n"
     R"~({"level":"fatal","ts":"2026-11-18T17:24:45.813Z","caller":"etcdmain/etcd.go:271","msg":"discovery failed","error":"incompatible with current running cluster"})~"},
};
// clang-format on

TEST(Ending, IsReadFromWhatEtcdWrites) {
  for (const Case& each : kCases) {
    const Ending ending = ending_of(each.output, each.status);
    EXPECT_EQ(name_of(ending.reason), name_of(each.reason)) << each.name << " " << each.release << ": " << ending.text;
    EXPECT_FALSE(ending.text.empty());
    EXPECT_EQ(ending.text.find_first_of("{}\n"), std::string::npos) << ending.text;
    // Nobody knows the status of a process that was taken over.
    EXPECT_EQ(name_of(ending_of(each.output, -1).reason), name_of(each.reason)) << each.name << " " << each.release;
  }
}

TEST(Ending, IsToldInOneLineOfEtcdsOwnWords) {
  const auto text_of = [](const std::string& name, const std::string& release) {
    for (const Case& each : kCases) {
      if (each.name == name && each.release == release) return ending_of(each.output, each.status).text;
    }
    return std::string("no such case");
  };
  EXPECT_EQ(text_of("PortTaken", "3.5.16"),
            "discovery failed: listen tcp 127.0.0.1:26305: bind: address already in use");
  EXPECT_EQ(text_of("UnknownFlag", "3.4.23"), "flag provided but not defined: -foo");
  EXPECT_EQ(text_of("DiskFullAtTheStart", "3.4.23"), "failed to create WAL: no space left on device");
  EXPECT_EQ(text_of("RemovedWhileItWasDown", "3.5.16"),
            "server error: the member has been permanently removed from the cluster");
  EXPECT_EQ(text_of("NoConfigFile", "3.4.23"),
            "error verifying flags, open /nonexistent: no such file or directory. See 'etcd --help'.");
  EXPECT_EQ(text_of("BrokenChecksum", "3.5.30"), "discovery failed: walpb: crc mismatch");
  EXPECT_EQ(text_of("VotedWithAmnesia", "3.5.16"),
            "panic: tocommit(12) is out of range [lastIndex(0)]. Was the raft log corrupted, truncated, or lost?");
}

// The default format of 3.4, of an etcd that others have started.
TEST(Ending, IsReadInTheOlderFormatToo) {
  const Ending port = ending_of(
      "2026-11-18 16:58:14.510025 C | etcdmain: listen tcp 127.0.0.1:2379: bind: address already in use\n", 1);
  EXPECT_EQ(port.reason, EndReason::PortTaken);
  EXPECT_EQ(port.text, "listen tcp 127.0.0.1:2379: bind: address already in use");
  const Ending data = ending_of(
      "2026-11-18 16:58:42.438970 C | mvcc/backend: cannot open database at /d/member/snap/db (invalid database)\n"
      "panic: cannot open database at /d/member/snap/db (invalid database)\n",
      2);
  EXPECT_EQ(data.reason, EndReason::DataUnusable);
  EXPECT_EQ(
      ending_of("2026-11-18 16:58:15.282262 C | etcdmain: open /etc/nocert.pem: no such file or directory", 1).reason,
      EndReason::BadCertificate);
  EXPECT_EQ(ending_of("2026-11-18 16:58:25.933568 C | etcdserver: create wal error: no space left on device", 2).reason,
            EndReason::DiskFull);
}

constexpr const char* kMismatch =
    R"({"level":"warn","ts":"2026-11-18T17:01:58.000Z","caller":"rafthttp/stream.go:640","msg":"request sent was ignored by remote peer due to cluster ID mismatch","remote-peer-id":"6dfb494beea1e346","error":"cluster ID mismatch"})";

TEST(Ending, IsAnotherClusterWhenNothingElseExplainsIt) {
  EXPECT_EQ(ending_of(kMismatch, 1).reason, EndReason::ClusterIdMismatch);
  EXPECT_EQ(ending_of(std::string(kMismatch) + "\n" + kCases.front().output, 1).reason, EndReason::PortTaken);
  EXPECT_EQ(ending_of(kMismatch, 0).reason, EndReason::Other);
}

TEST(Ending, ByASignalHasNothingToDoWithWhatWasSaid) {
  for (const char* said : {kMismatch, kCases.front().output, ""}) {
    EXPECT_EQ(ending_of(said, 137).reason, EndReason::Other);
    EXPECT_EQ(ending_of(said, 137).text, "it was ended by signal 9");
  }
}

TEST(Ending, WithoutAnyWordsSaysSo) {
  EXPECT_EQ(ending_of("", 3).text, "it ended with status 3 and said nothing about why");
  EXPECT_EQ(ending_of("", -1).text, "it ended and said nothing about why");
  EXPECT_EQ(ending_of("hello\n", 0).reason, EndReason::Other);
}

TEST(Ending, BelievesOnlyTheWordsOfEtcdItself) {
  // What a client can bring into a line: it stays inside a text of JSON.
  const char* key =
      R"({"level":"warn","msg":"apply request took too long","request":"server error: the member has been permanently removed from the cluster"})";
  EXPECT_EQ(ending_of(key, 1).reason, EndReason::Other);
  const char* dial =
      R"~({"level":"warn","msg":"peer became inactive","error":"failed to dial (the member has been permanently removed from the cluster)"})~";
  EXPECT_EQ(ending_of(dial, 1).reason, EndReason::Other);
}

TEST(Ending, IsShortAndHarmlessWhateverIsWritten) {
  const Ending rude = ending_of("panic: \x1b[31m\xff\xfe\r\a" + std::string(100'000, 'x'), 2);
  EXPECT_EQ(rude.text.find_first_of("\x1b\r\a\xff"), std::string::npos);
  EXPECT_LT(rude.text.size(), 500U);
  EXPECT_LT(ending_of("panic: " + std::string(5'000, 'x'), 2).text.size(), 500U);
  EXPECT_NO_THROW(ending_of(std::string(100'000, '['), 1));
  EXPECT_NO_THROW(ending_of(R"({"level":3,"msg":{},"error":[[]]})", 1));
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = kCases[random() % kCases.size()].output;
    for (int change = 0; change < 8; ++change) bytes[random() % bytes.size()] = static_cast<char>(random() & 0xFF);
    EXPECT_NO_THROW(ending_of(bytes, static_cast<int>(random() % 3)));
  }
}

TEST(RunState, HasNames) {
  EXPECT_EQ(name_of(RunPhase::Waiting), "Waiting");
  EXPECT_EQ(name_of(EndReason::RemovedFromCluster), "RemovedFromCluster");
}

}  // namespace
}  // namespace quorate::model
