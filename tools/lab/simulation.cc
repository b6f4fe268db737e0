#include "tools/lab/simulation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "engine/base/limits.h"
#include "tools/lab/access_plan.h"
#include "tools/lab/load_rate.h"
#include "tools/lab/replay_source.h"
#include "tools/lab/simulated_resource.h"

namespace dynolith::lab {
namespace {

// Longer runs have a moment a minute.
constexpr Micros kFineDuration = 2 * 60 * kMinute;
constexpr Micros kHeatSlots = 400;

// Operations that wait for another attempt are kept by number.
struct Waiting {
  size_t access = 0;
  int64_t attempts = 0;  // so far
  LabUses uses;
};

struct PollingWorker {
  size_t access = 0;
  Micros task_end = 0;
  double wait = 0;
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
};

struct Event {
  enum class Kind : uint8_t { kAttempt, kRequest, kPoll, kPage, kFlush };

  Micros at = 0;
  uint64_t order = 0;
  Kind kind = Kind::kAttempt;
  size_t target = 0;

  friend bool operator>(const Event& left, const Event& right) {
    return std::tie(left.at, left.order) > std::tie(right.at, right.order);
  }
};

// Accesses that share one load.
struct Stream {
  Arrivals arrivals;
  AccessKind held = AccessKind::kRead;  // the kind of units that the load holds
  std::vector<size_t> accesses;
  std::vector<double> cumulative;  // of their shares
};

// One access: how it makes requests, and what became of them.
struct Pattern {
  AccessPlan plan;
  Stream* stream = nullptr;
  AccessResult result;
  AccessMoment moment;
  // By position: until when a cache answers, or a queue collects.
  absl::flat_hash_map<uint64_t, Micros> in_front;
};

uint64_t IdOf(const LabPosition& position) {
  uint64_t id = 0;
  for (const char byte : position.view().key) {
    id = id * 0x9e3779b97f4a7c15 + static_cast<uint8_t>(byte) + 1;
  }
  return id;
}

class Simulation {
 public:
  explicit Simulation(const Experiment& experiment);
  RunResult Run(absl::FunctionRef<bool(const RunProgress&)> go_on);

 private:
  void MakeResources();
  void MakeGenerators();
  void MakePatterns();
  void MakeStreams();
  void MakeEvents();

  void BeginSecond();
  void CloseSecond();
  void CloseInterval();
  Stream* NextStream();
  void Arrive(Stream* stream);
  void Replay();
  void Handle(const Event& event);
  void Schedule(Micros at, Event::Kind kind, size_t target);

  void Request(size_t access);
  bool IsInFront(Pattern* pattern, const LabUses& uses);
  bool Attempt(size_t access, const LabUses& uses);
  void Serve(size_t access, LabUses* uses);
  void Again(size_t waiting);
  Micros WaitAfter(int64_t attempts);
  size_t Keep(size_t access, LabUses* uses);

  void Poll(size_t worker);
  void BeginScan(size_t access);
  void ReadPage(size_t cursor);
  RunResult Finish(bool is_complete);

