// Prints a line for each pass of the agents behind a socket, as they say it, until it is stopped: quorate_follow SOCKET
#include <iostream>
#include <string>

#include "reconciler/adapters/peer_grpc/local.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: quorate_follow SOCKET\n";
    return 64;
  }
  quorate::peer_grpc::LocalCall call;
  call.path = argv[1];
  call.request = R"({"ask":"passes"})";
  call.on_event = [](const std::string& json) { return static_cast<bool>(std::cout << json << std::endl); };
  const auto called = quorate::peer_grpc::call_local(call);
  if (!called) std::cerr << called.error().message << "\n";
  return called ? 0 : 1;
}
