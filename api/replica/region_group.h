// The regions of a process: their open databases, the dials of the links between them, and the work
// that their replicas need.
#ifndef DYNOLITH_API_REPLICA_REGION_GROUP_H_
#define DYNOLITH_API_REPLICA_REGION_GROUP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/replica/strong_tables.h"
#include "api/request/operation_context.h"
#include "api/request/region_peers.h"
#include "dynolith/regions.h"
#include "engine/base/clock.h"
#include "engine/process/background_work.h"
#include "engine/process/forked_process.h"

namespace dynolith {

// Thread-safe. Lock order: round_mutex_, members_mutex_, the turns of strong_, Table::gate, row
// locks, dials_mutex_.
class RegionGroup final : public Regions, public RegionPeers {
 public:
  RegionGroup();
  ~RegionGroup() override;
  // In a child of the process that made it, it is left as it is: its end would wait for a thread of
  // the parent.
  static void operator delete(RegionGroup* group, std::destroying_delete_t) {
    if (group->process_.IsForked()) return;
    group->~RegionGroup();
    ::operator delete(group);
  }

  // Errors: AccessDeniedException for a child of the process that made it. So do all calls below
  // that have a status; the others do nothing there.
  absl::Status CheckNotForked() const;

  // A database is open, or will be closed. `clock`: nullptr if it is the machine's. A later
  // database of the same region takes the place of an earlier one.
  void Join(const OperationContext* context, ManualClock* clock)
      ABSL_LOCKS_EXCLUDED(members_mutex_);
  void Leave(const OperationContext* context) ABSL_LOCKS_EXCLUDED(members_mutex_);

  absl::Status SetLag(std::string_view from, std::string_view to, const ReplicaLag& lag) override;
  void SetCut(std::string_view region, bool is_cut) override;
  absl::Status SetOverlap(absl::Duration overlap) override ABSL_LOCKS_EXCLUDED(members_mutex_);
  void Release() override;
  absl::Status SetSkew(std::string_view region, absl::Duration skew) override;
  absl::Status Settle() override ABSL_LOCKS_EXCLUDED(round_mutex_);
  absl::StatusOr<std::vector<ReplicaLink>> Report() const override
      ABSL_LOCKS_EXCLUDED(members_mutex_);

  absl::StatusOr<std::vector<GlobalTable>> Tables() const override
      ABSL_LOCKS_EXCLUDED(members_mutex_);
  bool NamesStrong(std::string_view call) const override {
    return uses_strong_.load(std::memory_order_relaxed) && strong_.IsNamedIn(call);
  }
  int64_t Conflicts(std::string_view region) const override ABSL_LOCKS_EXCLUDED(members_mutex_);

  bool Serves(std::string_view region) const override ABSL_LOCKS_EXCLUDED(members_mutex_);
  absl::Status WithPeer(std::string_view region,
                        absl::FunctionRef<absl::Status(const OperationContext&)> run) const override
      ABSL_LOCKS_EXCLUDED(members_mutex_);
  void Wake() override;
  absl::StatusOr<std::unique_ptr<StrongUse>> UseStrong(const OperationContext& context,
                                                       absl::Span<const std::string_view> tables,
                                                       StrongAccess access) override;

 private:
  class States;
  class MembersUse;
  struct Member {
    const OperationContext* context = nullptr;
    ManualClock* clock = nullptr;
    int follower = 0;  // of the clock
  };
  using LinkName = std::pair<std::string, std::string>;  // from, to
  struct LinkCounts {
    int64_t arrived = 0;
    int64_t lost = 0;
  };
  // What one look at all replicas has found.
  struct Round {
    bool has_more = false;                   // that can be done at once
    std::optional<absl::Duration> next_due;  // by a clock that goes by itself
    bool is_refused = false;                 // a write, for now
    absl::Status failure;                    // the first
  };

  absl::Duration Work() ABSL_LOCKS_EXCLUDED(round_mutex_);
  Round DoRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(round_mutex_) ABSL_LOCKS_EXCLUDED(members_mutex_);
  void TendTable(const Member& member, Table* table, Round* round)
      ABSL_SHARED_LOCKS_REQUIRED(members_mutex_);
  absl::Status TendReplica(const Member& member, Table* table, const Replica& replica, Round* round)
      ABSL_SHARED_LOCKS_REQUIRED(members_mutex_);
  // Whether all regions of the table's replicas have joined: they do so one after the other, and
  // all have to be told who becomes a replica and who is none any more.
  bool AreAllThere(const TableMeta& meta) const ABSL_SHARED_LOCKS_REQUIRED(members_mutex_);
  absl::Status Send(const Member& member, const TableMeta& meta, const OperationContext& to,
                    Round* round) ABSL_SHARED_LOCKS_REQUIRED(members_mutex_);
  absl::Status Remove(const OperationContext& from, const TableMeta& meta,
                      const OperationContext& target, Round* round)
      ABSL_SHARED_LOCKS_REQUIRED(members_mutex_);
  const OperationContext* Find(std::string_view region) const
      ABSL_SHARED_LOCKS_REQUIRED(members_mutex_);
  // All but those two, which may be the same.
  std::vector<const OperationContext*> Others(std::string_view one, std::string_view other) const
      ABSL_SHARED_LOCKS_REQUIRED(members_mutex_);
  ReplicaLag LagOf(std::string_view from, std::string_view to) const
      ABSL_LOCKS_EXCLUDED(dials_mutex_);
  bool IsCut(std::string_view from, std::string_view to) const ABSL_LOCKS_EXCLUDED(dials_mutex_);
  void NoteSent(std::string_view from, std::string_view to, const SendResult& sent)
      ABSL_LOCKS_EXCLUDED(dials_mutex_);
  static void NoteDue(const Member& member, absl::Time due, Round* round);

  const MakingProcess process_{};
  std::atomic<bool> uses_strong_ = false;

  absl::Mutex round_mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(round_mutex_);  // the first that nobody has been told

  mutable absl::Mutex members_mutex_;
  std::map<std::string, Member, std::less<>> members_ ABSL_GUARDED_BY(members_mutex_);

  mutable absl::Mutex dials_mutex_;
  // An empty name stands for all regions; the most particular one counts.
  std::map<LinkName, ReplicaLag> lags_ ABSL_GUARDED_BY(dials_mutex_);
  std::set<std::string, std::less<>> cut_ ABSL_GUARDED_BY(dials_mutex_);
  std::map<LinkName, LinkCounts> counts_ ABSL_GUARDED_BY(dials_mutex_);
  absl::Duration overlap_ ABSL_GUARDED_BY(dials_mutex_);

  const std::unique_ptr<RegionStates> states_;
  StrongTables strong_;

  BackgroundThreads threads_{1};
  BackgroundWork work_{&threads_, [this] { return Work(); }};  // last: it stops before the rest
};

}  // namespace dynolith

#endif  // DYNOLITH_API_REPLICA_REGION_GROUP_H_
