// cpp-httplib serves what it was told to.
#define CPPHTTPLIB_OPENSSL_SUPPORT  // as its library was built; else the two disagree about what a request is
#include "tests/fakes/issuer_double.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <httplib.h>

namespace quorate::fakes {

IssuerDouble::IssuerDouble() : server_(std::make_unique<httplib::Server>()) {
  const auto serve_it = [this](const httplib::Request& request, httplib::Response& response) {
    serve(request, response);
  };
  server_->Get(".*", serve_it).Put(".*", serve_it).Post(".*", serve_it);
  port_ = server_->bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

IssuerDouble::~IssuerDouble() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  server_->stop();
  thread_.join();
}

void IssuerDouble::answer(const std::string& what, Answer answer) {
  const std::lock_guard lock(mutex_);
  answers_[what].push_back(std::move(answer));
}

std::vector<IssuerDouble::Said> IssuerDouble::said(const std::string& what) {
  const std::lock_guard lock(mutex_);
  return said_[what];
}

void IssuerDouble::serve(const httplib::Request& request, httplib::Response& response) {
  std::unique_lock lock(mutex_);
  const std::string what = request.method + " " + request.path;
  Said said{request.method, request.path, {}, {}};
  for (const auto& [name, value] : request.params) said.form[name] = value;
  for (const auto& [name, value] : request.headers) said.headers[name] = value;
  said_[what].push_back(std::move(said));
  auto& answers = answers_[what];
  const auto found = std::find_if(answers.rbegin(), answers.rend(), [](const Answer& each) { return each.times != 0; });
  if (found == answers.rend()) {
    response.status = 404;
    return;
  }
  if (found->times > 0) --found->times;
  const Answer answer = *found;
  lock.unlock();
  if (answer.silent) {
    // The headers come, and nothing after them, until the asker has gone.
    response.set_content_provider(1, "text/plain", [this](std::size_t, std::size_t, httplib::DataSink& sink) {
      for (;;) {
        const std::lock_guard again(mutex_);
        if (ending_ || !sink.is_writable()) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    return;
  }
  response.status = answer.status;
  response.set_content(answer.body, "text/plain");
}

std::string IssuerDouble::sts(const std::string& action, const std::string& access, const std::string& ends) {
  return "<" + action + "Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><" + action +
         "Result><Credentials><AccessKeyId>" + access + "</AccessKeyId><SecretAccessKey>secret-of-" + access +
         "</SecretAccessKey><SessionToken>token-of-" + access + "</SessionToken><Expiration>" + ends +
         "</Expiration></Credentials></" + action + "Result></" + action + "Response>";
}

std::string IssuerDouble::json(const std::string& access, const std::string& ends) {
  return R"({"Code":"Success","AccessKeyId":")" + access + R"(","SecretAccessKey":"secret-of-)" + access +
         R"(","Token":"token-of-)" + access + R"(","Expiration":")" + ends + "\"}";
}

}  // namespace quorate::fakes
