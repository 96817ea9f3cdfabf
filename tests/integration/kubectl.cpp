// kubectl needs no server for what is used here: everything runs with --local or --dry-run=client.
#include "tests/integration/kubectl.h"

#include <sstream>
#include <stdexcept>

#include "tests/integration/etcd_process.h"

namespace quorate::integration {
namespace {

const std::string kMark = "quorate.test/read";

std::string run_kubectl(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), tool_path("kubectl/usr/bin/kubectl"));
  const Ended ended = run({arguments, {"HOME=/nonexistent"}});
  if (ended.exit_code != 0) throw std::runtime_error("kubectl " + arguments[1] + ": " + ended.errors);
  return ended.output;
}

}  // namespace

std::vector<Json> Kubectl::read(const std::string& text) const {
  const std::string path = folder_ / "objects";
  write_file(path, text);
  // The one command that prints objects of every kind as they were read; it has to change something, so it is undone.
  std::istringstream stream(run_kubectl({"annotate", "--local", "-f", path, kMark + "=yes", "-o", "json"}));
  std::vector<Json> objects;
  while (stream >> std::ws && !stream.eof()) {
    Json object;
    stream >> object;
    Json& annotations = object["metadata"]["annotations"];
    annotations.erase(kMark);
    if (annotations.empty()) object["metadata"].erase("annotations");
    objects.push_back(std::move(object));
  }
  return objects;
}

Json Kubectl::run_for_object(std::vector<std::string> arguments) const {
  arguments.insert(arguments.end(), {"-o", "json"});
  return Json::parse(run_kubectl(arguments));
}

Json Kubectl::through_types(const Json& object) const {
  const std::string path = folder_ / "object.json";
  const std::string kind = object.value("kind", "");
  // Each command changes one field, which is put back.
  if (kind == "Pod") {
    write_file(path, object.dump());
    Json typed = run_for_object({"set", "image", "--local", "-f", path, "etcd=quorate.test/other"});
    for (std::size_t index = 0; index < object["spec"]["containers"].size(); ++index) {
      typed["spec"]["containers"][index]["image"] = object["spec"]["containers"][index]["image"];
    }
    return typed;
  }
  if (kind == "Service") {
    write_file(path, object.dump());
    Json typed = run_for_object({"set", "selector", "--local", "-f", path, "quorate.test/other=yes"});
    typed["spec"]["selector"] = object["spec"]["selector"];
    return typed;
  }
  if (kind == "PersistentVolumeClaim") {
    // No command decodes a claim by itself, but a StatefulSet carries claims.
    const Json container = {{"name", "etcd"}, {"image", "any"}};
    Json set = {{"apiVersion", "apps/v1"}, {"kind", "StatefulSet"}, {"metadata", {{"name", "any"}}}};
    set["spec"]["template"]["spec"]["containers"] = Json::array({container});
    set["spec"]["volumeClaimTemplates"] = Json::array({object});
    write_file(path, set.dump());
    return run_for_object({"set", "image", "--local", "-f", path, "etcd=other"})["spec"]["volumeClaimTemplates"][0];
  }
  throw std::runtime_error("no way through the types for a " + kind);
}

Json Kubectl::create(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "create");
  arguments.emplace_back("--dry-run=client");
  return run_for_object(arguments);
}

std::vector<std::string> lost(const Json& ours, const Json& theirs, const std::string& path) {
  std::vector<std::string> paths;
  const auto look = [&](const std::string& at, const Json& inner, const Json* other) {
    const auto more = other != nullptr ? lost(inner, *other, at) : std::vector<std::string>{at};
    paths.insert(paths.end(), more.begin(), more.end());
  };
  if (ours.is_object() && theirs.is_object()) {
    for (const auto& [key, value] : ours.items()) {
      const auto found = theirs.find(key);
      look(path + "." + key, value, found != theirs.end() ? &*found : nullptr);
    }
  } else if (ours.is_array() && theirs.is_array() && ours.size() == theirs.size()) {
    for (std::size_t index = 0; index < ours.size(); ++index) {
      look(path + "[" + std::to_string(index) + "]", ours[index], &theirs[index]);
    }
  } else if (ours != theirs) {
    paths.push_back(path + ": " + ours.dump() + " became " + theirs.dump());
  }
  return paths;
}

const Json& object_of(const std::vector<Json>& objects, const std::string& kind, const std::string& name) {
  const Json* found = nullptr;
  for (const Json& object : objects) {
    if (object.value("kind", "") != kind || (!name.empty() && object["metadata"].value("name", "") != name)) continue;
    if (found != nullptr) throw std::runtime_error("more than one " + kind + " " + name);
    found = &object;
  }
  if (found == nullptr) throw std::runtime_error("no " + kind + " " + name);
  return *found;
}

}  // namespace quorate::integration
