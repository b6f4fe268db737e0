#include "tools/files/excerpt/rules_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>

#include "api/remote/signature.h"
#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/excerpt/messages.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/toml/toml_reader.h"

namespace dynolith::excerpt {
namespace {

using designs::MapTree;
using designs::SetMember;
using designs::TextTree;
using designs::WordTree;

constexpr size_t kKeyBytesMin = 16;
constexpr int64_t kDaysMax = 36'500;

constexpr std::pair<std::string_view, RuleKind> kKinds[] = {
    {"fake", RuleKind::kFake},     {"mask", RuleKind::kMask}, {"hash", RuleKind::kHash},
    {"redact", RuleKind::kRedact}, {"null", RuleKind::kNull}, {"drop", RuleKind::kDrop},
};
constexpr std::pair<std::string_view, FakeKind> kFakes[] = {
    {"name", FakeKind::kName},          {"first_name", FakeKind::kFirstName},
    {"last_name", FakeKind::kLastName}, {"email", FakeKind::kEmail},
    {"phone", FakeKind::kPhone},        {"street", FakeKind::kStreet},
    {"city", FakeKind::kCity},          {"address", FakeKind::kAddress},
    {"company", FakeKind::kCompany},    {"uuid", FakeKind::kUuid},
    {"number", FakeKind::kNumber},      {"date", FakeKind::kDate},
};

template <typename Kind, size_t size>
std::string_view WordFor(const std::pair<std::string_view, Kind> (&words)[size], Kind kind) {
  return std::find_if(std::begin(words), std::end(words),
                      [&](const auto& word) { return word.second == kind; })
      ->first;
}

absl::StatusOr<std::string> ReadText(const std::string& file) {
  FileText read = ReadFileText(file);
  if (read.error == 0) return std::move(read.text);
  return absl::InvalidArgumentError(messages::ExcerptCannotRead(file, ErrnoReason(read.error)));
}

// A part of the file and what it says of itself.
class RulesReader {
 public:
  RulesReader(const std::string& file, const toml::table& table)
      : file_(file), errors_(file), all_(table, "", &errors_) {}

  absl::StatusOr<Rules> Read() {
    rules_.file = file_;
    all_.Text("seed", &rules_.seed);
    has_key_ = all_.Has("key");
    if (std::optional<TomlTable> key = all_.Table("key")) ReadKey(&*key);
    for (TomlTable& rule : all_.Tables("rule")) ReadRule(&rule);
    all_.RefuseUnknown();
    if (rules_.rules.empty()) all_.Error(messages::ExcerptNoRules());
    DYNOLITH_RETURN_IF_ERROR(errors_.status());
    return std::move(rules_);
  }

 private:
  void ReadKey(TomlTable* key) {
    std::string file;
    std::string variable;
    key->Text("file", &file);
    key->Text("variable", &variable);
    key->RefuseUnknown();
    if (file.empty() == variable.empty()) return key->Error(messages::ExcerptKeyOfOne());
    if (!variable.empty()) {
      const char* const value = std::getenv(variable.c_str());
      if (value == nullptr) return key->Error(messages::ExcerptNoVariable(variable));
      rules_.key = value;
    } else {
      const std::filesystem::path path = std::filesystem::path(file_).parent_path() / file;
      const absl::StatusOr<std::string> text = ReadText(path.string());
      if (!text.ok()) return key->Error(ToStd(text.status().message()));
      rules_.key = text->substr(0, text->find_last_not_of("\r\n") + 1);
    }
    if (rules_.key.size() < kKeyBytesMin) {
      key->Error(messages::ExcerptKeyShort(rules_.key.size(), kKeyBytesMin));
    }
  }

  void ReadRule(TomlTable* table) {
    Rule rule;
    rule.line = table->table().source().begin.line;
    table->Texts("tables", &rule.tables);
    ReadAttributes(table, &rule);
    ReadPatterns(table, &rule);
    const toml::node* const kind = table->Need("kind", messages::ExcerptKindMissing());
    table->Choice<RuleKind>("kind", kKinds, &rule.kind);
    rule.title = WordFor(kKinds, rule.kind);
    // Of another word nobody knows which members belong to it.
    if (kind != nullptr && kind->value<std::string_view>() == rule.title) {
      ReadKind(table, &rule);
      if (!rule.patterns.empty()) CheckPatterns(table, rule);
      table->RefuseUnknown();
    }
    rules_.rules.push_back(std::move(rule));
  }

