#include "api/replica/region_group.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "api/replica/change_sender.h"
#include "api/replica/messages.h"
#include "api/replica/replica_upkeep.h"
#include "api/request/call_bounds.h"
#include "engine/base/errors.h"
#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/replica/replica_log.h"

namespace dynolith {
namespace {

// Changes, or rows of a new replica, that one look carries over for each table and region.
constexpr size_t kRowsOfRound = 200;
// After a failure, or a write that capacity refuses.
constexpr absl::Duration kRetryPause = absl::Milliseconds(200);

// The same for the same seed and change, and evenly spread: FNV-1a, mixed once more.
uint64_t Spread(uint64_t seed, std::string_view key) {
  uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (const char c : key) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccd;
  return hash ^ (hash >> 33);
}

absl::Time DueAt(const ReplicaLag& lag, absl::Time written, std::string_view key) {
  // At once, even if the clock has been set back.
  if (lag.most <= absl::ZeroDuration()) return absl::InfinitePast();
  const int64_t range = absl::ToInt64Microseconds(lag.most - lag.least);
  if (range <= 0) return written + lag.least;
  const uint64_t step = Spread(lag.seed, key) % (static_cast<uint64_t>(range) + 1);
  return written + lag.least + absl::Microseconds(static_cast<int64_t>(step));
}

// A write that finds no capacity, or a transaction under way, stays pending.
bool IsRefusedForNow(const absl::Status& status) {
  const ErrorKind kind = KindOf(status);
  return kind == ErrorKind::kProvisionedThroughputExceeded || kind == ErrorKind::kThrottling ||
         kind == ErrorKind::kTransactionConflict;
}

}  // namespace

std::unique_ptr<Regions> Regions::Make() { return std::make_unique<RegionGroup>(); }

absl::Status RegionGroup::CheckNotForked() const {
  return process_.IsForked() ? MakeError(ErrorKind::kAccessDenied, messages::RegionsOfParent())
                             : absl::OkStatus();
}

// --- Strong tables

// Of members that do not change: the caller holds their mutex, which Clang cannot follow.
class RegionGroup::States final : public RegionStates {
 public:
  explicit States(RegionGroup* group) : group_(group) {}

  const OperationContext* Find(std::string_view region) const override
      ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return group_->Find(region);
  }
  bool IsCut(std::string_view region) const override { return group_->IsCut(region, region); }
  bool IsDelayed(std::string_view from, std::string_view to) const override {
    const ReplicaLag lag = group_->LagOf(from, to);
    return lag.is_paused || lag.most > absl::ZeroDuration();
  }
  void NoteSent(std::string_view from, std::string_view to, const SendResult& sent) override {
    group_->NoteSent(from, to, sent);
  }

 private:
  RegionGroup* const group_;
};

// A use, and the members as long as it lives.
class RegionGroup::MembersUse final : public StrongUse {
 public:
  explicit MembersUse(absl::Mutex* members) ABSL_NO_THREAD_SAFETY_ANALYSIS : members_(members) {
    members_->ReaderLock();
  }
  MembersUse(const MembersUse&) = delete;
  MembersUse& operator=(const MembersUse&) = delete;
  ~MembersUse() override ABSL_NO_THREAD_SAFETY_ANALYSIS {
    use_.reset();
    members_->ReaderUnlock();
  }
  absl::Status CarryOver() override { return use_->CarryOver(); }
  void Set(std::unique_ptr<StrongUse> use) { use_ = std::move(use); }

 private:
  absl::Mutex* const members_;
  std::unique_ptr<StrongUse> use_;
};

RegionGroup::RegionGroup() : states_(std::make_unique<States>(this)), strong_(states_.get()) {}
RegionGroup::~RegionGroup() = default;

absl::StatusOr<std::unique_ptr<StrongUse>> RegionGroup::UseStrong(
    const OperationContext& context, absl::Span<const std::string_view> tables,
    StrongAccess access) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotForked());
  if (context.allowance != nullptr) {
    // An event loop does not wait for others' turns. Where the call goes on depends on the names.
    strong_.NoteUse(tables);
    uses_strong_.store(true, std::memory_order_relaxed);
    context.allowance->Spend(std::numeric_limits<size_t>::max());
    return absl::CancelledError();
  }
  uses_strong_.store(true, std::memory_order_relaxed);
  auto use = std::make_unique<MembersUse>(&members_mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<StrongUse> turns, strong_.Use(context, tables, access));
  use->Set(std::move(turns));
  return use;
}

// --- Members

