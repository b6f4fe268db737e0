#include "api/write/consumed_capacity.h"

#include "index/entry.h"

namespace dynolith {

void CapacityTotal::AddIndex(const IndexSchema& index, double units) {
  (index.kind == IndexKind::kGlobal ? global_ : local_)[index.name] += units;
}

void CapacityTotal::Add(const RowWrite& write, const RowOutcome& outcome) {
  AddTable(outcome.table_units);
  for (const IndexWork& work : outcome.index_work) {
    const IndexSchema& index = write.meta->schema.indexes[work.index];
    if (index.vector) {
      vector_bytes_[index.name] += work.vector_write_bytes;
    } else {
      AddIndex(index, work.write_units);
    }
  }
}

std::optional<ConsumedCapacity> CapacityTotal::Report(std::string_view name,
                                                      ReturnConsumedCapacity wanted,
                                                      ConsumedCapacity::Split split) const {
  if (wanted == ReturnConsumedCapacity::kNone) return std::nullopt;
  ConsumedCapacity report;
  report.table_name = std::string(name);
  report.split = split;
  report.capacity_units = table_;
  for (const auto& [index, units] : global_) report.capacity_units += units;
  for (const auto& [index, units] : local_) report.capacity_units += units;
  if (wanted == ReturnConsumedCapacity::kIndexes) {
    report.table = table_;
    report.global_secondary_indexes.assign(global_.begin(), global_.end());
    report.local_secondary_indexes.assign(local_.begin(), local_.end());
    report.vector_indexes.assign(vector_bytes_.begin(), vector_bytes_.end());
  }
  return report;
}

std::optional<ItemCollectionMetrics> MetricsOf(const TableSchema& schema,
                                               ReturnItemCollectionMetrics wanted, ItemView item) {
  if (wanted == ReturnItemCollectionMetrics::kNone) return std::nullopt;
  if (!HasLocalIndex(schema)) return std::nullopt;
  const std::string& hash = schema.key.hash[0].name;
  ItemCollectionMetrics metrics;
  metrics.item_collection_key.Set(hash, Value::Copy(*item.Find(hash)));
  return metrics;
}

}  // namespace dynolith
