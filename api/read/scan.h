// Scan: all items of a table or an index, in the order of their hashes.
#ifndef DYNOLITH_API_READ_SCAN_H_
#define DYNOLITH_API_READ_SCAN_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/database.h"

namespace dynolith {

// The items of the page go to `sink`.
absl::StatusOr<PageOutput> Scan(const OperationContext& context, const ScanRequest& request,
                                ItemSink sink);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_SCAN_H_
