// Calls that do not keep their caller waiting: each is answered once, as the others are, and
// closing waits for all of them.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "api/c/async_calls.h"
#include "dynolith/dynolith.h"
#include "engine/process/thread_start.h"

namespace dynolith {
namespace {

constexpr std::string_view kSongsTable =
    R"({"TableName":"songs","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"})";

dynolith_database* OpenInMemory() {
  dynolith_database* database = nullptr;
  EXPECT_EQ(dynolith_open("{}", 2, &database), nullptr);
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  dynolith_call(database, "CreateTable", 11, kSongsTable.data(), kSongsTable.size(), &response);
  EXPECT_EQ(response.status, 200);
  dynolith_response_free(&response);
  return database;
}

// What its calls were answered.
class Answers {
 public:
  void Ask(dynolith_database* database, std::string_view target, const std::string& body) {
    dynolith_error* const error = dynolith_call_async(
        database, target.data(), target.size(), body.data(), body.size(), &Answers::Take, this);
    ASSERT_EQ(error, nullptr) << dynolith_error_message(error);
  }
  void Await(int count) {
    absl::MutexLock lock(&mutex_);
    const auto has_all = [this, count] {
      mutex_.AssertReaderHeld();
      return static_cast<int>(bodies_.size()) >= count;
    };
    mutex_.Await(absl::Condition(&has_all));
  }
  std::vector<std::string> bodies() {
    absl::MutexLock lock(&mutex_);
    return bodies_;
  }
  int failed() {
    absl::MutexLock lock(&mutex_);
    return failed_;
  }

 private:
  static void Take(void* context, const dynolith_response* response) {
    auto* const self = static_cast<Answers*>(context);
    absl::MutexLock lock(&self->mutex_);
    if (response->status != 200) ++self->failed_;
    self->bodies_.emplace_back(response->body, response->body_size);
  }

  absl::Mutex mutex_;
  std::vector<std::string> bodies_ ABSL_GUARDED_BY(mutex_);
  int failed_ ABSL_GUARDED_BY(mutex_) = 0;
};

std::string PutOf(int number) {
  return R"({"TableName":"songs","Item":{"pk":{"S":")" + std::to_string(number) + R"("}}})";
}

TEST(AsyncCall, AnswersAreThoseOfOtherCalls) {
  dynolith_database* const database = OpenInMemory();
  for (const std::string_view target : {"ListTables", "DescribeTable", "Nonsense"}) {
    const std::string body = R"({"TableName":"none"})";
    Answers answers;
    answers.Ask(database, target, body);
    answers.Await(1);
    dynolith_response response = DYNOLITH_RESPONSE_INIT;
    dynolith_call(database, target.data(), target.size(), body.data(), body.size(), &response);
    EXPECT_EQ(answers.bodies().front(), std::string_view(response.body, response.body_size));
    EXPECT_EQ(answers.failed(), response.status == 200 ? 0 : 1);
    dynolith_response_free(&response);
  }
  dynolith_close(database);
}

TEST(AsyncCall, EachIsAnsweredOnceAndClosingWaits) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 500;
  dynolith_database* const database = OpenInMemory();
  Answers answers;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) answers.Ask(database, "PutItem", PutOf(t * kCalls + i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  dynolith_close(database);
  EXPECT_EQ(answers.bodies().size(), static_cast<size_t>(kThreads * kCalls));
  EXPECT_EQ(answers.failed(), 0);
}

// A chain of calls, each made by the answer of the one before.
struct Chain {
  dynolith_database* database = nullptr;
  int left = 100;
  absl::Notification done;

  static void Next(void* context, const dynolith_response* response) {
    auto* const self = static_cast<Chain*>(context);
    EXPECT_EQ(response->status, 200);
    if (--self->left == 0) return self->done.Notify();
    const std::string body = PutOf(self->left);
    EXPECT_EQ(
        dynolith_call_async(self->database, "PutItem", 7, body.data(), body.size(), &Next, self),
        nullptr);
  }
};

TEST(AsyncCall, AnAnswerMayMakeCalls) {
  Chain chain{.database = OpenInMemory()};
  const std::string body = PutOf(0);
  ASSERT_EQ(dynolith_call_async(chain.database, "PutItem", 7, body.data(), body.size(),
                                &Chain::Next, &chain),
            nullptr);
  chain.done.WaitForNotification();
  dynolith_close(chain.database);
}

TEST(AsyncCall, ClosingWaitsForCallsThatAnswersMake) {
  Chain chain{.database = OpenInMemory()};
  const std::string body = PutOf(0);
  ASSERT_EQ(dynolith_call_async(chain.database, "PutItem", 7, body.data(), body.size(),
                                &Chain::Next, &chain),
            nullptr);
  dynolith_close(chain.database);
  EXPECT_TRUE(chain.done.HasBeenNotified());
}

TEST(AsyncCall, WithoutThreadsItIsAnsweredAtOnce) {
  dynolith_database* const database = OpenInMemory();
  Answers answers;
  {
    const NoRoomForThreads none;
    answers.Ask(database, "PutItem", PutOf(1));
    EXPECT_EQ(answers.bodies().size(), 1U);
  }
  dynolith_close(database);
  EXPECT_EQ(answers.failed(), 0);
}

TEST(AsyncCalls, ThoseThatWaitDoNotKeepOthersWaiting) {
  absl::Notification released;
  std::atomic<int> ran = 0;
  {
    c::AsyncCalls calls;
    for (size_t i = 1; i < c::AsyncCalls::kThreadsMax; ++i) {
      calls.Run([&] { released.WaitForNotification(); });
    }
    absl::Notification done;
    calls.Run([&] { done.Notify(); });
    done.WaitForNotification();
    for (int i = 0; i < 100; ++i) {
      calls.Run([&] { ran.fetch_add(1); });
    }
    released.Notify();
  }
  EXPECT_EQ(ran, 100);
}

}  // namespace
}  // namespace dynolith
