// Finding a place for a finding about something that the document does not say.
#include "reconciler/validate/rules/rules.h"

namespace quorate::validate {

const model::Node& Context::nearest(std::string_view path) const {
  while (true) {
    if (const model::Node* node = fields.node(path)) return *node;
    const auto dot = path.rfind('.');
    if (dot == std::string_view::npos) return root;
    path = path.substr(0, dot);
  }
}

}  // namespace quorate::validate
