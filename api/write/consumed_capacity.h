// ConsumedCapacity of a response, added up from the costs of rows and pages.
#ifndef DYNOLITH_API_WRITE_CONSUMED_CAPACITY_H_
#define DYNOLITH_API_WRITE_CONSUMED_CAPACITY_H_

#include <map>
#include <optional>
#include <string>

#include "api/write/row_write.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Transactions also report the kind of their units separately.
enum class CapacityKind : uint8_t { kUnnamed, kRead, kWrite };

// One request's consumption on one table and its indexes.
class CapacityTotal {
 public:
  explicit CapacityTotal(double table_units = 0) : table_(table_units) {}

  void AddTable(double units) { table_ += units; }
  void AddIndex(const IndexSchema& index, double units);
  // The table and every index that the write touched.
  void Add(const RowWrite& write, const RowOutcome& outcome);

  // nullopt unless requested. `name` is the table as the request names it.
  std::optional<ConsumedCapacity> Report(std::string_view name, ReturnConsumedCapacity wanted,
                                         CapacityKind kind = CapacityKind::kUnnamed) const;

 private:
  double table_;
  std::map<std::string, double> global_;
  std::map<std::string, double> local_;
  std::map<std::string, double> vector_bytes_;
};

// Adds the consumption of one part of a request, if it is known, to that of the previous parts: of
// the same table.
void AddCapacity(const std::optional<ConsumedCapacity>& part,
                 std::optional<ConsumedCapacity>* total);

// ItemCollectionMetrics of a write: only for tables with a local index and if requested.
std::optional<ItemCollectionMetrics> MakeItemCollectionMetrics(const TableSchema& schema,
                                                               ReturnItemCollectionMetrics wanted,
                                                               ItemView item);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_CONSUMED_CAPACITY_H_
