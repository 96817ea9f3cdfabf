// A store that is slow, away, or loses its answers, and that all agents share.
#include "tests/sim/twins_store.h"

#include <sstream>

#include "reconciler/codec/sha256.h"
#include "reconciler/model/backup_name.h"
#include "tests/fakes/fake_store.h"
#include "tests/support/bolt_builder.h"

namespace quorate::sim {
namespace {

using base::Result;

constexpr const char* kSnapshot = "snapshot";

tl::unexpected<base::Error> failed(const std::string& text, base::ErrorKind kind = base::ErrorKind::Transient) {
  return tl::unexpected(base::Error{kind, text, ""});
}

// One call of the store: how long it takes, and whether it arrives.
template <class Op>
auto ask(AgentLife& life, bool changes, const Op& op) -> decltype(op()) {
  World& world = life.world;
  life.call();
  if (AgentLife::is_dying()) return failed("the agent ends");
  const bool slow = world.faults && world.noise.chance(15);
  life.sleep(slow ? world.noise.between(1000, 20000) : world.noise.between(2, 60));
  if (world.store_down) return failed("the store does not answer");
  if (!changes && world.faults && world.noise.chance(10)) return failed("the store is busy");
  auto answer = op();
  life.call();
  if (changes && world.faults && world.noise.chance(20)) {
    return failed("the store has not answered", base::ErrorKind::Ambiguous);
  }
  return answer;
}

class Writer final : public ports::ObjectWriter {
 public:
  Writer(AgentLife& life, std::unique_ptr<ports::ObjectWriter> behind) : life_(life), behind_(std::move(behind)) {}
  Result<void> write(std::string_view bytes) override { return behind_->write(bytes); }
  Result<void> finish() override {
    return ask(life_, true, [&] { return behind_->finish(); });
  }

 private:
  AgentLife& life_;
  std::unique_ptr<ports::ObjectWriter> behind_;
};

class Reader final : public ports::ObjectReader {
 public:
  Reader(AgentLife& life, std::unique_ptr<ports::ObjectReader> behind) : life_(life), behind_(std::move(behind)) {}
  std::uint64_t size() const override { return behind_->size(); }
  Result<std::size_t> read(char* into, std::size_t most) override {
    return ask(life_, false, [&] { return behind_->read(into, most); });
  }

 private:
  AgentLife& life_;
  std::unique_ptr<ports::ObjectReader> behind_;
};

class StoreTwin final : public ports::ObjectStore {
 public:
  explicit StoreTwin(AgentLife& life) : life_(life), behind_(life.world.shelf) {}

  std::string address() const override { return behind_.address(); }
  Result<std::vector<ports::ObjectInfo>> list(const std::string& prefix) override {
    return ask(life_, false, [&] { return behind_.list(prefix); });
  }
  Result<std::optional<std::string>> get(const std::string& name, std::uint64_t most) override {
    return ask(life_, false, [&] { return behind_.get(name, most); });
  }
  Result<std::unique_ptr<ports::ObjectReader>> open(const std::string& name) override {
    return ask(life_, false, [&]() -> Result<std::unique_ptr<ports::ObjectReader>> {
      auto reader = behind_.open(name);
      if (!reader || *reader == nullptr) return reader;
      return std::make_unique<Reader>(life_, *std::move(reader));
    });
  }
  Result<void> put(const std::string& name, std::string_view bytes, ports::Overwrite overwrite) override {
    return ask(life_, true, [&] { return behind_.put(name, bytes, overwrite); });
  }
  Result<std::unique_ptr<ports::ObjectWriter>> create(const std::string& name, ports::Overwrite overwrite) override {
    return ask(life_, false, [&]() -> Result<std::unique_ptr<ports::ObjectWriter>> {
      auto writer = behind_.create(name, overwrite);
      if (!writer) return writer;
      return std::make_unique<Writer>(life_, *std::move(writer));
    });
  }
  Result<void> remove(const std::string& name) override {
    return ask(life_, true, [&] { return behind_.remove(name); });
  }
  Result<int> sweep(base::Time before) override {
    return ask(life_, true, [&] { return behind_.sweep(before); });
  }

