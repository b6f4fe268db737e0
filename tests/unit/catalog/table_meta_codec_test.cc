// Catalog entries keep every field, and damaged ones are refused without a crash.
#include <gtest/gtest.h>

#include <limits>

#include "engine/catalog/catalog.h"
#include "engine/value/item.h"
#include "tests/unit/catalog/table_metas.h"

namespace dynolith {
namespace {

using testing::FullMeta;
using testing::PlainMeta;

void ExpectEqual(const Replica& left, const Replica& right) {
  EXPECT_EQ(left.region, right.region);
  EXPECT_EQ(left.settings.kms_key, right.settings.kms_key);
  EXPECT_EQ(left.settings.read_units, right.settings.read_units);
  EXPECT_EQ(left.settings.max_read_units, right.settings.max_read_units);
  EXPECT_EQ(left.settings.table_class, right.settings.table_class);
  ASSERT_EQ(left.settings.indexes.size(), right.settings.indexes.size());
  for (size_t i = 0; i < left.settings.indexes.size(); ++i) {
    EXPECT_EQ(left.settings.indexes[i].name, right.settings.indexes[i].name);
    EXPECT_EQ(left.settings.indexes[i].read_units, right.settings.indexes[i].read_units);
    EXPECT_EQ(left.settings.indexes[i].max_read_units, right.settings.indexes[i].max_read_units);
  }
  EXPECT_EQ(left.is_filled, right.is_filled);
  EXPECT_EQ(left.status_until, right.status_until);
  EXPECT_EQ(left.deleting_from, right.deleting_from);
}

void ExpectEqual(const Throughput& left, const Throughput& right) {
  EXPECT_EQ(left.read_units, right.read_units);
  EXPECT_EQ(left.write_units, right.write_units);
  EXPECT_EQ(left.last_increase, right.last_increase);
  EXPECT_EQ(left.last_decrease, right.last_decrease);
  EXPECT_EQ(left.decreases_today, right.decreases_today);
}

template <typename Scaled>
void ExpectSameScaling(const Scaled& left, const Scaled& right) {
  ASSERT_EQ(left.on_demand.has_value(), right.on_demand.has_value());
  if (left.on_demand) {
    EXPECT_EQ(left.on_demand->max_read_units, right.on_demand->max_read_units);
    EXPECT_EQ(left.on_demand->max_write_units, right.on_demand->max_write_units);
  }
  ASSERT_EQ(left.warm.has_value(), right.warm.has_value());
  if (left.warm) {
    EXPECT_EQ(left.warm->read_units, right.warm->read_units);
    EXPECT_EQ(left.warm->write_units, right.warm->write_units);
  }
}

void ExpectSameSchema(const TableSchema& left, const TableSchema& right) {
  EXPECT_EQ(left.name, right.name);
  EXPECT_EQ(left.id, right.id);
  EXPECT_EQ(left.key, right.key);
  ASSERT_EQ(left.indexes.size(), right.indexes.size());
  for (size_t i = 0; i < left.indexes.size(); ++i) {
    EXPECT_EQ(left.indexes[i].name, right.indexes[i].name);
    EXPECT_EQ(left.indexes[i].layout(), right.indexes[i].layout());
    EXPECT_EQ(left.indexes[i].next, right.indexes[i].next);
    EXPECT_EQ(left.indexes[i].notes, right.indexes[i].notes);
    EXPECT_EQ(left.indexes[i].kind, right.indexes[i].kind);
    EXPECT_EQ(left.indexes[i].key, right.indexes[i].key);
    EXPECT_EQ(left.indexes[i].projection, right.indexes[i].projection);
    EXPECT_EQ(left.indexes[i].non_key_attributes, right.indexes[i].non_key_attributes);
    EXPECT_EQ(left.indexes[i].vector, right.indexes[i].vector);
  }
}

void ExpectSameStates(const std::vector<IndexState>& left, const std::vector<IndexState>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].status, right[i].status);
    EXPECT_EQ(left[i].backfilling, right[i].backfilling);
    EXPECT_EQ(left[i].backfill_position, right[i].backfill_position);
    ExpectEqual(left[i].throughput, right[i].throughput);
    ExpectSameScaling(left[i], right[i]);
    EXPECT_EQ(left[i].status_until, right[i].status_until);
    EXPECT_EQ(left[i].backfilling_from, right[i].backfilling_from);
    EXPECT_EQ(left[i].filled, right[i].filled);
    EXPECT_EQ(left[i].warm_until, right[i].warm_until);
  }
}

