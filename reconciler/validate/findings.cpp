// Collecting findings.
#include "reconciler/validate/findings.h"

#include <utility>

#include "reconciler/model/excerpt.h"
#include "reconciler/model/secrets.h"

namespace quorate::validate {
namespace {

constexpr std::size_t kMostShown = 60;  // bytes of a value in a message

// Cuts at a character, and leaves nothing in that could steer a terminal.
std::string shown(std::string_view text) {
  if (model::looks_secret({}, text)) return std::string(model::kMask);
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (starts && at >= kMostShown) return result + "...";
    result += static_cast<unsigned char>(text[at]) < 0x20 || text[at] == 0x7F ? ' ' : text[at];
  }
  return result;
}

}  // namespace

std::string Path::text() const {
  std::string before = parent != nullptr ? parent->text() : std::string();
  if (index >= 0) return before + "[" + std::to_string(index) + "]";
  if (key.empty()) return before;
  return before.empty() ? shown(key) : before + "." + shown(key);
}

model::Finding& Findings::add(model::Code code, const model::Node& at, std::string message, std::string expected,
                              std::string path) {
  std::size_t& count = model::severity(code) == model::Severity::Error ? errors_ : warnings_;
  if (count >= kMost) {
    cut_ = true;
    return dropped_ = {};
  }
  ++count;
  return findings_.emplace_back(model::make_finding(*spec_.source, code, at.span, std::move(message),
                                                    std::move(expected), std::move(path), &secrets()));
}

void Findings::relate(model::Finding& finding, const model::Node& at, std::string note) {
  finding.related.push_back(model::excerpt(*spec_.source, at.span, std::move(note), &secrets()));
}

const model::SecretPlaces& Findings::secrets() {
  if (!secrets_) secrets_ = model::secret_places(spec_);
  return *secrets_;
}

std::vector<model::Finding> Findings::take() {
  model::sort_by_place(findings_);
  if (cut_ || full()) findings_.back().help.emplace_back("there may be more findings; put these right first");
  return std::move(findings_);
}

std::string describe(const model::Node& node, std::string_view key) {
  using model::NodeKind;
  if (!node.is_scalar() || node.kind == NodeKind::Null) return std::string(name_of(node.kind));
  const std::string value = model::looks_secret(key, node.text) ? std::string(model::kMask) : shown(node.text);
  switch (node.kind) {
    case NodeKind::Boolean:
      return "the boolean " + value;
    case NodeKind::Integer:
    case NodeKind::Float:
      return "the number " + value;
    default:
      return "the text \"" + value + "\"";
  }
}

}  // namespace quorate::validate
