#include "engine/store/transaction/run_transaction.h"

#include <algorithm>
#include <random>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/errors.h"
#include "engine/store/transaction/messages.h"
#include "engine/store/transaction/patience.h"

namespace dynolith {
namespace {

constexpr absl::Duration kFirstWait = absl::Microseconds(100);
constexpr absl::Duration kLongestWait = absl::Milliseconds(100);
// Some four seconds together: an SDK waits longer for an answer, and asks again by itself.
constexpr int kTriesMax = 60;

}  // namespace

bool IsAbortedByStore(const absl::Status& status) {
  return absl::IsAborted(status) && KindOf(status) == ErrorKind::kInternalServerError;
}

absl::Status RunTransactionAgain(absl::FunctionRef<absl::Status()> transaction) {
  // Each wait is of random length, so that those who met do not meet again.
  std::minstd_rand random{std::random_device()()};
  std::uniform_real_distribution<double> part(0.5, 1);
  absl::Duration wait = kFirstWait;
  absl::Status status;
  for (int tries = 1; tries < kTriesMax; ++tries) {
    const absl::Duration pause = wait * part(random);
    if (absl::Now() + pause > Patience::End()) break;
    absl::SleepFor(pause);
    wait = std::min(2 * wait, kLongestWait);
    status = transaction();
    if (status.ok() || !IsAbortedByStore(status)) return status;
  }
  return MakeError(ErrorKind::kServiceUnavailable, messages::AbortedTooOften(MessageOf(status)));
}

}  // namespace dynolith
