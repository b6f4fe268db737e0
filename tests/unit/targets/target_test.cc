// One invocation: what is a success, what a failure, and what is none at all, since the last kind
// is repeated without end and the second may give records up.
#include "tools/server/targets/target.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "absl/time/clock.h"
#include "engine/base/file_text.h"
#include "engine/base/strings.h"
#include "tests/unit/remote/listening_socket.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::targets {
namespace {

using Result = Invocation::Result;
using ::testing::HasSubstr;

constexpr absl::Duration kLong = absl::Hours(1);

Invocation InvokeOnce(const std::string& target, std::string_view event, bool interrupted = false) {
  const std::atomic<bool> is_interrupted = interrupted;
  const auto made = Target::Make(target, kLong, &is_interrupted);
  EXPECT_TRUE(made.ok()) << made.status();
  return (*made)->Invoke(event);
}

TEST(CommandTarget, ReadsTheEventAndAnswers) {
  const std::string event(300'000, 'x');
  const Invocation invocation = InvokeOnce("exec:cat", event);
  EXPECT_EQ(invocation.result, Result::kSucceeded) << invocation.error;
  EXPECT_EQ(invocation.answer, event);
}

TEST(CommandTarget, OneThatReadsNothingSucceeds) {
  EXPECT_EQ(InvokeOnce("exec:true", std::string(300'000, 'x')).result, Result::kSucceeded);
}

TEST(CommandTarget, AnExitCodeIsAFailureWithWhatItSaid) {
  const Invocation invocation = InvokeOnce("exec:echo out; echo why >&2; exit 7", "{}");
  EXPECT_EQ(invocation.result, Result::kFailed);
  EXPECT_THAT(invocation.error, HasSubstr("ended with 7: why"));
  EXPECT_THAT(InvokeOnce("exec:kill -9 $$", "{}").error, HasSubstr("signal 9"));
}

TEST(CommandTarget, ATimeoutIsAFailure) {
  const std::atomic<bool> interrupted = false;
  const auto target = Target::Make("exec:sleep 3600", absl::ZeroDuration(), &interrupted);
  ASSERT_TRUE(target.ok());
  const Invocation invocation = (*target)->Invoke("{}");
  EXPECT_EQ(invocation.result, Result::kFailed);
  EXPECT_THAT(invocation.error, HasSubstr("no answer within"));
}

TEST(CommandTarget, AnInterruptedOneEndsWithItsChildren) {
  EXPECT_EQ(InvokeOnce("exec:sleep 3600 & sleep 3600", "{}", true).result, Result::kAway);
}

// A server that takes connections and never answers.
TEST(HttpTarget, AnInterruptedCallEnds) {
  const testing::ListeningSocket listener;
  const std::string url = Concat("http://127.0.0.1:", listener.port(), "/");
  const absl::Time start = absl::Now();
  EXPECT_EQ(InvokeOnce(url, "{}", true).result, Result::kAway);
  EXPECT_LT(absl::Now() - start, kLong);
}

TEST(HttpTarget, NoConnectionIsNoFailureOfTheFunction) {
  // Nobody listens on the port of a socket that is bound only.
  const int bound = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(bound, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(getsockname(bound, reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(InvokeOnce(Concat("http://127.0.0.1:", ntohs(address.sin_port)), "{}").result,
            Result::kAway);
  close(bound);
}

TEST(DeliverLine, AppendsToAFile) {
  const testing::ScratchFolder folder;
  const std::atomic<bool> interrupted = false;
  const std::string file = folder / "failed";
  ASSERT_TRUE(DeliverLine(file, "one\n", &interrupted).ok());
  ASSERT_TRUE(DeliverLine(file, "two\n", &interrupted).ok());
  EXPECT_EQ(ReadFileText(file).text, "one\ntwo\n");
  EXPECT_FALSE(DeliverLine(folder / "no/such/folder", "three\n", &interrupted).ok());
}

}  // namespace
}  // namespace dynolith::targets
