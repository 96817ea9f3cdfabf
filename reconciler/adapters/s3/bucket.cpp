// Objects: listed, looked at, read, put and removed.
#include "reconciler/adapters/s3/bucket.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "reconciler/adapters/s3/download.h"
#include "reconciler/base/object_name.h"

namespace quorate::s3 {
namespace {

using base::Error;
using base::ErrorKind;

constexpr std::size_t kObjectsAtMost = 1'000'000;

}  // namespace

Bucket::Bucket(Settings settings, Place place, Credentials& credentials, ports::Clock& clock, ports::Entropy& entropy)
    : settings_(std::move(settings)), client_(settings_, std::move(place), credentials, clock, entropy) {
  if (client_.place().at_aws()) conditions_ = Honour::Yes;
}

std::string Bucket::address() const {
  return "s3://" + settings_.bucket + (settings_.base.empty() ? "" : "/" + settings_.base);
}

std::string Bucket::key_of(const std::string& name) const {
  return settings_.base.empty() ? name : settings_.base + "/" + name;
}

std::optional<std::string> Bucket::name_of(const std::string& key) const {
  const std::string before = key_of("");
  if (key.compare(0, before.size(), before) != 0) return std::nullopt;
  return key.substr(before.size());
}

Ask Bucket::ask(const std::string& method, const std::string& doing, const std::string& name) const {
  Ask ask;
  ask.method = method;
  ask.doing = doing + " " + address() + (name.empty() ? "" : "/" + name);
  if (!name.empty()) ask.key = key_of(name);
  return ask;
}

Pairs Bucket::headers_of_new_objects() const {
  Pairs headers;
  if (!settings_.encryption.empty()) headers.emplace_back("x-amz-server-side-encryption", settings_.encryption);
  if (!settings_.kms_key.empty()) {
    headers.emplace_back("x-amz-server-side-encryption-aws-kms-key-id", settings_.kms_key);
  }
  if (!settings_.storage_class.empty()) headers.emplace_back("x-amz-storage-class", settings_.storage_class);
  return headers;
}

base::Error Bucket::there_is_one(const std::string& name) const {
  return {ErrorKind::Conflict, address() + "/" + name + " is there already", "look at what it holds"};
}

base::Result<std::vector<ports::ObjectInfo>> Bucket::list(const std::string& prefix) {
  std::vector<ports::ObjectInfo> objects;
  std::set<std::string> pages;
  std::size_t seen = 0;
  Ask ask = this->ask("GET", "listing", "");
  const std::string wanted = key_of(prefix);
  for (std::string next;;) {
    ask.query = {{"list-type", "2"}, {"max-keys", std::to_string(settings_.page)}, {"prefix", wanted}};
    if (!next.empty()) ask.query.emplace_back("continuation-token", next);
    const auto said = client_.ask_well(ask);
    if (!said) return tl::unexpected(said.error());
    auto page = read_for(ask, read_list(said->answer.body));
    if (!page) return tl::unexpected(std::move(page.error()));
    for (Listed& listed : page->objects) {
      auto name = name_of(listed.key);
      if (!name || listed.key.compare(0, wanted.size(), wanted) != 0) {
        return base::invalid(ask.doing + ": the store lists what was not asked for",
                             "check the endpoint: is it the address of the S3 service?");
      }
      // Others may have put names here that no object of ours can have; folders of consoles end in a slash.
      if (base::is_object_name(*name)) objects.push_back({std::move(*name), listed.size, listed.modified});
    }
    seen += page->objects.size();
    if (seen > kObjectsAtMost) return base::invalid(ask.doing + ": there are more than a million objects");
    if (page->next.empty()) break;
    if (!pages.insert(page->next).second) return base::invalid(ask.doing + ": the listing goes round in a circle");
    next = std::move(page->next);
  }
  std::sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return objects;
}

// Nothing: it said no, and the answer to HEAD has no body that would say why.
base::Result<std::optional<Head>> Bucket::ask_head(const std::string& name) {
  const auto said = client_.ask(this->ask("HEAD", "looking at", name));
  if (!said) return tl::unexpected(said.error());
  if (!said->ok()) return std::nullopt;
  Head head{0, said->answer.header("etag"), said->answer.header("last-modified")};
  const std::string length = said->answer.header("content-length");
  std::from_chars(length.data(), length.data() + length.size(), head.size);
  return head;
}

base::Result<std::optional<Head>> Bucket::head(const std::string& name) {
  auto head = ask_head(name);
  if (!head || *head) return head;
  const auto got = get(name, 0);
  if (got) return *got ? std::optional(Head{}) : std::nullopt;
  if (got.error().kind != ErrorKind::Invalid) return tl::unexpected(got.error());
  // It has come between the two questions; or there is no such bucket.
  head = ask_head(name);
  if (!head || *head) return head;
  return tl::unexpected(got.error());
}

base::Result<std::optional<std::string>> Bucket::get(const std::string& name, std::uint64_t most) {
  Ask ask = this->ask("GET", "getting", name);
  ask.most = std::max<std::uint64_t>(most, 65536);  // an error has a body, too
  auto said = client_.ask(ask);
  if (!said) return tl::unexpected(std::move(said.error()));
  if (!said->ok()) {
    const auto gone = client_.missing(ask, *said);
    if (!gone) return tl::unexpected(gone.error());
    return std::nullopt;
  }
  if (said->answer.body.size() > most) {
    return base::invalid(ask.doing + ": it is larger than " + std::to_string(most) + " bytes");
  }
  return std::move(said->answer.body);
}

base::Result<std::unique_ptr<ports::ObjectReader>> Bucket::open(const std::string& name) {
  return Download::begin(client_, ask("GET", "getting", name));
}

base::Result<void> Bucket::put(const std::string& name, std::string_view bytes) {
  Ask ask = this->ask("PUT", "putting", name);
  ask.headers = headers_of_new_objects();
  ask.body = bytes;
  const auto said = client_.ask_well(ask);
  if (!said) return tl::unexpected(said.error());
  return {};
}

base::Result<bool> Bucket::holds(const std::string& name, std::string_view bytes) {
  const auto there = get(name, bytes.size());
  if (!there && there.error().kind == ErrorKind::Invalid) return false;  // it is larger
  if (!there) return tl::unexpected(there.error());
  return *there && **there == bytes;
}

// A store that says 412 once, or is AWS, keeps to the condition; of others it is not known whether they heard it.
base::Result<void> Bucket::put_new(const std::string& name, std::string_view bytes) {
  if (conditions_ == Honour::No) return put_after_looking(name, bytes);
  const bool sure = conditions_ == Honour::Yes;
  if (!sure) {
    if (auto free = is_free(name); !free) return free;
  }
  Ask ask = this->ask("PUT", "putting", name);
  ask.headers = headers_of_new_objects();
  ask.headers.emplace_back("if-none-match", "*");
  ask.body = bytes;
  const auto said = client_.ask(ask);
  if (!said) return tl::unexpected(said.error());
  if (said->answer.status == 412) {
    conditions_ = Honour::Yes;
    if (!said->maybe_done) return tl::unexpected(there_is_one(name));
  } else if (said->answer.status == 501) {
    conditions_ = Honour::No;
    return put_after_looking(name, bytes);
  } else if (!said->ok()) {
    return tl::unexpected(client_.refusal(ask, *said));
  } else if (sure) {
    return {};
  }
  // Ours, from a try whose answer was lost or in a store that may not have heard the condition; or somebody else's.
  const auto ours = holds(name, bytes);
  if (!ours) return tl::unexpected(ours.error());
  if (!*ours) return tl::unexpected(there_is_one(name));
  return {};
}

base::Result<void> Bucket::is_free(const std::string& name) {
  const auto there = head(name);
  if (!there) return tl::unexpected(there.error());
  if (*there) return tl::unexpected(there_is_one(name));
  return {};
}

base::Result<void> Bucket::put_after_looking(const std::string& name, std::string_view bytes) {
  if (auto free = is_free(name); !free) return free;
  if (auto done = put(name, bytes); !done) return done;
  const auto ours = holds(name, bytes);
  if (!ours) return tl::unexpected(ours.error());
  if (!*ours) return tl::unexpected(there_is_one(name));
  return {};
}

base::Result<void> Bucket::remove(const std::string& name) {
  const Ask ask = this->ask("DELETE", "removing", name);
  const auto said = client_.ask(ask);
  if (!said) return tl::unexpected(said.error());
  if (said->ok()) return {};
  const auto gone = client_.missing(ask, *said);
  if (!gone) return tl::unexpected(gone.error());
  return {};
}

}  // namespace quorate::s3
