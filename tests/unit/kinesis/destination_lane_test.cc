// What destinations have read and not sent is in memory: with many of them, and an endpoint that
// does not answer for some, it must stay within one bound, and the others must go on.
#include "tools/server/kinesis/destination_lane.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/service/database_instance.h"
#include "api/service/named_databases.h"
#include "engine/base/strings.h"

namespace dynolith::kinesis {
namespace {

constexpr std::string_view kStreamArnOfTests = "arn:aws:kinesis:us-east-1:000000000000:stream/";

// Counts what it takes; takes nothing where `behave` returns an error.
class CountingConnection final : public KinesisConnection {
 public:
  CountingConnection(int64_t* taken, std::function<absl::Status()> behave)
      : taken_(taken), behave_(std::move(behave)) {}

  absl::StatusOr<std::vector<std::string>> PutRecords(
      std::string_view /*stream*/, absl::Span<const KinesisRecord* const> records) override {
    const absl::Status status = behave_();
    if (!status.ok()) return status;
    *taken_ += static_cast<int64_t>(records.size());
    return std::vector<std::string>(records.size());
  }
  absl::Status FindStream(std::string_view /*stream*/) override { return absl::OkStatus(); }

 private:
  int64_t* const taken_;
  const std::function<absl::Status()> behave_;
};

class LaneTest : public ::testing::Test {
 protected:
  void SetUp() override {
    databases_ = *NamedDatabases::Open(
        {.each = {.database = {.in_memory = true, .sends_to_kinesis = true}}});
    source_ = std::make_unique<DestinationSource>(&databases_->first());
    positions_ = *targets::Positions::Open("");
    Handle("CreateTable", R"({"TableName":"songs","BillingMode":"PAY_PER_REQUEST",
        "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
        "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})");
  }

  void Handle(std::string_view operation, std::string_view body) {
    const DatabaseInstance::Use use = databases_->first().Begin();
    const JsonResponse response = use.dispatcher().Handle(operation, body);
    ASSERT_EQ(response.http_status, 200) << response.body;
  }
  void Enable(std::string_view stream) {
    Handle("EnableKinesisStreamingDestination",
           Concat(R"({"TableName":"songs","StreamArn":")", kStreamArnOfTests, stream, R"("})"));
  }
  // Of items of 300 KB, whose records have one image.
  void Put(int items) {
    const std::string text(300'000, 'x');
    for (int i = 0; i < items; ++i) {
      Handle("PutItem", Concat(R"({"TableName":"songs","Item":{"pk":{"S":"k)", i,
                               R"("},"t":{"S":")", text, R"("}}})"));
    }
  }
  // Once it is ACTIVE.
  std::unique_ptr<DestinationLane> MakeLane(std::string_view stream, WaitingBytes* waiting_bytes,
                                            int64_t* taken, std::function<absl::Status()> behave) {
    const std::vector<Destination> destinations = *source_->Destinations();
    for (const Destination& destination : destinations) {
      if (destination.stream != stream) continue;
      auto lane = std::make_unique<DestinationLane>(
          LaneParts{.source = source_.get(),
                    .positions = positions_.get(),
                    .waiting_bytes = waiting_bytes,
                    .interrupted = &interrupted_,
                    .note = [](const std::string&) {}},
          destination, std::make_unique<CountingConnection>(taken, std::move(behave)));
      lane->Step();
      EXPECT_EQ(lane->destination().status, KinesisDestinationStatus::kActive);
      return lane;
    }
    return nullptr;
  }

  // As whoever follows destinations does now and then.
  void Update(DestinationLane* lane) {
    const std::optional<Destination> now = *source_->Find(lane->destination().key());
    ASSERT_TRUE(now);
    lane->Update(*now);
  }

  std::unique_ptr<NamedDatabases> databases_;
  std::unique_ptr<DestinationSource> source_;
  std::unique_ptr<targets::Positions> positions_;
  std::atomic<bool> interrupted_ = false;
};

TEST_F(LaneTest, AllLanesShareOneBound) {
  constexpr int kItems = 20;
  constexpr size_t kBytesMax = size_t{4} << 20;
  Enable("stuck");
  Enable("well");
  WaitingBytes waiting_bytes(kBytesMax);
  int64_t well_taken = 0;
  std::unique_ptr<DestinationLane> well =
      MakeLane("well", &waiting_bytes, &well_taken, [] { return absl::OkStatus(); });
  int64_t stuck_taken = 0;
  bool is_stuck = true;
  int calls = 0;
  std::unique_ptr<DestinationLane> stuck = MakeLane("stuck", &waiting_bytes, &stuck_taken, [&] {
    if (!is_stuck) return absl::OkStatus();
    ++calls;
    // It has read until there was no room for another read, and not everything.
    const size_t before = waiting_bytes.get();
    EXPECT_GT(before, kBytesMax / 2);
    EXPECT_LE(before, kBytesMax);
    // So nobody reads on while it waits for its answer, who has room of his own.
    EXPECT_GT(well->Step(), absl::ZeroDuration());
    EXPECT_EQ(well_taken, 0);
    EXPECT_EQ(waiting_bytes.get(), before);
    return absl::UnavailableError("out");
  });
  Put(kItems);
  Update(well.get());
  Update(stuck.get());
  stuck->Step();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(stuck->Report().failures, 1);
  // What it holds it has dropped.
  EXPECT_EQ(waiting_bytes.get(), 0u);
  for (int step = 0; step < 2 * kItems && well_taken < kItems; ++step) {
    well->Step();
    EXPECT_LE(waiting_bytes.get(), kBytesMax);
  }
  EXPECT_EQ(well_taken, kItems);
  // And has not lost it.
  is_stuck = false;
  for (int step = 0; step < 2 * kItems && stuck_taken < kItems; ++step) stuck->Step();
  EXPECT_EQ(stuck_taken, kItems);
  EXPECT_EQ(stuck->Report().sent, kItems);
  EXPECT_EQ(waiting_bytes.get(), 0u);
}

TEST_F(LaneTest, WhereThereIsRoomALaneThatFailsKeepsWhatItHasRead) {
  Enable("stuck");
  WaitingBytes waiting_bytes(size_t{64} << 20);
  int64_t taken = 0;
  std::unique_ptr<DestinationLane> stuck =
      MakeLane("stuck", &waiting_bytes, &taken, [] { return absl::UnavailableError("out"); });
  Put(2);
  Update(stuck.get());
  stuck->Step();
  EXPECT_EQ(stuck->Report().waiting, 2u);
  EXPECT_GT(waiting_bytes.get(), 600'000u);
  // One that goes gives back what it had.
  stuck.reset();
  EXPECT_EQ(waiting_bytes.get(), 0u);
}

}  // namespace
}  // namespace dynolith::kinesis
