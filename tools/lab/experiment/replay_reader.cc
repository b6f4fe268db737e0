#include "tools/lab/experiment/replay_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/partition/stored_bytes.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

constexpr double kSpeedLeast = 1e-3;
constexpr double kSpeedMost = 1e6;
constexpr int64_t kRoundsMost = 100'000;

// The average size of the items of each table and of the entries of each index; 0: unknown.
std::vector<int64_t> MeanBytes(const RecordedTrace& trace) {
  std::vector<double> bytes(trace.resources.size());
  std::vector<double> count(trace.resources.size());
  const auto add = [&](uint32_t resource, uint32_t size) {
    if (size == 0) return;
    bytes[resource] += size;
    ++count[resource];
  };
  for (const RecordedItem& item : trace.items) {
    add(trace.uses[item.use].resource, item.bytes_at_start);
  }
  for (const RecordedUse& use : trace.uses) {
    if (use.write != kNoWrite) add(use.resource, trace.writes[use.write].bytes);
  }
  std::vector<int64_t> means;
  for (size_t i = 0; i < bytes.size(); ++i) {
    means.push_back(count[i] == 0 ? 0 : std::llround(bytes[i] / count[i]));
  }
  return means;
}

// Chooses the names of a table's key attributes. Each key of a replay is made separately, so no
// attribute is in two keys, and a key of several attributes becomes one attribute.
class KeyNames {
 public:
  explicit KeyNames(TableDesign* table) : table_(*table) {}

  KeyPart MakeKeyPart(const std::vector<KeyAttribute>& attributes) {
    if (attributes.size() == 1 && !IsTaken(attributes.front().name)) {
      return {attributes.front().name, attributes.front().type};
    }
    size_t number = 1;
    while (IsTaken(Concat("key", number))) ++number;
    return {Concat("key", number),
            attributes.size() == 1 ? attributes.front().type : Type::kString};
  }

 private:
  bool IsTaken(const std::string& name) const {
    const auto is = [&name](const KeyPart& part) { return part.attribute == name; };
    const auto of_index = [&is](const IndexDesign& index) {
      return is(index.partition_key) || (index.sort_key && is(*index.sort_key));
    };
    return is(table_.partition_key) || (table_.sort_key && is(*table_.sort_key)) ||
           std::any_of(table_.indexes.begin(), table_.indexes.end(), of_index);
  }

  const TableDesign& table_;
};

Throughput ToThroughput(const trace::Resource& resource) {
  Throughput throughput;
  throughput.on_demand = resource.on_demand;
  if (resource.on_demand) return throughput;
  constexpr auto kMost = static_cast<int64_t>(kLabRateMax);
  throughput.units.read = std::clamp<int64_t>(resource.units.read, 1, kMost);
  throughput.units.write = std::clamp<int64_t>(resource.units.write, 1, kMost);
  return throughput;
}

// Finds each table or index of the trace in `tables`, which were made from it.
std::vector<Replay::Target> FindTargets(const RecordedTrace& trace,
                                        const std::vector<TableDesign>& tables) {
  std::vector<Replay::Target> targets;
  for (const trace::Resource& resource : trace.resources) {
    Replay::Target target;
    while (tables[target.table].name != resource.table) ++target.table;
    if (!resource.index.empty()) {
      target.index = 0;
      while (tables[target.table].indexes[*target.index].name != resource.index) ++*target.index;
    }
    targets.push_back(target);
  }
  return targets;
}

// true, false, or the names of tables and indexes.
void ReadSharedKeys(TomlTable* replay, Replay* result) {
  const toml::node* const node = replay->Find("shared_keys");
  if (node == nullptr) return;
  if (const auto* const flag = node->as_boolean()) {
    for (Replay::Target& target : result->targets) target.is_shared = flag->get();
    return;
  }
  const toml::array* const list = node->as_array();
  if (list == nullptr) {
    replay->Error(*node, messages::LabWrongKind(replay->MemberPath("shared_keys"),
                                                "true, false, or a list of tables and indexes, "
                                                "such as [\"settings\", \"orders/by-status\"]"));
    return;
  }
  std::vector<std::string> names;
  for (const trace::Resource& resource : result->trace->resources) {
    names.push_back(ResourceName(resource));
  }
  for (const toml::node& element : *list) {
    const std::string name = element.value_or(std::string());
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      replay->Error(element, messages::LabNothingNamed(replay->MemberPath("shared_keys"),
                                                       "table or index in the trace", name,
                                                       NearestWord(name, names)));
      continue;
    }
    result->targets[static_cast<size_t>(found - names.begin())].is_shared = true;
  }
}

constexpr std::string_view kOfLog[] = {"item_size", "page_size", "partition_keys"};

