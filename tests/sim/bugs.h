// Mistakes that are planted on purpose, in the twins and in wrappers around the ports: each must be caught.
#pragma once

#include <string_view>
#include <vector>

namespace quorate::sim {

enum class Bug {
  None,
  RuntimeIgnoresKeep,    // an emptied member is started on its old ID
  StalePeers,            // what agents say of their nodes is minutes old
  LockAlwaysFree,        // the transaction that takes the lock is not compared
  MemoryNotSynced,       // the agent's memory is lost when the agent ends without warning
  StoppedLooksEmptied,   // a data directory that no etcd has open is reported as empty
  PromisesAreLies,       // other nodes are said to have promised what everybody promises
  CondemnedIsForgotten,  // a removal leaves no record
  KeepIsNotWritten,      // the configuration stays as it was for the first start
  JoinsTwice,            // a log that a learner has just begun is not seen, and the start is made again
  FreshAfterRestart,     // an agent that starts again has forgotten what it has promised
  EveryFileInForce,      // an agent takes whatever file it has read for the one that a majority holds
  PromotesAtOnce,        // how far a learner is behind is not looked at
  PromiseIsANote,        // a node that gives way leaves its data where they are
  SeedDoesNotWait,       // the seed takes all others to have given way
  YieldedComesBack,      // an agent that starts again puts back what has given way
  StartIsForgotten,      // that the seed has been started is not kept
  FetchedIsAnother,      // what was fetched is an older backup than the one that was chosen
  BackupsBoast,          // a backup says that it reaches further than it does
};

struct BugName {
  Bug bug;
  std::string_view name;
  std::string_view text;
};
const std::vector<BugName>& all_bugs();
std::string_view name_of(Bug bug);

}  // namespace quorate::sim
