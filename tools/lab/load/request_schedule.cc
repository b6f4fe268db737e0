#include "tools/lab/load/request_schedule.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tools/lab/load/key_generator.h"

namespace dynolith::lab {

RequestSchedule::RequestSchedule(const Experiment& experiment, uint64_t seed,
                                 const std::vector<bool>* chosen)
    : experiment_(experiment), random_(seed) {
  if (experiment.replay) return;
  MakeStreams();
  MakeWorkers();
  if (chosen != nullptr) LeaveOut(*chosen);
}

std::vector<bool> DrawsFromSchedule(const Experiment& experiment) {
  const auto shared = std::count_if(experiment.accesses.begin(), experiment.accesses.end(),
                                    [](const Access& access) { return !access.load.has_value(); });
  std::vector<bool> draws;
  for (const Access& access : experiment.accesses) {
    draws.push_back(access.load ? access.load->shape == Load::Shape::kPolling : shared > 1);
  }
  return draws;
}

// What draws from random_ affects each other's draws, so either all of it stays or none.
void RequestSchedule::LeaveOut(const std::vector<bool>& chosen) {
  const std::vector<bool> draws = DrawsFromSchedule(experiment_);
  bool needs_drawing = false;
  for (size_t i = 0; i < chosen.size(); ++i) needs_drawing |= chosen[i] && draws[i];
  const auto is_needed = [&](size_t access) {
    return draws[access] ? needs_drawing : static_cast<bool>(chosen[access]);
  };
  for (size_t i = 0; i < stream_of_.size(); ++i) {
    if (!is_needed(i)) stream_of_[i] = nullptr;
  }
  std::erase_if(streams_, [&](const std::unique_ptr<Stream>& stream) {
    return std::none_of(stream->accesses.begin(), stream->accesses.end(), is_needed);
  });
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> needed;
  for (; !turns_.empty(); turns_.pop()) {
    if (is_needed(workers_[turns_.top().worker].access)) needed.push(turns_.top());
  }
  turns_ = std::move(needed);
}

void RequestSchedule::MakeStreams() {
  const auto make = [this](const Load& load) {
    streams_.push_back(std::make_unique<Stream>(
        Stream{Arrivals(load, experiment_.evenly, experiment_.sample, NextRandom(&random_)),
               load.unit == Load::Unit::kWriteUnits ? AccessKind::kWrite : AccessKind::kRead,
               {},
               {}}));
  };
  // The first stream is for all accesses without their own load.
  if (experiment_.load) make(*experiment_.load);
  for (size_t i = 0; i < experiment_.accesses.size(); ++i) {
    const Access& access = experiment_.accesses[i];
    if (access.load) make(*access.load);
    Stream* const stream = (access.load ? streams_.back() : streams_.front()).get();
    const double before = stream->cumulative.empty() ? 0 : stream->cumulative.back();
    stream->accesses.push_back(i);
    stream->cumulative.push_back(before + access.share);
    stream_of_.push_back(stream);
  }
}

void RequestSchedule::MakeWorkers() {
  for (size_t i = 0; i < experiment_.accesses.size(); ++i) {
    const std::optional<Load>& load = experiment_.accesses[i].load;
    if (!load) continue;
    if (load->shape == Load::Shape::kOnce) {
      workers_.push_back({.access = i, .polls = false});
      AddTurn(load->at, workers_.size() - 1);
    }
    if (load->shape != Load::Shape::kPolling) continue;
    for (int64_t worker = 0; worker < load->workers; ++worker) {
      // Each worker starts at a random point of its task.
      const auto period = static_cast<uint64_t>(load->task > 0 ? load->task : load->interval);
      const auto phase = static_cast<Micros>(NextBelow(&random_, period));
      workers_.push_back({i, load->task > 0 ? phase : kNever, static_cast<double>(load->interval)});
      AddTurn(phase % load->interval, workers_.size() - 1);
    }
  }
}

void RequestSchedule::BeginSecond(Micros now) {
  for (const std::unique_ptr<Stream>& stream : streams_) {
    if (!stream->cumulative.empty()) stream->arrivals.BeginSecond(now);
  }
}

Micros RequestSchedule::next() const {
  const Stream* const stream = NextStream();
  const Micros arrival = stream == nullptr ? kNever : stream->arrivals.next();
  return turns_.empty() ? arrival : std::min(arrival, turns_.top().at);
}

size_t RequestSchedule::Take() {
  Stream* const stream = NextStream();
  const bool is_turn =
      !turns_.empty() && (stream == nullptr || turns_.top().at <= stream->arrivals.next());
  return is_turn ? TakeTurn() : TakeFrom(stream);
}

RequestSchedule::Stream* RequestSchedule::NextStream() const {
  Stream* first = nullptr;
  for (const std::unique_ptr<Stream>& stream : streams_) {
    if (first == nullptr || stream->arrivals.next() < first->arrivals.next()) first = stream.get();
  }
  return first;
}

size_t RequestSchedule::TakeFrom(Stream* stream) {
  stream->arrivals.Take();
  size_t chosen = 0;
  if (stream->accesses.size() > 1) {
    const double at = NextPart(&random_) * stream->cumulative.back();
    while (chosen + 1 < stream->accesses.size() && at >= stream->cumulative[chosen]) ++chosen;
  }
  return stream->accesses[chosen];
}

size_t RequestSchedule::TakeTurn() {
  const Turn turn = turns_.top();
  turns_.pop();
  Worker& worker = workers_[turn.worker];
  if (!worker.polls) return worker.access;
  const Load& load = *experiment_.accesses[worker.access].load;
  if (turn.at >= worker.task_end) {
    worker.task_end = turn.at + load.task;
    worker.wait = static_cast<double>(load.interval);
  }
  const double jittered = worker.wait * (1 - load.jitter * NextPart(&random_));
  // The next task starts on time, however long the worker would have waited.
  AddTurn(std::min(turn.at + std::max<Micros>(1, static_cast<Micros>(jittered)),
                   std::max(worker.task_end, turn.at + 1)),
          turn.worker);
  worker.wait = std::min(worker.wait * load.factor, static_cast<double>(load.longest));
  return worker.access;
}

void RequestSchedule::Consumed(size_t access, AccessKind kind, double units) {
  Stream* const stream = stream_of_[access];
  if (kind == stream->held) stream->arrivals.Consumed(units);
}

}  // namespace dynolith::lab
