// What ssh-keygen says becomes one sentence for each thing that can be wrong.
#include "reconciler/adapters/signature/signature.h"

#include <algorithm>
#include <vector>

#include <unistd.h>

#include "reconciler/adapters/signature/private_folder.h"

namespace quorate::adapters::signature {
namespace {

using base::Error;
using base::ErrorKind;
using ports::Finished;

constexpr std::string_view kBegin = "-----BEGIN SSH SIGNATURE-----";
constexpr std::string_view kEnd = "-----END SSH SIGNATURE-----";
constexpr std::size_t kMaxSignature = 65536;    // the largest keys make a few KiB
constexpr base::Duration kTimeToSign{120'000};  // a person may have to type a passphrase or touch a key
constexpr base::Duration kTimeToVerify{20'000};
constexpr std::size_t kMostPrincipals = 16;  // each costs a call

tl::unexpected<Error> refused(std::string message, std::string help) {
  return tl::unexpected<Error>(Error{ErrorKind::Refused, std::move(message), std::move(help)});
}

bool says(const Finished& finished, std::string_view words) {
  return finished.err.find(words) != std::string::npos;
}

// The last line that ssh-keygen wrote, as one that can stand in a message.
std::string last_words(const Finished& finished) {
  const std::string& err = finished.err;
  const auto end = err.find_last_not_of("\r\n ");
  if (end == std::string::npos) return "it ended with " + std::to_string(finished.status);
  const auto start = err.find_last_of("\r\n", end);
  std::string line;
  for (const char c : err.substr(start == std::string::npos ? 0 : start + 1, end - start)) {
    if (c == '\n' || c == '\r' || line.size() == 200) break;
    line += c >= ' ' && c <= '~' ? c : '?';
  }
  return line;
}

base::Result<Finished> keygen(ports::Programs& programs, std::vector<std::string> arguments, std::string_view input,
                              base::Duration within, const std::string& purpose) {
  arguments.insert(arguments.begin(), "ssh-keygen");
  auto finished = programs.run(arguments, input, within);
  if (finished) return finished;
  Error error = finished.error();
  error.message = "ssh-keygen, which is needed to " + purpose + ", did not run: " + error.message;
  if (error.kind == ErrorKind::Invalid) {
    error.kind = ErrorKind::Transient;  // the machine lacks something; nothing that was handed in is wrong
    error.help = "install OpenSSH's client (Debian: openssh-client)";
  }
  return tl::unexpected(std::move(error));
}

// As -O verify-time wants it, in UTC: 20260924091241Z.
std::string compact(base::Time time) {
  std::string digits;
  for (const char c : base::to_string(std::chrono::floor<std::chrono::seconds>(time))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits + "Z";
}

// The names of the line that has the key, without those that exclude somebody: "!eve@example.com,*@example.com". Older
// releases print them in one line, newer ones one by one.
std::vector<std::string> principals(const std::string& out) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < out.size() && names.size() < kMostPrincipals;) {
    const std::size_t end = std::min(out.find_first_of("\r\n", at), out.size());
    const std::string line = out.substr(at, end - at);
    at = end + 1;
    for (std::size_t from = 0; from < line.size();) {
      const std::size_t comma = std::min(line.find(',', from), line.size());
      const std::string name = line.substr(from, comma - from);
      from = comma + 1;
      if (name.empty() || name.front() == '!') continue;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

bool looks_armored(std::string_view signature) {
  const auto begin = signature.find_first_not_of(" \t\r\n");
  return signature.size() <= kMaxSignature && begin != std::string_view::npos &&
         signature.compare(begin, kBegin.size(), kBegin) == 0 && signature.find(kEnd) != std::string_view::npos;
}

tl::unexpected<Error> broken_signature() {
  return refused("the signature is no SSH signature", "sign it anew with quorate observe --sign KEY");
}

tl::unexpected<Error> why_no_principal(const Finished& finished, const std::string& signers) {
  if (says(finished, "Couldn't parse signature") || says(finished, "sshsig_armor") ||
      says(finished, "sshsig_get_pubkey")) {
    return broken_signature();
  }
  if (says(finished, "key has expired")) {
    return refused("the key that signed it has expired, says " + signers, "sign it anew with a key that is valid");
  }
  if (says(finished, "key is not yet valid")) {
    return refused("the key that signed it is not valid yet, says " + signers,
                   "check the clocks, and valid-after there");
  }
  return refused("it is signed with a key that is not in " + signers,
                 "if you trust who signed it, add the key to that file");
}

tl::unexpected<Error> why_not_verified(const Finished& finished, const std::string& principal,
                                       const std::string& name_space, const std::string& signers) {
  if (says(finished, "namespace does not match")) {
    return refused("the signature was made for another purpose than " + name_space,
                   "sign it anew with quorate observe --sign KEY");
  }
  if (says(finished, "not permitted for use in signature namespace")) {
    return refused(signers + " does not allow the key of " + principal + " to sign for " + name_space,
                   "add " + name_space + " to its namespaces there");
  }
  if (says(finished, "incorrect signature")) {
    return refused("the text is not what " + principal + " signed: it was changed since",
                   "take it from its source again");
  }
  return refused("the signature does not hold: " + last_words(finished), "");
}

}  // namespace

base::Result<std::string> sign(ports::Programs& programs, const std::string& key_file, std::string_view text,
                               const std::string& name_space) {
  if (::access(key_file.c_str(), R_OK) != 0) {
    return base::invalid("cannot read the key " + key_file, "make one with ssh-keygen -t ed25519 -f FILE");
  }
  const auto finished = keygen(programs, {"-Y", "sign", "-f", key_file, "-n", name_space}, text, kTimeToSign, "sign");
  if (!finished) return tl::unexpected(finished.error());
  if (finished->status != 0) return base::invalid("cannot sign with " + key_file + ": " + last_words(*finished));
  if (!looks_armored(finished->out)) return base::invalid("ssh-keygen wrote no signature");
  return finished->out;
}

base::Result<std::string> verify(ports::Programs& programs, const std::string& allowed_signers_file,
                                 std::string_view text, const std::optional<std::string>& signature,
                                 const std::string& name_space, base::Time now) {
  if (!signature) return refused("it is not signed", "sign it with quorate observe --sign KEY");
  if (!looks_armored(*signature)) return broken_signature();
  if (::access(allowed_signers_file.c_str(), R_OK) != 0) {
    return base::invalid("cannot read the file of signers " + allowed_signers_file,
                         "man ssh-keygen, section ALLOWED SIGNERS, has its form");
  }
  const auto folder = PrivateFolder::make();
  if (!folder) return tl::unexpected(folder.error());
  const auto file = folder->write("signature", *signature);
  if (!file) return tl::unexpected(file.error());
  const std::string when = "verify-time=" + compact(now);

  const auto found = keygen(programs, {"-Y", "find-principals", "-f", allowed_signers_file, "-s", *file, "-O", when},
                            {}, kTimeToVerify, "check signatures");
  if (!found) return tl::unexpected(found.error());
  const std::vector<std::string> names = principals(found->out);
  if (found->status != 0 || names.empty()) return why_no_principal(*found, allowed_signers_file);

  // Another line may exclude the first of them, or limit it: one that holds is enough.
  std::optional<Error> first;
  for (const std::string& name : names) {
    const auto verified = keygen(
        programs, {"-Y", "verify", "-f", allowed_signers_file, "-I", name, "-n", name_space, "-s", *file, "-O", when},
        text, kTimeToVerify, "check signatures");
    if (!verified) return tl::unexpected(verified.error());
    if (verified->status == 0) return name;
    if (!first) first = why_not_verified(*verified, name, name_space, allowed_signers_file).value();
  }
  return tl::unexpected(*std::move(first));
}

}  // namespace quorate::adapters::signature
