// Signatures with the real ssh-keygen: what holds, and each way in which one does not.
#include "reconciler/adapters/signature/signature.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/adapters/signature/private_folder.h"
#include "reconciler/adapters/system/programs.h"

namespace quorate::adapters::signature {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSpace = "quorate-observation";

// A folder with keys a and b, made once for all tests.
class Keys {
 public:
  Keys() {
    std::string path = (fs::temp_directory_path() / "quorate-signature-XXXXXX").string();
    if (::mkdtemp(path.data()) != nullptr) folder_ = path;
    for (const char* name : {"a", "b"}) make(name, "");
    make("locked", "a passphrase");
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  ~Keys() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  // A file of allowed signers in which `who` signs with key `name`, under `options`.
  std::string signers(const std::string& who, const std::string& name, const std::string& options = "") const {
    std::ifstream stream(path(name + ".pub"));
    std::string type;
    std::string key;
    stream >> type >> key;
    const std::string file = path("signers-" + std::to_string(++files_));
    std::ofstream(file) << who << " " << options << (options.empty() ? "" : " ") << type << " " << key << "\n";
    return file;
  }

 private:
  void make(const std::string& name, const std::string& passphrase) const {
    system::SystemPrograms programs;
    const auto made =
        programs.run({"ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", name, "-f", path(name)}, "",
                     base::Duration{20000});
    EXPECT_TRUE(made.has_value() && made->status == 0) << (made ? made->err : made.error().message);
  }

  std::string folder_;
  mutable int files_ = 0;
};

class Signature : public testing::Test {
 public:
  static void SetUpTestSuite() { keys_ = new Keys; }
  static void TearDownTestSuite() {
    delete keys_;
    keys_ = nullptr;
  }

 protected:
  std::string signed_by(const std::string& key, const std::string& name_space = kSpace) {
    const auto made = sign(programs_, keys_->path(key), text_, name_space);
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return made.value_or("");
  }
  base::Result<std::string> checked(const std::string& signers, const std::optional<std::string>& signature) {
    return verify(programs_, signers, text_, signature, kSpace, now_);
  }
  void expect(const base::Result<std::string>& result, ErrorKind kind, const std::string& words) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, kind);
    EXPECT_THAT(result.error().message, HasSubstr(words));
  }

  static Keys* keys_;
  system::SystemPrograms programs_;
  std::string text_ = "{\n  \"kind\": \"observation\"\n}\n";
  base::Time now_ = *base::parse_time("2026-09-24T09:12:41.250Z");
};

Keys* Signature::keys_ = nullptr;

}  // namespace

TEST_F(Signature, NamesWhoSigned) {
  const std::string signature = signed_by("a");
  EXPECT_THAT(signature, StartsWith("-----BEGIN SSH SIGNATURE-----\n"));
  EXPECT_EQ(checked(keys_->signers("ops@example.com", "a"), signature), "ops@example.com");
  EXPECT_EQ(checked(keys_->signers("ops@example.com", "a", "namespaces=\"quorate-observation\""), signature),
            "ops@example.com");
}

TEST_F(Signature, OneKeyMayStandForSeveralPeople) {
  EXPECT_EQ(checked(keys_->signers("ops@example.com,dev@example.com", "a"), signed_by("a")), "ops@example.com");
  EXPECT_EQ(checked(keys_->signers("*@example.com", "a"), signed_by("a")), "*@example.com");
}

TEST_F(Signature, WhoIsExcludedIsNobodysName) {
  EXPECT_EQ(checked(keys_->signers("!eve@example.com,*@example.com", "a"), signed_by("a")), "*@example.com");
  EXPECT_EQ(checked(keys_->signers("!eve@example.com,!dan@example.com,ops@example.com", "a"), signed_by("a")),
            "ops@example.com");
}

TEST_F(Signature, HoldsForLargeTexts) {
  text_ = std::string(std::size_t{4} << 20, 'x');
  EXPECT_EQ(checked(keys_->signers("ops@example.com", "a"), signed_by("a")), "ops@example.com");
}

TEST_F(Signature, RefusesATextWithoutOne) {
  expect(checked(keys_->signers("ops@example.com", "a"), std::nullopt), ErrorKind::Refused, "it is not signed");
}

TEST_F(Signature, RefusesATextThatWasChanged) {
  const std::string signature = signed_by("a");
  text_ += " ";
  expect(checked(keys_->signers("ops@example.com", "a"), signature), ErrorKind::Refused,
         "the text is not what ops@example.com signed: it was changed since");
}

TEST_F(Signature, RefusesASignerWhoIsNotOnTheList) {
  expect(checked(keys_->signers("ops@example.com", "a"), signed_by("b")), ErrorKind::Refused,
         "it is signed with a key that is not in ");
}

