#include <array>
#include <utility>

#include "engine/base/limits.h"
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

TableRates MakeTableRates(BillingMode billing_mode, const Throughput& throughput,
                          const std::optional<WarmThroughput>& warm,
                          const std::optional<OnDemandThroughput>& on_demand) {
  TableRates rates;
  rates.on_demand = billing_mode == BillingMode::kPayPerRequest;
  rates.units = {throughput.read_units, throughput.write_units};
  if (warm) {
    rates.warm = {warm->read_units, warm->write_units};
  } else if (rates.on_demand) {
    rates.warm = {kOnDemandInitialReadUnits, kOnDemandInitialWriteUnits};
  }
  if (rates.on_demand) rates.units = rates.warm;
  if (on_demand) {
    rates.maximum = {on_demand->max_read_units, on_demand->max_write_units};
  }
  return rates;
}

void SetRates(uint64_t version, TableMeta* meta) {
  const BillingMode billing_mode = meta->billing_mode;
  meta->rates = {MakeTableRates(billing_mode, meta->throughput, meta->warm, meta->on_demand)};
  for (const IndexState& state : meta->index_states) {
    meta->rates.push_back(
        MakeTableRates(billing_mode, state.throughput, state.warm, state.on_demand));
  }
  for (TableRates& rates : meta->rates) rates.version = version;
}

TableUse::WatchedIds ListIds(const TableMeta& meta) {
  TableUse::WatchedIds ids;
  ids[meta.schema.id] = KeyWatchMode::kAccessedAndThrottled;
  for (const IndexSchema& index : meta.schema.indexes) {
    if (index.kind == IndexKind::kGlobal) ids[index.id] = KeyWatchMode::kAccessedAndThrottled;
  }
  return ids;
}

// The ids of the table and of the indexes for which contributor insights are on.
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

Table::Table(TableMeta meta, const std::optional<CapacitySettings>& capacity,
             const UseOptions& counted, ThroughputStates kept)
    : throughput(capacity, std::move(kept)), use(counted) {
  Publish(Prepare(std::move(meta)));
}

TableUse::Watches Table::WatchesFor(const TableMeta& meta, bool heat) const {
  TableUse::WatchedIds ids;
  if (!use.watches_all_keys()) ids = IdsWithInsights(meta);
  // A mode that insights ask for stays.
  if (use.watches_all_keys() || heat) ids.merge(ListIds(meta));
  return use.MakeWatches(ids, heat);
}

void Table::WatchHeat(bool watches) {
  const SpreadMutex::WriteScope alone(&gate);
  absl::MutexLock lock(&meta_mutex_);
  if (watches_heat_ == watches) return;
  use.SetWatches(WatchesFor(*meta_, watches));
  watches_heat_ = watches;
}

Table::NextMeta Table::Prepare(TableMeta meta) const {
  NextMeta next{.stamp = NewStamp()};
  SetRates(next.stamp, &meta);
  next.meta = std::make_shared<const TableMeta>(std::move(meta));
  absl::MutexLock lock(&meta_mutex_);
  next.watches = WatchesFor(*next.meta, watches_heat_);
  return next;
}

void Table::Publish(NextMeta next) {
  absl::MutexLock lock(&meta_mutex_);
  meta_ = std::move(next.meta);
  use.SetWatches(std::move(next.watches));
  stamp_.store(next.stamp, std::memory_order_release);
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
