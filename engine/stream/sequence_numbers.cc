#include "engine/stream/sequence_numbers.h"

#include <algorithm>
#include <limits>

#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/stream/messages.h"

namespace dynolith {
namespace {

constexpr std::string_view kLimitKey = "N";
// A restart skips the rest of a reservation; 64 bits suffice for 10^13 restarts.
constexpr uint64_t kReservedAtOnce = 1 << 20;
constexpr size_t kDigits = 20;  // digits of the largest 64-bit number

}  // namespace

absl::StatusOr<std::unique_ptr<SequenceNumbers>> SequenceNumbers::Load(Store* store) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, store->Get(Family::kLog, kLimitKey, &row));
  uint64_t next = 1;
  if (found) {
    if (row.value().size() != sizeof(uint64_t)) {
      return absl::DataLossError(messages::DamagedLogRow(kLimitKey));
    }
    next = ReadBigEndian(row.value());
    if (next == 0 || next > std::numeric_limits<uint64_t>::max() - kReservedAtOnce) {
      return absl::DataLossError(messages::DamagedLogRow(kLimitKey));
    }
  }
  return std::unique_ptr<SequenceNumbers>(new SequenceNumbers(store, next));
}

absl::Status SequenceNumbers::BeginBehind(Store* store, uint64_t last) {
  const absl::StatusOr<std::unique_ptr<SequenceNumbers>> known = Load(store);
  const uint64_t next = known.ok() ? (*known)->next() : 1;
  std::string limit;
  AppendBigEndian(std::max(next, last + 1), &limit);
  WriteBatch batch;
  batch.Put(Family::kLog, kLimitKey, limit);
  return store->Commit(batch);
}

absl::StatusOr<uint64_t> SequenceNumbers::Take() {
  if (next_ == limit_) {
    std::string limit;
    AppendBigEndian(limit_ + kReservedAtOnce, &limit);
    WriteBatch batch;
    batch.Put(Family::kLog, kLimitKey, limit);
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

uint64_t SequenceNumbers::next() const {
  absl::MutexLock lock(&mutex_);
  return next_;
}

std::string SequenceText(uint64_t number) {
  const std::string digits = std::to_string(number);
  return Concat("1", std::string(kDigits - digits.size(), '0'), digits);
}

std::optional<uint64_t> ParseSequenceText(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  constexpr uint64_t kGreatest = std::numeric_limits<uint64_t>::max();
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.size() < kDigits + 1) return 0;
  if (text.size() > kDigits + 1 || text[0] != '1') return kGreatest;
  uint64_t number = 0;
  for (const char c : text.substr(1)) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (number > (kGreatest - digit) / 10) return kGreatest;
    number = number * 10 + digit;
  }
  return number;
}

}  // namespace dynolith
