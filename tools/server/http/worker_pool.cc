#include "tools/server/http/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/process/thread_start.h"

namespace dynolith::http {
namespace {

constexpr size_t kKinds = 1;  // of the levels: callers, kinds, connections
// Work that takes longer is long; one thread is kept free of long work.
constexpr double kLongSeconds = 0.05;
// The expected duration for an owner without history, so that two such works do not count as one.
constexpr double kLeastSeconds = 1e-6;
// The weight of the last work in the expected duration.
constexpr double kOfLast = 0.5;
// The number of shares beyond which those without work are forgotten.
constexpr size_t kSharesMax = 4096;

uint64_t Mix(uint64_t one, uint64_t other) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  return (one ^ (other + kOdd + (one << 6) + (one >> 2))) * kOdd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerPool>> WorkerPool::Start(Options options) {
  auto pool = std::unique_ptr<WorkerPool>(new WorkerPool(options));
  pool->threads_.reserve(static_cast<size_t>(options.threads));
  for (int i = 0; i < options.threads; ++i) {
    std::thread thread;
    const absl::Status started = StartThread([worker = pool.get()] { worker->Run(); }, &thread);
    if (!started.ok() && pool->threads_.empty()) return started;
    if (!started.ok()) break;
    pool->threads_.push_back(std::move(thread));
  }
  return pool;
}

void WorkerPool::Add(const WorkOwner& owner, std::function<void()> work) {
  absl::MutexLock lock(&mutex_);
  if (stopping_) return;
  // There may be no memory for a share, or for the work. Until both exist nothing is changed,
  // except for an unused share.
  std::array<Share*, kLevels> shares{};
  if (options_.takes_turns) {
    const uint64_t kind = Mix(owner.caller, owner.kind);
    const std::array<uint64_t, kLevels> keys = {owner.caller, kind, Mix(kind, owner.connection)};
    for (size_t level = 0; level < kLevels; ++level) shares[level] = &shares_[level][keys[level]];
  }
  waiting_.push_back({.shares = shares, .number = next_number_++, .run = std::move(work)});
  if (options_.takes_turns) {
    for (size_t level = 0; level < kLevels; ++level) {
      Share& share = *shares[level];
      if (share.works++ == 0) share.served = std::max(share.served, begun_at_[level]);
    }
  }
  changed_.Signal();
}

void WorkerPool::Stop() {
  std::deque<Work> dropped;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
    changed_.SignalAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool WorkerPool::IsBefore(const Work& one, const Work& other) const {
  for (size_t level = 0; level < kLevels; ++level) {
    if (one.shares[level]->served != other.shares[level]->served) {
      return one.shares[level]->served < other.shares[level]->served;
    }
  }
  return one.number < other.number;
}

bool WorkerPool::MayBegin(const Work& work) const {
  if (options_.threads < 2 || work.shares[kKinds]->expected < kLongSeconds) return true;
  return long_works_ + 1 < static_cast<size_t>(options_.threads);
}

std::deque<WorkerPool::Work>::iterator WorkerPool::FindNext() {
  if (!options_.takes_turns) return waiting_.begin();
  auto next = waiting_.end();
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
    if (MayBegin(*it) && (next == waiting_.end() || IsBefore(*it, *next))) next = it;
  }
  return next;
}

void WorkerPool::Run() {
  absl::MutexLock lock(&mutex_);
  while (true) {
    const auto next = FindNext();
    if (stopping_) return;
    if (next == waiting_.end()) {
      changed_.Wait(&mutex_);
      continue;
    }
    Work work = std::move(*next);
    waiting_.erase(next);
    if (!options_.takes_turns) {
      mutex_.Unlock();
      work.run();
      work = {};
      mutex_.Lock();
      continue;
    }
    const double expected = std::max(work.shares[kKinds]->expected, kLeastSeconds);
    const bool is_long = expected >= kLongSeconds;
    long_works_ += is_long ? 1 : 0;
    for (size_t level = 0; level < kLevels; ++level) {
      begun_at_[level] = std::max(begun_at_[level], work.shares[level]->served);
      work.shares[level]->served += expected;
    }
    mutex_.Unlock();
    const auto start = std::chrono::steady_clock::now();
    work.run();
    const double taken =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    work.run = nullptr;
    mutex_.Lock();
    for (Share* share : work.shares) {
      share->served += taken - expected;
      --share->works;
    }
    Share& kind = *work.shares[kKinds];
    kind.expected += kOfLast * (taken - kind.expected);
    long_works_ -= is_long ? 1 : 0;
    // Several threads may be waiting for work that had to wait for this one.
    if (is_long) changed_.SignalAll();
    if (shares_[kLevels - 1].size() > kSharesMax) ForgetShares();
  }
}

void WorkerPool::ForgetShares() {
  for (auto& of_level : shares_) {
    std::erase_if(of_level, [](const auto& entry) { return entry.second.works == 0; });
  }
}

}  // namespace dynolith::http
