#include "tools/lab/measure/table_setup.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/thread_start.h"
#include "tools/client/service_target.h"
#include "tools/lab/measure/messages.h"

namespace dynolith::lab {
namespace {

using Outcome = CallAnswer::Outcome;
using std::chrono::milliseconds;

constexpr milliseconds kActivePause(100);
constexpr std::chrono::minutes kActiveTimeout(10);
constexpr size_t kLoaders = 8;
constexpr milliseconds kLoadPause(50);

absl::Status Refused(const std::string& what, const CallAnswer& answer) {
  return absl::FailedPreconditionError(
      ToAbsl(messages::LabServiceSays(what, answer.error, answer.message)));
}

// --- tables

std::optional<ProvisionedThroughput> ToProvisionedThroughput(const Throughput& throughput) {
  if (throughput.on_demand) return std::nullopt;
  return ProvisionedThroughput{throughput.units.read, throughput.units.write};
}

std::optional<OnDemandThroughput> ToOnDemandThroughput(const Throughput& throughput) {
  if (!throughput.maximum.read && !throughput.maximum.write) return std::nullopt;
  return OnDemandThroughput{throughput.maximum.read, throughput.maximum.write};
}

std::optional<WarmThroughputSpecification> ToWarmThroughput(const Throughput& throughput,
                                                            std::optional<int64_t> most) {
  if (!throughput.on_demand || (!throughput.warm.read && !throughput.warm.write)) {
    return std::nullopt;
  }
  PerKind<std::optional<int64_t>> warm = throughput.warm;
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
    if (warm[kind] && most) warm[kind] = std::min(*warm[kind], *most);
  }
  return WarmThroughputSpecification{warm.read, warm.write};
}

std::vector<KeySchemaElement> MakeKeySchema(const std::string& partition,
                                            const std::optional<KeyPart>& sort) {
  std::vector<KeySchemaElement> schema = {{partition, KeyType::kHash}};
  if (sort) schema.push_back({sort->attribute, KeyType::kRange});
  return schema;
}

CreateTableRequest MakeCreateTable(const TableDesign& table, const std::string& name,
                                   std::optional<int64_t> warm_max) {
  std::map<std::string, Type> attributes = {
      {table.partition_key.attribute, table.partition_key.type}};
  if (table.sort_key) attributes[table.sort_key->attribute] = table.sort_key->type;
  CreateTableRequest request{
      .table_name = name,
      .key_schema = MakeKeySchema(table.partition_key.attribute, table.sort_key),
      .billing_mode =
          table.throughput.on_demand ? BillingMode::kPayPerRequest : BillingMode::kProvisioned,
      .provisioned_throughput = ToProvisionedThroughput(table.throughput),
      .warm_throughput = ToWarmThroughput(table.throughput, warm_max),
      .on_demand_throughput = ToOnDemandThroughput(table.throughput)};
  if (table.infrequent_access) request.table_class = "STANDARD_INFREQUENT_ACCESS";
  const IndexProjection all{.projection_type = ProjectionType::kAll};
  for (const IndexDesign& index : table.indexes) {
    // An attribute has one type, the first one that was given.
    attributes.emplace(IndexAttribute(index), table.FindType(index.partition_key.attribute));
    if (index.sort_key) {
      attributes.emplace(index.sort_key->attribute, table.FindType(index.sort_key->attribute));
    }
    // An index with its own entry size is keys-only.
    const IndexProjection keys{.projection_type = ProjectionType::kKeysOnly};
    if (!request.global_secondary_indexes) request.global_secondary_indexes.emplace();
    request.global_secondary_indexes->push_back(
        {.index_name = index.name,
         .key_schema = MakeKeySchema(IndexAttribute(index), index.sort_key),
         .projection = index.entry_bytes > 0 ? keys : all,
         .provisioned_throughput = ToProvisionedThroughput(index.throughput),
         .on_demand_throughput = ToOnDemandThroughput(index.throughput),
         .warm_throughput = ToWarmThroughput(index.throughput, warm_max)});
  }
  for (int64_t i = 0; i < table.local_indexes; ++i) {
    const KeyPart sort{Concat("local", i), Type::kNumber};
    attributes[sort.attribute] = sort.type;
    if (!request.local_secondary_indexes) request.local_secondary_indexes.emplace();
    request.local_secondary_indexes->push_back(
        {.index_name = sort.attribute,
         .key_schema = MakeKeySchema(table.partition_key.attribute, sort),
         .projection = all});
  }
  request.attribute_definitions.emplace();
  for (const auto& [attribute, type] : attributes) {
    request.attribute_definitions->push_back({attribute, type});
  }
  return request;
}

// Calls of tables are themselves limited.
CallAnswer CallPatiently(const ServiceCall& call, MeasuredConnection* connection) {
  client::Retries::Call retry(&client::PatientRetries());
  for (;;) {
    CallAnswer answer = connection->Call(call);
    const bool is_busy = answer.outcome == Outcome::kThrottled ||
                         answer.error == InfoOf(ErrorKind::kLimitExceeded).exception_name;
    if (!is_busy || !retry.WaitForNext(client::FailureKind::kThrottled)) return answer;
  }
}

absl::Status WaitUntilActive(const std::string& name, MeasuredConnection* connection) {
  const auto end = std::chrono::steady_clock::now() + kActiveTimeout;
  while (std::chrono::steady_clock::now() < end) {
    const CallAnswer answer = CallPatiently(DescribeTableRequest{name}, connection);
    if (answer.outcome != Outcome::kServed) return Refused(name, answer);
    if (answer.is_active) return absl::OkStatus();
    std::this_thread::sleep_for(kActivePause);
  }
  return absl::DeadlineExceededError(ToAbsl(messages::LabNotActive(name)));
}

// --- items

// A requested partition key, and its number of items.
struct NeededKeys {
  const KeySource* source = nullptr;
  uint64_t count = 0;  // of its numbers, from 0
  uint64_t items = 1;  // of each
  const KeySource* sort = nullptr;
};

// How many different keys of a source reads can find; 0 for keys that never repeat.
uint64_t CountKeys(const Experiment& experiment, const KeySource& source) {
  switch (source.distribution) {
    case Distribution::kAscending:
      return source.first;
    case Distribution::kRandom:
      return 0;
    case Distribution::kTime:
      return static_cast<uint64_t>(experiment.duration / source.period) + 1;
    case Distribution::kLatest:
    case Distribution::kRecent:
      for (const KeySource& other : experiment.sources) {
        if (other.name == source.of) return CountKeys(experiment, other);
      }
      return 0;
    default:
      return source.count;
  }
}

// Whether each key of `outer` has its own sort keys.
bool IsWithin(const KeySource& sorted, const KeySource& outer) {
  return sorted.within == outer.name;
}

bool NeedsItems(const Access& access) {
  return access.operation != Operation::kPutItem &&
         access.operation != Operation::kBatchWriteItem &&
         access.operation != Operation::kTransactWriteItems;
}

// Items of one table, each once.
class ItemList {
 public:
  ItemList(const Experiment& experiment, size_t table, uint64_t most)
      : experiment_(experiment), table_(experiment.tables[table]), most_(most) {
    for (const Access& access : experiment.accesses) {
      for (const Access& part : ListParts(access)) {
        if (part.table == table && NeedsItems(part)) Add(part);
      }
    }
  }

