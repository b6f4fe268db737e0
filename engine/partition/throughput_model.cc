#include "engine/partition/throughput_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/partition/random_numbers.h"

namespace dynolith {
namespace {

constexpr AccessKind kKinds[] = {AccessKind::kRead, AccessKind::kWrite};
// Above it the table's partitions grow no more by themselves.
constexpr int kPartitionsMax = 1 << 16;

int64_t DivideRoundingUp(int64_t units, int64_t each) { return (units + each - 1) / each; }

// The end of the window in which `now` is, when one of the same length ended at `end`.
Micros NextEnd(Micros end, Micros length, Micros now) {
  return end + ((now - end) / length + 1) * length;
}

}  // namespace

int PartitionsFor(const PerKind<int64_t>& together, const PerKind<int64_t>& apart,
                  const PerKind<int64_t>& each) {
  const int64_t sum = together.read * each.write + together.write * each.read;
  const int64_t parts = std::max({DivideRoundingUp(sum, each.read * each.write),
                                  DivideRoundingUp(apart.read, each.read),
                                  DivideRoundingUp(apart.write, each.write)});
  return static_cast<int>(std::clamp<int64_t>(parts, 1, kPartitionsMax));
}

namespace {

PerKind<int64_t> Larger(const PerKind<int64_t>& a, const PerKind<int64_t>& b) {
  return {std::max(a.read, b.read), std::max(a.write, b.write)};
}

int CountPartitions(const CapacitySettings& settings, const TableRates& rates,
                    const PerKind<int64_t>& warm) {
  return PartitionsFor(rates.on_demand ? PerKind<int64_t>() : rates.units, warm,
                       settings.partition_units);
}

PerKind<int64_t> WarmUnits(const TableRates& rates) { return Larger(rates.units, rates.warm); }

}  // namespace

ThroughputModel::ThroughputModel(const CapacitySettings& settings, const TableRates& rates,
                                 Nodes* nodes, Micros now)
    : ThroughputModel(
          settings, rates, nodes,
          {PartitionMap(CountPartitions(settings, rates, WarmUnits(rates))), WarmUnits(rates)},
          now) {}

ThroughputModel::ThroughputModel(const CapacitySettings& settings, const TableRates& rates,
                                 Nodes* nodes, ThroughputState state, Micros now)
    : settings_(settings),
      rates_(rates),
      nodes_(nodes),
      map_(std::move(state.partitions)),
      warm_(state.warm),
      second_(now),
      heat_window_end_(now + settings.heat.window),
      interval_end_(now + settings.adaptive.interval),
      peak_window_end_(now + settings.on_demand.window),
      now_(now) {
  for (const AccessKind kind : kKinds) {
    quota_[kind] = MaximumBucket(settings_.table_quota[kind]);
  }
  for (const Partition& partition : map_.partitions()) {
    loads_.push_back(NewLoad(partition.id));
  }
  SetRates(rates, now);
  Fill();
}

// --- admission

std::optional<ThroughputLimit> ThroughputModel::Refusal(AccessKind kind, std::string_view position,
                                                        Micros now) {
  Advance(now);
  return RefusalAt(FindIndex(position), kind);
}

std::optional<ThroughputLimit> ThroughputModel::RefusalAt(size_t index, AccessKind kind) {
  const std::optional<ThroughputLimit> limit = FindLimit(kind, index);
  if (limit) {
    Load& load = loads_[index];
    ++load.refused[kind][static_cast<size_t>(*limit)];
    ++load.refused_in_interval[kind];
  }
  return limit;
}

std::optional<ThroughputLimit> ThroughputModel::FindLimit(AccessKind kind, size_t index) {
  Load& load = loads_[index];
  if (rates_.on_demand) {
    if (maximum_[kind] && !maximum_[kind]->HasAny(now_)) return ThroughputLimit::kMaxOnDemand;
    if (!quota_[kind].HasAny(now_)) return ThroughputLimit::kAccount;
    if (!table_[kind].HasAny(now_)) return ThroughputLimit::kKeyRange;
  } else if (!divides()) {
    if (!table_[kind].HasAny(now_)) return ThroughputLimit::kProvisionedThroughput;
  } else if (!HasShare(kind, index)) {
    // A partition whose share is used up throttles, whatever the other partitions have left.
    RollSecond();
    const Tokens all = AccruedTokens(table_[kind].rate(), kSecond);
    return in_second_[kind] >= all ? ThroughputLimit::kProvisionedThroughput
                                   : ThroughputLimit::kKeyRange;
  }
  if (!load.maximum[kind].HasAny(now_)) return ThroughputLimit::kKeyRange;
  return std::nullopt;
}

bool ThroughputModel::HasShare(AccessKind kind, size_t index) {
  Load& load = loads_[index];
  load.saved[kind].Put(load.share[kind].Fill(now_));
  if (load.share[kind].HasAny(now_)) return true;
  if (settings_.admission == Admission::kStatic || !load.saved[kind].HasAny(now_)) return false;
  return nodes_ == nullptr || nodes_->HasAny(kind, map_[index].id, now_);
}

void ThroughputModel::Charge(AccessKind kind, const AccessPosition& position, Tokens tokens,
                             Micros now) {
  Advance(now);
  ChargeAt(FindIndex(position.key), kind, position, tokens);
}

std::optional<ThroughputLimit> ThroughputModel::RefusalOrCharge(AccessKind kind,
                                                                const AccessPosition& position,
                                                                Tokens tokens, Micros now) {
  Advance(now);
  const size_t index = FindIndex(position.key);
  const std::optional<ThroughputLimit> limit = RefusalAt(index, kind);
  if (!limit) ChargeAt(index, kind, position, tokens);
  return limit;
}

size_t ThroughputModel::PrefetchPartition(std::string_view position) const {
  const size_t index = map_.FindIndex(position, last_);
  const auto* const load = reinterpret_cast<const char*>(&loads_[index]);
  for (size_t i = 0; i < kLinesRead; ++i) __builtin_prefetch(load + i * kCacheLine, 1);
  return index;
}

void ThroughputModel::ChargeAt(size_t index, AccessKind kind, const AccessPosition& position,
                               Tokens tokens) {
  Load& load = loads_[index];
  table_[kind].Take(now_, tokens);
  load.maximum[kind].Take(now_, tokens);
  if (rates_.on_demand) {
    quota_[kind].Take(now_, tokens);
    if (maximum_[kind]) maximum_[kind]->Take(now_, tokens);
    in_peak_window_[kind] += tokens;
  } else if (divides()) {
    load.saved[kind].Put(load.share[kind].Fill(now_));
    const bool from_saved =
        settings_.admission != Admission::kStatic && load.share[kind].Level(now_) <= 0;
    (from_saved ? load.saved : load.share)[kind].Take(now_, tokens);
    if (nodes_ != nullptr) nodes_->Take(kind, map_[index].id, tokens, now_);
    RollSecond();
    in_second_[kind] += tokens;
    in_interval_[kind] += tokens;
  }
  load.in_window[kind] += tokens;
  load.consumed[kind] += tokens;
  load.sample.Add(position, tokens);
}

void ThroughputModel::RollSecond() {
  if (now_ - second_ < kSecond) return;
  second_ = now_;
  in_second_ = {};
}

void ThroughputModel::AddBytes(const AccessPosition& position, int64_t bytes, Micros now) {
  Advance(now);
  const size_t index = FindIndex(position.key);
  map_.AddBytes(index, bytes);
  const auto most = static_cast<int64_t>(
      std::llround(static_cast<double>(settings_.partition_bytes) * settings_.scale));
  if (!settings_.splits || bytes <= 0 || map_[index].bytes <= most) return;
  // Where the traffic is, or, if that says nothing, in the middle.
  std::optional<std::string> boundary = loads_[index].sample.SplitPoint(settings_.split);
  if (!boundary) boundary = map_.FindMiddle(index);
  if (boundary) SplitAt(index, *boundary);
}

// --- rates

Rate ThroughputModel::PartitionShare(AccessKind kind, size_t index) const {
  const double share = static_cast<double>(table_[kind].rate()) * map_[index].weight;
  return std::max<Rate>(1, std::llround(share));
}

void ThroughputModel::SetShare(size_t index) {
  Load& load = loads_[index];
  for (const AccessKind kind : kKinds) {
    const Rate share = PartitionShare(kind, index);
    load.saved[kind].Put(load.share[kind].Fill(now_));
    const Rate most = std::max(share, load.maximum[kind].rate());
    const Rate boosted = std::min(share + load.boost[kind], most);
    load.share[kind].SetRate(boosted, AccruedTokens(boosted, settings_.partition_burst), now_);
    // What is saved is saved of the share itself.
    load.saved[kind].SetRate(0, AccruedTokens(share, settings_.burst), now_);
  }
}

TokenBucket ThroughputModel::MaximumBucket(int64_t units) const {
  const Rate rate = ToRate(units, settings_.scale);
  return {rate, AccruedTokens(rate, settings_.partition_burst), now_};
}

void ThroughputModel::SetTableBuckets() {
  for (const AccessKind kind : kKinds) {
    const int64_t units = rates_.on_demand ? warm_[kind] : rates_.units[kind];
    const Rate rate = ToRate(units, settings_.scale);
    const Micros saved = rates_.on_demand ? settings_.partition_burst : settings_.burst;
    table_[kind].SetRate(rate, AccruedTokens(rate, saved), now_);
    std::optional<TokenBucket>& maximum = maximum_[kind];
    if (!rates_.on_demand || !rates_.maximum[kind]) {
      maximum.reset();
    } else if (const TokenBucket wanted = MaximumBucket(*rates_.maximum[kind]); !maximum) {
      maximum = wanted;
    } else {
      maximum->SetRate(wanted.rate(), wanted.depth(), now_);
    }
  }
  if (!divides()) return;
  for (size_t i = 0; i < loads_.size(); ++i) SetShare(i);
}

void ThroughputModel::Fill() {
  for (const AccessKind kind : kKinds) {
    table_[kind].SetLevel(table_[kind].depth());
    for (Load& load : loads_) {
      load.share[kind].SetLevel(load.share[kind].depth());
      load.saved[kind].SetLevel(load.saved[kind].depth());
    }
  }
}

void ThroughputModel::SetRates(const TableRates& rates, Micros now) {
  Advance(now);
  rates_ = rates;
  warm_ = Larger(warm_, WarmUnits(rates));
  SetTableBuckets();
  GrowTo(CountPartitions(settings_, rates_, warm_));
}

// --- what time brings

void ThroughputModel::ApplyDue() {
  if (now_ >= heat_window_end_) CloseHeatWindow();
  if (now_ >= interval_end_) CloseAdaptiveInterval();
  if (now_ >= peak_window_end_) ClosePeakWindow();
  RipenPeaks();
  SplitHot();
  ScheduleNext();
}

void ThroughputModel::ScheduleNext() {
  next_due_ = std::min({heat_window_end_, interval_end_, peak_window_end_});
  for (const Load& load : loads_) {
    if (load.split_at) next_due_ = std::min(next_due_, *load.split_at);
  }
  for (const AccessKind kind : kKinds) {
    if (peaks_[kind].empty()) continue;
    next_due_ = std::min(next_due_, peaks_[kind].front().since + settings_.on_demand.doubling);
  }
}

void ThroughputModel::CloseHeatWindow() {
  const HeatRule& rule = settings_.heat;
  // Whole windows in which nothing came in cannot have been hot.
  const bool was_idle = now_ - heat_window_end_ >= rule.window;
  const int64_t windows = std::max<int64_t>(1, (rule.duration + rule.window - 1) / rule.window);
  for (Load& load : loads_) {
    bool is_hot = false;
    for (const AccessKind kind : kKinds) {
      const auto most = static_cast<double>(AccruedTokens(load.maximum[kind].rate(), rule.window));
      is_hot = is_hot || static_cast<double>(load.in_window[kind]) >= rule.threshold * most;
    }
    load.in_window = {};
    load.hot_windows = is_hot ? load.hot_windows + 1 : 0;
    if (is_hot && load.hot_windows >= windows && !load.split_at && settings_.splits) {
      load.split_at = heat_window_end_ + rule.delay;
    }
    if (was_idle) load.hot_windows = 0;
    if (load.hot_windows == 0 && !load.split_at) load.sample.Clear();
  }
  heat_window_end_ = NextEnd(heat_window_end_, rule.window, now_);
}

void ThroughputModel::SplitHot() {
  for (size_t i = 0; i < loads_.size(); ++i) {
    Load& load = loads_[i];
    if (!load.split_at || now_ < *load.split_at) continue;
    load.split_at.reset();
    load.hot_windows = 0;
    const std::optional<std::string> boundary = load.sample.SplitPoint(settings_.split);
    load.sample.Clear();
    if (!boundary || map_.size() >= kPartitionsMax) continue;
    SplitAt(i, *boundary);
    ++i;  // the other child
  }
}

void ThroughputModel::CloseAdaptiveInterval() {
  const AdaptiveRule& rule = settings_.adaptive;
  for (const AccessKind kind : kKinds) {
    const bool has_room = in_interval_[kind] < AccruedTokens(table_[kind].rate(), rule.interval);
    for (Load& load : loads_) {
      const uint64_t refused = std::exchange(load.refused_in_interval[kind], 0);
      if (settings_.admission != Admission::kAdaptive) continue;
      const double a_second = static_cast<double>(refused) * static_cast<double>(kSecond) /
                              static_cast<double>(rule.interval);
      const double more = rule.gain * a_second * static_cast<double>(kRatePerUnit);
      const auto boost = static_cast<double>(load.boost[kind]);
      load.boost[kind] = std::min(std::llround(has_room ? boost + more : boost * rule.decay),
                                  static_cast<long long>(load.maximum[kind].rate()));
    }
    in_interval_[kind] = 0;
  }
  if (settings_.admission == Admission::kAdaptive && divides()) {
    for (size_t i = 0; i < loads_.size(); ++i) SetShare(i);
  }
  interval_end_ = NextEnd(interval_end_, rule.interval, now_);
}

void ThroughputModel::ClosePeakWindow() {
  const OnDemandRule& rule = settings_.on_demand;
  for (const AccessKind kind : kKinds) {
    const auto units = static_cast<int64_t>(
        static_cast<double>(in_peak_window_[kind]) / static_cast<double>(kTokensPerUnit) /
        static_cast<double>(rule.window) * static_cast<double>(kSecond) / settings_.scale);
    in_peak_window_[kind] = 0;
    std::deque<Peak>& peaks = peaks_[kind];
    const int64_t highest = peaks.empty() ? warm_[kind] / 2 : peaks.back().units;
    if (units > highest) peaks.push_back({peak_window_end_, units});
  }
  peak_window_end_ = NextEnd(peak_window_end_, rule.window, now_);
}

void ThroughputModel::RipenPeaks() {
  bool has_grown = false;
  for (const AccessKind kind : kKinds) {
    std::deque<Peak>& peaks = peaks_[kind];
    while (!peaks.empty() && peaks.front().since + settings_.on_demand.doubling <= now_) {
      const int64_t quota = std::max(warm_[kind], settings_.table_quota[kind]);
      const int64_t doubled = std::min(2 * peaks.front().units, quota);
      has_grown = has_grown || doubled > warm_[kind];
      warm_[kind] = std::max(warm_[kind], doubled);
      peaks.pop_front();
    }
  }
  if (!has_grown || !rates_.on_demand) return;
  SetTableBuckets();
  GrowTo(PartitionsFor({}, warm_, settings_.partition_units));
}

// --- partitions

ThroughputModel::Load ThroughputModel::NewLoad(uint64_t id) const {
  uint64_t state = settings_.seed ^ id;
  Load load(NextRandom(&state));
  for (const AccessKind kind : kKinds) {
    load.maximum[kind] = MaximumBucket(settings_.partition_units[kind]);
  }
  return load;
}

void ThroughputModel::SplitAt(size_t index, std::string_view boundary) {
  splits_.push_back(map_.Split(index, boundary));
  Load& parent = loads_[index];
  Load low = NewLoad(map_[index].id);
  for (const AccessKind kind : kKinds) {
    // A maximum is each partition's own, but what was spent of it is not given back.
    low.maximum[kind].SetLevel(parent.maximum[kind].Level(now_));
    low.boost[kind] = parent.boost[kind] / 2;
    low.share[kind] = parent.share[kind].Half(now_);
    low.saved[kind] = parent.saved[kind].Half(now_);
  }
  Load high = low;
  high.sample = NewLoad(map_[index + 1].id).sample;
  loads_[index] = std::move(low);
  loads_.insert(loads_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(high));
  if (!divides()) return;
  SetShare(index);
  SetShare(index + 1);
}

void ThroughputModel::GrowTo(int partitions) {
  while (map_.size() < static_cast<size_t>(partitions) && settings_.splits) {
    const size_t before = map_.size();
    for (size_t i = 0; i < map_.size(); ++i) {
      const std::optional<std::string> middle = map_.FindMiddle(i);
      if (!middle) continue;
      SplitAt(i, *middle);
      ++i;  // the other child
    }
    if (map_.size() == before) return;
  }
}

std::vector<PartitionSplit> ThroughputModel::TakeSplits() { return std::exchange(splits_, {}); }

PartitionReport ThroughputModel::Report(size_t index, Micros now) {
  Advance(now);
  Load& load = loads_[index];
  PartitionReport report;
  report.consumed = load.consumed;
  report.refused = load.refused;
  report.split_at = load.split_at;
  for (const AccessKind kind : kKinds) {
    report.maximum_level[kind] = load.maximum[kind].Level(now_);
    report.share_level[kind] = load.share[kind].Level(now_);
    report.saved_level[kind] = load.saved[kind].Level(now_);
  }
  return report;
}

}  // namespace dynolith
