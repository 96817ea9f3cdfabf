// Where a bucket is: the address of each of its objects, as a URL and as what is signed.
#pragma once

#include <string>

#include "reconciler/adapters/s3/s3.h"
#include "reconciler/base/result.h"

namespace quorate::s3 {

class Place {
 public:
  // Invalid: the settings make no address.
  static base::Result<Place> of(const Settings& settings);

  bool tls() const { return origin_.compare(0, 8, "https://") == 0; }
  bool at_aws() const { return at_aws_; }
  const std::string& host() const { return host_; }                              // as in the Host header
  const std::string& origin() const { return origin_; }                          // scheme://host
  std::string path(const std::string& key) const { return bucket_path_ + key; }  // plain text; "": the bucket itself

 private:
  bool at_aws_ = false;
  std::string host_;
  std::string origin_;
  std::string bucket_path_;
};

}  // namespace quorate::s3
