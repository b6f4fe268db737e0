// Operations on global tables of 2017, which cannot be made any more (api/facts/operations.md
// §5.6). Their requests are checked as in the service; they never find anything.
#ifndef DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_
#define DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Never OK. Errors: ValidationException; GlobalTableNotFoundException.
absl::Status DescribeGlobalTable(const OperationContext& context,
                                 const DescribeGlobalTableRequest& request);
// Under other names: their targets do not exist either.
absl::Status DescribeGlobalTableSettings(const OperationContext& context,
                                         const DescribeGlobalTableRequest& request);
absl::Status UpdateGlobalTableSettings(const OperationContext& context,
                                       const DescribeGlobalTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_
