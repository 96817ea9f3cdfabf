// Header, derived key, and chunks that carry their number and whether they are the last.
#include "reconciler/codec/seal.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "reconciler/base/check.h"
#include "reconciler/codec/sha256.h"

namespace quorate::codec {
namespace {

constexpr std::string_view kMagic = "QUORATE1";
constexpr std::size_t kKeyName = 8;
constexpr std::size_t kHeader = kMagic.size() + kKeyName + kSealSaltBytes;
constexpr std::size_t kChunk = 65536;
constexpr std::size_t kTag = 16;
constexpr std::size_t kNonce = 12;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

std::string hmac(std::string_view key, std::string_view text) {
  std::string code(kSha256Bytes, '\0');
  unsigned int size = 0;
  QUORATE_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(text), text.size(), raw(code),
                     &size) != nullptr);
  QUORATE_CHECK(size == code.size());
  return code;
}

std::string key_name(const SealKey& key) {
  Sha256 sha256;
  sha256.update("quorate key");
  sha256.update(key.bytes);
  return sha256.digest().substr(0, kKeyName);
}

// HKDF-SHA256 (RFC 5869) for one block of output.
std::string key_of_object(const SealKey& key, std::string_view header) {
  const std::string extracted = hmac(header.substr(kHeader - kSealSaltBytes), key.bytes);
  return hmac(extracted, std::string(header) + '\1');
}

// One object's cipher: knows the number of the chunk that comes next.
class Chunks {
 public:
  explicit Chunks(bool sealing) : context_(EVP_CIPHER_CTX_new()), sealing_(sealing) {
    QUORATE_CHECK(context_ != nullptr);
  }
  ~Chunks() { EVP_CIPHER_CTX_free(context_); }
  Chunks(const Chunks&) = delete;
  Chunks& operator=(const Chunks&) = delete;

  void begin(const SealKey& key, std::string_view header) {
    std::string derived = key_of_object(key, header);
    QUORATE_CHECK(EVP_CipherInit_ex(context_, EVP_aes_256_gcm(), nullptr, raw(derived), nullptr, sealing_ ? 1 : 0) ==
                  1);
    OPENSSL_cleanse(derived.data(), derived.size());
  }

  // Chunk and tag behind it, or the other way round; false: the tag is wrong.
  bool seal(std::string_view chunk, bool last, std::string& out) {
    next_nonce(last);
    out.resize(chunk.size() + kTag);
    int size = 0;
    QUORATE_CHECK(EVP_CipherUpdate(context_, raw(out), &size, raw(chunk), static_cast<int>(chunk.size())) == 1);
    QUORATE_CHECK(EVP_CipherFinal_ex(context_, raw(out) + size, &size) == 1);
    QUORATE_CHECK(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_GCM_GET_TAG, kTag, out.data() + chunk.size()) == 1);
    return true;
  }

  bool open(std::string_view sealed, bool last, std::string& out) {
    if (sealed.size() < kTag) return false;
    next_nonce(last);
    std::string tag(sealed.substr(sealed.size() - kTag));
    sealed.remove_suffix(kTag);
    out.resize(sealed.size());
    int size = 0;
    QUORATE_CHECK(EVP_CipherUpdate(context_, raw(out), &size, raw(sealed), static_cast<int>(sealed.size())) == 1);
    QUORATE_CHECK(EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) == 1);
    unsigned char none = 0;
    return EVP_CipherFinal_ex(context_, &none, &size) == 1;
  }

 private:
  void next_nonce(bool last) {
    std::array<unsigned char, kNonce> nonce{};
    for (std::size_t byte = 0; byte < 8; ++byte) {
      nonce[kNonce - 2 - byte] = static_cast<unsigned char>(number_ >> (8 * byte) & 0xFF);
    }
    nonce[kNonce - 1] = last ? 1 : 0;
    ++number_;
    QUORATE_CHECK(EVP_CipherInit_ex(context_, nullptr, nullptr, nullptr, nonce.data(), sealing_ ? 1 : 0) == 1);
  }

  EVP_CIPHER_CTX* context_;
  bool sealing_;
  std::uint64_t number_ = 0;
};

// A chunk goes on only when a byte behind it is known: the last one is marked.
class Sealer final : public Sink {
 public:
  Sealer(const SealKey& key, std::string_view salt, Sink& next) : next_(next), chunks_(true) {
    QUORATE_CHECK(key.bytes.size() == kSealKeyBytes && salt.size() == kSealSaltBytes);
    header_ = std::string(kMagic) + key_name(key) + std::string(salt);
    chunks_.begin(key, header_);
  }