  std::vector<std::vector<KeyValue>> Take() { return std::move(items_); }
  uint64_t needed() const { return needed_; }

 private:
  void Add(const Access& access) {
    if (access.operation == Operation::kScan) return AddUpTo(ScannedItems());
    const IndexDesign* const index = access.index ? &table_.indexes[*access.index] : nullptr;
    const KeyPart& partition = index ? index->partition_key : table_.partition_key;
    const std::optional<KeyPart>& sort = index ? index->sort_key : table_.sort_key;
    const KeySource& source = experiment_.sources[access.key.at(partition.attribute)];
    const uint64_t keys = CountKeys(experiment_, source);
    const auto shards = static_cast<uint64_t>(source.shards * (index ? index->shards : 1));
    const bool is_query = access.operation == Operation::kQuery;
    const auto found = sort ? access.key.find(sort->attribute) : access.key.end();
    const KeySource* const sorted =
        found == access.key.end() ? nullptr : &experiment_.sources[found->second];
    uint64_t each = 1;
    if (is_query) {
      each = (static_cast<uint64_t>(access.items) + shards - 1) / shards;
    } else if (sorted != nullptr) {
      each = IsWithin(*sorted, source) ? sorted->count_within : CountKeys(experiment_, *sorted);
    }
    needed_ += keys * shards * each;
    for (uint64_t item = 0; item < each && items_.size() < most_; ++item) {
      for (uint64_t number = 0; number < keys && items_.size() < most_; ++number) {
        for (uint64_t shard = 0; shard < shards && items_.size() < most_; ++shard) {
          AddItem(index, source, {number, shard}, sorted, item);
        }
      }
    }
  }

  struct ItemNumber {
    uint64_t number;
    uint64_t shard;
  };

