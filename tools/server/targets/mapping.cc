#include "tools/server/targets/mapping.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "api/remote/server_address.h"
#include "api/service/time_text.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/targets/messages.h"
#include "tools/server/targets/target_url.h"

namespace dynolith::targets {
namespace {

using designs::MemberText;
using Kind = JsonTree::Kind;

constexpr size_t kFiltersMax = 10;

absl::Status Wants(const std::string& text) { return absl::InvalidArgumentError(text); }

// The table in a name, a table's ARN or a stream's.
std::string_view TableIn(std::string_view text) {
  const size_t at = text.find(":table/");
  if (at == std::string_view::npos) return text;
  const std::string_view resource = text.substr(at + std::string_view(":table/").size());
  return resource.substr(0, resource.find('/'));
}

absl::Status CheckTarget(std::string_view target) {
  if (target.starts_with(kExec)) {
    return target.size() > kExec.size() ? absl::OkStatus() : Wants(messages::TargetNoCommand());
  }
  if (!http::IsServerUrl(target)) return Wants(messages::TargetUnknown(target));
  return SplitTargetUrl(target) ? absl::OkStatus() : Wants(messages::TargetBadUrl(target));
}

// --- members

absl::Status ReadWhole(const JsonTree& value, int64_t least, int64_t most, int64_t* number) {
  const bool is_whole = value.kind == Kind::kOther && absl::SimpleAtoi(value.text, number);
  if (is_whole && *number >= least && *number <= most) return absl::OkStatus();
  return Wants(messages::TargetsWholeBetween(least, most));
}

absl::Status ReadCount(const JsonTree& value, int least, int most, int* count) {
  int64_t number = 0;
  DYNOLITH_RETURN_IF_ERROR(ReadWhole(value, least, most, &number));
  *count = static_cast<int>(number);
  return absl::OkStatus();
}

absl::Status ReadSeconds(const JsonTree& value, int64_t least, int64_t most, absl::Duration* time) {
  int64_t number = 0;
  DYNOLITH_RETURN_IF_ERROR(ReadWhole(value, least, most, &number));
  *time = absl::Seconds(number);
  return absl::OkStatus();
}

// -1: without end.
absl::Status ReadUnlimited(const JsonTree& value, int64_t least, int64_t most, int64_t* number) {
  const bool is_whole = value.kind == Kind::kOther && absl::SimpleAtoi(value.text, number);
  if (is_whole && (*number == -1 || (*number >= least && *number <= most))) return absl::OkStatus();
  return Wants(messages::TargetsUnlimitedOr(least, most));
}

absl::Status ReadBool(const JsonTree& value, bool* flag) {
  *flag = value.text == "true";
  const bool is_bool = value.kind == Kind::kOther && (*flag || value.text == "false");
  return is_bool ? absl::OkStatus() : Wants(messages::TargetsWantsBool());
}

absl::Status ReadPosition(const JsonTree& value, Mapping* mapping) {
  if (value.text == "TRIM_HORIZON") {
    mapping->start = StartingPosition::kTrimHorizon;
  } else if (value.text == "LATEST") {
    mapping->start = StartingPosition::kLatest;
  } else if (value.text == "AT_TIMESTAMP") {
    mapping->start = StartingPosition::kAtTimestamp;
  } else {
    return Wants(messages::TargetsWantsPosition());
  }
  return absl::OkStatus();
}

absl::Status ReadTime(const JsonTree& value, Mapping* mapping) {
  const bool is_plain = value.kind == Kind::kOther || value.kind == Kind::kString;
  const std::optional<absl::Time> time = is_plain ? ParseTimeText(value.text) : std::nullopt;
  if (!time) return Wants(messages::TargetsWantsTime());
  mapping->start_time = *time;
  return absl::OkStatus();
}

absl::Status ReadFilters(const JsonTree& value, Mapping* mapping) {
  const JsonTree* const list = value.Find("Filters");
  const bool is_known = value.kind == Kind::kMap && value.members.size() == (list ? 1u : 0u);
  if (!is_known) return Wants(messages::TargetsWantsFilters());
  if (list == nullptr) return absl::OkStatus();
  if (list->kind != Kind::kList || list->elements.size() > kFiltersMax) {
    return Wants(messages::TargetsWantsFilters());
  }
  for (const JsonTree& filter : list->elements) {
    const JsonTree* const pattern = filter.Find("Pattern");
    const bool is_pattern = pattern != nullptr && filter.members.size() == 1;
    if (!is_pattern || pattern->kind != Kind::kString)
      return Wants(messages::TargetsWantsFilters());
    DYNOLITH_RETURN_IF_ERROR(mapping->filters.Add(pattern->text));
  }
  return absl::OkStatus();
}

absl::Status ReadDestination(const JsonTree& value, Mapping* mapping) {
  const JsonTree* const failure = value.Find("OnFailure");
  const bool is_known = value.kind == Kind::kMap && value.members.size() == (failure ? 1u : 0u);
  if (!is_known) return Wants(messages::TargetsWantsDestination());
  if (failure == nullptr) return absl::OkStatus();
  const JsonTree* const place = failure->Find("Destination");
  const bool is_place = place != nullptr && failure->members.size() == 1 &&
                        place->kind == Kind::kString && !place->text.empty();
  if (!is_place) return Wants(messages::TargetsWantsDestination());
  if (http::IsServerUrl(place->text)) DYNOLITH_RETURN_IF_ERROR(CheckTarget(place->text));
  mapping->on_failure = place->text;
  return absl::OkStatus();
}

absl::Status ReadResponseTypes(const JsonTree& value, Mapping* mapping) {
  for (const JsonTree& each : value.elements) {
    if (each.text != "ReportBatchItemFailures") return Wants(messages::TargetsWantsResponseTypes());
  }
  if (value.kind != Kind::kList) return Wants(messages::TargetsWantsResponseTypes());
  mapping->reports_failures = !value.elements.empty();
  return absl::OkStatus();
}

absl::Status ReadAge(const JsonTree& value, Mapping* mapping) {
  int64_t seconds = 0;
  DYNOLITH_RETURN_IF_ERROR(ReadUnlimited(value, 60, 604'800, &seconds));
  mapping->age_max = seconds < 0 ? absl::InfiniteDuration() : absl::Seconds(seconds);
  return absl::OkStatus();
}

absl::Status ReadRetries(const JsonTree& value, Mapping* mapping) {
  int64_t retries = 0;
  DYNOLITH_RETURN_IF_ERROR(ReadUnlimited(value, 0, 10'000, &retries));
  mapping->retries_max = static_cast<int>(retries);
  return absl::OkStatus();
}

struct MemberReader {
  std::string_view name;
  absl::Status (*read)(const JsonTree& value, Mapping* mapping);
};

// The members beside EventSourceArn and FunctionName, with Lambda's bounds.
constexpr MemberReader kMembers[] = {
    {"Enabled", [](const JsonTree& v, Mapping* m) { return ReadBool(v, &m->enabled); }},
    {"BatchSize",
     [](const JsonTree& v, Mapping* m) { return ReadCount(v, 1, 10'000, &m->batch_size); }},
    {"MaximumBatchingWindowInSeconds",
     [](const JsonTree& v, Mapping* m) { return ReadSeconds(v, 0, 300, &m->batching_window); }},
    {"StartingPosition", ReadPosition},
    {"StartingPositionTimestamp", ReadTime},
    {"FilterCriteria", ReadFilters},
    {"ParallelizationFactor",
     [](const JsonTree& v, Mapping* m) { return ReadCount(v, 1, 10, &m->lanes); }},
    {"BisectBatchOnFunctionError",
     [](const JsonTree& v, Mapping* m) { return ReadBool(v, &m->bisects); }},
    {"MaximumRecordAgeInSeconds", ReadAge},
    {"MaximumRetryAttempts", ReadRetries},
    {"FunctionResponseTypes", ReadResponseTypes},
    {"DestinationConfig", ReadDestination},
    {"TumblingWindowInSeconds",
     [](const JsonTree& v, Mapping* m) { return ReadSeconds(v, 0, 900, &m->tumbling_window); }},
    {"TimeoutInSeconds",
     [](const JsonTree& v, Mapping* m) { return ReadSeconds(v, 1, 900, &m->timeout); }},
};

absl::Status ReadMember(const JsonTree::Member& member, Mapping* mapping) {
  for (const MemberReader& known : kMembers) {
    if (member.name == known.name) return known.read(member.value, mapping);
  }
  return Wants(messages::TargetsMemberUnknown());
}

absl::Status At(const JsonTree& value, std::string_view name, const absl::Status& why) {
  if (why.ok()) return why;
  return Wants(messages::TargetsAt(value.line, name, MessageOf(why)));
}

absl::Status ApplyMembers(const JsonTree& object, Mapping* mapping) {
  bool has_time = false;
  for (const JsonTree::Member& member : object.members) {
    if (member.name == "EventSourceArn" || member.name == "FunctionName") continue;
    has_time = has_time || member.name == "StartingPositionTimestamp";
    DYNOLITH_RETURN_IF_ERROR(At(member.value, member.name, ReadMember(member, mapping)));
  }
  if (has_time != (mapping->start == StartingPosition::kAtTimestamp)) {
    return At(object, "StartingPosition", Wants(messages::TargetsTimeMissing()));
  }
  const bool has_window = mapping->tumbling_window > absl::ZeroDuration();
  if (!has_window || mapping->lanes == 1) return absl::OkStatus();
  return At(object, "TumblingWindowInSeconds", Wants(messages::TargetsWindowAndLanes()));
}

Mapping* FindMapping(std::string_view table, std::string_view target,
                     std::vector<Mapping>* mappings) {
  const auto found = std::find_if(mappings->begin(), mappings->end(), [&](const Mapping& each) {
    return each.table == table && each.target == target;
  });
  return found == mappings->end() ? nullptr : &*found;
}

// One object of the file. `done`: the mappings that have been set.
absl::Status ApplyObject(const JsonTree& object,
                         std::set<std::pair<std::string, std::string>>* done,
                         std::vector<Mapping>* mappings) {
  if (object.kind != Kind::kMap) return Wants(messages::TargetsNoObjects());
  if (const JsonTree::Member* const twice = designs::NameTwice(object)) {
    return At(twice->value, twice->name, Wants(messages::TargetsMemberTwice()));
  }
  const JsonTree* const source = object.Find("EventSourceArn");
  const std::string table(TableIn(MemberText(source)));
  if (table.empty() || source->kind != Kind::kString) {
    return At(object, "EventSourceArn", Wants(messages::TargetsNoTable()));
  }
  const JsonTree* const function = object.Find("FunctionName");
  if (function != nullptr) {
    DYNOLITH_RETURN_IF_ERROR(At(*function, "FunctionName", CheckTarget(function->text)));
    if (FindMapping(table, function->text, mappings) == nullptr) {
      Mapping& added = mappings->emplace_back();
      added.table = table;
      added.target = function->text;
    }
  }
  bool is_used = false;
  for (Mapping& mapping : *mappings) {
    const bool is_meant = function == nullptr || mapping.target == function->text;
    if (mapping.table != table || !is_meant) continue;
    if (!done->emplace(mapping.table, mapping.target).second) {
      return At(object, "EventSourceArn", Wants(messages::TargetsTwice(table, mapping.target)));
    }
    is_used = true;
    DYNOLITH_RETURN_IF_ERROR(ApplyMembers(object, &mapping));
  }
  return is_used ? absl::OkStatus()
                 : At(object, "EventSourceArn", Wants(messages::TargetsNobody(table)));
}

absl::StatusOr<std::vector<Mapping>> ParseOptions(const std::vector<std::string>& on_stream) {
  std::vector<Mapping> mappings;
  for (const std::string& option : on_stream) {
    DYNOLITH_ASSIGN_OR_RETURN(Mapping mapping, ParseOnStream(option));
    if (FindMapping(mapping.table, mapping.target, &mappings) != nullptr) {
      return Wants(messages::OnStreamTwice(mapping.table, mapping.target));
    }
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

}  // namespace

absl::StatusOr<Mapping> ParseOnStream(std::string_view option) {
  const size_t equals = option.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == option.size()) {
    return Wants(messages::OnStreamForm(option));
  }
  Mapping mapping;
  mapping.table = TableIn(option.substr(0, equals));
  mapping.target = option.substr(equals + 1);
  DYNOLITH_RETURN_IF_ERROR(CheckTarget(mapping.target));
  return mapping;
}

absl::StatusOr<std::vector<Mapping>> ParseMappings(const std::vector<std::string>& on_stream,
                                                   std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<Mapping> mappings, ParseOptions(on_stream));
  JsonLocation stopped;
  const std::optional<JsonTree> tree = ParseJson(text, designs::kJsonDepthMax, &stopped);
  if (!tree) return Wants(messages::TargetsNoJson(stopped.line, stopped.column));
  std::set<std::pair<std::string, std::string>> done;
  if (tree->kind != Kind::kList) {
    DYNOLITH_RETURN_IF_ERROR(ApplyObject(*tree, &done, &mappings));
  }
  for (const JsonTree& object : tree->elements) {
    DYNOLITH_RETURN_IF_ERROR(ApplyObject(object, &done, &mappings));
  }
  return mappings;
}

absl::StatusOr<std::vector<Mapping>> ReadMappings(const std::vector<std::string>& on_stream,
                                                  const std::string& file) {
  if (file.empty()) return ParseOptions(on_stream);
  const FileText text = ReadFileText(file);
  if (text.error != 0) return Wants(messages::TargetsFile(file, ErrnoReason(text.error)));
  // Errors of the options do not name the file.
  DYNOLITH_RETURN_IF_ERROR(ParseOptions(on_stream).status());
  absl::StatusOr<std::vector<Mapping>> mappings = ParseMappings(on_stream, text.text);
  if (mappings.ok()) return mappings;
  return Wants(messages::TargetsFile(file, MessageOf(mappings.status())));
}

}  // namespace dynolith::targets