LogAssumptions ReadAssumptions(TomlTable* replay) {
  LogAssumptions assumptions;
  replay->Bytes("item_size", &assumptions.item_bytes, 1);
  replay->Bytes("page_size", &assumptions.page_bytes, 1);
  if (assumptions.item_bytes > static_cast<int64_t>(kItemBytesMax)) {
    replay->Error(*replay->Find("item_size"),
                  messages::LabItemTooLarge(replay->MemberPath("item_size"), kItemBytesMax >> 10));
  }
  if (assumptions.page_bytes > static_cast<int64_t>(kPageBytesMax)) {
    replay->Error(*replay->Find("page_size"), messages::LabTooLong(replay->MemberPath("page_size"),
                                                                   "1 MB, the limit of a page"));
  }
  std::optional<TomlTable> keys = replay->Table("partition_keys");
  if (!keys) return assumptions;
  for (const auto& [name, node] : keys->table()) {
    keys->Text(name.str(), &assumptions.partition_keys[std::string(name.str())]);
  }
  return assumptions;
}

// Adds an error for each member that belongs to a log, if this is a trace, and for a table that the
// log does not have.
void CheckAssumptions(TomlTable* replay, const std::string& file, const RecordedTrace& trace) {
  for (const std::string_view member : kOfLog) {
    if (trace.is_log || !replay->Has(member)) continue;
    replay->Error(*replay->Find(member), messages::LabOnlyOfLog(replay->MemberPath(member), file));
  }
  std::optional<TomlTable> keys = replay->Table("partition_keys");
  if (!trace.is_log || !keys) return;
  std::vector<std::string> names;
  for (const trace::Resource& resource : trace.resources) names.push_back(resource.table);
  for (const auto& [name, node] : keys->table()) {
    const std::string table(name.str());
    if (std::find(names.begin(), names.end(), table) != names.end()) continue;
    keys->Error(node, messages::LabNothingNamed(replay->MemberPath("partition_keys"),
                                                "table in the log named", table,
                                                NearestWord(table, names)));
  }
}

// The trace that `file` names; nullptr if it cannot be read.
std::shared_ptr<const RecordedTrace> ReadTrace(
    TomlTable* replay, absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    LoadedTraces* loaded) {
  const toml::node* const node =
      replay->Need("file", "the trace that dynolith serve --trace wrote, or a log of CloudTrail");
  std::string file;
  replay->Text("file", &file);
  const LogAssumptions assumptions = ReadAssumptions(replay);
  if (node == nullptr || file.empty()) return nullptr;
  std::shared_ptr<const RecordedTrace>& trace = (*loaded)[{file, assumptions}];
  if (trace == nullptr) {
    absl::StatusOr<std::shared_ptr<const RecordedTrace>> read_trace =
        LoadTrace(file, read, assumptions);
    if (!read_trace.ok()) {
      replay->Error(*node, ToStd(read_trace.status().message()));
      return nullptr;
    }
    trace = *std::move(read_trace);
  }
  CheckAssumptions(replay, file, *trace);
  return trace;
}

// The operation of a replayed access in an experiment: pages of a Scan become Queries, and a
// statement is a write if some request of its access wrote.
Operation ToOperation(const RecordedTrace& trace, const RecordedAccess& access) {
  if (access.operation == Operation::kScan) return Operation::kQuery;
  const bool is_item = access.operation != Operation::kOther &&
                       static_cast<size_t>(access.operation) <= kItemOperations;
  if (is_item) return access.operation;
  const auto at = static_cast<uint32_t>(&access - trace.accesses.data());
  for (size_t i = 0; i < trace.requests.size(); ++i) {
    if (trace.requests[i].access != at) continue;
    const bool writes =
        std::any_of(trace.uses.begin() + trace.requests[i].uses,
                    trace.uses.begin() + static_cast<std::ptrdiff_t>(trace.UsesEnd(i)),
                    [](const RecordedUse& use) { return use.kind == AccessKind::kWrite; });
    if (writes) return Operation::kUpdateItem;
  }
  return Operation::kQuery;
}

}  // namespace

