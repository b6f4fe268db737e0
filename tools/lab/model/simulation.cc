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
#include "tools/lab/load/drawn_requests.h"
#include "tools/lab/load/replay_source.h"
#include "tools/lab/load/request_schedule.h"
#include "tools/lab/load/retry_pace.h"
#include "tools/lab/load/sending_rate.h"
#include "tools/lab/model/bulk_put.h"
#include "tools/lab/model/cache_or_queue.h"
#include "tools/lab/model/expiring_items.h"
#include "tools/lab/model/run_parts.h"
#include "tools/lab/model/side_by_side.h"
#include "tools/lab/model/simulated_resource.h"
#include "tools/lab/model/stored_items.h"

namespace dynolith::lab {
namespace {

// Operations that wait for a retry, by number.
struct Waiting {
  size_t access = 0;
  int64_t attempts = 0;  // so far
  Micros since = 0;      // the first one, or from when on the client waited to send it
  LabUses uses;
  bool may_send = true;  // whether the next attempt has waited to be sent
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
  enum class Kind : uint8_t { kAttempt, kPage, kFlush, kBulk };

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
  std::optional<AccessPlan> plan;  // nullopt: of another part of the run
  CacheOrQueue cache_or_queue;
  double operations_most = 0;  // of the whole run
  std::optional<AttemptLatency> latency;
  AccessResult result;
  AccessMoment moment;
};

// The result of an attempt. A refused operation is not retried.
enum class Outcome : uint8_t { kServed, kThrottled, kRefused };

// A part of a run, which may be the whole of it.
class Simulation {
 public:
  Simulation(const Experiment& experiment, const RunPart& part);
  // Runs so many seconds more, or until the end.
  void RunSeconds(int64_t count);
  RunProgress Progress() const;
  // Requires: nothing is called afterwards.
  RunResult Finish();

 private:
  void RunSecond();
  void MakeResources();
  void MakePatterns();

  double DeniedAtLeast() const;
  void CloseSecond();
  void CloseInterval();
  void Expire(const ExpiringItem& item);
  void Handle(const Event& event);
  void Schedule(Micros at, Event::Kind kind, size_t target);

  Micros NextRequest();
  void DrawAhead();
  void Request();
  void Replay();
  Outcome Perform(size_t access, LabUses* uses);
  Outcome Attempt(size_t access, absl::Span<const LabUse> uses);
  Outcome TryOnce(size_t access, absl::Span<const LabUse> uses);
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

  void Begin(size_t access);
  void SearchVectors(size_t access);
  void PutBulk(size_t bulk);
  void BeginScan(size_t access);
  void ReadPage(size_t cursor);

