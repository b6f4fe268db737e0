// Keeps a folder up with what another machine's server ships, so that it can be read here
// (DatabaseOptions::follow), and so that this machine can go on in the other one's place.
//
//   DIR.receiving = "dynolith receiving 1\n" "target " url "\n" "base " name "\n"
//                   "next " number "\n" "complete " ms "\n" "current " crc "\n"
//                   ("log " number "\n" "bytes " number "\n")* end (state_file.h)
//                   beside the folder: all of the base, and of the segments after it before `next`,
//                   is in it. `base`: empty while one is fetched first, or put in place of another.
//                   current: CRC-32C of CURRENT, so that a start knows whether the store was opened
//                   bytes: the least length of a log
//                   next: behind the last one that goes on from the base, as those after it may be
//                   another store's
//
// The folder's store (engine/store/folder.h) is that of its first base for as long as
// anything is in the folder: a target with another one's is an error, since that could be an empty
// one that somebody has begun by mistake.
#ifndef DYNOLITH_TOOLS_SHIP_RECEIVER_H_
#define DYNOLITH_TOOLS_SHIP_RECEIVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/process/background_work.h"
#include "engine/store/folder_lock.h"
#include "tools/ship/attempts.h"
#include "tools/ship/base.h"
#include "tools/ship/log_files.h"
#include "tools/ship/segment.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

inline constexpr std::string_view kReceivingEnding = ".receiving";

struct ReceiveOptions {
  std::string url;       // of the target
  std::string endpoint;  // of S3's protocol; empty: is found
  absl::Duration interval = absl::Seconds(1);
  std::string folder;
  std::string encryption_key;  // of the store (StoreOptions::encryption_key)
  // For the server's log: what somebody should know, and what somebody should look after.
  std::function<void(std::string_view)> note;
  std::function<void(std::string_view)> warn;
  // Asked before each file and segment: whether to stop with kCancelled. nullptr: never.
  bool (*is_over)() = nullptr;
};

struct ReceivingReport {
  std::string target;
  std::string base;  // its name
  // All that had been committed by then is in the folder.
  absl::Time received;
  uint64_t segments = 0;  // since the start, as what follows
  uint64_t bytes = 0;     // of segments and files
  uint64_t bases = 0;
  uint64_t failures = 0;
  // What it waits for: a base that is on its way; empty: nothing.
  std::string waits;
  // The last failure, and since when there has been no success; nullopt: there is none.
  std::optional<absl::Time> away_since;
  std::string why_away;
};

struct ShipOptions;

// Thread-safe, but for Open and Begin.
class Receiver {
 public:
  // Holds the folder, which is made if there is none, so that nobody else opens it for writing.
  // Errors: CheckApart's; kUnavailable if it is held; kFailedPrecondition if it holds anything but
  // what was received from this target; ReadStateFile's.
  static absl::StatusOr<std::unique_ptr<Receiver>> Open(ReceiveOptions options);
  ~Receiver();

  // Fetches what there is, and goes on in the background. Then the folder is a store. A target that
  // is away, or holds another store, is no error if the folder is one already. Errors:
  // OpenTarget's, RestoreShipped's.
  absl::Status Begin();
  void Stop();

  ReceivingReport Report() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend absl::Status TakeOverReceived(const ShipOptions&, const std::string&,
                                       absl::FunctionRef<absl::Status()>);
  explicit Receiver(ReceiveOptions options);

