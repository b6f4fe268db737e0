#include "tools/lab/advise/kind_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/lab/advise/design_change.h"

namespace dynolith::lab {
namespace {

// The factor by which missing capacity is raised.
constexpr double kMoreRoom = 1.5;
constexpr int kRaisesMax = 8;
// Shards do not help if raising them this often removes less than a tenth of the throttles each
// time.
constexpr double kHelps = 0.9;
constexpr int kUselessMax = 3;
// At most this many candidates are all tried. Otherwise shards are found to this part of them.
constexpr size_t kTriedOneByOne = 8;
constexpr int64_t kShardsPrecision = 16;
// More shards are worthwhile if they lower the capacity below this part.
constexpr double kSpares = 0.97;
// Capacity is found to this part of it.
constexpr int64_t kPrecision = 64;
// If other placements need more capacity it is raised by this part; after this many times by twice
// the part.
constexpr int kSettlesAtOnce = 8;
constexpr int kSettlesMax = 4 * kSettlesAtOnce;

const ResourceResult* FindResource(const RunResult& run, size_t table,
                                   std::optional<size_t> index) {
  for (const ResourceResult& resource : run.resources) {
    if (resource.table == table && resource.index == index) return &resource;
  }
  return nullptr;
}

int64_t Least(const OpenMember& member) {
  return member.values.empty() ? member.least : member.values.front();
}

// The next candidate between two numbers of shards: the middle one, or, of few, the first; nullopt
// if there is none.
std::optional<int64_t> Between(const OpenMember& member, int64_t below, int64_t above) {
  if (member.values.empty()) {
    const int64_t count = above - below - 1;
    if (count < 1 || count < above / kShardsPrecision) return std::nullopt;
    return count <= static_cast<int64_t>(kTriedOneByOne) ? below + 1 : below + (above - below) / 2;
  }
  std::vector<int64_t> between;
  for (const int64_t value : member.values) {
    if (value > below && value < above) between.push_back(value);
  }
  if (between.empty()) return std::nullopt;
  return between.size() <= kTriedOneByOne ? between.front() : between[between.size() / 2];
}

// Throttles for a lack of capacity.
uint64_t ThrottlesFor(const RunResult& run, const ResourceResult& resource, AccessKind kind,
                      Given given) {
  const auto count = [&](ThroughputLimit limit) {
    return resource.throttled[kind][static_cast<size_t>(limit)];
  };
  switch (given) {
    case Given::kUnits:
      return count(ThroughputLimit::kProvisionedThroughput) +
             (run.experiment.admission == Admission::kGlobal ? 0
                                                             : count(ThroughputLimit::kKeyRange));
    case Given::kWarm:
      return IsWarmLimit(run, resource, kind) ? count(ThroughputLimit::kKeyRange) : 0;
    case Given::kMaximum:
      return count(ThroughputLimit::kMaxOnDemand);
  }
  return 0;
}

// The table or index in which a single key exceeds a partition or an item collection.
const ResourceResult* Crowded(const RunResult& run) {
  const AccessResult* const worst = MostDenied(run);
  if (worst == nullptr) return nullptr;
  if (const ResourceResult* const full = FullTable(run, *worst)) return full;
  const Bottleneck bottleneck = FindBottleneck(run, *worst);
  return bottleneck.limit == ThroughputLimit::kKeyRange ? bottleneck.resource : nullptr;
}

}  // namespace

KindSearch::KindSearch(DesignKind kind, const AdviceRequest& request, const RunResult& asked,
                       const SimulateOne& simulate)
    : kind_(std::move(kind)),
      request_(request),
      placements_(kind_.start, request, simulate),
      tried_(kind_.levers.size()) {
  for (const OpenMember& lever : kind_.levers) shards_.push_back(Least(lever));
  for (const DesignKind::Sized& sized : kind_.sized) AddDimensions(sized);
  Learn(asked);
}

void KindSearch::AddDimensions(const DesignKind::Sized& sized) {
  for (size_t i = 0; i <= kind_.start.tables[sized.table].indexes.size(); ++i) {
    const std::optional<size_t> index = i == 0 ? std::nullopt : std::optional(i - 1);
    for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
      Dimension dimension{.table = sized.table, .index = index, .kind = kind, .given = sized.given};
      if (sized.given == Given::kWarm) dimension.least = WarmAtFirst(kind);
      dimension.ample = dimension.least;
      dimensions_.push_back(dimension);
    }
  }
}

