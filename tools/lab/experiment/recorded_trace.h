// A trace of real requests (tools/server/trace), or a log of them, in memory for a replay.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_RECORDED_TRACE_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_RECORDED_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "engine/partition/capacity_settings.h"
#include "tools/lab/experiment/access_log.h"
#include "tools/server/trace/trace_format.h"
#include "tools/server/trace/trace_reader.h"

namespace dynolith::lab {

inline constexpr uint32_t kNoWrite = UINT32_MAX;

// What a request used of one table or index. Short: there may be many millions of them.
struct RecordedUse {
  uint64_t hash = 0;
  // Follows the hash in a position. For plain keys: the rank of the sort key among all, so it keeps
  // their order. For hashed keys: a hash.
  uint64_t sort = 0;
  uint32_t half_units = 0;
  uint32_t bytes = 0;
  uint32_t resource = 0;      // of RecordedTrace::resources
  uint32_t write = kNoWrite;  // of RecordedTrace::writes; kNoWrite: it changes nothing stored
  AccessKind kind = AccessKind::kRead;
  bool begins = true;  // an operation, which is served or throttled as a whole
  bool has_key = false;
  bool has_sort = false;
};

struct RecordedItem {
  uint32_t use = 0;  // the first of RecordedTrace::uses that uses it
  // The size that the first use gives for the state before the trace. 0: unknown, so the item
  // counts as new.
  uint32_t bytes_at_start = 0;
};

// The effect of a write on one stored item, or on its entry in one index.
struct RecordedWrite {
  uint32_t item = 0;      // of RecordedTrace::items
  uint32_t bytes = 0;     // of it behind the write; 0: it is gone
  uint32_t previous = 0;  // of RecordedTrace::requests: the last one that wrote the item. If it is
                          // not before this one, it is in the previous round
  uint32_t bytes_before = 0;  // the size that `previous` left
};

struct RecordedRequest {
  Micros at = 0;        // since the first one
  uint32_t access = 0;  // of RecordedTrace::accesses
  uint32_t uses = 0;    // the first of RecordedTrace::uses; they end where the next one's begin
};

// Requests that are shown together: one operation on one table or index.
struct RecordedAccess {
  trace::Operation operation = trace::Operation::kOther;
  uint32_t resource = 0;  // the first one that they use
};

struct RecordedTrace {
  std::vector<trace::Resource> resources;
  bool has_plain_keys = false;
  bool is_log = false;
  std::vector<RecordedAccess> accesses;
  std::vector<RecordedRequest> requests;  // in the order of time
  std::vector<RecordedUse> uses;
  std::vector<RecordedWrite> writes;
  // Items that are read or written, and entries of such items.
  std::vector<RecordedItem> items;
  Micros length = 0;       // from the first request to the last one
  uint64_t throttled = 0;  // throttled accesses; they are not among the uses
  std::vector<std::string> warnings;

  // The readable partition key with this hash; if keys are hashed, "#" and the hash.
  std::string KeyText(uint64_t hash) const;
  // The end of the uses of request `i`.
  size_t UsesEnd(size_t i) const {
    return i + 1 < requests.size() ? requests[i + 1].uses : uses.size();
  }

  absl::flat_hash_map<uint64_t, std::string> key_texts;  // of plain keys
};

// "songs", "songs/by-year"
std::string ResourceName(const trace::Resource& resource);

struct RequestsRead {
  trace::TraceContents contents;
  bool is_log = false;
};
// Calls `visit` with each request of a trace, or of a log, which `assumptions` complete. Errors:
// those of trace::ReadTrace or of ReadAccessLog.
absl::StatusOr<RequestsRead> ReadRequests(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    const LogAssumptions& assumptions,
    absl::FunctionRef<void(const trace::Request& request)> visit);

// Loads all requests into memory. Errors: the same; kInvalidArgument if there is no request.
absl::StatusOr<std::shared_ptr<const RecordedTrace>> LoadTrace(
    const std::string& file,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    const LogAssumptions& assumptions = {});

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_RECORDED_TRACE_H_
