// The rules about a file as text and as YAML, the first part of the table in codes.cpp.
#pragma once

#include <string_view>

#include "reconciler/model/codes.h"

namespace quorate::model {

struct Rule {
  Code code;
  std::string_view id;
  std::string_view title;
  std::string_view meaning;
  std::string_view why;
  std::string_view wrong;  // YAML, or a command after "$ "
  std::string_view right;
  std::string_view advice;
};

inline constexpr Rule kTextRules[] = {
    {Code::E001, "E001", "the file cannot be read",
     "The file does not exist, is a directory, or may not be read by this user.",
     "A file that cannot be read is not an empty file: whoever takes absence for an instruction rebuilds a cluster "
     "because of a wrong path or a missing permission.",
     "$ quorate validate clusters/prod.yml     # the file is called prod.yaml", "$ quorate validate clusters/prod.yaml",
     "Check the path and its permissions; `-` reads standard input."},
    {Code::E002, "E002", "the file is larger than 1 MiB", "The file has more than 1 MiB, so it is not read at all.",
     "Nine members with every field set need a few kilobytes. Something larger is the wrong file, a database or a log, "
     "and reading it would cost memory on every node.",
     "$ quorate validate /var/lib/etcd/member/snap/db", "$ quorate validate prod.quorate.yaml",
     "Name the desired file itself; one file describes one cluster."},
    {Code::E003, "E003", "a NUL byte", "The text contains a NUL byte, as UTF-16 files and half-written ones do.",
     "YAML has no such character. Readers stop there or drop what follows, and the members below it would be gone "
     "without a word.",
     "$ file prod.yaml\nprod.yaml: Unicode text, UTF-16", "$ iconv -f UTF-16 -t UTF-8 prod.yaml > prod.quorate.yaml",
     "Save the file as UTF-8; if it was cut short while being written, take it from git again."},
    {Code::E004, "E004", "not UTF-8", "The text is not UTF-8 at the place shown.",
     "Two readers that guess two encodings see two names, and a member's name is part of its identity in etcd.",
     "$ file prod.yaml\nprod.yaml: ISO-8859 text", "$ iconv -f LATIN1 -t UTF-8 prod.yaml > prod.quorate.yaml",
     "Save the file as UTF-8; the byte that is not stands at the place shown."},
    {Code::E005, "E005", "not YAML",
     "The text breaks YAML's syntax at the place shown, or a line is indented by a tab.",
     "Nothing is guessed: a line that one reader takes for a member and another for a comment decides how many voters "
     "the cluster has. YAML forbids tabs in indentation because their width is a matter of taste.",
     "members:\n\tetcd-a: 10.0.0.11", "members:\n  etcd-a: 10.0.0.11",
     "Indent by spaces, close every quote and bracket, and quote text that contains `: ` or ` #`."},
    {Code::E006, "E006", "several documents in one file", "The file goes on with another document after `---`.",
     "One file describes one cluster. Many readers take the first document and drop the rest, so the second cluster "
     "would look as if it were cared for.",
     "name: prod\n---\nname: staging", "name: prod     # staging has a file of its own",
     "Give each cluster its own file."},
    {Code::E007, "E007", "nested too deeply",
     "Mappings and lists stand inside one another deeper than any field needs.",
     "Files come from repositories, and thousands of open brackets overflow the stack of whoever follows them. An "
     "agent that crashes on a commit cannot read the commit that puts it right.",
     "x-notes: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[and so on]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
     "x-notes: [and so on]", "Flatten what is nested so deeply."},
    {Code::E008, "E008", "aliases expand without end",
     "Aliases (`*name`) expand to far more values than the file has, or an anchor contains itself.",
     "Ten short lines of doubled aliases grow to gigabytes and take the agent's memory on every node at once.",
     "x-base: &base {inner: *base}", "x-ca: &ca /etc/quorate/pki/ca.crt\ntls: {ca: *ca}",
     "Write the values out, or point the alias at something small that does not contain it."},
    {Code::E009, "E009", "a key appears twice", "A mapping has the same key twice.",
     "Most readers keep one of the two without a word. Among `members` that is a member that vanishes: the cluster "
     "would be planned with one voter less than the file shows.",
     "members:\n  etcd-a: 10.0.0.11\n  etcd-b: 10.0.0.12\n  etcd-b: 10.0.0.13",
     "members:\n  etcd-a: 10.0.0.11\n  etcd-b: 10.0.0.12\n  etcd-c: 10.0.0.13",
     "Rename or remove one of them; both places are shown."},
    {Code::E010, "E010", "a merge key", "The merge key `<<` belongs to YAML 1.1 and is not applied.",
     "YAML 1.2 readers take `<<` for an ordinary key, others merge it, so one file would mean two clusters and fields "
     "would be missing without a word.",
     "x-base: &base {zone: a}\nmembers:\n  etcd-a: {<<: *base, address: 10.0.0.11}",
     "x-zone: &zone a\nmembers:\n  etcd-a: {zone: *zone, address: 10.0.0.11}",
     "Write the fields out; an alias for a single value is fine."},
    {Code::E011, "E011", "nothing in the file",
     "The file is empty, or its top level is a list or a text and no mapping.",
     "An empty file is what a failed template or a full disk leaves behind. It must never read as \"no members\".",
     "- name: prod", "apiVersion: quorate/v1\nname: prod\nmembers: {etcd-a: 10.0.0.11}",
     "Start with `apiVersion: quorate/v1`; if the file should not be empty, take it from git again."},
    {Code::E012, "E012", "a tag that is not supported",
     "A value carries a tag such as `!!binary` or one of somebody's own.",
     "What a tag means depends on the reader, and some readers build objects or run code for one. A desired file needs "
     "text, numbers, booleans, lists and mappings.",
     "description: !!binary cHJvZHVjdGlvbg==", "description: production", "Remove the tag and write the value itself."},
    {Code::E013, "E013", "a key that is not plain text", "A key is a list, a mapping or nothing at all.",
     "Every field and every member is found by a name. A key without one cannot be named in a message, a path or a "
     "diff.",
     "labels: {[team, owner]: infra}", "labels: {team: infra, owner: infra}",
     "Use a plain word as the key; quote it if it looks like something else."},
};

}  // namespace quorate::model
