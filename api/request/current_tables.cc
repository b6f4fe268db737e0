#include "api/request/current_tables.h"

#include <vector>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog_version.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

// What depends on rows is confirmed by its transaction, which expects the tables' version.
bool MayDependOnTables(const absl::Status& failure) {
  const ErrorKind kind = KindOf(failure);
  // What has an unknown outcome must not be run again.
  return kind != ErrorKind::kInternalServerError && kind != ErrorKind::kServiceUnavailable &&
         kind != ErrorKind::kConditionalCheckFailed && kind != ErrorKind::kDuplicateItem &&
         !IsThrottled(failure);
}

}  // namespace

CurrentTables::CurrentTables(const OperationContext& context, const Snapshot* moment)
    : known_(moment == nullptr ? context.known_tables : std::nullopt) {
  if (!known_) return;
  version_.emplace();
  version_->read = CatalogVersionRead(&version_->row);
}

absl::Status CurrentTables::Check() const {
  if (!version_) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t version, CatalogVersionOf(version_->read));
  return version > *known_ ? ChangedElsewhere() : absl::OkStatus();
}

absl::Status CurrentTables::ReadAndCheck(const ReadView& rows) {
  if (!version_) return absl::OkStatus();
  RowRead& read = version_->read;
  DYNOLITH_ASSIGN_OR_RETURN(read.found, rows.Get(read.family, read.key, read.row));
  return Check();
}

absl::StatusOr<bool> GetCurrent(const OperationContext& context, const Snapshot* moment,
                                Family family, std::string_view key, Row* row) {
  if (!context.known_tables) return context.store->At(moment).Get(family, key, row);
  RowRead read = {.family = family, .key = key, .row = row};
  DYNOLITH_RETURN_IF_ERROR(MultiGetCurrent(context, moment, absl::MakeSpan(&read, 1)));
  return read.found;
}

absl::Status MultiGetCurrent(const OperationContext& context, const Snapshot* moment,
                             absl::Span<RowRead> reads) {
  CurrentTables tables(context, moment);
  std::vector<RowRead> all(reads.begin(), reads.end());
  if (tables.read() != nullptr) all.push_back(*tables.read());
  DYNOLITH_RETURN_IF_ERROR(context.store->At(moment).MultiGet(absl::MakeSpan(all)));
  for (size_t i = 0; i < reads.size(); ++i) reads[i].found = all[i].found;
  if (tables.read() != nullptr) tables.read()->found = all.back().found;
  return tables.Check();
}

absl::Status WithCurrentTables(Catalog* catalog, absl::FunctionRef<absl::Status()> work) {
  for (int tries = 1;; ++tries) {
    DYNOLITH_RETURN_IF_ERROR(catalog->CatchUp());
    absl::Status status = work();
    if (!IsChangedElsewhere(status) || tries == internal::kCallTriesMax) return status;
  }
}

absl::StatusOr<bool> IsOfOldTables(const OperationContext& context, uint64_t known,
                                   const absl::Status& failure) {
  const bool is_changed = IsChangedElsewhere(failure);
  if (!is_changed && !MayDependOnTables(failure)) return false;
  DYNOLITH_RETURN_IF_ERROR(CatchUp(context));
  return is_changed || context.catalog->version() != known;
}

absl::Status CatchUp(const OperationContext& context) {
  const uint64_t known = context.catalog->version();
  DYNOLITH_RETURN_IF_ERROR(context.catalog->CatchUp());
  const bool is_changed = context.catalog->version() != known;
  return is_changed && context.streams != nullptr ? context.streams->Refresh() : absl::OkStatus();
}

}  // namespace dynolith
