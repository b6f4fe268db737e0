#include "api/write/idempotency.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "api/write/messages.h"
#include "engine/base/big_endian.h"
#include "engine/base/errors.h"
#include "engine/base/sha256.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/meta_keys.h"

namespace dynolith {
namespace {

constexpr absl::Duration kLifetime = absl::Minutes(10);
constexpr int kPurgedPerUse = 4;
// Where a look for expired tokens is a round trip, one in so many uses does it for the others.
constexpr int kUsesPerPurge = 16;
constexpr size_t kTimeBytes = sizeof(uint64_t);

std::string BigEndian(absl::Time time) {
  std::string bytes;
  AppendBigEndian(static_cast<uint64_t>(absl::ToUnixNanos(time)), &bytes);
  return bytes;
}

// Reads the time before the bytes. Errors: kDataLoss.
absl::StatusOr<absl::Time> TimeFrom(std::string_view bytes) {
  if (bytes.size() < kTimeBytes) return absl::DataLossError(messages::DamagedToken());
  return absl::FromUnixNanos(static_cast<int64_t>(ReadBigEndian(bytes)));
}

}  // namespace

std::string Fingerprint(std::string_view canonical_request) {
  const std::array<unsigned char, kSha256Bytes> digest = Sha256(canonical_request);
  return std::string(digest.begin(), digest.end());
}

IdempotencyTokens::Use::Use(Use&& other) noexcept { *this = std::move(other); }

IdempotencyTokens::Use& IdempotencyTokens::Use::operator=(Use&& other) noexcept {
  std::swap(tokens_, other.tokens_);
  std::swap(token_, other.token_);
  std::swap(fingerprint_, other.fingerprint_);
  std::swap(expired_row_, other.expired_row_);
  std::swap(is_replay_, other.is_replay_);
  std::swap(has_expected_, other.has_expected_);
  return *this;
}

IdempotencyTokens::Use::~Use() {
  if (tokens_ == nullptr) return;
  absl::MutexLock lock(&tokens_->mutex_);
  tokens_->under_way_.erase(token_);
}

absl::Status IdempotencyTokens::Use::LookUp() {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(
      const bool found,
      tokens_->store_->Get(Family::kMeta, Concat(kTokenKeys.begin, token_), &row));
  if (!found) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time used, TimeFrom(row.value()));
  if (tokens_->clock_->Now() - used > kLifetime) {
    expired_row_ = row.value();
    return absl::OkStatus();
  }
  if (row.value().substr(kTimeBytes) != fingerprint_) {
    return MakeError(ErrorKind::kIdempotentParameterMismatch,
                     messages::IdempotentParameterMismatch());
  }
  is_replay_ = true;
  return absl::OkStatus();
}

absl::Status IdempotencyTokens::Use::CheckUnused(const Transaction& transaction) {
  const std::string key = Concat(kTokenKeys.begin, token_);
  // Mostly nobody has used it. Costs no round trip.
  if (!std::exchange(has_expected_, true)) {
    std::optional<std::string_view> expected;
    if (!expired_row_.empty()) expected = expired_row_;
    transaction.Expect(Family::kMeta, key, expected);
    return absl::OkStatus();
  }
  Row row;
  DYNOLITH_RETURN_IF_ERROR(transaction.Get(Family::kMeta, key, &row).status());
  if (row.value() == expired_row_) return absl::OkStatus();
  return MakeError(ErrorKind::kTransactionInProgress, messages::TransactionInProgress());
}

absl::Status IdempotencyTokens::Use::Record(const Transaction& transaction, WriteBatch* batch) {
  // Purge first: it may delete an older use of this token.
  if (transaction.local() != nullptr) {
    tokens_->AppendPurge(transaction.reads(), kPurgedPerUse, batch);
  } else {
    DYNOLITH_RETURN_IF_ERROR(CheckUnused(transaction));
    if (tokens_->recorded_.fetch_add(1, std::memory_order_relaxed) % kUsesPerPurge == 0) {
      tokens_->AppendPurge(transaction.reads(), kUsesPerPurge * kPurgedPerUse, batch);
    }
  }
  const std::string now = BigEndian(tokens_->clock_->Now());
  batch->Put(Family::kMeta, Concat(kTokenKeys.begin, token_), Concat(now, fingerprint_));
  batch->Put(Family::kMeta, Concat(kTokenAgeKeys.begin, now, token_), std::string_view());
  return absl::OkStatus();
}

absl::StatusOr<IdempotencyTokens::Use> IdempotencyTokens::Begin(std::string_view token,
                                                                std::string_view fingerprint) {
  Use use;
  use.token_ = std::string(token);
  use.fingerprint_ = std::string(fingerprint);
  {
    absl::MutexLock lock(&mutex_);
    if (!under_way_.emplace(token).second) {
      return MakeError(ErrorKind::kTransactionInProgress, messages::TransactionInProgress());
    }
  }
  use.tokens_ = this;
  DYNOLITH_RETURN_IF_ERROR(use.LookUp());
  return use;
}

absl::StatusOr<absl::Time> IdempotencyTokens::LatestTime() const {
  Cursor cursor =
      store_->Scan(Family::kMeta, kTokenAgeKeys.begin, kTokenAgeKeys.end, Direction::kBackward);
  cursor.SeekToStart();
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  if (!cursor.Valid()) return absl::InfinitePast();
  return TimeFrom(cursor.key().substr(kTokenAgeKeys.begin.size()));
}

void IdempotencyTokens::AppendPurge(const ReadView& rows, int purged_max, WriteBatch* batch) const {
  const std::string end = Concat(kTokenAgeKeys.begin, BigEndian(clock_->Now() - kLifetime));
  Cursor cursor = rows.ScanPage(Family::kMeta, kTokenAgeKeys.begin, end, Direction::kForward,
                                {.rows = static_cast<size_t>(purged_max)});
  std::vector<std::string> token_keys;
  std::vector<std::string> times;
  cursor.SeekToStart();
  for (int i = 0; i < purged_max && cursor.Valid(); ++i, cursor.Next()) {
    const std::string age_key(cursor.key());
    const std::string_view rest = std::string_view(age_key).substr(kTokenAgeKeys.begin.size());
    batch->Delete(Family::kMeta, age_key);
    // This row is damaged: it names no token.
    if (rest.size() < kTimeBytes) continue;
    times.emplace_back(rest.substr(0, kTimeBytes));
    token_keys.push_back(Concat(kTokenKeys.begin, rest.substr(kTimeBytes)));
  }
  if (token_keys.empty()) return;
  std::vector<Row> tokens(token_keys.size());
  std::vector<RowRead> reads;
  for (size_t i = 0; i < tokens.size(); ++i) {
    reads.push_back({.family = Family::kMeta, .key = token_keys[i], .row = &tokens[i]});
  }
  if (!rows.MultiGet(absl::MakeSpan(reads)).ok()) return;
  for (size_t i = 0; i < tokens.size(); ++i) {
    // A token that was used again is kept under its newer time.
    if (reads[i].found && tokens[i].value().starts_with(times[i])) {
      batch->Delete(Family::kMeta, token_keys[i]);
    }
  }
}

}  // namespace dynolith
