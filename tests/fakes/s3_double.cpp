// cpp-httplib serves; a signature is made anew from what came over the wire.
#define CPPHTTPLIB_OPENSSL_SUPPORT  // as its library was built; else the two disagree about what a request is
#include "tests/fakes/s3_double.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include <httplib.h>
#include <openssl/evp.h>

#include "reconciler/adapters/s3/sigv4.h"

namespace quorate::fakes {
namespace {

using httplib::Request;
using httplib::Response;

std::string md5(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr);
  std::string text;
  for (unsigned int at = 0; at < size; ++at) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += {kDigits[digest[at] >> 4U], kDigits[digest[at] & 15U]};
  }
  return "\"" + text + "\"";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

std::string decoded(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      result += static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16));
      at += 2;
    } else {
      result += text[at];
    }
  }
  return result;
}

struct Target {
  std::string path;
  std::map<std::string, std::string> query;

  bool has(const std::string& name) const { return query.count(name) != 0; }
  std::string at(const std::string& name) const { return has(name) ? query.at(name) : ""; }
};

Target target_of(const Request& request) {
  const std::size_t mark = request.target.find('?');
  Target target{decoded(request.target.substr(0, mark)), {}};
  std::string rest = mark == std::string::npos ? "" : request.target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string pair = rest.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    target.query[decoded(pair.substr(0, equals))] = equals < pair.size() ? decoded(pair.substr(equals + 1)) : "";
    rest.erase(0, end + 1);
  }
  return target;
}

void refuse(Response& response, int status, const std::string& code, const std::string& more = "") {
  response.status = status;
  const std::string xml =
      "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>as told</Message>" + more + "</Error>";
  // In chunks, because the server takes the range that was asked for out of everything else.
  response.set_chunked_content_provider("application/xml", [xml](std::size_t, httplib::DataSink& sink) {
    sink.write(xml.data(), xml.size());
    sink.done();
    return true;
  });
}

// The code of S3 for what is wrong with the signature; empty: it is good.
std::string why_not(const Request& request, const std::string& token) {
  const std::string line = request.get_header_value("authorization");
  const auto piece = [&line](const std::string& name) {
    const std::size_t at = line.find(name + "=");
    if (at == std::string::npos) return std::string();
    return line.substr(at + name.size() + 1, line.find(',', at) - at - name.size() - 1);
  };
  const std::string credential = piece("Credential");
  if (credential.substr(0, credential.find('/')) != S3Double::kAccess) return "InvalidAccessKeyId";
  if (!token.empty() && request.get_header_value("x-amz-security-token") != token) return "ExpiredToken";
  if (credential.find("/us-east-1/s3/") == std::string::npos) return "AuthorizationHeaderMalformed";
  const std::string date = request.get_header_value("x-amz-date");
  const auto time = base::parse_time(date.substr(0, 4) + "-" + date.substr(4, 2) + "-" + date.substr(6, 5) + ":" +
                                     date.substr(11, 2) + ":" + date.substr(13));
  const auto now = std::chrono::system_clock::now();
  if (!time || *time < now - std::chrono::minutes(15) || *time > now + std::chrono::minutes(15)) {
    return "RequestTimeTooSkewed";
  }
  const Target target = target_of(request);
  s3::Request again{request.method, target.path, {}, {}, request.get_header_value("x-amz-content-sha256")};
  for (const auto& pair : target.query) again.query.push_back(pair);
  std::string names = piece("SignedHeaders") + ";";
  for (std::size_t end = names.find(';'); end != std::string::npos; end = names.find(';')) {
    const std::string name = names.substr(0, end);
    if (name != "x-amz-date" && name != "x-amz-security-token" && !name.empty()) {
      again.headers.emplace_back(name, request.get_header_value(name));
    }
    names.erase(0, end + 1);
  }
  const std::string sent_token = request.get_header_value("x-amz-security-token");
  const auto added = s3::sign(again, {S3Double::kAccess, S3Double::kSecret, sent_token, "us-east-1", "s3"}, *time);
  if (added.back().second != line) return "SignatureDoesNotMatch";
  if (again.payload_hash != s3::kUnsignedPayload && again.payload_hash != s3::sha256_hex(request.body)) {
    return "XAmzContentSHA256Mismatch";
  }
  return "";
}

}  // namespace

