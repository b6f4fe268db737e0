// The numbers of the records of all streams: they only grow, also across restarts, and a reader can
// tell up to which number no record is missing.
//
// Row in Family::kLog:
//   'N' -> limit:u64be     ; every number that was counted is below it
//
// In a LocalStore records are counted. In a SharedStore only streams and shards are, and the row
// changes with each of their changes; the numbers of records are stamps, which the store gives them
// in the order of the commits.
#ifndef DYNOLITH_ENGINE_STREAM_SEQUENCE_NUMBERS_H_
#define DYNOLITH_ENGINE_STREAM_SEQUENCE_NUMBERS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/store/store.h"
#include "engine/store/transaction/stamp.h"

namespace dynolith {

// A number that was counted, below 2^63; or kStamped and a stamp, which is greater than all of
// those.
using SequenceNumber = absl::uint128;
inline constexpr SequenceNumber kStamped = absl::MakeUint128(uint64_t{1} << 32, 0);
inline constexpr SequenceNumber kGreatestSequence = kStamped | (kStamped - 1);

// The bytes of a number, in the order of the numbers:
//   counted:u64be | 80 stamp      ; one that is neither becomes the greatest that can be counted
void AppendSequence(SequenceNumber number, std::string* bytes);
// nullopt if the bytes are no number.
std::optional<SequenceNumber> ReadSequence(std::string_view bytes);
// What stands before a stamp.
inline constexpr char kStampedByte = '\x80';

// The key of the row above.
inline constexpr std::string_view kSequenceLimitKey = "N";
// The limit; 0: there is none. Errors: kDataLoss; those of the read.
absl::StatusOr<uint64_t> ReadSequenceLimit(const ReadView& rows);

// Numbers are assigned before the commit of their records, and commits end in any order. So a
// number stays "in flight" from Begin to Finish, and readers read nothing beyond visible().
// Thread-safe.
class SequenceNumbers {
 public:
  // `store` must outlive the numbers. Errors: kDataLoss; the store's.
  static absl::StatusOr<std::unique_ptr<SequenceNumbers>> Load(Store* store);

  // Makes later loads begin with numbers greater than `last`, and than any number that may have
  // been assigned as far as the store knows. Requires: none are loaded.
  static absl::Status BeginBehind(Store* store, uint64_t last);

  // A number greater than all before, in flight until Finish is called with it. Errors: the
  // store's.
  absl::StatusOr<uint64_t> Begin() ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, not in flight by itself: for numbers that an earlier Begin covers, or that are not
  // those of records.
  absl::StatusOr<uint64_t> Next() ABSL_LOCKS_EXCLUDED(mutex_);
  // The commit has ended, successfully or not.
  void Finish(uint64_t begun) ABSL_LOCKS_EXCLUDED(mutex_);

  // Each record with a number up to this one either can be read by now or will never exist. Takes
  // no lock, since commits call it with all of them held.
  uint64_t visible() const { return visible_.load(std::memory_order_acquire); }
  // Waits until visible() is above the number. False: it was not by the end of the time.
  bool AwaitVisible(uint64_t above, absl::Duration timeout) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Greater than all assigned numbers.
  uint64_t next() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  SequenceNumbers(Store* store, uint64_t next)
      : store_(store), next_(next), limit_(next), visible_(next - 1) {}
  absl::StatusOr<uint64_t> Take() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Updates visible_.
  void Show() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Store* const store_;
  mutable absl::Mutex mutex_;
  uint64_t next_ ABSL_GUARDED_BY(mutex_);
  // The limit in the store. Raised before it is reached, many numbers at a time.
  uint64_t limit_ ABSL_GUARDED_BY(mutex_);
  std::set<uint64_t> in_flight_ ABSL_GUARDED_BY(mutex_);
  // Written under mutex_.
  std::atomic<uint64_t> visible_;
};

// A number in the form for clients: a 1 and 20 decimal digits if it was counted, 29 of a stamp; so
// texts and integers have the same order (api/facts/operations.md §6: 21 to 40 digits).
std::string SequenceText(SequenceNumber number);
// The number of a text. One that can belong to no record is 0 or the greatest of 64 bits, whichever
// is closer. nullopt if the text is no decimal number.
std::optional<SequenceNumber> ParseSequenceText(std::string_view text);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STREAM_SEQUENCE_NUMBERS_H_
