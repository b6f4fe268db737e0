#include "api/service/open_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/types/span.h"
#include "api/service/region.h"
#include "api/service/size_text.h"
#include "api/service/staleness_text.h"
#include "api/service/time_text.h"
#include "engine/base/json_tree.h"
#include "engine/base/messages/admin.h"
#include "engine/base/messages/program.h"
#include "engine/base/messages/settings.h"
#include "engine/base/messages/staleness.h"
#include "engine/base/nearest_word.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

using Kind = JsonTree::Kind;
// Why a value is wrong; nullopt: it is not.
using Fault = std::optional<std::string>;

constexpr int kDepthMax = 4;
constexpr int kStreamShardsMax = 64;
constexpr size_t kAccountIdDigits = 12;

bool IsText(const JsonTree& value) { return value.kind == Kind::kString; }
bool IsNull(const JsonTree& value) { return value.kind == Kind::kOther && value.text == "null"; }

Fault ReadBool(const JsonTree& value, bool* to) {
  if (value.kind != Kind::kOther || (value.text != "true" && value.text != "false")) {
    return messages::SettingWantsBool();
  }
  *to = value.text == "true";
  return std::nullopt;
}

Fault ReadText(const JsonTree& value, std::string* to) {
  if (!IsText(value)) return messages::SettingWantsText();
  *to = value.text;
  return std::nullopt;
}

Fault ReadPath(const JsonTree& value, std::string* to) {
  if (IsText(value) && value.text.empty()) return messages::EmptyPath();
  return ReadText(value, to);
}

// nullopt if it is no finite number.
std::optional<double> NumberOf(const JsonTree& value) {
  double number = 0;
  const bool good = value.kind == Kind::kOther && absl::SimpleAtod(value.text, &number);
  if (!good || !std::isfinite(number)) return std::nullopt;
  return number;
}

Fault ReadSeconds(const JsonTree& value, double* to) {
  const std::optional<double> number = NumberOf(value);
  if (!number || *number < 0) return messages::NotSeconds(PrintJson(value));
  *to = *number;
  return std::nullopt;
}

Fault ReadRate(const JsonTree& value, double* to) {
  const std::optional<double> number = NumberOf(value);
  if (!number || *number < 0) return messages::NotACallRate(PrintJson(value));
  *to = *number;
  return std::nullopt;
}

Fault ReadScale(const JsonTree& value, double* to) {
  const std::optional<double> number = NumberOf(value);
  if (!number || *number <= 0) return messages::NotAScale(PrintJson(value));
  *to = *number;
  return std::nullopt;
}

Fault ReadSeed(const JsonTree& value, uint64_t* to) {
  const bool good = value.kind == Kind::kOther && absl::SimpleAtoi(value.text, to);
  return good ? Fault() : messages::SettingWantsSeed();
}

Fault ReadSize(const JsonTree& value, size_t* to) {
  const bool can_be_one = IsText(value) || value.kind == Kind::kOther;
  const std::optional<uint64_t> bytes = can_be_one ? ParseSize(value.text) : std::nullopt;
  if (!bytes) return messages::NotASize(PrintJson(value));
  *to = *bytes;
  return std::nullopt;
}

Fault ReadOptionalSize(const JsonTree& value, std::optional<size_t>* to) {
  return ReadSize(value, &to->emplace());
}

template <typename Meaning>
using Words = absl::Span<const std::pair<std::string_view, Meaning>>;

template <typename Meaning>
Fault ReadWord(const JsonTree& value, Words<Meaning> words, Meaning* to) {
  const auto found = std::find_if(words.begin(), words.end(), [&](const auto& word) {
    return IsText(value) && word.first == value.text;
  });
  if (found != words.end()) {
    *to = found->second;
    return std::nullopt;
  }
  std::string known;
  for (const auto& [name, meaning] : words) known += (known.empty() ? "" : "|") + std::string(name);
  return messages::NotOneOf(PrintJson(value), known);
}

// --- members

struct Member {
  std::string_view name;
  Fault (*read)(const JsonTree& value, OpenSettings* settings);
  absl::Span<const Member> members = {};  // of an object, instead of `read`
};

Fault ReadClock(const JsonTree& value, OpenSettings* settings) {
  constexpr std::pair<std::string_view, bool> kClocks[] = {{"system", false}, {"manual", true}};
  return ReadWord<bool>(value, kClocks, &settings->manual_clock);
}

Fault ReadClockStart(const JsonTree& value, OpenSettings* settings) {
  if (IsText(value) || value.kind == Kind::kOther) {
    settings->clock_start = ParseTimeText(value.text);
  }
  return settings->clock_start ? Fault() : messages::NotATime(PrintJson(value));
}

