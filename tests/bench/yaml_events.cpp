// The floor that `quorate validate` is measured against: yaml-cpp parses the same files into events that nobody keeps.
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace {

class Counter : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override { ++events; }
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override { ++events; }
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override { ++events; }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    ++events;
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    ++events;
  }
  void OnMapEnd() override {}

  std::size_t events = 0;
};

}  // namespace

int main(int count, char** paths) {
  Counter counter;
  for (int index = 1; index < count; ++index) {
    std::ifstream file(paths[index], std::ios::binary);
    std::istringstream text(std::string(std::istreambuf_iterator<char>(file), {}));
    YAML::Parser parser(text);
    while (parser.HandleNextDocument(counter)) continue;
  }
  std::cout << counter.events << " events\n";
  return counter.events == 0 ? 1 : 0;
}
