#include "engine/store/reclaimer.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/process/memory_reserve.h"
#include "engine/store/row_id.h"
#include "rocksdb/convenience.h"

namespace dynolith {
namespace {

// Ranges per call of DeleteFilesInRanges: each call holds the database's mutex once.
constexpr size_t kRangesPerCall = 64;

}  // namespace

Reclaimer::Reclaimer(rocksdb::DB* db, const FamilyHandles& families, std::string_view folder,
                     std::function<absl::Status()> sync_log, DeadRowFilters* filters,
                     BackgroundThreads* threads, absl::Mutex* resuming_mutex)
    : db_(db),
      families_(families),
      folder_(folder),
      sync_log_(std::move(sync_log)),
      filters_(filters),
      resuming_mutex_(resuming_mutex),
      work_(threads, [this] { return DoRound(); }) {}

void Reclaimer::Publish(LiveIds live) {
  absl::MutexLock lock(&mutex_);
  next_.live = std::move(live);
  next_.empty = false;
  work_.Wake();
}

void Reclaimer::Reclaim(Family family, uint32_t id) {
  absl::MutexLock lock(&mutex_);
  next_.dead[static_cast<size_t>(family)].push_back(id);
  next_.empty = false;
  work_.Wake();
}

absl::Status Reclaimer::Drain() {
  work_.Drain();
  absl::Status failure = work_.TakeFailure();
  absl::MutexLock lock(&mutex_);
  failure.Update(std::exchange(failure_, absl::OkStatus()));
  return failure;
}

absl::Duration Reclaimer::DoRound() {
  // It is retried.
  if (!MemoryReserve::IsThere()) throw std::bad_alloc();
  if (under_way_.empty) {
    absl::MutexLock lock(&mutex_);
    if (next_.empty) return absl::InfiniteDuration();
    under_way_ = std::exchange(next_, Round());
  }
  absl::Status status = Perform(&under_way_);
  under_way_ = Round();
  absl::MutexLock lock(&mutex_);
  if (failure_.ok()) failure_ = std::move(status);
  return absl::ZeroDuration();
}

absl::Status Reclaimer::Perform(Round* round) {
  DYNOLITH_RETURN_IF_ERROR(sync_log_());
  if (round->live) filters_->Publish(*round->live);
  for (size_t family = 0; family < kFamilies; ++family) {
    DYNOLITH_RETURN_IF_ERROR(DeleteFiles(family, &round->dead[family]));
  }
  return absl::OkStatus();
}

absl::Status Reclaimer::DeleteFiles(size_t family, std::vector<uint32_t>* ids) {
  std::sort(ids->begin(), ids->end());
  std::vector<std::pair<std::string, std::string>> bounds;
  for (size_t i = 0; i < ids->size();) {
    // Consecutive ids are one range, so that a file that holds several of them goes as well.
    size_t end = i + 1;
    while (end < ids->size() && (*ids)[end] <= (*ids)[end - 1] + 1) ++end;
    bounds.emplace_back(RowIdPrefix((*ids)[i]), RowIdPrefix((*ids)[end - 1] + 1));
    i = end;
  }
  for (size_t i = 0; i < bounds.size(); i += kRangesPerCall) {
    std::vector<rocksdb::Slice> slices;
    std::vector<rocksdb::RangePtr> ranges;
    const size_t end = std::min(bounds.size(), i + kRangesPerCall);
    slices.reserve(2 * kRangesPerCall);
    for (size_t j = i; j < end; ++j) {
      slices.emplace_back(bounds[j].first);
      slices.emplace_back(bounds[j].second);
      ranges.emplace_back(&slices[slices.size() - 2], &slices.back());
    }
    absl::MutexLock not_beside_resume(resuming_mutex_);
    const rocksdb::Status deleted = InRocks([&] {
      return rocksdb::DeleteFilesInRanges(db_, families_[family], ranges.data(), ranges.size(),
                                          /*include_end=*/false);
    });
    DYNOLITH_RETURN_IF_ERROR(FromRocks(folder_, deleted));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
