// Rows of tokens that are damaged are reported as such; the next uses sweep away the ones that name
// no token.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api/write/idempotency.h"
#include "api/write/messages.h"
#include "engine/base/clock.h"
#include "engine/base/strings.h"
#include "engine/store/local_store.h"
#include "engine/store/meta_keys.h"

namespace dynolith {
namespace {

class DamagedTokensTest : public ::testing::Test {
 protected:
  void Put(std::string_view prefix, std::string_view rest, std::string_view value) {
    WriteBatch batch;
    batch.Put(Family::kMeta, Concat(prefix, rest), value);
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  void Use(const std::string& token) {
    WriteBatch batch;
    auto use = tokens_.Begin(token, "fingerprint");
    ASSERT_TRUE(use.ok()) << use.status();
    Transaction transaction(store_.get(), &locks_, {});
    ASSERT_TRUE(use->Record(transaction, &batch).ok());
    ASSERT_TRUE(transaction.Commit(batch).ok());
  }

  ManualClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  const std::unique_ptr<LocalStore> store_ = LocalStore::Open({.in_memory = true}).value();
  RowLocks locks_;
  IdempotencyTokens tokens_{store_.get(), &clock_};
};

TEST_F(DamagedTokensTest, RowsThatAreTooShort) {
  for (size_t bytes = 0; bytes < sizeof(uint64_t); ++bytes) {
    Put(kTokenKeys.begin, "token", std::string(bytes, 'x'));
    const absl::Status status = tokens_.Begin("token", "fingerprint").status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << bytes;
    EXPECT_EQ(ToStd(status.message()), messages::DamagedToken());
  }
}

TEST_F(DamagedTokensTest, AgesThatAreTooShort) {
  for (size_t bytes = 0; bytes < sizeof(uint64_t); ++bytes) {
    const std::string age(bytes, '\xff');
    Put(kTokenAgeKeys.begin, age, "");
    EXPECT_TRUE(absl::IsDataLoss(tokens_.LatestTime().status())) << bytes;
    WriteBatch batch;
    batch.Delete(Family::kMeta, Concat(kTokenAgeKeys.begin, age));
    ASSERT_TRUE(store_->Commit(batch).ok());
  }
  EXPECT_TRUE(tokens_.LatestTime().ok());
}

TEST_F(DamagedTokensTest, AUseSweepsAwayWhatNamesNoToken) {
  for (const std::string_view age : {"", "\x01\x02"}) Put(kTokenAgeKeys.begin, age, "");
  clock_.Advance(absl::Hours(1));
  Use("one");
  Row row;
  EXPECT_FALSE(store_->Get(Family::kMeta, kTokenAgeKeys.begin, &row).value());
  EXPECT_TRUE(store_->Get(Family::kMeta, Concat(kTokenKeys.begin, "one"), &row).value());
}

}  // namespace
}  // namespace dynolith
