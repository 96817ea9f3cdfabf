// Reads the XML that we write, strictly: whatever is not well-formed is a failure with its place.
#pragma once

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace quorate::report::test {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::vector<Element> children;
  std::string text;
};

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  Element document() {
    for (const char c : text_) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') fail("a control character");
    }
    expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    Element root = element();
    skip_space();
    if (at_ != text_.size()) fail("something after the root");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_));
  }
  bool next_is(std::string_view part) const { return text_.substr(at_, part.size()) == part; }
  void expect(std::string_view part) {
    if (!next_is(part)) fail("expected " + std::string(part));
    at_ += part.size();
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '-'))
      ++at_;
    if (start == at_) fail("expected a name");
    return std::string(text_.substr(start, at_ - start));
  }
  std::string until(char end) {
    std::string result;
    while (at_ < text_.size() && text_[at_] != end) {
      if (text_[at_] == '<') fail("a bare <");
      if (text_[at_] != '&') {
        result += text_[at_++];
        continue;
      }
      const std::size_t semicolon = text_.find(';', at_);
      if (semicolon == std::string_view::npos) fail("a bare &");
      const std::string entity(text_.substr(at_ + 1, semicolon - at_ - 1));
      static const std::map<std::string, char> kKnown = {{"amp", '&'}, {"lt", '<'},   {"gt", '>'},  {"quot", '"'},
                                                         {"#9", '\t'}, {"#10", '\n'}, {"#13", '\r'}};
      if (kKnown.count(entity) == 0) fail("unknown entity " + entity);
      result += kKnown.at(entity);
      at_ = semicolon + 1;
    }
    return result;
  }
  Element element() {
    Element result;
    expect("<");
    result.name = name();
    for (skip_space(); !next_is(">") && !next_is("/>"); skip_space()) {
      const std::string key = name();
      expect("=\"");
      if (!result.attributes.emplace(key, until('"')).second) fail("attribute twice");
      expect("\"");
    }
    if (next_is("/>")) {
      expect("/>");
      return result;
    }
    expect(">");
    for (result.text = until('<'); !next_is("</"); result.text += until('<')) result.children.push_back(element());
    expect("</" + result.name + ">");
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace quorate::report::test
