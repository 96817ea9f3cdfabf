// The rules about the whole: each looks at the draft and at the document, and reports what does not fit together.
#pragma once

#include <string>
#include <string_view>

#include "reconciler/model/spec.h"
#include "reconciler/validate/bind.h"
#include "reconciler/validate/fields.h"
#include "reconciler/validate/findings.h"

namespace quorate::validate {

struct Context {
  const model::Node& root;
  const Fields& fields;
  const Draft& draft;
  Findings& findings;

  const model::Desired& desired() const { return draft.desired; }

  // The node at a path, or the nearest one above it that the document has.
  const model::Node& nearest(std::string_view path) const;
};

// Of members that are not to retire.
int remaining_voters(const Context& context);

// The first member that runs on the same machine: by node name, by address, or both on loopback.
std::size_t machine_of(const Context& context, std::size_t member);

// Members of one key share files and listeners; pods with a network of their own share neither.
std::string node_key(const Context& context, std::size_t member);

void check_membership(const Context& context);  // members and size, names, voters, zones
void check_policy(const Context& context);      // lost, protect, paused, drift
void check_addresses(const Context& context);   // addresses, URLs, listeners
void check_etcd(const Context& context);        // version, image, timings, compaction, quota
void check_flags(const Context& context);       // etcd.flags against the table of options
void check_files(const Context& context);       // directories, units, manifests, certificates
void check_effect(const Context& context);      // fields that would do nothing
void check_backup(const Context& context);      // where backups go, when, and with which keys
void check_secrets(const Context& context);

}  // namespace quorate::validate