void RegionGroup::Join(const OperationContext* context, ManualClock* clock) {
  Member member{.context = context, .clock = clock};
  if (clock != nullptr) {
    member.follower = clock->Follow([this] {
      if (process_.IsForked()) return;
      const absl::Status settled = Settle();
      absl::MutexLock lock(&round_mutex_);
      failure_.Update(settled);
    });
  }
  if (context->replica_log != nullptr) context->replica_log->TellOf([this] { Wake(); });
  Member before;
  {
    absl::MutexLock lock(&members_mutex_);
    before = std::exchange(members_[context->region], member);
    strong_.ForgetWhoIsCurrent();
    absl::MutexLock dials(&dials_mutex_);
    if (context->replica_log != nullptr) context->replica_log->SetOverlap(overlap_);
  }
  // One that is replaced, and leaves later.
  if (before.clock != nullptr) before.clock->Unfollow(before.follower);
  Wake();
}

void RegionGroup::Leave(const OperationContext* context) {
  if (context->replica_log != nullptr) context->replica_log->TellOf(nullptr);
  Member left;
  {
    // Waits for everybody who works with it.
    absl::MutexLock lock(&members_mutex_);
    const auto found = members_.find(context->region);
    if (found == members_.end() || found->second.context != context) return;
    left = found->second;
    members_.erase(found);
  }
  if (left.clock != nullptr) left.clock->Unfollow(left.follower);
}

const OperationContext* RegionGroup::Find(std::string_view region) const {
  const auto found = members_.find(region);
  return found == members_.end() ? nullptr : found->second.context;
}

std::vector<const OperationContext*> RegionGroup::Others(std::string_view one,
                                                         std::string_view other) const {
  std::vector<const OperationContext*> others;
  for (const auto& [region, member] : members_) {
    if (region != one && region != other) others.push_back(member.context);
  }
  return others;
}

bool RegionGroup::Serves(std::string_view region) const {
  if (process_.IsForked()) return false;
  absl::ReaderMutexLock lock(&members_mutex_);
  return Find(region) != nullptr;
}

absl::Status RegionGroup::WithPeer(
    std::string_view region, absl::FunctionRef<absl::Status(const OperationContext&)> run) const {
  DYNOLITH_RETURN_IF_ERROR(CheckNotForked());
  absl::ReaderMutexLock lock(&members_mutex_);
  const OperationContext* const peer = Find(region);
  if (peer == nullptr) {
    return MakeError(ErrorKind::kServiceUnavailable, messages::RegionNotOpen(region));
  }
  return run(*peer);
}

// --- Dials

absl::Status RegionGroup::SetLag(std::string_view from, std::string_view to,
                                 const ReplicaLag& lag) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotForked());
  if (lag.least < absl::ZeroDuration() || lag.most < lag.least) {
    return absl::InvalidArgumentError(messages::LagOutOfOrder());
  }
  {
    // A look that has begun with the old lag ends first.
    absl::MutexLock round(&round_mutex_);
    absl::MutexLock lock(&dials_mutex_);
    // What is set for several links counts for all of them.
    std::erase_if(lags_, [&](const auto& set) {
      return (from.empty() || set.first.first == from) && (to.empty() || set.first.second == to);
    });
    lags_[{std::string(from), std::string(to)}] = lag;
  }
  Wake();
  return absl::OkStatus();
}

void RegionGroup::SetCut(std::string_view region, bool is_cut) {
  if (process_.IsForked()) return;
  {
    absl::MutexLock round(&round_mutex_);
    absl::MutexLock lock(&dials_mutex_);
    is_cut ? static_cast<void>(cut_.emplace(region))
           : static_cast<void>(cut_.erase(std::string(region)));
  }
  Wake();
}

absl::Status RegionGroup::SetOverlap(absl::Duration overlap) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotForked());
  if (overlap < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(messages::OverlapNegative());
  }
  absl::ReaderMutexLock members(&members_mutex_);
  absl::MutexLock lock(&dials_mutex_);
  overlap_ = overlap;
  for (const auto& [region, member] : members_) {
    if (member.context->replica_log != nullptr) member.context->replica_log->SetOverlap(overlap);
  }
  return absl::OkStatus();
}

void RegionGroup::Release() {
  if (process_.IsForked()) return;
  SetOverlap(absl::ZeroDuration()).IgnoreError();
  {
    absl::MutexLock lock(&dials_mutex_);
    lags_.clear();
    cut_.clear();
  }
  Wake();
}

absl::Status RegionGroup::SetSkew(std::string_view region, absl::Duration skew) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotForked());
  absl::ReaderMutexLock lock(&members_mutex_);
  const OperationContext* const member = Find(region);
  if (member == nullptr || member->replica_log == nullptr) {
    return absl::NotFoundError(messages::RegionNotOpen(region));
  }
  member->replica_log->SetSkew(skew);
  return absl::OkStatus();
}

