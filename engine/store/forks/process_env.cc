#include "engine/store/forks/process_env.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/process/forked_process.h"
#include "engine/process/memory_reserve.h"
#include "engine/process/thread_start.h"

namespace dynolith {
namespace {

// Threads of one priority, which last as long as the process. Thread-safe.
class WorkThreads {
 public:
  struct Work {
    void (*run)(void*);
    void* argument;
    void* tag;
    void (*drop)(void*);  // called instead of run; nullptr: nothing to call
  };

  // Starts the first thread, which does all work if no other one can be started.
  absl::Status Start() {
    const std::lock_guard lock(mutex_);
    return threads_.empty() ? StartOne() : absl::OkStatus();
  }
  // Requires: Start has been called.
  void Add(const Work& work) {
    {
      const std::lock_guard lock(mutex_);
      works_.push_back(work);
      if (idle_ < works_.size() && threads_.size() < static_cast<size_t>(threads_max_)) {
        StartOne().IgnoreError();
      }
    }
    changed_.notify_one();
  }
  // Drops work with the tag that has not begun.
  int Remove(const void* tag) {
    std::vector<Work> removed;
    {
      const std::lock_guard lock(mutex_);
      const auto first = std::stable_partition(works_.begin(), works_.end(),
                                               [&](const Work& work) { return work.tag != tag; });
      removed.assign(first, works_.end());
      works_.erase(first, works_.end());
    }
    for (const Work& work : removed) {
      if (work.drop != nullptr) work.drop(work.argument);
    }
    return static_cast<int>(removed.size());
  }
  size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return works_.size();
  }
  int threads_max() const {
    const std::lock_guard lock(mutex_);
    return threads_max_;
  }
  void RaiseThreadsMax(int threads) {
    const std::lock_guard lock(mutex_);
    threads_max_ = std::max(threads_max_, threads);
  }

 private:
  absl::Status StartOne() {
    std::thread thread;
    DYNOLITH_RETURN_IF_ERROR(StartThread([this] { Run(); }, &thread));
    threads_.push_back(std::move(thread));
    return absl::OkStatus();
  }
  void Run() {
    const MemoryReserve::Scope reserve(MemoryReserve::User::kThread);
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      changed_.wait(lock, [this] { return !works_.empty(); });
      --idle_;
      const Work work = works_.front();
      works_.pop_front();
      lock.unlock();
      work.run(work.argument);
      lock.lock();
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> works_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  int threads_max_ = 1;
};

// Work that finds the memory reserve, since an exception in it would end the process.
struct ReservedWork {
  void (*const run)(void*);
  void* const argument;
  void (*const drop)(void*);

  static void Run(void* work) {
    const std::unique_ptr<const ReservedWork> owned(static_cast<ReservedWork*>(work));
    const MemoryReserve::Scope reserve(MemoryReserve::User::kThread);
    owned->run(owned->argument);
  }
  static void Drop(void* work) {
    const std::unique_ptr<const ReservedWork> owned(static_cast<ReservedWork*>(work));
    if (owned->drop != nullptr) owned->drop(owned->argument);
  }
};

// Runs work on RocksDB's threads. If no more of them can be started, RocksDB throws in Schedule and
// yet counts on the work: a spare thread then does it.
class EnvWithSharedThreads final : public rocksdb::EnvWrapper {
 public:
  EnvWithSharedThreads(const std::shared_ptr<rocksdb::FileSystem>& files, WorkThreads* spare)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)), spare_(*spare) {
    file_system_ = files;
    system_clock_ = rocksdb::Env::Default()->GetSystemClock();
  }

  void Schedule(void (*function)(void*), void* argument, Priority priority, void* tag,
                void (*drop)(void*)) override {
    const MemoryReserve::Scope reserve(MemoryReserve::User::kThread);
    auto* const work = new ReservedWork{function, argument, drop};
    try {
      EnvWrapper::Schedule(ReservedWork::Run, work, priority, tag, ReservedWork::Drop);
    } catch (const std::system_error&) {
      spare_.Add({ReservedWork::Run, work, tag, ReservedWork::Drop});
    }
  }
  int UnSchedule(void* tag, Priority priority) override {
    return EnvWrapper::UnSchedule(tag, priority) + spare_.Remove(tag);
  }
  void IncBackgroundThreadsIfNeeded(int threads, Priority priority) override {
    try {
      EnvWrapper::IncBackgroundThreadsIfNeeded(threads, priority);
    } catch (const std::system_error&) {
      // The next Schedule tries to start them again.
    }
  }

