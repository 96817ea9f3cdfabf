// Each step is one call of openssl; EC keys, because making an RSA key takes a second now and then.
#include "tests/integration/certificates.h"

#include <stdexcept>
#include <utility>

#include "reconciler/base/net.h"
#include "tests/integration/process.h"

namespace quorate::integration {
namespace {

void openssl(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "openssl");
  const Ended ended = run({arguments, {}});
  if (ended.exit_code != 0) throw std::runtime_error("openssl " + arguments[1] + ": " + ended.errors);
}

const std::vector<std::string> kNewKey = {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"};

std::vector<std::string> with_new_key(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), kNewKey.begin(), kNewKey.end());
  return arguments;
}

}  // namespace

Authority::Authority(std::string directory, const std::string& name) : directory_(std::move(directory)), name_(name) {
  write_file(directory_ + "/made", "");  // the folder has to exist
  openssl(with_new_key({"req", "-x509", "-days", "2", "-subj", "/CN=" + name, "-keyout",
                        directory_ + "/" + name + ".key", "-out", certificate()}));
}

void Authority::issue(const std::string& certificate_path, const std::string& key,
                      const std::vector<std::string>& addresses, int days, const std::string& name) const {
  std::string names = "subjectAltName=";
  for (const std::string& address : addresses) {
    names += (address == addresses.front() ? "" : ",") + std::string(base::is_ip(address) ? "IP:" : "DNS:") + address;
  }
  const std::string request = directory_ + "/request.csr";
  const std::string extensions = directory_ + "/extensions";
  write_file(extensions, names + "\nextendedKeyUsage=serverAuth,clientAuth\n");
  openssl(with_new_key({"req", "-new", "-subj", "/CN=" + name, "-keyout", key, "-out", request}));
  openssl({"x509", "-req", "-days", std::to_string(days), "-in", request, "-CA", certificate(), "-CAkey",
           directory_ + "/" + name_ + ".key", "-CAcreateserial", "-extfile", extensions, "-out", certificate_path});
}

}  // namespace quorate::integration
