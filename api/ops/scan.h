// Scan: all items of a table or an index, in the order of their hashes.
#ifndef DYNOLITH_API_OPS_SCAN_H_
#define DYNOLITH_API_OPS_SCAN_H_

#include "absl/status/statusor.h"
#include "api/ops/operation_context.h"
#include "dynolith/database.h"

namespace dynolith {

// The items of the page go to `sink`.
absl::StatusOr<PageOutput> Scan(const OperationContext& context, const ScanRequest& request,
                                ItemSink sink);

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_SCAN_H_
