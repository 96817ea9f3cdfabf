// The unwrapped root is a new mapping of the old nodes, so that nothing loses its place.
#include "reconciler/load/envelope.h"

#include <string>

#include "reconciler/model/excerpt.h"

namespace quorate::load {
namespace {

using model::Code;
using model::Entry;
using model::Node;
using model::NodeKind;

class Unwrapping {
 public:
  Unwrapping(model::Spec& spec, std::vector<model::Finding>& findings) : spec_(spec), findings_(findings) {}

  void run(const Node& old, const Node& metadata, const Node& body) {
    Node& root = spec_.nodes.emplace_back();
    root.kind = NodeKind::Mapping;
    root.span = old.span;
    for (const Entry& entry : old.entries) {
      if (entry.value == &metadata) {
        take_metadata(root, metadata);
      } else if (entry.value == &body) {
        for (const Entry& inner : body.entries) add(root, inner);
      } else {
        add(root, entry);
      }
    }
    spec_.root = &root;
  }

 private:
  void take_metadata(Node& root, const Node& metadata) {
    for (const Entry& entry : metadata.entries) {
      if (entry.key->text == "name" || entry.key->text == "labels") {
        add(root, entry);
      } else {
        report(Code::E102, *entry.key, "unknown key \"" + entry.key->text.substr(0, 80) + "\" in metadata",
               "expected name or labels", "metadata." + entry.key->text.substr(0, 80));
      }
    }
  }

  void add(Node& root, const Entry& entry) {
    const Entry* first = root.entry(entry.key->text);
    if (first == nullptr) {
      root.entries.push_back(entry);
      return;
    }
    report(Code::E009, *entry.key, "\"" + entry.key->text + "\" is given twice, in the envelope and in spec",
           "expected it once", entry.key->text);
    findings_.back().related.push_back(model::excerpt(*spec_.source, first->key->span, "first used here"));
  }

  void report(Code code, const Node& at, std::string message, std::string expected, std::string path) {
    findings_.push_back(
        model::make_finding(*spec_.source, code, at.span, std::move(message), std::move(expected), std::move(path)));
  }

  model::Spec& spec_;
  std::vector<model::Finding>& findings_;
};

}  // namespace

void unwrap_envelope(model::Spec& spec, std::vector<model::Finding>& findings) {
  if (spec.root == nullptr || spec.root->kind != NodeKind::Mapping) return;
  const Node* metadata = spec.root->get("metadata");
  const Node* body = spec.root->get("spec");
  if (metadata == nullptr || body == nullptr || metadata->kind != NodeKind::Mapping ||
      body->kind != NodeKind::Mapping) {
    return;
  }
  Unwrapping(spec, findings).run(*spec.root, *metadata, *body);
}

}  // namespace quorate::load
