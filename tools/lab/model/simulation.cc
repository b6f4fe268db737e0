#include "tools/lab/model/simulation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "tools/lab/load/access_plan.h"
#include "tools/lab/load/attempt_latency.h"
#include "tools/lab/load/replay_source.h"
#include "tools/lab/load/request_schedule.h"
#include "tools/lab/load/retry_pace.h"
#include "tools/lab/model/cache_or_queue.h"
#include "tools/lab/model/expiring_items.h"
#include "tools/lab/model/simulated_resource.h"
#include "tools/lab/model/stored_items.h"

namespace dynolith::lab {
namespace {

// Operations that wait for a retry, by number.
struct Waiting {
  size_t access = 0;
  int64_t attempts = 0;  // so far
  Micros since = 0;      // the first one
  LabUses uses;
};

struct ScanWork {
  size_t access = 0;
  Micros begun = 0;
  int64_t segments_left = 0;
};

struct ScanCursor {
  size_t scan = 0;
  double at = 0;
  double end = 0;
  int64_t attempts = 0;
  Micros since = 0;  // the first one
};

struct Event {
  enum class Kind : uint8_t { kAttempt, kPage, kFlush };

  Micros at = 0;
  uint64_t order = 0;
  Kind kind = Kind::kAttempt;
  size_t target = 0;

  friend bool operator>(const Event& left, const Event& right) {
    return std::tie(left.at, left.order) > std::tie(right.at, right.order);
  }
};

// One access: the source of its requests, and their results.
struct Pattern {
  AccessPlan plan;
  CacheOrQueue cache_or_queue;
  double operations_most = 0;  // of the whole run
  std::optional<AttemptLatency> latency;
  AccessResult result;
  AccessMoment moment;
};

// The result of an attempt. A refused operation is not retried.
enum class Outcome : uint8_t { kServed, kThrottled, kRefused };

class Simulation {
 public:
  explicit Simulation(const Experiment& experiment);
  RunResult Run(absl::FunctionRef<bool(const RunProgress&)> go_on);

 private:
  void MakeResources();
  void MakePatterns();

  double DeniedAtLeast() const;
  void CloseSecond();
  void CloseInterval();
  void Expire(const ExpiringItem& item);
  void Handle(const Event& event);
  void Schedule(Micros at, Event::Kind kind, size_t target);

  void Request(size_t access);
  void Replay();
  Outcome Perform(size_t access, LabUses* uses);
  Outcome Attempt(size_t access, absl::Span<const LabUse> uses);
  bool IsThrottled(size_t access, absl::Span<const LabUse> uses);
  void CountThrottle(size_t access, const LabUse& use, ThroughputLimit limit, bool is_first);
  bool IsRefused(size_t access, absl::Span<const LabUse> uses);
  bool Adds(const LabUse& use) const;
  bool IsIdle(const LabUse& use) const;
  double CountAdded(const LabUse& use, double* of_item);
  double CountAddedEntries(const LabUse& use);
  void Serve(size_t access, LabUses* uses);
  void Again(size_t waiting);
  void CountWait(size_t access, Micros since);
  void AskLater(Micros wait, size_t waiting);
  size_t Keep(size_t access, LabUses* uses);

  void BeginScan(size_t access);
  void ReadPage(size_t cursor);
  RunResult Finish(bool is_complete);

