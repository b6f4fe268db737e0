// Ships a store while a server writes to it: the new bytes of its logs every second, and its table
// files, each once, with every base. What is at the target, and the bases and segments that make a
// store of it again: README.md.
#ifndef DYNOLITH_TOOLS_SHIP_SHIPPER_H_
#define DYNOLITH_TOOLS_SHIP_SHIPPER_H_

#include <atomic>
#include <cstddef>
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
#include "engine/store/following/log_observer.h"
#include "tools/ship/attempts.h"
#include "tools/ship/base.h"
#include "tools/ship/log_tail.h"
#include "tools/ship/segment.h"
#include "tools/ship/shipping_state.h"
#include "tools/ship/target/ship_target.h"
#include "tools/ship/target_content.h"

namespace dynolith::ship {

struct ShipOptions {
  std::string url;       // of the target (tools/ship/target)
  std::string endpoint;  // of S3's protocol; empty: that of AWS, or of the usual variables
  absl::Duration interval = absl::Seconds(1);
  // A base is made once so much time has passed and anything was written, or the logs since the
  // last one are as long as `base_bytes`.
  absl::Duration base_interval = absl::Hours(1);
  uint64_t base_bytes = uint64_t{1} << 30;
  // How far back a restore can go; zero: to the beginning.
  absl::Duration keep = absl::Hours(24 * 7);
  // If more bytes of logs than these wait, they are given up, and a base replaces them.
  uint64_t backlog_bytes = uint64_t{1} << 30;
  // Whether this store may go on from what another one has shipped, which then can ship no more.
  bool take_over = false;
  // The folder of the store.
  std::string folder;
  bool is_encrypted = false;
  // For the server's log: what somebody should know, and what somebody should look after.
  std::function<void(std::string_view)> note;
  std::function<void(std::string_view)> warn;
  // As of ReceiveOptions, for a take-over.
  bool (*is_over)() = nullptr;
  // Another store ships from now on: this one must not acknowledge anything any more. Called once,
  // on a thread of the shipper's.
  std::function<void(const absl::Status&)> fenced;
};

struct ShippingReport {
  std::string target;
  // All that was committed by then is at the target, with a base for it; nullopt: nothing is yet.
  std::optional<absl::Time> shipped;
  std::optional<absl::Time> base;  // the newest one
  uint64_t segments = 0;           // since the start, as what follows
  uint64_t bytes = 0;              // of segments and files
  uint64_t files = 0;
  uint64_t bases = 0;
  uint64_t failures = 0;
  uint64_t backlog_bytes = 0;
  // The last failure, and since when there has been no success; nullopt: there is none.
  std::optional<absl::Time> away_since;
  std::string why_away;
};

// Thread-safe. Must outlive the database whose options name it as the observer of its log.
class Shipper final : public LogObserver {
 public:
  // Errors: kInvalidArgument for a URL that is none; those of CheckApart and ReadShippingState.
  static absl::StatusOr<std::unique_ptr<Shipper>> Open(ShipOptions options);
  ~Shipper() override;

  // Once the store is open. `checkpoint` makes a copy of it in a new folder. If the target cannot
  // be reached, a store that has shipped there before goes on. Errors: kFailedPrecondition if
  // another store ships there; OpenTarget's and the target's.
  using MakeCheckpoint = std::function<absl::Status(const std::string& to)>;
  absl::Status Begin(MakeCheckpoint checkpoint);
  // Ships what there is, for `patience` at most, and ends, if it has begun. Before the store is
  // closed.
  void Stop(absl::Duration patience);

  ShippingReport Report() const ABSL_LOCKS_EXCLUDED(mutex_);

  void OnLogDeletion(const std::string& file) override;
  void OnRowsBesideLog(std::string_view folder, bool is_done) override;

 private:
  // A segment on its way: sent until the target has it.
  struct Pending {
    uint64_t number = 0;
    uint64_t chain = 0;
    std::string text;
    std::optional<LogTail::Position> behind;  // nullopt: it has no parts
    uint64_t bytes = 0;
  };

  explicit Shipper(ShipOptions options);

