// What each address answered, before anybody decides what to believe.
#pragma once

#include <string>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"
#include "reconciler/model/fact.h"
#include "reconciler/model/observed.h"
#include "reconciler/ports/etcd_admin.h"

namespace quorate::observe {

struct Answers {
  std::string endpoint;
  base::Time asked{};  // and answered: the calls run beside one another
  base::Result<ports::StatusAnswer> status = base::invalid("nobody asked");
  base::Result<ports::MemberList> own_list = base::invalid("nobody asked");     // serializable: its own memory
  base::Result<ports::MemberList> agreed_list = base::invalid("nobody asked");  // linearizable
  base::Result<std::vector<model::Alarm>> alarms = base::invalid("nobody asked");
  base::Result<base::Duration> read = base::invalid("nobody asked");  // how long a linearizable read through it took
};

// The member list that a majority of the voters in it stand behind, with what each of its members said.
model::Fact<model::Membership> believe(const std::vector<Answers>& answers, base::Time at);

// In the order of `answers`.
std::vector<model::EndpointAnswer> who_answered(const std::vector<Answers>& answers);
// Of the first that could say.
model::Fact<std::vector<model::Alarm>> alarms_of(const std::vector<Answers>& answers, base::Time at);

}  // namespace quorate::observe
