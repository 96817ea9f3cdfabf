// OpenSSL reads the PEM; nothing is verified here.
#include "reconciler/adapters/system/certificate.h"

#include <array>
#include <ctime>
#include <memory>
#include <optional>

#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "reconciler/adapters/system/files.h"
#include "reconciler/base/net.h"

namespace quorate::adapters::system {
namespace {

constexpr std::size_t kFile = 4 * 1024 * 1024;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeX509 {
  void operator()(X509* certificate) const { X509_free(certificate); }
};

std::optional<base::Time> time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  const std::time_t seconds = ::timegm(&parts);
  return base::Time{std::chrono::seconds{seconds}};
}

std::string subject_of(const X509* certificate) {
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new(BIO_s_mem()));
  // Letters of other alphabets stay themselves, control characters do not.
  const unsigned long style = XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB);
  if (X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, style) < 0) return {};
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &text);
  return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::string();
}

struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

base::Result<std::unique_ptr<X509, FreeX509>> leaf_of(const std::string& path) {
  const auto content = read_whole_file(path, kFile);
  if (!content) return tl::unexpected(content.error());
  if (!*content) return base::invalid("the certificate " + path + " is not there");
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf((*content)->data(), static_cast<int>((*content)->size())));
  std::unique_ptr<X509, FreeX509> leaf(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (leaf == nullptr) return base::invalid(path + " holds no certificate in PEM", "is it a key, or one in DER?");
  return leaf;
}

std::string text_of(const GENERAL_NAME& name) {
  if (name.type == GEN_DNS) {
    const ASN1_STRING* text = name.d.dNSName;
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
            static_cast<std::size_t>(ASN1_STRING_length(text))};
  }
  if (name.type != GEN_IPADD) return {};
  const int length = ASN1_STRING_length(name.d.iPAddress);
  if (length != 4 && length != 16) return {};
  std::array<char, INET6_ADDRSTRLEN> room{};
  const int family = length == 4 ? AF_INET : AF_INET6;
  if (::inet_ntop(family, ASN1_STRING_get0_data(name.d.iPAddress), room.data(), room.size()) == nullptr) return {};
  return base::canonical_host(room.data());
}

}  // namespace

base::Result<model::Certificate> look_at_certificate(const std::string& path, const std::string& use) {
  const auto content = read_whole_file(path, kFile);
  if (!content) return tl::unexpected(content.error());
  if (!*content) return base::invalid("the certificate " + path + " is not there");
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf((*content)->data(), static_cast<int>((*content)->size())));
  std::optional<model::Certificate> chosen;
  while (const std::unique_ptr<X509, FreeX509> found{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    const auto from = time_of(X509_get0_notBefore(found.get()));
    const auto until = time_of(X509_get0_notAfter(found.get()));
    if (!from || !until) return base::invalid("a certificate in " + path + " has no readable dates");
    if (chosen && (use != "ca" || *until >= chosen->not_after)) continue;
    chosen = model::Certificate{path, use, subject_of(found.get()), *from, *until};
  }
  // The loop ends with an error in every case; "no start line" is the end of the file.
  const unsigned long last = ERR_peek_last_error();
  const bool at_end = ERR_GET_LIB(last) == ERR_LIB_PEM && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!at_end) return base::invalid("a certificate in " + path + " is damaged", "write the file again");
  if (!chosen) return base::invalid(path + " holds no certificate in PEM", "is it a key, or a certificate in DER?");
  return *chosen;
}

base::Result<std::vector<std::string>> names_in_certificate(const std::string& path) {
  const auto leaf = leaf_of(path);
  if (!leaf) return tl::unexpected(leaf.error());
  const std::unique_ptr<GENERAL_NAMES, FreeNames> list(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(leaf->get(), NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> names;
  for (int i = 0; list != nullptr && i < sk_GENERAL_NAME_num(list.get()); ++i) {
    const std::string name = text_of(*sk_GENERAL_NAME_value(list.get(), i));
    if (!name.empty()) names.push_back(name);
  }
  ERR_clear_error();
  return names;
}

base::Result<bool> key_fits(const std::string& certificate, const std::string& key) {
  const auto leaf = leaf_of(certificate);
  if (!leaf) return tl::unexpected(leaf.error());
  const auto content = read_whole_file(key, kFile);
  if (!content) return tl::unexpected(content.error());
  if (!*content) return base::invalid("the key " + key + " is not there");
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf((*content)->data(), static_cast<int>((*content)->size())));
  // Without an answer to the question for a password: an encrypted key is no use to etcd either.
  const auto no_password = [](char* /*to*/, int /*size*/, int /*writing*/, void* /*about*/) { return 0; };
  const std::unique_ptr<EVP_PKEY, FreeKey> found(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  ERR_clear_error();
  if (found == nullptr) return base::invalid(key + " holds no private key in PEM that can be read without a password");
  const bool fits = X509_check_private_key(leaf->get(), found.get()) == 1;
  ERR_clear_error();
  return fits;
}

}  // namespace quorate::adapters::system
