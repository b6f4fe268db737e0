// The service's description of a table: its metadata, its ARN, and its size.
#ifndef DYNOLITH_API_TABLE_TABLE_DESCRIPTION_H_
#define DYNOLITH_API_TABLE_TABLE_DESCRIPTION_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// The table that a control-plane operation names, by name or ARN. Errors: those of a bad name;
// ResourceNotFoundException (api/facts/operations.md §1.3, §1.4).
absl::StatusOr<std::shared_ptr<Table>> FindTable(const OperationContext& context,
                                                 std::string_view name_or_arn);

// How to get sizes: counting reads every row unless a fresh count is cached.
enum class Sizes : uint8_t { kCount, kRemembered };

// `meta` is the described state of `table`; sizes are the table's present ones, zero where they are
// not cached. api/table/README.md has the freshness and the cost of a count. Errors: only the
// store's.
absl::StatusOr<TableDescription> Describe(const OperationContext& context, Table* table,
                                          const TableMeta& meta, Sizes sizes);

// The description of a new table while the service is creating it: CREATING and empty.
TableDescription DescribeNew(const OperationContext& context, const TableMeta& meta);

// As the table's other regions are shown at that time.
ReplicaStatus FindReplicaStatus(const Replica& replica, absl::Time now);

// Reduces a description to that in DeleteTable's answer: no keys, indexes and warm throughput.
void HideDeleted(TableDescription* description);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_DESCRIPTION_H_
