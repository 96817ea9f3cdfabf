// One agent: keeps one member on its node and takes its turns in what is done to the cluster. It is called for one pass
// at a time, by whoever knows when something has changed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reconciler/apply/apply.h"
#include "reconciler/loop/agent_ports.h"
#include "reconciler/loop/agent_view.h"
#include "reconciler/loop/announcement.h"
#include "reconciler/loop/asides.h"
#include "reconciler/loop/fence_keeper.h"
#include "reconciler/loop/followed.h"
#include "reconciler/loop/gist.h"
#include "reconciler/loop/hindsight.h"
#include "reconciler/loop/pass.h"
#include "reconciler/loop/rest.h"
#include "reconciler/loop/sight.h"
#include "reconciler/loop/silent_endpoints.h"
#include "reconciler/loop/spool_keeper.h"
#include "reconciler/loop/store_keeper.h"
#include "reconciler/loop/store_reader.h"
#include "reconciler/loop/tries.h"
#include "reconciler/loop/turn.h"
#include "reconciler/model/memory.h"
#include "reconciler/ports/peers.h"

namespace quorate::loop {

class Agent final : public ports::Reporter {
 public:
  // An unreadable memory is an error: without it nothing is decided.
  static base::Result<std::unique_ptr<Agent>> make(AgentPorts ports, AgentSettings settings,
                                                   std::shared_ptr<const Followed> followed);

  void follow(std::shared_ptr<const Followed> followed);                                // from the next pass on
  void heed(std::vector<model::Allowed> allowed, std::optional<model::Paused> paused);  // said on this node
  Pass pass();
  void end();      // no pass will follow: what is held for the next step is given back
  bool is_well();  // between passes, and cheap: our own member answers and follows a leader; false: make a pass
  model::AgentReport report(const std::string& nonce) override;  // from any thread, like the next
  bool has_lost_its_log() const;                                 // where it was put nothing of it is left
  const model::Memory& memory() const { return memory_; }

 private:
  Agent(AgentPorts ports, AgentSettings settings, std::shared_ptr<const Followed> followed, model::Memory memory);

  void begin();
  Pass one_pass();
  AgentView look(Witness witness = Witness::No, Patience patience = Patience::Some);
  void judge(AgentView& view);
  std::vector<model::Allowed> heard(const AgentView& view);
  model::NodeFacts own_facts(const Followed& followed, const model::Memory& memory);
  void watch_others(const AgentView& view);
  base::Result<bool> tend(const AgentView& view);  // what needs no plan; true: something has changed, look again
  base::Result<bool> tend_process(const AgentView& view, const model::Memory& memory);
  base::Result<bool> stop_emptied(const AgentView& view);
  base::Result<bool> start_again(const AgentView& view, const model::Memory& memory);
  void learn(const AgentView& view, model::Memory& memory) const;
  void learn_voters(const AgentView& view, model::Memory& memory) const;
  model::Standing standing_of(const model::Memory& memory) const;  // mutex_ is held
  base::Result<bool> find_promise(const AgentView& view, model::Memory memory);
  base::Result<bool> tend_decision(const AgentView& view, const model::Memory& memory);
  bool is_held(const AgentView& view, const model::Memory& memory) const;
  bool is_succeeded(const AgentView& view) const;
  base::Result<void> check_ready(const AgentView& view, const model::Decision& decision);
  bool publish_readiness(const AgentView& view, Pass& pass);  // true: what the others see of it has changed
  void withdraw_readiness();
  base::Result<void> can_seed(const AgentView& view);
  bool is_no_seed(const AgentView& view, const model::Decision& decision, const base::Error& error);
  bool is_seed_again(const AgentView& view);
  void heed_order(AgentView& view);                                      // that people have given beside the file
  std::optional<SourceStore> store_to_ask(const AgentView& view) const;  // nothing: none has to be
  void see_store(AgentView& view);
  void tend_fetch(const AgentView& view, const model::Step& step, Pass& pass);
  base::Result<void> take_fetched(const AgentView& view, const StoreReader::Brought& brought);
  base::Result<bool> drop_fetched(const AgentView& view, const model::Memory& memory);
  base::Result<bool> keep_marker(const AgentView& view, const model::Memory& memory);
  base::Result<bool> keep_config(const AgentView& view);
  base::Result<bool> keep_books(const AgentView& view);  // needs no lock; true: something was written, look again
  base::Result<bool> record_applied(const AgentView& view);
  void take_turn(const AgentView& view, Pass& pass);
  void tend_store(const AgentView& view, Pass& pass);
  void tend_spool(const AgentView& view, Pass& pass);
  base::Result<void> act(const AgentView& view, const model::Step& step);
  base::Result<void> act_again(const AgentView& view, const model::Step& step);
  void release(apply::Fence fence, const model::Observed& observed);
  void release_what_is_left(const AgentView& view);
  base::Result<void> act_locked(const AgentView& view, const model::Step& step);
  base::Result<void> act_under(apply::HeldLock lock, const AgentView& view, const std::string& step);
  base::Result<void> carry_out(const AgentView& view, const model::Step& step, std::optional<apply::Fence> fence);
  base::Duration next_look(const Turn& turn, base::Duration every) const;
  base::Duration after_failure(const std::string& step);
  void tell_once(const std::string& about, const base::Error& error);
  void keep_lock_for_a_while(Pass& pass);
  bool is_resting(const std::string& step, Pass& pass);
  bool has_given_up(const std::string& step) const;
  model::JournalEntry entry_of(const AgentView& view, const model::Step& step, model::JournalEvent event,
                               const std::string& text);
  base::Result<void> told_of(base::Result<void> written);
  base::Result<void> note(const AgentView& view, const model::Step& step, model::JournalEvent event,
                          const std::string& text);
  base::Result<void> tell_begin(const AgentView& view, const model::Step& step);  // in the journal, like the next
  void tell_end(const AgentView& view, const model::Step& step, const base::Result<void>& done);
  base::Result<void> remember(const model::Memory& memory);
  model::Memory remembered() const;