S3Double::S3Double() : S3Double(std::make_unique<httplib::Server>()) {}

S3Double::S3Double(const Tls& tls)
    : S3Double(std::make_unique<httplib::SSLServer>(tls.certificate.c_str(), tls.key.c_str())) {
  tls_ = true;
}

S3Double::S3Double(std::unique_ptr<httplib::Server> server) : server_(std::move(server)) {
  const auto serve_it = [this](const Request& request, Response& response) { serve(request, response); };
  server_->Get(".*", serve_it).Put(".*", serve_it).Post(".*", serve_it).Delete(".*", serve_it);
  server_->set_keep_alive_max_count(100000);
  port_ = server_->bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

S3Double::~S3Double() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    ended_.notify_all();
  }
  server_->stop();
  thread_.join();
}

void S3Double::make_bucket(const std::string& bucket) {
  const std::lock_guard lock(mutex_);
  buckets_[bucket];
}
void S3Double::fail(S3Fault fault) {
  const std::lock_guard lock(mutex_);
  faults_.push_back(std::move(fault));
}
void S3Double::keep_conditions(Conditions conditions) {
  const std::lock_guard lock(mutex_);
  conditions_ = conditions;
}
void S3Double::take_tokens(const std::string& token) {
  const std::lock_guard lock(mutex_);
  token_ = token;
}
void S3Double::on_request(std::function<void(const std::string&, const std::string&)> told) {
  const std::lock_guard lock(mutex_);
  told_ = std::move(told);
}
std::map<std::string, std::string> S3Double::objects(const std::string& bucket) {
  const std::lock_guard lock(mutex_);
  return buckets_[bucket];
}
void S3Double::set(const std::string& bucket, const std::string& key, const std::string& bytes) {
  const std::lock_guard lock(mutex_);
  buckets_[bucket][key] = bytes;
}
std::size_t S3Double::uploads() {
  const std::lock_guard lock(mutex_);
  return uploads_.size();
}
void S3Double::leave_upload(const std::string& bucket, const std::string& key) {
  const std::lock_guard lock(mutex_);
  uploads_["upload-" + std::to_string(next_upload_++)] = {bucket, key, {}};
}
std::vector<std::string> S3Double::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}
std::map<std::string, std::string> S3Double::last_headers(const std::string& method) {
  const std::lock_guard lock(mutex_);
  return headers_[method];
}

bool S3Double::meets(const Request& request, S3Fault& met) {
  for (S3Fault& fault : faults_) {
    if (fault.times == 0 || fault.method != request.method) continue;
    if (request.target.find(fault.target) == std::string::npos) continue;
    if (fault.skip > 0) {
      --fault.skip;
      continue;
    }
    if (fault.times > 0) --fault.times;
    met = fault;
    return true;
  }
  return false;
}

void S3Double::serve(const Request& request, Response& response) {
  const std::size_t now = ++now_;
  for (std::size_t most = most_; now > most && !most_.compare_exchange_weak(most, now);) continue;
  std::function<void(const std::string&, const std::string&)> told;
  S3Fault fault;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request.method + " " + request.target);
    auto& headers = headers_[request.method];
    headers.clear();
    for (const auto& [name, value] : request.headers) headers[name] = value;
    told = told_;
  }
  if (told) told(request.method, request.target);
  {
    const std::lock_guard lock(mutex_);
    const bool failing = meets(request, fault);
    if (failing && fault.how == S3Fault::How::Says) {
      refuse(response, fault.status, fault.code, fault.region.empty() ? "" : "<Region>" + fault.region + "</Region>");
      if (!fault.retry_after.empty()) response.set_header("Retry-After", fault.retry_after);
    } else {
      const std::string why = why_not(request, token_);
      if (why.empty()) {
        carry_out(request, response);
      } else {
        const bool malformed = why == "AuthorizationHeaderMalformed" || why == "ExpiredToken";
        refuse(response, malformed ? 400 : 403, why,
               why == "AuthorizationHeaderMalformed" ? "<Region>us-east-1</Region>" : "");
      }
      if (failing) spoil(fault, response);
    }
  }
  --now_;
}

