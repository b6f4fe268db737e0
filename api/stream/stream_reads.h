// Whether the streams of a database can be read.
#ifndef DYNOLITH_API_STREAM_STREAM_READS_H_
#define DYNOLITH_API_STREAM_STREAM_READS_H_

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "api/stream/messages.h"
#include "engine/base/errors.h"

namespace dynolith {

// Records are numbered before their commit, in the memory of the process that writes: another one
// cannot know whether one on its way will come before those that are there. Errors:
// AccessDeniedException.
inline absl::Status CheckReadsStreams(const OperationContext& context) {
  if (context.gate == nullptr) return absl::OkStatus();
  return MakeError(ErrorKind::kAccessDenied, messages::StreamsOfTheWriter());
}

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_STREAM_READS_H_
