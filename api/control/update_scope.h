// The shared state of the parts of one UpdateTable call.
#ifndef DYNOLITH_API_CONTROL_UPDATE_SCOPE_H_
#define DYNOLITH_API_CONTROL_UPDATE_SCOPE_H_

#include <string>

#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "api/table/throughput_rules.h"
#include "dynolith/requests.h"

namespace dynolith {

// Borrows for the time of the call.
struct UpdateScope {
  const OperationContext& context;
  const UpdateTableRequest& request;
  absl::Time now;
  // The account's reserved units, summed before the table's gate is taken.
  Units reserved;
  // Of the streams of this table's name, also looked up before the gate is taken.
  std::string latest_stream_label;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_UPDATE_SCOPE_H_