  void ReadAttributes(TomlTable* table, Rule* rule) {
    std::vector<std::string> texts;
    const toml::node* const node = table->Need("attributes", messages::ExcerptAttributesMissing());
    table->Texts("attributes", &texts);
    for (const std::string& text : texts) {
      std::optional<AttributePath> path = AttributePath::Parse(text);
      if (path) {
        rule->attributes.push_back(*std::move(path));
      } else {
        table->Error(*node, messages::ExcerptNotAPath(text));
      }
    }
  }

  void ReadPatterns(TomlTable* table, Rule* rule) {
    std::vector<std::string> texts;
    table->Texts("patterns", &texts);
    for (const std::string& text : texts) {
      std::optional<ValuePattern> pattern = ValuePattern::Parse(text);
      if (pattern) {
        rule->patterns.push_back(*std::move(pattern));
      } else {
        table->Error(*table->Find("patterns"), messages::ExcerptNotAPattern(text));
      }
    }
    table->Flag("must_fit", &rule->must_fit);
    if (rule->must_fit && !table->Has("patterns")) table->Error(messages::ExcerptMustFitWhat());
  }
  void CheckPatterns(TomlTable* table, const Rule& rule) {
    if (rule.kind == RuleKind::kNull || rule.kind == RuleKind::kDrop) {
      table->Error(messages::ExcerptPatternsNot(rule.title));
    }
    if (rule.kind == RuleKind::kRedact && TypeOfValue(rule.value) != "S") {
      table->Error(messages::ExcerptPatternsNotForValue());
    }
  }

  void ReadKind(TomlTable* table, Rule* rule) {
    switch (rule->kind) {
      case RuleKind::kFake:
        table->Text("domain", &rule->domain);
        if (!has_key_ && rules_.seed.empty()) table->Error(messages::ExcerptSeedMissing());
        return ReadFake(table, rule);
      case RuleKind::kMask:
        return table->Count("keep", &rule->keep);
      case RuleKind::kHash:
        table->Text("domain", &rule->domain);
        table->Count("length", &rule->length, 1);
        if (!has_key_) table->Error(messages::ExcerptKeyMissing(rule->title));
        return;
      case RuleKind::kRedact:
        return ReadValue(table, rule);
      case RuleKind::kNull:
      case RuleKind::kDrop:
        return;
    }
  }

  void ReadFake(TomlTable* table, Rule* rule) {
    if (table->Need("as", messages::ExcerptFakeMissing()) == nullptr) return;
    table->Choice<FakeKind>("as", kFakes, &rule->fake);
    rule->title += Concat(" ", WordFor(kFakes, rule->fake));
    if (rule->fake == FakeKind::kNumber) {
      constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
      table->Need("from", messages::ExcerptRangeMissing());
      table->Need("to", messages::ExcerptRangeMissing());
      table->Count("from", &rule->from, kLeast);
      table->Count("to", &rule->to, kLeast);
      if (rule->from > rule->to) table->Error(messages::ExcerptRangeEmpty());
    }
    if (rule->fake != FakeKind::kDate) return;
    if (table->Need("days", messages::ExcerptDaysMissing()) == nullptr) return;
    table->Count("days", &rule->days, 1, kDaysMax);
    std::string by;
    table->Text("by", &by);
    if (by.empty()) return;
    rule->by = AttributePath::Parse(by);
    if (!rule->by) table->Error(messages::ExcerptNotAPath(by));
  }

  void ReadValue(TomlTable* table, Rule* rule) {
    const toml::node* const node = table->Need("value", messages::ExcerptValueMissing());
    if (node == nullptr) return;
    rule->value = MapTree();
    if (const auto* const text = node->as_string()) {
      SetMember(&rule->value, "S", TextTree(text->get()));
    } else if (const auto* const whole = node->as_integer()) {
      SetMember(&rule->value, "N", TextTree(std::to_string(whole->get())));
    } else if (const auto* const flag = node->as_boolean()) {
      SetMember(&rule->value, "BOOL", WordTree(flag->get() ? "true" : "false"));
    } else {
      table->Error(*node, messages::ExcerptValueWrong());
    }
  }

  const std::string& file_;
  TomlErrors errors_;
  TomlTable all_;
  bool has_key_ = false;
  Rules rules_;
};

}  // namespace

bool Rule::IsFor(std::string_view table) const {
  return tables.empty() || std::find(tables.begin(), tables.end(), table) != tables.end();
}

absl::StatusOr<Rules> ReadRules(const std::string& file, std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const toml::table table, ParseToml(file, text));
  DYNOLITH_ASSIGN_OR_RETURN(Rules rules, RulesReader(file, table).Read());
  rules.digest = http::Hex(http::HmacSha256(rules.key, text));
  return rules;
}

absl::StatusOr<Rules> ReadRulesFile(const std::string& file) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, ReadText(file));
  return ReadRules(file, text);
}

}  // namespace dynolith::excerpt
