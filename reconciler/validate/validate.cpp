// The order of the checks does not show: findings are sorted by place.
#include "reconciler/validate/validate.h"

#include <utility>

#include "reconciler/validate/bind_backup.h"
#include "reconciler/validate/rules/rules.h"
#include "reconciler/validate/schema_check.h"

namespace quorate::validate {

ValidateResult validate(const model::Spec& spec, const base::ZoneFiles& zones) {
  Findings findings(spec);
  check_schema(spec, cluster_schema(), findings);
  Draft draft = bind(spec);
  if (draft.desired.backup) draft.bad_zone = read_zone(zones, *draft.desired.backup);
  const Fields fields(*spec.root, cluster_schema());
  const Context context{*spec.root, fields, draft, findings};
  check_membership(context);
  check_policy(context);
  check_addresses(context);
  check_etcd(context);
  check_flags(context);
  check_files(context);
  check_effect(context);
  check_backup(context);
  check_secrets(context);

  ValidateResult result;
  result.findings = findings.take();
  if (!model::has_errors(result.findings)) result.desired = std::move(draft.desired);
  return result;
}

}  // namespace quorate::validate