  // Does what may ask the target, which is interrupted after that time.
  absl::Status Within(absl::Duration patience, absl::FunctionRef<absl::Status()> work);
  absl::Status OpenTargetIfClosed();
  absl::Duration ShipPiece();
  absl::Duration BasePiece();
  // Looks at the target, and goes on where this store was, or else waits for a base. Errors: those
  // of Begin.
  absl::Status Attach() ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasShippedThere() const ABSL_LOCKS_EXCLUDED(state_mutex_);
  // Whether the folder holds the store whose base is there. Errors: kFailedPrecondition if it does
  // not, unless it takes over.
  absl::StatusOr<bool> IsStoreOf(const TargetContent& content) const;
  // So that the next start knows whether the store was open in between.
  void NoteManifest() ABSL_LOCKS_EXCLUDED(state_mutex_);
  // Says at the target that this store ships from now on.
  absl::Status Announce(uint64_t number) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status ShipNew() ABSL_LOCKS_EXCLUDED(writing_mutex_, mutex_);
  // Whether there is a base from which segments lead to what is there.
  bool LeadsOn() const ABSL_LOCKS_EXCLUDED(mutex_);
  // The next segment; false: nothing is new, or a base is needed first. Sets `is_last` if it comes
  // to the end of the logs.
  absl::StatusOr<bool> Prepare(bool* is_last) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Puts the pending segment; false: there is none.
  absl::StatusOr<bool> PutPending() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Put(const Pending& pending) ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Puts a segment without parts, and returns its number.
  absl::StatusOr<uint64_t> PutMark(uint64_t chain) ABSL_LOCKS_EXCLUDED(writing_mutex_, mutex_);
  // Fails if another store has taken over. Nobody puts a segment meanwhile, which would look like
  // another store's.
  absl::Status LookForOthers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_mutex_)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Fence(std::string_view other) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives up what waits if it is too much.
  absl::Status BoundBacklog() ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveUp(uint64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  bool IsBaseDue() const ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status MakeBase() ABSL_LOCKS_EXCLUDED(mutex_);
  // Segments of the chain begin behind the checkpoint, unless they have begun.
  void SetPosition(uint64_t chain, const LogTail::LogsOfCheckpoint& logs)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status ShipUpTo(uint64_t chain, const LogTail::Position& end) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Publish(const Base& base) ABSL_LOCKS_EXCLUDED(mutex_, state_mutex_);
  void SetBase(std::optional<Base> base) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Somebody may have removed what was there.
  absl::Status LookAtFiles() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status CheckThere(const Base& base) const ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<StoreSnapshot> Upload(const std::string& checkpoint, const std::string& name)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<SnapshotFile> UploadFile(const std::string& path, const std::string& name)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status RemoveOld() ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether it is the folder of the store: other databases have the same observer.
  bool IsStore(std::string_view folder) const;
  // Logs no longer lead from what was shipped to what is there.
  void BreakChain(std::string_view why) ABSL_LOCKS_EXCLUDED(state_mutex_);
  void BeginChain() ABSL_LOCKS_EXCLUDED(state_mutex_);
  // Writes the state file, or removes it: with an old one the next start would go on where it must
  // not.
  void KeepState() ABSL_EXCLUSIVE_LOCKS_REQUIRED(state_mutex_);
  uint64_t chain() const ABSL_LOCKS_EXCLUDED(state_mutex_);
  std::string owner() const ABSL_LOCKS_EXCLUDED(state_mutex_);
  // Never earlier than before, so that the order of segments is that of their times.
  absl::Time Now() ABSL_LOCKS_EXCLUDED(mutex_);
  // What has failed since when; a work that succeeds only ends its own failures.
  struct Trouble {
    std::optional<absl::Time> since;
    std::string why;
    absl::Duration pause;  // until the next attempt
  };
  void NoteResult(const absl::Status& result, Trouble* trouble) ABSL_LOCKS_EXCLUDED(mutex_);

  const ShipOptions options_;
  const std::string state_file_;
  const LogTail tail_;
  std::atomic<bool> interrupted_ = false;
  std::unique_ptr<ShipTarget> target_;
  MakeCheckpoint checkpoint_;
  bool is_running_ = false;   // between Begin and Stop
  bool was_shipped_ = false;  // as long as the store was open, until this start

  mutable absl::Mutex state_mutex_;  // acquired after mutex_
  ShippingState state_ ABSL_GUARDED_BY(state_mutex_);
  bool has_state_ ABSL_GUARDED_BY(state_mutex_) = false;
  bool is_state_lost_ ABSL_GUARDED_BY(state_mutex_) = false;  // its file could not be written
  int loads_ ABSL_GUARDED_BY(state_mutex_) = 0;  // of rows beside the logs, that are under way

  // Held by who puts a segment, while the target answers; acquired before mutex_.
  absl::Mutex writing_mutex_;
  mutable absl::Mutex mutex_;
  bool is_attached_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_fenced_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t next_segment_ ABSL_GUARDED_BY(mutex_) = 1;
  // Where the segments of `position_chain_` have come to; nullopt: a base comes first.
  std::optional<LogTail::Position> position_ ABSL_GUARDED_BY(mutex_);
  uint64_t position_chain_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<Pending> pending_ ABSL_GUARDED_BY(mutex_);
  absl::Time last_time_ ABSL_GUARDED_BY(mutex_);
  absl::Time complete_ ABSL_GUARDED_BY(mutex_) = absl::UnixEpoch();  // of the last segment
  std::optional<SteadyTime> looked_ ABSL_GUARDED_BY(mutex_);         // for others; nullopt: not yet
  // The newest base at the target.
  std::optional<Base> base_ ABSL_GUARDED_BY(mutex_);
  SteadyTime known_base_ ABSL_GUARDED_BY(mutex_);    // since when it is
  absl::Duration base_age_ ABSL_GUARDED_BY(mutex_);  // then
  uint64_t bytes_since_base_ ABSL_GUARDED_BY(mutex_) = 0;
  // Names of objects that are there.
  FileObjects uploaded_ ABSL_GUARDED_BY(mutex_);
  ShippingReport report_ ABSL_GUARDED_BY(mutex_);
  Trouble segment_trouble_ ABSL_GUARDED_BY(mutex_);
  Trouble base_trouble_ ABSL_GUARDED_BY(mutex_);

  BackgroundThreads threads_{2};
  BackgroundWork segments_{&threads_, [this] { return ShipPiece(); }};
  BackgroundWork bases_{&threads_, [this] { return BasePiece(); }};
};

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_SHIPPER_H_
