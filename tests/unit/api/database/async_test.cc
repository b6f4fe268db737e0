// Calls on an executor: their results reach futures, functions and coroutines, whichever of call
// and taker comes first.
#include "dynolith/async.h"

#include <gtest/gtest.h>

#include <atomic>
#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "dynolith/database.h"
#include "tests/unit/api/database/songs.h"

namespace dynolith::testing {
namespace {

// An executor with threads of its own, which ends when all has run.
class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  }
  ~Pool() {
    {
      const absl::MutexLock lock(&mutex_);
      ends_ = true;
    }
    for (std::thread& thread : threads_) thread.join();
  }
  Executor executor() {
    return [this](std::function<void()> call) {
      const absl::MutexLock lock(&mutex_);
      calls_.push_back(std::move(call));
    };
  }

 private:
  void Work() {
    while (true) {
      std::function<void()> call;
      {
        const absl::MutexLock lock(&mutex_);
        mutex_.Await(absl::Condition(
            +[](Pool* pool) { return pool->ends_ || !pool->calls_.empty(); }, this));
        if (calls_.empty()) return;
        call = std::move(calls_.front());
        calls_.pop_front();
      }
      call();
    }
  }

  absl::Mutex mutex_;
  std::deque<std::function<void()>> calls_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

// An executor that runs what it was given when it is told to.
class Later {
 public:
  Executor executor() {
    return [this](std::function<void()> call) { calls_.push_back(std::move(call)); };
  }
  void RunAll() {
    for (const auto& call : std::exchange(calls_, {})) call();
  }

 private:
  std::vector<std::function<void()>> calls_;
};

// A coroutine that nobody waits for.
struct Detached {
  struct promise_type {  // NOLINT(readability-identifier-naming): the language's name
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

class AsyncTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(CreateSongs(database_.get()).ok()); }

  static PutItemRequest Put(int number) { return {.table_name = "songs", .item = SongKey(number)}; }
  static GetItemRequest Get(int number) { return {.table_name = "songs", .key = SongKey(number)}; }
  int64_t Count() {
    return database_->Scan({.table_name = "songs", .select = Select::kCount}).value().count;
  }

