// Query: the items of one partition key, in sort-key order.
#ifndef DYNOLITH_API_READ_QUERY_H_
#define DYNOLITH_API_READ_QUERY_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/database.h"

namespace dynolith {

// The items of the page go to `sink`.
absl::StatusOr<PageOutput> Query(const OperationContext& context, const QueryRequest& request,
                                 ItemSink sink);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_QUERY_H_
