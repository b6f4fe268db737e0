// Switching a table's stream on and off (api/facts/operations.md §5.1 row 21, §5.3). The records
// themselves are engine/stream's.
#ifndef DYNOLITH_API_TABLE_STREAM_STATE_H_
#define DYNOLITH_API_TABLE_STREAM_STATE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// A StreamSpecification of CreateTable and of UpdateTable. Errors: ValidationException.
absl::Status CheckNewStream(const std::optional<StreamSpecification>& specification);
absl::Status CheckStreamChange(const std::optional<StreamSpecification>& specification);

// The latest label of the streams of all tables of that name, past ones included; empty if there
// are none. Labels identify a stream even among those of earlier tables, so set `label` to this
// before starting a stream.
std::string LatestStreamLabel(const OperationContext& context, std::string_view table_name);

// Starts a stream with a label made from `now`, later than the existing one. Requires: checked.
void EnableStream(const StreamSpecification& specification, absl::Time now, StreamState* stream);

// Applies the requested change. A disabled stream keeps its label. Errors: ValidationException if
// the stream is in that state already.
absl::Status ChangeStream(const StreamSpecification& specification, std::string_view table_name,
                          absl::Time now, StreamState* stream);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_STREAM_STATE_H_
