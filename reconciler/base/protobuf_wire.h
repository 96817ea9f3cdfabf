// The fields of one protobuf message, one after the other: as much of the wire format as etcd's files use.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quorate::base {

enum class WireType { Number, Fixed64, Bytes, Fixed32 };

struct WireField {
  std::uint32_t field = 0;
  WireType type = WireType::Number;
  std::uint64_t number = 0;  // Number, Fixed64, Fixed32
  std::string_view bytes;    // Bytes: points into the message
};

// Takes a variable-length number off the front; nothing where the text ends inside it or it has more than 64 bits.
std::optional<std::uint64_t> take_varint(std::string_view& text);

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // Nothing at the end, and nothing where the message breaks: broken() tells the two apart.
  std::optional<WireField> next();
  bool broken() const { return broken_; }

 private:
  std::optional<std::string_view> take(std::uint64_t count);
  bool read_value(std::uint64_t wire_type, WireField& field);

  std::string_view rest_;
  bool broken_ = false;
};

}  // namespace quorate::base
