// Secrets never belong into a file that goes to git; the finding itself must not show one either.
#include "reconciler/model/secrets.h"

#include <set>
#include <string>

#include "reconciler/validate/rules/rules.h"
#include "reconciler/validate/schema.h"

namespace quorate::validate {
namespace {

using model::Code;
using model::Entry;
using model::Node;

class Search {
 public:
  explicit Search(const Context& context) : context_(context) {}

  // `schema` is null inside x-*, where anything may stand.
  void look(const Node& node, const Schema* schema, const Path& path, std::string_view key) {
    if (context_.findings.full()) return;
    if (node.is_scalar()) {
      if (model::looks_secret(key, node.text)) report(node, path);
      return;
    }
    for (const Node* item : node.items) look(*item, schema != nullptr ? schema->items.get() : nullptr, path, key);
    for (const Entry& entry : node.entries) {
      const std::string& name = entry.key->text;
      const Path here{&path, name};
      if (schema == nullptr) {
        look(*entry.value, nullptr, here, name);
        continue;
      }
      const auto property = schema->properties.find(name);
      if (property != schema->properties.end()) {
        look(*entry.value, property->second.get(), here, name);
      } else if ((schema->extensions && name.substr(0, 2) == "x-") || schema->values != nullptr) {
        look(*entry.value, schema->values.get(), here, name);
      }
      // Below an unknown key the finding about the key says it.
    }
  }

 private:
  void report(const Node& node, const Path& path) {
    if (!seen_.insert(&node).second) return;  // one value under several aliases
    Node masked = node;
    masked.span.length = static_cast<int>(model::kMask.size());
    context_.findings
        .add(Code::E120, masked, "a secret is written in this file",
             "expected it in a file on the node, and nothing here", path.text())
        .help.push_back("if the file was ever committed, this value is in git history: rotate it");
  }

  const Context& context_;
  std::set<const Node*> seen_;
};

}  // namespace

void check_secrets(const Context& context) {
  Search(context).look(context.root, &cluster_schema(), Path{}, {});
}

}  // namespace quorate::validate
