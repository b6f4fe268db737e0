#include "api/control/absent_features.h"

#include "api/control/messages.h"
#include "engine/base/errors.h"

namespace dynolith {

absl::Status DescribeGlobalTable(const OperationContext&,
                                 const DescribeGlobalTableRequest& request) {
  return MakeError(ErrorKind::kGlobalTableNotFound,
                   messages::GlobalTableNotFound(request.global_table_name));
}

absl::Status DescribeGlobalTableSettings(const OperationContext& context,
                                         const DescribeGlobalTableRequest& request) {
  return DescribeGlobalTable(context, request);
}

absl::Status UpdateGlobalTableSettings(const OperationContext& context,
                                       const DescribeGlobalTableRequest& request) {
  return DescribeGlobalTable(context, request);
}

}  // namespace dynolith
