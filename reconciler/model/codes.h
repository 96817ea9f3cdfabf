// The rules a desired file can break, each under a code that never changes its meaning.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace quorate::model {

enum class Severity { Warning, Error };

// clang-format off
enum class Code {
  // the file as text and as YAML
  E001, E002, E003, E004, E005, E006, E007, E008, E009, E010, E011, E012, E013,
  // the shape that the schema asks for, and the meaning of the whole
  E100, E101, E102, E103, E104, E105, E106, E107, E110, E111, E112, E113, E114, E115, E116, E117, E118, E119, E120, E121, E122, E123, E124, E125, E126, E127, E128,
  E129, E130, E131, E132,
  // etcd's own options
  E140, E141, E142, E143,
  // allowed, but look again
  W201, W202, W203, W204, W205, W206, W207, W208, W209,
};
// clang-format on

struct CodeInfo {
  Code code;
  std::string_view id;     // "E103"
  std::string_view title;  // a few words, for tables
  std::string_view page;   // Markdown: what it means, why it is a rule, an example, how to put it right
};

const std::vector<CodeInfo>& all_codes();
const CodeInfo& info(Code code);
std::optional<Code> find_code(std::string_view id);  // either case
Severity severity(Code code);                        // from the letter of the id

}  // namespace quorate::model