  AgentPorts ports_;
  const AgentSettings settings_;
  FenceKeeper fence_;
  std::shared_ptr<const Followed> followed_;
  mutable std::mutex mutex_;  // of what report() reads: memory_, followed_, sights_, sequence_, ready_, unready_
  model::Memory memory_;
  std::vector<model::Allowed> allowed_;  // on this node
  std::optional<model::Paused> paused_;
  Sights sights_;
  std::optional<base::Duration> watched_at_;  // on Clock::elapsed
  std::uint64_t sequence_ = 0;
  const std::string boot_;
  std::string ready_, unready_;                    // the decision that we would promise now; why we would not
  std::string no_seed_;                            // why no backup can be restored here
  std::optional<base::Duration> tool_asked_;       // on Clock::elapsed: when there was one that restores
  std::map<std::string, Failing> failing_;         // by step
  std::shared_ptr<const Followed> failing_under_;  // the file that they failed under
  std::map<std::string, std::string> told_;        // by what it is about: the failure that was told last
  std::optional<apply::Fence> unreleased_;         // of a step that left nobody to release it through
  std::unique_ptr<StoreKeeper> keeper_;            // null: nobody makes backups here
  std::unique_ptr<SpoolKeeper> spooler_;           // null: nothing is kept on this node beside
  std::unique_ptr<StoreReader> reader_;            // null: nothing is restored from a store here
  std::string asked_store_;                        // for which file and order; empty: nothing asks
  std::optional<model::Allowed> order_;            // to restore, as it was heard last
  std::string fetching_;                           // the decision whose backup is being fetched
  std::optional<apply::HeldLock> kept_lock_;       // for the next pass: the step that follows is ours, too
  std::optional<apply::HeldLock> lock_;            // since before this pass looked
  int soon_passes_ = 0, unknown_passes_ = 0;       // in a row
  Announcement announcement_;
  Tries tries_;
  SilentEndpoints silent_;
  Hindsight hindsight_;
  Asides asides_;
  Gist gist_;                         // of what was reported at the last pass
  std::vector<ports::Peer> dropped_;  // voters that were ours and that the file no longer lists
};

}  // namespace quorate::loop
