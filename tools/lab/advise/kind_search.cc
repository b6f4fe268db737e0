#include "tools/lab/advise/kind_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/lab/advise/design_change.h"

namespace dynolith::lab {
namespace {

// More units where there were too few.
constexpr double kMoreRoom = 1.5;
constexpr int kRaisesMax = 8;
// Shards that do not even spare a tenth of the throttles, twice, do not help.
constexpr double kHelps = 0.9;
constexpr int kUselessMax = 2;
// Units are found to this part of them.
constexpr int64_t kPrecision = 64;
constexpr int kSettlesMax = 12;

const ResourceResult* ResourceOf(const RunResult& run, size_t table, std::optional<size_t> index) {
  for (const ResourceResult& resource : run.resources) {
    if (resource.table == table && resource.index == index) return &resource;
  }
  return nullptr;
}

int64_t Least(const OpenMember& member) {
  return member.values.empty() ? member.least : member.values.front();
}

// The candidates between two numbers of shards: the one in the middle; nullopt if there is none.
std::optional<int64_t> Middle(const OpenMember& member, int64_t below, int64_t above) {
  if (member.values.empty()) {
    return above - below < 2 ? std::nullopt : std::optional(below + (above - below) / 2);
  }
  std::vector<int64_t> between;
  for (const int64_t value : member.values) {
    if (value > below && value < above) between.push_back(value);
  }
  if (between.empty()) return std::nullopt;
  return between[between.size() / 2];
}

}  // namespace

KindSearch::KindSearch(DesignKind kind, double throttled, const RunResult& asked,
                       SimulateOne simulate)
    : kind_(std::move(kind)),
      throttled_(throttled),
      simulate_(std::move(simulate)),
      tried_(kind_.levers.size()) {
  for (const OpenMember& lever : kind_.levers) shards_.push_back(Least(lever));
  for (const size_t table : kind_.sized) {
    for (size_t i = 0; i <= kind_.start.tables[table].indexes.size(); ++i) {
      const std::optional<size_t> index = i == 0 ? std::nullopt : std::optional(i - 1);
      for (const AccessKind each : {AccessKind::kRead, AccessKind::kWrite}) {
        dimensions_.push_back({.table = table, .index = index, .kind = each});
      }
    }
  }
  Learn(asked);
}

Experiment KindSearch::Design() const {
  Experiment design = kind_.start;
  for (size_t i = 0; i < shards_.size(); ++i) SetShards(kind_.levers[i], shards_[i], &design);
  for (const UnitsOf& each : dimensions_) {
    Throughput& throughput = ThroughputAt(&design, each.table, each.index);
    throughput.units[each.kind] = each.units;
    std::optional<ScalingRule>& rule = throughput.auto_scaling.rules[each.kind];
    if (!rule) continue;
    rule->minimum = each.units;
    // At the target with all that is ever asked for.
    rule->maximum =
        std::max(each.units,
                 static_cast<int64_t>(std::ceil(static_cast<double>(each.ample) / rule->target)));
    if (each.mean == 0) rule.reset();
  }
  return design;
}

// What is asked for does not depend on what is given, but on shards that are read.
void KindSearch::Learn(const RunResult& run) {
  const double seconds = static_cast<double>(run.interval) / static_cast<double>(kSecond);
  for (UnitsOf& each : dimensions_) {
    const ResourceResult* const resource = ResourceOf(run, each.table, each.index);
    if (resource == nullptr) continue;
    double most = 0;
    double sum = 0;
    for (const ResourceMoment& moment : resource->moments) {
      most = std::max(most, moment.asked[each.kind] / seconds);
      sum += moment.asked[each.kind];
    }
    each.mean = static_cast<int64_t>(std::ceil(run.rate_of(sum)));
    each.ample = std::max(each.ample, static_cast<int64_t>(std::ceil(most * kind_.room)));
    each.units = each.ample;
  }
}

// Whether something was throttled for want of units that are searched; there are more then.
bool KindSearch::RaiseUnits(const RunResult& run) {
  bool is_raised = false;
  for (UnitsOf& each : dimensions_) {
    const ResourceResult* const resource = ResourceOf(run, each.table, each.index);
    if (resource == nullptr) continue;
    const LimitCounts& throttled = resource->throttled[each.kind];
    uint64_t count = throttled[static_cast<size_t>(ThroughputLimit::kProvisionedThroughput)];
    if (run.experiment.admission != Admission::kGlobal) {
      count += throttled[static_cast<size_t>(ThroughputLimit::kKeyRange)];
    }
    if (count == 0) continue;
    each.ample = static_cast<int64_t>(std::ceil(static_cast<double>(each.ample) * kMoreRoom));
    each.units = each.ample;
    is_raised = true;
  }
  return is_raised;
}

std::optional<RunResult> KindSearch::TryAmple() {
  for (int i = 0;; ++i) {
    std::optional<RunResult> run = simulate_(Design());
    if (!run) return std::nullopt;
    Learn(*run);
    if (Serves(*run) || i == kRaisesMax || !RaiseUnits(*run)) return run;
  }
}

// --- shards

// Which shards would spread what was throttled the most.
std::optional<size_t> KindSearch::LeverFor(const RunResult& run) const {
  const AccessResult* const worst = MostThrottled(run);
  if (worst == nullptr || worst->total.throttled == 0) return std::nullopt;
  const Bottleneck bottleneck = FindBottleneck(run, *worst);
  if (bottleneck.limit != ThroughputLimit::kKeyRange) return std::nullopt;
  const size_t at = bottleneck.resource->table;
  const TableDesign& table = run.experiment.tables[at];
  const std::optional<size_t> index = bottleneck.resource->index;
  const std::string& attribute =
      index ? table.indexes[*index].partition_key.attribute : table.partition_key.attribute;
  for (size_t i = 0; i < kind_.levers.size(); ++i) {
    const OpenMember& lever = kind_.levers[i];
    if (lever.kind == OpenMember::Kind::kIndexShards) {
      if (lever.table == at && lever.index == index) return i;
      continue;
    }
    for (const Access& access : run.experiment.accesses) {
      const auto given = access.key.find(attribute);
      if (access.table == at && given != access.key.end() && given->second == lever.source) {
        return i;
      }
    }
  }
  return std::nullopt;
}

bool KindSearch::Raise(size_t lever) {
  const OpenMember& member = kind_.levers[lever];
  const int64_t shards = shards_[lever];
  int64_t next = std::min(2 * shards, member.most);
  if (!member.values.empty()) {
    const auto more = std::upper_bound(member.values.begin(), member.values.end(), shards);
    if (more == member.values.end()) return false;
    next = *more;
  }
  if (next <= shards) return false;
  tried_[lever] = shards;
  shards_[lever] = next;
  return true;
}

KindSearch::Step KindSearch::RaiseShards(RunResult* run) {
  int useless = 0;
  while (!Serves(*run) && useless < kUselessMax) {
    const std::optional<size_t> lever = LeverFor(*run);
    if (!lever || !Raise(*lever)) return Step::kGoOn;
    const double before = WorstThrottledPart(*run);
    std::optional<RunResult> next = TryAmple();
    if (!next) return Step::kEnded;
    useless = WorstThrottledPart(*next) > kHelps * before ? useless + 1 : 0;
    *run = *std::move(next);
  }
  return Step::kGoOn;
}

// Between the most that do not serve and those that do.
KindSearch::Step KindSearch::LowerShards(size_t lever, RunResult* run) {
  if (!tried_[lever]) return Step::kGoOn;
  int64_t below = *tried_[lever];
  int64_t above = shards_[lever];
  std::optional<RunResult> failed;
  while (const std::optional<int64_t> middle = Middle(kind_.levers[lever], below, above)) {
    shards_[lever] = *middle;
    std::optional<RunResult> next = TryAmple();
    if (!next) return Step::kEnded;
    if (Serves(*next)) {
      above = *middle;
      *run = *std::move(next);
    } else {
      below = *middle;
      failed = std::move(next);
    }
  }
  shards_[lever] = above;
  // What was asked for last was asked for with fewer shards.
  if (failed) {
    Learn(*run);
    less_.push_back(*std::move(failed));
  }
  return Step::kGoOn;
}

// --- units

// Whether accesses that need these units were throttled too much. Writes need those of the table
// and of its indexes, of which only one is searched at a time.
bool KindSearch::IsShort(const RunResult& run, const UnitsOf& dimension) const {
  for (size_t i = 0; i < run.accesses.size(); ++i) {
    const Access& access = run.experiment.accesses[i];
    const bool is_write = IsWrite(access.operation);
    if (access.table != dimension.table || is_write != (dimension.kind == AccessKind::kWrite)) {
      continue;
    }
    if (!is_write && access.index != dimension.index) continue;
    if (ThrottledPart(run.accesses[i]) > throttled_) return true;
  }
  return false;
}

// All tables at a time in the first phase, then the first index of each, and so on.
KindSearch::Step KindSearch::LowerUnits(size_t phase) {
  struct Range {
    UnitsOf* dimension;
    int64_t below;
    int64_t above;
  };
  std::vector<Range> ranges;
  for (UnitsOf& each : dimensions_) {
    if ((each.index ? *each.index + 1 : 0) != phase) continue;
    const Throughput& given = each.index
                                  ? kind_.start.tables[each.table].indexes[*each.index].throughput
                                  : kind_.start.tables[each.table].throughput;
    // What was saved before the run cannot be saved again: no fewer than are asked for on average,
    // unless there will be more by themselves.
    const int64_t least = given.auto_scaling.rules[each.kind] ? 1 : std::max<int64_t>(1, each.mean);
    ranges.push_back({&each, least - 1, std::max(least, each.units)});
  }
  const auto is_open = [](const Range& range) {
    return range.above - range.below > std::max<int64_t>(1, range.above / kPrecision);
  };
  std::optional<RunResult> failed;
  while (std::any_of(ranges.begin(), ranges.end(), is_open)) {
    for (const Range& range : ranges) {
      range.dimension->units =
          is_open(range) ? range.below + (range.above - range.below + 1) / 2 : range.above;
    }
    std::optional<RunResult> run = simulate_(Design());
    if (!run) return Step::kEnded;
    for (Range& range : ranges) {
      if (!is_open(range)) continue;
      (IsShort(*run, *range.dimension) ? range.below : range.above) = range.dimension->units;
    }
    if (!Serves(*run)) failed = std::move(run);
  }
  for (const Range& range : ranges) range.dimension->units = range.above;
  if (failed) less_.push_back(*std::move(failed));
  return Step::kGoOn;
}

// All of them together serve, or get a little more.
KindSearch::Step KindSearch::Settle(RunResult* run) {
  for (int i = 0; i < kSettlesMax; ++i) {
    std::optional<RunResult> next = simulate_(Design());
    if (!next) return Step::kEnded;
    if (Serves(*next)) {
      *run = *std::move(next);
      return Step::kGoOn;
    }
    for (UnitsOf& each : dimensions_) {
      if (IsShort(*next, each)) each.units += 1 + each.units / kPrecision * 2;
    }
  }
  return Step::kGoOn;
}

std::optional<KindResult> KindSearch::Search() {
  std::optional<RunResult> run = TryAmple();
  if (!run) return std::nullopt;
  KindResult result;
  if (!Serves(*run)) result.first = *run;
  Step step = RaiseShards(&*run);
  if (!Serves(*run)) {
    // More shards than help are no better design than none.
    const bool helped = WorstThrottledPart(*run) < kHelps * WorstThrottledPart(*result.first);
    result.run = helped ? *std::move(run) : *std::exchange(result.first, std::nullopt);
    return result;
  }
  for (size_t i = 0; i < kind_.levers.size() && step == Step::kGoOn; ++i) {
    step = LowerShards(i, &*run);
  }
  size_t phases = dimensions_.empty() ? 0 : 1;
  for (const UnitsOf& each : dimensions_) {
    if (each.index) phases = std::max(phases, *each.index + 2);
  }
  for (size_t phase = 0; phase < phases && step == Step::kGoOn; ++phase) step = LowerUnits(phase);
  if (phases > 0 && step == Step::kGoOn) Settle(&*run);
  result.run = *std::move(run);
  result.serves = true;
  result.less = std::move(less_);
  return result;
}

}  // namespace dynolith::lab