ReplicaLag RegionGroup::LagOf(std::string_view from, std::string_view to) const {
  absl::MutexLock lock(&dials_mutex_);
  const LinkName names[] = {{std::string(from), std::string(to)},
                            {std::string(from), ""},
                            {"", std::string(to)},
                            {"", ""}};
  for (const LinkName& name : names) {
    if (const auto found = lags_.find(name); found != lags_.end()) return found->second;
  }
  return {};
}

bool RegionGroup::IsCut(std::string_view from, std::string_view to) const {
  absl::MutexLock lock(&dials_mutex_);
  return cut_.contains(from) || cut_.contains(to);
}

// --- Work

void RegionGroup::Wake() {
  if (!process_.IsForked()) work_.Wake();
}

absl::Duration RegionGroup::Work() {
  absl::MutexLock lock(&round_mutex_);
  const Round round = DoRound();
  failure_.Update(round.failure);
  if (round.has_more) return absl::ZeroDuration();
  const absl::Duration pause = round.next_due.value_or(absl::InfiniteDuration());
  return round.failure.ok() && !round.is_refused ? pause : std::min(pause, kRetryPause);
}

absl::Status RegionGroup::Settle() {
  DYNOLITH_RETURN_IF_ERROR(CheckNotForked());
  for (;;) {
    absl::MutexLock lock(&round_mutex_);
    const Round round = DoRound();
    if (round.has_more) continue;
    failure_.Update(round.failure);
    return std::exchange(failure_, absl::OkStatus());
  }
}

RegionGroup::Round RegionGroup::DoRound() {
  Round round;
  absl::ReaderMutexLock lock(&members_mutex_);
  for (const auto& [region, member] : members_) {
    if (member.context->store->read_only()) continue;
    for (const std::shared_ptr<Table>& table : member.context->catalog->All()) {
      if (!table->meta()->replicas.empty()) TendTable(member, table.get(), &round);
    }
  }
  return round;
}

void RegionGroup::NoteDue(const Member& member, absl::Time due, Round* round) {
  if (member.clock != nullptr) return;  // its next move looks again
  const absl::Duration pause = std::max(due - member.context->clock->Now(), absl::Milliseconds(1));
  round->next_due = std::min(round->next_due.value_or(pause), pause);
}

void RegionGroup::TendTable(const Member& member, Table* table, Round* round) {
  const std::shared_ptr<const TableMeta> meta = table->meta();
  std::optional<absl::MutexLock> turn;
  if (meta->is_strong) turn.emplace(strong_.TurnOf(meta->schema.name));
  for (const Replica& replica : meta->replicas) {
    const absl::Status status = TendReplica(member, table, replica, round);
    // What is gone has a change in the metadata of its own.
    if (absl::IsNotFound(status)) continue;
    IsRefusedForNow(status) ? static_cast<void>(round->is_refused = true)
                            : round->failure.Update(status);
  }
}

bool RegionGroup::AreAllThere(const TableMeta& meta) const {
  for (const Replica& replica : meta.replicas) {
    if (Find(replica.region) == nullptr) return false;
  }
  return true;
}

absl::Status RegionGroup::TendReplica(const Member& member, Table* table, const Replica& replica,
                                      Round* round) {
  const OperationContext& from = *member.context;
  const OperationContext* const to = Find(replica.region);
  if (to == nullptr) return absl::OkStatus();
  const std::shared_ptr<const TableMeta> meta = table->meta();
  if (replica.deleting_from) {
    if (!AreAllThere(*meta)) return absl::OkStatus();
    if (*replica.deleting_from <= from.clock->Now()) return Remove(from, *meta, *to, round);
    NoteDue(member, *replica.deleting_from, round);
    return absl::OkStatus();
  }
  if (IsCut(from.region, to->region) || LagOf(from.region, to->region).is_paused) {
    return absl::OkStatus();
  }
  if (!replica.is_filled) {
    if (!AreAllThere(*meta)) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_replica, MakeReplica(from, *meta, replica, *to,
                                                                 Others(from.region, to->region)));
    if (!is_replica) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(FillReplica(from, table, replica.region, *to, kRowsOfRound).status());
    round->has_more = true;
  }
  return Send(member, *meta, *to, round);
}

