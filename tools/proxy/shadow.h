// A second endpoint behind the first: it gets the writes, too, and reads for comparison.
#ifndef DYNOLITH_TOOLS_PROXY_SHADOW_H_
#define DYNOLITH_TOOLS_PROXY_SHADOW_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "tools/proxy/answer_difference.h"
#include "tools/proxy/endpoint.h"
#include "tools/server/http/request.h"
#include "tools/server/http/response.h"
#include "tools/server/log.h"

namespace dynolith::proxy {

struct ShadowOptions {
  Endpoint* target = nullptr;  // borrowed, as the next ones
  Endpoint* shadow = nullptr;
  Log* log = nullptr;
  // Whether the first answer of a read is the shadow's, and is compared with the target's.
  bool reads_from_shadow = false;
  double compare_share = 1;      // of reads, from 0 to 1
  std::string differences_file;  // empty: only the log has them
  size_t waiting_max = 1000;     // reads that wait for their comparison
  size_t waiting_bytes_max = 64 << 20;
};

struct ShadowCounts {
  uint64_t writes = 0;         // that both have answered alike
  uint64_t failed_writes = 0;  // that only the target has made, or both with other answers
  // That the shadow did not get, although the target may have made them: that has not answered, or
  // the call could not be read.
  uint64_t unclear_writes = 0;
  uint64_t equal_reads = 0;
  uint64_t passing_reads = 0;  // that differed, and did not when they were repeated
  uint64_t different_reads = 0;
  uint64_t failed_reads = 0;        // that the shadow, or the target once more, has not answered
  uint64_t incomparable_reads = 0;  // pages of scans
  uint64_t uncompared_reads = 0;    // for want of room in the queue
};

// A call that the target has answered. Borrows.
struct ShadowedCall {
  std::string_view target;  // of X-Amz-Target
  std::string_view operation;
  std::string_view body;  // as the target got it, without a content coding
  ComparedAnswer answer;
};

// Thread-safe.
class Shadow {
 public:
  // Errors: the differences' file cannot be written; StartThread's.
  static absl::StatusOr<std::unique_ptr<Shadow>> Start(const ShadowOptions& options);
  ~Shadow() { Stop(); }

  // Held around a write at both endpoints, so that two writes of one item have one order. `items`:
  // a number for each item.
  class Turn {
   public:
    Turn(Shadow* shadow, const std::vector<uint64_t>& items);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::set<size_t> taken_;
    Shadow* const shadow_;
  };

  // Whether the next read is to be compared.
  bool DrawsComparison();
  // Compares the read later.
  void CompareRead(const ShadowedCall& call) ABSL_LOCKS_EXCLUDED(mutex_);
  // Sends the write, of which the target has answered that it is made.
  void Write(const http::Request& request, const ShadowedCall& call);
  void NoteUnclearWrite(std::string_view operation, std::string_view why);

  ShadowCounts Counts() const ABSL_LOCKS_EXCLUDED(mutex_);
  const std::string& url() const { return options_.shadow->url(); }

  static constexpr int kWorkers = 4;

  // Finishes the comparison of what waits, until an endpoint does not answer; what is left is not
  // compared. Idempotent.
  void Stop();

 private:
  static constexpr size_t kTurns = 1024;
  struct Job {
    std::string target;
    std::string operation;
    std::string body;
    int status = 0;
    std::string answer;
    size_t bytes() const { return body.size() + answer.size(); }
  };

  explicit Shadow(const ShadowOptions& options) : options_(options) {}
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether both have answered.
  bool Compare(const Job& job);
  // What waits will not be compared.
  void GiveUp() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The answer of both to the call, once more. False: one of them has not answered.
  bool AskAgain(const Job& job, client::HttpAnswer* target, client::HttpAnswer* shadow);
  void Report(const ShadowedCall& call, const ComparedAnswer& shadow,
              const std::vector<AnswerDifference>& differences);
  void Count(uint64_t ShadowCounts::*which) ABSL_LOCKS_EXCLUDED(mutex_);

  const ShadowOptions options_;
  int file_ = -1;
  std::array<absl::Mutex, kTurns> turns_;
  std::atomic<uint64_t> reads_ = 0;
  mutable absl::Mutex mutex_;
  ShadowCounts counts_ ABSL_GUARDED_BY(mutex_);
  std::deque<Job> waiting_ ABSL_GUARDED_BY(mutex_);
  size_t waiting_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_file_failed_ ABSL_GUARDED_BY(mutex_) = false;
  std::array<std::thread, kWorkers> workers_;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_SHADOW_H_
