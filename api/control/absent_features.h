// Operations on global tables of 2017, which cannot be made any more (facts/operations.md §5.6).
// Their requests are checked as the service checks them; the truth is always that there is nothing.
#ifndef DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_
#define DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_

#include "absl/status/status.h"
#include "dynolith/table_features.h"

namespace dynolith {

// Never OK. Errors: ValidationException; GlobalTableNotFoundException.
absl::Status DescribeGlobalTable(const DescribeGlobalTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_ABSENT_FEATURES_H_