Fault ReadConflicts(const JsonTree& value, OpenSettings* settings) {
  constexpr std::pair<std::string_view, bool> kConflicts[] = {{"wait", false}, {"fail", true}};
  return ReadWord<bool>(value, kConflicts, &settings->database.fail_on_conflict);
}

Fault ReadRegion(const JsonTree& value, OpenSettings* settings) {
  if (IsText(value) && !IsRegion(value.text)) return messages::NotRegion(value.text);
  return ReadText(value, &settings->database.region);
}

Fault ReadAccountId(const JsonTree& value, OpenSettings* settings) {
  const bool good = value.text.size() == kAccountIdDigits &&
                    std::all_of(value.text.begin(), value.text.end(),
                                [](char letter) { return letter >= '0' && letter <= '9'; });
  if (IsText(value) && !good) return messages::NotAnAccountId(value.text);
  return ReadText(value, &settings->database.account_id);
}

Fault ReadUpdateSize(const JsonTree& value, OpenSettings* settings) {
  constexpr std::pair<std::string_view, bool> kSizes[] = {{"charge", true}, {"item", false}};
  return ReadWord<bool>(value, kSizes, &settings->database.charge_updates);
}

Fault ReadSweep(const JsonTree& value, OpenSettings* settings) {
  double seconds = 0;
  Fault fault = ReadSeconds(value, &seconds);
  settings->database.ttl_sweep_period = absl::Seconds(seconds);
  return fault;
}

Fault ReadStreamShards(const JsonTree& value, OpenSettings* settings) {
  int* const to = &settings->database.stream_shards;
  const bool good = value.kind == Kind::kOther && absl::SimpleAtoi(value.text, to) && *to >= 0 &&
                    *to <= kStreamShardsMax;
  return good ? Fault()
              : messages::NotWholeBetween(PrintJson(value), "0", Concat(kStreamShardsMax));
}

Fault ReadTableDelay(const JsonTree& value, OpenSettings* settings) {
  double seconds = 0;
  Fault fault = ReadSeconds(value, &seconds);
  const absl::Duration delay = absl::Seconds(seconds);
  settings->database.table_delays = {
      .create = delay, .update = delay, .remove = delay, .index = delay};
  return fault;
}

Fault ReadStaleness(const JsonTree& value, OpenSettings* settings) {
  if (value.kind != Kind::kList) return messages::SettingWantsList();
  for (const JsonTree& element : value.elements) {
    if (!IsText(element)) return messages::SettingWantsList();
    const std::optional<StalenessRule> rule = ParseStalenessRule(element.text);
    if (!rule) return messages::NotStaleness(element.text);
    settings->database.staleness.rules.push_back(*rule);
  }
  return std::nullopt;
}

Fault ReadVectorSearch(const JsonTree& value, OpenSettings* settings) {
  constexpr std::pair<std::string_view, VectorSearch> kSearches[] = {
      {"exact", VectorSearch::kExact}, {"approximate", VectorSearch::kApproximate}};
  return ReadWord<VectorSearch>(value, kSearches, &settings->database.vector_search);
}

Fault ReadBuckets(const JsonTree& value, OpenSettings* settings) {
  std::error_code error;
  if (IsText(value) && !std::filesystem::is_directory(value.text, error)) {
    return messages::NotAFolder(value.text);
  }
  return ReadText(value, &settings->buckets_folder);
}

Fault ReadMode(const JsonTree& value, OpenSettings* settings) {
  return ReadWord<CapacityMode>(value, kCapacityModeNames, &settings->database.capacity.mode);
}

Fault ReadAccountLimit(const JsonTree& value, OpenSettings* settings) {
  constexpr std::pair<std::string_view, bool> kLimits[] = {{"request-limit", false},
                                                           {"throttling", true}};
  return ReadWord<bool>(value, kLimits, &settings->database.capacity.account_limit_throttles);
}

constexpr Member kCapacityMembers[] = {
    {"mode", ReadMode},
    {"scale",
     [](const auto& value, auto* to) { return ReadScale(value, &to->database.capacity.scale); }},
    {"account_limit", ReadAccountLimit},
    {"seed",
     [](const auto& value, auto* to) { return ReadSeed(value, &to->database.capacity.seed); }},
};

constexpr Member kRateMembers[] = {
    {"changes", [](const auto& value,
                   auto* to) { return ReadRate(value, &to->database.control_rates.changes); }},
    {"descriptions",
     [](const auto& value, auto* to) {
       return ReadRate(value, &to->database.control_rates.descriptions);
     }},
    {"stream_descriptions",
     [](const auto& value, auto* to) {
       return ReadRate(value, &to->database.control_rates.stream_descriptions);
     }},
};

