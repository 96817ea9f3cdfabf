// The lines of quorate doctor, and the entries of quorate approve.
#include "reconciler/report/doctor.h"

#include <gmock/gmock.h>

#include "reconciler/base/yaml_text.h"
#include "reconciler/report/approvals.h"

namespace quorate::report {
namespace {

using base::Json;
using testing::HasSubstr;
using testing::Not;

std::vector<Examined> three_things() {
  return {{Finds::Ok, "etcd-a", "the peer port is reached: https://10.0.0.11:2380", ""},
          {Finds::Warn, "etcd-a", "its agent is not reached", "start the agent there"},
          {Finds::Fail, "etcd-b", "the certificate ended", "issue it again"}};
}

}  // namespace

TEST(Doctor, EachLineSaysHowItIsAndWhatToDo) {
  const auto text = render_doctor("text", three_things(), {}).value();
  EXPECT_EQ(text,
            "etcd-a\n"
            "  ok    the peer port is reached: https://10.0.0.11:2380\n"
            "  warn  its agent is not reached\n"
            "        > start the agent there\n"
            "\netcd-b\n"
            "  fail  the certificate ended\n"
            "        > issue it again\n"
            "\n1 ok, 1 warning, 1 failure.\n");
}

TEST(Doctor, QuietLeavesOutWhatIsWell) {
  PlanOptions options;
  options.quiet = true;
  const auto text = render_doctor("text", three_things(), options).value();
  EXPECT_THAT(text, Not(HasSubstr("peer port")));
  EXPECT_THAT(text, HasSubstr("the certificate ended"));
}

TEST(Doctor, EndsWithOneWhereSomethingIsBrokenAndJsonSaysSoToo) {
  EXPECT_EQ(doctor_code(three_things()), model::ExitCode::Failed);
  EXPECT_EQ(doctor_code({{Finds::Warn, "a", "b", "c"}}), model::ExitCode::Ok);
  const auto tree = Json::parse(render_doctor("json", three_things(), {}).value());
  EXPECT_EQ(tree["exit_code"], 1);
  EXPECT_EQ(tree["examined"][1]["finds"], "warn");
  EXPECT_FALSE(render_doctor("csv", three_things(), {}));
}

TEST(Approvals, AreABlockOfTheDesiredFile) {
  const std::vector<model::Approval> approvals = {
      {"remove/etcd-c@fd422379fda50e48",
       {0xcdf818194e3a8c32U},
       "ana",
       base::parse_time("2026-09-25T16:00:00Z").value()},
      {"set-data-aside/etcd-c", {1}, "", base::parse_time("2026-09-25T16:00:00Z").value()}};
  const auto text = render_approvals("text", approvals).value();
  EXPECT_THAT(text, HasSubstr("approvals:\n"));
  EXPECT_THAT(text, HasSubstr("cluster: cdf818194e3a8c32\n"));
  EXPECT_THAT(text, HasSubstr("cluster: \"1\"\n"));
  EXPECT_THAT(text, HasSubstr("by: ana\n"));
  EXPECT_EQ(Json::parse(render_approvals("json", approvals).value())["approvals"].size(), 2U);
}

}  // namespace quorate::report
