// Rules for what becomes of the values of items (README.md).
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_RULES_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_RULES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/files/excerpt/attribute_path.h"
#include "tools/files/excerpt/value_pattern.h"

namespace dynolith::excerpt {

enum class RuleKind : uint8_t { kFake, kMask, kHash, kRedact, kNull, kDrop };

enum class FakeKind : uint8_t {
  kName,
  kFirstName,
  kLastName,
  kEmail,
  kPhone,
  kStreet,
  kCity,
  kAddress,
  kCompany,
  kUuid,
  kNumber,
  kDate,
};

struct Rule {
  size_t line = 0;                  // of the file
  std::string title;                // "fake email"
  std::vector<std::string> tables;  // empty: all
  std::vector<AttributePath> attributes;
  std::vector<ValuePattern> patterns;  // empty: the whole value
  bool must_fit = false;

  RuleKind kind = RuleKind::kDrop;
  FakeKind fake = FakeKind::kName;
  std::string domain;  // of kFake and kHash
  int64_t from = 0;    // of kNumber, both included
  int64_t to = 0;
  int64_t days = 0;  // of kDate: the most it is shifted
  std::optional<AttributePath> by;
  int64_t keep = 0;               // of kMask: letters at the end
  std::optional<int64_t> length;  // of kHash
  JsonTree value;                 // of kRedact: {"S": "…"}

  bool IsFor(std::string_view table) const;
};

struct Rules {
  std::string file;
  std::string key;   // of hashes and fake values
  std::string seed;  // of fake values
  std::vector<Rule> rules;
  // The same for the same rules with the same key; tells neither.
  std::string digest;
};

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_RULES_H_