Experiment KindSearch::Design() const {
  Experiment design = kind_.start;
  for (size_t i = 0; i < shards_.size(); ++i) SetShards(kind_.levers[i], shards_[i], &design);
  for (const Dimension& each : dimensions_) {
    Throughput& throughput = ThroughputAt(&design, each.table, each.index);
    if (each.given == Given::kWarm) throughput.warm[each.kind] = each.units;
    if (each.given == Given::kMaximum) throughput.maximum[each.kind] = each.units;
    if (each.given != Given::kUnits) continue;
    throughput.units[each.kind] = each.units;
    std::optional<ScalingRule>& rule = throughput.auto_scaling.rules[each.kind];
    if (!rule) continue;
    rule->minimum = each.units;
    // Enough that the peak demand is at the target.
    rule->maximum =
        std::max(each.units,
                 static_cast<int64_t>(std::ceil(static_cast<double>(each.ample) / rule->target)));
    if (each.mean == 0) rule.reset();
  }
  return design;
}

// Demand does not depend on capacity, but on the number of shards that reads query.
void KindSearch::Learn(const RunResult& run) {
  const double seconds = static_cast<double>(run.interval) / static_cast<double>(kSecond);
  for (Dimension& each : dimensions_) {
    const ResourceResult* const resource = FindResource(run, each.table, each.index);
    if (resource == nullptr) continue;
    double most = 0;
    double sum = 0;
    for (const ResourceMoment& moment : resource->moments) {
      most = std::max(most, moment.asked[each.kind] / seconds);
      sum += moment.asked[each.kind];
    }
    const auto with_reserve = [this](double units) {
      return static_cast<int64_t>(std::ceil(units / request_.utilization));
    };
    each.mean = with_reserve(run.rate_of(sum));
    each.ample = std::max(each.ample, with_reserve(most * kind_.room));
    each.units = each.ample;
  }
}

// Raises the capacity for lack of which something was throttled. Returns whether there was any.
bool KindSearch::RaiseGiven(const RunResult& run) {
  bool is_raised = false;
  for (Dimension& each : dimensions_) {
    const ResourceResult* const resource = FindResource(run, each.table, each.index);
    if (resource == nullptr || ThrottlesFor(run, *resource, each.kind, each.given) == 0) continue;
    each.ample = static_cast<int64_t>(std::ceil(static_cast<double>(each.ample) * kMoreRoom));
    each.units = each.ample;
    is_raised = true;
  }
  return is_raised;
}

std::optional<Judgement> KindSearch::ProbeAmple(FailedRun failed) {
  for (int i = 0;; ++i) {
    std::optional<Judgement> judgement = placements_.Probe(Design(), failed);
    if (!judgement) return std::nullopt;
    if (judgement->run.is_complete) Learn(judgement->run);
    if (judgement->serves || i == kRaisesMax || !RaiseGiven(judgement->run)) return judgement;
  }
}

// --- shards

// The shards that would spread the keys that were denied most: first those of the access that was
// denied most, whatever the order in which they are open.
std::vector<size_t> KindSearch::LeversFor(const RunResult& run) const {
  std::vector<size_t> levers;
  const ResourceResult* const crowded = Crowded(run);
  if (crowded == nullptr) return levers;
  for (size_t i = 0; i < kind_.levers.size(); ++i) {
    if (SpreadsKeys(run.experiment, *crowded, kind_.levers[i])) levers.push_back(i);
  }
  const size_t worst = static_cast<size_t>(MostDenied(run) - run.accesses.data());
  const Access& access = run.experiment.accesses[worst];
  std::stable_partition(levers.begin(), levers.end(), [&](size_t lever) {
    return SpreadsKeysOf(access, run.experiment, *crowded, kind_.levers[lever]);
  });
  return levers;
}

std::optional<size_t> KindSearch::LeverFor(const RunResult& run) const {
  const std::vector<size_t> levers = LeversFor(run);
  return levers.empty() ? std::nullopt : std::optional(levers.front());
}

