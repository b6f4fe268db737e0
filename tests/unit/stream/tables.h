// Tables with a stream, made by hand, for tests of the change log.
#ifndef DYNOLITH_TESTS_UNIT_STREAM_TABLES_H_
#define DYNOLITH_TESTS_UNIT_STREAM_TABLES_H_

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engine/key/key_codec.h"
#include "engine/stream/stream_log.h"
#include "engine/value/item.h"

namespace dynolith::testing {

inline TableMeta StreamedTable(std::string name = "music", StorageId id = 7,
                               std::string label = "2026-10-09T00:21:34.000") {
  TableMeta meta;
  meta.schema.name = std::move(name);
  meta.schema.id = id;
  meta.schema.key = {{{"pk", Type::kString}}, {{"sk", Type::kNumber}}};
  meta.stream = {true, StreamViewType::kNewAndOldImages, std::move(label)};
  return meta;
}

inline Item Song(std::string_view pk, int64_t sk, int64_t plays) {
  return Item{{"pk", Value::S(pk)}, {"sk", Value::N(sk)}, {"plays", Value::N(plays)}};
}

inline std::string ItemRowKey(const TableMeta& meta, const Item& item) {
  std::string key;
  AppendRowKey(meta.schema.id, meta.schema.key, item.view(), &key);
  return key;
}

// Records one change, from `before` to `after`, in a commit of its own.
inline absl::Status RecordChange(StreamLog* log, Store* store, const TableMeta& meta,
                                 const std::optional<Item>& before,
                                 const std::optional<Item>& after) {
  StreamRecorder recorder(log);
  WriteBatch batch;
  const std::optional<ItemView> old_view =
      before ? std::make_optional(before->view()) : std::nullopt;
  const std::optional<ItemView> new_view = after ? std::make_optional(after->view()) : std::nullopt;
  const std::string key = ItemRowKey(meta, after ? *after : *before);
  const absl::Status added = recorder.Append({.meta = meta,
                                              .row_key = key,
                                              .before = old_view ? &*old_view : nullptr,
                                              .after = new_view ? &*new_view : nullptr},
                                             &batch);
  return added.ok() ? store->Commit(batch) : added;
}

struct ReadRecord {
  SequenceNumber number = 0;
  StreamEvent event = StreamEvent::kInsert;
  Item keys;
  std::optional<Item> old_image;
  std::optional<Item> new_image;
};

// Reads a shard until there is nothing more for now. Moves `*from`; `*closed` tells of the end.
inline std::vector<ReadRecord> ReadOn(StreamLog* log, ShardIterator* from, bool* closed = nullptr,
                                      size_t records_max = 1000) {
  std::vector<ReadRecord> records;
  const auto result =
      log->Read(*from, records_max, 1 << 20, [&](SequenceNumber number, const RecordView& record) {
        ReadRecord& read = records.emplace_back();
        read.number = number;
        read.event = record.event;
        read.keys = Item::Copy(record.keys);
        if (record.old_image) read.old_image = Item::Copy(*record.old_image);
        if (record.new_image) read.new_image = Item::Copy(*record.new_image);
      });
  if (!result.ok()) return records;
  if (closed != nullptr) *closed = !result->next_position;
  from->kind = ShardIterator::Kind::kPosition;
  from->position = result->next_position.value_or(kGreatestSequence);  // nothing more
  return records;
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STREAM_TABLES_H_
