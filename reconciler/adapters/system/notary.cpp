// Keys on the curve P-256, certificates of X.509 v3; all of them end with the fence that they are for.
#include "reconciler/adapters/system/notary.h"

#include <cstring>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace quorate::adapters::system {
namespace {

constexpr long kDay = 24L * 60 * 60;
// Nobody's clock is that wrong; and nothing trusts the authority any more once its fence is gone.
constexpr long kBefore = -kDay;
constexpr long kAfter = 10 * 365 * kDay;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;

tl::unexpected<base::Error> failed(const std::string& what) {
  ERR_clear_error();
  return base::invalid(what, "the key files of the fence can be deleted: they are made anew");
}

EVP_PKEY* new_curve_key() {
  return EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
}

Bio reading(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

std::string text_in(const Bio& bio) {
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &text);
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::string();
}

Key private_key(const std::string& pem) {
  return Key(PEM_read_bio_PrivateKey(reading(pem).get(), nullptr, nullptr, nullptr));
}

Certificate certificate(const std::string& pem) {
  return Certificate(PEM_read_bio_X509(reading(pem).get(), nullptr, nullptr, nullptr));
}

base::Result<std::string> pem_of(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (key == nullptr || PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed("no key could be made");
  }
  return text_in(bio);
}

base::Result<std::string> pem_of(X509* made) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(bio.get(), made) != 1) return failed("a certificate could not be written");
  return text_in(bio);
}

bool add(X509* made, X509* issuer, int what, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, made, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free> extension(X509V3_EXT_conf_nid(nullptr, &context, what, value));
  return extension != nullptr && X509_add_ext(made, extension.get(), -1) == 1;
}

bool number(X509* made) {
  std::uint64_t random = 0;
  unsigned char bytes[sizeof random];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  std::memcpy(&random, bytes, sizeof random);
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(made), (random >> 1) | 1) == 1;
}

bool call(X509* made, const std::string& name) {
  const auto* text = reinterpret_cast<const unsigned char*>(name.data());
  X509_NAME* subject = X509_get_subject_name(made);
  return X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8, text, static_cast<int>(name.size()), -1,
                                    0) == 1;
}

// What all have in common; the signature comes last.
Certificate begun(EVP_PKEY* key, const std::string& name) {
  Certificate made(X509_new());
  const bool fine = made != nullptr && X509_set_version(made.get(), 2) == 1 && number(made.get()) &&
                    X509_gmtime_adj(X509_getm_notBefore(made.get()), kBefore) != nullptr &&
                    X509_gmtime_adj(X509_getm_notAfter(made.get()), kAfter) != nullptr &&
                    call(made.get(), name.substr(0, 64)) && X509_set_pubkey(made.get(), key) == 1;
  return fine ? std::move(made) : nullptr;
}

class OpenSslNotary final : public ports::Notary {
 public:
  base::Result<std::string> new_key() override { return pem_of(Key(new_curve_key()).get()); }

  base::Result<std::string> public_key(const std::string& key) override {
    const Key read = private_key(key);
    const Bio bio(BIO_new(BIO_s_mem()));
    if (read == nullptr || PEM_write_bio_PUBKEY(bio.get(), read.get()) != 1) return failed("this is no private key");
    return text_in(bio);
  }

  base::Result<std::string> new_authority(const std::string& name) override {
    const Key key(new_curve_key());
    auto pem = pem_of(key.get());
    if (!pem) return pem;
    const Certificate made = begun(key.get(), name);
    const bool fine = made != nullptr && X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) == 1 &&
                      add(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
                      add(made.get(), made.get(), NID_key_usage, "critical,keyCertSign") &&
                      add(made.get(), made.get(), NID_subject_key_identifier, "hash") &&
                      X509_sign(made.get(), key.get(), EVP_sha256()) > 0;
    if (!fine) return failed("no authority could be made");
    return pem_of(made.get()).map([&](const std::string& itself) { return *pem + itself; });
  }

  base::Result<std::string> certificate_of(const std::string& authority) override {
    const Certificate read = certificate(authority);
    if (read == nullptr) return failed("this is no authority");
    return pem_of(read.get());
  }

  base::Result<std::string> sign(const std::string& authority, const std::string& public_key,
                                 const std::string& name) override {
    const Key signer = private_key(authority);
    const Certificate issuer = certificate(authority);
    if (signer == nullptr || issuer == nullptr) return failed("this is no authority");
    const Key key(PEM_read_bio_PUBKEY(reading(public_key).get(), nullptr, nullptr, nullptr));
    if (key == nullptr) return failed("the key of " + name + " is none");
    const Certificate made = begun(key.get(), name);
    const std::string names = std::string("DNS:") + ports::kFenceName;
    const bool fine = made != nullptr && X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get())) == 1 &&
                      add(made.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                      add(made.get(), issuer.get(), NID_key_usage, "critical,digitalSignature") &&
                      add(made.get(), issuer.get(), NID_ext_key_usage, "serverAuth,clientAuth") &&
                      add(made.get(), issuer.get(), NID_subject_alt_name, names.c_str()) &&
                      add(made.get(), issuer.get(), NID_authority_key_identifier, "keyid") &&
                      X509_sign(made.get(), signer.get(), EVP_sha256()) > 0;
    if (!fine) return failed("no pass could be signed for " + name);
    return pem_of(made.get());
  }
};

}  // namespace

std::unique_ptr<ports::Notary> make_notary() {
  return std::make_unique<OpenSslNotary>();
}

}  // namespace quorate::adapters::system
