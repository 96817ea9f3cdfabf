// Objects in parts: begun, sent, put together, given up.
#include <algorithm>
#include <utility>

#include "reconciler/adapters/s3/bucket.h"

namespace quorate::s3 {
namespace {

using base::Error;
using base::ErrorKind;

constexpr int kPagesAtMost = 1000;

}  // namespace

base::Result<Begun> Bucket::begin_upload(const std::string& name) {
  Ask ask = this->ask("POST", "putting", name);
  ask.query = {{"uploads", ""}};
  ask.headers = headers_of_new_objects();
  const auto said = client_.ask_well(ask);
  if (!said) {
    // An upload that nobody knows of shows nothing, and is swept.
    Error error = said.error();
    if (error.kind == ErrorKind::Ambiguous) error.kind = ErrorKind::Transient;
    return tl::unexpected(std::move(error));
  }
  auto id = read_for(ask, read_upload_id(said->answer.body));
  if (!id) return tl::unexpected(std::move(id.error()));
  return Begun{std::move(*id), said->answer.header("date")};
}

base::Result<std::string> Bucket::put_part(const std::string& name, const std::string& id, std::size_t number,
                                           std::string_view bytes, Stop& stop) {
  Ask ask = this->ask("PUT", "putting part " + std::to_string(number) + " of", name);
  ask.query = {{"partNumber", std::to_string(number)}, {"uploadId", id}};
  ask.body = bytes;
  ask.midway = true;
  const auto said = client_.ask_well(ask, &stop);
  if (!said) {
    Error error = said.error();
    if (error.kind == ErrorKind::Ambiguous) error.kind = ErrorKind::Transient;  // a part alone shows nothing
    return tl::unexpected(std::move(error));
  }
  std::string etag = said->answer.header("etag");
  if (etag.empty()) return base::invalid(ask.doing + ": the store names no ETag", "check the endpoint");
  return etag;
}

// Sent with the condition where it may be heard. A store that knows none, or that says that there is one where there is
// none, is asked again without it, after a look.
base::Result<Said> Bucket::ask_to_complete(const std::string& name, Ask& ask, ports::Overwrite overwrite) {
  if (overwrite == ports::Overwrite::Allowed) return client_.ask(ask);
  if (conditions_ != Honour::Yes) {
    if (auto free = is_free(name); !free) return tl::unexpected(std::move(free.error()));
  }
  if (conditions_ == Honour::No) return client_.ask(ask);
  ask.headers.emplace_back("if-none-match", "*");
  auto said = client_.ask(ask);
  ask.headers.pop_back();
  if (!said || (said->answer.status != 501 && said->answer.status != 412)) return said;
  if (said->answer.status == 412 && said->maybe_done) return said;
  if (auto free = is_free(name); !free) return tl::unexpected(std::move(free.error()));
  return client_.ask(ask);
}

base::Result<void> Bucket::complete(const std::string& name, const Begun& begun, const std::vector<std::string>& etags,
                                    std::uint64_t size, ports::Overwrite overwrite) {
  Ask ask = this->ask("POST", "putting together", name);
  ask.query = {{"uploadId", begun.id}};
  const std::string parts = completion_of(etags);
  ask.body = parts;
  ask.headers.emplace_back("content-type", "application/xml");
  ask.midway = true;
  const auto said = ask_to_complete(name, ask, overwrite);
  if (!said && said.error().kind != ErrorKind::Ambiguous) return tl::unexpected(said.error());
  const bool done_before = said && said->maybe_done && (said->answer.status == 404 || said->answer.status == 412);
  if (said && !done_before) {
    // An error may come in an answer that began well, so that the connection stays alive meanwhile.
    if (!said->ok()) return tl::unexpected(client_.refusal(ask, *said));
    if (!says_completed(said->answer.body)) {
      const Trouble trouble = read_trouble(said->answer.body);
      return tl::unexpected(Error{
          ErrorKind::Transient, ask.doing + ": the store gave up (" + trouble.code + ": " + trouble.message + ")", ""});
    }
  }
  const auto done = is_completed(name, begun, size);
  if (!done || *done) return done ? base::Result<void>() : tl::unexpected(done.error());
  if (!said) return tl::unexpected(said.error());
  return tl::unexpected(Error{ErrorKind::Transient, ask.doing + ": what stands in the store is not what was put", ""});
}

// What stands there has the size of what was put, and is no older than the upload.
base::Result<bool> Bucket::is_completed(const std::string& name, const Begun& begun, std::uint64_t size) {
  const auto there = head(name);
  if (!there) {
    Error error = there.error();
    if (error.kind == ErrorKind::Transient) error.kind = ErrorKind::Ambiguous;
    return tl::unexpected(std::move(error));
  }
  if (!*there || (*there)->size != size) return false;
  const time_t began = curl_getdate(begun.date.c_str(), nullptr);
  const time_t modified = curl_getdate((*there)->modified.c_str(), nullptr);
  return began < 0 || modified < 0 || modified >= began;
}

base::Result<void> Bucket::abort(const std::string& name, const std::string& id) {
  Ask ask = this->ask("DELETE", "giving up", name);
  ask.query = {{"uploadId", id}};
  const auto said = client_.ask(ask);
  if (!said) return tl::unexpected(said.error());
  const bool gone = said->answer.status == 404 && said->trouble.code == "NoSuchUpload";
  if (!said->ok() && !gone) return tl::unexpected(client_.refusal(ask, *said));
  return {};
}

base::Result<std::vector<OpenUpload>> Bucket::uploads() {
  std::vector<OpenUpload> found;
  Ask ask = this->ask("GET", "listing the uploads of", "");
  std::string key;
  std::string id;
  for (int pages = 0; pages < kPagesAtMost; ++pages) {
    ask.query = {{"uploads", ""}, {"max-uploads", std::to_string(settings_.page)}, {"prefix", key_of("")}};
    if (!key.empty()) ask.query.emplace_back("key-marker", key);
    if (!id.empty()) ask.query.emplace_back("upload-id-marker", id);
    const auto said = client_.ask_well(ask);
    if (!said) return tl::unexpected(said.error());
    auto page = read_for(ask, read_uploads(said->answer.body));
    if (!page) return tl::unexpected(std::move(page.error()));
    for (OpenUpload& upload : page->uploads) {
      auto name = name_of(upload.key);
      if (name && !name->empty()) found.push_back({std::move(*name), std::move(upload.id), upload.began});
    }
    if (!page->more) return found;
    key = std::move(page->next_key);
    id = std::move(page->next_id);
  }
  return base::invalid(ask.doing + ": the listing does not end");
}

}  // namespace quorate::s3
