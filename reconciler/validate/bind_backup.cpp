// What has the wrong form is left out: the schema check and the rules report it.
#include "reconciler/validate/bind_backup.h"

#include <algorithm>
#include <string>

#include "reconciler/validate/choice.h"
#include "reconciler/validate/read.h"

namespace quorate::validate {
namespace {

int number_of(const Fields& fields, const char* path) {
  return static_cast<int>(std::clamp<std::int64_t>(fields.number_or_default(path), 0, 1'000'000));
}

base::Duration duration_of(const Fields& fields, const char* path, base::Duration otherwise) {
  const auto given = fields.text(path);
  return given ? base::parse_duration(*given).value_or(otherwise) : otherwise;
}

model::KeyPlace place_of(const Fields& fields, const std::string& path) {
  return {fields.text(path + ".file").value_or(""), fields.text(path + ".credential").value_or("")};
}

model::KeepPolicy keep_of(const Fields& fields) {
  model::KeepPolicy keep;
  keep.last = number_of(fields, "backup.keep.last");
  keep.hourly = number_of(fields, "backup.keep.hourly");
  keep.daily = number_of(fields, "backup.keep.daily");
  keep.weekly = number_of(fields, "backup.keep.weekly");
  keep.monthly = number_of(fields, "backup.keep.monthly");
  keep.within = duration_of(fields, "backup.keep.within", {});
  return keep;
}

model::BucketAccess s3_of(const Fields& fields) {
  const auto text = [&](const char* key) { return fields.text(std::string("backup.s3.") + key).value_or(""); };
  model::BucketAccess s3;
  s3.region = text("region");
  s3.endpoint = text("endpoint");
  if (const model::Node* style = fields.node("backup.s3.pathStyle")) s3.path_style = truth(*style);
  s3.ca = text("ca");
  s3.sse = text("sse");
  s3.kms_key = text("kmsKey");
  s3.storage_class = text("storageClass");
  s3.profile = text("profile");
  s3.access_key = place_of(fields, "backup.s3.accessKey");
  s3.secret_key = place_of(fields, "backup.s3.secretKey");
  s3.session_token = place_of(fields, "backup.s3.sessionToken");
  return s3;
}

}  // namespace

std::optional<model::BackupPolicy> backup_of(const Fields& fields) {
  const model::Node* to = fields.node("backup.to");
  const auto stores = to != nullptr ? texts(*to, 1) : std::vector<std::string>{};
  if (stores.empty()) return std::nullopt;
  model::BackupPolicy policy;
  policy.to = stores.front();
  if (const auto cron = fields.text("backup.cron")) policy.cron = base::parse_cron(*cron);
  policy.time_zone = fields.text("backup.timeZone").value_or("");
  if (!policy.cron) policy.every = fields.duration_or_default("backup.every");
  policy.keep = keep_of(fields);
  policy.before_changes = fields.boolean_or_default("backup.beforeChanges");
  policy.spool = fields.text("backup.spool").value_or("");
  policy.verify_every = duration_of(fields, "backup.verify.every", {});
  policy.verify_how = choice<model::VerifiedHow, 2>(
      fields, "backup.verify.how",
      {{{"checksum", model::VerifiedHow::Checksum}, {"restore", model::VerifiedHow::Restore}}});
  if (const auto warn = fields.text("backup.warnAfter")) policy.warn_after = base::parse_duration(*warn);
  if (const auto page = fields.text("backup.pageAfter")) policy.page_after = base::parse_duration(*page);
  policy.packing = choice<model::Packing, 3>(
      fields, "backup.compress",
      {{{"gzip", model::Packing::Gzip}, {"zstd", model::Packing::Zstd}, {"none", model::Packing::None}}});
  policy.key = place_of(fields, "backup.encrypt.key");
  policy.s3 = s3_of(fields);
  return policy;
}

std::string read_zone(const base::ZoneFiles& zones, model::BackupPolicy& policy) {
  const std::string& name = policy.time_zone;
  if (name.empty()) return {};
  if (!base::is_zone_name(name)) return "is no name of a time zone";
  const auto file = zones ? zones(name) : base::invalid("nobody looks for time zones here");
  if (!file) {
    policy.no_zone = file.error().message;
    return {};
  }
  if (!*file) return "is no time zone that is known here";
  auto zone = base::parse_time_zone(**file);
  if (!zone) return "cannot be used: " + zone.error().message;
  policy.zone = *std::move(zone);
  return {};
}

}  // namespace quorate::validate