void ExpectEqual(const std::optional<ResourcePolicy>& left,
                 const std::optional<ResourcePolicy>& right) {
  ASSERT_EQ(left.has_value(), right.has_value());
  if (!left) return;
  EXPECT_EQ(left->document, right->document);
  EXPECT_EQ(left->revision_id, right->revision_id);
  EXPECT_EQ(left->changed, right->changed);
}

void ExpectSameMonitoring(const TableMeta& left, const TableMeta& right) {
  ASSERT_EQ(left.point_in_time_recovery.has_value(), right.point_in_time_recovery.has_value());
  if (left.point_in_time_recovery) {
    EXPECT_EQ(left.point_in_time_recovery->enabled, right.point_in_time_recovery->enabled);
    EXPECT_EQ(left.point_in_time_recovery->recovery_period_in_days,
              right.point_in_time_recovery->recovery_period_in_days);
  }
  ASSERT_EQ(left.contributor_insights.size(), right.contributor_insights.size());
  for (size_t i = 0; i < left.contributor_insights.size(); ++i) {
    EXPECT_EQ(left.contributor_insights[i].index_name, right.contributor_insights[i].index_name);
    EXPECT_EQ(left.contributor_insights[i].enabled, right.contributor_insights[i].enabled);
    EXPECT_EQ(left.contributor_insights[i].mode, right.contributor_insights[i].mode);
    EXPECT_EQ(left.contributor_insights[i].last_change, right.contributor_insights[i].last_change);
    EXPECT_EQ(left.contributor_insights[i].status_until,
              right.contributor_insights[i].status_until);
  }
}

void ExpectSameFeatures(const TableMeta& left, const TableMeta& right) {
  EXPECT_EQ(left.table_class, right.table_class);
  EXPECT_EQ(left.table_class_changed, right.table_class_changed);
  EXPECT_EQ(left.table_class_changed_before, right.table_class_changed_before);
  EXPECT_EQ(left.deletion_protection, right.deletion_protection);
  EXPECT_EQ(left.deletion_protection_changed, right.deletion_protection_changed);
  ASSERT_EQ(left.encryption.has_value(), right.encryption.has_value());
  if (left.encryption) {
    EXPECT_EQ(left.encryption->enabled, right.encryption->enabled);
    EXPECT_EQ(left.encryption->kms_key_arn, right.encryption->kms_key_arn);
  }
  EXPECT_EQ(left.encryption_until, right.encryption_until);
  EXPECT_EQ(left.encryption_changes, right.encryption_changes);
  EXPECT_EQ(left.stream.enabled, right.stream.enabled);
  EXPECT_EQ(left.stream.view_type, right.stream.view_type);
  EXPECT_EQ(left.stream.label, right.stream.label);
  EXPECT_EQ(left.time_to_live.enabled, right.time_to_live.enabled);
  EXPECT_EQ(left.time_to_live.attribute_name, right.time_to_live.attribute_name);
  EXPECT_EQ(left.time_to_live.last_change, right.time_to_live.last_change);
  EXPECT_EQ(left.tags, right.tags);
  EXPECT_EQ(left.tags_until, right.tags_until);
  ASSERT_EQ(left.earlier_tags.has_value(), right.earlier_tags.has_value());
  if (left.earlier_tags) {
    EXPECT_EQ(left.earlier_tags->stream_label, right.earlier_tags->stream_label);
    EXPECT_EQ(left.earlier_tags->tags, right.earlier_tags->tags);
  }
  EXPECT_EQ(left.stream.tags, right.stream.tags);
  ExpectEqual(left.policy, right.policy);
  ExpectEqual(left.stream.policy, right.stream.policy);
  ExpectSameMonitoring(left, right);
  EXPECT_EQ(left.last_source_of_replica, right.last_source_of_replica);
  ASSERT_EQ(left.replicas.size(), right.replicas.size());
  for (size_t i = 0; i < left.replicas.size(); ++i) {
    ExpectEqual(left.replicas[i], right.replicas[i]);
  }
  ASSERT_EQ(left.restore.has_value(), right.restore.has_value());
  if (left.restore) {
    EXPECT_EQ(left.restore->source_backup_arn, right.restore->source_backup_arn);
    EXPECT_EQ(left.restore->source_table_arn, right.restore->source_table_arn);
    EXPECT_EQ(left.restore->restored, right.restore->restored);
  }
}

