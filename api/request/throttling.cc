#include "api/request/throttling.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/request/arn.h"
#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/value/attachments.h"

namespace dynolith {
namespace {

std::string_view ThroughputLimitName(ThroughputLimit limit) {
  switch (limit) {
    case ThroughputLimit::kProvisionedThroughput:
      return "ProvisionedThroughput";
    case ThroughputLimit::kKeyRange:
      return "KeyRangeThroughput";
    case ThroughputLimit::kMaxOnDemand:
      return "MaxOnDemandThroughput";
    case ThroughputLimit::kAccount:
      return "AccountLimit";
  }
  return "";
}

absl::Status MakeThrottlingException(const RefusedAccess& refused, bool on_demand,
                                     bool account_limit_throttles) {
  const bool is_index = refused.index != nullptr;
  const bool is_write = refused.kind == AccessKind::kWrite;
  if (refused.limit == ThroughputLimit::kAccount) {
    return MakeError(
        account_limit_throttles ? ErrorKind::kThrottling : ErrorKind::kRequestLimitExceeded,
        messages::AccountThroughputExceeded());
  }
  if (refused.limit == ThroughputLimit::kMaxOnDemand) {
    return MakeError(ErrorKind::kThrottling, messages::OnDemandMaximumExceeded());
  }
  if (on_demand) {
    return MakeError(ErrorKind::kThrottling, is_index && is_write
                                                 ? messages::OnDemandIndexCapacityExceededByWrite()
                                                 : messages::OnDemandCapacityExceeded());
  }
  return MakeError(ErrorKind::kProvisionedThroughputExceeded,
                   !is_index  ? messages::TableUnitsExceeded()
                   : is_write ? messages::IndexUnitsExceededByWrite()
                              : messages::IndexUnitsExceededByRead());
}

}  // namespace

absl::Status Refuse(const OperationContext& context, const TableMeta& meta,
                    absl::Span<const RefusedAccess> refused, bool account_limit_throttles) {
  const std::string table_arn = TableArn(context, meta.schema.name);
  std::vector<ThrottlingReason> reasons;
  for (const RefusedAccess& each : refused) {
    ThrottlingReason reason = {
        messages::ThrottlingReasonName(each.index != nullptr, each.kind == AccessKind::kWrite,
                                       ThroughputLimitName(each.limit)),
        each.index == nullptr ? table_arn : IndexArn(table_arn, each.index->name)};
    // Shards of one index say the same.
    const auto is_same = [&](const ThrottlingReason& other) {
      return other.reason == reason.reason && other.resource == reason.resource;
    };
    if (std::none_of(reasons.begin(), reasons.end(), is_same)) {
      reasons.push_back(std::move(reason));
    }
  }
  absl::Status status = MakeThrottlingException(
      refused[0], meta.RatesFor(refused[0].index).on_demand, account_limit_throttles);
  AttachThrottling(reasons, &status);
  return status;
}

}  // namespace dynolith
