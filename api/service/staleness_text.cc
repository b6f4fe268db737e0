#include "api/service/staleness_text.h"

#include <utility>

#include "absl/time/time.h"
#include "api/json/json_writer.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"

namespace dynolith {
namespace {

constexpr std::string_view kMonotonic = ",monotonic";
constexpr std::string_view kStream = ":stream";
constexpr std::pair<std::string_view, Staleness> kLags[] = {{"fixed:", Staleness::kFixed},
                                                            {"random:", Staleness::kRandom}};

bool RemoveSuffix(std::string_view suffix, std::string_view* text) {
  if (!text->ends_with(suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}

// Whether it can be a name: the other signs of the grammar are in none.
bool IsName(std::string_view text) {
  return !text.empty() && text.find_first_of("/:=,") == std::string_view::npos;
}

std::optional<ReadScope> ParseScope(std::string_view text) {
  ReadScope scope;
  scope.stream = RemoveSuffix(kStream, &text);
  const size_t slash = text.find('/');
  if (!scope.stream && slash != std::string_view::npos) {
    scope.index = text.substr(slash + 1);
    if (!IsName(scope.index)) return std::nullopt;
    text = text.substr(0, slash);
  }
  if (!IsName(text)) return std::nullopt;
  scope.table = text;
  return scope;
}

bool ParseHow(std::string_view text, StalenessRule* rule) {
  if (text == "held" || text == "none") {
    rule->kind = text == "held" ? Staleness::kHeld : Staleness::kNone;
    return true;
  }
  rule->kind = Staleness::kFixed;
  for (const auto& [prefix, kind] : kLags) {
    if (!text.starts_with(prefix)) continue;
    rule->kind = kind;
    text.remove_prefix(prefix.size());
    break;
  }
  return absl::ParseDuration(ToAbsl(text), &rule->bound);
}

std::string_view StalenessName(Staleness kind) {
  switch (kind) {
    case Staleness::kNone:
      return "none";
    case Staleness::kFixed:
      return "fixed";
    case Staleness::kRandom:
      return "random";
    case Staleness::kHeld:
      break;
  }
  return "held";
}

void WriteScope(const ReadScope& scope, JsonWriter* writer) {
  if (scope.table.empty()) return;
  writer->Key("table");
  writer->String(scope.table);
  if (!scope.index.empty()) {
    writer->Key("index");
    writer->String(scope.index);
  }
  if (scope.stream) {
    writer->Key("stream");
    writer->Bool(true);
  }
}

void WriteRule(const StalenessRule& rule, JsonWriter* writer) {
  writer->BeginObject();
  WriteScope(rule.of, writer);
  writer->Key("kind");
  writer->String(StalenessName(rule.kind));
  if (rule.bound > absl::ZeroDuration()) {
    writer->Key("seconds");
    writer->Double(absl::ToDoubleSeconds(rule.bound));
    writer->Key("monotonic");
    writer->Bool(rule.monotonic);
  }
  writer->EndObject();
}

}  // namespace

std::optional<StalenessRule> ParseStalenessRule(std::string_view text) {
  StalenessRule rule;
  const size_t equals = text.find('=');
  if (equals != std::string_view::npos) {
    std::optional<ReadScope> scope = ParseScope(text.substr(0, equals));
    if (!scope) return std::nullopt;
    rule.of = *std::move(scope);
    text.remove_prefix(equals + 1);
  }
  rule.monotonic = RemoveSuffix(kMonotonic, &text);
  if (!ParseHow(text, &rule)) return std::nullopt;
  return rule;
}

std::optional<ReadScope> ParseScopeBody(std::string_view body) {
  ReadScope scope;
  if (body.empty()) return scope;
  const std::optional<JsonTree> tree = ParseJson(body, /*depth_max=*/1);
  if (!tree || tree->kind != JsonTree::Kind::kMap) return std::nullopt;
  for (const auto& [name, value] : tree->members) {
    const bool is_text = value.kind == JsonTree::Kind::kString && !value.text.empty();
    if (name == "table" && is_text) {
      scope.table = value.text;
    } else if (name == "index" && is_text) {
      scope.index = value.text;
    } else if (name == "stream" && value.kind == JsonTree::Kind::kOther &&
               (value.text == "true" || value.text == "false")) {
      scope.stream = value.text == "true";
    } else {
      return std::nullopt;
    }
  }
  const bool has_index = !scope.index.empty();
  if ((has_index && scope.stream) || (scope.table.empty() && (has_index || scope.stream))) {
    return std::nullopt;
  }
  return scope;
}

void AppendStaleness(const StalenessState& state, std::string* body) {
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Key("rules");
  writer.BeginArray();
  for (const StalenessRule& rule : state.rules) WriteRule(rule, &writer);
  writer.EndArray();
  writer.Key("held");
  writer.BeginArray();
  for (const StalenessState::Hold& hold : state.holds) {
    writer.BeginObject();
    WriteScope(hold.of, &writer);
    writer.Key("since");
    writer.Timestamp(hold.since);
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("snapshots");
  writer.Integer(state.snapshots);
  writer.EndObject();
}

}  // namespace dynolith
