// The findings of a file with one of nearly everything, as validation would hand them over.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reconciler/report/findings.h"

namespace quorate::report::test {

inline model::Excerpt at(int line, int column, int length, std::string text, std::string note) {
  return {model::Span{model::Position{line, column}, length}, std::move(text), column, std::move(note)};
}

inline model::Finding finding(model::Code code, model::Excerpt place, std::string message, std::string path = {}) {
  model::Finding result;
  result.code = code;
  result.file = "bad.quorate.yaml";
  result.place = std::move(place);
  result.message = std::move(message);
  result.path = std::move(path);
  return result;
}

inline FileResult bad_file() {
  using model::Code;
  FileResult result;
  result.file = "bad.quorate.yaml";
  result.findings.push_back(
      finding(Code::W201, at(4, 1, 7, "members:", "expected 3 or 5 voters (etcd-a, etcd-b, etcd-c, etcd-d)"),
              "4 voters survive 1 failure, the same as 3, and need one more vote for every write", "members"));
  result.findings.push_back(finding(Code::E103,
                                    at(7, 11, 9, "  etcd-c: 10.0.0.12", "expected an address no other member uses"),
                                    "etcd-b and etcd-c have the same address", "members.etcd-c.address"));
  result.findings.back().related.push_back(at(6, 11, 9, "  etcd-b: 10.0.0.12", "first used here"));
  result.findings.back().help.push_back("etcd-c was 10.0.0.13 in the last applied commit (4be1d27)");
  result.findings.push_back(
      finding(Code::E101, at(10, 12, 3, "  version: 3.5", "expected a quoted version such as \"3.5\" or \"3.5.21\""),
              "etcd.version must be text, found the number 3.5", "etcd.version"));
  result.findings.back().help.push_back("write  version: \"3.5\"   (unquoted, 3.10 would be read as 3.1)");
  result.findings.push_back(finding(Code::E102, at(11, 3, 6, "  quotta: 8Gi", "did you mean \"quota\"?"),
                                    "unknown key \"quotta\" in etcd", "etcd.quotta"));
  result.findings.push_back(finding(Code::E104, at(14, 10, 2, "  every: 30", "expected a duration: 30s, 30m or 30h"),
                                    "backup.every needs a unit", "backup.every"));
  result.findings.push_back(finding(Code::E102, at(15, 10, 5, "  keep: {dialy: 7}", "did you mean \"daily\"?"),
                                    "unknown key \"dialy\" in backup.keep", "backup.keep.dialy"));
  result.findings.push_back(finding(Code::E120,
                                    at(18, 16, 4, "    secretKey: ****",
                                       "expected where to find it: {file: …}, {credential: …}, {env: …}, "
                                       "{sops: …} or {k8s: …}"),
                                    "a secret is written in this file", "backup.s3.secretKey"));
  result.findings.back().help.push_back("this value is already in git history; rotate it");
  return result;
}

}  // namespace quorate::report::test
