#include "tools/lab/model/run_parts.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "engine/base/limits.h"
#include "tools/lab/load/lab_use.h"
#include "tools/lab/load/load_rate.h"
#include "tools/lab/load/request_schedule.h"

namespace dynolith::lab {
namespace {

// Members that are joined are of one set.
class DisjointSets {
 public:
  explicit DisjointSets(size_t members) : parents_(members) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }
  size_t Find(size_t member) {
    while (parents_[member] != member) {
      member = parents_[member] = parents_[parents_[member]];
    }
    return member;
  }
  void Join(size_t left, size_t right) { parents_[Find(right)] = Find(left); }

 private:
  std::vector<size_t> parents_;
};

// Which accesses, tables and indexes, and key sources of an experiment depend on each other.
class Dependence {
 public:
  explicit Dependence(const Experiment& experiment)
      : experiment_(experiment),
        resources_(ResourceDesigns(experiment)),
        sets_(experiment.accesses.size() + resources_.size() + experiment.sources.size()) {
    for (size_t i = 0; i < experiment.accesses.size(); ++i) {
      for (const Access& part : ListParts(experiment.accesses[i])) JoinPart(i, part);
    }
    JoinSources();
    JoinByChance();
  }

  size_t SetOfAccess(size_t access) { return sets_.Find(access); }
  size_t SetOfResource(size_t resource) { return sets_.Find(NumberOf(resource)); }
  size_t resources() const { return resources_.size(); }

 private:
  size_t NumberOf(size_t resource) const { return experiment_.accesses.size() + resource; }
  size_t NumberOfSource(size_t source) const { return NumberOf(resources_.size()) + source; }

  // A write is charged to the table and its indexes, or to none of them.
  void JoinPart(size_t access, const Access& part) {
    const bool writes = IsWrite(part.operation) || part.then;
    for (size_t i = 0; i < resources_.size(); ++i) {
      if (resources_[i].table != part.table) continue;
      if (writes || resources_[i].index == part.index) sets_.Join(access, NumberOf(i));
    }
    for (const auto& [attribute, source] : part.key) {
      // The present period is the same whoever asks for it.
      if (experiment_.sources[source].distribution == Distribution::kTime) continue;
      sets_.Join(access, NumberOfSource(source));
    }
  }

  // A source draws from the one that it is `of`, and along with the one that it is `within`.
  void JoinSources() {
    for (size_t i = 0; i < experiment_.sources.size(); ++i) {
      for (size_t other = 0; other < experiment_.sources.size(); ++other) {
        const std::string& name = experiment_.sources[other].name;
        const KeySource& source = experiment_.sources[i];
        if (name == source.of || name == source.within) {
          sets_.Join(NumberOfSource(i), NumberOfSource(other));
        }
      }
    }
  }

  template <typename Condition>
  void JoinAllThat(const Condition& condition) {
    std::vector<size_t> joined;
    for (size_t i = 0; i < experiment_.accesses.size(); ++i) {
      if (condition(i)) joined.push_back(i);
    }
    for (size_t i = 1; i < joined.size(); ++i) sets_.Join(joined[0], joined[i]);
  }

  // What shares a limit, or draws random numbers from one sequence in an order that results decide.
  void JoinByChance() {
    const std::vector<Access>& accesses = experiment_.accesses;
    const auto scans = [&](size_t i) { return accesses[i].operation == Operation::kScan; };
    const RetryRule& retry = experiment_.retry;
    bool has_scan = false;
    for (size_t i = 0; i < accesses.size(); ++i) has_scan |= scans(i);
    const bool retries =
        retry.attempts > 1 && (retry.quota > 0 || retry.jitter != Jitter::kNone || has_scan);
    if (experiment_.replay || experiment_.nodes > 0 || retry.is_adaptive || retries) {
      return JoinAllThat([](size_t) { return true; });
    }
    JoinAllThat(scans);
    JoinAllThat([&](size_t i) {
      const absl::Span<const Access> parts = ListParts(accesses[i]);
      return std::any_of(parts.begin(), parts.end(),
                         [](const Access& part) { return part.ttl > 0; });
    });
    JoinHeldLoad();
  }