 private:
  AgentLife& life_;
  fakes::FakeStore behind_;
};

class SpoolFile final : public codec::Sink {
 public:
  SpoolFile(AgentLife& life, std::string path) : life_(life), path_(std::move(path)) {}
  Result<void> write(std::string_view bytes) override {
    bytes_.append(bytes);
    return {};
  }
  Result<void> finish() override {
    life_.call();
    life_.sleep(life_.world.noise.between(1, 300) * (life_.machine.slow ? 5 : 1));
    if (life_.machine.full) return failed(path_ + ": no space left on device");
    life_.machine.disk.files[path_] = {life_.world.has(Bug::FetchedIsAnother) ? oldest() : bytes_, 0600};
    life_.call();
    return {};
  }

 private:
  std::string oldest() const {
    for (const auto& [name, object] : life_.world.shelf->objects()) {
      if (read_snapshot(object.bytes)) return object.bytes;
    }
    return bytes_;
  }

  AgentLife& life_;
  std::string path_;
  std::string bytes_;
};

}  // namespace

std::string copied_snapshot(const MemberData& data) {
  return std::string(kSnapshot) + " " + std::to_string(data.cluster.value) + " " + std::to_string(data.member.value) +
         " " + std::to_string(data.last) + " " + std::to_string(data.tail) + " ";
}

std::string snapshot_bytes(const MemberData& data, const Reach& reach, std::int64_t revision) {
  using namespace quorate::tests;
  const std::string meta =
      bolt_leaf(0, {{"consistent_index", big_endian_number(reach.index)}, {"term", big_endian_number(reach.term)}});
  std::string db = bolt_meta(0, 2, 4, 40) + bolt_meta(1, 2, 4, 41);
  db += bolt_leaf(2, {{"key", bolt_bucket(3), true}, {"meta", bolt_bucket(0, meta), true}});
  db += bolt_leaf(3, {{revision_key(static_cast<std::uint64_t>(revision)), copied_snapshot(data)}});
  codec::Sha256 hash;
  hash.update(db);
  return db + hash.digest();
}

std::optional<MemberData> read_snapshot(const std::string& bytes) {
  const std::size_t at = bytes.find(std::string(kSnapshot) + " ");
  if (at == std::string::npos) return std::nullopt;
  std::istringstream words(bytes.substr(at, 200));
  std::string kind;
  MemberData data;
  if (words >> kind >> data.cluster.value >> data.member.value >> data.last >> data.tail) return data;
  return std::nullopt;
}

std::vector<std::string> backups_in(const World& world) {
  std::vector<std::string> names;
  for (const auto& [name, object] : world.shelf->objects()) {
    if (name.ends_with(std::string("/") + std::string(model::kBackupMeta)))
      names.push_back(name.substr(0, name.find('/')));
  }
  return names;
}

std::optional<MemberData> data_in_backup(const World& world, const std::string& name) {
  for (const auto& [object, held] : world.shelf->objects()) {
    if (object.compare(0, name.size() + 1, name + "/") != 0) continue;
    if (auto data = read_snapshot(held.bytes)) return data;
  }
  return std::nullopt;
}

Result<ports::OpenedStore> StoresTwin::open(const model::BackupPolicy& /*policy*/) {
  life_.call();
  return ports::OpenedStore{std::make_shared<StoreTwin>(life_), std::nullopt};
}

Result<std::unique_ptr<codec::Sink>> SpoolTwin::begin(const std::string& path, std::uint64_t /*room*/) {
  life_.call();
  if (life_.machine.full) return failed(path + ": no space left on device");
  return std::make_unique<SpoolFile>(life_, path);
}

}  // namespace quorate::sim