void S3Double::spoil(const S3Fault& fault, Response& response) {
  using How = S3Fault::How;
  if (fault.how == How::HalfError) {
    response.status = 200;
    response.set_content("<Error><Code>InternalError</Code><Message>half way</Message></Error>", "application/xml");
    return;
  }
  const std::string body = fault.how == How::Loses ? "" : response.body;
  const std::size_t whole = std::max<std::size_t>(response.body.size(), 1);
  const bool stalls = fault.how == How::Stalls;
  response.body.clear();
  response.set_content_provider(whole, "application/octet-stream",
                                [this, body, stalls](std::size_t offset, std::size_t, httplib::DataSink& sink) {
                                  const std::size_t half = body.size() / 2;
                                  if (offset < half) return sink.write(body.data() + offset, half - offset);
                                  if (stalls) {
                                    std::unique_lock lock(mutex_);
                                    ended_.wait_for(lock, std::chrono::seconds(20), [this] { return ending_; });
                                  }
                                  return false;
                                });
}

void S3Double::carry_out(const Request& request, Response& response) {
  const Target target = target_of(request);
  const std::size_t slash = std::min(target.path.find('/', 1), target.path.size());
  std::string bucket = target.path.substr(1, slash - 1);
  std::string key = slash < target.path.size() ? target.path.substr(slash + 1) : "";
  const std::string host = request.get_header_value("host");
  if (const std::size_t dot = host.find(".localhost:"); dot != std::string::npos) {
    bucket = host.substr(0, dot);
    key = target.path.substr(1);
  }
  if (buckets_.count(bucket) == 0) return refuse(response, 404, "NoSuchBucket");
  if (key.empty()) return bucket_request(request, response, bucket);
  if (target.has("uploads") || target.has("uploadId")) return upload_request(request, response, bucket, key);
  object_request(request, response, bucket, key);
}

void S3Double::bucket_request(const Request& request, Response& response, const std::string& bucket) {
  const Target target = target_of(request);
  const std::string prefix = target.at("prefix");
  std::string xml;
  if (target.has("uploads")) {
    return response.set_content(uploads_page(bucket, prefix, {target.at("key-marker"), target.at("upload-id-marker")},
                                             target.has("max-uploads") ? std::stoul(target.at("max-uploads")) : 1000),
                                "application/xml");
  }
  const std::string after = target.at("continuation-token");
  std::size_t left = target.has("max-keys") ? std::stoul(target.at("max-keys")) : 1000;
  std::string last;
  bool more = false;
  for (const auto& [key, bytes] : buckets_[bucket]) {
    if (key.compare(0, prefix.size(), prefix) != 0 || (!after.empty() && "t" + key <= after)) continue;
    more = left == 0;
    if (more) break;
    --left;
    last = key;
    xml += "<Contents><Key>" + escaped(key) + "</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>" +
           std::to_string(bytes.size()) + "</Size></Contents>";
  }
  xml = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><IsTruncated>" +
        std::string(more ? "true" : "false") + "</IsTruncated>" +
        (more ? "<NextContinuationToken>t" + escaped(last) + "</NextContinuationToken>" : "") + xml +
        "</ListBucketResult>";
  response.set_content(xml, "application/xml");
}

