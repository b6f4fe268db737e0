#include "api/table/stream_state.h"

#include <limits>
#include <string>
#include <vector>

#include "api/table/messages.h"
#include "engine/base/errors.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

// "2015-05-11T21:21:33.291".
std::string LabelAt(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3S", time, absl::UTCTimeZone());
}

}  // namespace

std::string LatestStreamLabel(const OperationContext& context, std::string_view table_name) {
  if (context.streams == nullptr) return "";
  const std::vector<StreamName> names = context.streams->Names(
      std::string(table_name), std::nullopt, std::numeric_limits<size_t>::max());
  return names.empty() ? "" : names.back().label;
}

absl::Status CheckNewStream(const std::optional<StreamSpecification>& specification) {
  if (!specification) return absl::OkStatus();
  if (specification->stream_enabled && !specification->stream_view_type) {
    return ValidationError(messages::StreamNeedsViewType());
  }
  if (!specification->stream_enabled && specification->stream_view_type) {
    return ValidationError(messages::NoStreamButViewType());
  }
  return absl::OkStatus();
}

absl::Status CheckStreamChange(const std::optional<StreamSpecification>& specification) {
  if (!specification) return absl::OkStatus();
  if (specification->stream_enabled && !specification->stream_view_type) {
    return ValidationError(messages::EnablingStreamNeedsViewType());
  }
  if (!specification->stream_enabled && specification->stream_view_type) {
    return ValidationError(messages::DisablingStreamWithViewType());
  }
  return absl::OkStatus();
}

void EnableStream(const StreamSpecification& specification, absl::Time now, StreamState* stream) {
  // A label identifies a stream: one that is disabled and enabled within a millisecond is another
  // stream.
  std::string label = LabelAt(now);
  while (!stream->label.empty() && label <= stream->label) {
    now += absl::Milliseconds(1);
    label = LabelAt(now);
  }
  stream->enabled = true;
  stream->view_type = *specification.stream_view_type;
  stream->label = label;
  stream->tags.clear();
  stream->policy.reset();
}

absl::Status ChangeStream(const StreamSpecification& specification, std::string_view table_name,
                          absl::Time now, StreamState* stream) {
  if (specification.stream_enabled) {
    if (stream->enabled) return ValidationError(messages::StreamAlreadyEnabled(table_name));
    EnableStream(specification, now, stream);
    return absl::OkStatus();
  }
  if (!stream->enabled) return ValidationError(messages::NoStreamToDisable(table_name));
  stream->enabled = false;
  return absl::OkStatus();
}

}  // namespace dynolith
