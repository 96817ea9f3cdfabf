// Writes what etcd writes into a segment of its log, byte for byte, so that tests can break it at any place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/crc32c.h"

namespace quorate::tests {

inline void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<char>((value & 127) | 128));
  to.push_back(static_cast<char>(value));
}

inline void put_number(std::string& to, std::uint64_t field, std::uint64_t value) {
  put_varint(to, field << 3);
  put_varint(to, value);
}

inline void put_bytes(std::string& to, std::uint64_t field, std::string_view bytes) {
  put_varint(to, field << 3 | 2);
  put_varint(to, bytes.size());
  to += bytes;
}

inline void put_fixed(std::string& to, std::uint64_t value, std::size_t bytes, bool big_endian = false) {
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    to.push_back(static_cast<char>(value >> 8 * (big_endian ? bytes - 1 - byte : byte) & 0xFF));
  }
}

class WalBuilder {
 public:
  // Opens a segment with the checksum so far and the metadata, as etcd does.
  WalBuilder& segment(std::uint64_t node = 0xA, std::uint64_t cluster = 0xC) {
    segments.emplace_back();
    std::string record;
    put_number(record, 1, 4);
    put_number(record, 2, crc_);
    frame(record);
    std::string metadata;
    put_number(metadata, 1, node);
    put_number(metadata, 2, cluster);
    return add(1, metadata);
  }
  WalBuilder& entry(std::uint64_t term, std::uint64_t index, std::string_view data = "data") {
    std::string entry;
    put_number(entry, 1, 0);
    put_number(entry, 2, term);
    put_number(entry, 3, index);
    put_bytes(entry, 4, data);
    return add(2, entry);
  }
  WalBuilder& state(std::uint64_t term, std::uint64_t vote, std::uint64_t commit) {
    std::string state;
    put_number(state, 1, term);
    put_number(state, 2, vote);
    put_number(state, 3, commit);
    return add(3, state);
  }
  WalBuilder& snapshot(std::uint64_t term, std::uint64_t index) {
    std::string snapshot;
    put_number(snapshot, 1, index);
    put_number(snapshot, 2, term);
    return add(5, snapshot);
  }
  WalBuilder& add(std::uint64_t type, std::string_view payload) {
    crc_ = base::crc32c(crc_, payload);
    std::string record;
    put_number(record, 1, type);
    put_number(record, 2, crc_);
    put_bytes(record, 3, payload);
    return frame(record);
  }
  WalBuilder& frame(const std::string& record) {
    const std::size_t padding = (8 - record.size() % 8) % 8;
    std::uint64_t length = record.size();
    if (padding != 0) length |= (0x80 | padding) << 56;
    std::string& to = segments.back();
    offsets.push_back(to.size());
    put_fixed(to, length, 8);
    to += record + std::string(padding, '\0');
    return *this;
  }

  std::vector<std::string> segments;
  std::vector<std::size_t> offsets;  // of each record in its segment, in the order they were added

 private:
  std::uint32_t crc_ = 0;
};

inline std::string wal_name(std::uint64_t sequence, std::uint64_t index) {
  const auto digits = [](std::uint64_t number) {
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
    return text;
  };
  return digits(sequence) + "-" + digits(index) + ".wal";
}

}  // namespace quorate::tests
