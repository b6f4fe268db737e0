#include "api/service/database_options.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "api/service/database_folders.h"
#include "api/service/messages.h"
#include "api/service/region.h"
#include "api/service/size_text.h"
#include "api/service/staleness_text.h"
#include "api/service/time_text.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/messages.h"

namespace dynolith {
namespace {

// Why a value is wrong; nullopt: it is not.
using OptionError = std::optional<std::string>;

constexpr int kStreamShardsMax = 64;
constexpr std::string_view kStreamShardsValue = "INT:0 to 64";
static_assert(kStreamShardsValue.ends_with("64") && kStreamShardsMax == 64);
constexpr size_t kAccountIdDigits = 12;
constexpr size_t kNoteColumn = 42;

OptionError ReadBool(const GivenValue& given, bool* to) {
  if (!given.may_be_number || (given.text != "true" && given.text != "false")) {
    return messages::SettingWantsBool();
  }
  *to = given.text == "true";
  return std::nullopt;
}

OptionError ReadText(const GivenValue& given, std::string* to) {
  if (!given.may_be_text) return messages::SettingWantsText();
  *to = given.text;
  return std::nullopt;
}

// nullopt if it is no finite number.
std::optional<double> ToNumber(const GivenValue& given) {
  double number = 0;
  const bool good = given.may_be_number && absl::SimpleAtod(ToAbsl(given.text), &number);
  if (!good || !std::isfinite(number)) return std::nullopt;
  return number;
}

OptionError ReadSeconds(const GivenValue& given, absl::Duration* to) {
  const std::optional<double> number = ToNumber(given);
  if (!number || *number < 0) return messages::NotSeconds(given.shown);
  *to = absl::Seconds(*number);
  return std::nullopt;
}

OptionError ReadRate(const GivenValue& given, double* to) {
  const std::optional<double> number = ToNumber(given);
  if (!number || *number < 0) return messages::NotACallRate(given.shown);
  *to = *number;
  return std::nullopt;
}

OptionError ReadSeed(const GivenValue& given, uint64_t* to) {
  const bool good = given.may_be_number && absl::SimpleAtoi(ToAbsl(given.text), to);
  return good ? OptionError() : messages::SettingWantsSeed();
}

template <typename Size>
OptionError ReadSize(const GivenValue& given, Size* to) {
  const bool can_be_one = given.may_be_text || given.may_be_number;
  const std::optional<uint64_t> bytes = can_be_one ? ParseSize(given.text) : std::nullopt;
  if (!bytes) return messages::NotASize(given.shown);
  *to = *bytes;  // NOLINT(bugprone-optional-value-conversion): not every Size is optional.
  return std::nullopt;
}

// --- Those that are one of some words

constexpr std::pair<std::string_view, bool> kClocks[] = {{"system", false}, {"manual", true}};
constexpr std::pair<std::string_view, bool> kConflicts[] = {{"wait", false}, {"fail", true}};
constexpr std::pair<std::string_view, bool> kUpdateSizes[] = {{"charge", true}, {"item", false}};
constexpr std::pair<std::string_view, bool> kAccountLimits[] = {{"request-limit", false},
                                                                {"throttling", true}};
constexpr std::pair<std::string_view, VectorSearch> kVectorSearches[] = {
    {"exact", VectorSearch::kExact}, {"approximate", VectorSearch::kApproximate}};

template <const auto& kWords>
std::vector<std::string_view> WordNames() {
  std::vector<std::string_view> names;
  for (const auto& [name, meaning] : kWords) names.push_back(name);
  return names;
}

std::string Joined(const std::vector<std::string_view>& words, std::string_view between) {
  std::string joined;
  for (const std::string_view word : words) {
    joined += Concat(joined.empty() ? "" : between, word);
  }
  return joined;
}

template <const auto& kWords, typename Meaning>
OptionError ReadWord(const GivenValue& given, Meaning* to) {
  for (const auto& [name, meaning] : kWords) {
    if (!given.may_be_text || given.text != name) continue;
    *to = meaning;
    return std::nullopt;
  }
  return messages::NotAmongWords(given.shown, Joined(WordNames<kWords>(), "|"));
}

// --- Those with rules of their own

OptionError ReadPath(const GivenValue& given, OpenSettings* to) {
  if (given.may_be_text && given.text.empty()) return messages::EmptyPath();
  return ReadText(given, &to->database.path);
}

OptionError ReadEncryptionKey(const GivenValue& given, OpenSettings* to) {
  if (given.may_be_text && !IsKeySource(given.text)) return messages::NotAKeySource(given.text);
  return ReadText(given, &to->database.encryption_key);
}

OptionError ReadClockStart(const GivenValue& given, OpenSettings* to) {
  if (given.may_be_text || given.may_be_number) to->clock_start = ParseTimeText(given.text);
  return to->clock_start ? OptionError() : messages::NotATime(given.shown);
}

OptionError ReadRegion(const GivenValue& given, OpenSettings* to) {
  if (given.may_be_text && !IsRegion(given.text)) return messages::NotRegion(given.text);
  return ReadText(given, &to->database.region);
}

OptionError ReadOneOfRegions(const GivenValue& given, OpenSettings* to) {
  if (given.may_be_text && !IsRegion(given.text)) return messages::NotRegion(given.text);
  std::vector<std::string>& regions = to->regions;
  if (std::find(regions.begin(), regions.end(), given.text) != regions.end()) {
    return messages::SettingNamesTwice(given.text);
  }
  return ReadText(given, &regions.emplace_back());
}

OptionError ReadAccountId(const GivenValue& given, OpenSettings* to) {
  const bool good = given.text.size() == kAccountIdDigits &&
                    std::all_of(given.text.begin(), given.text.end(),
                                [](char letter) { return letter >= '0' && letter <= '9'; });
  if (given.may_be_text && !good) return messages::NotAnAccountId(given.text);
  return ReadText(given, &to->database.account_id);
}

OptionError ReadStreamShards(const GivenValue& given, OpenSettings* to) {
  int* const shards = &to->database.stream_shards;
  const bool good = given.may_be_number && absl::SimpleAtoi(ToAbsl(given.text), shards) &&
                    *shards >= 0 && *shards <= kStreamShardsMax;
  return good ? OptionError()
              : messages::NotWholeBetween(given.shown, "0", Concat(kStreamShardsMax));
}

OptionError ReadTableDelay(const GivenValue& given, OpenSettings* to) {
  absl::Duration delay;
  OptionError error = ReadSeconds(given, &delay);
  to->database.table_delays = {.create = delay, .update = delay, .remove = delay, .index = delay};
  return error;
}

OptionError ReadScale(const GivenValue& given, OpenSettings* to) {
  const std::optional<double> number = ToNumber(given);
  if (!number || *number <= 0) return messages::NotAScale(given.shown);
  to->database.capacity.scale = *number;
  return std::nullopt;
}

// Implies that the folder is only read.
OptionError ReadFollow(const GivenValue& given, OpenSettings* to) {
  const OptionError error = ReadBool(given, &to->database.follow);
  if (to->database.follow) to->database.read_only = true;
  return error;
}

OptionError ReadBurst(const GivenValue& given, OpenSettings* to) {
  const std::optional<double> number = ToNumber(given);
  if (!number || *number < 1) return messages::NotABurst(given.shown);
  to->database.capacity.burst = absl::Seconds(*number);
  return std::nullopt;
}

OptionError ReadSplitDelay(const GivenValue& given, OpenSettings* to) {
  return ReadSeconds(given, &to->database.capacity.split_delay.emplace());
}

OptionError ReadPartitionReads(const GivenValue& given, OpenSettings* to) {
  int64_t* const units = &to->database.capacity.partition_reads.emplace();
  const bool good =
      given.may_be_number && absl::SimpleAtoi(ToAbsl(given.text), units) && *units >= 1;
  return good ? OptionError() : messages::NotPartitionReads(given.shown);
}

OptionError ReadStaleness(const GivenValue& given, OpenSettings* to) {
  if (!given.may_be_text) return messages::SettingWantsList();
  const std::optional<StalenessRule> rule = ParseStalenessRule(given.text);
  if (!rule) return messages::NotStaleness(given.text);
  to->database.staleness.rules.push_back(*rule);
  return std::nullopt;
}

OptionError ReadBuckets(const GivenValue& given, OpenSettings* to) {
  if (given.may_be_text && !IsFolder(std::string(given.text)))
    return messages::NotAFolder(given.text);
  return ReadText(given, &to->buckets_folder);
}

std::string Shown(double number) { return absl::StrCat(number); }
std::string Shown(absl::Duration time) { return Shown(absl::ToDoubleSeconds(time)); }

// --- All of them

constexpr DatabaseOption kOptions[] = {
    {.name = "path",
     .flag = "--data",
     .value = "DIR",
     .help = "Keep everything in this folder",
     .form = "folder",
     .note = "else in memory",
     .read = ReadPath},
    {.name = "read_only",
     .form = "true | false",
     .note = "also beside a process that serves the folder",
     .read = [](const auto& given, auto* to) { return ReadBool(given, &to->database.read_only); }},
    {.name = "follow",
     .flag = "--follow",
     .help = "Only read the folder, which another process serves, and follow what that one writes",
     .form = "true | false",
     .note = "read_only, and what that process writes as it goes on",
     .read = ReadFollow},
    {.name = "sync",
     .flag = "--sync",
     .help = "Acknowledged writes also survive power loss",
     .form = "true | false",
     .note = "acknowledged writes survive power loss",
     .read = [](const auto& given,
                auto* to) { return ReadBool(given, &to->database.sync_commits); }},
    {.name = "encryption_key",
     .flag = "--encryption-key",
     .value = "KEY",
     .help = "Encrypt a new data folder, or open an encrypted one, with its snapshots: file:PATH, "
             "env:NAME or command:TEXT, of 32 bytes or 64 hexadecimal digits. Exports, traces and "
             "the server's log are written as they are",
     .form = "key",
     .note = "\"file:PATH\", \"env:NAME\" or \"command:TEXT\"",
     .read = ReadEncryptionKey},
    {.name = "region",
     .flag = "--region",
     .value = "TEXT",
     .help = "Region in ARNs",
     .read = ReadRegion,
     .shown = [](const auto& settings) { return settings.database.region; }},
    {.name = "regions",
     .form = "[region, …]",
     .note = "several, with replicas: dynolith_region",
     .read = ReadOneOfRegions,
     .is_list = true},
    {.name = "account_id",
     .read = ReadAccountId,
     .shown = [](const auto& settings) { return settings.database.account_id; }},
    {.name = "clock",
     .flag = "--clock",
     .help = "system (the default): the machine's; manual: stands still until it is moved by POST "
             "/_dynolith/clock/advance or set (implies --admin)",
     .read = [](const auto& given,
                auto* to) { return ReadWord<kClocks>(given, &to->manual_clock); },
     .words = WordNames<kClocks>},
    {.name = "clock_start",
     .flag = "--clock-start",
     .value = "TIME",
     .help =
         "Where a manual clock stands at first: 2026-01-31T12:00:00Z or seconds since 1970; now "
         "if not given",
     .form = "time",
     .note = "\"2026-01-31T12:00:00Z\", or seconds since 1970",
     .read = ReadClockStart},
    {.name = "conflicts",
     .flag = "--conflicts",
     .help = "wait (the default): writes that overlap a transaction wait for it; fail: they get "
             "the service's conflict",
     .read = [](const auto& given,
                auto* to) { return ReadWord<kConflicts>(given, &to->database.fail_on_conflict); },
     .words = WordNames<kConflicts>},
    {.name = "update_size",
     .flag = "--update-size",
     .help = "What of an UpdateItem may be 400 KB. charge (the default): its item, and what its "
             "UpdateExpression writes with a cost for each clause, as in us-east-1 and most "
             "regions; item: its item",
     .read = [](const auto& given,
                auto* to) { return ReadWord<kUpdateSizes>(given, &to->database.charge_updates); },
     .words = WordNames<kUpdateSizes>},
    {.name = "ttl_sweep_seconds",
     .flag = "--ttl-sweep",
     .value = "FLOAT:NONNEGATIVE",
     .help = "Seconds between two sweeps of expired items, on the clock; 0 or off: no sweeps",
     .note = "0: none",
     .read = [](const auto& given,
                auto* to) { return ReadSeconds(given, &to->database.ttl_sweep_period); },
     .shown = [](const auto& settings) { return Shown(settings.database.ttl_sweep_period); },
     .zero = "off"},
    {.name = "stream_shards",
     .flag = "--stream-shards",
     .value = kStreamShardsValue,
     .help = "Shards of a new stream; 0: as many as the table has partitions at first",
     .note = "0: as many as the table has partitions at first",
     .read = ReadStreamShards,
     .shown = [](const auto& settings) { return Concat(settings.database.stream_shards); }},
    {.name = "table_delay_seconds",
     .flag = "--table-delay",
     .value = "FLOAT:NONNEGATIVE",
     .help = "Seconds that tables and indexes stay CREATING, UPDATING and DELETING, on the clock",
     .read = ReadTableDelay,
     .shown = [](const auto& settings) { return Shown(settings.database.table_delays.create); }},
    {.name = "capacity.mode",
     .flag = "--capacity",
     .value = "account|enforce|…",
     .help = "account (the default): capacity is counted, nothing is refused; enforce: requests "
             "beyond it are throttled as by the service; static, burst, adaptive: as the service "
             "did it in earlier years",
     .read =
         [](const auto& given, auto* to) {
           return ReadWord<kCapacityModeNames>(given, &to->database.capacity.mode);
         },
     .words = WordNames<kCapacityModeNames>},
    {.name = "capacity.scale",
     .flag = "--capacity-scale",
     .value = "FACTOR",
     .help = "What of all limits is given: with 0.01 a test meets a hot partition soon",
     .read = ReadScale,
     .shown = [](const auto& settings) { return Shown(settings.database.capacity.scale); }},
    {.name = "capacity.account_limit",
     .flag = "--account-limit",
     .help = "What requests above the quota of a table on demand get: request-limit (the default), "
             "a RequestLimitExceeded; throttling, a ThrottlingException",
     .read =
         [](const auto& given, auto* to) {
           return ReadWord<kAccountLimits>(given, &to->database.capacity.account_limit_throttles);
         },
     .words = WordNames<kAccountLimits>},
    {.name = "capacity.burst_seconds",
     .flag = "--capacity-burst",
     .value = "SECONDS",
     .help = "For how many seconds unused capacity is saved (default: 300)",
     .form = "seconds",
     .note = "for which unused capacity is saved; 300",
     .read = ReadBurst},
    {.name = "capacity.split_delay_seconds",
     .flag = "--split-delay",
     .value = "SECONDS",
     .help = "Seconds from when a partition has been found hot until its split (default: 300)",
     .form = "seconds",
     .note = "until a hot partition is split; 300",
     .read = ReadSplitDelay},
    {.name = "capacity.partition_reads",
     .flag = "--partition-reads",
     .value = "UINT",
     .help = "Read units a second of a partition (default: 3000); AWS has measured 4,500 where all "
             "reads are eventually consistent",
     .form = "number",
     .note = "read units a second of a partition; 3000",
     .read = ReadPartitionReads},
    {.name = "capacity.seed",
     .read = [](const auto& given,
                auto* to) { return ReadSeed(given, &to->database.capacity.seed); },
     .shown = [](const auto& settings) { return Concat(settings.database.capacity.seed); }},
    {.name = "control_rates.changes",
     .flag = "--control-changes",
     .value = "N",
     .help = "Unless --capacity is account: how many calls a second may change tables, tags, "
             "backups and all else, and as many as in 10 seconds at once; 0: as many as come",
     .read = [](const auto& given,
                auto* to) { return ReadRate(given, &to->database.control_rates.changes); },
     .shown = [](const auto& settings) { return Shown(settings.database.control_rates.changes); }},
    {.name = "control_rates.descriptions",
     .flag = "--control-descriptions",
     .value = "N",
     .help = "Unless --capacity is account: how many calls a second may describe or list them, and "
             "as many as in 10 seconds at once; 0: as many as come",
     .read = [](const auto& given,
                auto* to) { return ReadRate(given, &to->database.control_rates.descriptions); },
     .shown =
         [](const auto& settings) { return Shown(settings.database.control_rates.descriptions); }},
    {.name = "control_rates.stream_descriptions",
     .flag = "--stream-descriptions",
     .value = "N",
     .help = "Unless --capacity is account: how many calls a second may describe a stream, and as "
             "many as in 10 seconds at once; 0: as many as come",
     .read =
         [](const auto& given, auto* to) {
           return ReadRate(given, &to->database.control_rates.stream_descriptions);
         },
     .shown =
         [](const auto& settings) {
           return Shown(settings.database.control_rates.stream_descriptions);
         }},
    {.name = "hot_keys",
     .flag = "--hot-keys",
     .help = "Watch which keys of all tables and indexes are hot (GET /_dynolith/hot-keys, with "
             "--admin), not only where UpdateContributorInsights asks for it",
     .form = "true | false",
     .read = [](const auto& given, auto* to) { return ReadBool(given, &to->database.hot_keys); }},
    {.name = "staleness",
     .flag = "--staleness",
     .value = "RULE",
     .help = "Let eventually consistent reads see an older state: 500ms (so old), random:1s (up to "
             "1 s), held (as at the start, until released by the admin endpoint) or none, of "
             "everything or only of music=500ms, music/by-year=held, music:stream=random:1s; with "
             ",monotonic at the end never back for a client (access key); may be repeated",
     .form = "[rule, …]",
     .note = "as --staleness takes them",
     .read = ReadStaleness,
     .is_list = true},
    {.name = "staleness_seed",
     .flag = "--staleness-seed",
     .value = "N",
     .help = "Of random staleness: the same seed gives the same states",
     .read = [](const auto& given,
                auto* to) { return ReadSeed(given, &to->database.staleness.seed); },
     .shown = [](const auto& settings) { return Concat(settings.database.staleness.seed); }},
    {.name = "vector_search",
     .flag = "--vector-search",
     .help = "exact (the default): SearchVectors compares every vector; approximate: in large "
             "indexes it goes through a graph in memory, which is faster and may miss some",
     .read = [](const auto& given,
                auto* to) { return ReadWord<kVectorSearches>(given, &to->database.vector_search); },
     .words = WordNames<kVectorSearches>},
    {.name = "vector_memory",
     .flag = "--vector-memory",
     .value = "UINT:SIZE",
     .help = "Memory for the graphs of --vector-search approximate, e.g. 4GB (default: 1GB); "
             "indexes whose graphs do not fit are searched exactly",
     .form = "size",
     .read = [](const auto& given,
                auto* to) { return ReadSize(given, &to->database.vector_graph_bytes); }},
    {.name = "memory_budget",
     .flag = "--memory-budget",
     .value = "UINT:SIZE",
     .help = "Memory for all that grows with use, whatever lies in the data folder, e.g. 256MB; at "
             "least 16MB. It is divided among what is written, blocks and items that are read, and "
             "requests (default: each has its own bound)",
     .form = "size",
     .read = [](const auto& given,
                auto* to) { return ReadSize(given, &to->database.memory_budget_bytes); }},
    {.name = "cache",
     .flag = "--cache",
     .value = "UINT:SIZE",
     .help = "Memory for blocks read from disk, e.g. 512MB (default: 128MB, or a part of the "
             "memory budget)",
     .form = "size",
     .read = [](const auto& given,
                auto* to) { return ReadSize(given, &to->database.block_cache_bytes); }},
    {.name = "item_cache",
     .flag = "--item-cache",
     .value = "UINT:SIZE",
     .help = "Memory for items that are read again and again, e.g. 256MB (default: 32MB, or a part "
             "of the memory budget); 0: none",
     .form = "size",
     .read = [](const auto& given,
                auto* to) { return ReadSize(given, &to->database.item_cache_bytes); }},
    {.name = "buckets",
     .flag = "--buckets",
     .value = "TEXT:DIR",
     .help = "Folder whose subfolders stand for S3 buckets, for exports and imports",
     .form = "folder",
     .note = "whose subfolders stand for S3 buckets",
     .read = ReadBuckets},
    {.name = "endpoint",
     .form = "URL",
     .note = "calls go to the service there instead",
     .read = [](const auto& given, auto* to) { return ReadText(given, &to->endpoint); }},
    {.name = "endpoint_certificates",
     .form = "file",
     .note = "that its certificate is checked against",
     .read = [](const auto& given,
                auto* to) { return ReadText(given, &to->endpoint_certificates); }},
};

// --- As text

std::string CommentValue(const DatabaseOption& option) {
  if (option.words != nullptr) return Concat("\"", Joined(option.words(), "\" | \""), "\"");
  if (option.shown == nullptr) return std::string(option.form);
  const std::string shown = option.shown(OpenSettings());
  OpenSettings ignored;
  const bool is_text = !option.read({.text = shown, .may_be_number = false}, &ignored);
  return is_text ? Concat("\"", shown, "\"") : shown;
}

}  // namespace

absl::Span<const DatabaseOption> AllDatabaseOptions() { return kOptions; }

const DatabaseOption* FindDatabaseOption(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOptions), std::end(kOptions),
                   [&](const DatabaseOption& option) { return option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

std::string OptionWords(const DatabaseOption& option) { return Joined(option.words(), "|"); }

std::string DatabaseOptionsComment() {
  std::string comment;
  std::string_view object;
  for (const DatabaseOption& option : kOptions) {
    const size_t dot = option.name.find('.');
    const std::string_view of = dot == option.name.npos ? "" : option.name.substr(0, dot);
    if (of != object && !object.empty()) comment += "//   }\n";
    if (of != object && !of.empty()) comment += Concat("//   \"", of, "\": {\n");
    object = of;
    const std::string_view name = of.empty() ? option.name : option.name.substr(dot + 1);
    std::string line =
        Concat(of.empty() ? "//   \"" : "//     \"", name, "\": ", CommentValue(option));
    if (!option.note.empty()) {
      line.resize(std::max(line.size() + 2, kNoteColumn), ' ');
      line += option.note;
    }
    comment += line + "\n";
  }
  return comment;
}

}  // namespace dynolith