  const Experiment& experiment_;
  const CapacitySettings settings_;
  const uint64_t weight_;
  const RunIntervals intervals_;
  uint64_t random_;
  std::optional<Nodes> nodes_;
  std::vector<std::unique_ptr<SimulatedResource>> resources_;
  std::vector<StoredItems> stored_;        // by the same numbers, used of tables
  std::optional<ExpiringItems> expiring_;  // if any does
  const KeyGenerators generators_;
  std::vector<Pattern> patterns_;
  RequestSchedule schedule_;
  std::optional<ReplaySource> replay_;  // then nothing is scheduled
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t order_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<size_t> free_waiting_;
  RetryPace pace_;
  std::vector<ScanWork> scans_;
  std::vector<ScanCursor> cursors_;
  Micros now_ = 0;
  Micros taken_ = 0;   // by the attempts of the operation that is performed
  Micros second_ = 0;  // when this one began
  Micros closed_ = 0;  // until when there are moments
  uint64_t decisions_ = 0;
};

CapacitySettings SettingsFor(const Experiment& experiment) {
  CapacitySettings settings;
  settings.admission = experiment.admission;
  settings.splits = experiment.splits;
  settings.nodes = experiment.nodes;
  settings.scale = experiment.trial.utilization / static_cast<double>(experiment.sample);
  settings.burst = experiment.trial.saves ? experiment.assumed.burst : settings.partition_burst;
  settings.table_quota = experiment.table_quota;
  settings.heat.delay = experiment.assumed.split_delay;
  settings.seed = experiment.seed;
  return settings;
}

Simulation::Simulation(const Experiment& experiment)
    : experiment_(experiment),
      settings_(SettingsFor(experiment)),
      weight_(static_cast<uint64_t>(experiment.sample)),
      intervals_(experiment.duration),
      random_(experiment.seed),
      generators_(MakeGenerators(experiment.sources, NextRandom(&random_))),
      schedule_(experiment, NextRandom(&random_)),
      pace_(experiment.retry, experiment.sample) {
  MakeResources();
  MakePatterns();
  if (experiment.replay) {
    replay_.emplace(*experiment.replay, experiment, NextRandom(&random_));
  }
}

// --- setup

void Simulation::MakeResources() {
  if (settings_.nodes > 0) nodes_.emplace(settings_, 0);
  Nodes* const nodes = nodes_ ? &*nodes_ : nullptr;
  for (const ResourceDesign& design : ResourceDesigns(experiment_)) {
    resources_.push_back(
        std::make_unique<SimulatedResource>(experiment_, settings_, design, nodes, intervals_));
    stored_.emplace_back(static_cast<double>(weight_), ItemsMost(experiment_, design.table));
  }
}

void Simulation::MakePatterns() {
  const bool expires = std::any_of(
      experiment_.accesses.begin(), experiment_.accesses.end(), [](const Access& access) {
        const absl::Span<const Access> parts = ListParts(access);
        return std::any_of(parts.begin(), parts.end(),
                           [](const Access& part) { return part.ttl > 0; });
      });
  if (expires) expiring_.emplace(experiment_.duration, Scrambled(experiment_.seed));
  patterns_.reserve(experiment_.accesses.size());
  for (const Access& access : experiment_.accesses) {
    patterns_.push_back({AccessPlan(experiment_, access, generators_, NextRandom(&random_)),
                         CacheOrQueue(access),
                         OperationsMost(experiment_, patterns_.size()),
                         {},
                         {},
                         {}});
    Pattern& pattern = patterns_.back();
    pattern.result.name = access.name;
    pattern.result.is_timed = access.latency.has_value();
    // The pages of a Scan take their own time.
    if (!access.latency || access.operation == Operation::kScan) continue;
    pattern.latency.emplace(*access.latency, NextRandom(&random_));
  }
}

// --- time

RunResult Simulation::Run(absl::FunctionRef<bool(const RunProgress&)> go_on) {
  schedule_.BeginSecond(second_);
  while (true) {
    const Micros request = replay_ ? replay_->next() : schedule_.next();
    const Micros event = events_.empty() ? kNever : events_.top().at;
    const Micros next = std::min(request, event);
    if (next >= second_ + kSecond || next >= experiment_.duration) {
      CloseSecond();
      if (second_ >= experiment_.duration) return Finish(true);
      const RunProgress progress = {.simulated = second_,
                                    .duration = experiment_.duration,
                                    .decisions = decisions_,
                                    .denied_at_least = DeniedAtLeast()};
      if (!go_on(progress)) return Finish(false);
      schedule_.BeginSecond(second_);
      continue;
    }
    now_ = next;
    // Combined writes are sent before the next request.
    if (event <= request) {
      const Event top = events_.top();
      events_.pop();
      Handle(top);
    } else if (replay_) {
      Replay();
    } else {
      Request(schedule_.Take());
    }
  }
}

// The bound assumes that everything is served from now on.
double Simulation::DeniedAtLeast() const {
  double worst = 0;
  for (const Pattern& pattern : patterns_) {
    AccessMoment sum = pattern.result.total;
    sum += pattern.moment;
    if (sum.denied() == 0) continue;
    // Refused operations are among these, and are not retried.
    const double attempts_most = static_cast<double>(sum.throttled) + pattern.operations_most;
    worst = std::max(worst, static_cast<double>(sum.denied()) / attempts_most);
  }
  return worst;
}

void Simulation::CloseSecond() {
  second_ = std::min(second_ + kSecond, experiment_.duration);
  now_ = second_;
  if (expiring_) expiring_->Advance(now_, [this](const ExpiringItem& item) { Expire(item); });
  for (const std::unique_ptr<SimulatedResource>& resource : resources_) {
    resource->CloseSecond(second_);
  }
  if (second_ % intervals_.moment == 0 || second_ == experiment_.duration) CloseInterval();
}

// Free of charge, of the table as of its indexes (api/facts/operations.md §5.4).
void Simulation::Expire(const ExpiringItem& item) {
  const ExpiringItem::Part& first = item.parts.front();
  StoredItems& stored = stored_[first.resource];
  double items = 0;
  if (!item.is_new) {
    items = stored.Delete(first.position.mixed(), item.was_there);
  } else if (stored.Has(first.position.mixed(), true)) {
    items = -static_cast<double>(weight_);
  }
  if (items == 0) return;
  for (const ExpiringItem::Part& part : item.parts) {
    const double gone =
        part.item == 0 ? items : stored_[part.resource].Delete(part.item, part.was_there);
    if (gone != 0) resources_[part.resource]->Expire(part, gone, now_);
  }
}

void Simulation::CloseInterval() {
  closed_ = second_;
  for (const std::unique_ptr<SimulatedResource>& resource : resources_) {
    resource->CloseInterval(second_);
  }
  for (Pattern& pattern : patterns_) {
    pattern.result.total += pattern.moment;
    pattern.result.moments.push_back(std::exchange(pattern.moment, {}));
  }
}

void Simulation::Schedule(Micros at, Event::Kind kind, size_t target) {
  events_.push({at, order_++, kind, target});
}

void Simulation::Handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kAttempt:
      return Again(event.target);
    case Event::Kind::kPage:
      return ReadPage(event.target);
    case Event::Kind::kFlush: {
      Waiting collected = std::move(waiting_[event.target]);
      free_waiting_.push_back(event.target);
      patterns_[collected.access].cache_or_queue.Forget(collected.uses.front().position);
      return Serve(collected.access, &collected.uses);
    }
  }
}

