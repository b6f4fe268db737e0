// Commits of the catalog's changes, in a store in which other processes change it as well.
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/catalog_version.h"
#include "engine/catalog/messages.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_locks.h"
#include "engine/store/transaction/commit_slots.h"
#include "engine/store/transaction/transaction.h"

namespace dynolith {
namespace {

using VersionBytes = std::array<char, sizeof(uint64_t)>;

VersionBytes ToBytes(uint64_t version) {
  VersionBytes bytes;
  StoreBigEndian(version, bytes.data());
  return bytes;
}

const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename Value>
const absl::Status& StatusOf(const absl::StatusOr<Value>& result) {
  return result.status();
}

// A change meets another process's only if both are made within milliseconds.
constexpr int kTriesMax = 100;

}  // namespace

absl::Status ChangedElsewhere() {
  return absl::FailedPreconditionError(messages::CatalogChangedElsewhere());
}

bool IsChangedElsewhere(const absl::Status& status) { return status == ChangedElsewhere(); }

void Catalog::ExpectUnchanged(Transaction* transaction) const {
  if (transaction->local() != nullptr) return;
  const uint64_t version = version_.load(std::memory_order_acquire);
  const VersionBytes bytes = ToBytes(version);
  std::optional<std::string_view> value;
  if (version > 0) value = std::string_view(bytes.data(), bytes.size());
  transaction->Expect(Family::kMeta, kCatalogVersionKey, value);
}

absl::Status Catalog::CheckUnchanged(const ReadView& now) {
  Row row;
  RowRead version = CatalogVersionRead(&row);
  DYNOLITH_ASSIGN_OR_RETURN(version.found, now.Get(version.family, version.key, version.row));
  return CheckUnchanged(version);
}

absl::Status Catalog::CheckUnchanged(const RowRead& version) {
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t number, CatalogVersionOf(version));
  // A change by this process may be committed, and not be counted here yet.
  absl::MutexLock change(&change_mutex_);
  return CheckVersion(number);
}

absl::Status Catalog::CheckVersion(uint64_t version) const {
  // A read may be older than a change by this process.
  if (version <= version_.load(std::memory_order_relaxed)) return absl::OkStatus();
  return ChangedElsewhere();
}

absl::Status Catalog::Commit(WriteBatch* batch, absl::Span<const FamilyId> filled) {
  if (!is_shared_) return store_->Commit(*batch);
  for (const FamilyId& id : filled) DeleteUnowned(id, batch);
  RowLocks none(1);
  return RunTransaction([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_) {
    Transaction own(store_, &none, {});
    DYNOLITH_RETURN_IF_ERROR(CheckUsed(own.reads(), filled));
    return CommitNextVersion(&own, batch);
  });
}

bool Catalog::IsOutcomeUnknown(const absl::Status& commit) const {
  return is_shared_ && IsNotSettled(commit);
}

absl::Status Catalog::CheckUsed(const ReadView& rows, absl::Span<const FamilyId> ids) const {
  if (ids.empty()) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const std::string process, store_->shared()->ProcessName());
  for (const FamilyId& id : ids) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_used, IsUsedBy(rows, id, process));
    if (!is_used) {
      return MakeError(ErrorKind::kServiceUnavailable, messages::CatalogRowsGivenUp());
    }
  }
  return absl::OkStatus();
}

absl::Status Catalog::CommitUnchanged(const WriteBatch& batch) {
  RowLocks none(1);
  return RunTransaction([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_) {
    Transaction own(store_, &none, {});
    DYNOLITH_ASSIGN_OR_RETURN(const uint64_t version, ReadCatalogVersion(own.reads()));
    DYNOLITH_RETURN_IF_ERROR(CheckVersion(version));
    return own.Commit(batch);
  });
}

absl::Status Catalog::CommitNextVersion(Transaction* transaction, WriteBatch* batch) {
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t before, ReadCatalogVersion(transaction->reads()));
  DYNOLITH_RETURN_IF_ERROR(CheckVersion(before));
  const uint64_t version = version_.load(std::memory_order_relaxed) + 1;
  const VersionBytes bytes = ToBytes(version);
  batch->Put(Family::kMeta, kCatalogVersionKey, std::string_view(bytes.data(), bytes.size()));
  DYNOLITH_RETURN_IF_ERROR(transaction->Commit(*batch));
  version_.store(version, std::memory_order_release);
  return absl::OkStatus();
}

// --- Changes on the catalog as others have left it ---

template <typename Change>
auto Catalog::ChangeNewest(WriteBatch* batch, const Change& change) -> decltype(change()) {
  if (!is_shared_) return change();
  const WriteBatch given = batch == nullptr ? WriteBatch() : *batch;
  for (int tries = 1;; ++tries) {
    auto result = change();
    if (!IsChangedElsewhere(StatusOf(result)) || tries == kTriesMax) return result;
    if (absl::Status caught_up = CatchUp(); !caught_up.ok()) return caught_up;
    if (batch != nullptr) *batch = given;
  }
}

absl::StatusOr<std::shared_ptr<Table>> Catalog::Create(TableMeta meta, WriteBatch* batch) {
  if (!is_shared_) return TryCreate(std::move(meta), batch);
  return ChangeNewest(batch, [&] { return TryCreate(meta, batch); });
}

absl::StatusOr<std::shared_ptr<Table>> Catalog::CreateFilled(TableMeta meta) {
  if (!is_shared_) return TryCreateFilled(std::move(meta));
  return ChangeNewest(nullptr, [&] { return TryCreateFilled(meta); });
}

absl::StatusOr<std::shared_ptr<const TableMeta>> Catalog::Modify(
    Table* table, const std::function<absl::Status(TableMeta*)>& change, WriteBatch* batch) {
  return ChangeNewest(batch, [&] { return TryModify(table, change, batch); });
}

absl::Status Catalog::Drop(std::string_view name, const BackupMeta* kept) {
  if (!is_shared_) return TryDrop(name, kept);
  // Another process may have dropped it, and made one of that name since.
  const std::shared_ptr<Table> meant = Find(name);
  return ChangeNewest(nullptr, [&] {
    return meant != nullptr && Find(name) == meant
               ? TryDrop(name, kept)
               : absl::NotFoundError(messages::CatalogNoTable(name));
  });
}

absl::Status Catalog::AddBackup(const BackupMeta& backup) {
  return ChangeNewest(nullptr, [&] { return TryAddBackup(backup); });
}

absl::Status Catalog::DropBackup(std::string_view table, std::string_view id) {
  return ChangeNewest(nullptr, [&] { return TryDropBackup(table, id); });
}

absl::StatusOr<IdLease> Catalog::LeaseNewIds(TableSchema* schema) {
  return ChangeNewest(nullptr, [&] { return TryLeaseNewIds(schema); });
}

}  // namespace dynolith
