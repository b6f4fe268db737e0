// A table as the service describes it: its metadata, its ARN, and how much is in it.
#ifndef DYNOLITH_API_TABLE_TABLE_DESCRIPTION_H_
#define DYNOLITH_API_TABLE_TABLE_DESCRIPTION_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// The table that a control-plane operation names, by name or ARN. Errors: those of a bad name;
// ResourceNotFoundException (api/facts/operations.md §1.3, §1.4).
absl::StatusOr<std::shared_ptr<Table>> FindTable(const OperationContext& context,
                                                 std::string_view name_or_arn);

// How sizes are found: counting reads every row unless a fresh count is remembered.
enum class Sizes : uint8_t { kCount, kRemembered };

// `meta` is the state of `table` that is described; sizes are the table's of now, zero where they
// are not remembered. api/table/README.md says how fresh a count is and what it costs.
// Errors: only the store's.
absl::StatusOr<TableDescription> Describe(const OperationContext& context, Table* table,
                                          const TableMeta& meta, Sizes sizes);

// A new table as the service shows it while it is busy with it: CREATING and empty.
TableDescription DescribeNew(const OperationContext& context, const TableMeta& meta);

// Leaves what the answer to DeleteTable shows: no keys, indexes and warm throughput.
void HideDeleted(TableDescription* description);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_DESCRIPTION_H_
