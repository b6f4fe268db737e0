#include "api/database/latest_time.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/database/messages.h"
#include "api/write/idempotency.h"
#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/history/history.h"
#include "engine/store/meta_keys.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

// When something was last done to the table. What is still to come does not count.
absl::Time LatestTimeInTable(const TableMeta& meta) {
  absl::Time latest = meta.created;
  const auto note = [&latest](const std::optional<absl::Time>& time) {
    if (time) latest = std::max(latest, *time);
  };
  const auto note_throughput = [&note](const Throughput& throughput) {
    note(throughput.last_increase);
    note(throughput.last_decrease);
  };
  note_throughput(meta.throughput);
  for (const IndexState& state : meta.index_states) note_throughput(state.throughput);
  note(meta.last_pay_per_request);
  note(meta.table_class_changed);
  note(meta.deletion_protection_changed);
  for (const absl::Time change : meta.encryption_changes) note(change);
  note(meta.time_to_live.last_change);
  if (meta.policy) note(meta.policy->changed);
  if (meta.stream.policy) note(meta.stream.policy->changed);
  if (meta.point_in_time_recovery) note(meta.point_in_time_recovery->enabled);
  for (const ContributorInsights& insights : meta.contributor_insights) note(insights.last_change);
  return latest;
}

}  // namespace

absl::Status RememberClock(Store* store, absl::Time now) {
  std::string nanoseconds;
  AppendBigEndian(static_cast<uint64_t>(absl::ToUnixNanos(now)), &nanoseconds);
  WriteBatch batch;
  batch.Put(Family::kMeta, kClockKey, nanoseconds);
  return store->Commit(batch);
}

absl::StatusOr<absl::Time> LatestTime(const OperationContext& context) {
  DYNOLITH_ASSIGN_OR_RETURN(absl::Time latest, context.streams->LatestTime());
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time token, context.tokens->LatestTime());
  latest = std::max({latest, token, context.history->LatestTime()});
  for (const std::shared_ptr<Table>& table : context.catalog->All()) {
    latest = std::max(latest, LatestTimeInTable(*table->meta()));
  }
  for (const std::shared_ptr<const BackupMeta>& backup : context.catalog->Backups()) {
    latest = std::max(latest, backup->created);
  }
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, context.store->Get(Family::kMeta, kClockKey, &row));
  if (!found) return latest;
  if (row.value().size() != sizeof(uint64_t)) {
    return absl::DataLossError(messages::DamagedClock());
  }
  const auto nanoseconds = static_cast<int64_t>(ReadBigEndian(row.value()));
  return std::max(latest, absl::FromUnixNanos(nanoseconds));
}

}  // namespace dynolith
