// What an answer shows of a table, in the terms of its metadata: for tests that compare the two.
#ifndef DYNOLITH_TESTS_UNIT_API_SHOWN_TABLE_H_
#define DYNOLITH_TESTS_UNIT_API_SHOWN_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynolith/requests.h"
#include "engine/catalog/catalog.h"

namespace dynolith {

struct ShownTable : TableDescription {
  // What the catalog has, with all that the answer says laid over it.
  TableMeta meta;
  struct IndexSize {
    int64_t item_count = 0;
    int64_t size_bytes = 0;
  };
  std::vector<IndexSize> index_sizes;  // parallel to meta.schema.indexes
};

namespace shown_table_internal {

inline void Lay(const ProvisionedThroughputDescription& shown, Throughput* throughput) {
  throughput->read_units = shown.read_capacity_units;
  throughput->write_units = shown.write_capacity_units;
  throughput->last_increase = shown.last_increase_date_time;
  throughput->last_decrease = shown.last_decrease_date_time;
  throughput->decreases_today = shown.number_of_decreases_today;
}

// False if the answer has no such index.
inline bool LayIndex(std::string_view name, ShownTable* table, IndexState* state) {
  for (const auto* list : {&table->global_secondary_indexes, &table->local_secondary_indexes}) {
    for (const SecondaryIndexDescription& index : *list) {
      if (index.index_name != name) continue;
      if (index.index_status) state->status = *index.index_status;
      state->backfilling = index.backfilling.value_or(false);
      if (index.provisioned_throughput) Lay(*index.provisioned_throughput, &state->throughput);
      table->index_sizes.push_back({index.item_count, index.index_size_bytes});
      return true;
    }
  }
  for (const VectorIndexDescription& index : table->vector_indexes) {
    if (index.index_name != name) continue;
    state->status = index.index_status;
    state->backfilling = index.backfilling.value_or(false);
    table->index_sizes.push_back({index.item_count, index.index_size_bytes});
    return true;
  }
  return false;
}

}  // namespace shown_table_internal

inline ShownTable Shown(const Catalog& catalog, TableDescription description) {
  ShownTable table{std::move(description), {}, {}};
  if (const auto found = catalog.Find(table.table_name)) table.meta = *found->meta();
  table.meta.status = table.table_status;
  table.meta.uuid = table.table_id;
  table.meta.deletion_protection = table.deletion_protection_enabled;
  shown_table_internal::Lay(table.provisioned_throughput, &table.meta.throughput);
  TableMeta& meta = table.meta;
  for (size_t i = 0; i < meta.schema.indexes.size();) {
    const std::string name = meta.schema.indexes[i].name;
    if (shown_table_internal::LayIndex(name, &table, &meta.index_states[i])) {
      ++i;
      continue;
    }
    meta.schema.indexes.erase(meta.schema.indexes.begin() + static_cast<ptrdiff_t>(i));
    meta.index_states.erase(meta.index_states.begin() + static_cast<ptrdiff_t>(i));
  }
  return table;
}

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_API_SHOWN_TABLE_H_
