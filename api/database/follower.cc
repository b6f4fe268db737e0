#include "api/database/follower.h"

#include <algorithm>
#include <memory>

#include "absl/time/clock.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// For how long calls under way keep new ones waiting, and for how long these then go on. Calls that
// overlap all the time keep new ones waiting for longer, the further they leave them behind.
constexpr absl::Duration kPatience = absl::Milliseconds(10);
constexpr absl::Duration kPatienceMax = absl::Milliseconds(200);
constexpr double kPatienceOfLag = 0.2;
constexpr absl::Duration kPauseForCalls = absl::Milliseconds(5);

}  // namespace

Follower::Follower(LocalStore* store, Catalog* catalog, absl::Time opened)
    : store_(store),
      catalog_(catalog),
      work_(BackgroundThreads::Shared(BackgroundThreads::Kind::kInFolder),
            [this] { return Look(); }) {
  report_.as_of = opened;
}

FollowReport Follower::Report() const {
  absl::MutexLock lock(&mutex_);
  FollowReport report = report_;
  report.behind = std::max(absl::ZeroDuration(), absl::Now() - report.as_of);
  return report;
}

absl::Duration Follower::Look() {
  absl::MutexLock lock(&catching_up_);
  const absl::Time began = absl::Now();
  if (!has_failed_) {
    const absl::StatusOr<bool> is_behind = store_->HasFallenBehind();
    if (!is_behind.ok() || !*is_behind) {
      Note(began, is_behind.status());
      return kPeriod;
    }
  }
  const absl::Duration lag = Report().behind;
  if (!gate_.Close(std::clamp(lag * kPatienceOfLag, kPatience, kPatienceMax))) {
    return kPauseForCalls;
  }
  const absl::Status taken = TakeOver();
  gate_.Open(taken);
  Note(began, taken);
  return kPeriod;
}

absl::Status Follower::CatchUp() {
  absl::MutexLock lock(&catching_up_);
  const absl::Time began = absl::Now();
  while (!gate_.Close(kPatience)) absl::SleepFor(kPauseForCalls);
  absl::Status taken = TakeOver();
  gate_.Open(taken);
  Note(began, taken);
  return taken;
}

absl::Status Follower::TakeOver() {
  has_failed_ = true;
  DYNOLITH_ASSIGN_OR_RETURN(const TakenOver taken, store_->CatchUp());
  is_catalog_old_ |= taken.has_changed_meta;
  if (is_catalog_old_) DYNOLITH_RETURN_IF_ERROR(catalog_->Reload());
  is_catalog_old_ = false;
  has_failed_ = false;
  if (taken.rows > 0) {
    // Counts of items are made anew as after as many writes to each table.
    for (const std::shared_ptr<Table>& table : catalog_->All()) table->counts.AddWrites(taken.rows);
  }
  return absl::OkStatus();
}

void Follower::Note(absl::Time began, const absl::Status& result) {
  absl::MutexLock lock(&mutex_);
  report_.failure = result;
  if (result.ok()) report_.as_of = began;
}

}  // namespace dynolith
