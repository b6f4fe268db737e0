#include "engine/replica/replica_log.h"

#include <algorithm>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/replica/messages.h"

namespace dynolith {

void ReplicaLog::TellOf(std::function<void()> changes) {
  absl::MutexLock lock(&mutex_);
  changes_ = std::move(changes);
}

void ReplicaLog::Tell() {
  absl::MutexLock lock(&mutex_);
  if (changes_) changes_();
}

absl::StatusOr<ItemVersion> ReplicaLog::VersionOf(const ReadView& rows, std::string_view row_key) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, rows.Get(Family::kLog, VersionKey(row_key), &row));
  if (!found) return ItemVersion();
  return DecodeVersion(row.value());
}

void ReplicaLog::Forget(StorageId table, WriteBatch* batch) {
  for (const std::string& prefix :
       {VersionPrefix(table), ChangePrefix(table), PlacePrefix(table)}) {
    batch->DeleteRange(Family::kLog, prefix, EndOfPrefix(prefix));
  }
}

void ReplicaLog::Forget(StorageId table, std::string_view region, WriteBatch* batch) {
  const std::string prefix = ChangePrefix(table, region);
  batch->DeleteRange(Family::kLog, prefix, EndOfPrefix(prefix));
  batch->Delete(Family::kLog, PlaceKey(table, region));
}

// The other region's write counts as being under way for a while after it.
absl::Status ReplicaRecorder::CheckNotBeingWritten(const TableMeta& meta, const ItemVersion& before,
                                                   uint64_t now) const {
  const auto overlap = static_cast<uint64_t>(log_->overlap_.load());
  if (!meta.NeedsMajority() || overlap == 0) return absl::OkStatus();
  const bool is_of_other = before.stamp != 0 && before.region != log_->region_;
  if (!is_of_other || now >= before.stamp + overlap) return absl::OkStatus();
  ++log_->conflicts_;
  return MakeError(ErrorKind::kReplicatedWriteConflict, messages::ReplicatedWriteConflict());
}

absl::Status ReplicaRecorder::Append(const RowChange& change, WriteBatch* batch) {
  if (log_ == nullptr) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const ItemVersion before,
                            ReplicaLog::VersionOf(*log_->store_, change.row_key));
  const uint64_t now = StampAt(log_->clock_->Now() + log_->skew());
  DYNOLITH_RETURN_IF_ERROR(CheckNotBeingWritten(change.meta, before, now));
  const ItemVersion version = {std::max(now, before.stamp + 1), log_->region_};
  batch->Put(Family::kLog, VersionKey(change.row_key), EncodeVersion(version));
  Send(change, version, /*is_received=*/false, batch);
  return absl::OkStatus();
}

void ReplicaRecorder::AppendReceived(const RowChange& change, const ItemVersion& version,
                                     WriteBatch* batch) {
  if (log_ == nullptr) return;
  batch->Put(Family::kLog, VersionKey(change.row_key), EncodeVersion(version));
  Send(change, version, /*is_received=*/true, batch);
}

void ReplicaRecorder::Send(const RowChange& change, const ItemVersion& version, bool is_received,
                           WriteBatch* batch) {
  ReplicaChange sent = {.version = version, .written = log_->clock_->Now(), .item = std::nullopt};
  if (change.after != nullptr) sent.item = *change.after;
  std::string bytes;
  for (const Replica& replica : change.meta.replicas) {
    const bool has_it = is_received && (replica.is_filled || replica.region == version.region);
    if (has_it || replica.deleting_from) continue;
    if (bytes.empty()) bytes = EncodeChange(sent);
    batch->Put(Family::kLog, ChangeKey(change.row_key, replica.region, version.stamp), bytes);
    has_changes_ = true;
  }
}

}  // namespace dynolith
