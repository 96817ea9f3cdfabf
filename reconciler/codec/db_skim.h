// Facts of a database that passes by once, in order: the pages that say how far it is are kept, the rest is let go.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/base/etcd_db.h"
#include "reconciler/base/result.h"

namespace quorate::codec {

// Pages of keys shrink to their last key, and of leaves only those with the highest revisions stay: the newest key is
// in one of them, because revisions only grow. That which page is which is decided by the tree, when facts() walks it.
class DbSkim {
 public:
  void take(std::string_view bytes);  // the file, with or without a hash behind it

  // As base::read_etcd_db. Invalid where the file is no database, or too little of it could be kept.
  base::Result<base::EtcdDb> facts() const;

 private:
  struct Newest {
    std::uint64_t first_revision = 0;
    std::uint64_t page = 0;
    friend auto operator<=>(const Newest&, const Newest&) = default;
  };
  // A last key that lies in a page that is still to come.
  struct Awaited {
    std::uint64_t leaf = 0;    // number of its page
    std::uint64_t offset = 0;  // in the file
    std::size_t size = 0;
    std::string key;  // what there is of it
  };

  void take_page(std::string_view page);
  void take_branch(std::string_view page, std::uint32_t count);
  void take_leaf(std::string_view page, std::uint32_t count);
  void take_keys(std::string_view page, std::uint32_t count, std::string_view first_key);
  void take_awaited(std::string_view page);
  void keep(std::uint64_t number, std::string bytes);

  std::size_t page_size_ = 0;  // 0: not known yet
  bool hopeless_ = false;      // it is no database
  std::uint64_t number_ = 0;   // of the page that is filling
  std::string held_;
  std::map<std::uint64_t, std::string> kept_;  // zeros behind each, up to the size of a page
  std::size_t kept_bytes_ = 0;
  std::uint64_t continued_until_ = 0;  // pages below are kept as parts of one before them
  std::set<Newest> newest_;
  std::vector<Awaited> awaited_;
};

}  // namespace quorate::codec
