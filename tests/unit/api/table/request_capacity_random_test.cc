// Random calls on random tables whose capacity is enforced, beside a dull model of their buckets:
// every call is admitted or refused for the very reasons that the model gives. And what must hold
// for any load: never more than rate × time + burst, who has a fresh partition and a table with
// room is served, and the same seed gives the same decisions.
//
// Times are short enough for no partition to be split (engine/partition/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/key/key_codec.h"
#include "engine/value/attachments.h"

namespace dynolith {
namespace {

constexpr char kArn[] = "arn:aws:dynamodb:us-east-1:000000000000:table/";

// Millionths of a unit, and thousandths of a second: then nothing is rounded.
constexpr int64_t kUnit = 1'000'000;

struct DullBucket {
  int64_t rate = 0;  // each millisecond
  int64_t depth = 0;
  int64_t level = 0;
  int64_t at = 0;
  int64_t taken = 0;  // in all

  static DullBucket Full(double units_a_second, int64_t seconds) {
    const auto rate = std::max<int64_t>(1, std::llround(units_a_second * 1'000));
    return {rate, rate * 1'000 * seconds, rate * 1'000 * seconds, 0, 0};
  }
  int64_t Level(int64_t now) {
    for (; at < now && level < depth; ++at) level = std::min(depth, level + rate);
    at = now;
    return level;
  }
  void Take(int64_t now, int64_t amount) {
    Level(now);
    level -= amount;
    taken += amount;
  }
};

// Reads or writes of a table or an index.
struct DullKind {
  DullBucket all;
  std::optional<DullBucket> maximum;
  std::optional<DullBucket> quota;
  std::vector<DullBucket> partitions;

  std::string WhyNot(size_t partition, int64_t now) {
    if (maximum && maximum->Level(now) <= 0) return "MaxOnDemandThroughputExceeded";
    if (quota && quota->Level(now) <= 0) return "AccountLimitExceeded";
    if (all.Level(now) <= 0) {
      return quota ? "KeyRangeThroughputExceeded" : "ProvisionedThroughputExceeded";
    }
    return partitions[partition].Level(now) <= 0 ? "KeyRangeThroughputExceeded" : "";
  }
  void Take(size_t partition, int64_t now, int64_t amount) {
    all.Take(now, amount);
    if (maximum) maximum->Take(now, amount);
    if (quota) quota->Take(now, amount);
    partitions[partition].Take(now, amount);
  }
};

struct DullThroughput {
  std::string arn;
  std::string who;  // "Table" or "Index"
  DullKind read;
  DullKind write;

  size_t FindPartition(const std::string& key) const {
    const std::string_view payload = key;
    const PartitionHash hash = HashPartitionKey(absl::MakeConstSpan(&payload, 1));
    // So many equal parts of the hashes; their first 8 bytes decide.
    unsigned __int128 first = 0;
    for (size_t i = 0; i < 8; ++i) first = first << 8 | hash[i];
    const auto count = static_cast<unsigned __int128>(read.partitions.size());
    size_t partition = 0;
    while (partition + 1 < count &&
           first >= (static_cast<unsigned __int128>(partition + 1) << 64) / count) {
      ++partition;
    }
    return partition;
  }
};

struct DullItem {
  std::string key;
  std::string group;  // empty: it has no entry in the index
  size_t text = 0;

  int64_t bytes() const {
    const size_t group_bytes = group.empty() ? 0 : 1 + group.size();
    return static_cast<int64_t>(2 + key.size() + group_bytes + 1 + text);
  }
  Item Real() const {
    Item item({{"pk", Value::S(key)}, {"t", Value::S(std::string(text, 'x'))}});
    if (!group.empty()) item.Set("g", Value::S(group));
    return item;
  }
};

int64_t Writes(int64_t bytes) { return std::max<int64_t>(1, (bytes + 1023) / 1024) * kUnit; }
int64_t Reads(int64_t bytes, bool strong) {
  return std::max<int64_t>(1, (bytes + 4095) / 4096) * kUnit / (strong ? 1 : 2);
}

struct DullTable {
  std::string name;
  DullThroughput own;
  std::optional<DullThroughput> index;
  std::map<std::string, DullItem> items;

  const DullItem* Find(const std::string& key) const {
    const auto it = items.find(key);
    return it == items.end() ? nullptr : &it->second;
  }
};

// What a write of one item takes.
struct DullWrite {
  int64_t table = 0;
  int64_t index = 0;  // 0: it does not touch the index
  std::string group;  // where the index is charged
};

DullWrite WriteCost(const DullTable& table, const DullItem* before, const DullItem* after) {
  DullWrite cost;
  cost.table = Writes(std::max(before ? before->bytes() : 0, after ? after->bytes() : 0));
  const bool had = table.index && before && !before->group.empty();
  const bool has = table.index && after && !after->group.empty();
  cost.group = has ? after->group : had ? before->group : "";
  if (had && has && before->group == after->group) {
    const bool same = before->text == after->text;
    cost.index = same ? 0 : Writes(std::max(before->bytes(), after->bytes()));
  } else {
    cost.index = (had ? Writes(before->bytes()) : 0) + (has ? Writes(after->bytes()) : 0);
  }
  return cost;
}

class Program {
 public:
  explicit Program(uint64_t seed) : random_(seed) {
    const double scales[] = {0.01, 0.1, 1};
    scale_ = scales[seed % 3];
    DatabaseOptions options;
    options.in_memory = true;
    options.clock = &clock_;
    options.capacity = {.mode = CapacityMode::kGlobal, .scale = scale_};
    database_ = *Database::Open(options);
    for (int i = 0; i < 4; ++i) AddTable(i);
  }

  void Step() {
    now_ += static_cast<int64_t>(Any(10) == 0 ? Any(1'000) : Any(40));
    clock_.Set(start_ + absl::Milliseconds(now_));
    DullTable& table = tables_[Any(tables_.size())];
    switch (Any(6)) {
      case 0:
        return Get(&table);
      case 1:
        return QueryIndex(&table);
      case 2:
        return FailingPut(&table);
      case 3:
        return Batch(&table);
      case 4:
        return Transaction(&table);
      default:
        return Write(&table);
    }
  }
  // Nobody has ever got more than rate × time + burst, and what the last one took beyond that.
  void CheckTaken() {
    const int64_t most = 4 * 1'000 * kUnit;  // of one call
    for (DullTable& table : tables_) {
      for (DullThroughput* part : {&table.own, table.index ? &*table.index : nullptr}) {
        if (part == nullptr) continue;
        for (DullKind* kind : {&part->read, &part->write}) {
          EXPECT_LE(kind->all.taken, kind->all.rate * now_ + kind->all.depth + most);
          for (const DullBucket& bucket : kind->partitions) {
            EXPECT_LE(bucket.taken, bucket.rate * now_ + bucket.depth + most);
          }
        }
      }
    }
  }
  const std::vector<std::string>& decisions() const { return decisions_; }
  int refused() const { return refused_; }

 private:
  size_t Any(size_t count) { return random_() % count; }

  DullThroughput NewThroughput(bool on_demand, int64_t reads, int64_t writes,
                               std::optional<int64_t> maximum) {
    DullThroughput part;
    const auto count = on_demand
                           ? 4
                           : static_cast<size_t>(std::ceil(static_cast<double>(reads) / 3'000 +
                                                           static_cast<double>(writes) / 1'000));
    const auto kind = [&](int64_t units, int64_t initial, int64_t most) {
      DullKind made;
      made.all = DullBucket::Full(static_cast<double>(on_demand ? initial : units) * scale_,
                                  on_demand ? 1 : 300);
      if (on_demand) made.quota = DullBucket::Full(40'000 * scale_, 1);
      if (maximum) made.maximum = DullBucket::Full(static_cast<double>(*maximum) * scale_, 1);
      made.partitions.assign(count, DullBucket::Full(static_cast<double>(most) * scale_, 1));
      return made;
    };
    part.read = kind(reads, 12'000, 3'000);
    part.write = kind(writes, 4'000, 1'000);
    return part;
  }

  void AddTable(int number) {
    DullTable table;
    table.name = "table" + std::to_string(number);
    const bool on_demand = number % 2 == 1;
    const bool has_index = number >= 2;
    const int64_t reads = 1 + static_cast<int64_t>(Any(number == 0 ? 9'000 : 20));
    const int64_t writes = 1 + static_cast<int64_t>(Any(number == 0 ? 3'000 : 20));
    const int64_t index_units = 1 + static_cast<int64_t>(Any(10));
    const std::optional<int64_t> maximum =
        on_demand && has_index ? std::optional<int64_t>(100 + Any(2'000)) : std::nullopt;
    CreateTableRequest create;
    create.table_name = table.name;
    create.attribute_definitions = {{"pk", Type::kString}};
    create.key_schema = {{"pk", KeyType::kHash}};
    const ProvisionedThroughput units = {.read_capacity_units = reads,
                                         .write_capacity_units = writes};
    if (on_demand) {
      create.billing_mode = BillingMode::kPayPerRequest;
      if (maximum) {
        create.on_demand_throughput = {.max_read_units = maximum, .max_write_units = maximum};
      }
    } else {
      create.provisioned_throughput = units;
    }
    table.own = NewThroughput(on_demand, reads, writes, maximum);
    table.own.arn = kArn + table.name;
    table.own.who = "Table";
    if (has_index) {
      SecondaryIndex index;
      index.index_name = "by_g";
      index.key_schema = {{"g", KeyType::kHash}};
      index.projection.projection_type = ProjectionType::kAll;
      if (!on_demand) {
        index.provisioned_throughput = {.read_capacity_units = index_units,
                                        .write_capacity_units = index_units};
      }
      create.attribute_definitions->push_back({"g", Type::kString});
      create.global_secondary_indexes = {{index}};
      table.index = NewThroughput(on_demand, index_units, index_units, std::nullopt);
      table.index->arn = table.own.arn + "/index/by_g";
      table.index->who = "Index";
    }
    const auto created = database_->CreateTable(create);
    ASSERT_TRUE(created.ok()) << created.status();
    tables_.push_back(std::move(table));
  }

  std::string AnyKey() {
    // A few are hot.
    return "k" + std::to_string(Any(3) == 0 ? Any(200) : Any(3));
  }
  DullItem AnyItem(const std::string& key) {
    const size_t bytes = Any(20) == 0 ? Any(300'000) : Any(3'000);
    return {key, Any(3) == 0 ? "" : "g" + std::to_string(Any(4)), bytes};
  }

  // "" or the reason with its resource.
  std::string Why(DullThroughput* part, DullKind DullThroughput::*kind, const std::string& key) {
    const size_t partition = part->FindPartition(key);
    DullKind& asked = part->*kind;
    const std::string why = asked.WhyNot(partition, now_);
    // A fresh partition never waits for others while there is room for all.
    const bool has_room = asked.all.Level(now_) > 0 &&
                          (!asked.maximum || asked.maximum->Level(now_) > 0) &&
                          (!asked.quota || asked.quota->Level(now_) > 0);
    const DullBucket& own = asked.partitions[partition];
    if (has_room && own.level == own.depth) {
      EXPECT_EQ(why, "");
    }
    if (why.empty()) return "";
    return part->who + (kind == &DullThroughput::read ? "Read" : "Write") + why + " " + part->arn;
  }
  void Take(DullThroughput* part, DullKind DullThroughput::*kind, const std::string& key,
            int64_t amount) {
    (part->*kind).Take(part->FindPartition(key), now_, amount);
  }

  // What a write of one item is refused for; nothing is taken.
  std::string WhyNotWritten(DullTable* table, const std::string& key, const DullWrite& cost) {
    std::string why = Why(&table->own, &DullThroughput::write, key);
    if (why.empty() && cost.index > 0) {
      why = Why(&*table->index, &DullThroughput::write, cost.group);
    }
    return why;
  }
  // `times` the price, but of the index only once.
  void TakeWrite(DullTable* table, const std::string& key, const DullWrite& cost, int64_t times) {
    Take(&table->own, &DullThroughput::write, key, times * cost.table);
    if (cost.index > 0) Take(&*table->index, &DullThroughput::write, cost.group, cost.index);
  }
  void Become(DullTable* table, const std::string& key, const DullItem* after) {
    if (after == nullptr) {
      table->items.erase(key);
    } else {
      table->items[key] = *after;
    }
  }

  void Compare(const absl::Status& status, const std::string& why) {
    std::string reasons;
    for (const ThrottlingReason& reason : AttachedThrottling(status)) {
      reasons += (reasons.empty() ? "" : ", ") + reason.reason + " " + reason.resource;
    }
    EXPECT_EQ(reasons, why) << status << " at " << now_;
    EXPECT_EQ(IsThrottled(status), !why.empty()) << status;
    refused_ += !why.empty();
    decisions_.push_back(reasons);
  }

  void Get(DullTable* table) {
    const std::string key = AnyKey();
    const bool strong = Any(2) == 0;
    GetItemRequest get;
    get.table_name = table->name;
    get.key = Item({{"pk", Value::S(key)}});
    get.consistent_read = strong;
    const std::string why = Why(&table->own, &DullThroughput::read, key);
    Compare(database_->GetItem(get).status(), why);
    const DullItem* item = table->Find(key);
    if (why.empty()) {
      Take(&table->own, &DullThroughput::read, key, Reads(item ? item->bytes() : 0, strong));
    }
  }

  void QueryIndex(DullTable* table) {
    if (!table->index) return Get(table);
    const std::string group = "g" + std::to_string(Any(4));
    QueryRequest query;
    query.table_name = table->name;
    query.index_name = "by_g";
    query.key_condition_expression = "g = :g";
    query.expression_attribute_values = Item({{":g", Value::S(group)}});
    query.limit = 1'000;
    const std::string why = Why(&*table->index, &DullThroughput::read, group);
    const auto page = database_->Query(query);
    Compare(page.status(), why);
    if (!why.empty() || !page.ok()) return;
    // A page may end early; what it evaluated is what it returns.
    int64_t bytes = 0;
    for (const Item& item : page->items) {
      bytes += table->Find(std::string(item.view().Find("pk")->payload()))->bytes();
    }
    Take(&*table->index, &DullThroughput::read, group, Reads(bytes, false));
  }

  void FailingPut(DullTable* table) {
    const DullItem item = AnyItem(AnyKey());
    const DullItem* before = table->Find(item.key);
    PutItemRequest put;
    put.table_name = table->name;
    put.item = item.Real();
    put.condition_expression = "attribute_exists(nothing)";
    const std::string why = Why(&table->own, &DullThroughput::write, item.key);
    Compare(database_->PutItem(put).status(), why);
    if (!why.empty()) return;
    Take(&table->own, &DullThroughput::write, item.key,
         Writes(std::max(item.bytes(), before ? before->bytes() : 0)));
  }

  void Write(DullTable* table) {
    const DullItem item = AnyItem(AnyKey());
    const bool is_put = Any(4) > 0;
    const DullItem* after = is_put ? &item : nullptr;
    const DullWrite cost = WriteCost(*table, table->Find(item.key), after);
    const std::string why = WhyNotWritten(table, item.key, cost);
    if (is_put) {
      PutItemRequest put;
      put.table_name = table->name;
      put.item = item.Real();
      Compare(database_->PutItem(put).status(), why);
    } else {
      DeleteItemRequest remove;
      remove.table_name = table->name;
      remove.key = Item({{"pk", Value::S(item.key)}});
      Compare(database_->DeleteItem(remove).status(), why);
    }
    if (!why.empty()) return;
    TakeWrite(table, item.key, cost, 1);
    Become(table, item.key, after);
  }

  // Each write for itself; the call fails only if all are refused.
  void Batch(DullTable* table) {
    BatchWriteItemRequest batch;
    batch.request_items.emplace_back(table->name, std::vector<WriteRequest>());
    std::vector<std::string> left;
    std::string first;
    const size_t count = 3;
    for (size_t i = 0; i < count; ++i) {
      const DullItem item = AnyItem("b" + std::to_string(i) + AnyKey());
      batch.request_items[0].second.push_back({.put = item.Real()});
      const DullWrite cost = WriteCost(*table, table->Find(item.key), &item);
      const std::string why = WhyNotWritten(table, item.key, cost);
      if (i == 0) first = why;
      if (!why.empty()) {
        left.push_back(item.key);
        continue;
      }
      TakeWrite(table, item.key, cost, 1);
      Become(table, item.key, &item);
    }
    const auto output = database_->BatchWriteItem(batch);
    Compare(output.status(), left.size() == count ? first : "");
    if (!output.ok()) return;
    std::vector<std::string> unprocessed;
    for (const auto& [name, writes] : output->unprocessed_items) {
      for (const WriteRequest& write : writes) {
        unprocessed.emplace_back(write.put->view().Find("pk")->payload());
      }
    }
    EXPECT_EQ(unprocessed, left) << " at " << now_;
  }

  // All or none, at twice the price; each is asked for as if it were alone.
  void Transaction(DullTable* table) {
    TransactWriteItemsRequest request;
    std::vector<DullItem> items;
    std::vector<std::string> tables;
    std::vector<std::string> indexes;
    for (size_t i = 0; i < 2; ++i) {
      items.push_back(AnyItem("t" + std::to_string(i) + AnyKey()));
      TransactAction put;
      put.table_name = table->name;
      put.item = items[i].Real();
      request.transact_items.emplace_back().put = put;
      const DullWrite cost = WriteCost(*table, table->Find(items[i].key), &items[i]);
      tables.push_back(Why(&table->own, &DullThroughput::write, items[i].key));
      indexes.push_back(cost.index > 0 ? Why(&*table->index, &DullThroughput::write, cost.group)
                                       : "");
    }
    const auto any = [](const std::vector<std::string>& why) {
      return std::any_of(why.begin(), why.end(), [](const auto& one) { return !one.empty(); });
    };
    const std::vector<std::string>& why = any(tables) ? tables : indexes;
    const absl::Status status = database_->TransactWriteItems(request).status();
    EXPECT_EQ(status.ok(), !any(why)) << status << " at " << now_;
    decisions_.push_back(status.ok() ? "" : std::string(MessageOf(status)));
    if (status.ok() && !any(why)) {
      for (const DullItem& item : items) {
        TakeWrite(table, item.key, WriteCost(*table, table->Find(item.key), &item), 2);
        Become(table, item.key, &item);
      }
      return;
    }
    ++refused_;
    const std::vector<CancellationReason> reasons = AttachedReasons(status);
    ASSERT_EQ(reasons.size(), why.size()) << status;
    for (size_t i = 0; i < why.size(); ++i) {
      EXPECT_EQ(reasons[i].code == "None", why[i].empty()) << reasons[i].code << " " << why[i];
    }
  }

  std::mt19937_64 random_;
  double scale_ = 1;
  const absl::Time start_ = absl::FromUnixSeconds(1'790'000'000);
  ManualClock clock_{start_};
  std::unique_ptr<Database> database_;
  std::vector<DullTable> tables_;
  int64_t now_ = 0;
  std::vector<std::string> decisions_;
  int refused_ = 0;
};

TEST(EnforcedRandom, DecidesAsADullModelDoes) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Program program(seed);
    for (int i = 0; i < 3'000 && !::testing::Test::HasFailure(); ++i) program.Step();
    program.CheckTaken();
    // Both happen often.
    EXPECT_GT(program.refused(), 100);
    EXPECT_LT(program.refused(), 2'900);
  }
}

TEST(EnforcedRandom, TheSameSeedTheSameDecisions) {
  Program first(7);
  Program second(7);
  for (int i = 0; i < 500; ++i) {
    first.Step();
    second.Step();
  }
  EXPECT_EQ(first.decisions(), second.decisions());
}

}  // namespace
}  // namespace dynolith