void ExpectRoundTrip(const TableMeta& meta) {
  const auto decoded = DecodeTableMeta(EncodeTableMeta(meta));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ExpectSameSchema(decoded->schema, meta.schema);
  ExpectSameStates(decoded->index_states, meta.index_states);
  ExpectSameFeatures(*decoded, meta);
  EXPECT_EQ(decoded->attribute_definitions, meta.attribute_definitions);
  EXPECT_EQ(decoded->uuid, meta.uuid);
  EXPECT_EQ(decoded->created, meta.created);
  EXPECT_EQ(decoded->status, meta.status);
  EXPECT_EQ(decoded->status_until, meta.status_until);
  EXPECT_EQ(decoded->change, meta.change);
  EXPECT_EQ(decoded->next_transition, meta.next_transition);
  EXPECT_EQ(decoded->billing_mode, meta.billing_mode);
  EXPECT_EQ(decoded->last_pay_per_request, meta.last_pay_per_request);
  ExpectEqual(decoded->throughput, meta.throughput);
  ExpectSameScaling(*decoded, meta);
  EXPECT_EQ(decoded->warm_until, meta.warm_until);
  EXPECT_EQ(decoded->initial_partitions, meta.initial_partitions);
}

TEST(TableMetaCodecTest, KeepsEveryField) {
  TableMeta plain = PlainMeta("plain", 1);
  plain.schema.id = 1;
  plain.schema.indexes[0].id = 2;
  ExpectRoundTrip(plain);
  plain.schema.indexes[0].shards = 200;
  ExpectRoundTrip(plain);
  plain.schema.indexes[0].shards = 1;
  plain.schema.indexes[0].notes = WriteNotes{3, true};
  ExpectRoundTrip(plain);
  ExpectRoundTrip(FullMeta());
}

TEST(TableMetaCodecTest, RefusesEveryTruncation) {
  const std::string bytes = EncodeTableMeta(FullMeta());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(DecodeTableMeta(bytes.substr(0, size)).status().code(), absl::StatusCode::kDataLoss)
        << size;
  }
}

// Why: a flipped bit inside a text cannot be seen (RocksDB's checksums see it); whatever is seen
// must be refused in an orderly way, and whatever is read must be writable again.
TEST(TableMetaCodecTest, SurvivesEveryFlippedBit) {
  const std::string bytes = EncodeTableMeta(FullMeta());
  size_t refused = 0;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto decoded = DecodeTableMeta(flipped);
    if (!decoded.ok()) {
      EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
      ++refused;
    } else {
      EXPECT_TRUE(DecodeTableMeta(EncodeTableMeta(*decoded)).ok());
    }
  }
  EXPECT_GT(refused, bytes.size());
}

TEST(TableMetaCodecTest, RefusesValuesOutOfTheirRange) {
  const std::string bytes = EncodeTableMeta(FullMeta());
  const auto with = [&](std::string_view name, const Value& value) {
    Item item = Item::FromBytes(std::string(bytes));
    item.Set(name, value);
    return DecodeTableMeta(item.bytes()).status().code();
  };
  EXPECT_EQ(with("status", Value::N(4)), absl::StatusCode::kOk);
  EXPECT_EQ(with("status", Value::N(5)), absl::StatusCode::kDataLoss);
  EXPECT_EQ(with("status", Value::N(0)), absl::StatusCode::kDataLoss);
  EXPECT_EQ(with("status", Value::S("ACTIVE")), absl::StatusCode::kDataLoss);
  EXPECT_EQ(with("id", Value::N(0)), absl::StatusCode::kDataLoss);
  EXPECT_EQ(with("id", Value::N(4294967296)), absl::StatusCode::kDataLoss);
  EXPECT_EQ(with("hash", Value::L({})), absl::StatusCode::kDataLoss);
  EXPECT_EQ(with("initial_partitions", Value::N(0)), absl::StatusCode::kDataLoss);
  EXPECT_EQ(with("initial_partitions", Value::N(80)), absl::StatusCode::kOk);
  EXPECT_EQ(with("initial_partitions", Value::N(2'000'000'000)), absl::StatusCode::kDataLoss);
  const auto recovery = [&](int64_t days) {
    return with("point_in_time_recovery",
                Value::M(Item{{"enabled", Value::N(1)}, {"days", Value::N(days)}}));
  };
  EXPECT_EQ(recovery(35), absl::StatusCode::kOk);
  EXPECT_EQ(recovery(0), absl::StatusCode::kDataLoss);
  EXPECT_EQ(recovery(std::numeric_limits<int64_t>::max()), absl::StatusCode::kDataLoss);
  EXPECT_EQ(with("a field of tomorrow", Value::N(1)), absl::StatusCode::kOk);
}

}  // namespace
}  // namespace dynolith
