// The folder first, and everything in it gone at the end.
#include "reconciler/cli/commands/backup_trial.h"

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "reconciler/adapters/etcd_grpc/etcd_grpc.h"
#include "reconciler/adapters/restorer/restorer.h"
#include "reconciler/adapters/system/files.h"
#include "reconciler/adapters/system/host.h"
#include "reconciler/backup/test_restore.h"
#include "reconciler/cli/new_file.h"

namespace quorate::cli {
namespace {

using backup::Trouble;

constexpr base::Duration kLongest{std::chrono::hours{1}};

class ScratchFolder {
 public:
  ScratchFolder(ports::Host& host, const std::string& chosen) : host_(host) {
    const char* temporary = std::getenv("TMPDIR");
    std::string path = !chosen.empty() ? chosen : temporary != nullptr && *temporary != '\0' ? temporary : "/var/tmp";
    path += "/quorate-XXXXXX";
    made_ = ::mkdtemp(path.data()) != nullptr;
    number_ = made_ ? 0 : errno;
    path_ = std::move(path);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    if (made_) static_cast<void>(host_.remove_tree(path_));
  }

  bool made() const { return made_; }
  base::Error why_not() const { return adapters::system::system_error("make a folder like", path_, number_); }
  const std::string& path() const { return path_; }

 private:
  ports::Host& host_;
  bool made_ = false;
  int number_ = 0;
  std::string path_;
};

}  // namespace

backup::Outcome<backup::Verified> verify_by_restore(const Arguments& arguments, BackupSession& session,
                                                    const model::StoredBackup& backup,
                                                    const backup::Progress& progress) {
  const auto host = adapters::system::make_host();
  const auto node = adapters::system::make_node();
  auto etcd = etcd_grpc::connect({});
  if (!etcd) return backup::failed(Trouble::Local, std::move(etcd.error()));
  const std::string program = arguments.backup.etcd.empty() ? "etcd" : arguments.backup.etcd;
  const auto restorer = adapters::restorer::make_restorer({*host, *node, **etcd, program, arguments.backup.etcdutl});
  if (auto ready = restorer->ready(kLongest); !ready) {
    return backup::failed(Trouble::Local, std::move(ready.error()));
  }
  const ScratchFolder scratch(*host, arguments.backup.scratch);
  if (!scratch.made()) return backup::failed(Trouble::Local, scratch.why_not());
  const std::string snapshot = scratch.path() + "/snapshot.db";
  const auto file = NewFile::begin(snapshot, *session.entropy);
  if (!file) return backup::failed(Trouble::Local, file.error());
  backup::TestRestoreOrder order{**file, {}, session.key_or_null(), {}, progress};
  order.trial.snapshot = snapshot;
  order.trial.work_dir = scratch.path();
  order.trial.program = program;
  order.within = base::parse_duration(arguments.timeout).value_or(kLongest);
  return backup::test_restore({*session.store, *restorer, *session.clock}, backup, order);
}

}  // namespace quorate::cli