TEST_F(Signature, RefusesAKeyOutsideItsTime) {
  const std::string signature = signed_by("a");
  expect(checked(keys_->signers("ops@example.com", "a", "valid-before=\"20260101Z\""), signature), ErrorKind::Refused,
         "the key that signed it has expired");
  expect(checked(keys_->signers("ops@example.com", "a", "valid-after=\"20270101Z\""), signature), ErrorKind::Refused,
         "the key that signed it is not valid yet");
  EXPECT_EQ(checked(keys_->signers("ops@example.com", "a",
                                   "valid-after=\"20260924091241Z\",valid-before=\"20260924091242Z\""),
                    signature),
            "ops@example.com")
      << "the time that counts is the one given, in UTC";
}

TEST_F(Signature, RefusesASignatureForAnotherPurpose) {
  expect(checked(keys_->signers("ops@example.com", "a"), signed_by("a", "git")), ErrorKind::Refused,
         "the signature was made for another purpose than quorate-observation");
  expect(checked(keys_->signers("ops@example.com", "a", "namespaces=\"git\""), signed_by("a")), ErrorKind::Refused,
         "does not allow the key of ops@example.com to sign for quorate-observation");
}

TEST_F(Signature, WhatIsNoSignatureIsRefused) {
  const std::string signers = keys_->signers("ops@example.com", "a");
  const std::string begin = "-----BEGIN SSH SIGNATURE-----\n";
  const std::string end = "-----END SSH SIGNATURE-----\n";
  for (const std::string& broken : {std::string(), std::string("garbage"), begin, begin + end, begin + "AAAA\n" + end,
                                    begin + "!\n" + end, begin + std::string(100000, 'A') + end}) {
    expect(checked(signers, broken), ErrorKind::Refused, "the signature is no SSH signature");
  }
}

TEST_F(Signature, SaysWhichFileCannotBeRead) {
  expect(checked(keys_->path("none"), signed_by("a")), ErrorKind::Invalid, "cannot read the file of signers");
  expect(sign(programs_, keys_->path("none"), text_, kSpace), ErrorKind::Invalid, "cannot read the key");
  expect(sign(programs_, keys_->path("a.pub") + "/x", text_, kSpace), ErrorKind::Invalid, "cannot read the key");
}

TEST_F(Signature, AFileThatIsNoKeySignsNothing) {
  std::ofstream(keys_->path("text")) << "no key\n";
  fs::permissions(keys_->path("text"), fs::perms::owner_read | fs::perms::owner_write);
  expect(sign(programs_, keys_->path("text"), text_, kSpace), ErrorKind::Invalid, "cannot sign with ");
}

TEST_F(Signature, SaysWhenOpenSshIsMissing) {
  class NoPrograms : public ports::Programs {
    base::Result<ports::Finished> run(const std::vector<std::string>& argv, std::string_view, base::Duration) override {
      return base::invalid("there is no program " + argv[0]);
    }
  } none;
  const std::string signature = signed_by("a");
  const auto result = verify(none, keys_->signers("ops@example.com", "a"), text_, signature, kSpace, now_);
  expect(result, ErrorKind::Transient, "ssh-keygen, which is needed to check signatures, did not run");
  EXPECT_THAT(result.error().help, HasSubstr("openssh-client"));
  expect(sign(none, keys_->path("a"), text_, kSpace), ErrorKind::Transient, "needed to sign, did not run");
}

TEST_F(Signature, LeavesNothingBehind) {
  std::string place = keys_->path("tmp");
  fs::create_directory(place);
  const char* before = std::getenv("TMPDIR");
  const std::string was = before == nullptr ? "" : before;
  ::setenv("TMPDIR", place.c_str(), 1);
  const std::string signature = signed_by("a");
  EXPECT_TRUE(checked(keys_->signers("ops@example.com", "a"), signature).has_value());
  EXPECT_FALSE(checked(keys_->signers("ops@example.com", "b"), signature).has_value());
  EXPECT_TRUE(fs::is_empty(place));
  fs::remove(place);
  expect(checked(keys_->signers("ops@example.com", "a"), signature), ErrorKind::Transient, "cannot make a directory");
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", was.c_str(), 1);
}

TEST(PrivateFolder, KeepsOthersOutAndGoesAway) {
  std::string file;
  {
    const auto folder = PrivateFolder::make();
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    const auto written = folder->write("x", "content");
    ASSERT_TRUE(written.has_value()) << written.error().message;
    file = *written;
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(fs::status(fs::path(file).parent_path()).permissions(), fs::perms::owner_all);
    std::ifstream stream(file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "content");
    EXPECT_FALSE(folder->write("x", "again").has_value()) << "a file that is there already is not ours";
  }
  EXPECT_FALSE(fs::exists(fs::path(file).parent_path()));
}

}  // namespace quorate::adapters::signature
