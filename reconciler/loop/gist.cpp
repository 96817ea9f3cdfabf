// Numbers that move all the time are no part of it, or nobody would ever sleep.
#include "reconciler/loop/gist.h"

namespace quorate::loop {

Gist gist_of(const model::NodeFacts& facts, const Gist& before) {
  Gist gist = before;
  if (facts.data) {
    gist.data = facts.data->state;
    gist.member = facts.data->member;
  }
  if (facts.process) gist.running = facts.process->running;
  if (facts.run) gist.phase = facts.run->phase;
  if (facts.manifest) {
    gist.manifest = facts.manifest->digest;
    gist.keep = facts.manifest->keep;
  }
  return gist;
}

}  // namespace quorate::loop
