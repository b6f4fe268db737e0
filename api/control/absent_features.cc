#include "api/control/absent_features.h"

#include "engine/base/errors.h"
#include "engine/base/messages/table_features.h"

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
