// A second opinion on our JSON documents: a stock validator with our schemas.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace quorate::support {

class JsonSchema {
 public:
  explicit JsonSchema(std::string_view text) : json_(nlohmann::json::parse(text)) {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(json_), schema_);
  }

  // What does not fit, one line each; empty: the document fits.
  std::string problems(const std::string& document) const {
    const auto json = nlohmann::json::parse(document);
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    if (validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(json), &results)) return {};
    std::string text;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
      for (const std::string& part : error.context) text += part;
      text += ": " + error.description + "\n";
    }
    return text;
  }

 private:
  nlohmann::json json_;
  valijson::Schema schema_;
};

}  // namespace quorate::support
