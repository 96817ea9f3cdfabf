// What an agent does for the fence of a cluster that comes back: it makes a key, asks the seed's agent for a pass, and,
// as that agent, signs passes. All that goes from agent to agent is public; the keys stay where they were made.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "reconciler/loop/agent_view.h"
#include "reconciler/model/memory.h"
#include "reconciler/ports/host.h"
#include "reconciler/ports/notary.h"

namespace quorate::loop {

class FenceKeeper {
 public:
  // Without a notary nothing is ever fenced here.
  FenceKeeper(ports::Host& host, ports::Notary* notary, std::string state_dir);

  // Called in each pass. True: there is something new for the others.
  base::Result<bool> tend(const AgentView& view, const model::Memory& memory);
  void add_to(model::Standing& standing) const;  // from any thread

 private:
  struct Said {
    std::string pass_key;
    std::optional<model::Fencing> fencing;
    friend bool operator==(const Said&, const Said&) = default;
  };

  base::Result<bool> clear_away(const std::string& folder);
  base::Result<std::string> own_key(const AgentView& view, const std::string& folder);
  base::Result<std::string> authority_of(const std::string& folder, const std::string& decision);
  base::Result<model::Fencing> keep_fence(const AgentView& view, const model::Memory& memory, const Said& said,
                                          const std::string& folder);
  base::Result<void> take_pass(const AgentView& view, const Said& said, const std::string& folder);
  base::Result<void> write(const AgentView& view, const std::string& path, const std::string& content);
  bool say(Said said);

  ports::Host& host_;
  ports::Notary* notary_;
  const std::string state_dir_;
  bool is_clear_ = false;  // there is nothing left of a fence on this disk
  mutable std::mutex mutex_;
  Said said_;
};

}  // namespace quorate::loop