 private:
  WorkThreads& spare_;
};

// Threads for each priority, shared by all databases of a child, in which RocksDB has no threads.
struct WorkPools {
  std::array<WorkThreads, rocksdb::Env::Priority::TOTAL> of_priority;

  absl::Status Start() {
    for (WorkThreads& pool : of_priority) DYNOLITH_RETURN_IF_ERROR(pool.Start());
    return absl::OkStatus();
  }
};

class EnvWithOwnThreads final : public rocksdb::EnvWrapper {
 public:
  EnvWithOwnThreads(const std::shared_ptr<rocksdb::FileSystem>& files, WorkPools* pools)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)), pools_(*pools) {
    file_system_ = files;
    system_clock_ = rocksdb::Env::Default()->GetSystemClock();
  }
  ~EnvWithOwnThreads() override { JoinStarted(); }

  void Schedule(void (*function)(void*), void* argument, Priority priority, void* tag,
                void (*drop)(void*)) override {
    Of(priority).Add({function, argument, tag, drop});
  }
  int UnSchedule(void* tag, Priority priority) override { return Of(priority).Remove(tag); }
  void StartThread(void (*function)(void*), void* argument) override {
    std::thread thread;
    if (!dynolith::StartThread([=] { function(argument); }, &thread).ok()) {
      function(argument);
      return;
    }
    const std::lock_guard lock(mutex_);
    started_.push_back(std::move(thread));
  }
  void WaitForJoin() override { JoinStarted(); }
  int ReserveThreads(int /*threads*/, Priority /*priority*/) override { return 0; }
  int ReleaseThreads(int /*threads*/, Priority /*priority*/) override { return 0; }
  unsigned int GetThreadPoolQueueLen(Priority priority) const override {
    return static_cast<unsigned int>(Of(priority).waiting());
  }
  void SetBackgroundThreads(int threads, Priority priority) override {
    Of(priority).RaiseThreadsMax(threads);
  }
  int GetBackgroundThreads(Priority priority) override { return Of(priority).threads_max(); }
  void IncBackgroundThreadsIfNeeded(int threads, Priority priority) override {
    Of(priority).RaiseThreadsMax(threads);
  }
  void LowerThreadPoolIOPriority(Priority /*priority*/) override {}
  void LowerThreadPoolCPUPriority(Priority /*priority*/) override {}
  rocksdb::Status LowerThreadPoolCPUPriority(Priority /*pool*/,
                                             rocksdb::CpuPriority /*priority*/) override {
    return rocksdb::Status::OK();
  }

 private:
  WorkThreads& Of(Priority priority) const {
    return pools_.of_priority[static_cast<size_t>(priority)];
  }
  void JoinStarted() {
    const std::lock_guard lock(mutex_);
    for (std::thread& thread : started_) thread.join();
    started_.clear();
  }

  std::mutex mutex_;
  std::vector<std::thread> started_;
  WorkPools& pools_;
};

#ifdef __GLIBC__
void EndIfForked(int status, void* process) {
  if (!static_cast<const MakingProcess*>(process)->IsForked()) return;
  std::fflush(nullptr);
  _exit(status);
}
#endif

}  // namespace

absl::StatusOr<std::unique_ptr<rocksdb::Env>> MakeProcessEnv(
    const std::shared_ptr<rocksdb::FileSystem>& files) {
  if (ForkGeneration() == 0) {
    static OnePerProcess<WorkThreads> spare;
    DYNOLITH_RETURN_IF_ERROR(spare.Get().Start());
    return std::make_unique<EnvWithSharedThreads>(files, &spare.Get());
  }
  static OnePerProcess<WorkPools> pools;
  DYNOLITH_RETURN_IF_ERROR(pools.Get().Start());
  return std::make_unique<EnvWithOwnThreads>(files, &pools.Get());
}

void LetChildrenEnd() {
#ifdef __GLIBC__
  static OnePerProcess<MakingProcess> process;
  static OnePerProcess<std::once_flag> once;
  std::call_once(once.Get(), [] { on_exit(EndIfForked, &process.Get()); });
#endif
  // For musl RocksDB is compiled without those destructors (tools/package/rocksdb/build_rocksdb).
}

}  // namespace dynolith
