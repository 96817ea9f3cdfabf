// The fence in etcd's configuration file: its client listeners take our agents alone. What stood there before stays in
// the file as comments, so that the same text comes back when the fence is taken away.
#pragma once

#include <string>
#include <string_view>

namespace quorate::renderers {

struct FenceFiles {
  std::string ca;    // who signs passes
  std::string pass;  // of this member's agent: etcd shows it to those who come
  std::string key;
};

std::string with_fence(std::string_view text, const FenceFiles& files);
std::string without_fence(std::string_view text);
bool has_fence(std::string_view text);

}  // namespace quorate::renderers
