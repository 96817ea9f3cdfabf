// Reading PEM files, and telling by their inodes and times that they are others now.
#include "reconciler/adapters/etcd_grpc/pems.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <tuple>
#include <utility>

#include <sys/stat.h>

#include "reconciler/adapters/etcd_grpc/handshake.h"

namespace quorate::etcd_grpc {
namespace {

constexpr std::size_t kLargest = 1 << 20;  // a bundle of every public authority is a quarter of that

base::Result<std::string> contents_of(const std::string& path, const std::string& what) {
  if (path.empty()) return std::string();
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return base::invalid(what + " " + path + " cannot be read: " + std::strerror(errno),
                         "check the path, and that this user may read the file");
  }
  if (!S_ISREG(info.st_mode) || info.st_size > static_cast<off_t>(kLargest)) {
    return base::invalid(what + " " + path + " is no PEM file: " +
                             (S_ISREG(info.st_mode) ? "it is larger than 1Mi" : "it is no regular file"),
                         "name the file that holds the PEM text");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) {
    const std::string why = errno != 0 ? std::strerror(errno) : "it got shorter while it was read";
    return base::invalid(what + " " + path + " cannot be read: " + why,
                         "check the path, and that this user may read the file");
  }
  return text;
}

}  // namespace

std::string PemFiles::state_of_files() const {
  std::string state;
  for (const std::string* path : {&ca_, &cert_, &key_}) {
    struct stat info {};
    if (path->empty() || ::stat(path->c_str(), &info) != 0) {
      state += "-;";
      continue;
    }
    for (const auto number : {static_cast<std::uint64_t>(info.st_ino), static_cast<std::uint64_t>(info.st_dev),
                              static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(info.st_ctim.tv_sec),
                              static_cast<std::uint64_t>(info.st_ctim.tv_nsec)}) {
      state += std::to_string(number) + ",";
    }
    state += ";";
  }
  return state;
}

base::Result<Pems> PemFiles::read() {
  const std::string state = state_of_files();  // before reading: a change meanwhile is seen next time
  if (cert_.empty() != key_.empty()) {
    return base::invalid(cert_.empty() ? "there is a client key " + key_ + " but no client certificate"
                                       : "there is a client certificate " + cert_ + " but no client key",
                         "name both or neither");
  }
  Pems pems;
  for (const auto& [into, path, what] :
       {std::tuple(&pems.ca, &ca_, "the CA file"), std::tuple(&pems.cert, &cert_, "the client certificate"),
        std::tuple(&pems.key, &key_, "the client key")}) {
    auto text = contents_of(*path, what);
    if (!text) return tl::unexpected(std::move(text.error()));
    *into = std::move(*text);
  }
  if (auto problem = problem_of(pems, {ca_, cert_, key_})) return tl::unexpected(std::move(*problem));
  state_ = state;
  return pems;
}

std::optional<Pems> read_pass(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    Access pass;
    pass.ca = folder + "/ca.pem";
    pass.cert = folder + "/pass.pem";
    pass.key = folder + "/key.pem";
    if (auto pems = PemFiles(pass).read()) return std::move(*pems);
  }
  return std::nullopt;
}

std::optional<Pems> PemFiles::reread() {
  if (state_of_files() == state_) return std::nullopt;
  auto pems = read();
  if (!pems) return std::nullopt;
  return std::move(*pems);
}

}  // namespace quorate::etcd_grpc