absl::Status RegionGroup::Send(const Member& member, const TableMeta& meta,
                               const OperationContext& to, Round* round) {
  const std::string& from = member.context->region;
  const ReplicaLag lag = LagOf(from, to.region);
  const auto due = [&lag](const ReplicaChange& change, std::string_view key) {
    return DueAt(lag, change.written, key);
  };
  DYNOLITH_ASSIGN_OR_RETURN(
      const SendResult sent,
      SendDue(*member.context, meta, to, member.context->clock->Now(), due, kRowsOfRound));
  // What waits for changes to be sent looks again.
  round->has_more |= sent.has_more || sent.arrived > 0;
  if (sent.next_due) NoteDue(member, *sent.next_due, round);
  NoteSent(from, to.region, sent);
  return absl::OkStatus();
}

void RegionGroup::NoteSent(std::string_view from, std::string_view to, const SendResult& sent) {
  absl::MutexLock lock(&dials_mutex_);
  LinkCounts& counts = counts_[{std::string(from), std::string(to)}];
  counts.arrived += sent.arrived;
  counts.lost += sent.lost;
}

// First nobody writes there any more, then the others get the rest.
absl::Status RegionGroup::Remove(const OperationContext& from, const TableMeta& meta,
                                 const OperationContext& target, Round* round) {
  const std::string& name = meta.schema.name;
  const std::shared_ptr<Table> table = target.catalog->Find(name);
  if (table != nullptr && IsMember(*table->meta(), from.region)) {
    const bool is_closed = table->meta()->status == TableStatus::kDeleting;
    DYNOLITH_RETURN_IF_ERROR(CloseReplica(name, target));
    const std::shared_ptr<const TableMeta> closed = table->meta();
    for (const Replica& other : closed->replicas) {
      if (!other.is_filled) return absl::OkStatus();
      DYNOLITH_ASSIGN_OR_RETURN(const PendingChanges pending,
                                CountPending(target, *closed, other.region));
      if (pending.count == 0) continue;
      round->has_more |= !is_closed;
      return absl::OkStatus();
    }
  }
  DYNOLITH_RETURN_IF_ERROR(
      DeleteReplica(name, from.region, target, Others(target.region, target.region)));
  round->has_more = true;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ReplicaLink>> RegionGroup::Report() const {
  DYNOLITH_RETURN_IF_ERROR(CheckNotForked());
  std::vector<ReplicaLink> links;
  absl::ReaderMutexLock lock(&members_mutex_);
  for (const auto& [from, member] : members_) {
    for (const auto& [to, other] : members_) {
      if (from == to) continue;
      ReplicaLink& link = links.emplace_back();
      link.from = from;
      link.to = to;
      link.lag = LagOf(from, to);
      link.is_cut = IsCut(from, to);
      for (const std::shared_ptr<Table>& table : member.context->catalog->All()) {
        const std::shared_ptr<const TableMeta> meta = table->meta();
        if (meta->replicas.empty()) continue;
        DYNOLITH_ASSIGN_OR_RETURN(const PendingChanges pending,
                                  CountPending(*member.context, *meta, to));
        link.pending += pending.count;
        if (pending.oldest && (!link.oldest || *pending.oldest < *link.oldest)) {
          link.oldest = pending.oldest;
        }
      }
      absl::MutexLock dials(&dials_mutex_);
      if (const auto counts = counts_.find({from, to}); counts != counts_.end()) {
        link.arrived = counts->second.arrived;
        link.lost = counts->second.lost;
      }
    }
  }
  return links;
}

absl::StatusOr<std::vector<GlobalTable>> RegionGroup::Tables() const {
  DYNOLITH_RETURN_IF_ERROR(CheckNotForked());
  std::map<std::string, GlobalTable> tables;
  absl::ReaderMutexLock lock(&members_mutex_);
  for (const auto& [region, member] : members_) {
    for (const std::shared_ptr<Table>& table : member.context->catalog->All()) {
      const std::shared_ptr<const TableMeta> meta = table->meta();
      if (meta->replicas.empty()) continue;
      GlobalTable& shown = tables[meta->schema.name];
      shown.name = meta->schema.name;
      shown.is_strong = meta->is_strong;
      shown.regions.push_back(region);
      if (meta->witness) shown.witness = meta->witness->region;
    }
  }
  std::vector<GlobalTable> sorted;
  sorted.reserve(tables.size());
  for (auto& [name, table] : tables) sorted.push_back(std::move(table));
  return sorted;
}

int64_t RegionGroup::Conflicts(std::string_view region) const {
  if (process_.IsForked()) return 0;
  absl::ReaderMutexLock lock(&members_mutex_);
  const OperationContext* const member = Find(region);
  return member == nullptr || member->replica_log == nullptr ? 0 : member->replica_log->conflicts();
}

}  // namespace dynolith
