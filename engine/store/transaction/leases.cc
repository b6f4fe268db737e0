#include "engine/store/transaction/leases.h"

#include <optional>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/meta_keys.h"
#include "engine/store/transaction/messages.h"
#include "engine/store/transaction/time_row.h"

namespace dynolith {
namespace {

std::string HolderKey(std::string_view name) { return Concat(kLeaseKeys.begin, "h", name); }
std::string UntilKey(std::string_view name) { return Concat(kLeaseKeys.begin, "u", name); }

std::string HolderText(std::string_view process, uint64_t number) {
  std::string text(process);
  AppendBigEndian(number, &text);
  return text;
}

// nullopt: there is no such row.
absl::StatusOr<std::optional<std::string>> ReadHolder(const ReadView& rows, std::string_view name) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, rows.Get(Family::kMeta, HolderKey(name), &row));
  if (!found) return std::nullopt;
  if (row.value().size() <= sizeof(uint64_t)) {
    return absl::DataLossError(messages::DamagedLease(name));
  }
  return std::string(row.value());
}

uint64_t NumberOf(std::string_view holder) {
  return ReadBigEndian(holder.substr(holder.size() - sizeof(uint64_t)));
}

// A time that no lease has yet is that of a clock which has been set back.
bool HasEnded(absl::Time until, absl::Time now) {
  return until + kClockDifferenceMax < now || until > now + kLeaseTime + kClockDifferenceMax;
}

}  // namespace

// --- A lease ---

void Lease::Guard(const Transaction& transaction) const {
  if (transaction.local() == nullptr) {
    transaction.Expect(Family::kMeta, HolderKey(name_), holder_);
  }
}

absl::Status Lease::CheckHeld(const ReadView& now) const {
  if (name_.empty()) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<std::string> holder, ReadHolder(now, name_));
  if (holder == holder_) return absl::OkStatus();
  return absl::CancelledError(messages::LeaseLost(name_));
}

absl::Status Lease::Guard(const Transaction& transaction, bool is_again) const {
  Guard(transaction);
  return is_again ? CheckHeld(transaction.reads()) : absl::OkStatus();
}

absl::Status Lease::Commit(Store* store, const WriteBatch& batch) const {
  if (store->local() != nullptr) return store->Commit(batch);
  RowLocks none(1);
  bool is_again = false;
  return RunTransaction([&] {
    Transaction transaction(store, &none, {});
    DYNOLITH_RETURN_IF_ERROR(Guard(transaction, std::exchange(is_again, true)));
    return transaction.Commit(batch);
  });
}

// --- All leases of a process ---

Leases::~Leases() {
  absl::MutexLock lock(&mutex_);
  // What fails leaves a lease that ends by itself.
  for (const auto& [name, held] : held_) TryRelease(held).IgnoreError();
}

absl::StatusOr<std::shared_ptr<const Lease>> Leases::Hold(std::string_view name) {
  if (store_->local() != nullptr) {
    static const std::shared_ptr<const Lease> every = std::make_shared<Lease>();
    return every;
  }
  absl::MutexLock lock(&mutex_);
  const auto known = held_.find(name);
  const Held before = known == held_.end() ? Held() : known->second;
  const absl::Time now = clock_->Now();
  if (before.lease != nullptr && now < before.until - kLeaseTime / 2 &&
      now + kLeaseTime >= before.until) {
    return before.lease;
  }
  const std::string owned(name);
  Held held;
  DYNOLITH_RETURN_IF_ERROR(RunTransaction([&]() -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(held, TryHold(owned, before));
    return absl::OkStatus();
  }));
  if (held.lease == nullptr) {
    held_.erase(owned);
    return nullptr;
  }
  held_[owned] = held;
  return held.lease;
}

absl::StatusOr<Leases::Held> Leases::TryHold(const std::string& name, const Held& before) {
  SharedStore* const store = store_->shared();
  DYNOLITH_ASSIGN_OR_RETURN(const std::string process, store->ProcessName());
  const std::unique_ptr<Attempt> attempt = store->Begin();
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<std::string> holder, ReadHolder(*attempt, name));
  const absl::Time now = clock_->Now();
  Held held = {.lease = before.lease, .until = now + kLeaseTime};
  WriteBatch batch;
  if (before.lease == nullptr || holder != before.lease->holder_) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<absl::Time> until,
                              ReadTimeRow(*attempt, UntilKey(name)));
    if (holder && until && !HasEnded(*until, now)) return Held();
    auto taken = std::make_shared<Lease>();
    taken->name_ = name;
    taken->holder_ = HolderText(process, holder ? NumberOf(*holder) + 1 : 1);
    batch.Put(Family::kMeta, HolderKey(name), taken->holder_);
    held.lease = std::move(taken);
  }
  PutTimeRow(UntilKey(name), held.until, &batch);
  DYNOLITH_RETURN_IF_ERROR(store->CommitAttempt(attempt.get(), batch));
  return held;
}

absl::Status Leases::Release(std::string_view name) {
  absl::MutexLock lock(&mutex_);
  const auto known = held_.find(name);
  if (known == held_.end()) return absl::OkStatus();
  const Held held = known->second;
  held_.erase(known);
  return TryRelease(held);
}

absl::Status Leases::TryRelease(const Held& held) {
  WriteBatch batch;
  PutTimeRow(UntilKey(held.lease->name_), absl::UnixEpoch(), &batch);
  return held.lease->Commit(store_, batch);
}

}  // namespace dynolith