constexpr Member kMembers[] = {
    {"path", [](const auto& value, auto* to) { return ReadPath(value, &to->database.path); }},
    {"read_only",
     [](const auto& value, auto* to) { return ReadBool(value, &to->database.read_only); }},
    {"sync",
     [](const auto& value, auto* to) { return ReadBool(value, &to->database.sync_commits); }},
    {"region", ReadRegion},
    {"account_id", ReadAccountId},
    {"clock", ReadClock},
    {"clock_start", ReadClockStart},
    {"conflicts", ReadConflicts},
    {"update_size", ReadUpdateSize},
    {"ttl_sweep_seconds", ReadSweep},
    {"stream_shards", ReadStreamShards},
    {"table_delay_seconds", ReadTableDelay},
    {"capacity", nullptr, kCapacityMembers},
    {"control_rates", nullptr, kRateMembers},
    {"hot_keys",
     [](const auto& value, auto* to) { return ReadBool(value, &to->database.hot_keys); }},
    {"staleness", ReadStaleness},
    {"staleness_seed",
     [](const auto& value, auto* to) { return ReadSeed(value, &to->database.staleness.seed); }},
    {"vector_search", ReadVectorSearch},
    {"vector_memory",
     [](const auto& value, auto* to) { return ReadSize(value, &to->database.vector_graph_bytes); }},
    {"memory_budget", [](const auto& value,
                         auto* to) { return ReadSize(value, &to->database.memory_budget_bytes); }},
    {"cache", [](const auto& value,
                 auto* to) { return ReadOptionalSize(value, &to->database.block_cache_bytes); }},
    {"item_cache",
     [](const auto& value, auto* to) {
       return ReadOptionalSize(value, &to->database.item_cache_bytes);
     }},
    {"buckets", ReadBuckets},
};

std::string UnknownMember(const std::string& name, std::string_view prefix,
                          absl::Span<const Member> members) {
  std::vector<std::string> known;
  std::string listed;
  for (const Member& member : members) {
    known.emplace_back(member.name);
    listed += (listed.empty() ? "" : ", ") + known.back();
  }
  return messages::SettingUnknown(Concat(prefix, name), NearestWord(name, known), listed);
}

// `prefix`: of names in messages.
Fault ReadMembers(const JsonTree& object, std::string_view prefix, absl::Span<const Member> members,
                  OpenSettings* settings) {
  std::vector<std::string_view> seen;
  for (const JsonTree::Member& given : object.members) {
    const std::string& name = given.name;
    const JsonTree& value = given.value;
    const std::string full_name = Concat(prefix, name);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return messages::SettingTwice(full_name);
    }
    seen.push_back(name);
    const auto member = std::find_if(members.begin(), members.end(),
                                     [&](const Member& each) { return each.name == name; });
    if (member == members.end()) return UnknownMember(name, prefix, members);
    if (IsNull(value)) continue;
    if (!member->members.empty() && value.kind == Kind::kMap) {
      Fault fault = ReadMembers(value, Concat(full_name, "."), member->members, settings);
      if (fault) return fault;
      continue;
    }
    const Fault fault =
        member->members.empty() ? member->read(value, settings) : messages::SettingWantsObject();
    if (fault) return messages::SettingWrong(full_name, *fault);
  }
  return std::nullopt;
}

// What only several members together say.
Fault CheckTogether(const OpenSettings& settings) {
  if (settings.clock_start && !settings.manual_clock) {
    return messages::SettingWrong("clock_start", messages::SettingNeedsManualClock());
  }
  if (settings.database.in_memory && settings.database.read_only) {
    return messages::SettingWrong("read_only", messages::SettingNeedsPath());
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<OpenSettings> ReadOpenSettings(std::string_view json) {
  OpenSettings settings;
  Fault fault;
  if (!json.empty()) {
    JsonPlace stopped;
    const std::optional<JsonTree> tree = ParseJson(json, kDepthMax, &stopped);
    if (!tree || tree->kind != Kind::kMap) {
      return absl::InvalidArgumentError(
          messages::SettingsNotAnObject(tree ? 1 : stopped.line, tree ? 1 : stopped.column));
    }
    fault = ReadMembers(*tree, "", kMembers, &settings);
  }
  settings.database.in_memory = settings.database.path.empty();
  if (!fault) fault = CheckTogether(settings);
  if (fault) return absl::InvalidArgumentError(*fault);
  return settings;
}

}  // namespace dynolith
