// A server on loopback that gives out keys as STS, the agent of a container and a machine's metadata service do.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace quorate::fakes {

class IssuerDouble {
 public:
  struct Said {
    std::string method;
    std::string path;
    std::map<std::string, std::string> form;     // of a body or a query
    std::map<std::string, std::string> headers;  // names as they came
  };
  struct Answer {
    int status = 200;
    std::string body;
    int times = -1;       // negative: always
    bool silent = false;  // none comes at all
  };

  IssuerDouble();
  ~IssuerDouble();
  IssuerDouble(const IssuerDouble&) = delete;
  IssuerDouble& operator=(const IssuerDouble&) = delete;

  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // To "POST /", "GET /keys" and the like; the newest one that has times left answers.
  void answer(const std::string& what, Answer answer);
  std::vector<Said> said(const std::string& what);

  // Bodies as the three of them write.
  static std::string sts(const std::string& action, const std::string& access, const std::string& ends);
  static std::string json(const std::string& access, const std::string& ends);

 private:
  void serve(const httplib::Request& request, httplib::Response& response);

  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  bool ending_ = false;
  std::map<std::string, std::vector<Answer>> answers_;
  std::map<std::string, std::vector<Said>> said_;
};

}  // namespace quorate::fakes
