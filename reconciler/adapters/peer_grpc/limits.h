// How large and how many: nothing that another machine sends makes us use more.
#pragma once

#include <chrono>
#include <cstddef>

namespace quorate::peer_grpc {

inline constexpr std::size_t kLongestNonce = 64;
inline constexpr int kLargestQuestion = 4096;
inline constexpr int kLargestReport = 1 << 20;
inline constexpr int kLargestRequest = 1 << 20;  // over the local socket
inline constexpr int kLargestEvent = 4 << 20;
inline constexpr int kMostStreams = 32;  // of one connection
inline constexpr std::size_t kMostWatchers = 64;
inline constexpr int kMostThreads = 24;  // questions that are answered at once
inline constexpr int kMostMemory = 64 << 20;
inline constexpr int kLargestMetadata = 8192;
inline constexpr int kPingMs = 10000;  // a connection that says nothing is asked whether it lives
inline constexpr int kPongMs = 5000;

}  // namespace quorate::peer_grpc
