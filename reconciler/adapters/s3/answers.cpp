// pugixml reads and writes; what must be there and is not makes the whole answer an error.
#include "reconciler/adapters/s3/answers.h"

#include <charconv>
#include <optional>
#include <sstream>
#include <system_error>

#include <pugixml.hpp>

namespace quorate::s3 {
namespace {

constexpr std::size_t kMessage = 200;

// The name without a prefix of a namespace.
std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') + 1);
}

pugi::xml_node child_of(const pugi::xml_node& node, std::string_view name) {
  for (const pugi::xml_node& child : node.children()) {
    if (local_name(child) == name) return child;
  }
  return {};
}

std::string text_of(const pugi::xml_node& node, std::string_view name) {
  return child_of(node, name).text().get();
}

// Blanks in keys count.
bool parse(pugi::xml_document& document, std::string_view xml, std::string_view root) {
  const auto parsed = document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_ws_pcdata_single,
                                           pugi::encoding_utf8);
  return parsed && local_name(document.document_element()) == root;
}

tl::unexpected<base::Error> no_answer(std::string_view what) {
  return base::invalid("the answer is no " + std::string(what) + " of an S3 store",
                       "check the endpoint: is it the address of the S3 service?");
}

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

std::string printable(std::string text) {
  if (text.size() > kMessage) text = text.substr(0, kMessage) + "...";
  for (char& c : text) c = c >= ' ' && c <= '~' ? c : '?';
  return text;
}

}  // namespace

Trouble read_trouble(std::string_view xml) {
  pugi::xml_document document;
  pugi::xml_node error;
  if (parse(document, xml, "Error")) {
    error = document.document_element();
  } else if (local_name(document.document_element()) == "ErrorResponse") {  // of STS
    error = child_of(document.document_element(), "Error");
  }
  return {printable(text_of(error, "Code")), printable(text_of(error, "Message")), printable(text_of(error, "Region")),
          printable(text_of(error, "ServerTime"))};
}

base::Result<ListPage> read_list(std::string_view xml) {
  pugi::xml_document document;
  if (!parse(document, xml, "ListBucketResult")) return no_answer("listing");
  const pugi::xml_node root = document.document_element();
  ListPage page;
  for (const pugi::xml_node& node : root.children()) {
    if (local_name(node) != "Contents") continue;
    const auto size = number(text_of(node, "Size"));
    const auto modified = base::parse_time(text_of(node, "LastModified"));
    if (!size || !modified) return no_answer("listing");
    page.objects.push_back({text_of(node, "Key"), *size, *modified});
  }
  const std::string more = text_of(root, "IsTruncated");
  if (more != "true" && more != "false") return no_answer("listing");
  if (more == "false") return page;
  page.next = text_of(root, "NextContinuationToken");
  if (page.next.empty()) return no_answer("listing (it has more pages and does not say where)");
  return page;
}

base::Result<UploadPage> read_uploads(std::string_view xml) {
  pugi::xml_document document;
  if (!parse(document, xml, "ListMultipartUploadsResult")) return no_answer("list of uploads");
  const pugi::xml_node root = document.document_element();
  UploadPage page;
  for (const pugi::xml_node& node : root.children()) {
    if (local_name(node) != "Upload") continue;
    const auto began = base::parse_time(text_of(node, "Initiated"));
    OpenUpload upload{text_of(node, "Key"), text_of(node, "UploadId"), began.value_or(base::Time{})};
    if (!began || upload.key.empty() || upload.id.empty()) return no_answer("list of uploads");
    page.uploads.push_back(std::move(upload));
  }
  page.more = text_of(root, "IsTruncated") == "true";
  page.next_key = text_of(root, "NextKeyMarker");
  page.next_id = text_of(root, "NextUploadIdMarker");
  if (page.more && page.next_key.empty()) return no_answer("list of uploads");
  return page;
}

Issued read_issued(std::string_view xml) {
  pugi::xml_document document;
  for (const std::string action : {"AssumeRole", "AssumeRoleWithWebIdentity"}) {
    if (!parse(document, xml, action + "Response")) continue;
    const pugi::xml_node keys = child_of(child_of(document.document_element(), action + "Result"), "Credentials");
    return {text_of(keys, "AccessKeyId"), text_of(keys, "SecretAccessKey"), text_of(keys, "SessionToken"),
            text_of(keys, "Expiration")};
  }
  return {};
}

base::Result<std::string> read_upload_id(std::string_view xml) {
  pugi::xml_document document;
  if (!parse(document, xml, "InitiateMultipartUploadResult")) return no_answer("beginning of an upload");
  std::string id = text_of(document.document_element(), "UploadId");
  if (id.empty()) return no_answer("beginning of an upload");
  return id;
}

bool says_completed(std::string_view xml) {
  pugi::xml_document document;
  return parse(document, xml, "CompleteMultipartUploadResult");
}

std::string completion_of(const std::vector<std::string>& etags) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("CompleteMultipartUpload");
  root.append_attribute("xmlns") = "http://s3.amazonaws.com/doc/2006-03-01/";
  for (std::size_t number = 1; number <= etags.size(); ++number) {
    pugi::xml_node part = root.append_child("Part");
    part.append_child("PartNumber").text() = static_cast<unsigned long>(number);
    part.append_child("ETag").text() = etags[number - 1].c_str();
  }
  std::ostringstream xml;
  document.save(xml, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return xml.str();
}

}  // namespace quorate::s3