// --- requests

void Simulation::Request(size_t access) {
  Pattern& pattern = patterns_[access];
  pattern.moment.requests += weight_;
  if (pattern.plan.access().operation == Operation::kScan) return BeginScan(access);
  pattern.plan.Request(now_, [&](LabUses* uses) {
    if (pattern.cache_or_queue.Absorbs(uses->front().position, now_)) {
      pattern.moment.absorbed += weight_;
      return;
    }
    if (pattern.plan.access().aggregate > 0) {
      Schedule(now_ + pattern.plan.access().aggregate, Event::Kind::kFlush, Keep(access, uses));
      return;
    }
    Serve(access, uses);
  });
}

void Simulation::Replay() {
  const size_t access = replay_->access();
  patterns_[access].moment.requests += weight_;
  replay_->Take([&](LabUses* uses) { Serve(access, uses); });
}

void Simulation::Serve(size_t access, LabUses* uses) {
  Pattern& pattern = patterns_[access];
  pattern.moment.operations += weight_;
  for (const LabUse& use : *uses) {
    if (!IsIdle(use)) resources_[use.resource]->CountAsked(use);
  }
  const Outcome outcome = Perform(access, uses);
  if (outcome == Outcome::kServed) {
    if (pattern.result.is_timed) CountWait(access, now_);
    return pace_.Served(1);
  }
  // The cache does not hold the result of a failed request.
  pattern.cache_or_queue.Forget(uses->front().position);
  if (outcome == Outcome::kRefused) return;
  const std::optional<Micros> wait = pace_.WaitAfter(1, &random_);
  if (!wait) {
    pattern.moment.failed += weight_;
    return;
  }
  AskLater(*wait, Keep(access, uses));
}

// If a write follows the read, runs the read first, and the write after the read was served; `uses`
// then holds only the write's.
Outcome Simulation::Perform(size_t access, LabUses* uses) {
  Pattern& pattern = patterns_[access];
  taken_ = 0;
  if (pattern.plan.access().then && uses->front().kind == AccessKind::kRead) {
    const Outcome read = Attempt(access, {uses->data(), 1});
    if (read != Outcome::kServed) return read;
    uses->erase(uses->begin());
    pattern.moment.operations += weight_;
  }
  if (!pattern.plan.changes_sparse_indexes()) return Attempt(access, *uses);
  // Another attempt may find other entries.
  LabUses active = *uses;
  active.erase(std::remove_if(active.begin(), active.end(),
                              [this](const LabUse& use) { return IsIdle(use); }),
               active.end());
  return Attempt(access, active);
}

// An entry of a sparse index that stays as it is takes nothing (api/facts/capacity.md §1).
bool Simulation::IsIdle(const LabUse& use) const {
  if (use.entry == EntryChange::kNone || use.entry == EntryChange::kWrite) return false;
  const bool is_there = stored_[use.resource].Has(use.item, use.was_there);
  return is_there == (use.entry == EntryChange::kAdd);
}

