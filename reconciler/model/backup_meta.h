// _etcd_backup.meta: what etcd-manager knows of a backup, byte for byte as it writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reconciler/base/result.h"

namespace quorate::model {

struct BackupMeta {
  std::string etcd_version;       // "3.5.16"; empty: it does not say, and etcd-manager refuses to restore it
  std::int64_t timestamp = 0;     // seconds
  std::int32_t member_count = 0;  // of clusterSpec, as the next field
  std::string cluster_version;
  friend bool operator==(const BackupMeta&, const BackupMeta&) = default;
};

// With nothing behind it. Fields that are empty are left out, as there.
std::string meta_text(const BackupMeta& meta);

// Both spellings of the names, numbers quoted or not, any whitespace, null for a value that is not there. A field that
// nobody knows is an error there, and here.
base::Result<BackupMeta> read_meta(std::string_view text, const std::string& name);

}  // namespace quorate::model
