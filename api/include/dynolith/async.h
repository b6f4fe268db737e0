// Calls that do not keep their caller waiting: each runs on an executor of the program's, and its
// result is a future that may be waited for, given a function, or awaited by a coroutine.
//
//   dynolith::AsyncDatabase async(database.get(), [&pool](std::function<void()> call) {
//     pool.Submit(std::move(call));
//   });
//   async.Call(&Database::PutItem, PutItemRequest{.table_name = "music", ...})
//       .Then([](absl::StatusOr<WriteOutput> put) { ... });
//
//   absl::StatusOr<GetItemOutput> got = co_await async.Call(&Database::GetItem,
//   std::move(request));
//
// (g++ 12 destroys a temporary aggregate twice that stands in a co_await: keep requests in
// variables.)
//
//   Future<int> counted = async.Run([](Database& database) -> absl::StatusOr<int> { ... });
//
// No thread is started here. A call takes a thread of the executor while it runs, as every call of
// a Database does, so as many calls run at once as the executor has threads.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_ASYNC_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_ASYNC_H_

#include <cassert>
#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "dynolith/database.h"

namespace dynolith {

// Runs the function once, now or later, on any thread. Called from the thread of Run, and from no
// lock.
using Executor = std::function<void(std::function<void()> call)>;

namespace async_internal {

// What a future and its call share. The result goes to one taker: a function, or who waits.
template <typename T>
class Shared {
 public:
  void Finish(absl::StatusOr<T> result) {
    std::function<void(absl::StatusOr<T>)> then;
    {
      const absl::MutexLock lock(&mutex_);
      if (!then_) {
        result_ = std::move(result);
        return;
      }
      then = std::move(then_);
    }
    then(std::move(result));
  }

  // Gives the result to `then`: later, or, if it is there, at once.
  void SetThen(std::function<void(absl::StatusOr<T>)> then) {
    std::optional<absl::StatusOr<T>> result;
    {
      const absl::MutexLock lock(&mutex_);
      if (!result_) {
        then_ = std::move(then);
        return;
      }
      result = std::move(result_);
    }
    then(*std::move(result));
  }

  // For a coroutine: false if the result is there. Else `resume` will be called behind it.
  bool Suspend(std::function<void()> resume) {
    const absl::MutexLock lock(&mutex_);
    if (result_) return false;
    then_ = [this, resume = std::move(resume)](absl::StatusOr<T> result) {
      {
        const absl::MutexLock lock_again(&mutex_);
        result_ = std::move(result);
      }
      resume();
    };
    return true;
  }

  bool IsReady() const {
    const absl::MutexLock lock(&mutex_);
    return result_.has_value();
  }

  absl::StatusOr<T> Take() {
    const absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](std::optional<absl::StatusOr<T>>* result) { return result->has_value(); }, &result_));
    absl::StatusOr<T> result = *std::move(result_);
    result_.reset();
    return result;
  }

 private:
  mutable absl::Mutex mutex_;
  std::optional<absl::StatusOr<T>> result_ ABSL_GUARDED_BY(mutex_);
  std::function<void(absl::StatusOr<T>)> then_ ABSL_GUARDED_BY(mutex_);
};

template <typename T>
struct ValueOfStatusOr;
template <typename T>
struct ValueOfStatusOr<absl::StatusOr<T>> {
  using type = T;
};

}  // namespace async_internal

// The result of a call, which has one taker: one of Get, Then and co_await may be used, once. A
// future that is dropped drops the result; the call runs all the same. One thread uses a future at
// a time.
template <typename T>
class [[nodiscard]] Future {
 public:
  explicit Future(std::shared_ptr<async_internal::Shared<T>> shared) : shared_(std::move(shared)) {}
  Future(Future&&) noexcept = default;
  Future& operator=(Future&&) noexcept = default;

  bool is_ready() const { return shared_->IsReady(); }

