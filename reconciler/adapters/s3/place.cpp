// The rules for names of buckets and regions, and the two ways to name a bucket in a URL.
#include "reconciler/adapters/s3/place.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "reconciler/base/net.h"
#include "reconciler/base/object_name.h"

namespace quorate::s3 {
namespace {

bool is_word(std::string_view text, std::string_view also, std::size_t most) {
  return !text.empty() && text.size() <= most && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || also.find(c) != std::string_view::npos;
  });
}

std::string host_in_url(const base::Url& url) {
  const std::string name = base::is_ipv6(url.host) ? "[" + url.host + "]" : url.host;
  const bool usual = url.port == (url.scheme == "https" ? 443 : 80);
  return usual ? name : name + ":" + std::to_string(url.port);
}

base::Result<void> check(const Settings& settings) {
  if (!is_word(settings.bucket, ".-_ABCDEFGHIJKLMNOPQRSTUVWXYZ", 255) || settings.bucket.front() == '.') {
    return base::invalid("the name of the bucket is none that S3 knows", "write s3://BUCKET/BASE");
  }
  if (!is_word(settings.region, "-_ABCDEFGHIJKLMNOPQRSTUVWXYZ", 64)) {
    return base::invalid("the region of the store is none", "write it as eu-central-1");
  }
  if (!settings.base.empty() && (!base::is_object_name(settings.base) || settings.base.size() > 500)) {
    return base::invalid("what comes after the bucket cannot stand before names of objects",
                         "write s3://BUCKET/BASE, without \"..\" and doubled slashes");
  }
  const std::string& how = settings.encryption;
  if (!how.empty() && how != "AES256" && how != "aws:kms") {
    return base::invalid("the store knows no such encryption", "write AES256 or aws:kms");
  }
  if (!settings.kms_key.empty() && how != "aws:kms") {
    return base::invalid("a key of KMS is named, and the encryption is not aws:kms");
  }
  return {};
}

}  // namespace

base::Result<Place> Place::of(const Settings& settings) {
  if (auto checked = check(settings); !checked) return tl::unexpected(std::move(checked.error()));
  Place place;
  place.at_aws_ = settings.endpoint.empty();
  const bool china = settings.region.compare(0, 3, "cn-") == 0;
  std::string endpoint = settings.endpoint;
  if (endpoint.empty()) endpoint = "https://s3." + settings.region + ".amazonaws.com" + (china ? ".cn" : "");
  while (!endpoint.empty() && endpoint.back() == '/') endpoint.pop_back();
  // A port may be left out, unlike in etcd's addresses.
  const std::size_t host_at = endpoint.find("://");
  const std::size_t end = host_at == std::string::npos ? std::string::npos : endpoint.find(']', host_at);
  const std::size_t from = end != std::string::npos ? end : host_at + 3;
  if (host_at != std::string::npos && endpoint.find(':', from) == std::string::npos) {
    endpoint += endpoint.compare(0, 8, "https://") == 0 ? ":443" : ":80";
  }
  base::UrlProblem problem;
  const auto url = base::parse_url(endpoint, problem);
  if (!url) {
    return base::invalid("the endpoint of the store " + problem.what, "write it as https://host or https://host:port");
  }
  const bool fits_host = base::is_dns_label(settings.bucket) && !base::is_ip(url->host);
  const bool own_host = settings.style == Style::VirtualHost || (settings.style == Style::Auto && place.at_aws_);
  if (settings.style == Style::VirtualHost && !fits_host) {
    return base::invalid("the bucket's name cannot be part of a host's name", "use the path style");
  }
  place.host_ = (own_host && fits_host ? settings.bucket + "." : "") + host_in_url(*url);
  place.origin_ = url->scheme + "://" + place.host_;
  place.bucket_path_ = own_host && fits_host ? "/" : "/" + settings.bucket + "/";
  return place;
}

}  // namespace quorate::s3
