#include "api/control/describe_limits.h"

#include "engine/base/limits.h"

namespace dynolith {

absl::StatusOr<DescribeLimitsOutput> DescribeLimits(const OperationContext&,
                                                    const DescribeLimitsRequest&) {
  return DescribeLimitsOutput{.account_max_read_capacity_units = kAccountThroughputMax,
                              .account_max_write_capacity_units = kAccountThroughputMax,
                              .table_max_read_capacity_units = kTableThroughputMax,
                              .table_max_write_capacity_units = kTableThroughputMax};
}

}  // namespace dynolith
