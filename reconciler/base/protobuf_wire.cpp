// Varints, lengths and fixed widths; groups, which no message of etcd has, are a break.
#include "reconciler/base/protobuf_wire.h"

#include "reconciler/base/byte_source.h"

namespace quorate::base {

std::optional<std::uint64_t> take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (text.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> WireReader::take(std::uint64_t count) {
  if (count > rest_.size()) return std::nullopt;
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
  rest_.remove_prefix(taken.size());
  return taken;
}

bool WireReader::read_value(std::uint64_t wire_type, WireField& field) {
  if (wire_type == 0) {
    const auto number = take_varint(rest_);
    field.number = number.value_or(0);
    return number.has_value();
  }
  if (wire_type == 2) {
    const auto length = take_varint(rest_);
    const auto bytes = length ? take(*length) : std::nullopt;
    field.type = WireType::Bytes;
    field.bytes = bytes.value_or(std::string_view());
    return bytes.has_value();
  }
  if (wire_type != 1 && wire_type != 5) return false;
  const auto bytes = take(wire_type == 1 ? 8 : 4);
  if (!bytes) return false;
  field.type = wire_type == 1 ? WireType::Fixed64 : WireType::Fixed32;
  field.number =
      wire_type == 1 ? little_endian<std::uint64_t>(bytes->data()) : little_endian<std::uint32_t>(bytes->data());
  return true;
}

std::optional<WireField> WireReader::next() {
  if (broken_ || rest_.empty()) return std::nullopt;
  WireField field;
  const auto key = take_varint(rest_);
  if (!key || *key >> 3 == 0 || *key >> 3 > 0x1FFFFFFF || !read_value(*key & 7, field)) {
    broken_ = true;
    return std::nullopt;
  }
  field.field = static_cast<std::uint32_t>(*key >> 3);
  return field;
}

}  // namespace quorate::base