// All of its uses are charged, or none.
Outcome Simulation::Attempt(size_t access, absl::Span<const LabUse> uses) {
  Pattern& pattern = patterns_[access];
  ++decisions_;
  if (pattern.latency) taken_ += pattern.latency->Draw();
  // Most stand alone, and their partition is looked up once.
  const bool is_alone = uses.size() == 1 && !resources_[uses[0].resource]->limits_collections();
  if (is_alone) {
    const std::optional<ThroughputLimit> limit =
        resources_[uses[0].resource]->RefusalOrCharge(uses[0], now_);
    if (limit) {
      CountThrottle(access, uses[0], *limit, true);
      return Outcome::kThrottled;
    }
  } else {
    if (IsThrottled(access, uses)) return Outcome::kThrottled;
    if (IsRefused(access, uses)) return Outcome::kRefused;
  }
  double items = 0;
  for (const LabUse& use : uses) {
    if (!is_alone) resources_[use.resource]->Charge(use, now_);
    const double units = static_cast<double>(use.tokens) / static_cast<double>(kTokensPerUnit);
    resources_[use.resource]->Record(use, units, CountAdded(use, &items), now_);
    pattern.result.units[use.kind] += units * static_cast<double>(weight_);
    if (!replay_) schedule_.Consumed(access, use.kind, units);
  }
  pattern.moment.served += weight_;
  if (expiring_) expiring_->Write(uses, now_);
  if (uses.front().fails) pattern.result.failed_conditions += weight_;
  return Outcome::kServed;
}

bool Simulation::IsThrottled(size_t access, absl::Span<const LabUse> uses) {
  bool is_throttled = false;
  for (const LabUse& use : uses) {
    const std::optional<ThroughputLimit> limit = resources_[use.resource]->Refusal(use, now_);
    if (!limit) continue;
    CountThrottle(access, use, *limit, !is_throttled);
    is_throttled = true;
  }
  return is_throttled;
}

// `is_first`: of the attempt.
void Simulation::CountThrottle(size_t access, const LabUse& use, ThroughputLimit limit,
                               bool is_first) {
  resources_[use.resource]->CountThrottle(use, limit);
  if (!is_first) return;
  Pattern& pattern = patterns_[access];
  pattern.result.limits[static_cast<size_t>(limit)] += weight_;
  pattern.moment.throttled += weight_;
}

// Refuses a write because an item collection has no room for it.
bool Simulation::IsRefused(size_t access, absl::Span<const LabUse> uses) {
  const auto full = std::find_if(uses.begin(), uses.end(), [this](const LabUse& use) {
    return !resources_[use.resource]->HasRoomFor(use) && Adds(use);
  });
  if (full == uses.end()) return false;
  resources_[full->resource]->CountRefused(*full, now_);
  const std::string_view kind = InfoOf(ErrorKind::kItemCollectionSizeLimitExceeded).exception_name;
  patterns_[access].moment.errors += weight_;
  patterns_[access].result.errors[std::string(kind)] += weight_;
  return true;
}

bool Simulation::Adds(const LabUse& use) const {
  if (use.growth == Growth::kAlways) return use.added_bytes > 0;
  return use.growth == Growth::kIfNew &&
         !stored_[use.resource].Has(use.position.mixed(), use.was_there);
}

// The change of the number of items or entries by a use. `of_item`: that of the item to which the
// entries behind it belong.
double Simulation::CountAdded(const LabUse& use, double* of_item) {
  switch (use.growth) {
    case Growth::kIfNew:
      return *of_item = stored_[use.resource].Write(use.position.mixed(), use.was_there);
    case Growth::kIfGone:
      return *of_item = stored_[use.resource].Delete(use.position.mixed(), use.was_there);
    case Growth::kAlways:
      return *of_item = static_cast<double>(weight_);
    case Growth::kAsItsItem:
      return *of_item;
    case Growth::kAsEntry:
      return CountAddedEntries(use);
    case Growth::kNone:
      break;
  }
  return 0;
}

double Simulation::CountAddedEntries(const LabUse& use) {
  // The new place of the entry has been counted.
  if (use.entry == EntryChange::kMoveFrom) return 0;
  StoredItems& entries = stored_[use.resource];
  return use.entry == EntryChange::kRemove ? entries.Delete(use.item, use.was_there)
                                           : entries.Write(use.item, use.was_there);
}

size_t Simulation::Keep(size_t access, LabUses* uses) {
  if (free_waiting_.empty()) {
    waiting_.emplace_back();
    free_waiting_.push_back(waiting_.size() - 1);
  }
  const size_t at = free_waiting_.back();
  free_waiting_.pop_back();
  waiting_[at] = {access, 1, now_, std::move(*uses)};
  return at;
}

