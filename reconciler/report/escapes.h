// The escapes of formats that CI systems read.
#pragma once

#include <string>
#include <string_view>

namespace quorate::report {

// In workflow commands of GitHub Actions, whose runner undoes exactly these; `:` and `,` only in properties.
std::string github_text(std::string_view text);
std::string github_property(std::string_view text);

// In XML attributes, and in the body of an element, where line breaks stay.
std::string xml_text(std::string_view text);
std::string xml_body(std::string_view text);
std::string xml_attribute(std::string_view name, std::string_view value);  // " name=\"value\""

// As the uri of a place in SARIF: relative to where the tool was started, which in CI is the root of the repository.
std::string sarif_uri(std::string_view file);

// In Markdown with HTML, also inside a cell of a table: nothing of it is markup. Code spans: `code`.
std::string markdown_text(std::string_view text);
std::string markdown_code(std::string_view text);

}  // namespace quorate::report