  const std::unique_ptr<Database> database_ = *Database::Open({.in_memory = true});
};

TEST_F(AsyncTest, AFutureCanBeWaitedFor) {
  Pool pool(2);
  AsyncDatabase async(database_.get(), pool.executor());
  EXPECT_TRUE(async.Call(&Database::PutItem, Put(1)).Get().ok());
  EXPECT_TRUE(async.Call(&Database::GetItem, Get(1)).Get()->item.has_value());
  const auto failed = async.Call(&Database::PutItem, PutItemRequest{.table_name = "absent"}).Get();
  EXPECT_EQ(KindOf(failed.status()), ErrorKind::kResourceNotFound) << failed.status();
  Future<int64_t> sum = async.Run([](Database& database) -> absl::StatusOr<int64_t> {
    return database.Scan({.table_name = "songs"})->count + 41;
  });
  EXPECT_EQ(std::move(sum).Get().value(), 42);
}

TEST_F(AsyncTest, NothingRunsBeforeTheExecutorRunsIt) {
  Later later;
  AsyncDatabase async(database_.get(), later.executor());
  Future<WriteOutput> put = async.Call(&Database::PutItem, Put(1));
  EXPECT_FALSE(put.is_ready());
  EXPECT_EQ(Count(), 0);
  later.RunAll();
  EXPECT_TRUE(put.is_ready());
  EXPECT_TRUE(std::move(put).Get().ok());
  EXPECT_EQ(Count(), 1);
}

TEST_F(AsyncTest, AFunctionIsCalledOnceWhicheverIsFirst) {
  Later later;
  AsyncDatabase async(database_.get(), later.executor());
  int called = 0;
  const auto then = [&called](const absl::StatusOr<WriteOutput>& put) { called += put.ok(); };
  async.Call(&Database::PutItem, Put(1)).Then(then);
  EXPECT_EQ(called, 0);
  later.RunAll();
  EXPECT_EQ(called, 1);
  Future<WriteOutput> put = async.Call(&Database::PutItem, Put(2));
  later.RunAll();
  std::move(put).Then(then);
  EXPECT_EQ(called, 2);
}

TEST_F(AsyncTest, ADroppedFutureDropsTheResultOnly) {
  Later later;
  AsyncDatabase async(database_.get(), later.executor());
  static_cast<void>(async.Call(&Database::PutItem, Put(1)));
  later.RunAll();
  EXPECT_EQ(Count(), 1);
}

Detached PutAndRead(AsyncDatabase* async, PutItemRequest put, GetItemRequest get, bool* found) {
  const absl::StatusOr<WriteOutput> written =
      co_await async->Call(&Database::PutItem, std::move(put));
  EXPECT_TRUE(written.ok()) << written.status();
  const absl::StatusOr<GetItemOutput> read =
      co_await async->Call(&Database::GetItem, std::move(get));
  *found = read.ok() && read->item.has_value();
}

TEST_F(AsyncTest, ACoroutineGoesOnBehindEachCall) {
  Later later;
  AsyncDatabase async(database_.get(), later.executor());
  bool found = false;
  PutAndRead(&async, Put(1), Get(1), &found);
  EXPECT_EQ(Count(), 0);
  later.RunAll();  // the put, behind which the coroutine asks for the item
  EXPECT_EQ(Count(), 1);
  EXPECT_FALSE(found);
  later.RunAll();
  EXPECT_TRUE(found);
  // An executor that runs at once never suspends it.
  AsyncDatabase at_once(database_.get(), [](const std::function<void()>& call) { call(); });
  found = false;
  PutAndRead(&at_once, Put(2), Get(2), &found);
  EXPECT_TRUE(found);
}

Detached PutMany(AsyncDatabase* async, int first, int count, absl::BlockingCounter* done) {
  for (int i = first; i < first + count; ++i) {
    PutItemRequest request = {.table_name = "songs", .item = SongKey(i)};
    const absl::StatusOr<WriteOutput> put =
        co_await async->Call(&Database::PutItem, std::move(request));
    EXPECT_TRUE(put.ok()) << put.status();
  }
  done->DecrementCount();
}

TEST_F(AsyncTest, CallsOfManyTakersAtOnce) {
  constexpr int kCoroutines = 8;
  constexpr int kEach = 50;
  Pool pool(3);
  absl::BlockingCounter done(kCoroutines);
  std::atomic<int> called = 0;
  {
    AsyncDatabase async(database_.get(), pool.executor());
    for (int i = 0; i < kCoroutines; ++i) PutMany(&async, i * kEach, kEach, &done);
    std::vector<Future<WriteOutput>> futures;
    for (int i = 0; i < kEach; ++i) {
      async.Call(&Database::PutItem, Put(1'000 + i))
          .Then([&called](const absl::StatusOr<WriteOutput>& put) { called += put.ok(); });
      futures.push_back(async.Call(&Database::PutItem, Put(2'000 + i)));
    }
    for (Future<WriteOutput>& future : futures) EXPECT_TRUE(std::move(future).Get().ok());
    done.Wait();
  }
  // Its end waits for calls; the function of the last one may still be running.
  while (called < kEach) std::this_thread::yield();
  EXPECT_EQ(Count(), (kCoroutines + 2) * kEach);
}

TEST_F(AsyncTest, ACallThatIsDroppedOrThrowsIsCancelled) {
  AsyncDatabase dropping(database_.get(), [](const std::function<void()>&) {});
  EXPECT_TRUE(absl::IsCancelled(dropping.Call(&Database::PutItem, Put(1)).Get().status()));
  AsyncDatabase catching(database_.get(), [](const std::function<void()>& call) {
    try {
      call();
    } catch (const std::exception&) {
    }
  });
  const auto thrown = catching.Run(
      [](Database&) -> absl::StatusOr<int> { throw std::runtime_error("as a program may"); });
  EXPECT_TRUE(thrown.is_ready());
}

TEST_F(AsyncTest, TheEndWaitsForCallsThatRun) {
  Pool pool(1);
  std::atomic<bool> has_run = false;
  {
    AsyncDatabase async(database_.get(), pool.executor());
    static_cast<void>(async.Run([&has_run](Database& database) -> absl::StatusOr<int> {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      static_cast<void>(database.TakeStatistics());
      has_run = true;
      return 1;
    }));
  }
  EXPECT_TRUE(has_run);
}

}  // namespace
}  // namespace dynolith::testing