  // Waits for the result. Not on a thread that the executor needs to get it.
  absl::StatusOr<T> Get() && { return std::exchange(shared_, nullptr)->Take(); }

  // Calls the function with the result: on the executor's thread, behind the call; or at once, in
  // here, if the result is there.
  void Then(std::function<void(absl::StatusOr<T>)> then) && {
    std::exchange(shared_, nullptr)->SetThen(std::move(then));
  }

  // Resumes the coroutine on the executor's thread.
  auto operator co_await() && {
    class Awaiter {
     public:
      explicit Awaiter(std::shared_ptr<async_internal::Shared<T>> of) : shared_(std::move(of)) {}
      bool await_ready() const { return shared_->IsReady(); }
      bool await_suspend(std::coroutine_handle<> coroutine) {
        // The coroutine, and this with it, may be gone when Suspend returns.
        const std::shared_ptr<async_internal::Shared<T>> kept = shared_;
        return kept->Suspend([coroutine] { coroutine.resume(); });
      }
      absl::StatusOr<T> await_resume() { return shared_->Take(); }

     private:
      std::shared_ptr<async_internal::Shared<T>> shared_;
    };
    return Awaiter(std::exchange(shared_, nullptr));
  }

 private:
  std::shared_ptr<async_internal::Shared<T>> shared_;
};

// A database whose calls run on an executor. Any thread may make calls.
class AsyncDatabase {
 public:
  // Borrows the database.
  AsyncDatabase(Database* database, Executor executor)
      : database_(database), executor_(std::move(executor)) {}
  AsyncDatabase(const AsyncDatabase&) = delete;
  AsyncDatabase& operator=(const AsyncDatabase&) = delete;
  // Waits until all calls have run. So not on a thread that the executor needs for them. What their
  // results lead to may be later: a coroutine that makes more calls must have ended before.
  ~AsyncDatabase() {
    const absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](int* running) { return *running == 0; }, &running_));
  }

  // Runs `call`, a function of a Database& that returns a StatusOr<T>, on the executor. It may make
  // several calls of the database. Errors, besides its own: kCancelled if the executor drops it, or
  // if it throws.
  template <typename Function, typename Result = std::invoke_result_t<Function&, Database&>,
            typename T = typename async_internal::ValueOfStatusOr<Result>::type>
  Future<T> Run(Function call) {
    auto shared = std::make_shared<async_internal::Shared<T>>();
    // An executor takes what can be copied.
    auto function = std::make_shared<Function>(std::move(call));
    auto running = std::make_shared<Running<T>>(this, shared);
    executor_(
        [this, function, running = std::move(running)] { running->End((*function)(*database_)); });
    return Future<T>(std::move(shared));
  }

  // Runs one operation: Call(&Database::Query, request).
  template <typename Output, typename Request>
  Future<Output> Call(absl::StatusOr<Output> (Database::*operation)(const Request&),
                      std::type_identity_t<Request> request) {
    return Run([operation, request = std::move(request)](Database& database) {
      return (database.*operation)(request);
    });
  }

 private:
  // A call from when it is given to the executor until it has run, or is dropped.
  template <typename T>
  class Running {
   public:
    Running(AsyncDatabase* of, std::shared_ptr<async_internal::Shared<T>> shared)
        : of_(of), shared_(std::move(shared)) {
      const absl::MutexLock lock(&of_->mutex_);
      ++of_->running_;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
      if (of_ != nullptr) End(absl::CancelledError());
    }

    void End(absl::StatusOr<T> result) {
      {
        // Before the result is told: who has it may destroy the database.
        AsyncDatabase* const of = std::exchange(of_, nullptr);
        const absl::MutexLock lock(&of->mutex_);
        --of->running_;
      }
      shared_->Finish(std::move(result));
    }

   private:
    AsyncDatabase* of_;
    std::shared_ptr<async_internal::Shared<T>> shared_;
  };

  Database* const database_;
  const Executor executor_;
  absl::Mutex mutex_;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_ASYNC_H_