  void AddItem(const IndexDesign* index, const KeySource& source, const ItemNumber& number,
               const KeySource* sorted, uint64_t item) {
    const KeyPart& partition = index ? index->partition_key : table_.partition_key;
    const std::optional<KeyPart>& sort = index ? index->sort_key : table_.sort_key;
    const Type type = table_.FindType(partition.attribute);
    KeyNumber key{.number = number.number};
    const auto of_source = static_cast<uint64_t>(source.shards);
    if (source.shards > 1) key.suffix = static_cast<uint32_t>(number.shard % of_source) + 1;
    if (index && index->shards > 1) {
      key.index_suffix = static_cast<uint32_t>(number.shard / of_source) + 1;
    }
    std::vector<KeyValue> keys = {
        {index ? IndexAttribute(*index) : partition.attribute, type, KeyText(source, type, key)}};
    if (sort) {
      const Type sort_type = table_.FindType(sort->attribute);
      if (sorted && IsWithin(*sorted, source)) item += number.number * sorted->count_within;
      keys.push_back({sort->attribute, sort_type,
                      sorted ? KeyText(*sorted, sort_type, {.number = item}) : Concat(item)});
    }
    if (index) AddTableKey(&keys);
    Keep(std::move(keys));
  }

  // The table's own key, beside that of an index.
  void AddTableKey(std::vector<KeyValue>* keys) {
    const auto has = [&](const KeyPart& part) {
      return std::any_of(keys->begin(), keys->end(),
                         [&part](const KeyValue& key) { return key.attribute == part.attribute; });
    };
    const std::string number = Concat(own_++);
    const auto add = [&](const KeyPart& part) {
      if (has(part)) return;
      keys->push_back({part.attribute, part.type,
                       part.type == Type::kNumber ? number : Concat("loaded#", number)});
    };
    add(table_.partition_key);
    if (table_.sort_key) add(*table_.sort_key);
  }

  uint64_t ScannedItems() const {
    return static_cast<uint64_t>(static_cast<double>(table_.bytes) / table_.item.mean());
  }

  void AddUpTo(uint64_t count) {
    needed_ += count;
    while (items_.size() < std::min(count, most_)) {
      std::vector<KeyValue> keys;
      AddTableKey(&keys);
      Keep(std::move(keys));
    }
  }

  // Several accesses may need the same item.
  void Keep(std::vector<KeyValue> keys) {
    std::string name;
    for (const KeyValue& key : keys) name += Concat(key.attribute, "\n", key.text, "\n");
    if (names_.insert(std::move(name)).second) {
      items_.push_back(std::move(keys));
    } else {
      --needed_;
    }
  }

  const Experiment& experiment_;
  const TableDesign& table_;
  const uint64_t most_;
  uint64_t needed_ = 0;
  uint64_t own_ = 0;
  std::set<std::string> names_;
  std::vector<std::vector<KeyValue>> items_;
};

// Writes batches of 25 over several connections until all items are stored.
class Loader {
 public:
  Loader(const std::string& table, std::vector<Item> items)
      : table_(table), items_(std::move(items)) {}

  absl::Status Run(MeasuredTarget* target, absl::FunctionRef<bool(uint64_t)> go_on) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kLoaders; ++i) {
      const std::shared_ptr<MeasuredConnection> connection = target->Connect();
      std::thread thread;
      absl::Status started = StartThread([this, connection] { Write(connection.get()); }, &thread);
      if (!started.ok() && threads.empty()) return started;
      if (!started.ok()) break;
      threads.push_back(std::move(thread));
    }
    while (done_ < items_.size() && !is_over_) {
      if (!go_on(done_)) is_over_ = true;
      std::this_thread::sleep_for(kLoadPause);
    }
    for (std::thread& thread : threads) thread.join();
    const absl::MutexLock lock(&mutex_);
    return failure_;
  }
  uint64_t done() const { return done_; }

 private:
  void Write(MeasuredConnection* connection) {
    while (!is_over_) {
      const size_t begin = next_.fetch_add(kBatchWriteRequestsMax);
      if (begin >= items_.size()) return;
      const size_t end = std::min(begin + kBatchWriteRequestsMax, items_.size());
      std::vector<Item> batch(items_.begin() + static_cast<std::ptrdiff_t>(begin),
                              items_.begin() + static_cast<std::ptrdiff_t>(end));
      while (!batch.empty() && !is_over_) batch = WriteBatch(std::move(batch), connection);
      if (!is_over_) done_ += end - begin;
    }
  }

  // Returns the items that have to be written again.
  std::vector<Item> WriteBatch(std::vector<Item> batch, MeasuredConnection* connection) {
    std::vector<WriteRequest> writes;
    writes.reserve(batch.size());
    for (const Item& item : batch) writes.push_back({.put = item});
    CallAnswer answer =
        connection->Call(BatchWriteItemRequest{.request_items = {{table_, std::move(writes)}}});
    if (answer.outcome == Outcome::kFailed) {
      const absl::MutexLock lock(&mutex_);
      failure_.Update(Refused(table_, answer));
      is_over_ = true;
      return {};
    }
    if (answer.outcome == Outcome::kServed) batch = std::move(answer.left);
    if (!batch.empty()) std::this_thread::sleep_for(kLoadPause);
    return batch;
  }

  const std::string& table_;
  const std::vector<Item> items_;
  std::atomic<size_t> next_ = 0;
  std::atomic<uint64_t> done_ = 0;
  std::atomic<bool> is_over_ = false;
  absl::Mutex mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::vector<std::string> TableNames(const Experiment& experiment, const std::string& prefix,
                                    const std::string& suffix) {
  std::vector<std::string> names;
  for (const TableDesign& table : experiment.tables) {
    std::string name = Concat(prefix, table.name, suffix);
    for (char& c : name) {
      const bool is_allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
      if (!is_allowed) c = '-';
    }
    names.push_back(std::move(name));
  }
  return names;
}

