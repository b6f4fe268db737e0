#include "engine/stream/sequence_numbers.h"

#include <algorithm>
#include <limits>

#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/stream/messages.h"

namespace dynolith {
namespace {

// A restart skips the rest of a reservation; 64 bits suffice for 10^13 restarts.
constexpr uint64_t kReservedAtOnce = 1 << 20;
constexpr size_t kDigits = 20;         // of the largest 64-bit number
constexpr size_t kStampedDigits = 29;  // of the largest stamp
constexpr uint64_t kGreatestCounted = std::numeric_limits<uint64_t>::max() >> 1;

bool IsStamped(SequenceNumber number) { return number >= kStamped; }

std::string DecimalText(absl::uint128 number, size_t digits) {
  std::string text(digits, '0');
  for (size_t i = digits; i-- > 0 && number > 0; number /= 10) {
    text[i] = static_cast<char>('0' + static_cast<int>(number % 10));
  }
  return text;
}

}  // namespace

void AppendSequence(SequenceNumber number, std::string* bytes) {
  if (number <= kGreatestCounted) return AppendBigEndian(absl::Uint128Low64(number), bytes);
  if (!IsStamped(number)) return AppendBigEndian(kGreatestCounted, bytes);
  bytes->push_back(kStampedByte);
  AppendStamp(number - kStamped, bytes);
}

std::optional<SequenceNumber> ReadSequence(std::string_view bytes) {
  if (bytes.size() == sizeof(uint64_t)) return ReadBigEndian(bytes);
  if (bytes.size() != 1 + kStampBytes || bytes[0] != kStampedByte) return std::nullopt;
  return kStamped + ReadStamp(bytes.substr(1));
}

absl::StatusOr<uint64_t> ReadSequenceLimit(const ReadView& rows) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, rows.Get(Family::kLog, kSequenceLimitKey, &row));
  if (!found) return 0;
  const uint64_t limit = row.value().size() == sizeof(uint64_t) ? ReadBigEndian(row.value()) : 0;
  if (limit == 0 || limit > std::numeric_limits<uint64_t>::max() - kReservedAtOnce) {
    return absl::DataLossError(messages::DamagedLogRow(kSequenceLimitKey));
  }
  return limit;
}

absl::StatusOr<std::unique_ptr<SequenceNumbers>> SequenceNumbers::Load(Store* store) {
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t limit, ReadSequenceLimit(*store));
  const uint64_t next = std::max<uint64_t>(limit, 1);
  return std::unique_ptr<SequenceNumbers>(new SequenceNumbers(store, next));
}

absl::Status SequenceNumbers::BeginBehind(Store* store, uint64_t last) {
  const absl::StatusOr<std::unique_ptr<SequenceNumbers>> known = Load(store);
  const uint64_t next = known.ok() ? (*known)->next() : 1;
  std::string limit;
  AppendBigEndian(std::max(next, last + 1), &limit);
  WriteBatch batch;
  batch.Put(Family::kLog, kSequenceLimitKey, limit);
  return store->Commit(batch);
}

absl::StatusOr<uint64_t> SequenceNumbers::Take() {
  if (next_ == limit_) {
    std::string limit;
    AppendBigEndian(limit_ + kReservedAtOnce, &limit);
    WriteBatch batch;
    batch.Put(Family::kLog, kSequenceLimitKey, limit);
    DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch));
    limit_ += kReservedAtOnce;
  }
  return next_++;
}

absl::StatusOr<uint64_t> SequenceNumbers::Begin() {
  absl::MutexLock lock(&mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t number, Take());
  in_flight_.insert(in_flight_.end(), number);
  return number;
}

absl::StatusOr<uint64_t> SequenceNumbers::Next() {
  absl::MutexLock lock(&mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(const uint64_t number, Take());
  Show();
  return number;
}

void SequenceNumbers::Finish(uint64_t begun) {
  absl::MutexLock lock(&mutex_);
  in_flight_.erase(begun);
  Show();
}

void SequenceNumbers::Show() {
  visible_.store((in_flight_.empty() ? next_ : *in_flight_.begin()) - 1, std::memory_order_release);
}

bool SequenceNumbers::AwaitVisible(uint64_t above, absl::Duration timeout) const {
  const auto is_visible = [this, above] { return visible() > above; };
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(&is_visible), timeout);
}

uint64_t SequenceNumbers::next() const {
  absl::MutexLock lock(&mutex_);
  return next_;
}

std::string SequenceText(SequenceNumber number) {
  return Concat("1", IsStamped(number) ? DecimalText(number - kStamped, kStampedDigits)
                                       : DecimalText(number, kDigits));
}

std::optional<SequenceNumber> ParseSequenceText(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  constexpr SequenceNumber kGreatest = std::numeric_limits<uint64_t>::max();
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.size() < kDigits + 1) return 0;
  const bool is_stamped = text.size() == kStampedDigits + 1;
  if ((text.size() > kDigits + 1 && !is_stamped) || text[0] != '1') return kGreatest;
  SequenceNumber number = 0;
  for (const char c : text.substr(1)) number = number * 10 + static_cast<uint64_t>(c - '0');
  if (!is_stamped) return std::min(number, kGreatest);
  return number < kStamped ? kStamped + number : kGreatest;
}

}  // namespace dynolith
