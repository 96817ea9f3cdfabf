// schema/README.md is generated: this test fails when it is not what the schema and the rules say today.
#include "reconciler/report/reference.h"

#include "schema/embedded.h"
#include "tests/support/golden.h"

namespace quorate {

TEST(Reference, IsWhatTheSchemaAndTheRulesSayToday) {
  const auto fields = report::list_fields(base::Json::parse(schema::cluster()));
  const auto node_fields = report::list_fields(base::Json::parse(schema::agent()));
  support::compare_with_golden("../../schema/README.md", report::reference_markdown(fields, node_fields));
}

}  // namespace quorate