absl::Status MakeTables(const Experiment& experiment, const std::vector<std::string>& names,
                        MeasuredTarget* target) {
  const std::unique_ptr<MeasuredConnection> connection = target->Connect();
  for (const std::string& name : names) {
    const CallAnswer answer = CallPatiently(DescribeTableRequest{name}, connection.get());
    if (answer.outcome == Outcome::kServed) {
      return absl::AlreadyExistsError(ToAbsl(messages::LabTableIsThere(name, target->name())));
    }
    if (answer.error != InfoOf(ErrorKind::kResourceNotFound).exception_name) {
      return Refused(target->name(), answer);
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const CallAnswer answer = CallPatiently(
        MakeCreateTable(experiment.tables[i], names[i], target->warm_max()), connection.get());
    if (answer.outcome == Outcome::kServed) continue;
    DeleteTables({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i)}, target)
        .IgnoreError();
    return Refused(names[i], answer);
  }
  for (const std::string& name : names) {
    DYNOLITH_RETURN_IF_ERROR(WaitUntilActive(name, connection.get()));
  }
  return absl::OkStatus();
}

absl::Status DeleteTables(const std::vector<std::string>& names, MeasuredTarget* target) {
  const std::unique_ptr<MeasuredConnection> connection = target->Connect();
  absl::Status status;
  for (const std::string& name : names) {
    const CallAnswer answer = CallPatiently(DeleteTableRequest{name}, connection.get());
    if (answer.outcome != Outcome::kServed) status.Update(Refused(name, answer));
  }
  return status;
}

std::vector<int64_t> CountStoredBytes(const Experiment& experiment,
                                      const std::vector<std::string>& names,
                                      MeasuredTarget* target) {
  std::vector<int64_t> stored;
  if (!target->knows_storage()) return stored;
  const std::unique_ptr<MeasuredConnection> connection = target->Connect();
  for (size_t i = 0; i < names.size(); ++i) {
    CallAnswer answer = CallPatiently(DescribeTableRequest{names[i]}, connection.get());
    stored.push_back(answer.table_bytes);
    for (const IndexDesign& index : experiment.tables[i].indexes) {
      stored.push_back(answer.index_bytes[index.name]);
    }
  }
  return stored;
}

absl::StatusOr<LoadedItems> LoadItems(const Experiment& experiment,
                                      const std::vector<std::string>& names, uint64_t most,
                                      const RequestMaker& maker, const ReplayMaker* replay,
                                      MeasuredTarget* target,
                                      absl::FunctionRef<bool(uint64_t, uint64_t)> go_on) {
  LoadedItems all;
  uint64_t random = experiment.seed;
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<Item> items;
    if (replay != nullptr) {
      ReplayMaker::FoundItems found = replay->FindItems(i, most);
      items = std::move(found.items);
      all.needed += found.needed;
    } else {
      ItemList list(experiment, i, most);
      const SizeRange& sizes = experiment.tables[i].item;
      for (const std::vector<KeyValue>& keys : list.Take()) {
        items.push_back(maker.WholeItem(i, keys, NextSize(sizes, &random)));
      }
      all.needed += list.needed();
    }
    const uint64_t count = items.size();
    Loader loader(names[i], std::move(items));
    bool is_stopped = false;
    DYNOLITH_RETURN_IF_ERROR(loader.Run(target, [&](uint64_t done) {
      is_stopped = !go_on(done, count);
      return !is_stopped;
    }));
    all.loaded += loader.done();
    if (is_stopped) break;
  }
  return all;
}

}  // namespace dynolith::lab
