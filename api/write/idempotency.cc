#include "api/write/idempotency.h"

#include <openssl/evp.h>

#include <utility>

#include "api/write/messages.h"
#include "engine/base/big_endian.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/meta_keys.h"

namespace dynolith {
namespace {

constexpr absl::Duration kLifetime = absl::Minutes(10);
constexpr int kPurgedPerUse = 4;
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
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  EVP_Digest(canonical_request.data(), canonical_request.size(),
             reinterpret_cast<unsigned char*>(digest.data()), &size, EVP_sha256(), nullptr);
  digest.resize(size);
  return digest;
}

IdempotencyTokens::Use::Use(Use&& other) noexcept { *this = std::move(other); }

IdempotencyTokens::Use& IdempotencyTokens::Use::operator=(Use&& other) noexcept {
  std::swap(tokens_, other.tokens_);
  std::swap(token_, other.token_);
  std::swap(fingerprint_, other.fingerprint_);
  std::swap(expired_row_, other.expired_row_);
  std::swap(is_replay_, other.is_replay_);
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

absl::Status IdempotencyTokens::Use::Record(const Transaction& transaction,
                                            WriteBatch* batch) const {
  if (transaction.local() == nullptr) {
    Row row;
    DYNOLITH_RETURN_IF_ERROR(
        transaction.Get(Family::kMeta, Concat(kTokenKeys.begin, token_), &row).status());
    if (row.value() != expired_row_) {
      return MakeError(ErrorKind::kTransactionInProgress, messages::TransactionInProgress());
    }
  }
  // Purge first: it may delete an older use of this token.
  tokens_->AppendPurge(transaction.reads(), batch);
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

void IdempotencyTokens::AppendPurge(const ReadView& rows, WriteBatch* batch) const {
  const std::string end = Concat(kTokenAgeKeys.begin, BigEndian(clock_->Now() - kLifetime));
  Cursor cursor = rows.Scan(Family::kMeta, kTokenAgeKeys.begin, end, Direction::kForward);
  cursor.SeekToStart();
  for (int i = 0; i < kPurgedPerUse && cursor.Valid(); ++i, cursor.Next()) {
    const std::string age_key(cursor.key());
    const std::string_view rest = std::string_view(age_key).substr(kTokenAgeKeys.begin.size());
    batch->Delete(Family::kMeta, age_key);
    // This row is damaged: it names no token.
    if (rest.size() < kTimeBytes) continue;
    const std::string token_key = Concat(kTokenKeys.begin, rest.substr(kTimeBytes));
    // A token that was used again is kept under its newer time.
    Row row;
    const absl::StatusOr<bool> found = rows.Get(Family::kMeta, token_key, &row);
    if (found.ok() && *found && row.value().starts_with(rest.substr(0, kTimeBytes))) {
      batch->Delete(Family::kMeta, token_key);
    }
  }
}

}  // namespace dynolith
