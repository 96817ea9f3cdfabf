// Matching by name, then by peer URLs, never by order; two candidates for one member are nobody's guess to make.
#include "reconciler/plan/world.h"

#include <algorithm>

#include "reconciler/base/words.h"

namespace quorate::plan {
namespace {

bool shares_url(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& url) { return base::contains(b, url); });
}

class Matcher {
 public:
  explicit Matcher(World& world) : world_(world) {
    if (world.observed.membership) taken_.resize(world.observed.membership->members.size(), false);
  }

  void match(const Wish& wish) {
    Seat seat;
    seat.wish = &wish;
    seat.node = model::node_of(world_.observed, wish.member->name);
    seat.listed = candidate(wish);
    seat.up = seat.listed != nullptr && model::is_up(*seat.listed);
    world_.seats.push_back(seat);
  }

  void rest() {
    if (!world_.observed.membership) return;
    const auto& members = world_.observed.membership->members;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (taken_[i]) continue;
      Seat seat;
      seat.listed = &members[i];
      seat.node = model::node_of(world_.observed, members[i].listed.name);
      seat.up = model::is_up(members[i]);
      seat.dropped = is_dropped(members[i].listed);
      world_.seats.push_back(seat);
    }
  }

 private:
  const model::ObservedMember* candidate(const Wish& wish) {
    if (!world_.observed.membership) return nullptr;
    const auto& members = world_.observed.membership->members;
    const model::ObservedMember* found = nullptr;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const model::ListedMember& listed = members[i].listed;
      const bool by_name = listed.name == wish.member->name;
      const bool by_urls = listed.name.empty() && base::same_texts(listed.peer_urls, wish.peer_urls);
      if (!listed.name.empty() && !by_name && shares_url(listed.peer_urls, wish.peer_urls)) {
        world_.renamed.push_back(wish.member->name);
      }
      if (!by_name && !by_urls) continue;
      if (found != nullptr) world_.ambiguous.push_back(wish.member->name);
      taken_[i] = true;
      found = &members[i];
    }
    return found;
  }

  bool is_dropped(const model::ListedMember& listed) const {
    const auto& lost = world_.desired.lost;
    if (std::find(lost.begin(), lost.end(), listed.id) != lost.end()) return true;
    // A learner at URLs that an agent has announced was added by us, for a file that has changed since.
    const auto& announced = world_.observed.announced;
    if (announced && listed.learner &&
        std::any_of(announced->adding.begin(), announced->adding.end(),
                    [&](const std::vector<std::string>& urls) { return base::same_texts(urls, listed.peer_urls); })) {
      return true;
    }
    return !listed.name.empty() && was_ours(world_.observed, listed.name);
  }

  World& world_;
  std::vector<bool> taken_;
};

bool version_differs(const World& world, const Seat& seat, Difference* difference) {
  const auto& version = world.desired.etcd.version;
  if (!version || !seat.listed->status) return false;
  const std::string& have = seat.listed->status->version;
  const auto runs = base::parse_version(have);
  if (runs && runs->minor == version->minor && (!version->patch || runs->patch == version->patch)) return false;
  if (difference != nullptr) {
    *difference = {"VersionSkew", "it runs etcd " + have + ", wanted " + base::to_string(*version), "etcd.version",
                   base::to_string(*version), have};
  }
  return true;
}

}  // namespace

std::vector<Wish> wishes_of(const model::Desired& desired, const Wanted& wanted) {
  std::vector<Wish> wishes;
  wishes.reserve(desired.members.size());
  for (const model::Member& member : desired.members) {
    Wish wish{&member, base::to_strings(member.peer_urls), base::to_strings(member.client_urls), {}};
    const auto bundle = wanted.bundles.find(member.name);
    if (bundle != wanted.bundles.end()) wish.bundle = bundle->second;
    wishes.push_back(std::move(wish));
  }
  return wishes;
}

World make_world(const model::Desired& desired, const model::Observed& observed, const Wanted& wanted,
                 const std::vector<Wish>& wishes) {
  World world{desired, observed, wanted, {}, model::leader_of(observed), model::quorum_of(observed), {}, {}};
  world.seats.reserve(wishes.size() + 2);
  Matcher matcher{world};
  for (const Wish& wish : wishes) matcher.match(wish);
  matcher.rest();
  return world;
}

bool was_ours(const model::Observed& observed, const std::string& member) {
  if (observed.applied) return base::contains(observed.applied->members, member);
  const auto& formed = observed.formed;
  return formed && !formed->decision.empty() && observed.membership &&
         formed->cluster == observed.membership->cluster && base::contains(formed->members, member);
}

bool has_data(const Seat& seat) {
  return seat.node != nullptr && seat.node->data && !lacks_data(seat);
}

bool is_whole(const Seat& seat) {
  return has_data(seat) && seat.node->data->state == model::DataState::Valid;
}

bool lacks_data(const Seat& seat) {
  return seat.node != nullptr && seat.node->data && model::holds_nothing(*seat.node->data);
}

bool never_ran(const Seat& seat) {
  return lacks_data(seat) && seat.node->data->state == model::DataState::Fresh;
}

bool is_running(const Seat& seat) {
  return seat.node != nullptr && seat.node->process && seat.node->process->running;
}

bool has_lost_log(const Seat& seat) {
  return lacks_data(seat) && seat.node->data->held.value != 0;
}

bool is_left_data(const World& world, const model::DataDir& data) {
  if (data.state == model::DataState::Foreign || !world.observed.membership) return false;
  const base::ClusterId cluster = world.observed.membership->cluster;
  const auto& formed = world.observed.formed;
  if (formed && formed->cluster == cluster && model::has_replaced(*formed, data.cluster)) return true;
  return data.cluster == cluster && model::member_of(world.observed, data.member) == nullptr;
}

bool has_left_data(const World& world, const Seat& seat) {
  return has_data(seat) && is_left_data(world, *seat.node->data);
}

bool differs(const World& world, const Seat& seat, Difference* difference) {
  if (seat.wish == nullptr || !seat.managed() || seat.listed == nullptr) return false;
  if (version_differs(world, seat, difference)) return true;
  if (seat.node != nullptr && seat.node->manifest) {
    const std::string& have = seat.node->manifest->digest;
    if (have == seat.wish->bundle) return false;
    if (difference != nullptr) {
      *difference = {"ConfigChanged",
                     have.empty() ? "none of its files is there" : "its files are not what the file asks for", "",
                     seat.wish->bundle.substr(0, 12), have.empty() ? "none" : have.substr(0, 12)};
    }
    return true;
  }
  // etcd publishes its client URLs: without a look at the node they tell that its configuration is an older one.
  if (seat.listed->listed.client_urls.empty() ||
      base::same_texts(seat.listed->listed.client_urls, seat.wish->client_urls)) {
    return false;
  }
  if (difference != nullptr) {
    *difference = {"ClientUrlChanged", "its clients are told other addresses than the file says",
                   "network.ports.client", base::joined(seat.wish->client_urls, ","),
                   base::joined(seat.listed->listed.client_urls, ",")};
  }
  return true;
}

}  // namespace quorate::plan
