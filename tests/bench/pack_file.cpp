// Packs a file as a backup does, and throws the result away: quorate_pack gzip|zstd FILE
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "reconciler/adapters/system/workers.h"
#include "reconciler/codec/compress.h"

namespace {

class Nothing final : public quorate::codec::Sink {
 public:
  quorate::base::Result<void> write(std::string_view bytes) override {
    size_ += bytes.size();
    return {};
  }
  quorate::base::Result<void> finish() override { return {}; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  using namespace quorate;
  const auto how = count == 3 ? codec::compression_named(arguments[1]) : std::nullopt;
  std::ifstream file(count == 3 ? arguments[2] : "", std::ios::binary);
  if (!how || !file) {
    std::cerr << "usage: quorate_pack gzip|zstd FILE\n";
    return 64;
  }
  Nothing nothing;
  const auto workers = adapters::system::make_workers();
  const auto packer = codec::make_compressor(*how, *workers, nothing);
  std::string piece(std::size_t{256} << 10, '\0');
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    if (!packer->write(std::string_view(piece).substr(0, static_cast<std::size_t>(file.gcount())))) return 1;
  }
  if (!packer->finish()) return 1;
  std::cerr << nothing.size() << " bytes\n";
  return 0;
}