// By key, and those of one key by their ID.
std::string S3Double::uploads_page(const std::string& bucket, const std::string& prefix,
                                   const std::pair<std::string, std::string>& after, std::size_t most) {
  std::set<std::pair<std::string, std::string>> left;
  for (const auto& [id, upload] : uploads_) {
    const bool asked_for = upload.bucket == bucket && upload.key.compare(0, prefix.size(), prefix) == 0;
    if (asked_for && std::pair(upload.key, id) > after) left.emplace(upload.key, id);
  }
  std::string xml;
  std::string next;
  const bool more = left.size() > most;
  for (const auto& [key, id] : left) {
    if (most-- == 0) break;
    xml += "<Upload><Key>" + escaped(key) + "</Key><UploadId>" + id +
           "</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>";
    next = "<NextKeyMarker>" + escaped(key) + "</NextKeyMarker><NextUploadIdMarker>" + id + "</NextUploadIdMarker>";
  }
  return "<ListMultipartUploadsResult><IsTruncated>" + std::string(more ? "true" : "false") + "</IsTruncated>" +
         (more ? next : "") + xml + "</ListMultipartUploadsResult>";
}

bool S3Double::breaks_condition(const Request& request, Response& response, bool there) {
  if (!request.has_header("if-none-match") || conditions_ == Conditions::Ignored) return false;
  const bool refused = conditions_ == Conditions::Refused;
  if (!refused && !there) return false;
  refuse(response, refused ? 501 : 412, refused ? "NotImplemented" : "PreconditionFailed");
  return true;
}

void S3Double::object_request(const Request& request, Response& response, const std::string& bucket,
                              const std::string& key) {
  auto& objects = buckets_[bucket];
  const auto found = objects.find(key);
  if (request.method == "PUT") {
    if (breaks_condition(request, response, found != objects.end())) return;
    objects[key] = request.body;
    response.set_header("ETag", md5(request.body));
    return;
  }
  if (request.method == "DELETE") {
    objects.erase(key);
    response.status = 204;
    return;
  }
  if (found == objects.end()) return refuse(response, 404, "NoSuchKey");
  const std::string etag = md5(found->second);
  const std::string wanted = request.get_header_value("if-match");
  if (!wanted.empty() && wanted != etag) return refuse(response, 412, "PreconditionFailed");
  response.set_header("ETag", etag);
  response.set_content(found->second, "application/octet-stream");
}

void S3Double::upload_request(const Request& request, Response& response, const std::string& bucket,
                              const std::string& key) {
  const Target target = target_of(request);
  if (target.has("uploads")) {
    const std::string id = "upload-" + std::to_string(next_upload_++);
    uploads_[id] = {bucket, key, {}};
    return response.set_content(
        "<InitiateMultipartUploadResult><UploadId>" + id + "</UploadId></InitiateMultipartUploadResult>",
        "application/xml");
  }
  const std::string id = target.at("uploadId");
  const auto found = uploads_.find(id);
  if (found == uploads_.end()) return refuse(response, 404, "NoSuchUpload");
  if (request.method == "PUT") {
    found->second.parts[std::stoi(target.at("partNumber"))] = request.body;
    response.set_header("ETag", md5(request.body));
  } else if (request.method == "DELETE") {
    uploads_.erase(found);
    response.status = 204;
  } else {
    complete(request, response, bucket, key);
  }
}

void S3Double::complete(const Request& request, Response& response, const std::string& bucket, const std::string& key) {
  if (breaks_condition(request, response, buckets_[bucket].count(key) != 0)) return;
  const std::string id = target_of(request).at("uploadId");
  std::string whole;
  std::size_t at = 0;
  for (const auto& [number, bytes] : uploads_[id].parts) {
    const std::string part =
        "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" + md5(bytes) + "</ETag></Part>";
    at = request.body.find(part, at);
    if (at == std::string::npos) return refuse(response, 400, "InvalidPart");
    whole += bytes;
  }
  uploads_.erase(id);
  buckets_[bucket][key] = std::move(whole);
  response.set_content("<CompleteMultipartUploadResult><Key>x</Key></CompleteMultipartUploadResult>",
                       "application/xml");
}

}  // namespace quorate::fakes
