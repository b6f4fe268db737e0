// Operations on global tables of 2017, which cannot be made any more (api/facts/operations.md
// §5.6). Their requests are checked as the service checks them; the truth is always that there is
// nothing.
#ifndef DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_
#define DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Never OK. Errors: ValidationException; GlobalTableNotFoundException.
absl::Status DescribeGlobalTable(const OperationContext& context,
                                 const DescribeGlobalTableRequest& request);
// By other names: what they ask for or change is not there either.
absl::Status DescribeGlobalTableSettings(const OperationContext& context,
                                         const DescribeGlobalTableRequest& request);
absl::Status UpdateGlobalTableSettings(const OperationContext& context,
                                       const DescribeGlobalTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_
