// One place after the other where the usual tools look for keys; what was found for a time is kept for that time.
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "reconciler/adapters/s3/credentials.h"
#include "reconciler/adapters/s3/issuers.h"
#include "reconciler/adapters/s3/profile.h"
#include "reconciler/adapters/s3/secrets.h"
#include "reconciler/adapters/s3/transport.h"

namespace quorate::s3 {
namespace {

using base::ErrorKind;
using Fetch = std::function<base::Result<Keys>()>;
using Found = base::Result<std::optional<Keys>>;

// Keys for a time. When no new ones can be had, the old ones are given until they end.
class Renewed {
 public:
  base::Result<Keys> get(base::Time now, const Fetch& fetch) {
    constexpr base::Duration kBefore = std::chrono::minutes{5};
    constexpr base::Duration kPause = std::chrono::seconds{30};
    constexpr base::Duration kUnsaid = std::chrono::hours{1};  // for keys that do not say when they end
    if (keys_ && now < renew_at_) return *keys_;
    auto fresh = fetch();
    if (fresh) {
      keys_ = *std::move(fresh);
      renew_at_ = keys_->expires ? std::max(*keys_->expires - kBefore, now + kPause) : now + kUnsaid;
      return *keys_;
    }
    if (!keys_ || (keys_->expires && now >= *keys_->expires)) return fresh;
    renew_at_ = now + kPause;
    return *keys_;
  }
  void forget(const Keys& keys) {
    if (keys_ && keys_->access == keys.access && keys_->token == keys.token) keys_.reset();
  }

 private:
  std::optional<Keys> keys_;
  base::Time renew_at_{};
};

std::string without_slash(std::string url) {
  while (!url.empty() && url.back() == '/') url.pop_back();
  return url;
}

class UsualCredentials final : public Credentials {
 public:
  UsualCredentials(Surroundings surroundings, ports::Clock& clock)
      : around_(std::move(surroundings)),
        clock_(clock),
        transport_({around_.ca, std::chrono::seconds{5}, std::chrono::seconds{10}}) {}

