// What every store of objects keeps to.
#include "tests/contract/object_store_contract.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace quorate::tests {

using base::ErrorKind;
using ports::Overwrite;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string patterned(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 12345;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24U);
  }
  return bytes;
}

std::vector<std::string> ObjectStoreContract::names(const std::string& prefix) {
  const auto listed = store_->list(prefix);
  if (!listed) return {"error: " + listed.error().message};
  std::vector<std::string> found;
  for (const auto& object : *listed) found.push_back(object.name);
  return found;
}

TEST_P(ObjectStoreContract, IsEmptyAtFirst) {
  EXPECT_THAT(names(""), IsEmpty());
  EXPECT_THAT(names("backups/"), IsEmpty());
}

TEST_P(ObjectStoreContract, GivesBackWhatWasPut) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20}) {
    const std::string bytes = patterned(size);
    put("a/b", bytes);
    EXPECT_TRUE(bytes_of("a/b") == bytes) << size;
    const auto listed = store_->list("");
    ASSERT_TRUE(listed) << listed.error().message;
    ASSERT_EQ(listed->size(), 1U);
    EXPECT_EQ(listed->front().size, size);
  }
}

TEST_P(ObjectStoreContract, SaysWhenSomethingIsNotThere) {
  put("there", "x");
  const auto got = store_->get("not/there", 10);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_FALSE(*got);
  const auto opened = store_->open("not-there");
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(*opened, nullptr);
  const auto below = store_->get("there/below", 10);
  ASSERT_TRUE(below) << below.error().message;
  EXPECT_FALSE(*below);
  EXPECT_TRUE(store_->remove("not-there"));
}

TEST_P(ObjectStoreContract, ListsWhatIsBelowAPrefixSortedByName) {
  put("b/2", "22");
  put("b/1", "1");
  put("bc", "bc");
  put("a", "");
  put("c/d/e", "e");
  EXPECT_THAT(names(""), ElementsAre("a", "b/1", "b/2", "bc", "c/d/e"));
  EXPECT_THAT(names("b"), ElementsAre("b/1", "b/2", "bc"));
  EXPECT_THAT(names("b/"), ElementsAre("b/1", "b/2"));
  EXPECT_THAT(names("c/d/"), ElementsAre("c/d/e"));
  EXPECT_THAT(names("d"), IsEmpty());
}

TEST_P(ObjectStoreContract, ListsMoreThanOnePageCompletely) {
  std::vector<std::string> wanted;
  for (int number = 100; number < 112; ++number) {
    wanted.push_back("pages/" + std::to_string(number));
    put(wanted.back(), std::to_string(number));
  }
  EXPECT_EQ(names("pages/"), wanted);
}

TEST_P(ObjectStoreContract, DoesNotSeeANeighbourWhoseNameBeginsAlike) {
  const auto neighbour = place_->neighbour();
  ASSERT_TRUE(neighbour->mark());
  ASSERT_TRUE(neighbour->put("mine", "theirs", Overwrite::Allowed));
  EXPECT_THAT(names(""), IsEmpty());
  put("mine", "ours");
  const auto got = neighbour->get("mine", 100);
  ASSERT_TRUE(got && *got);
  EXPECT_EQ(**got, "theirs");
}

TEST_P(ObjectStoreContract, ReplacesOnlyWhenAsked) {
  ASSERT_TRUE(store_->put("once", "first", Overwrite::Never));
  const auto again = store_->put("once", "second", Overwrite::Never);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::Conflict);
  EXPECT_EQ(bytes_of("once"), "first");
  const auto other = place_->store()->put("once", "first", Overwrite::Never);
  ASSERT_FALSE(other) << "the same bytes are no excuse";
  EXPECT_EQ(other.error().kind, ErrorKind::Conflict);
  put("once", "third");
  EXPECT_EQ(bytes_of("once"), "third");
  ASSERT_TRUE(store_->remove("once"));
  EXPECT_TRUE(store_->put("once", "fourth", Overwrite::Never));
}

TEST_P(ObjectStoreContract, WritesObjectsOfUnknownLength) {
  const std::string bytes = patterned(std::size_t{11} << 20);
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, bytes.size()}) {
    auto writer = store_->create("stream", Overwrite::Allowed);
    ASSERT_TRUE(writer) << writer.error().message;
    for (std::size_t at = 0; at < size; at += 1000000) {
      const auto written =
          (*writer)->write(std::string_view(bytes).substr(at, std::min<std::size_t>(1000000, size - at)));
      ASSERT_TRUE(written) << written.error().message;
    }
    const auto finished = (*writer)->finish();
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_TRUE(bytes_of("stream") == bytes.substr(0, size)) << size;
  }
}

TEST_P(ObjectStoreContract, ShowsNothingOfAnObjectOnItsWay) {
  auto writer = store_->create("folder/stream", Overwrite::Allowed);
  ASSERT_TRUE(writer) << writer.error().message;
  ASSERT_TRUE((*writer)->write(patterned(std::size_t{9} << 20)));
  EXPECT_THAT(names(""), IsEmpty());
  EXPECT_EQ(bytes_of("folder/stream"), "not there");
  writer->reset();
  EXPECT_THAT(names(""), IsEmpty());
  EXPECT_EQ(bytes_of("folder/stream"), "not there");
}

TEST_P(ObjectStoreContract, KeepsTheOldObjectUntilTheNewOneIsWhole) {
  put("stream", "old");
  auto writer = store_->create("stream", Overwrite::Allowed);
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write("new"));
  EXPECT_EQ(bytes_of("stream"), "old");
  const auto finished = (*writer)->finish();
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(bytes_of("stream"), "new");
  EXPECT_FALSE((*writer)->write("more"));
  EXPECT_FALSE((*writer)->finish());
}

