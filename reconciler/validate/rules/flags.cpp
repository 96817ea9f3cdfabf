// etcd.flags against the table of etcd's options: it must exist in that version, be free to set, and take the value.
#include <string>
#include <vector>

#include "reconciler/base/suggest.h"
#include "reconciler/model/secrets.h"
#include "reconciler/validate/formats.h"
#include "reconciler/validate/read.h"
#include "reconciler/validate/rules/rules.h"
#include "renderers/etcd_options.h"
#include "renderers/etcd_value.h"

namespace quorate::validate {
namespace {

using model::Code;
using model::Entry;
using model::Finding;
using renderers::Availability;
using renderers::EtcdOption;

class FlagCheck {
 public:
  FlagCheck(const Context& context, const Entry& entry)
      : context_(context), entry_(entry), name_(entry.key->text), version_(context.desired().etcd.version) {}

  void run() {
    const EtcdOption* option = renderers::find_etcd_option(name_);
    if (option == nullptr) {
      unknown();
    } else if (!option->is_free()) {
      owned(*option);
    } else if (const auto where = renderers::availability(*option, version_); where != Availability::Here) {
      unavailable(*option, where);
    } else {
      check_value(*option);
    }
  }

 private:
  Finding& add(Code code, const model::Node& at, std::string message, std::string expected) {
    return context_.findings.add(code, at, std::move(message), std::move(expected), "etcd.flags." + name_);
  }

  std::string quoted() const { return "\"" + name_ + "\""; }
  std::string etcd() const { return version_ ? "etcd " + base::to_string(*version_) : std::string("etcd"); }

  void unknown() {
    std::vector<std::string> known;
    for (const EtcdOption& option : renderers::all_etcd_options()) {
      if (renderers::has_option(option, version_)) known.emplace_back(option.name);
    }
    const auto near = base::nearest(name_, known, 1);
    add(Code::E140, *entry_.key, etcd() + " has no flag " + quoted(),
        near.empty() ? "expected an option of etcd" : "did you mean \"" + near[0] + "\"?");
  }

  void owned(const EtcdOption& option) {
    if (!option.field.empty()) {
      add(Code::E141, *entry_.key, "quorate sets the flag " + quoted() + " itself",
          "expected it as " + std::string(option.field));
      return;
    }
    add(Code::E141, *entry_.key, "the flag " + quoted() + " is not yours to set", "expected the file without it")
        .help.emplace_back(option.refusal);
  }

  void unavailable(const EtcdOption& option, Availability where) {
    const std::string releases = renderers::releases_text(option);
    Finding& finding = [&]() -> Finding& {
      if (where == Availability::CommandLineOnly) {
        return add(Code::E140, *entry_.key, "the configuration file of " + etcd() + " does not take " + quoted(),
                   releases.empty() ? "expected the file without it" : "expected etcd " + releases);
      }
      if (!version_) {
        return add(Code::E140, *entry_.key, "not every supported version of etcd has the flag " + quoted(),
                   "expected etcd.version to say which one runs");
      }
      return add(Code::E140, *entry_.key, etcd() + " has no flag " + quoted(),
                 releases.empty() ? "expected the file without it" : "expected etcd " + releases);
    }();
    if (!option.successor.empty()) {
      finding.help.push_back("later releases call it \"" + std::string(option.successor) + "\"");
    }
  }

  void check_value(const EtcdOption& option) {
    const model::Node& value = *entry_.value;
    const bool list = value.kind == model::NodeKind::Sequence;
    const auto& flags = context_.desired().etcd.flags;
    const auto given = flags.find(name_);
    if (given == flags.end() || (list && given->second.size() != value.items.size())) return;  // reported by shape
    const auto rendered = renderers::config_value(option, given->second);
    if (rendered) return;
    if (model::looks_secret(name_, value.text)) return;  // that is the finding, and the value must not be repeated
    Finding& finding = add(Code::E143, value, rendered.error().message, "expected a value that etcd takes");
    if (!rendered.error().help.empty()) finding.help.push_back(rendered.error().help);
  }

  const Context& context_;
  const Entry& entry_;
  const std::string& name_;
  const std::optional<base::Version>& version_;
};

}  // namespace

void check_flags(const Context& context) {
  const model::Node* flags = context.fields.node("etcd.flags");
  if (flags == nullptr) return;
  const auto& version = context.desired().etcd.version;
  // An unsupported version has its own finding, and no table to judge flags by.
  if (version && (version->minor < renderers::kOldestEtcd || version->minor > renderers::kNewestEtcd)) return;
  for (const Entry& entry : flags->entries) {
    if (context.findings.full()) return;
    if (check_format(Format::Flag, entry.key->text)) continue;
    FlagCheck(context, entry).run();
  }
}

}  // namespace quorate::validate
