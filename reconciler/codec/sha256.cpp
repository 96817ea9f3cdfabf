// OpenSSL's digest, which uses what the processor has for it.
#include "reconciler/codec/sha256.h"

#include <openssl/evp.h>

#include "reconciler/base/check.h"

namespace quorate::codec {

struct Sha256::State {
  State() : context(EVP_MD_CTX_new()) { QUORATE_CHECK(context != nullptr); }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  EVP_MD_CTX* context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  QUORATE_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  QUORATE_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::digest_with(std::string_view more) const {
  const State copy;
  QUORATE_CHECK(EVP_MD_CTX_copy_ex(copy.context, state_->context) == 1);
  QUORATE_CHECK(EVP_DigestUpdate(copy.context, more.data(), more.size()) == 1);
  unsigned char bytes[kSha256Bytes];
  unsigned int size = 0;
  QUORATE_CHECK(EVP_DigestFinal_ex(copy.context, bytes, &size) == 1 && size == kSha256Bytes);
  return {reinterpret_cast<const char*>(bytes), size};
}

std::string hex_of(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

}  // namespace quorate::codec
