#include "tools/lab/measure/replay_maker.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "engine/base/big_endian.h"
#include "engine/base/hex.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "tools/server/trace/trace_reader.h"

namespace dynolith::lab {
namespace {

constexpr int64_t kHalfUnitsOfStrongBlock = 2;
// The number of positions at which pages of a Scan can begin.
constexpr int kBegins = 256;

// The operation that is sent for a recorded one; a statement becomes the equivalent operation.
Operation ToOperation(Operation traced, const LabUse& first, bool is_whole_key) {
  const bool writes = first.kind == AccessKind::kWrite;
  if (traced == Operation::kExecuteTransaction) {
    return writes ? Operation::kTransactWriteItems : Operation::kTransactGetItems;
  }
  if (traced != Operation::kOther && traced <= Operation::kTransactWriteItems) return traced;
  if (writes) return Operation::kPutItem;
  if (!first.recorded->has_key) return Operation::kScan;
  return is_whole_key ? Operation::kGetItem : Operation::kQuery;
}

bool IsBatchCall(Operation operation) {
  return operation == Operation::kBatchGetItem || operation == Operation::kBatchWriteItem;
}

// Digits keep the order of the sort keys that the numbers stand for.
std::string SortText(Type type, uint64_t number) {
  if (type == Type::kNumber) return Concat(number);
  std::string bytes;
  AppendBigEndian(number, &bytes);
  return type == Type::kBinary ? bytes : Hex(bytes);
}

// Behind all of those.
std::string FillerSortText(Type type, uint64_t number) {
  if (type == Type::kNumber) return Concat("1e30", number);
  const std::string digits = SortText(Type::kString, number);
  return type == Type::kBinary ? Concat("\xff", digits) : Concat("~", digits);
}

}  // namespace

ReplayMaker::ReplayMaker(const Experiment& experiment, const RequestMaker& maker)
    : experiment_(experiment),
      maker_(maker),
      trace_(*experiment.replay->trace),
      designs_(ResourceDesigns(experiment)),
      entries_(trace_.items.size()),
      scanned_(experiment.tables.size()),
      begins_(experiment.tables.size()) {
  FindEntries();
  FindQueries();
  for (size_t table = 0; table < begins_.size(); ++table) {
    for (int i = 0; i < kBegins; ++i) {
      Item key;
      for (const KeyValue& part : FillerKey(table, Concat("begin#", i))) {
        key.Set(part.attribute, ToKeyValue(part.type, part.text));
      }
      const KeyPart& partition = experiment_.tables[table].partition_key;
      const std::string text = FillerKey(table, Concat("begin#", i)).front().text;
      begins_[table].emplace(HashPartition(partition.type, text), std::move(key));
    }
  }
}

// The trace of a put does not contain entries that it left unchanged; they follow from earlier
// writes.
void ReplayMaker::FindEntries() {
  for (size_t i = 0; i < trace_.requests.size(); ++i) {
    const RecordedUse* item = nullptr;
    for (uint32_t j = trace_.requests[i].uses; j < trace_.UsesEnd(i); ++j) {
      const RecordedUse& use = trace_.uses[j];
      if (use.write == kNoWrite) continue;
      if (trace_.resources[use.resource].index.empty()) {
        item = &use;
      } else if (item != nullptr) {
        entries_[trace_.writes[item->write].item].push_back(j);
      }
    }
  }
}

// The number of items that each Query and Scan evaluates, and that the tables lack for it, since a
// trace has only the bytes that they read.
void ReplayMaker::FindQueries() {
  const ReplaySource source(*experiment_.replay, experiment_, experiment_.seed);
  // The contents of each partition key, and of each table or index.
  std::map<std::pair<uint32_t, std::optional<uint64_t>>, Contents> there;
  const auto change = [&](const RecordedUse& use, uint32_t before, uint32_t after) {
    for (Contents* all : {&there[{use.resource, use.hash}], &there[{use.resource, std::nullopt}]}) {
      all->items += (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
      all->bytes += int64_t{after} - int64_t{before};
    }
  };
  for (const RecordedItem& item : trace_.items)
    change(trace_.uses[item.use], 0, item.bytes_at_start);
  std::map<std::pair<uint32_t, uint64_t>, size_t> numbers;
  for (uint32_t i = 0; i < trace_.requests.size(); ++i) {
    const uint32_t first = trace_.requests[i].uses;
    int64_t read = 0;
    for (uint32_t j = first; j < trace_.UsesEnd(i); ++j) {
      const RecordedUse& recorded = trace_.uses[j];
      read += recorded.bytes;
      if (recorded.write == kNoWrite) continue;
      const RecordedWrite& write = trace_.writes[recorded.write];
      const bool is_first = write.previous >= i;
      change(recorded, is_first ? trace_.items[write.item].bytes_at_start : write.bytes_before,
             write.bytes);
    }
    const LabUse use = source.MakeUse(trace_.uses[first], 0);
    const Operation operation =
        OperationFor(trace_.accesses[trace_.requests[i].access].operation, use);
    const bool is_query = operation == Operation::kQuery;
    if (!is_query && operation != Operation::kScan) continue;
    const RecordedUse& recorded = trace_.uses[first];
    const Contents& found =
        there[{recorded.resource, is_query ? std::optional(recorded.hash) : std::nullopt}];
    const int64_t missing = read > found.bytes ? ItemsIn(use, read - found.bytes) : 0;
    const double part =
        static_cast<double>(read) / static_cast<double>(std::max<int64_t>(1, found.bytes));
    evaluated_[first] =
        missing > 0 ? found.items + missing
                    : std::max<int64_t>(1, std::llround(part * static_cast<double>(found.items)));
    if (!is_query) scanned_[FindTable(use)] = std::max(scanned_[FindTable(use)], missing);
    if (!is_query || missing == 0) continue;
    const auto [at, is_new] =
        numbers.try_emplace({recorded.resource, recorded.hash}, queried_.size());
    if (is_new) queried_.push_back({.use = first});
    queried_[at->second].items = std::max(queried_[at->second].items, missing);
  }
}

// --- keys

std::string ReplayMaker::PartitionText(Type type, const LabUse& use) const {
  const auto known = trace_.key_texts.find(use.key.number);
  const bool is_itself =
      use.key.suffix == 0 && use.key.index_suffix == 0 && known != trace_.key_texts.end();
  const uint64_t place = use.position.hash();
  if (type == Type::kNumber) return is_itself ? known->second : Concat(place);
  if (type == Type::kBinary) {
    std::string bytes;
    AppendBigEndian(place, &bytes);
    if (is_itself && known->second.starts_with("0x")) {
      bytes = absl::HexStringToBytes(known->second.substr(2));
    }
    return bytes;
  }
  std::string text = use.texts->ToText(use.key);
  return text.size() <= kPartitionKeyBytesMax ? text : trace::HashText(place);
}

std::vector<KeyValue> ReplayMaker::MakeKey(LabUse* use) const {
  const ResourceDesign& design = designs_[use->resource];
  const TableDesign& table = experiment_.tables[design.table];
  const IndexDesign* const index = design.index ? &table.indexes[*design.index] : nullptr;
  const KeyPart& partition = index ? index->partition_key : table.partition_key;
  const std::optional<KeyPart>& sort = index ? index->sort_key : table.sort_key;
  std::vector<KeyValue> keys = {{index ? IndexAttribute(*index) : partition.attribute,
                                 partition.type, PartitionText(partition.type, *use)}};
  use->position = LabPosition(HashPartition(partition.type, keys.front().text));
  if (!use->recorded->has_sort) return keys;
  use->position.Append(use->recorded->sort);
  if (sort)
    keys.push_back({sort->attribute, sort->type, SortText(sort->type, use->recorded->sort)});
  return keys;
}

std::vector<KeyValue> ReplayMaker::FillerKey(size_t at, const std::string& name) const {
  const TableDesign& table = experiment_.tables[at];
  const Type type = table.partition_key.type;
  std::vector<KeyValue> keys = {{table.partition_key.attribute, type,
                                 type == Type::kNumber ? Concat(trace::StableHash(name)) : name}};
  if (table.sort_key) keys.push_back({table.sort_key->attribute, table.sort_key->type, "0"});
  return keys;
}

// --- calls

std::vector<PlannedCall> ReplayMaker::Request(ReplaySource* source) const {
  const size_t access = source->access();
  const uint32_t user = source->user();
  std::vector<LabUses> operations;
  source->Take([&operations](LabUses* uses) { operations.push_back(*uses); });
  std::vector<PlannedCall> calls;
  for (LabUses& uses : operations) {
    const Operation operation = OperationFor(trace_.accesses[access].operation, uses.front());
    const bool writes = uses.front().kind == AccessKind::kWrite;
    std::vector<PlannedItem> items =
        writes ? MakeWrites(uses, operation, *source, user) : MakeReads(&uses, operation);
    for (PlannedItem& item : items) {
      const bool goes_along = !calls.empty() && calls.back().operation == operation &&
                              (IsTransaction(operation) ||
                               (IsBatchCall(operation) && calls.back().table == item.table));
      if (!goes_along) calls.push_back(MakeCall(operation, access, uses));
      AddOnce(std::move(item), &calls.back());
    }
  }
  return calls;
}

Operation ReplayMaker::OperationFor(Operation traced, const LabUse& first) const {
  const TableDesign& table = experiment_.tables[FindTable(first)];
  const bool is_whole = IsTable(first) && (first.recorded->has_sort || !table.sort_key);
  return ToOperation(traced, first, is_whole);
}

PlannedCall ReplayMaker::MakeCall(Operation operation, size_t access, const LabUses& uses) const {
  const LabUse& first = uses.front();
  const ResourceDesign& design = designs_[first.resource];
  PlannedCall call{.operation = operation, .access = access, .table = design.table};
  if (first.kind == AccessKind::kWrite) return call;
  call.index = design.index;
  constexpr auto kBlock = static_cast<int64_t>(kReadUnitBytes);
  const int64_t blocks = std::max<int64_t>(1, (first.recorded->bytes + kBlock - 1) / kBlock);
  const bool is_strong = first.recorded->half_units >= kHalfUnitsOfStrongBlock * blocks;
  if (is_strong && !design.index) call.consistency = ReadMode::kStrong;
  if (operation != Operation::kQuery && operation != Operation::kScan) return call;
  const int64_t shards =
      design.index ? experiment_.tables[design.table].indexes[*design.index].shards : 1;
  const int64_t items = evaluated_.at(static_cast<uint32_t>(first.recorded - trace_.uses.data()));
  call.query_items = operation == Operation::kQuery ? (items + shards - 1) / shards : items;
  if (operation == Operation::kScan) call.begin = FindBegin(first);
  return call;
}

// A page of a Scan has a position for the heat map, but no key.
std::vector<PlannedItem> ReplayMaker::MakeReads(LabUses* uses, Operation operation) const {
  const size_t table = FindTable(uses->front());
  std::vector<PlannedItem> items;
  if (operation == Operation::kScan) {
    items.push_back({.table = table, .uses = *uses});
    return items;
  }
  for (LabUse& use : *uses) {
    PlannedItem item{.table = FindTable(use)};
    const std::vector<KeyValue> keys = MakeKey(&use);
    for (size_t i = 0; i < keys.size(); ++i) {
      // Hashes do not have the position among the sort keys at which a Query begins.
      if (i > 0 && operation == Operation::kQuery && !trace_.has_plain_keys) continue;
      item.item.Set(keys[i].attribute, ToKeyValue(keys[i].type, keys[i].text));
    }
    item.uses = {use};
    items.push_back(std::move(item));
  }
  return items;
}

// Each use of a table is an item, followed by the uses of its entries.
std::vector<PlannedItem> ReplayMaker::MakeWrites(const LabUses& uses, Operation operation,
                                                 const ReplaySource& source, uint32_t user) const {
  std::vector<PlannedItem> items;
  for (size_t i = 0; i < uses.size();) {
    size_t end = i + 1;
    while (end < uses.size() && !IsTable(uses[end])) ++end;
    items.push_back(MakeWrite({uses.data() + i, end - i}, operation, source, user));
    i = end;
  }
  return items;
}

PlannedItem ReplayMaker::MakeWrite(absl::Span<const LabUse> uses, Operation operation,
                                   const ReplaySource& source, uint32_t user) const {
  const LabUse& first = uses.front();
  PlannedItem planned{.table = FindTable(first), .uses = {uses.begin(), uses.end()}};
  LabUses entries = planned.uses;
  std::vector<KeyValue> keys;
  if (IsTable(first)) {
    keys = MakeKey(&planned.uses.front());
    entries.erase(entries.begin());
  } else {
    // The trace has only an entry of this item.
    keys = FillerKey(planned.table, trace::HashText(first.recorded->hash ^ first.recorded->sort));
  }
  const bool is_whole = operation != Operation::kUpdateItem && operation != Operation::kDeleteItem;
  if (is_whole && IsTable(first)) AddEntriesBefore(first, source, user, &entries);
  if (operation != Operation::kDeleteItem) {
    std::set<size_t> indexes;
    for (LabUse& entry : entries) {
      if (!indexes.insert(entry.resource).second) continue;
      const std::vector<KeyValue> own = MakeKey(&entry);
      keys.insert(keys.end(), own.begin(), own.end());
    }
  }
  for (size_t i = IsTable(first) ? 1 : 0; i < planned.uses.size(); ++i) MakeKey(&planned.uses[i]);
  const TableDesign& table = experiment_.tables[planned.table];
  planned.bytes = first.bytes > 0 && IsTable(first) ? first.bytes : std::llround(table.item.mean());
  if (is_whole) {
    planned.item = maker_.WholeItem(planned.table, keys, planned.bytes);
    return planned;
  }
  for (const KeyValue& key : keys) planned.item.Set(key.attribute, ToKeyValue(key.type, key.text));
  return planned;
}

// The trace of a put lacks entries that it left unchanged, but a put without their keys would
// delete them.
void ReplayMaker::AddEntriesBefore(const LabUse& item, const ReplaySource& source, uint32_t user,
                                   LabUses* entries) const {
  const auto now = static_cast<uint32_t>(item.recorded - trace_.uses.data());
  const std::vector<uint32_t>& all = entries_[trace_.writes[item.recorded->write].item];
  std::set<uint32_t> seen;
  // The last write before this one counts.
  for (auto at = std::lower_bound(all.begin(), all.end(), now); at != all.begin();) {
    const RecordedUse& recorded = trace_.uses[*--at];
    const bool is_there = trace_.writes[recorded.write].bytes > 0;
    if (!seen.insert(recorded.resource).second || !is_there) continue;
    const LabUse entry = source.MakeEntryUse(recorded, user, ReplaySource::FindPlace(item));
    const bool is_told =
        std::any_of(entries->begin(), entries->end(),
                    [&entry](const LabUse& other) { return other.resource == entry.resource; });
    if (!is_told) entries->push_back(entry);
  }
}

int64_t ReplayMaker::ItemsIn(const LabUse& use, int64_t bytes) const {
  const ResourceDesign& design = designs_[use.resource];
  const TableDesign& table = experiment_.tables[design.table];
  const int64_t entry = design.index ? table.indexes[*design.index].entry_bytes : 0;
  const double each = entry > 0 ? static_cast<double>(entry) : table.item.mean();
  return std::max<int64_t>(1, std::llround(static_cast<double>(bytes) / each));
}

// The last of some keys that are spread over the hashes and lie before the page.
std::optional<Item> ReplayMaker::FindBegin(const LabUse& page) const {
  const ResourceDesign& design = designs_[page.resource];
  if (design.index) return std::nullopt;
  const auto& begins = begins_[design.table];
  const auto behind = begins.upper_bound(page.position.hash());
  if (behind == begins.begin()) return std::nullopt;
  return std::prev(behind)->second;
}

// The service refuses a key that is named twice.
void ReplayMaker::AddOnce(PlannedItem item, PlannedCall* call) const {
  if (!call->items.empty()) {
    const Item key = maker_.TableKey(item.table, item.item);
    for (const PlannedItem& other : call->items) {
      if (other.table == item.table && maker_.TableKey(other.table, other.item) == key) return;
    }
  }
  call->items.push_back(std::move(item));
}

// --- items at the start

ReplayMaker::FoundItems ReplayMaker::FindItems(size_t table, uint64_t most) const {
  const Replay& replay = *experiment_.replay;
  const ReplaySource source(replay, experiment_, experiment_.seed);
  FoundItems found;
  const auto add = [&](const std::vector<KeyValue>& keys, int64_t bytes) {
    ++found.needed;
    if (found.items.size() >= most) return;
    found.items.push_back(maker_.WholeItem(table, keys, bytes));
  };
  const auto mean = static_cast<int64_t>(experiment_.tables[table].item.mean());
  for (int64_t user = 0; user < replay.users; ++user) {
    const auto number = static_cast<uint32_t>(user);
    const auto is_own = [&](const RecordedUse& use) {
      const Replay::Target& target = replay.targets[use.resource];
      return target.table == table && (user == 0 || !target.is_shared);
    };
    for (const RecordedItem& item : trace_.items) {
      const RecordedUse& recorded = trace_.uses[item.use];
      const bool is_item = trace_.resources[recorded.resource].index.empty();
      if (!is_item || item.bytes_at_start == 0 || !is_own(recorded)) continue;
      LabUse use = source.MakeUse(recorded, number);
      add(MakeKey(&use), item.bytes_at_start);
    }
    for (const QueriedKey& queried : queried_) {
      const RecordedUse& recorded = trace_.uses[queried.use];
      if (!is_own(recorded)) continue;
      AddQueried(queried, source.MakeUse(recorded, number),
                 [&](const std::vector<KeyValue>& keys) { add(keys, mean); });
    }
    // Not counted either.
    if (found.items.size() >= most) {
      found.needed *= static_cast<uint64_t>(replay.users) / (static_cast<uint64_t>(user) + 1);
      break;
    }
  }
  for (int64_t i = 0; i < scanned_[table]; ++i) {
    add(FillerKey(table, Concat("scanned#", i)), mean);
  }
  return found;
}

// As many items as a Query reads, behind those that the trace itself puts there.
void ReplayMaker::AddQueried(const QueriedKey& queried, LabUse use,
                             absl::FunctionRef<void(const std::vector<KeyValue>&)> add) const {
  const ResourceDesign& design = designs_[use.resource];
  const TableDesign& table = experiment_.tables[design.table];
  const IndexDesign* const index = design.index ? &table.indexes[*design.index] : nullptr;
  const std::optional<KeyPart>& sort = index ? index->sort_key : table.sort_key;
  const auto shards = static_cast<uint32_t>(index ? index->shards : 1);
  // One partition key of a table without sort keys is one item.
  const int64_t items = index || sort ? queried.items : 1;
  for (int64_t i = 0; i < items; ++i) {
    LabUse own = use;
    if (shards > 1) own.key.index_suffix = static_cast<uint32_t>(i % shards) + 1;
    const std::string name = Concat(own.texts->ToText(own.key), " filler ", i);
    std::vector<KeyValue> keys = {MakeKey(&own).front()};
    if (sort) {
      keys.push_back(
          {sort->attribute, sort->type, FillerSortText(sort->type, static_cast<uint64_t>(i))});
    }
    if (index) {
      const std::vector<KeyValue> of_table = FillerKey(design.table, name);
      keys.insert(keys.end(), of_table.begin(), of_table.end());
    }
    add(keys);
  }
}

}  // namespace dynolith::lab