  const Experiment& experiment_;
  const CapacitySettings settings_;
  const uint64_t weight_;
  const Micros interval_;
  uint64_t random_;
  std::optional<Nodes> nodes_;
  std::vector<std::unique_ptr<SimulatedResource>> resources_;
  std::vector<TableResources> tables_;
  std::vector<std::unique_ptr<KeyGenerator>> generators_;
  std::vector<Pattern> patterns_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::optional<ReplaySource> replay_;  // then there are no streams
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  uint64_t order_ = 0;
  std::vector<Waiting> waiting_;
  std::vector<size_t> free_waiting_;
  std::vector<PollingWorker> workers_;
  std::vector<ScanWork> scans_;
  std::vector<ScanCursor> cursors_;
  Micros now_ = 0;
  Micros second_ = 0;  // when this one began
  Micros closed_ = 0;  // until when there are moments
  uint64_t decisions_ = 0;
};

CapacitySettings SettingsFor(const Experiment& experiment) {
  CapacitySettings settings;
  settings.admission = experiment.admission;
  settings.splits = experiment.splits;
  settings.nodes = experiment.nodes;
  settings.scale = 1 / static_cast<double>(experiment.sample);
  settings.seed = experiment.seed;
  return settings;
}

Simulation::Simulation(const Experiment& experiment)
    : experiment_(experiment),
      settings_(SettingsFor(experiment)),
      weight_(static_cast<uint64_t>(experiment.sample)),
      interval_(experiment.duration <= kFineDuration ? kSecond : kMinute),
      random_(experiment.seed) {
  MakeResources();
  MakeGenerators();
  MakePatterns();
  if (experiment.replay) {
    replay_.emplace(*experiment.replay, experiment.tables, tables_, NextRandom(&random_));
    return;
  }
  MakeStreams();
  MakeEvents();
}

// --- what there is

void Simulation::MakeResources() {
  if (settings_.nodes > 0) nodes_.emplace(settings_, 0);
  Nodes* const nodes = nodes_ ? &*nodes_ : nullptr;
  const Micros intervals = (experiment_.duration + interval_ - 1) / interval_;
  const Micros slot = interval_ * ((intervals + kHeatSlots - 1) / kHeatSlots);
  const auto make = [&](size_t table, std::optional<size_t> index) {
    resources_.push_back(std::make_unique<SimulatedResource>(experiment_, settings_, table, index,
                                                             nodes, interval_, slot));
    return resources_.back().get();
  };
  for (size_t i = 0; i < experiment_.tables.size(); ++i) {
    TableResources table;
    table.table = make(i, std::nullopt);
    for (size_t j = 0; j < experiment_.tables[i].indexes.size(); ++j) {
      table.indexes.push_back(make(i, j));
    }
    tables_.push_back(std::move(table));
  }
}

void Simulation::MakeGenerators() {
  const std::vector<KeySource>& sources = experiment_.sources;
  std::vector<uint64_t> seeds(sources.size());
  for (uint64_t& seed : seeds) seed = NextRandom(&random_);
  generators_.resize(sources.size());
  const auto find = [&](const std::string& name) -> const KeyGenerator* {
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].name == name) return generators_[i].get();
    }
    return nullptr;
  };
  // Those first of which others take the latest.
  for (const bool is_latest : {false, true}) {
    for (size_t i = 0; i < sources.size(); ++i) {
      if ((sources[i].distribution == Distribution::kLatest) != is_latest) continue;
      generators_[i] = std::make_unique<KeyGenerator>(sources[i], seeds[i], find(sources[i].of));
    }
  }
}

void Simulation::MakePatterns() {
  patterns_.reserve(experiment_.accesses.size());
  for (const Access& access : experiment_.accesses) {
    patterns_.push_back(
        {AccessPlan(experiment_, access, generators_, tables_[access.table], NextRandom(&random_)),
         nullptr,
         {},
         {},
         {}});
    patterns_.back().result.name = access.name;
  }
}

void Simulation::MakeStreams() {
  const auto make = [this](const Load& load) {
    streams_.push_back(std::make_unique<Stream>(
        Stream{Arrivals(load, experiment_.evenly, experiment_.sample, NextRandom(&random_)),
               load.unit == Load::Unit::kWriteUnits ? AccessKind::kWrite : AccessKind::kRead,
               {},
               {}}));
    return streams_.back().get();
  };
  Stream* const mix = experiment_.load ? make(*experiment_.load) : nullptr;
  for (size_t i = 0; i < patterns_.size(); ++i) {
    const Access& access = experiment_.accesses[i];
    Stream* const stream = access.load ? make(*access.load) : mix;
    const double before = stream->cumulative.empty() ? 0 : stream->cumulative.back();
    stream->accesses.push_back(i);
    stream->cumulative.push_back(before + access.share);
    patterns_[i].stream = stream;
  }
}

void Simulation::MakeEvents() {
  for (size_t i = 0; i < patterns_.size(); ++i) {
    const std::optional<Load>& load = experiment_.accesses[i].load;
    if (!load) continue;
    if (load->shape == Load::Shape::kOnce) Schedule(load->at, Event::Kind::kRequest, i);
    if (load->shape != Load::Shape::kPolling) continue;
    for (int64_t worker = 0; worker < load->workers; ++worker) {
      // Each is somewhere in its task.
      const auto period = static_cast<uint64_t>(load->task > 0 ? load->task : load->interval);
      const auto phase = static_cast<Micros>(NextBelow(&random_, period));
      workers_.push_back({i, load->task > 0 ? phase : kNever, static_cast<double>(load->interval)});
      Schedule(phase % load->interval, Event::Kind::kPoll, workers_.size() - 1);
    }
  }
}