  const Experiment& experiment_;
  const RunPart& part_;
  const CapacitySettings settings_;
  const uint64_t weight_;
  const RunIntervals intervals_;
  uint64_t random_;
  std::optional<Nodes> nodes_;
  // nullptr: of another part.
  std::vector<std::unique_ptr<SimulatedResource>> resources_;
  std::vector<StoredItems> stored_;        // by the same numbers, used of tables
  std::optional<ExpiringItems> expiring_;  // if any does
  const KeyGenerators generators_;
  std::vector<Pattern> patterns_;
  RequestSchedule schedule_;
  DrawnRequests drawn_;
  std::optional<ReplaySource> replay_;  // then nothing is scheduled
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t order_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<size_t> free_waiting_;
  RetryPace pace_;
  std::optional<SendingRate> sending_;  // of adaptive clients
  std::vector<ScanWork> scans_;
  std::vector<ScanCursor> cursors_;
  std::vector<BulkPutWork> bulks_;
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

Simulation::Simulation(const Experiment& experiment, const RunPart& part)
    : experiment_(experiment),
      part_(part),
      settings_(SettingsFor(experiment)),
      weight_(static_cast<uint64_t>(experiment.sample)),
      intervals_(experiment.duration),
      random_(experiment.seed),
      generators_(MakeGenerators(experiment.sources, NextRandom(&random_))),
      schedule_(experiment, NextRandom(&random_), &part.accesses),
      pace_(experiment.retry, experiment.sample) {
  if (experiment.retry.is_adaptive) sending_.emplace();
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
    const bool is_own = part_.resources[resources_.size()];
    resources_.push_back(is_own ? std::make_unique<SimulatedResource>(experiment_, settings_,
                                                                      design, nodes, intervals_)
                                : nullptr);
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
    const bool is_own = part_.accesses[patterns_.size()];
    patterns_.push_back({{},
                         CacheOrQueue(access),
                         is_own ? OperationsMost(experiment_, patterns_.size()) : 0,
                         {},
                         {},
                         {}});
    Pattern& pattern = patterns_.back();
    // Each part draws the seeds of all, so that its own are those of the whole run.
    const uint64_t seed = NextRandom(&random_);
    if (is_own) pattern.plan.emplace(experiment_, access, generators_, seed);
    pattern.result.name = access.name;
    pattern.result.is_timed = access.latency.has_value();
    // The pages of a Scan take their own time.
    if (!access.latency || access.operation == Operation::kScan) continue;
    pattern.latency.emplace(*access.latency, NextRandom(&random_));
  }
}

// --- time

void Simulation::RunSeconds(int64_t count) {
  for (int64_t i = 0; i < count && second_ < experiment_.duration; ++i) RunSecond();
}

RunProgress Simulation::Progress() const {
  return {.simulated = second_,
          .duration = experiment_.duration,
          .decisions = decisions_,
          .denied_at_least = DeniedAtLeast()};
}

void Simulation::RunSecond() {
  schedule_.BeginSecond(second_);
  const Micros end = std::min(second_ + kSecond, experiment_.duration);
  while (true) {
    const Micros request = replay_ ? replay_->next() : NextRequest();
    const Micros event = events_.empty() ? kNever : events_.top().at;
    const Micros next = std::min(request, event);
    if (next >= end) return CloseSecond();
    now_ = next;
    // Combined writes are sent before the next request.
    if (event <= request) {
      const Event top = events_.top();
      events_.pop();
      Handle(top);
    } else if (replay_) {
      Replay();
    } else {
      Request();
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
    if (resource != nullptr) resource->CloseSecond(second_);
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
    if (resource != nullptr) resource->CloseInterval(second_);
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
    case Event::Kind::kBulk:
      return PutBulk(event.target);
    case Event::Kind::kFlush: {
      Waiting collected = std::move(waiting_[event.target]);
      free_waiting_.push_back(event.target);
      patterns_[collected.access].cache_or_queue.Forget(collected.uses.front().position);
      return Serve(collected.access, &collected.uses);
    }
  }
}

// --- requests

// The time of the next one, which may be in a later second.
Micros Simulation::NextRequest() {
  if (drawn_.is_empty()) DrawAhead();
  return drawn_.is_empty() ? schedule_.next() : drawn_.next().at;
}

void Simulation::DrawAhead() {
  drawn_.Draw(std::min(second_ + kSecond, experiment_.duration), &schedule_,
              [this](size_t access) -> AccessPlan* {
                std::optional<AccessPlan>& plan = patterns_[access].plan;
                return plan ? &*plan : nullptr;
              });
  DrawnOperations& operations = drawn_.operations();
  for (size_t i = 0; i < operations.size(); ++i) {
    for (LabUse& use : operations[i]) resources_[use.resource]->Prefetch(&use);
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    for (const LabUse& use : operations[i]) resources_[use.resource]->PrefetchReferred(use);
  }
}

void Simulation::Request() {
  const size_t access = drawn_.next().access;
  Pattern& pattern = patterns_[access];
  pattern.moment.requests += weight_;
  if (!pattern.plan->access().has_operations()) Begin(access);
  drawn_.Take([&](LabUses* uses) {
    if (pattern.cache_or_queue.Absorbs(uses->front().position, now_)) {
      pattern.moment.absorbed += weight_;
      return;
    }
    if (pattern.plan->access().aggregate > 0) {
      Schedule(now_ + pattern.plan->access().aggregate, Event::Kind::kFlush, Keep(access, uses));
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
  if (const Micros wait = sending_ ? sending_->WaitToSend(now_) : 0; wait > 0) {
    const size_t waiting = Keep(access, uses);
    waiting_[waiting].attempts = 0;
    taken_ = 0;
    return AskLater(wait, waiting);
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
  const size_t waiting = Keep(access, uses);
  waiting_[waiting].may_send = false;
  AskLater(*wait, waiting);
}

// If a write follows the read, runs the read first, and the write after the read was served; `uses`
// then holds only the write's.
Outcome Simulation::Perform(size_t access, LabUses* uses) {
  Pattern& pattern = patterns_[access];
  taken_ = 0;
  if (pattern.plan->access().then && uses->front().kind == AccessKind::kRead) {
    const Outcome read = Attempt(access, {uses->data(), 1});
    if (read != Outcome::kServed) return read;
    uses->erase(uses->begin());
    pattern.moment.operations += weight_;
  }
  if (!pattern.plan->changes_sparse_indexes()) return Attempt(access, *uses);
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
Outcome Simulation::TryOnce(size_t access, absl::Span<const LabUse> uses) {
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

Outcome Simulation::Attempt(size_t access, absl::Span<const LabUse> uses) {
  const Outcome outcome = TryOnce(access, uses);
  if (sending_) sending_->Answered(outcome == Outcome::kThrottled, now_);
  return outcome;
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
  waiting_[at] = {access, 1, now_, std::move(*uses), true};
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
  if (const Micros wait = sending_ && !operation.may_send ? sending_->WaitToSend(now_) : 0;
      wait > 0) {
    operation.may_send = true;
    taken_ = 0;
    return AskLater(wait, waiting);
  }
  operation.may_send = false;
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

// --- searches, bulk puts and scans

void Simulation::Begin(size_t access) {
  Pattern& pattern = patterns_[access];
  if (pattern.plan->access().vector_index) return SearchVectors(access);
  if (!pattern.plan->access().bulk) return BeginScan(access);
  bulks_.emplace_back(access, &*pattern.plan, resources_, now_);
  pattern.result.bulk.emplace();
  PutBulk(bulks_.size() - 1);
}

// It takes bytes instead of units, and no limit of it is published.
void Simulation::SearchVectors(size_t access) {
  Pattern& pattern = patterns_[access];
  ++decisions_;
  pattern.moment.operations += weight_;
  pattern.moment.served += weight_;
  pattern.result.searched_bytes +=
      static_cast<double>(pattern.plan->access().searched_bytes) * static_cast<double>(weight_);
  if (!pattern.latency) return;
  taken_ = pattern.latency->Draw();
  CountWait(access, now_);
}

void Simulation::PutBulk(size_t bulk) {
  BulkPutWork& work = bulks_[bulk];
  Pattern& pattern = patterns_[work.access()];
  BulkResult& result = *pattern.result.bulk;
  const std::optional<Micros> next = work.Step(now_, [&](const LabUses& uses) {
    ++decisions_;
    ++pattern.moment.operations;
    ++pattern.moment.served;
    ++result.items;
    double items = 0;
    for (const LabUse& use : uses) {
      const double added = CountAdded(use, &items);
      result.vector_bytes += resources_[use.resource]->RecordBulk(use, added, now_);
      result.bytes += static_cast<double>(use.bytes);
    }
    if (expiring_) expiring_->Write(uses, now_);
  });
  result.waited_seconds = work.waited_seconds();
  if (next) return Schedule(*next, Event::Kind::kBulk, bulk);
  result.finished = static_cast<double>(now_ - work.begun()) * 1e-6;
}

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
  const Access& access = pattern.plan->access();
  const SizeRange& sizes = access.item ? *access.item : experiment_.tables[access.table].item;
  const double page = access.page_items > 0
                          ? std::min(static_cast<double>(kPageBytesMax),
                                     sizes.mean() * static_cast<double>(access.page_items))
                          : static_cast<double>(kPageBytesMax);
  const auto all = static_cast<double>(
      std::max<int64_t>(1, resources_[pattern.plan->target_resource()]->bytes()));
  const double covered = std::min(page / all, cursor.end - cursor.at);
  const LabUses uses = {
      pattern.plan->Page(cursor.at, static_cast<int64_t>(std::llround(covered * all)))};
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

RunResult Simulation::Finish() {
  if (closed_ < second_) CloseInterval();
  RunResult result;
  result.experiment = experiment_;
  result.interval = intervals_.moment;
  result.simulated = second_;
  result.is_complete = second_ >= experiment_.duration;
  result.decisions = decisions_;
  for (Pattern& pattern : patterns_) {
    result.accesses.push_back(std::move(pattern.result));
  }
  for (const std::unique_ptr<SimulatedResource>& resource : resources_) {
    result.resources.push_back(resource != nullptr ? resource->Finish() : ResourceResult());
  }
  return result;
}

// --- parts of a run

// Between two of these, parts wait for each other, so that a stopped run has the same end in all.
constexpr double kOperationsOfRound = 1e6;

int64_t SecondsOfRound(const Experiment& experiment, const std::vector<RunPart>& parts) {
  // Without others to wait for.
  if (parts.size() == 1) return 1;
  double operations = 0;
  for (const RunPart& part : parts) operations += part.operations;
  const double seconds = static_cast<double>(experiment.duration) / static_cast<double>(kSecond);
  return static_cast<int64_t>(
      std::clamp(seconds * kOperationsOfRound / std::max(operations, 1.0), 1.0, seconds + 1));
}

RunProgress SumProgress(const std::vector<std::unique_ptr<Simulation>>& simulations) {
  RunProgress sum = simulations.front()->Progress();
  for (size_t i = 1; i < simulations.size(); ++i) {
    const RunProgress part = simulations[i]->Progress();
    sum.decisions += part.decisions;
    sum.denied_at_least = std::max(sum.denied_at_least, part.denied_at_least);
  }
  return sum;
}

RunResult Merge(const std::vector<RunPart>& parts,
                const std::vector<std::unique_ptr<Simulation>>& simulations) {
  RunResult whole = simulations.front()->Finish();
  for (size_t i = 1; i < parts.size(); ++i) {
    RunResult part = simulations[i]->Finish();
    whole.decisions += part.decisions;
    for (size_t access = 0; access < whole.accesses.size(); ++access) {
      if (!parts[i].accesses[access]) continue;
      whole.accesses[access] = std::move(part.accesses[access]);
    }
    for (size_t resource = 0; resource < whole.resources.size(); ++resource) {
      if (!parts[i].resources[resource]) continue;
      whole.resources[resource] = std::move(part.resources[resource]);
    }
  }
  return whole;
}

}  // namespace

RunResult Simulate(const Experiment& experiment, absl::FunctionRef<bool(const RunProgress&)> go_on,
                   size_t threads) {
  const std::vector<RunPart> parts = DivideRun(experiment, threads);
  std::vector<std::unique_ptr<Simulation>> simulations(parts.size());
  SideBySide(parts.size(), threads, [&](size_t i) {
    simulations[i] = std::make_unique<Simulation>(experiment, parts[i]);
  });
  const int64_t seconds = SecondsOfRound(experiment, parts);
  while (true) {
    SideBySide(parts.size(), threads, [&](size_t i) { simulations[i]->RunSeconds(seconds); });
    const RunProgress progress = SumProgress(simulations);
    if (progress.simulated >= progress.duration || !go_on(progress)) break;
  }
  return Merge(parts, simulations);
}

}  // namespace dynolith::lab