// Raises the first of those that can be raised and have not been given up; nullopt if there is
// none.
std::optional<size_t> KindSearch::RaiseOneFor(const RunResult& run,
                                              const std::vector<bool>& given_up) {
  for (const size_t lever : LeversFor(run)) {
    if (!given_up[lever] && Raise(lever)) return lever;
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

// Shards that do not help are given up, and lowered again if there are others that may help.
KindSearch::Step KindSearch::RaiseShards(Judgement* judgement) {
  struct Useless {
    int times = 0;
    int64_t shards = 1;  // before the first of them
    std::optional<int64_t> tried;
  };
  std::vector<Useless> useless(kind_.levers.size());
  std::vector<bool> given_up(kind_.levers.size());
  while (!judgement->serves) {
    const std::vector<int64_t> shards = shards_;
    const std::vector<std::optional<int64_t>> tried = tried_;
    const std::optional<size_t> lever = RaiseOneFor(judgement->run, given_up);
    if (!lever) return Step::kGoOn;
    for (size_t i = 0; i < given_up.size(); ++i) {
      if (i == *lever || !given_up[i]) continue;
      shards_[i] = useless[i].shards;
      tried_[i] = useless[i].tried;
    }
    const double before = WorstDeniedPart(judgement->run);
    std::optional<Judgement> next = ProbeAmple(FailedRun::kWhole);
    if (!next) return Step::kEnded;
    Useless& of_lever = useless[*lever];
    const bool helped = WorstDeniedPart(next->run) <= kHelps * before;
    if (helped) {
      of_lever.times = 0;
    } else if (of_lever.times++ == 0) {
      of_lever.shards = shards[*lever];
      of_lever.tried = tried[*lever];
    }
    // A list has no number that is much too high.
    given_up[*lever] = of_lever.times >= kUselessMax && kind_.levers[*lever].values.empty();
    *judgement = *std::move(next);
  }
  return Step::kGoOn;
}

// Searches between the most shards that do not serve and the present ones, which do.
KindSearch::Step KindSearch::LowerShards(size_t lever, Judgement* judgement) {
  if (!tried_[lever]) return Step::kGoOn;
  int64_t below = *tried_[lever];
  int64_t above = shards_[lever];
  std::optional<RunResult> failed;
  while (const std::optional<int64_t> next = Between(kind_.levers[lever], below, above)) {
    shards_[lever] = *next;
    std::optional<Judgement> one = ProbeAmple(FailedRun::kUntilCertain);
    if (!one) return Step::kEnded;
    if (one->serves) {
      above = *next;
      *judgement = *std::move(one);
    } else {
      below = *next;
      failed = std::move(one->run);
    }
  }
  shards_[lever] = above;
  // The last measured demand was that of fewer shards.
  if (failed) {
    Learn(judgement->run);
    less_.push_back(*std::move(failed));
  }
  return Step::kGoOn;
}

// Judges it in all placements, and adds a few shards until it serves.
KindSearch::Step KindSearch::Confirm(Judgement* judgement) {
  for (int raises = 0;;) {
    std::optional<Judgement> all = placements_.Judge(Design(), FailedRun::kUntilCertain);
    if (!all) return Step::kEnded;
    *judgement = *std::move(all);
    if (judgement->serves) return Step::kGoOn;
    if (raises++ < kRaisesMax && RaiseGiven(judgement->run)) continue;
    const std::optional<size_t> lever = LeverFor(judgement->run);
    less_ = {judgement->run};
    if (!lever || !RaiseALittle(*lever)) return Step::kGoOn;
    std::optional<Judgement> next = ProbeAmple(FailedRun::kUntilCertain);
    if (!next) return Step::kEnded;
  }
}

bool KindSearch::RaiseALittle(size_t lever) {
  const OpenMember& member = kind_.levers[lever];
  if (!member.values.empty()) return Raise(lever);
  const int64_t shards = shards_[lever];
  const int64_t next = std::min(member.most, shards + 1 + shards / kShardsPrecision);
  if (next <= shards) return false;
  tried_[lever] = shards;
  shards_[lever] = next;
  return true;
}

// --- what is given

// Whether accesses that need this capacity were throttled too much. Writes need that of the table
// and of its indexes, of which only one is searched at a time.
bool KindSearch::IsShort(const RunResult& run, const Dimension& dimension) const {
  // If an expectation is missed, any throttle may be the reason.
  const double most = ServesAsExpected(run) ? request_.throttled : 0;
  for (size_t i = 0; i < run.accesses.size(); ++i) {
    const Access& access = run.experiment.accesses[i];
    const bool wants_write = dimension.kind == AccessKind::kWrite;
    const bool is_write = IsWrite(access.operation);
    const bool does = is_write == wants_write || (wants_write && access.then);
    if (!UsesTable(access, dimension.table) || !does) continue;
    if (!is_write && !wants_write && access.index != dimension.index) continue;
    if (ThrottledPart(run.accesses[i]) > most) return true;
  }
  return false;
}

// A run that ended early does not show which capacity would have been short later.
FailedRun KindSearch::FailedIfOpen(std::ptrdiff_t dimensions) {
  return dimensions == 1 ? FailedRun::kUntilCertain : FailedRun::kWhole;
}

// If nothing was short when the run ended, simulates the rest of it to find out. Returns false if
// the search has to end.
bool KindSearch::TellWhatIsShort(RunResult* run) const {
  const bool is_told =
      std::any_of(dimensions_.begin(), dimensions_.end(),
                  [&](const Dimension& dimension) { return IsShort(*run, dimension); });
  return is_told || placements_.Complete(run);
}

// All tables together first, then the first index of each, and so on; owners' maxima last, since
// they are also reached if other capacity is too small.
std::set<KindSearch::Phase> KindSearch::Phases() const {
  std::set<Phase> phases;
  for (const Dimension& each : dimensions_) phases.insert(ToPhase(each));
  return phases;
}

// Burst capacity saved before the run cannot be relied on: at least the average demand, unless the
// service raises the capacity by itself.
int64_t KindSearch::FindLeastGiven(const Dimension& dimension) const {
  if (dimension.given == Given::kWarm) return dimension.least;
  const TableDesign& table = kind_.start.tables[dimension.table];
  const Throughput& given =
      dimension.index ? table.indexes[*dimension.index].throughput : table.throughput;
  const bool grows = given.auto_scaling.rules[dimension.kind].has_value();
  return grows ? dimension.least : std::max(dimension.least, dimension.mean);
}

KindSearch::Step KindSearch::LowerGiven(const Phase& phase, uint64_t placement) {
  struct Range {
    Dimension* dimension;
    int64_t below;
    int64_t above;
  };
  std::vector<Range> ranges;
  for (Dimension& each : dimensions_) {
    if (ToPhase(each) != phase) continue;
    const int64_t least = FindLeastGiven(each);
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
    const auto open = std::count_if(ranges.begin(), ranges.end(), is_open);
    std::optional<RunResult> run = placements_.Try(Design(), placement, FailedIfOpen(open));
    if (!run || !TellWhatIsShort(&*run)) return Step::kEnded;
    for (Range& range : ranges) {
      if (!is_open(range)) continue;
      (IsShort(*run, *range.dimension) ? range.below : range.above) = range.dimension->units;
    }
    if (placements_.Serves(*run)) continue;
    if (LeverFor(*run)) met_partition_ = run;
    failed = std::move(run);
  }
  for (const Range& range : ranges) range.dimension->units = range.above;
  if (failed) less_.push_back(*std::move(failed));
  return Step::kGoOn;
}

// Raises all capacity together, first a little and at most to `ample`, until it serves in all
// placements.
KindSearch::Step KindSearch::Settle(const std::vector<int64_t>& ample, Judgement* judgement) {
  for (int i = 0; i < kSettlesMax; ++i) {
    if (static_cast<double>(GivenInAll()) >= useless_) return Step::kGoOn;
    std::optional<Judgement> next = placements_.Judge(Design(), FailedRun::kUntilCertain);
    if (!next || !TellWhatIsShort(&next->run)) return Step::kEnded;
    if (next->serves) {
      *judgement = *std::move(next);
      return Step::kGoOn;
    }
    const int64_t part = kPrecision >> (i / kSettlesAtOnce);
    bool is_raised = false;
    for (size_t at = 0; at < dimensions_.size(); ++at) {
      Dimension& each = dimensions_[at];
      if (!IsShort(next->run, each) || each.units >= ample[at]) continue;
      each.units = std::min(ample[at], each.units + 1 + each.units / part);
      is_raised = true;
    }
    if (!is_raised) break;
  }
  for (size_t at = 0; at < dimensions_.size(); ++at) dimensions_[at].units = ample[at];
  std::optional<Judgement> all = placements_.Judge(Design(), FailedRun::kUntilCertain);
  if (!all) return Step::kEnded;
  *judgement = *std::move(all);
  return Step::kGoOn;
}

KindSearch::Step KindSearch::LowerAll(Judgement* judgement) {
  met_partition_.reset();
  std::vector<int64_t> ample;
  for (const Dimension& each : dimensions_) ample.push_back(each.units);
  const uint64_t placement = judgement->run.experiment.trial.placement;
  for (const Phase& phase : Phases()) {
    if (LowerGiven(phase, placement) == Step::kEnded) return Step::kEnded;
  }
  return dimensions_.empty() ? Step::kGoOn : Settle(ample, judgement);
}

int64_t KindSearch::GivenInAll() const {
  int64_t sum = 0;
  for (const Dimension& each : dimensions_) sum += each.units;
  return sum;
}

// With more shards fewer partitions, and so less capacity, may suffice.
void KindSearch::SearchBeyond(KindResult fewest, std::vector<KindResult>* results) {
  int64_t least = GivenInAll();
  results->push_back(std::move(fewest));
  bool spares = true;
  while (met_partition_) {
    const std::optional<size_t> lever = LeverFor(*met_partition_);
    const bool is_listed = lever && !kind_.levers[*lever].values.empty();
    // The list has no number that high.
    if (!lever || (!spares && !is_listed) || !Raise(*lever)) return;
    for (Dimension& each : dimensions_) each.ample = each.least;
    Learn(results->back().judgement.run);
    useless_ = kSpares * static_cast<double>(least);
    std::optional<Judgement> judgement = ProbeAmple(FailedRun::kWhole);
    if (!judgement) return;
    if (judgement->serves && LowerAll(&*judgement) == Step::kEnded) return;
    spares = judgement->serves && static_cast<double>(GivenInAll()) < useless_;
    if (!spares) continue;
    least = GivenInAll();
    results->push_back({.judgement = *std::move(judgement), .less = std::exchange(less_, {})});
  }
}

// Explanations of designs that do not serve need whole runs.
void KindSearch::Complete(std::vector<KindResult>* results) const {
  for (KindResult& result : *results) {
    bool goes_on = placements_.Complete(&result.judgement.run);
    for (RunResult& run : result.less) goes_on = goes_on && placements_.Complete(&run);
    if (!goes_on) return;
  }
}

std::vector<KindResult> KindSearch::Search() {
  std::optional<Judgement> judgement = ProbeAmple(FailedRun::kWhole);
  if (!judgement) return {};
  KindResult result;
  if (!judgement->serves) result.first = *judgement;
  Step step = RaiseShards(&*judgement);
  if (!judgement->serves) {
    // Shards that do not help are no better than none.
    const bool helped =
        WorstDeniedPart(judgement->run) < kHelps * WorstDeniedPart(result.first->run);
    result.judgement = helped ? *std::move(judgement) : *std::exchange(result.first, std::nullopt);
    return {std::move(result)};
  }
  for (size_t i = 0; i < kind_.levers.size() && step == Step::kGoOn; ++i) {
    step = LowerShards(i, &*judgement);
  }
  // Capacity is confirmed after it was lowered.
  const bool is_lowered_only = kind_.levers.empty() && !dimensions_.empty();
  if (step == Step::kGoOn && !is_lowered_only) step = Confirm(&*judgement);
  if (step == Step::kGoOn && judgement->serves) step = LowerAll(&*judgement);
  result.judgement = *std::move(judgement);
  result.less = std::exchange(less_, {});
  std::vector<KindResult> results;
  if (step == Step::kEnded) {
    results.push_back(std::move(result));
  } else {
    SearchBeyond(std::move(result), &results);
  }
  Complete(&results);
  return results;
}

}  // namespace dynolith::lab