// --- time

RunResult Simulation::Run(absl::FunctionRef<bool(const RunProgress&)> go_on) {
  BeginSecond();
  while (true) {
    Stream* const stream = NextStream();
    const Micros arrival = replay_             ? replay_->next()
                           : stream == nullptr ? kNever
                                               : stream->arrivals.next();
    const Micros event = events_.empty() ? kNever : events_.top().at;
    const Micros next = std::min(arrival, event);
    if (next >= second_ + kSecond || next >= experiment_.duration) {
      CloseSecond();
      if (second_ >= experiment_.duration) return Finish(true);
      if (!go_on({second_, experiment_.duration, decisions_})) return Finish(false);
      BeginSecond();
      continue;
    }
    now_ = next;
    // What was collected goes on before the next one comes.
    if (event <= arrival) {
      const Event top = events_.top();
      events_.pop();
      Handle(top);
    } else if (replay_) {
      Replay();
    } else {
      Arrive(stream);
    }
  }
}

void Simulation::BeginSecond() {
  for (const std::unique_ptr<Stream>& stream : streams_) {
    if (!stream->cumulative.empty()) stream->arrivals.BeginSecond(second_);
  }
}

void Simulation::CloseSecond() {
  second_ = std::min(second_ + kSecond, experiment_.duration);
  now_ = second_;
  for (const std::unique_ptr<SimulatedResource>& resource : resources_) {
    resource->CloseSecond(second_);
  }
  if (second_ % interval_ == 0 || second_ == experiment_.duration) CloseInterval();
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

Stream* Simulation::NextStream() {
  Stream* first = nullptr;
  for (const std::unique_ptr<Stream>& stream : streams_) {
    if (first == nullptr || stream->arrivals.next() < first->arrivals.next()) first = stream.get();
  }
  return first;
}

void Simulation::Arrive(Stream* stream) {
  stream->arrivals.Take();
  size_t chosen = 0;
  if (stream->accesses.size() > 1) {
    const double at = NextPart(&random_) * stream->cumulative.back();
    while (chosen + 1 < stream->accesses.size() && at >= stream->cumulative[chosen]) ++chosen;
  }
  Request(stream->accesses[chosen]);
}

void Simulation::Replay() {
  const size_t access = replay_->access();
  patterns_[access].moment.requests += weight_;
  replay_->Take([&](LabUses* uses) { Serve(access, uses); });
}

void Simulation::Schedule(Micros at, Event::Kind kind, size_t target) {
  events_.push({at, order_++, kind, target});
}

void Simulation::Handle(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kAttempt:
      return Again(event.target);
    case Event::Kind::kRequest:
      return Request(event.target);
    case Event::Kind::kPoll:
      return Poll(event.target);
    case Event::Kind::kPage:
      return ReadPage(event.target);
    case Event::Kind::kFlush: {
      Waiting collected = std::move(waiting_[event.target]);
      free_waiting_.push_back(event.target);
      patterns_[collected.access].in_front.erase(IdOf(collected.uses.front().position));
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
    if (IsInFront(&pattern, *uses)) {
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

// Whether a cache answers, or a queue has collected it; else the next one that comes soon is.
bool Simulation::IsInFront(Pattern* pattern, const LabUses& uses) {
  const Access& access = pattern->plan.access();
  const Micros lasting = std::max(access.cache, access.aggregate);
  if (lasting == 0) return false;
  Micros& until = pattern->in_front[IdOf(uses.front().position)];
  if (now_ < until) return true;
  until = now_ + lasting;
  return false;
}

void Simulation::Serve(size_t access, LabUses* uses) {
  Pattern& pattern = patterns_[access];
  pattern.moment.operations += weight_;
  if (Attempt(access, *uses)) return;
  // What failed is not in the cache.
  if (pattern.plan.access().cache > 0) pattern.in_front.erase(IdOf(uses->front().position));
  if (experiment_.retry.attempts <= 1) {
    pattern.moment.failed += weight_;
    return;
  }
  const size_t waiting = Keep(access, uses);
  const Micros wait = WaitAfter(1);
  pattern.result.waited_seconds += static_cast<double>(wait) * 1e-6 * static_cast<double>(weight_);
  Schedule(now_ + wait, Event::Kind::kAttempt, waiting);
}

// Either all that it uses is charged, or nothing.
bool Simulation::Attempt(size_t access, const LabUses& uses) {
  Pattern& pattern = patterns_[access];
  ++decisions_;
  bool is_refused = false;
  for (const LabUse& use : uses) {
    const std::optional<ThroughputLimit> limit = use.resource->Refusal(use, now_);
    if (!limit) continue;
    use.resource->CountThrottle(use, *limit);
    if (!is_refused) pattern.result.limits[static_cast<size_t>(*limit)] += weight_;
    is_refused = true;
  }
  if (is_refused) {
    pattern.moment.throttled += weight_;
    return false;
  }
  for (const LabUse& use : uses) {
    use.resource->Charge(use, now_);
    const double units = static_cast<double>(use.tokens) / static_cast<double>(kTokensPerUnit);
    pattern.result.units[use.kind] += units * static_cast<double>(weight_);
    if (pattern.stream != nullptr && use.kind == pattern.stream->held)
      pattern.stream->arrivals.Consumed(units);
  }
  pattern.moment.served += weight_;
  return true;
}

size_t Simulation::Keep(size_t access, LabUses* uses) {
  if (free_waiting_.empty()) {
    waiting_.emplace_back();
    free_waiting_.push_back(waiting_.size() - 1);
  }
  const size_t at = free_waiting_.back();
  free_waiting_.pop_back();
  waiting_[at] = {access, 1, std::move(*uses)};
  return at;
}

void Simulation::Again(size_t waiting) {
  Waiting& operation = waiting_[waiting];
  const bool is_served = Attempt(operation.access, operation.uses);
  Pattern& pattern = patterns_[operation.access];
  if (!is_served && ++operation.attempts < experiment_.retry.attempts) {
    const Micros wait = WaitAfter(operation.attempts);
    pattern.result.waited_seconds +=
        static_cast<double>(wait) * 1e-6 * static_cast<double>(weight_);
    Schedule(now_ + wait, Event::Kind::kAttempt, waiting);
    return;
  }
  if (!is_served) pattern.moment.failed += weight_;
  free_waiting_.push_back(waiting);
}

// Full jitter: any time up to a limit that doubles.
Micros Simulation::WaitAfter(int64_t attempts) {
  const RetryRule& rule = experiment_.retry;
  const double most = std::ldexp(static_cast<double>(rule.base), static_cast<int>(attempts) - 1);
  const double wait = NextPart(&random_) * std::min(most, static_cast<double>(rule.longest));
  return std::max<Micros>(1, static_cast<Micros>(wait));
}

// --- who polls

void Simulation::Poll(size_t worker) {
  PollingWorker& polling = workers_[worker];
  const Load& load = *patterns_[polling.access].plan.access().load;
  if (now_ >= polling.task_end) {
    polling.task_end = now_ + load.task;
    polling.wait = static_cast<double>(load.interval);
  }
  Request(polling.access);
  const double jittered = polling.wait * (1 - load.jitter * NextPart(&random_));
  // The next task is a new one, however long the worker would have waited.
  const Micros next = std::min(now_ + std::max<Micros>(1, static_cast<Micros>(jittered)),
                               std::max(polling.task_end, now_ + 1));
  polling.wait = std::min(polling.wait * load.factor, static_cast<double>(load.longest));
  Schedule(next, Event::Kind::kPoll, worker);
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
  const auto all = static_cast<double>(std::max<int64_t>(1, pattern.plan.target()->bytes()));
  const double covered = std::min(page / all, cursor.end - cursor.at);
  if (cursor.attempts == 0) pattern.moment.operations += weight_;
  const LabUses uses = {
      pattern.plan.Page(cursor.at, static_cast<int64_t>(std::llround(covered * all)))};
  if (!Attempt(scan.access, uses)) {
    const Micros wait = WaitAfter(++cursor.attempts);
    pattern.result.waited_seconds += static_cast<double>(wait) * 1e-6;
    return Schedule(now_ + wait, Event::Kind::kPage, at);
  }
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
  result.interval = interval_;
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
