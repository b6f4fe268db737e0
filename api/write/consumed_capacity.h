// ConsumedCapacity of a response, added up from what rows and pages cost.
#ifndef DYNOLITH_API_WRITE_CONSUMED_CAPACITY_H_
#define DYNOLITH_API_WRITE_CONSUMED_CAPACITY_H_

#include <map>
#include <optional>
#include <string>

#include "api/write/row_write.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// What one request consumed on one table and its indexes.
class CapacityTotal {
 public:
  void AddTable(double units) { table_ += units; }
  void AddIndex(const IndexSchema& index, double units);
  // The table and every index that the write touched.
  void Add(const RowWrite& write, const RowOutcome& outcome);

  // nullopt unless asked for. `name` is the table as the request names it.
  std::optional<ConsumedCapacity> Report(
      std::string_view name, ReturnConsumedCapacity wanted,
      ConsumedCapacity::Split split = ConsumedCapacity::Split::kNone) const;

 private:
  double table_ = 0;
  std::map<std::string, double> global_;
  std::map<std::string, double> local_;
  std::map<std::string, double> vector_bytes_;
};

// ItemCollectionMetrics of a write: only for tables with a local index and when asked for.
std::optional<ItemCollectionMetrics> MetricsOf(const TableSchema& schema,
                                               ReturnItemCollectionMetrics wanted, ItemView item);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_CONSUMED_CAPACITY_H_
