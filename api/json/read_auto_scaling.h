// JSON -> requests of the operations on auto scaling.
#ifndef DYNOLITH_API_JSON_READ_AUTO_SCALING_H_
#define DYNOLITH_API_JSON_READ_AUTO_SCALING_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/auto_scaling.h"

namespace dynolith {

// As in read_tables.h: names and ARNs go to the operations as they are.
absl::Status ReadRequest(const Fields& fields, DescribeTableReplicaAutoScalingRequest* request);
absl::Status ReadRequest(const Fields& fields, UpdateTableReplicaAutoScalingRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_AUTO_SCALING_H_