  // `only_reads`: as of TargetOptions; else it must exist.
  absl::Status OpenTarget(bool only_reads);
  absl::Status CheckNotOver() const;
  // Of the folder. Errors: ReadStateFile's, kFailedPrecondition.
  absl::Status ReadState();
  absl::Status WriteState() const;
  // Says that what is in the folder is a whole store of a process that writes to it.
  absl::Status MarkStore() const;
  absl::Duration ReceivePiece() ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteResult(const absl::Status& result) ABSL_LOCKS_EXCLUDED(mutex_);
  // Goes on where a process before this one was, if the target is there.
  absl::Status Resume() ABSL_LOCKS_EXCLUDED(mutex_);
  // All that is there now. Errors: kFailedPrecondition for segments whose base has not come for a
  // while; kDataLoss for a segment that is missing.
  absl::Status ReceiveAll() ABSL_LOCKS_EXCLUDED(mutex_);
  // Adds segment `next` to the logs in a folder that has the base, and moves it on. False: there is
  // none, or one that does not go on from the base: sets `needs_base_`.
  absl::StatusOr<bool> ReceiveSegment(const Base& base, const std::string& folder, LogLengths* logs,
                                      uint64_t* next) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether there are later segments than the next one, which is missing.
  absl::StatusOr<bool> IsNextMissing();
  absl::Status WaitForBase(const std::string& why) ABSL_LOCKS_EXCLUDED(mutex_);
  // Their names. Errors: kNotFound if there is none, nor one that was received.
  absl::StatusOr<std::vector<std::string>> FindBases();
  // kFailedPrecondition if the base is of another store than the one that is here.
  absl::Status CheckIsSameStore(const Base& base) ABSL_LOCKS_EXCLUDED(mutex_);
  // False: there is no newer one, or segments lead to it. `skips`: whether segments up to it may be
  // left out.
  absl::StatusOr<bool> ReceiveBase(bool skips) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Fetch(const Base& base) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whatever is here: all segments after the base, to the logs that were fetched with it. Returns
  // the number of the next one.
  absl::StatusOr<uint64_t> FetchSegments(const Base& base) ABSL_LOCKS_EXCLUDED(mutex_);
  // `next`: the number of the segment that comes then. After an error there is no `base_` unless
  // the one before or this one is there.
  absl::Status Place(const Base& base, bool keeps_logs, uint64_t next) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status RemoveOthers(const Base& base) const;
  std::string In(std::string_view name) const;
  std::string Fetched(std::string_view name) const;

  const ReceiveOptions options_;
  const std::string state_file_;
  std::atomic<bool> interrupted_ = false;
  std::shared_ptr<const FolderLock> lock_;

  // Used by one thread at a time.
  std::unique_ptr<ShipTarget> target_;  // nullptr: it is not open yet
  std::optional<Base> base_;            // nullopt: the folder is no store
  std::optional<LogLengths> logs_;
  uint64_t next_segment_ = 1;
  uint64_t behind_last_ = 1;  // the next one, before those without parts that somebody else has put
  bool is_other_store_ = false;  // what the target holds
  bool needs_base_ = true;
  std::optional<SteadyTime> looked_around_;   // nullopt: not yet
  std::optional<SteadyTime> base_due_since_;  // nullopt: none is due
  absl::Time last_time_ = absl::UnixEpoch();  // of segments
  std::optional<std::string> no_base_yet_;    // why
  std::optional<SteadyTime> waits_since_;     // for that base; nullopt: it does not

  mutable absl::Mutex mutex_;
  ReceivingReport report_ ABSL_GUARDED_BY(mutex_);
  absl::Duration pause_ ABSL_GUARDED_BY(mutex_);

  BackgroundThreads threads_{1};
  BackgroundWork work_{&threads_, [this] { return ReceivePiece(); }};
};

// Before the folder of `options` is opened: if it is one that receives, what ships to it can ship
// no more from then on, its rest is fetched, and this store is the one that ships. Without
// `take_over` such a folder is refused. `check_opens`: whether it can be opened, which is asked
// before. Errors: kFailedPrecondition; Receiver's; those of `check_opens`.
absl::Status TakeOverReceived(const ShipOptions& options, const std::string& encryption_key,
                              absl::FunctionRef<absl::Status()> check_opens);

// kFailedPrecondition if the folder receives what another server ships, so that nobody writes there
// by mistake.
absl::Status CheckDoesNotReceive(const std::string& folder);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_RECEIVER_H_