  base::Result<Keys> keys() override {
    const std::lock_guard lock(mutex_);
    looked_.clear();
    for (const auto place :
         {&UsualCredentials::of_environment, &UsualCredentials::of_web_identity, &UsualCredentials::of_profile,
          &UsualCredentials::of_container, &UsualCredentials::of_machine}) {
      auto found = (this->*place)();
      if (!found) return tl::unexpected(std::move(found.error()));
      if (*found) return **std::move(found);
    }
    return base::invalid("there are no keys for the store: " + looked_,
                         "name files of keys in the desired file, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }

  void expired(const Keys& keys) override {
    const std::lock_guard lock(mutex_);
    for (auto& [whose, renewed] : renewed_) renewed.forget(keys);
  }

 private:
  std::string variable(const char* name) const { return around_.variable(name); }

  Found nothing(const std::string& where_and_why) {
    looked_ += (looked_.empty() ? "" : "; ") + where_and_why;
    return std::nullopt;
  }

  Found renewed(const std::string& whose, const Fetch& fetch) {
    auto keys = renewed_[whose].get(clock_.now(), fetch);
    if (!keys) return tl::unexpected(std::move(keys.error()));
    return *std::move(keys);
  }

  Sts sts() const {
    std::string endpoint = variable("AWS_ENDPOINT_URL_STS");
    if (endpoint.empty()) endpoint = variable("AWS_ENDPOINT_URL");
    const bool china = around_.region.compare(0, 3, "cn-") == 0;
    if (endpoint.empty()) endpoint = "https://sts." + around_.region + ".amazonaws.com" + (china ? ".cn" : "");
    return {without_slash(std::move(endpoint)), around_.region};
  }

  Found of_environment() {
    Keys keys{variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"), variable("AWS_SESSION_TOKEN"), {}};
    if (keys.access.empty() && keys.secret.empty()) return nothing("AWS_ACCESS_KEY_ID is not set");
    if (is_key(keys.access) && is_key(keys.secret) && (keys.token.empty() || is_key(keys.token))) return keys;
    return base::invalid("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are no pair of keys",
                         "set both of them, or none");
  }

  Found of_web_identity() {
    const std::string file = variable("AWS_WEB_IDENTITY_TOKEN_FILE");
    if (file.empty()) return nothing("AWS_WEB_IDENTITY_TOKEN_FILE is not set");
    const std::string arn = variable("AWS_ROLE_ARN");
    if (arn.empty()) return base::invalid("AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN is not");
    return with_token(file, {arn, session_or(variable("AWS_ROLE_SESSION_NAME")), "", ""});
  }

  static std::string session_or(const std::string& name) { return name.empty() ? "quorate" : name; }

  // The file is read each time that keys are fetched: whoever writes it renews the token in it.
  Found with_token(const std::string& file, const Role& role) {
    return renewed("token " + file + " " + role.arn, [&]() -> base::Result<Keys> {
      const auto token = read_key(file, Readers::Any);
      if (!token) return tl::unexpected(token.error());
      return keys_of_web_identity(transport_, sts(), role, *token);
    });
  }

  Found of_profile() {
    const std::string name = name_of_profile(around_);
    const bool named = !around_.profile.empty() || !variable("AWS_PROFILE").empty();
    const auto profile = read_profile(around_, name);
    if (!profile) return tl::unexpected(profile.error());
    const std::string files = profile->credentials_file + " nor in " + profile->config_file;
    if (!profile->section && named) {
      return base::invalid("there are no keys for the store: the profile " + name + " is neither in " + files,
                           "write the profile, or name another in AWS_PROFILE");
    }
    if (!profile->section) return nothing("the profile " + name + " is neither in " + files);
    return of_section(name, *profile->section, 0);
  }

  Found of_section(const std::string& name, const Section& section, int depth) {
    if (!value_of(section, "role_arn").empty()) return of_role(name, section, depth);
    auto keys = keys_of(section, name);
    if (!keys || *keys) return keys;
    for (const char* const other : {"credential_process", "sso_session", "sso_start_url"}) {
      if (section.count(other) == 0) continue;
      return base::invalid("the profile " + name + " has its keys from " + other + ", which is not used here",
                           "name a profile with keys or a role in AWS_PROFILE");
    }
    return nothing("the profile " + name + " holds neither keys nor a role");
  }

  Found of_role(const std::string& name, const Section& section, int depth) {
    constexpr int kDeepest = 5;
    const Role role{value_of(section, "role_arn"), session_or(value_of(section, "role_session_name")),
                    value_of(section, "external_id"), value_of(section, "duration_seconds")};
    if (section.count("mfa_serial") != 0) {
      return base::invalid("the role of the profile " + name + " wants a code from a person (mfa_serial)",
                           "name another profile in AWS_PROFILE");
    }
    if (depth == kDeepest) return base::invalid("the profiles behind " + name + " go round in a circle");
    const std::string token = value_of(section, "web_identity_token_file");
    if (!token.empty()) return with_token(token, role);
    return renewed("role " + name + " " + role.arn, [&]() -> base::Result<Keys> {
      auto signer = signer_of(name, section, depth);
      if (!signer) return tl::unexpected(std::move(signer.error()));
      if (!*signer) return base::invalid("nothing gives the keys with which the profile " + name + " takes its role");
      return keys_of_role(transport_, sts(), role, **signer, clock_.now());
    });
  }

  // Whose keys the request for a role is signed with.
  Found signer_of(const std::string& name, const Section& section, int depth) {
    const std::string source = value_of(section, "credential_source");
    if (source == "Environment") return of_environment();
    if (source == "EcsContainer") return of_container();
    if (source == "Ec2InstanceMetadata") return of_machine();
    const std::string other = value_of(section, "source_profile");
    if (other.empty()) {
      return base::invalid("the profile " + name + " has a role, and nothing to take it with",
                           "set source_profile, credential_source or web_identity_token_file in it");
    }
    if (other == name) return keys_of(section, name);
    const auto profile = read_profile(around_, other);
    if (!profile) return tl::unexpected(profile.error());
    if (!profile->section) return base::invalid("there is no profile " + other + ", which " + name + " names");
    return of_section(other, *profile->section, depth + 1);
  }

  Found of_container() {
    std::string url = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    const std::string relative = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    if (!relative.empty()) {
      url = around_.container_host + (relative.front() == '/' ? "" : "/") + relative;
    } else if (url.empty()) {
      return nothing("AWS_CONTAINER_CREDENTIALS_FULL_URI is not set");
    } else if (auto allowed = check_container_url(url); !allowed) {
      return tl::unexpected(std::move(allowed.error()));
    }
    return renewed("container " + url, [&]() -> base::Result<Keys> {
      std::string authorization = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
      if (const std::string file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
        const auto text = read_small_file(file, Readers::Any);
        if (!text) return tl::unexpected(text.error());
        if (!*text) return base::invalid("the file of the container's token, " + file + ", is not there");
        authorization = trimmed(**text);
      }
      if (!is_header(authorization)) return base::invalid("the container's token cannot stand in a header");
      return keys_of_container(transport_, url, authorization);
    });
  }

  // "Basic YWJj" has a blank.
  static bool is_header(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  }

  Found of_machine() {
    const std::string disabled = variable("AWS_EC2_METADATA_DISABLED");
    if (disabled == "true" || disabled == "TRUE" || disabled == "True") {
      return nothing("AWS_EC2_METADATA_DISABLED is set");
    }
    std::string endpoint = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
    const bool six = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE") == "IPv6";
    if (endpoint.empty()) endpoint = six ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
    endpoint = without_slash(std::move(endpoint));
    std::optional<std::string> why_not;
    auto found = renewed("machine " + endpoint, [&]() -> base::Result<Keys> {
      auto machine = keys_of_machine(transport_, endpoint);
      if (!machine) return tl::unexpected(std::move(machine.error()));
      if (machine->keys) {
        machine_gave_keys_ = true;
        return *std::move(machine->keys);
      }
      if (machine->silent && machine_gave_keys_)
        return tl::unexpected(base::Error{ErrorKind::Transient, machine->why_not, ""});
      why_not = machine->why_not;
      return base::invalid(machine->why_not);
    });
    if (!found && why_not) return nothing(*why_not);
    return found;
  }

  const Surroundings around_;
  ports::Clock& clock_;
  std::mutex mutex_;
  Transport transport_;
  std::map<std::string, Renewed> renewed_;
  bool machine_gave_keys_ = false;  // once: from then on its silence says nothing
  std::string looked_;
};

}  // namespace

std::unique_ptr<Credentials> make_usual_credentials(Surroundings surroundings, ports::Clock& clock) {
  return std::make_unique<UsualCredentials>(std::move(surroundings), clock);
}

}  // namespace quorate::s3
