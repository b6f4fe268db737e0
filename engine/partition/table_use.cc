#include "engine/partition/table_use.h"

#include <utility>

namespace dynolith {
namespace {

KeyNames ToKeyNames(const ThroughputUse& use) {
  return {.position = use.named_key,
          .partition_key_bytes = use.partition_key_bytes,
          .item_bytes = use.item_bytes};
}

}  // namespace

TableUse::TableUse(const UseOptions& options)
    : options_(options), is_watched_(options.counts || options.observed), watches_keys_(false) {}

TableUse::~TableUse() {
  for (Totals* totals = totals_.load(std::memory_order_acquire); totals != nullptr;) {
    delete std::exchange(totals, totals->next);
  }
}

TableUse::Watches TableUse::MakeWatches(const WatchedIds& ids, bool records_heat) const {
  absl::MutexLock lock(&mutex_);
  Watches watches;
  for (const auto& [id, mode] : ids) {
    const auto old = watches_.find(id);
    ResourceWatch watch = old != watches_.end() ? old->second : ResourceWatch();
    if (watch.keys == nullptr || watch.keys->mode() != mode) {
      watch.keys = std::make_shared<KeyWatch>(mode);
    }
    if (!records_heat) watch.heat = nullptr;
    if (records_heat && watch.heat == nullptr) watch.heat = std::make_shared<HeatRecord>();
    watches[id] = std::move(watch);
  }
  return watches;
}

void TableUse::SetWatches(Watches watches) {
  absl::MutexLock lock(&mutex_);
  watches_.swap(watches);
  watches_keys_ = !watches_.empty();
  is_watched_ = options_.counts || options_.observed || !watches_.empty();
}

TableUse::Totals* TableUse::Find(uint64_t id, Totals* from) {
  while (from != nullptr && from->id != id) from = from->next;
  return from;
}

TableUse::Totals& TableUse::TotalsFor(uint64_t id) {
  Totals* first = totals_.load(std::memory_order_acquire);
  if (Totals* const found = Find(id, first)) return *found;
  auto fresh = std::make_unique<Totals>(id);
  do {
    // Somebody else may have been faster.
    if (Totals* const found = Find(id, first)) return *found;
    fresh->next = first;
  } while (!totals_.compare_exchange_weak(first, fresh.get(), std::memory_order_acq_rel));
  return *fresh.release();
}

TableUse::ResourceWatch TableUse::FindWatch(uint64_t id) const {
  absl::ReaderMutexLock lock(&mutex_);
  const auto it = watches_.find(id);
  return it == watches_.end() ? ResourceWatch() : it->second;
}

void TableUse::AddCharges(absl::Span<const ThroughputUse> uses, Micros now) {
  for (const ThroughputUse& use : uses) {
    const int64_t consumed = use.tokens / (kTokensPerUnit / kThousandths);
    if (options_.counts) {
      TotalsFor(use.id).consumed[use.kind].fetch_add(consumed, std::memory_order_relaxed);
    }
    if (now == 0 || use.tokens == 0 || !watches_keys()) continue;
    const ResourceWatch watch = FindWatch(use.id);
    if (watch.keys != nullptr) watch.keys->AddAccess(ToKeyNames(use), consumed, now);
    if (watch.heat != nullptr) {
      watch.heat->AddAccess(use.position.key, use.kind, use.tokens, use.item_size, now);
    }
  }
}

void TableUse::AddRefusals(absl::Span<const ThroughputUse> uses,
                           absl::Span<const std::optional<ThroughputLimit>> refusals, Micros now) {
  for (size_t i = 0; i < uses.size(); ++i) {
    if (!refusals[i]) continue;
    const ThroughputUse& use = uses[i];
    if (options_.counts) {
      auto& refused = TotalsFor(use.id).refused[use.kind][static_cast<size_t>(*refusals[i])];
      refused.fetch_add(1, std::memory_order_relaxed);
    }
    if (!watches_keys()) continue;
    const ResourceWatch watch = FindWatch(use.id);
    if (watch.keys != nullptr) watch.keys->AddThrottled(ToKeyNames(use), now);
    if (watch.heat != nullptr) {
      watch.heat->AddThrottled(use.position.key, use.kind, *refusals[i], now);
    }
  }
}

UseTotals TableUse::FindTotals(uint64_t id) const {
  UseTotals totals;
  const Totals* const counted = Find(id, totals_.load(std::memory_order_acquire));
  if (counted == nullptr) return totals;
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
    totals.consumed[kind] = counted->consumed[kind].load(std::memory_order_relaxed);
    for (size_t i = 0; i < kThroughputLimits; ++i) {
      totals.refused[kind][i] = counted->refused[kind][i].load(std::memory_order_relaxed);
    }
  }
  return totals;
}

std::optional<HotKeyLists> TableUse::FindHotKeys(uint64_t id, size_t most, Micros now) const {
  const ResourceWatch watch = FindWatch(id);
  if (watch.keys == nullptr) return std::nullopt;
  return watch.keys->Report(most, now);
}

std::optional<std::vector<HeatSlot>> TableUse::FindHeat(uint64_t id, Micros since,
                                                        Micros now) const {
  const ResourceWatch watch = FindWatch(id);
  if (watch.heat == nullptr) return std::nullopt;
  return watch.heat->Report(since, now);
}

}  // namespace dynolith
