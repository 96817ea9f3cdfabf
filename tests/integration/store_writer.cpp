// Writes one object that never ends into a store, so that a test can kill it: ENDPOINT BUCKET BASE NAME, or FOLDER
// NAME.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "reconciler/adapters/file_store/file_store.h"
#include "reconciler/adapters/s3/s3.h"
#include "reconciler/adapters/system/entropy.h"
#include "tests/integration/swift_server.h"
#include "tests/support/shifted_clock.h"

int main(int count, char** arguments) {
  using namespace quorate;
  const std::vector<std::string> words(arguments + 1, arguments + count);
  tests::ShiftedClock clock;
  const auto entropy = adapters::system::make_entropy();
  const auto keys =
      s3::make_static_credentials({integration::SwiftServer::kAccess, integration::SwiftServer::kSecret, "", {}});
  std::unique_ptr<ports::ObjectStore> store;
  if (words.size() == 2) {
    store = file_store::make_file_store(words[0], *entropy);
  } else if (words.size() == 4) {
    s3::Settings settings;
    settings.endpoint = words[0];
    settings.bucket = words[1];
    settings.base = words[2];
    settings.part_size = std::size_t{5} << 20;
    auto made = s3::make_s3_store(settings, *keys, clock, *entropy);
    if (made) store = *std::move(made);
  }
  if (store == nullptr) return 64;
  auto writer = store->create(words.back(), ports::Overwrite::Never);
  const std::string piece(std::size_t{1} << 20, 'x');
  while (writer) {
    if (const auto written = (*writer)->write(piece); !written) {
      std::cerr << written.error().message << '\n';
      return 1;
    }
  }
  std::cerr << writer.error().message << '\n';
  return 1;
}
