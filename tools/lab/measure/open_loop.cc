#include "tools/lab/measure/open_loop.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/errors.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/measure/messages.h"

namespace dynolith::lab {
namespace {

using Outcome = CallAnswer::Outcome;

constexpr int64_t kNanosOfMicro = 1'000;
// A call that begins this late because no connection was free indicates a need for another one.
constexpr int64_t kLateNanos = 1'000'000;
constexpr int64_t kWaitedNanos = 10'000'000;

// Each item of a batch is an operation; a transaction is one operation.
uint64_t CountOperations(const PlannedCall& call) {
  const bool is_batch =
      call.operation == Operation::kBatchGetItem || call.operation == Operation::kBatchWriteItem;
  return is_batch ? call.items.size() : 1;
}

// Whether the call failed by its condition, as planned.
bool IsAskedFor(const PlannedCall& call, const CallAnswer& answer) {
  const bool is_condition =
      answer.error == InfoOf(ErrorKind::kConditionalCheckFailed).exception_name ||
      answer.error == InfoOf(ErrorKind::kTransactionCanceled).exception_name;
  return is_condition && call.items.front().uses.front().fails;
}

std::vector<const PlannedItem*> AllItems(const PlannedCall& call) {
  std::vector<const PlannedItem*> items;
  for (const PlannedItem& item : call.items) items.push_back(&item);
  return items;
}

}  // namespace

OpenLoop::OpenLoop(const Experiment& experiment, const std::vector<std::string>& tables,
                   RequestMaker* maker, const ReplayMaker* replay, uint64_t seed)
    : experiment_(experiment),
      maker_(maker),
      replay_maker_(replay),
      schedule_(experiment, NextRandom(&seed)),
      record_(experiment, tables),
      random_(seed),
      pace_(experiment.retry, 1),
      end_(experiment.duration) {
  for (const Access& access : experiment.accesses) caches_and_queues_.emplace_back(access);
  if (experiment.replay) {
    replay_.emplace(*experiment.replay, experiment, NextRandom(&random_));
  }
  schedule_.BeginSecond(0);
}

int64_t OpenLoop::Elapsed() const {
  return std::chrono::nanoseconds(Clock::now() - begun_).count();
}

// --- times

std::optional<CallUnderWay> OpenLoop::Next() {
  const int64_t ready = Elapsed();
  const absl::MutexLock lock(&mutex_);
  while (true) {
    const Micros now = Elapsed() / kNanosOfMicro;
    if (now >= end_) is_over_ = true;
    if (is_over_) {
      leader_wakes_.SignalAll();
      follower_wakes_.SignalAll();
      return std::nullopt;
    }
    const Micros next = Begin(now);
    if (next > now) {
      Wait(next);
      continue;
    }
    std::optional<CallUnderWay> call = Take(now);
    if (!call) continue;
    call->ready = ready;
    CountWait(*call);
    // Another waiting thread becomes the leader for the next call.
    follower_wakes_.Signal();
    return call;
  }
}

// Begins the seconds up to `now`, and returns the time of the next work. A second ends with its
// last request, however late that is taken.
Micros OpenLoop::Begin(Micros now) {
  while (Due() >= second_ + kSecond && second_ + kSecond <= now) {
    second_ += kSecond;
    schedule_.BeginSecond(second_);
  }
  const Micros later = pending_.empty() ? kNever : pending_.top().at;
  return std::min({later, Due(), second_ + kSecond, end_});
}

Micros OpenLoop::Due() const { return replay_ ? replay_->next() : schedule_.next(); }

// Only one of the waiting threads watches the clock, so that not all of them wake for each call.
void OpenLoop::Wait(Micros until) {
  if (has_leader_) {
    follower_wakes_.Wait(&mutex_);
    return;
  }
  has_leader_ = true;
  const int64_t rest = until * kNanosOfMicro - Elapsed();
  leader_wakes_.WaitWithTimeout(&mutex_, absl::Nanoseconds(std::max<int64_t>(0, rest)));
  has_leader_ = false;
}

void OpenLoop::Push(CallUnderWay call) {
  const bool is_next = pending_.empty() || call.at < pending_.top().at;
  pending_.push(std::move(call));
  if (is_next) leader_wakes_.Signal();
  if (!has_leader_) follower_wakes_.Signal();
}

std::optional<CallUnderWay> OpenLoop::Take(Micros now) {
  record_.Advance(now);
  const bool is_later = !pending_.empty() && pending_.top().at <= Due();
  if (!is_later) return Due() <= now ? TakeRequest() : std::nullopt;
  if (pending_.top().at > now) return std::nullopt;
  CallUnderWay call = pending_.top();
  pending_.pop();
  if (experiment_.accesses[call.planned.access].aggregate > 0) {
    caches_and_queues_[call.planned.access].Forget(
        call.planned.items.front().uses.front().position);
  }
  return call;
}

std::vector<PlannedCall> OpenLoop::CallsOfNext(size_t* access) {
  if (replay_) {
    *access = replay_->access();
    return replay_maker_->Request(&*replay_);
  }
  const Micros due = schedule_.next();
  *access = schedule_.Take();
  const bool is_scan = experiment_.accesses[*access].operation == Operation::kScan;
  return is_scan ? maker_->BeginScan(*access) : maker_->Request(*access, due);
}

std::optional<CallUnderWay> OpenLoop::TakeRequest() {
  const Micros due = Due();
  size_t at = 0;
  std::vector<PlannedCall> calls = CallsOfNext(&at);
  const Access& access = experiment_.accesses[at];
  AccessMoment& moment = record_.moment(at);
  ++moment.requests;
  const Micros front = std::max(access.cache, access.aggregate);
  if (front > 0 &&
      caches_and_queues_[at].Absorbs(calls.front().items.front().uses.front().position, due)) {
    ++moment.absorbed;
    return std::nullopt;
  }
  since_look_.together = std::max<uint64_t>(since_look_.together, calls.size());
  // Writes that a queue has combined are counted when they are sent.
  const Micros begins = due + access.aggregate;
  auto request =
      std::make_shared<RequestUnderWay>(RequestUnderWay{at, begins, calls.size(), false});
  std::optional<CallUnderWay> first;
  for (PlannedCall& planned : calls) {
    moment.operations += CountOperations(planned);
    CallUnderWay call{.planned = std::move(planned), .request = request, .at = begins};
    if (!first && access.aggregate == 0) {
      first = std::move(call);
    } else {
      Push(std::move(call));
    }
  }
  return first;
}

void OpenLoop::CountWait(const CallUnderWay& call) {
  ++since_look_.taken;
  due_until_ = std::max(due_until_, call.at);
  const int64_t wait = call.ready - call.at * kNanosOfMicro;
  if (wait > kLateNanos) ++since_look_.late;
  if (call.attempts > 0) return;
  ++requests_;
  if (wait > kWaitedNanos) ++waited_;
}

void OpenLoop::Send(CallUnderWay* call) { call->sent = Elapsed(); }

// --- answers

void OpenLoop::Finish(CallUnderWay call, const CallAnswer& answer) {
  const int64_t at = std::chrono::nanoseconds(answer.at - begun_).count();
  const absl::MutexLock lock(&mutex_);
  ++calls_;
  ++call.attempts;
  record_.Advance(std::min(at / kNanosOfMicro, end_ - 1));
  record_.CallTime(call.planned.access, at - call.sent);
  ++since_look_.answered;
  since_look_.in_call += at - call.sent;
  lag_.Record(call.sent - std::max(call.ready, call.at * kNanosOfMicro));
  if (answer.outcome == Outcome::kServed) return Served(std::move(call), answer);
  if (answer.outcome == Outcome::kThrottled) return Throttled(std::move(call), answer);
  if (IsAskedFor(call.planned, answer)) {
    const double units = record_.FailedCondition(call.planned);
    schedule_.Consumed(call.planned.access, AccessKind::kWrite, units);
    pace_.Served(call.attempts);
    return EndOfCall(call, at);
  }
  record_.Failed(call.planned.access, CountOperations(call.planned), answer.error);
  call.request->is_spoiled = true;
  EndOfCall(call, at);
}

void OpenLoop::Served(CallUnderWay call, const CallAnswer& answer) {
  const int64_t at = std::chrono::nanoseconds(answer.at - begun_).count();
  const Access& access = experiment_.accesses[call.planned.access];
  AccessMoment& moment = record_.moment(call.planned.access);
  for (const CallAnswer::Consumed& consumed : answer.consumed) {
    if (replay_) break;
    schedule_.Consumed(call.planned.access,
                       IsWrite(call.planned.operation) ? AccessKind::kWrite : AccessKind::kRead,
                       consumed.units);
  }
  const std::vector<size_t> left = maker_->ListUnprocessed(call.planned, answer.left);
  std::vector<const PlannedItem*> served;
  for (size_t i = 0; i < call.planned.items.size(); ++i) {
    if (!std::binary_search(left.begin(), left.end(), i)) {
      served.push_back(&call.planned.items[i]);
    }
  }
  record_.Served(call.planned, served, answer);
  const bool is_page = access.operation == Operation::kScan;
  moment.served += CountOperations(call.planned) - left.size();
  if (!left.empty()) {
    std::vector<PlannedItem> rest;
    rest.reserve(left.size());
    for (const size_t i : left) rest.push_back(std::move(call.planned.items[i]));
    call.planned.items = std::move(rest);
    moment.throttled += left.size();
    record_.Throttled(call.planned, AllItems(call.planned), {});
    return Again(std::move(call));
  }
  if (!is_page) pace_.Served(call.attempts);
  if (call.planned.write) {
    call.planned.items = {*std::move(call.planned.write)};
    call.planned.write.reset();
    call.planned.operation = *access.then;
    ++moment.operations;
    return GoOn(std::move(call), at / kNanosOfMicro);
  }
  call.planned.begin = answer.last_key;
  if (answer.last_key && is_page) {
    ++moment.operations;
    return GoOn(std::move(call), at / kNanosOfMicro + access.pause);
  }
  call.planned.query_items -= answer.items;
  if (answer.last_key && call.planned.query_items > 0) {
    // The same operation.
    --moment.served;
    return GoOn(std::move(call), at / kNanosOfMicro);
  }
  EndOfCall(call, at);
}

void OpenLoop::Throttled(CallUnderWay call, const CallAnswer& answer) {
  const Access& access = experiment_.accesses[call.planned.access];
  record_.moment(call.planned.access).throttled += CountOperations(call.planned);
  record_.Throttled(call.planned, AllItems(call.planned), answer.reasons);
  // The cache does not hold the result of a failed request.
  if (access.cache > 0) {
    caches_and_queues_[call.planned.access].Forget(
        call.planned.items.front().uses.front().position);
  }
  Again(std::move(call));
}

// Pages of a Scan are retried until they are read.
void OpenLoop::Again(CallUnderWay call) {
  const size_t access = call.planned.access;
  const bool is_page = experiment_.accesses[access].operation == Operation::kScan;
  const std::optional<Micros> wait =
      is_page ? pace_.Wait(call.attempts, &random_) : pace_.WaitAfter(call.attempts, &random_);
  if (!wait) {
    record_.moment(access).failed += CountOperations(call.planned);
    call.request->is_spoiled = true;
    return EndOfCall(call, Elapsed());
  }
  record_.access(access).waited_seconds += static_cast<double>(*wait) * 1e-6;
  call.at = Elapsed() / kNanosOfMicro + *wait;
  Push(std::move(call));
}

void OpenLoop::GoOn(CallUnderWay call, Micros at) {
  call.at = at;
  call.attempts = 0;
  Push(std::move(call));
}

void OpenLoop::EndOfCall(const CallUnderWay& call, int64_t at) {
  RequestUnderWay& request = *call.request;
  if (--request.calls_left > 0) return;
  const int64_t latency = at - request.due * kNanosOfMicro;
  if (!request.is_spoiled) record_.Latency(request.access, latency);
  if (experiment_.accesses[request.access].operation != Operation::kScan) return;
  AccessResult& result = record_.access(request.access);
  ++result.scans;
  result.scan_seconds += static_cast<double>(latency) * 1e-9;
}

// --- progress

OpenLoop::State OpenLoop::Look() {
  const absl::MutexLock lock(&mutex_);
  const int64_t elapsed = Elapsed();
  const Micros now = elapsed / kNanosOfMicro;
  if (now >= end_) {
    is_over_ = true;
    leader_wakes_.SignalAll();
    follower_wakes_.SignalAll();
  }
  State state = std::exchange(since_look_, {.together = since_look_.together});
  state.now = std::min(now, end_);
  state.is_over = is_over_;
  state.calls = calls_;
  state.elapsed = elapsed - std::exchange(looked_, elapsed);
  state.span = (due_until_ - std::exchange(due_then_, due_until_)) * kNanosOfMicro;
  return state;
}

void OpenLoop::Stop() {
  const absl::MutexLock lock(&mutex_);
  end_ = std::min(end_, std::max<Micros>(1, Elapsed() / kNanosOfMicro));
  is_over_ = true;
  leader_wakes_.SignalAll();
  follower_wakes_.SignalAll();
}

double OpenLoop::waited_part() {
  const absl::MutexLock lock(&mutex_);
  return requests_ == 0 ? 0 : static_cast<double>(waited_) / static_cast<double>(requests_);
}

// Requests that were due but not sent count like requests that were sent late.
void OpenLoop::CountUnsent() {
  while (true) {
    while (Due() >= second_ + kSecond && second_ + kSecond < end_) {
      second_ += kSecond;
      schedule_.BeginSecond(second_);
    }
    const Micros due = Due();
    if (due >= end_) break;
    const size_t access = replay_ ? replay_->access() : schedule_.Take();
    if (replay_) replay_->Take([](LabUses*) {});
    ++record_.moment(access).requests;
    ++record_.moment(access).operations;
    ++unsent_;
    record_.Failed(access, 1, messages::LabUnsent());
    record_.Latency(access, (end_ - due) * kNanosOfMicro);
  }
  for (; !pending_.empty(); pending_.pop()) {
    const CallUnderWay& call = pending_.top();
    const bool is_new = call.attempts == 0;
    record_.Failed(call.planned.access, CountOperations(call.planned),
                   is_new ? messages::LabUnsent() : messages::LabUnfinished());
    if (is_new && call.at < end_) ++unsent_;
    if (is_new && call.at < end_) {
      record_.Latency(call.planned.access, (end_ - call.request->due) * kNanosOfMicro);
    }
  }
}

void OpenLoop::SetStored(const std::vector<int64_t>& bytes) {
  const absl::MutexLock lock(&mutex_);
  record_.SetStored(bytes);
}

RunResult OpenLoop::Result() {
  const absl::MutexLock lock(&mutex_);
  CountUnsent();
  RunResult result = record_.Finish(end_);
  result.decisions = calls_;
  result.measured = MeasuredRun{.unsent = unsent_, .lag = std::move(lag_)};
  return result;
}

}  // namespace dynolith::lab
