// What an S3 store says in XML, as values; every one of them may be wrong or hostile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/result.h"
#include "reconciler/base/time.h"

namespace quorate::s3 {

// An error as the store or STS words it; empty where it is none of theirs.
struct Trouble {
  std::string code;
  std::string message;      // printable, cut short
  std::string region;       // where the bucket is
  std::string server_time;  // when the store thinks it is
};
Trouble read_trouble(std::string_view xml);

struct Listed {
  std::string key;
  std::uint64_t size = 0;
  base::Time modified{};
};
struct ListPage {
  std::vector<Listed> objects;
  std::string next;  // token of the next page; empty: this is the last
};
base::Result<ListPage> read_list(std::string_view xml);

struct OpenUpload {
  std::string key;
  std::string id;
  base::Time began{};
};
struct UploadPage {
  std::vector<OpenUpload> uploads;
  bool more = false;
  std::string next_key;
  std::string next_id;
};
base::Result<UploadPage> read_uploads(std::string_view xml);

// Keys for a time, as STS gives them; empty where it is no such answer.
struct Issued {
  std::string access;
  std::string secret;
  std::string token;
  std::string ends;
};
Issued read_issued(std::string_view xml);

base::Result<std::string> read_upload_id(std::string_view xml);
bool says_completed(std::string_view xml);

std::string completion_of(const std::vector<std::string>& etags);  // of parts 1, 2, ...

}  // namespace quorate::s3