TEST_P(ObjectStoreContract, WritesOverNothingWithoutLeave) {
  const std::string bytes = patterned(std::size_t{11} << 20);
  for (const std::size_t size : {std::size_t{10}, bytes.size()}) {
    const std::string name = "fresh-" + std::to_string(size);
    const auto stream = [&](Overwrite overwrite, const std::function<void()>& meanwhile) -> base::Result<void> {
      auto writer = store_->create(name, overwrite);
      if (!writer) return tl::unexpected(writer.error());
      if (auto written = (*writer)->write(std::string_view(bytes).substr(0, size)); !written) return written;
      meanwhile();
      return (*writer)->finish();
    };
    const auto first = stream(Overwrite::Never, [] {});
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_TRUE(bytes_of(name) == bytes.substr(0, size));
    const auto second = stream(Overwrite::Never, [] { ADD_FAILURE() << "there is one, and it was not said at once"; });
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::Conflict);
    ASSERT_TRUE(store_->remove(name));
    const auto late = stream(Overwrite::Never, [&] { put(name, "theirs"); });
    ASSERT_FALSE(late) << "somebody was faster";
    EXPECT_EQ(late.error().kind, ErrorKind::Conflict);
    EXPECT_EQ(bytes_of(name), "theirs");
    const auto over = stream(Overwrite::Allowed, [] {});
    ASSERT_TRUE(over) << over.error().message;
    EXPECT_TRUE(bytes_of(name) == bytes.substr(0, size));
  }
}

TEST_P(ObjectStoreContract, ReadsInPiecesToTheEnd) {
  const std::string bytes = patterned(700001);
  put("pieces", bytes);
  const auto reader = store_->open("pieces");
  ASSERT_TRUE(reader) << reader.error().message;
  ASSERT_NE(*reader, nullptr);
  EXPECT_EQ((*reader)->size(), bytes.size());
  std::string all;
  std::string piece(65536, '\0');
  for (;;) {
    const auto got = (*reader)->read(piece.data(), piece.size());
    ASSERT_TRUE(got) << got.error().message;
    if (*got == 0) break;
    all.append(piece, 0, *got);
  }
  EXPECT_TRUE(all == bytes);
  put("empty", "");
  const auto empty = store_->open("empty");
  ASSERT_TRUE(empty && *empty != nullptr);
  const auto got = (*empty)->read(piece.data(), piece.size());
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, 0U);
}

TEST_P(ObjectStoreContract, GetsNothingThatIsLargerThanWanted) {
  put("large", std::string(101, 'x'));
  const auto got = store_->get("large", 100);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::Invalid);
  const auto exact = store_->get("large", 101);
  ASSERT_TRUE(exact) << exact.error().message;
}

TEST_P(ObjectStoreContract, RefusesNamesThatLeadAway) {
  for (const std::string name : {"", "/", "../x", "a/../b", "a//b", "/etc/passwd", "a/", "./a", "a\\b"}) {
    EXPECT_FALSE(store_->put(name, "x", Overwrite::Allowed)) << name;
    EXPECT_FALSE(store_->get(name, 10)) << name;
    EXPECT_FALSE(store_->open(name)) << name;
    EXPECT_FALSE(store_->create(name, Overwrite::Allowed)) << name;
    EXPECT_FALSE(store_->remove(name)) << name;
  }
  EXPECT_FALSE(store_->put(std::string("a\0b", 3), "x", Overwrite::Allowed));
  EXPECT_FALSE(store_->put(std::string(1001, 'x'), "x", Overwrite::Allowed));
  EXPECT_THAT(names(""), IsEmpty());
}

TEST_P(ObjectStoreContract, KeepsNamesWithSpecialCharacters) {
  const std::vector<std::string> wanted = {"2026-11-18T08:20:30Z-r7-a/etcd.backup.gz",
                                           "a b+c&d=e",
                                           "per%cent%24",
                                           "quotes'\"(x)!*~<y>",
                                           "what?x#y;z,w@v$u",
                                           "ü/ሴ"};
  for (const auto& name : wanted) put(name, name);
  EXPECT_EQ(names(""), wanted);
  for (const auto& name : wanted) EXPECT_EQ(bytes_of(name), name);
  EXPECT_THAT(names("a b+"), ElementsAre("a b+c&d=e"));
  EXPECT_THAT(names("per%"), ElementsAre("per%cent%24"));
  for (const auto& name : wanted) EXPECT_TRUE(store_->remove(name)) << name;
  EXPECT_THAT(names(""), IsEmpty());
}

TEST_P(ObjectStoreContract, RemovesWhatWasNamedAndNothingElse) {
  put("x/1", "1");
  put("x/2", "2");
  put("x/22", "22");
  ASSERT_TRUE(store_->remove("x/2"));
  ASSERT_TRUE(store_->remove("x/2"));
  ASSERT_TRUE(store_->remove("x"));
  EXPECT_THAT(names(""), ElementsAre("x/1", "x/22"));
}

TEST_P(ObjectStoreContract, SweepsNothingThatIsOnItsWayNow) {
  auto writer = store_->create("stream", Overwrite::Allowed);
  ASSERT_TRUE(writer);
  const std::string bytes = patterned(std::size_t{9} << 20);
  ASSERT_TRUE((*writer)->write(bytes));
  const auto swept = place_->store()->sweep(base::Time{});
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(*swept, 0);
  const auto finished = (*writer)->finish();
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_TRUE(bytes_of("stream") == bytes);
}

}  // namespace quorate::tests
