// Errors become exceptions here: in a test that needs the rendered files there is nothing to go on with.
#include "tests/integration/rendered_cluster.h"

#include <stdexcept>
#include <utility>

#include "reconciler/load/load.h"
#include "reconciler/validate/validate.h"

namespace quorate::integration {
namespace {

void add(std::string& text, const std::vector<model::Finding>& findings) {
  for (const model::Finding& finding : findings) {
    text += "line " + std::to_string(finding.place.span.at.line) + ": " + finding.message + "\n";
  }
}

}  // namespace

model::Desired desired_from(const std::string& yaml) {
  const load::LoadResult loaded = load::load(model::Source("cluster.yaml", yaml, "/"));
  std::string findings;
  add(findings, loaded.findings);
  if (loaded.spec && !model::has_errors(loaded.findings)) {
    validate::ValidateResult validated = validate::validate(*loaded.spec);
    if (validated.desired) return std::move(*validated.desired);
    add(findings, validated.findings);
  }
  throw std::runtime_error("the desired file of this test is invalid:\n" + findings + yaml);
}

std::string local_cluster(const std::string& release, int members, const TempDir& folder) {
  std::string text = "apiVersion: quorate/v1\nname: lab\nmembers:\n";
  for (int number = 1; number <= members; ++number) {
    text += "  " + std::string(1, static_cast<char>('a' + number - 1)) + ": " + own_address(number) + "\n";
  }
  text += "network: {ports: {client: " + std::to_string(free_port(members)) +
          ", peer: " + std::to_string(free_port(members)) + "}}\n";
  text += "storage: {dir: " + folder / "data" + "}\n";
  return text + "etcd: {version: \"" + release + "\"}\ntls: {mode: \"off\"}\n";
}

RenderedCluster::RenderedCluster(const std::string& yaml, std::string state_dir)
    : state_dir_(std::move(state_dir)), desired_(desired_from(yaml)) {}

const model::Member& RenderedCluster::member(std::string_view name) const {
  for (const model::Member& member : members()) {
    if (member.name == name) return member;
  }
  throw std::runtime_error("no member " + std::string(name));
}

std::vector<renderers::File> RenderedCluster::render(std::string_view renderer, const model::Member& member,
                                                     const renderers::Boot& boot) const {
  const renderers::Renderer* found = renderers::find_renderer(renderer);
  if (found == nullptr) throw std::runtime_error("no renderer " + std::string(renderer));
  const std::string config_path = renderers::config_path(state_dir_, desired_, member);
  auto files = found->member_files({desired_, member, boot, config_path});
  if (!files) throw std::runtime_error(files.error().message);
  return std::move(*files);
}

std::string RenderedCluster::write(std::string_view renderer, const model::Member& member,
                                   const renderers::Boot& boot) const {
  const std::vector<renderers::File> files = render(renderer, member, boot);
  if (files.size() != 1) throw std::runtime_error(std::string(renderer) + " gave not one file");
  write_file(files.front().path, files.front().content, files.front().mode);
  return files.front().path;
}

}  // namespace quorate::integration
