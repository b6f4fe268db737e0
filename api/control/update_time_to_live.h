// UpdateTimeToLive: switches the deletion of expired items on or off.
#ifndef DYNOLITH_API_CONTROL_UPDATE_TIME_TO_LIVE_H_
#define DYNOLITH_API_CONTROL_UPDATE_TIME_TO_LIVE_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<UpdateTimeToLiveOutput> UpdateTimeToLive(const OperationContext& context,
                                                        const UpdateTimeToLiveRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_UPDATE_TIME_TO_LIVE_H_
