#include "api/json/fault_rule_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "api/faults/fault_rules.h"
#include "api/faults/messages.h"
#include "api/json/constraints.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/messages.h"
#include "api/json/type_checks.h"
#include "api/json/value_reader.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/model/members.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

constexpr std::string_view kKeyExample = R"("key": {"artist": {"S": "Ray"}})";
// More seconds than any clock here can pass.
constexpr double kSecondsMax = 1e9;

absl::Status Wrong(std::string_view member, std::string_view wanted) {
  return absl::InvalidArgumentError(messages::AdminMemberWrong(member, wanted, kFaultExample));
}

absl::StatusOr<std::string> ReadText(std::string_view member, JsonValue value) {
  if (!value.is_string()) return Wrong(member, messages::FaultWantsText());
  return std::string(AsText(value));
}

absl::StatusOr<int64_t> ReadCount(std::string_view member, JsonValue value) {
  int64_t count = 0;
  if (value.get(count) != simdjson::SUCCESS || count < 1) {
    return Wrong(member, messages::FaultWantsCount());
  }
  return count;
}

absl::StatusOr<double> ReadFraction(std::string_view member, JsonValue value) {
  double fraction = 0;
  if (value.get(fraction) != simdjson::SUCCESS || !(fraction > 0 && fraction <= 1)) {
    return Wrong(member, messages::FaultWantsFraction());
  }
  return fraction;
}

absl::StatusOr<absl::Duration> ReadSeconds(std::string_view member, JsonValue value) {
  double seconds = 0;
  if (value.get(seconds) != simdjson::SUCCESS || !(seconds > 0 && seconds <= kSecondsMax)) {
    return Wrong(member, messages::FaultWantsSeconds());
  }
  return absl::Seconds(seconds);
}

absl::StatusOr<absl::Duration> ReadMilliseconds(std::string_view member, JsonValue value) {
  int64_t milliseconds = 0;
  if (value.get(milliseconds) != simdjson::SUCCESS || milliseconds < 1) {
    return Wrong(member, messages::FaultWantsMilliseconds());
  }
  return absl::Milliseconds(milliseconds);
}

absl::StatusOr<FaultKind> ReadFault(JsonValue value) {
  const std::optional<FaultKind> fault =
      value.is_string() ? ParseFaultKind(AsText(value)) : std::nullopt;
  if (!fault) return Wrong("fault", messages::FaultWantsName());
  return *fault;
}

absl::StatusOr<uint64_t> ReadSeed(JsonValue value) {
  uint64_t seed = 0;
  if (value.get(seed) != simdjson::SUCCESS) return Wrong("seed", messages::FaultWantsWhole());
  return seed;
}

// As the service reads a Key, under that name.
absl::StatusOr<Item> ReadKey(const JsonObject& root) {
  namespace put = members::PutRequest;
  JsonParser parser;
  std::string wrapped = R"({"Item":)";
  wrapped.append(simdjson::minify(root.at_key("key").value_unsafe())).append("}");
  const std::optional<JsonValue> document = parser.Parse(wrapped);
  if (!document) return Wrong("key", messages::FaultWantsMap());
  const Fields fields(put::kShape, *document);
  absl::Status fault = CheckTypes(fields);
  if (fault.ok()) fault = CheckConstraints(fields);
  Item key;
  const JsonValue* const map = fields.Find(put::kItem);
  if (map == nullptr || !map->is_object()) return Wrong("key", messages::FaultWantsMap());
  if (fault.ok()) key = ValueReader({.layer = ValueLayer::kCurrent}).ReadItem(*map, &fault);
  if (fault.ok()) return key;
  return absl::InvalidArgumentError(messages::FaultKeyWrong(MessageOf(fault), kKeyExample));
}

