// Reads just as much Markdown as the pages use: paragraphs and fenced examples.
#include "reconciler/report/code_pages.h"

#include <algorithm>
#include <string_view>

#include "reconciler/report/finding_formats.h"
#include "reconciler/report/prose.h"

namespace quorate::report {
namespace {

constexpr std::string_view kFence = "```";

// Code between backticks keeps them: colour comes on top, it replaces nothing.
std::string with_colored_code(const std::string& text, const Style& style) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('`', at);
    const std::size_t close = open == std::string::npos ? open : text.find('`', open + 1);
    // Code that was wrapped over two lines is left alone.
    if (close == std::string::npos || text.find('\n', open) < close) {
      const std::size_t next = close == std::string::npos ? text.size() : open + 1;
      result += text.substr(at, next - at);
      at = next;
      continue;
    }
    result += text.substr(at, open - at) + style.cyan(text.substr(open, close + 1 - open));
    at = close + 1;
  }
  return result;
}

std::string plain_page(std::string_view page, const Style& style) {
  std::string text;
  bool in_example = false;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    if (line.substr(0, kFence.size()) == kFence) {
      in_example = !in_example;
    } else if (in_example) {
      text += "    " + std::string(line) + "\n";
    } else if (line.empty()) {
      text += "\n";
    } else {
      text += with_colored_code(wrapped(line, style.width, 0), style);
    }
  }
  return text;
}

}  // namespace

std::string explain_code_text(const model::CodeInfo& rule, const Style& style) {
  const model::Severity severity = model::severity(rule.code);
  const std::string kind = std::string(word_for(severity)) + "[" + std::string(rule.id) + "]";
  std::string text = severity == model::Severity::Error ? style.red(kind) : style.yellow(kind);
  text += ": " + style.bold(rule.title) + "\n\n";
  return text + plain_page(rule.page, style);
}

std::string explain_code_json(const model::CodeInfo& rule) {
  base::Json root = base::Json::object();
  root["format_version"] = "1.0";
  root["kind"] = "code";
  root["code"] = rule.id;
  root["severity"] = word_for(model::severity(rule.code));
  root["title"] = rule.title;
  root["page"] = rule.page;
  return document(root);
}

std::string codes_text(const Style& style) {
  std::string text;
  for (const model::CodeInfo& rule : model::all_codes()) {
    const std::string id(rule.id);
    const bool is_error = model::severity(rule.code) == model::Severity::Error;
    text += (is_error ? style.red(id) : style.yellow(id)) + "  " + std::string(rule.title) + "\n";
  }
  return text;
}

std::string codes_markdown() {
  std::string text = "| code | severity | rule |\n| --- | --- | --- |\n";
  std::string pages;
  for (const model::CodeInfo& rule : model::all_codes()) {
    const std::string id(rule.id), title(rule.title);
    std::string anchor = id;
    anchor.front() = anchor.front() == 'W' ? 'w' : 'e';
    text += "| [" + id + "](#" + anchor + ") | " + std::string(word_for(model::severity(rule.code))) + " | " + title +
            " |\n";
    pages += "\n## " + id + "\n\n**" + title + "**\n\n" + std::string(rule.page);
  }
  return text + pages;
}

}  // namespace quorate::report