  // The requests of a load in units depend on what was consumed.
  void JoinHeldLoad() {
    const std::vector<bool> draws = DrawsFromSchedule(experiment_);
    if (!experiment_.load || experiment_.load->unit == Load::Unit::kRequests) return;
    const bool is_drawn = std::any_of(
        experiment_.accesses.begin(), experiment_.accesses.end(), [&](const Access& access) {
          return !access.load && draws[static_cast<size_t>(&access - experiment_.accesses.data())];
        });
    if (is_drawn) JoinAllThat([&](size_t i) { return static_cast<bool>(draws[i]); });
  }

  const Experiment& experiment_;
  const std::vector<ResourceDesign> resources_;
  DisjointSets sets_;  // of accesses, then of tables and indexes, then of sources
};

double EstimateRequests(const Experiment& experiment, const Access& access) {
  const Load& load = access.load ? *access.load : *experiment.load;
  const double seconds = static_cast<double>(experiment.duration) / static_cast<double>(kSecond);
  if (load.shape == Load::Shape::kOnce) return 1;
  if (load.shape == Load::Shape::kPolling) {
    return static_cast<double>(load.workers) * static_cast<double>(experiment.duration) /
           static_cast<double>(load.interval);
  }
  double shares = access.share;
  if (!access.load) {
    shares = 0;
    for (const Access& other : experiment.accesses) shares += other.load ? 0 : other.share;
  }
  constexpr int64_t kMoments = 1'000;
  double mean = 0;
  for (int64_t i = 0; i < kMoments; ++i) mean += RateAt(load, experiment.duration / kMoments * i);
  return mean / static_cast<double>(kMoments) * seconds * access.share / shares /
         static_cast<double>(experiment.sample);
}

// A Scan has some pages, which hardly count.
double EstimateOperations(const Experiment& experiment, const Access& access) {
  if (experiment.replay) return 0;
  if (access.bulk) return static_cast<double>(access.bulk->items);
  double items = 0;
  for (const Access& part : ListParts(access)) {
    items += part.operation == Operation::kQuery ? 1 : static_cast<double>(part.items);
  }
  return EstimateRequests(experiment, access) * std::max(items, 1.0);
}

// The accesses of one set.
struct DependentAccesses {
  size_t set = 0;
  double operations = 0;
};

// The sets with the most operations first, others with as many in the order of their accesses.
std::vector<DependentAccesses> ListSets(const Experiment& experiment, Dependence* dependence) {
  std::vector<DependentAccesses> sets;
  for (size_t i = 0; i < experiment.accesses.size(); ++i) {
    const size_t set = dependence->SetOfAccess(i);
    auto found = std::find_if(sets.begin(), sets.end(),
                              [set](const DependentAccesses& each) { return each.set == set; });
    if (found == sets.end()) found = sets.insert(sets.end(), {set, 0});
    found->operations += EstimateOperations(experiment, experiment.accesses[i]);
  }
  std::stable_sort(sets.begin(), sets.end(), [](const auto& left, const auto& right) {
    return left.operations > right.operations;
  });
  return sets;
}

}  // namespace

std::vector<RunPart> DivideRun(const Experiment& experiment, size_t most) {
  if (most <= 1) {
    return {{std::vector<bool>(experiment.accesses.size(), true),
             std::vector<bool>(ResourceDesigns(experiment).size(), true)}};
  }
  Dependence dependence(experiment);
  const std::vector<DependentAccesses> sets = ListSets(experiment, &dependence);
  const RunPart empty = {std::vector<bool>(experiment.accesses.size()),
                         std::vector<bool>(dependence.resources())};
  std::vector<RunPart> parts(std::clamp<size_t>(sets.size(), 1, most), empty);
  for (const DependentAccesses& each : sets) {
    RunPart& part = *std::min_element(parts.begin(), parts.end(),
                                      [](const RunPart& left, const RunPart& right) {
                                        return left.operations < right.operations;
                                      });
    // Each gets some, though one without operations weighs nothing.
    part.operations += std::max(each.operations, 1.0);
    for (size_t i = 0; i < experiment.accesses.size(); ++i) {
      if (dependence.SetOfAccess(i) == each.set) part.accesses[i] = true;
    }
    for (size_t i = 0; i < dependence.resources(); ++i) {
      if (dependence.SetOfResource(i) == each.set) part.resources[i] = true;
    }
  }
  // What nobody uses is only closed second by second.
  for (size_t i = 0; i < dependence.resources(); ++i) {
    const bool is_used = std::any_of(parts.begin(), parts.end(),
                                     [i](const RunPart& part) { return part.resources[i]; });
    if (!is_used) parts.front().resources[i] = true;
  }
  return parts;
}

}  // namespace dynolith::lab