absl::Status ReadMember(const JsonObject& root, std::string_view name, JsonValue value,
                        FaultRule* rule) {
  const auto keep = [](auto read, auto* member) {
    if (!read.ok()) return read.status();
    *member = *std::move(read);
    return absl::OkStatus();
  };
  if (name == "fault") return keep(ReadFault(value), &rule->fault);
  if (name == "operation") return keep(ReadText(name, value), &rule->operation);
  if (name == "table") return keep(ReadText(name, value), &rule->table);
  if (name == "key") return keep(ReadKey(root), &rule->key);
  if (name == "nth") return keep(ReadCount(name, value), &rule->nth);
  if (name == "probability") return keep(ReadFraction(name, value), &rule->probability);
  if (name == "seed") return keep(ReadSeed(value), &rule->seed);
  if (name == "latency") return keep(ReadSeconds(name, value), &rule->latency);
  if (name == "retry_after") return keep(ReadMilliseconds(name, value), &rule->retry_after);
  if (name == "share") return keep(ReadFraction(name, value), &rule->share);
  if (name == "hits_max") return keep(ReadCount(name, value), &rule->hits_max);
  if (name == "lifetime") return keep(ReadSeconds(name, value), &rule->lifetime);
  return absl::InvalidArgumentError(
      messages::AdminUnknownMember(name, messages::FaultMembers(), kFaultExample));
}

void WriteText(std::string_view name, const std::optional<std::string>& text, JsonWriter* writer) {
  if (!text) return;
  writer->Key(name);
  writer->String(*text);
}

void WriteCount(std::string_view name, int64_t count, JsonWriter* writer) {
  if (count == 0) return;
  writer->Key(name);
  writer->Integer(count);
}

void WriteNumber(std::string_view name, double number, double otherwise, JsonWriter* writer) {
  if (number == otherwise) return;
  writer->Key(name);
  writer->Double(number);
}

void WriteRule(const FaultRule& rule, JsonWriter* writer) {
  writer->Key("fault");
  writer->String(FaultName(rule.fault));
  WriteText("operation", rule.operation, writer);
  WriteText("table", rule.table, writer);
  if (!rule.key.view().empty()) {
    writer->Key("key");
    writer->Item(rule.key.view());
  }
  WriteCount("nth", rule.nth, writer);
  WriteNumber("probability", rule.probability, 1, writer);
  if (rule.seed != 0) {
    writer->Key("seed");
    writer->Json(std::to_string(rule.seed));
  }
  WriteNumber("latency", absl::ToDoubleSeconds(rule.latency), 0, writer);
  WriteCount("retry_after", absl::ToInt64Milliseconds(rule.retry_after), writer);
  WriteNumber("share", rule.share, 1, writer);
  WriteCount("hits_max", rule.hits_max, writer);
  if (rule.lifetime != absl::InfiniteDuration()) {
    writer->Key("lifetime");
    writer->Double(absl::ToDoubleSeconds(rule.lifetime));
  }
}

}  // namespace

absl::StatusOr<FaultRule> ReadFaultRule(std::string_view json) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(json);
  if (!root || !root->is_object()) {
    return absl::InvalidArgumentError(messages::AdminNotAnObject(kFaultExample));
  }
  FaultRule rule;
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : AsObject(*root)) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return absl::InvalidArgumentError(messages::AdminMemberTwice(name, kFaultExample));
    }
    seen.push_back(name);
    DYNOLITH_RETURN_IF_ERROR(ReadMember(AsObject(*root), name, value, &rule));
  }
  if (std::find(seen.begin(), seen.end(), "fault") == seen.end()) {
    return absl::InvalidArgumentError(messages::AdminMemberMissing("fault", kFaultExample));
  }
  return rule;
}

void AppendFaultReports(const std::vector<FaultReport>& reports, std::string* out) {
  JsonWriter writer(out);
  writer.BeginObject();
  writer.Key("faults");
  writer.BeginArray();
  for (const FaultReport& report : reports) {
    writer.BeginObject();
    writer.Key("id");
    writer.Integer(report.id);
    WriteRule(report.rule, &writer);
    writer.Key("matches");
    writer.Integer(report.matches);
    writer.Key("hits");
    writer.Integer(report.hits);
    if (report.expires != absl::InfiniteFuture()) {
      writer.Key("expires");
      writer.Timestamp(report.expires);
    }
    writer.Key("expired");
    writer.Bool(report.expired);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

}  // namespace dynolith
