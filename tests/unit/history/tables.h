// A table with point-in-time recovery, and its writes by hand, for tests of the history.
#ifndef DYNOLITH_TESTS_UNIT_HISTORY_TABLES_H_
#define DYNOLITH_TESTS_UNIT_HISTORY_TABLES_H_

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/history/history.h"
#include "engine/history/past_items.h"
#include "engine/key/key_codec.h"
#include "engine/value/item.h"

namespace dynolith::testing {

inline TableMeta RecoverableTable(absl::Time now, std::string name = "music") {
  TableMeta meta;
  meta.schema.name = std::move(name);
  meta.schema.key = {{{"pk", Type::kString}}, {{"sk", Type::kBinary}}};
  meta.point_in_time_recovery = PointInTimeRecovery{now, 35};
  return meta;
}

inline Item Song(std::string_view pk, std::string_view sk, int64_t plays) {
  return Item{{"pk", Value::S(pk)}, {"sk", Value::B(sk)}, {"plays", Value::N(plays)}};
}

inline std::string ItemRowKey(const TableMeta& meta, const Item& item) {
  std::string key;
  AppendRowKey(meta.schema.id, meta.schema.key, item.view(), &key);
  return key;
}

// A change with its record, as a write leaves it.
inline void Change(History* history, Store* store, const TableMeta& meta,
                   const std::optional<Item>& before, const std::optional<Item>& after) {
  const std::string key = ItemRowKey(meta, after ? *after : *before);
  HistoryRecorder recorder(history);
  WriteBatch batch;
  const std::optional<ItemView> old = before ? std::make_optional(before->view()) : std::nullopt;
  ASSERT_TRUE(
      recorder.Append({.meta = meta, .row_key = key, .before = old ? &*old : nullptr}, &batch)
          .ok());
  after ? batch.Put(Family::kTables, key, after->bytes()) : batch.Delete(Family::kTables, key);
  ASSERT_TRUE(store->Commit(batch).ok());
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_HISTORY_TABLES_H_
