#include "api/write/consumed_capacity.h"

#include "index/entry.h"
#include "index/maintain.h"

namespace dynolith {
namespace {

// Into a ConsumedCapacity or a Capacity.
template <typename Shown>
void ShowUnits(double units, CapacityKind kind, Shown* shown) {
  shown->capacity_units = units;
  if (kind == CapacityKind::kRead) shown->read_capacity_units = units;
  if (kind == CapacityKind::kWrite) shown->write_capacity_units = units;
}

void ShowIndexes(const std::map<std::string, double>& indexes, CapacityKind kind,
                 std::vector<std::pair<std::string, Capacity>>* shown) {
  for (const auto& [index, units] : indexes) {
    ShowUnits(units, kind, &shown->emplace_back(index, Capacity()).second);
  }
}

void AddIndexes(const std::vector<std::pair<std::string, Capacity>>& part,
                std::vector<std::pair<std::string, Capacity>>* total) {
  std::map<std::string, Capacity> sums(total->begin(), total->end());
  for (const auto& [index, capacity] : part) {
    sums[index].capacity_units += capacity.capacity_units;
  }
  total->assign(sums.begin(), sums.end());
}

// Sums the capacity of vector indexes. Only writes have some: a page of a search is never summed.
void AddVectorIndexes(const std::vector<std::pair<std::string, VectorCapacity>>& part,
                      std::vector<std::pair<std::string, VectorCapacity>>* total) {
  std::map<std::string, VectorCapacity> sums(total->begin(), total->end());
  for (const auto& [index, capacity] : part) {
    std::optional<double>& bytes = sums[index].vector_write_request_bytes;
    bytes = bytes.value_or(0) + capacity.vector_write_request_bytes.value_or(0);
  }
  total->assign(sums.begin(), sums.end());
}

}  // namespace

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
                                                      CapacityKind kind) const {
  if (wanted == ReturnConsumedCapacity::kNone) return std::nullopt;
  ConsumedCapacity report;
  report.table_name = std::string(name);
  double units = table_;
  for (const auto& [index, part] : global_) units += part;
  for (const auto& [index, part] : local_) units += part;
  ShowUnits(units, kind, &report);
  if (wanted == ReturnConsumedCapacity::kIndexes) {
    ShowUnits(table_, kind, &report.table.emplace());
    ShowIndexes(global_, kind, &report.global_secondary_indexes);
    ShowIndexes(local_, kind, &report.local_secondary_indexes);
    for (const auto& [index, bytes] : vector_bytes_) {
      report.vector_indexes.emplace_back(index,
                                         VectorCapacity{.vector_write_request_bytes = bytes});
    }
  }
  return report;
}

void AddCapacity(const std::optional<ConsumedCapacity>& part,
                 std::optional<ConsumedCapacity>* total) {
  if (!part) return;
  if (!*total) {
    *total = part;
    return;
  }
  (*total)->capacity_units += part->capacity_units;
  if (part->table) {
    if (!(*total)->table) (*total)->table.emplace();
    (*total)->table->capacity_units += part->table->capacity_units;
  }
  AddIndexes(part->global_secondary_indexes, &(*total)->global_secondary_indexes);
  AddIndexes(part->local_secondary_indexes, &(*total)->local_secondary_indexes);
  AddVectorIndexes(part->vector_indexes, &(*total)->vector_indexes);
}

std::optional<ItemCollectionMetrics> MakeItemCollectionMetrics(const TableSchema& schema,
                                                               ReturnItemCollectionMetrics wanted,
                                                               ItemView item) {
  if (wanted == ReturnItemCollectionMetrics::kNone) return std::nullopt;
  if (!HasLocalIndex(schema)) return std::nullopt;
  const std::string& hash = schema.key.hash[0].name;
  ItemCollectionMetrics metrics;
  metrics.item_collection_key.Set(hash, Value::Copy(*item.Find(hash)));
  metrics.size_estimate_range_gb = {0, 1};
  return metrics;
}

}  // namespace dynolith
