// A JSON object around the observation's text as one JSON string.
#include "reconciler/model/signed_observation.h"

#include "reconciler/model/json_place.h"
#include "reconciler/model/json_words.h"

namespace quorate::model {
namespace {

constexpr std::string_view kKind = "signed-observation";
// As a JSON string a text grows by its line breaks and quotes.
constexpr std::size_t kMaxBytes = 3 * kMaxDocumentBytes;

}  // namespace

std::string signed_observation(std::string_view observation, std::string_view signature) {
  return document_text(
      {{"format_version", "1.0"}, {"kind", kKind}, {"signature", signature}, {"observation", observation}});
}

base::Result<OpenedObservation> open_observation(std::string_view text, std::string_view name) {
  // Only a text that holds the word can be of the signed kind; every other one need not be read twice.
  if (text.find(kKind) == std::string_view::npos) return OpenedObservation{std::string(text), std::nullopt};
  auto tree = parse_json(text, name, kMaxBytes);
  if (!tree) return tl::unexpected(tree.error());
  if (!tree->is_object() || tree->value("kind", JsonTree()) != kKind) {
    return OpenedObservation{std::string(text), std::nullopt};
  }
  tree = open_document(text, name, kKind, kMaxBytes);
  if (!tree) return tl::unexpected(tree.error());
  JsonReading reading{*tree, {}};
  const JsonPlace root(reading);
  OpenedObservation opened{root.at("observation").text(), root.at("signature").text()};
  if (!reading.problem.empty()) {
    return base::invalid(std::string(name) + ": " + reading.problem, "write it anew with quorate observe --sign KEY");
  }
  return opened;
}

}  // namespace quorate::model
