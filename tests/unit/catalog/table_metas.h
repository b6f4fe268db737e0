// Table metas for tests: a plain one, and one that has a value in every field.
#ifndef DYNOLITH_TESTS_UNIT_CATALOG_TABLE_METAS_H_
#define DYNOLITH_TESTS_UNIT_CATALOG_TABLE_METAS_H_

#include <string>

#include "engine/catalog/table_meta.h"

namespace dynolith::testing {

// Keys pk (S) and sk (S); global indexes gsi0, gsi1 … on their own attributes.
inline TableMeta PlainMeta(const std::string& name, int indexes) {
  TableMeta meta;
  meta.schema.name = name;
  meta.schema.key = {{{"pk", Type::kString}}, {{"sk", Type::kString}}};
  meta.attribute_definitions = {{"pk", Type::kString}, {"sk", Type::kString}};
  meta.uuid = "0000-" + name;
  meta.created = absl::FromUnixSeconds(1'700'000'000);
  for (int i = 0; i < indexes; ++i) {
    const std::string number = std::to_string(i);
    IndexSchema& index = meta.schema.indexes.emplace_back();
    index.name = "gsi" + number;
    index.key = {{{"gsi" + number + "pk", Type::kString}},
                 {{"gsi" + number + "sk", Type::kNumber}}};
    meta.attribute_definitions.push_back(index.key.hash[0]);
    meta.attribute_definitions.push_back(index.key.range[0]);
    meta.index_states.emplace_back();
  }
  return meta;
}

// What others should do with the table.
inline void FillWishes(absl::Time time, TableMeta* meta) {
  meta->kinesis_destinations = {
      {"arn:one", KinesisDestinationStatus::kUpdating, time, TimestampPrecision::kMicrosecond},
      {"arn:two", KinesisDestinationStatus::kDisabled, std::nullopt, std::nullopt},
      {"arn:three", KinesisDestinationStatus::kEnableFailed, std::nullopt, std::nullopt,
       "kinesis:7:three", "no such stream"}};
  const AutoScalingSettings settings = {
      5, 40'000, std::nullopt, "arn:role", {{"reads", true, 60, 61, 70.125}, {.name = "bare"}}};
  meta->auto_scaling = {{"", settings, AutoScalingSettings{.disabled = true}},
                        {"gsi0", std::nullopt, settings}};
  meta->replicas = {{"eu-west-1",
                     {"arn:key", 5, 6, TableClass::kStandardInfrequentAccess, {{"gsi0", 7, 8}}},
                     true,
                     time,
                     time},
                    {.region = "us-west-2"}};
  meta->last_source_of_replica = time;
}

inline void MakeVectorIndex(IndexSchema* index) {
  index->id = 10;
  index->kind = IndexKind::kVector;
  index->key = {};
  index->vector = VectorSchema{.attribute = "embedding",
                               .dimensions = 4096,
                               .distance = DistanceFunction::kEuclidean,
                               .inline_filters = {{"year", Type::kNumber}}};
}

inline TableMeta FullMeta() {
  TableMeta meta = PlainMeta("full", 3);
  const absl::Time base = absl::FromUnixNanos(1'700'000'000'123'456'789);
  int64_t tick = 0;
  const auto time = [&] { return base + absl::Seconds(++tick); };
  const Throughput throughput = {5, 6, time(), time(), 3};
  meta.schema.id = 7;
  IndexSchema& global = meta.schema.indexes[0];
  global.id = 8;
  global.shards = 3;
  global.next = IndexLayout{11, 200};
  global.notes = WriteNotes{13, false};
  global.key.hash.push_back({"second", Type::kBinary});
  global.projection = ProjectionType::kInclude;
  global.non_key_attributes = {"z", "a", ""};
  meta.index_states[0] = {IndexStatus::kCreating,
                          true,
                          std::string("\0\x01\xff", 3),
                          throughput,
                          OnDemandThroughput{10, 11},
                          WarmThroughput{12, 13},
                          time(),
                          time(),
                          true,
                          time()};
  IndexSchema& local = meta.schema.indexes[1];
  local.id = 9;
  local.kind = IndexKind::kLocal;
  local.projection = ProjectionType::kKeysOnly;
  MakeVectorIndex(&meta.schema.indexes[2]);
  meta.status = TableStatus::kUpdating;
  meta.status_until = time();
  meta.change = TableChange::kStream;
  meta.next_transition = time();
  meta.billing_mode = BillingMode::kPayPerRequest;
  meta.last_pay_per_request = time();
  meta.throughput = throughput;
  meta.on_demand = OnDemandThroughput{std::nullopt, 14};
  meta.warm = WarmThroughput{15, 16};
  meta.warm_until = time();
  meta.table_class = TableClass::kStandardInfrequentAccess;
  meta.table_class_changed = time();
  meta.table_class_changed_before = time();
  meta.deletion_protection = true;
  meta.deletion_protection_changed = time();
  meta.encryption = ServerSideEncryption{true, "arn:key"};
  meta.encryption_until = time();
  meta.encryption_changes = {time(), time()};
  meta.stream = {true,
                 StreamViewType::kOldImage,
                 "2015-05-11T21:21:33.291",
                 {{"stage", "test"}},
                 ResourcePolicy{"{}", "1", time()}};
  meta.time_to_live = {true, "expires", time()};
  meta.tags = {{"owner", "me"}, {"a", ""}};
  meta.tags_until = time();
  meta.earlier_tags = EarlierTags{"2023-11-14T22:13:20.000", {{"owner", "you"}}};
  meta.policy = ResourcePolicy{"{\"Version\": 1}", "1700000000123", time()};
  meta.point_in_time_recovery = PointInTimeRecovery{time(), 7};
  meta.contributor_insights = {
      {"", true, ContributorInsightsMode::kThrottledKeys, time(), time()},
      {"gsi0", false, ContributorInsightsMode::kAccessedAndThrottledKeys, time()}};
  meta.restore = RestoreSummary{"arn:backup", "arn:table", time()};
  FillWishes(time(), &meta);
  meta.initial_partitions = 4;
  return meta;
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_CATALOG_TABLE_METAS_H_
