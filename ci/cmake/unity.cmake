# Several sources compiled as one: a third of the time from nothing, and more after each edit, so that only what builds
# once and for all does it (CI=true). Sources that have a name in common with the unnamed namespace of a neighbour stand
# alone, and so does the one object that ci/check_purity makes an exception of.
option(QUORATE_UNITY "compile several sources as one" OFF)
if(NOT QUORATE_UNITY)
  return()
endif()
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
set(ALONE
  reconciler/adapters/etcd_grpc/read_ahead.cpp
  reconciler/adapters/local_peers/board.cpp
  reconciler/adapters/peer_grpc/follower.cpp
  reconciler/adapters/peer_grpc/local_call.cpp
  reconciler/adapters/peer_grpc/local_server.cpp
  reconciler/adapters/restorer/seed.cpp
  reconciler/adapters/restorer/try_out.cpp
  reconciler/adapters/runtimes/process/pid_file.cpp
  reconciler/adapters/s3/download.cpp
  reconciler/adapters/system/atomic_file.cpp
  reconciler/adapters/system/certificate.cpp
  reconciler/adapters/system/files.cpp
  reconciler/adapters/system/host.cpp
  reconciler/adapters/system/journal.cpp
  reconciler/adapters/system/state_lock.cpp
  reconciler/adapters/system/workers.cpp
  reconciler/backup/fetch.cpp
  reconciler/base/check.cpp
  reconciler/base/raft_snapshot.cpp
  reconciler/base/time_zone.cpp
  reconciler/base/wal_edit.cpp
  reconciler/cli/agent_client.cpp
  reconciler/cli/commands/approve.cpp
  reconciler/cli/commands/carry_out.cpp
  reconciler/cli/commands/restore.cpp
  reconciler/cli/commands/wait.cpp
  reconciler/cli/course.cpp
  reconciler/cli/daemon.cpp
  reconciler/cli/examine_machine.cpp
  reconciler/cli/examine_network.cpp
  reconciler/cli/files.cpp
  reconciler/cli/interrupts.cpp
  reconciler/cli/last_valid.cpp
  reconciler/cli/member_agent.cpp
  reconciler/cli/net_link.cpp
  reconciler/cli/said.cpp
  reconciler/cli/seen_pass.cpp
  reconciler/cli/state.cpp
  reconciler/cli/telling.cpp
  reconciler/cli/wiring.cpp
  reconciler/codec/seal.cpp
  reconciler/loop/store_keeper.cpp
  reconciler/model/backup_json.cpp
  reconciler/model/backup_meta.cpp
  reconciler/model/backups_seen.cpp
  reconciler/model/journal_entry.cpp
  reconciler/model/records.cpp
  reconciler/model/standing_json.cpp
  reconciler/report/drift.cpp
  reconciler/report/fields_find.cpp
  reconciler/report/history.cpp
  reconciler/report/plan_report.cpp
  reconciler/report/plan_step_text.cpp
  reconciler/validate/bind_policy.cpp
  reconciler/validate/fields.cpp
  reconciler/validate/rules/backup.cpp
  renderers/static_pod/static_pod.cpp)
list(TRANSFORM ALONE PREPEND ${CMAKE_SOURCE_DIR}/)
