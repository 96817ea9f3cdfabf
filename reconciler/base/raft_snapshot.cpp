// A checksum around a raftpb.Snapshot; the store that it carries is not looked at.
#include "reconciler/base/raft_snapshot.h"

#include "reconciler/base/crc32c.h"
#include "reconciler/base/protobuf_wire.h"

namespace quorate::base {
namespace {

constexpr std::size_t kMembersAtMost = 1000;

// One number, or many packed into bytes.
bool add_members(const WireField& field, std::vector<MemberId>& members) {
  if (field.type == WireType::Number) {
    members.push_back(MemberId{field.number});
    return members.size() <= kMembersAtMost;
  }
  if (field.type != WireType::Bytes) return false;
  // Packed: varints without keys, one after the other.
  for (std::string_view rest = field.bytes; !rest.empty();) {
    const auto id = take_varint(rest);
    if (!id || members.size() >= kMembersAtMost) return false;
    members.push_back(MemberId{*id});
  }
  return true;
}

bool read_members(std::string_view message, RaftSnapshot& snapshot) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->field == 1 && !add_members(*field, snapshot.voters)) return false;
    if (field->field == 2 && !add_members(*field, snapshot.learners)) return false;
  }
  return !reader.broken();
}

bool read_metadata(std::string_view message, RaftSnapshot& snapshot) {
  WireReader reader(message);
  while (const auto field = reader.next()) {
    if (field->field == 1 && (field->type != WireType::Bytes || !read_members(field->bytes, snapshot))) return false;
    if (field->field == 2) snapshot.index = field->number;
    if (field->field == 3) snapshot.term = field->number;
  }
  return !reader.broken();
}

}  // namespace

std::optional<SnapshotName> parse_snapshot_name(std::string_view file_name) {
  if (file_name.size() != 38 || file_name[16] != '-' || file_name.substr(33) != ".snap") return std::nullopt;
  const auto term = parse_id(file_name.substr(0, 16));
  const auto index = parse_id(file_name.substr(17, 16));
  if (!term || !index) return std::nullopt;
  return SnapshotName{*term, *index};
}

Result<RaftSnapshot> read_raft_snapshot(std::string_view bytes) {
  std::uint32_t crc = 0;
  std::string_view content;
  WireReader outer(bytes);
  while (const auto field = outer.next()) {
    if (field->field == 1 && field->type == WireType::Number) crc = static_cast<std::uint32_t>(field->number);
    if (field->field == 2 && field->type == WireType::Bytes) content = field->bytes;
  }
  if (outer.broken()) return invalid("the snapshot cannot be decoded");
  if (crc == 0 || content.empty()) return invalid("the snapshot is empty");
  if (crc != crc32c(0, content)) return invalid("the checksum of the snapshot does not match");

  RaftSnapshot snapshot;
  WireReader inner(content);
  while (const auto field = inner.next()) {
    if (field->field != 2) continue;
    if (field->type != WireType::Bytes || !read_metadata(field->bytes, snapshot)) {
      return invalid("the metadata of the snapshot cannot be decoded");
    }
  }
  if (inner.broken()) return invalid("the snapshot cannot be decoded");
  return snapshot;
}

}  // namespace quorate::base
