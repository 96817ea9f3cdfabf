// A server on loopback that speaks S3 as far as we do, checks each signature, and fails as it is told to.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace quorate::fakes {

enum class Conditions { Kept, Ignored, Refused };  // If-None-Match: 412, not heard, 501

// What happens to requests of this method whose target holds this text.
struct S3Fault {
  enum class How {
    Says,       // this status, with this code of S3
    Loses,      // it is done, and the answer breaks off
    Cuts,       // the answer's body ends half way
    Stalls,     // the answer's body stops half way and the connection stays
    HalfError,  // 200, and in it an error
  };
  std::string method;
  std::string target;
  How how = How::Says;
  int status = 500;
  std::string code = "InternalError";
  std::string region = {};
  int skip = 0;
  int times = 1;  // negative: all
  std::string retry_after = {};
};

class S3Double {
 public:
  struct Tls {
    std::string certificate;
    std::string key;
  };

  S3Double();
  explicit S3Double(const Tls& tls);  // good for localhost and what is below it
  ~S3Double();
  S3Double(const S3Double&) = delete;
  S3Double& operator=(const S3Double&) = delete;

  std::string endpoint() const { return (tls_ ? "https://localhost:" : "http://127.0.0.1:") + std::to_string(port_); }
  int port() const { return port_; }
  void make_bucket(const std::string& bucket);
  void fail(S3Fault fault);
  void keep_conditions(Conditions conditions);
  void take_tokens(const std::string& token);  // the only session token that is let in
  void on_request(std::function<void(const std::string& method, const std::string& target)> told);

  std::map<std::string, std::string> objects(const std::string& bucket);
  void set(const std::string& bucket, const std::string& key, const std::string& bytes);
  std::size_t uploads();
  void leave_upload(const std::string& bucket, const std::string& key);  // somebody else's, not ended
  std::vector<std::string> requests();                                   // "PUT /bucket/key?query"
  std::map<std::string, std::string> last_headers(const std::string& method);
  std::size_t most_at_once() const { return most_; }

  static constexpr const char* kAccess = "AKIDDOUBLE";
  static constexpr const char* kSecret = "double/secret+0123456789";

 private:
  struct Upload {
    std::string bucket;
    std::string key;
    std::map<int, std::string> parts;
  };

  explicit S3Double(std::unique_ptr<httplib::Server> server);

  void serve(const httplib::Request& request, httplib::Response& response);
  void carry_out(const httplib::Request& request, httplib::Response& response);
  void bucket_request(const httplib::Request& request, httplib::Response& response, const std::string& bucket);
  void object_request(const httplib::Request& request, httplib::Response& response, const std::string& bucket,
                      const std::string& key);
  std::string uploads_page(const std::string& bucket, const std::string& prefix,
                           const std::pair<std::string, std::string>& after, std::size_t most);
  bool breaks_condition(const httplib::Request& request, httplib::Response& response, bool there);
  void upload_request(const httplib::Request& request, httplib::Response& response, const std::string& bucket,
                      const std::string& key);
  void complete(const httplib::Request& request, httplib::Response& response, const std::string& bucket,
                const std::string& key);
  bool meets(const httplib::Request& request, S3Fault& met);
  void spoil(const S3Fault& fault, httplib::Response& response);

  std::unique_ptr<httplib::Server> server_;
  bool tls_ = false;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::map<std::string, std::map<std::string, std::string>> buckets_;
  std::map<std::string, Upload> uploads_;
  std::vector<S3Fault> faults_;
  std::vector<std::string> requests_;
  std::map<std::string, std::map<std::string, std::string>> headers_;
  std::function<void(const std::string&, const std::string&)> told_;
  Conditions conditions_ = Conditions::Kept;
  std::string token_;
  int next_upload_ = 1;
  std::atomic<std::size_t> now_ = 0;
  std::atomic<std::size_t> most_ = 0;
};

}  // namespace quorate::fakes
