// The number of shards of a global index, for the C++ interface.
#ifndef DYNOLITH_API_CONTROL_INDEX_SHARDS_H_
#define DYNOLITH_API_CONTROL_INDEX_SHARDS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/index_shards.h"

namespace dynolith {

// See Database.
absl::Status SetIndexShards(const OperationContext& context, std::string_view table,
                            std::string_view index, int shards);
absl::StatusOr<IndexShards> DescribeIndexShards(const OperationContext& context,
                                                std::string_view table, std::string_view index);
absl::StatusOr<IndexReport> ReportTableIndexes(const OperationContext& context,
                                               std::string_view table);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_INDEX_SHARDS_H_
