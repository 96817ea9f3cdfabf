// OpenSSL reads the PEM; nothing is verified here.
#include "reconciler/adapters/system/certificate.h"

#include <ctime>
#include <memory>
#include <optional>

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "reconciler/adapters/system/files.h"

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

}  // namespace quorate::adapters::system
