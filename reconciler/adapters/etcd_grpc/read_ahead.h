// Pieces of a stream that are read while those before them are in somebody's hands: who receives them may write to a
// disk, and etcd waits for whoever does not read.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/units.h"

namespace quorate::etcd_grpc {

class ReadAhead {
 public:
  enum class End { All, Refused, Stalled };
  // `read` gives the next piece, or false at the end; it is called from a thread of its own. `take` is called from the
  // caller's, and ends it all with false; so does `read` when it takes longer than `patience` for one piece. Returns
  // when both have ended. `stop` makes `read` end.
  static End run(const std::function<bool(std::string& piece)>& read,
                 const std::function<bool(std::string_view piece)>& take, const std::function<void()>& stop,
                 base::Duration patience);

 private:
  void fill(const std::function<bool(std::string& piece)>& read);
  void refuse();
  End drain(const std::function<bool(std::string_view piece)>& take, base::Duration patience);

  std::mutex mutex_;
  std::condition_variable came_;
  std::condition_variable gone_;
  std::vector<std::string> pieces_;
  std::size_t bytes_ = 0;  // in pieces_
  bool over_ = false;      // nothing more will come
  bool unwanted_ = false;
};

}  // namespace quorate::etcd_grpc