  base::Result<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      if (held_.size() == kChunk) {
        if (auto done = send(false); !done) return done;
      }
      const std::string_view piece = bytes.substr(0, kChunk - held_.size());
      held_ += piece;
      bytes.remove_prefix(piece.size());
    }
    return {};
  }

  base::Result<void> finish() override {
    if (auto done = send(true); !done) return done;
    return next_.finish();
  }

 private:
  base::Result<void> send(bool last) {
    if (!header_.empty()) {
      if (auto done = next_.write(std::exchange(header_, {})); !done) return done;
    }
    chunks_.seal(held_, last, out_);
    held_.clear();
    return next_.write(out_);
  }

  Sink& next_;
  Chunks chunks_;
  std::string header_;
  std::string held_;
  std::string out_;
};

class Opener final : public Sink {
 public:
  Opener(const SealKey& key, Sink& next) : key_(key), next_(next), chunks_(false) {
    QUORATE_CHECK(key.bytes.size() == kSealKeyBytes);
  }

  base::Result<void> write(std::string_view bytes) override {
    if (header_.size() < kHeader) {
      const std::string_view piece = bytes.substr(0, kHeader - header_.size());
      header_ += piece;
      bytes.remove_prefix(piece.size());
      if (header_.size() < kHeader) return {};
      if (auto done = begin(); !done) return done;
    }
    while (!bytes.empty()) {
      if (held_.size() == kChunk + kTag) {
        if (auto done = send(false); !done) return done;
      }
      const std::string_view piece = bytes.substr(0, kChunk + kTag - held_.size());
      held_ += piece;
      bytes.remove_prefix(piece.size());
    }
    return {};
  }

  base::Result<void> finish() override {
    if (header_.size() < kHeader) return base::invalid("the encrypted object is cut inside its first bytes");
    if (auto done = send(true); !done) return done;
    return next_.finish();
  }

 private:
  base::Result<void> begin() {
    const std::string_view header = header_;
    if (header.substr(0, kMagic.size()) != kMagic) {
      return base::invalid("this is no object that was encrypted here", "its first bytes are others");
    }
    const std::string_view name = header.substr(kMagic.size(), kKeyName);
    if (name != key_name(key_)) {
      return tl::unexpected(base::Error{
          base::ErrorKind::Refused,
          "the object was encrypted with key " + hex_of(name) + ", not with this one (" + seal_key_name(key_) + ")",
          "name the file of the other key"});
    }
    chunks_.begin(key_, header_);
    return {};
  }

  base::Result<void> send(bool last) {
    if (!chunks_.open(held_, last, out_)) {
      return base::invalid(last ? "the encrypted data end too early or are damaged" : "the encrypted data are damaged",
                           "the object is not what was written");
    }
    held_.clear();
    return next_.write(out_);
  }

  SealKey key_;
  Sink& next_;
  Chunks chunks_;
  std::string header_;
  std::string held_;
  std::string out_;
};

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

base::Result<SealKey> parse_seal_key(std::string_view content) {
  if (content.size() == kSealKeyBytes) return SealKey{std::string(content)};
  while (!content.empty() && (content.back() == '\n' || content.back() == '\r')) content.remove_suffix(1);
  const bool hex = content.size() == 2 * kSealKeyBytes &&
                   std::all_of(content.begin(), content.end(), [](char c) { return digit_of(c) >= 0; });
  if (!hex) {
    return base::invalid("the key is neither 32 bytes nor 64 hexadecimal digits",
                         "make one with: openssl rand -hex 32");
  }
  SealKey key;
  for (std::size_t at = 0; at < content.size(); at += 2) {
    key.bytes += static_cast<char>(digit_of(content[at]) * 16 + digit_of(content[at + 1]));
  }
  return key;
}

std::string seal_key_name(const SealKey& key) {
  return hex_of(key_name(key));
}

std::unique_ptr<Sink> make_sealer(const SealKey& key, std::string_view salt, Sink& next) {
  return std::make_unique<Sealer>(key, salt, next);
}

std::unique_ptr<Sink> make_opener(const SealKey& key, Sink& next) {
  return std::make_unique<Opener>(key, next);
}

}  // namespace quorate::codec
