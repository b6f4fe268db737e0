// Tables that this server has handed over to another endpoint: from a moment on at which no write
// to them is under way, calls are refused, and then forwarded (README.md).
#ifndef DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVERS_H_
#define DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVERS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "api/json/json_response.h"
#include "engine/text/json_tree.h"
#include "tools/server/handover/handover_file.h"
#include "tools/server/handover/running_calls.h"
#include "tools/server/metrics/metric_families.h"

namespace dynolith::handover {

// A call that was admitted.
struct HandoverCall {
  std::string_view database;  // its name; empty: the first
  std::string_view target;    // "DynamoDB_20120810.PutItem"
  std::string_view body;      // without a content coding
  std::string_view via;       // its header Via
};

struct HandoverReport {
  HandedTable table;
  uint64_t forwarded = 0;  // calls that the other endpoint has answered
  uint64_t failed = 0;     // that it has not
  uint64_t refused = 0;    // since this process began, as all
};

struct HandoverOptions {
  std::string file;                              // empty: the data is in memory, and so are these
  std::function<void(const std::string&)> note;  // a line for the log; may be empty
};

// Thread-safe.
class Handovers {
 public:
  // Errors: those of ReadHandovers.
  static absl::StatusOr<std::unique_ptr<Handovers>> Open(HandoverOptions options);
  ~Handovers();

  // Hold one from before Answer until the call has been answered here, too.
  RunningCalls* running() { return &running_; }
  // Whether there are any; if not, Answer need not be asked.
  bool has_any() const { return has_any_.load(std::memory_order_seq_cst); }
  // Whether Answer might wait for an endpoint: from the body's bytes, without reading it as JSON.
  bool MayWait(std::string_view target, std::string_view body) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The answer to a call about tables that are handed over; nullopt: it is answered here.
  // `may_wait`: whether the thread may wait for an endpoint; if not and it must, `must_wait` is set
  // and nothing has been done.
  std::optional<JsonResponse> Answer(const HandoverCall& call, bool may_wait, bool* must_wait)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Refuses writes from now on, and returns when none is under way. Errors: kFailedPrecondition:
  // calls are forwarded; those of WriteHandovers, and then nothing has changed.
  absl::Status Refuse(const std::string& database, const std::string& table)
      ABSL_LOCKS_EXCLUDED(mutex_, changing_);
  // Forwards calls from now on. Errors: kFailedPrecondition: writes are not refused, calls are
  // forwarded elsewhere, or the endpoint does not describe the table; kUnavailable: it cannot be
  // asked now; kInvalidArgument: no address or credentials; those of WriteHandovers.
  absl::Status Forward(const std::string& database, const std::string& table,
                       const HandoverTarget& to) ABSL_LOCKS_EXCLUDED(mutex_, changing_);
  // Errors: kNotFound; those of WriteHandovers.
  absl::Status End(const std::string& database, const std::string& table)
      ABSL_LOCKS_EXCLUDED(mutex_, changing_);

  // In the order of databases and tables.
  std::vector<HandoverReport> List() const ABSL_LOCKS_EXCLUDED(mutex_);
  void AddMetrics(MetricFamilies* families) const;

 private:
  class Entry;
  using Key = std::pair<std::string, std::string>;  // database, table
  using Entries = std::map<Key, std::shared_ptr<Entry>>;
  struct Found;

  explicit Handovers(HandoverOptions options) : options_(std::move(options)) {}

  Entries entries() const ABSL_LOCKS_EXCLUDED(mutex_);
  std::shared_ptr<Entry> Find(const Key& key) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Writes the file, and then replaces the entry; nullptr: removes it.
  absl::Status Put(const Key& key, std::shared_ptr<Entry> entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_) ABSL_LOCKS_EXCLUDED(mutex_);
  void Note(const std::string& text) const;
  Found FindEntries(const HandoverCall& call, std::string_view operation,
                    const JsonTree& body) const;
  JsonResponse ForwardPart(const HandoverCall& call, JsonTree body, const Found& found) const;
  JsonResponse ForwardCall(const HandoverCall& call, std::string_view body, Entry* entry) const;

  const HandoverOptions options_;
  RunningCalls running_;
  std::atomic<bool> has_any_ = false;
  absl::Mutex changing_ ABSL_ACQUIRED_BEFORE(mutex_);  // held by who changes one, and the file
  mutable absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::handover

#endif  // DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVERS_H_
