#include <array>
#include <utility>

#include "engine/catalog/catalog.h"

namespace dynolith {
namespace {

// Every published meta gets a number of its own, for ever, so that a cached one is found by nothing
// but the number.
uint64_t NewStamp() {
  static std::atomic<uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// What this thread read last. The shared_ptr handed out counts its references in a block that
// belongs to this thread: threads that use the same table do not fight over one counter.
struct CachedMeta {
  uint64_t stamp = 0;
  std::shared_ptr<const TableMeta> meta;
};
constexpr size_t kCachedMetas = 16;

CachedMeta& CacheSlot(uint64_t stamp) {
  thread_local std::array<CachedMeta, kCachedMetas> cache;
  return cache[stamp % kCachedMetas];
}

TableUse::WatchedIds AllIdsOf(const TableMeta& meta) {
  TableUse::WatchedIds ids;
  ids[meta.schema.id] = KeyWatchMode::kAccessedAndThrottled;
  for (const IndexSchema& index : meta.schema.indexes) {
    if (index.kind == IndexKind::kGlobal) ids[index.id] = KeyWatchMode::kAccessedAndThrottled;
  }
  return ids;
}

// Of the table and the indexes whose insights are on.
TableUse::WatchedIds IdsWithInsights(const TableMeta& meta) {
  TableUse::WatchedIds ids;
  for (const ContributorInsights& insights : meta.contributor_insights) {
    if (!insights.is_watching()) continue;
    const IndexSchema* const index = meta.schema.FindIndex(insights.index_name);
    if (index == nullptr && !insights.index_name.empty()) continue;
    ids[index != nullptr ? index->id : meta.schema.id] =
        insights.mode == ContributorInsightsMode::kThrottledKeys
            ? KeyWatchMode::kThrottled
            : KeyWatchMode::kAccessedAndThrottled;
  }
  return ids;
}

}  // namespace

Table::Table(std::shared_ptr<const TableMeta> meta, const std::optional<CapacitySettings>& capacity,
             const UseOptions& counted, ThroughputStates kept)
    : throughput(capacity, std::move(kept)), use(counted) {
  Publish(std::move(meta));
}

void Table::FollowInsights() {
  TableUse::WatchedIds ids;
  if (!use.watches_all_keys()) ids = IdsWithInsights(*meta_);
  // A mode that insights ask for stays.
  if (use.watches_all_keys() || watches_heat_) ids.merge(AllIdsOf(*meta_));
  use.WatchKeys(ids, watches_heat_);
}

void Table::WatchHeat(bool watches) {
  absl::MutexLock lock(&meta_mutex_);
  if (std::exchange(watches_heat_, watches) != watches) FollowInsights();
}

void Table::Publish(std::shared_ptr<const TableMeta> meta) {
  absl::MutexLock lock(&meta_mutex_);
  meta_ = std::move(meta);
  FollowInsights();
  stamp_.store(NewStamp(), std::memory_order_release);
}

std::shared_ptr<const TableMeta> Table::meta() const {
  const uint64_t stamp = stamp_.load(std::memory_order_acquire);
  CachedMeta& cached = CacheSlot(stamp);
  if (cached.stamp == stamp) return cached.meta;

  absl::MutexLock lock(&meta_mutex_);
  const uint64_t newest = stamp_.load(std::memory_order_relaxed);
  auto owner = std::make_shared<const std::shared_ptr<const TableMeta>>(meta_);
  std::shared_ptr<const TableMeta> own(std::move(owner), meta_.get());
  CachedMeta& slot = CacheSlot(newest);
  slot.stamp = newest;
  slot.meta = own;
  return own;
}

}  // namespace dynolith
