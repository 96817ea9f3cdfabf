// Endpoints, certificates, user and password.
#include "reconciler/cli/access.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "reconciler/base/net.h"
#include "reconciler/cli/commands.h"
#include "reconciler/cli/files.h"
#include "reconciler/cli/password.h"

namespace quorate::cli {
namespace {

constexpr std::size_t kMostEndpoints = 64;

bool is_readable(const std::string& path) {
  return !path.empty() && ::access(path.c_str(), R_OK) == 0;
}

// What stands before an @ is a secret, wherever somebody has put it.
std::string host_alone(const std::string& endpoint) {
  const std::size_t mark = endpoint.find("://");
  std::string text = mark == std::string::npos ? endpoint : endpoint.substr(mark + 3);
  if (const std::size_t at = text.rfind('@'); at != std::string::npos) text = text.substr(at + 1);
  text = text.substr(0, text.find_first_of("/?#"));
  return text.empty() ? "of --endpoints" : text;
}

// As etcdctl takes them: the scheme may be left out.
std::string with_scheme(const std::string& endpoint, bool tls) {
  return endpoint.find("://") != std::string::npos ? endpoint : (tls ? "https://" : "http://") + endpoint;
}

base::Result<std::string> password_of_file(const std::string& path) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  const std::size_t end = text->find_last_not_of("\r\n");
  return text->substr(0, end == std::string::npos ? 0 : end + 1);
}

bool is_from_environment(const std::string& value) {
  for (const char* name : {"QUORATE_USER", "ETCDCTL_USER"}) {
    const char* given = std::getenv(name);
    if (given != nullptr && value == given) return true;
  }
  return false;
}

base::Result<void> add_user(const Arguments& arguments, etcd_grpc::Access& access) {
  if (arguments.user.empty()) return {};
  const std::size_t colon = arguments.user.find(':');
  access.user = arguments.user.substr(0, colon);
  if (colon != std::string::npos) {
    access.password = arguments.user.substr(colon + 1);
    if (!is_from_environment(arguments.user)) {
      talk("quorate: warning: a password on the command line is visible to everybody on this machine");
      talk("  put it into a file and name that with --password-file");
    }
    return {};
  }
  auto password = arguments.password_file.empty() ? ask_for_password(access.user, may_ask_people(arguments.no_input))
                                                  : password_of_file(arguments.password_file);
  if (!password) return tl::unexpected(password.error());
  access.password = *std::move(password);
  return {};
}

}  // namespace

base::Result<std::vector<std::string>> endpoints_of(const Arguments& arguments, const model::Desired* desired) {
  std::vector<std::string> endpoints;
  const bool tls = !arguments.cacert.empty() || !arguments.cert.empty() ||
                   (desired != nullptr && desired->tls.mode != model::TlsMode::Off);
  const std::string& list = arguments.endpoints;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) {
      const std::string endpoint = with_scheme(list.substr(at, comma - at), tls);
      base::UrlProblem problem;
      const auto url = base::parse_url(endpoint, problem);
      if (!url) {
        return base::invalid("--endpoints: the address " + host_alone(endpoint) + " " + problem.what,
                             "write it as https://host:port");
      }
      endpoints.push_back(base::to_string(*url));
    }
    at = comma + 1;
  }
  if (endpoints.empty() && desired != nullptr) {
    for (const model::Member& member : desired->members) {
      for (const base::Url& url : member.client_urls) endpoints.push_back(base::to_string(url));
    }
    if (desired->adopt) {
      for (const base::Url& url : desired->adopt->endpoints) endpoints.push_back(base::to_string(url));
    }
  }
  if (endpoints.empty()) return base::invalid("no endpoint to ask", "name some with --endpoints, or a file with -f");
  if (endpoints.size() > kMostEndpoints) {
    return base::invalid("--endpoints names " + std::to_string(endpoints.size()) + " addresses, at most " +
                         std::to_string(kMostEndpoints) + " are asked");
  }
  return endpoints;
}

base::Result<etcd_grpc::Access> access_of(const Arguments& arguments, const model::Desired* desired) {
  if (arguments.cert.empty() != arguments.key.empty()) {
    return arguments.key.empty() ? base::invalid("--cert without --key", "name the file of the certificate's key too")
                                 : base::invalid("--key without --cert", "name the file of the key's certificate too");
  }
  etcd_grpc::Access access;
  access.ca = arguments.cacert;
  access.cert = arguments.cert;
  access.key = arguments.key;
  access.server_name = arguments.server_name;
  if (desired != nullptr && desired->tls.mode != model::TlsMode::Off) {
    const model::TlsFiles& own = desired->tls.client;
    if (access.ca.empty() && is_readable(own.ca)) access.ca = own.ca;
    const bool pair = is_readable(own.cert) && is_readable(own.key);
    if (access.cert.empty() && access.key.empty() && pair && desired->tls.mode == model::TlsMode::Mutual) {
      access.cert = own.cert;
      access.key = own.key;
    }
  }
  if (auto added = add_user(arguments, access); !added) return tl::unexpected(added.error());
  return access;
}

}  // namespace quorate::cli