std::vector<TableDesign> MakeTables(const RecordedTrace& trace) {
  std::vector<TableDesign> tables;
  const auto table_of = [&tables](const std::string& name) -> TableDesign& {
    const auto found = std::find_if(tables.begin(), tables.end(),
                                    [&name](const TableDesign& each) { return each.name == name; });
    if (found != tables.end()) return *found;
    tables.emplace_back().name = name;
    return tables.back();
  };
  const std::vector<int64_t> means = MeanBytes(trace);
  // Tables first, so that their keys keep the recorded names.
  for (size_t i = 0; i < trace.resources.size(); ++i) {
    const trace::Resource& resource = trace.resources[i];
    TableDesign& table = table_of(resource.table);
    if (!resource.index.empty()) continue;
    table.partition_key = KeyNames(&table).MakeKeyPart(resource.key.hash);
    if (!resource.key.range.empty())
      table.sort_key = KeyNames(&table).MakeKeyPart(resource.key.range);
    table.local_indexes = resource.local_indexes;
    table.throughput = ToThroughput(resource);
    table.item.least = table.item.most = means[i];
  }
  for (TableDesign& table : tables) {
    // The trace may contain only indexes of it.
    if (table.partition_key.attribute.empty())
      table.partition_key = KeyNames(&table).MakeKeyPart({});
    if (table.item.most == 0) table.item.least = table.item.most = kUnknownItemBytes;
  }
  for (size_t i = 0; i < trace.resources.size(); ++i) {
    const trace::Resource& resource = trace.resources[i];
    if (resource.index.empty()) continue;
    TableDesign& table = table_of(resource.table);
    IndexDesign index;
    index.name = resource.index;
    index.partition_key = KeyNames(&table).MakeKeyPart(resource.key.hash);
    index.shards = std::min(resource.shards, kLabShardsMax);
    index.throughput = ToThroughput(resource);
    // An index whose entries are much smaller than the items is keys-only.
    if (means[i] * 2 < table.item.most) index.entry_bytes = means[i];
    table.throughput.on_demand = resource.on_demand;
    if (!resource.on_demand && !table.throughput.units.read) table.throughput = index.throughput;
    table.indexes.push_back(std::move(index));
    if (resource.key.range.empty()) continue;
    table.indexes.back().sort_key = KeyNames(&table).MakeKeyPart(resource.key.range);
  }
  return tables;
}

std::vector<TableDesign> MakeTables(const Replay& replay) {
  const RecordedTrace& trace = *replay.trace;
  std::vector<TableDesign> tables = MakeTables(trace);
  for (TableDesign& table : tables) {
    for (IndexDesign& index : table.indexes) index.bytes = 0;
  }
  for (const RecordedItem& item : trace.items) {
    const Replay::Target& target = replay.targets[trace.uses[item.use].resource];
    TableDesign& table = tables[target.table];
    const int64_t users = target.is_shared ? 1 : replay.users;
    if (target.index) {
      *table.indexes[*target.index].bytes += users * StoredBytes(item.bytes_at_start, true);
    } else {
      table.bytes += users * StoredWithLocals(item.bytes_at_start, table.local_indexes);
    }
  }
  return tables;
}

std::vector<Access> MakeAccesses(const Replay& replay) {
  std::vector<Access> accesses;
  for (const RecordedAccess& recorded : replay.trace->accesses) {
    const trace::Resource& resource = replay.trace->resources[recorded.resource];
    const Replay::Target& target = replay.targets[recorded.resource];
    Access access;
    access.name = Concat(trace::OperationName(recorded.operation), " ", ResourceName(resource));
    access.operation = ToOperation(*replay.trace, recorded);
    access.table = target.table;
    access.index = target.index;
    accesses.push_back(std::move(access));
  }
  return accesses;
}

std::optional<Replay> ReadReplay(
    const toml::table& document,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    LoadedTraces* loaded, TomlErrors* errors) {
  TomlTable root(document, "", errors);
  std::optional<TomlTable> table = root.Table("replay");
  if (!table) return std::nullopt;
  for (const std::string_view other : {"access", "load", "keys", "workbench"}) {
    if (!root.Has(other)) continue;
    root.Error(*root.Find(other), messages::LabNotWithReplay(other));
  }
  Replay replay;
  replay.trace = ReadTrace(&*table, read, loaded);
  table->Number("speed", &replay.speed, kSpeedLeast, kSpeedMost);
  table->Count("users", &replay.users, 1, kLabReplayUsersMax);
  table->Count("rounds", &replay.rounds, 1, kRoundsMost);
  replay.spread = std::numeric_limits<Micros>::max();
  table->Time("spread", &replay.spread);
  table->Find("shared_keys");
  table->RefuseUnknown();
  if (replay.trace == nullptr) return std::nullopt;
  replay.targets = FindTargets(*replay.trace, MakeTables(*replay.trace));
  ReadSharedKeys(&*table, &replay);
  // A round ends with a whole second of the trace, behind its last request.
  const int64_t whole_seconds = replay.trace->length / kSecond + 1;
  const double seconds = static_cast<double>(whole_seconds) / replay.speed;
  if (seconds > static_cast<double>(kLabDaysMax * 24 * 60 * 60)) {
    table->Error(*table->Find("file"), messages::LabTooLong("a round of the trace, at this speed,",
                                                            Concat(kLabDaysMax, " days")));
    return std::nullopt;
  }
  replay.period = std::max<Micros>(1, static_cast<Micros>(seconds * static_cast<double>(kSecond)));
  replay.spread = std::min(replay.spread, replay.period);
  return replay;
}

}  // namespace dynolith::lab