void Simulation::AskLater(Micros wait, size_t waiting) {
  AccessResult& result = patterns_[waiting_[waiting].access].result;
  result.waited_seconds += static_cast<double>(wait) * 1e-6 * static_cast<double>(weight_);
  // The client waits from the time of the answer.
  Schedule(now_ + taken_ + wait, Event::Kind::kAttempt, waiting);
}

void Simulation::CountWait(size_t access, Micros since) {
  constexpr Micros kNanosOfMicro = 1'000;
  patterns_[access].result.waits.Record((now_ + taken_ - since) * kNanosOfMicro);
}

void Simulation::Again(size_t waiting) {
  Waiting& operation = waiting_[waiting];
  ++operation.attempts;
  const Outcome outcome = Perform(operation.access, &operation.uses);
  if (outcome == Outcome::kServed) {
    pace_.Served(operation.attempts);
    CountWait(operation.access, operation.since);
  }
  if (outcome == Outcome::kThrottled) {
    if (const std::optional<Micros> wait = pace_.WaitAfter(operation.attempts, &random_)) {
      return AskLater(*wait, waiting);
    }
    patterns_[operation.access].moment.failed += weight_;
  }
  free_waiting_.push_back(waiting);
}

// --- scans

void Simulation::BeginScan(size_t access) {
  const int64_t segments = experiment_.accesses[access].segments;
  scans_.push_back({access, now_, segments});
  for (int64_t i = 0; i < segments; ++i) {
    const auto all = static_cast<double>(segments);
    cursors_.push_back(
        {scans_.size() - 1, static_cast<double>(i) / all, static_cast<double>(i + 1) / all, 0});
    Schedule(now_, Event::Kind::kPage, cursors_.size() - 1);
  }
}

void Simulation::ReadPage(size_t at) {
  ScanCursor& cursor = cursors_[at];
  ScanWork& scan = scans_[cursor.scan];
  Pattern& pattern = patterns_[scan.access];
  const Access& access = pattern.plan.access();
  const SizeRange& sizes = access.item ? *access.item : experiment_.tables[access.table].item;
  const double page = access.page_items > 0
                          ? std::min(static_cast<double>(kPageBytesMax),
                                     sizes.mean() * static_cast<double>(access.page_items))
                          : static_cast<double>(kPageBytesMax);
  const auto all = static_cast<double>(
      std::max<int64_t>(1, resources_[pattern.plan.target_resource()]->bytes()));
  const double covered = std::min(page / all, cursor.end - cursor.at);
  const LabUses uses = {
      pattern.plan.Page(cursor.at, static_cast<int64_t>(std::llround(covered * all)))};
  if (cursor.attempts == 0) {
    cursor.since = now_;
    pattern.moment.operations += weight_;
    resources_[uses.front().resource]->CountAsked(uses.front());
  }
  if (Attempt(scan.access, uses) != Outcome::kServed) {
    const Micros wait = pace_.Wait(++cursor.attempts, &random_);
    pattern.result.waited_seconds += static_cast<double>(wait) * 1e-6;
    return Schedule(now_ + wait, Event::Kind::kPage, at);
  }
  taken_ = pattern.result.is_timed ? access.page_time : 0;
  if (cursor.attempts > 0 || pattern.result.is_timed) CountWait(scan.access, cursor.since);
  cursor.attempts = 0;
  cursor.at += covered;
  // Less than a byte is left.
  if (cursor.at + 1 / all < cursor.end) {
    return Schedule(now_ + access.page_time + access.pause, Event::Kind::kPage, at);
  }
  if (--scan.segments_left > 0) return;
  ++pattern.result.scans;
  pattern.result.scan_seconds += static_cast<double>(now_ + access.page_time - scan.begun) * 1e-6;
}

RunResult Simulation::Finish(bool is_complete) {
  if (closed_ < second_) CloseInterval();
  RunResult result;
  result.experiment = experiment_;
  result.interval = intervals_.moment;
  result.simulated = second_;
  result.is_complete = is_complete;
  result.decisions = decisions_;
  for (Pattern& pattern : patterns_) {
    result.accesses.push_back(std::move(pattern.result));
  }
  for (const std::unique_ptr<SimulatedResource>& resource : resources_) {
    result.resources.push_back(resource->Finish());
  }
  return result;
}

}  // namespace

RunResult Simulate(const Experiment& experiment,
                   absl::FunctionRef<bool(const RunProgress&)> go_on) {
  return Simulation(experiment).Run(go_on);
}

}  // namespace dynolith::lab
