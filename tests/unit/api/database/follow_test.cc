// A database that follows the process that writes to its folder: calls see what was acknowledged,
// each in one state, whatever happens to tables and files meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/store/messages.h"
#include "tests/unit/api/database/songs.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith::testing {
namespace {

class FollowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    OpenWriter();
    ASSERT_TRUE(CreateSongs(writer_.get()).ok());
    ASSERT_TRUE(PutSongs(writer_.get(), 10).ok());
    auto follower = Database::Open({.path = data_, .read_only = true, .follow = true});
    ASSERT_TRUE(follower.ok()) << follower.status();
    follower_ = *std::move(follower);
  }
  void OpenWriter() {
    writer_.reset();
    // A log is replaced after every few hundred puts.
    auto writer = Database::Open({.path = data_, .write_buffer_bytes = 1 << 16});
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
  }
  void CatchUp() {
    const absl::Status caught_up = follower_->CatchUp();
    ASSERT_TRUE(caught_up.ok()) << caught_up;
  }
  int64_t CountSongs() {
    auto songs = follower_->QueryAll(SongsOfRay());
    int next = 0;
    for (const Item& song : songs) EXPECT_EQ(song.Get<int>("number").value(), next++) << "a gap";
    EXPECT_TRUE(songs.status().ok()) << songs.status();
    return songs.count();
  }

  ScratchFolder folder_;
  const std::string data_ = folder_ / "data";
  std::unique_ptr<Database> writer_;
  std::unique_ptr<Database> follower_;
};

TEST_F(FollowTest, SeesWhatWasAcknowledged) {
  EXPECT_EQ(CountSongs(), 10);
  for (int i = 10; i < 1'000; ++i) {
    ASSERT_TRUE(PutSong(writer_.get(), i).ok());
    if (i % 50 == 0) {
      CatchUp();
      ASSERT_EQ(CountSongs(), i + 1);
    }
  }
  // By itself.
  while (CountSongs() < 1'000) absl::SleepFor(absl::Milliseconds(1));
  CatchUp();
  const FollowReport report = follower_->ReportFollowing();
  EXPECT_TRUE(report.failure.ok()) << report.failure;
  EXPECT_LE(report.as_of, absl::Now());
  EXPECT_LT(report.behind, absl::Minutes(1));
}

TEST_F(FollowTest, TablesComeAndChangeAndGo) {
  ASSERT_TRUE(writer_->DeleteTable({.table_name = "songs"}).ok());
  CatchUp();
  EXPECT_EQ(KindOf(follower_->DescribeTable({.table_name = "songs"}).status()),
            ErrorKind::kResourceNotFound);
  ASSERT_TRUE(CreateSongs(writer_.get()).ok());
  ASSERT_TRUE(PutSongs(writer_.get(), 3).ok());
  CatchUp();
  EXPECT_EQ(CountSongs(), 3);
  EXPECT_EQ(follower_->DescribeTable({.table_name = "songs"})->item_count, 3);
  // A file beside the log, after another manifest.
  OpenWriter();
  ASSERT_TRUE(PutSongs(writer_.get(), 20).ok());
  CatchUp();
  EXPECT_EQ(CountSongs(), 20);
}

// Two items of one transaction are equal in each state.
TEST_F(FollowTest, EachCallSeesOneState) {
  ASSERT_TRUE(writer_->DeleteTable({.table_name = "songs"}).ok());
  ASSERT_TRUE(CreateSongs(writer_.get()).ok());
  CatchUp();
  std::atomic<bool> is_over = false;
  const auto item = [](int artist, int64_t value) {
    return Item{{"artist", Value::S("pair" + std::to_string(artist))},
                {"number", Value::N(0)},
                {"value", Value::N(value)}};
  };
  std::thread writing([&] {
    for (int64_t value = 0; !is_over; ++value) {
      TransactWriteItemsRequest request;
      for (int i = 0; i < 2; ++i) {
        request.transact_items.push_back(
            {.put = {{.table_name = "songs", .item = item(i, value)}}});
      }
      ASSERT_TRUE(writer_->TransactWriteItems(request).ok());
    }
  });
  int64_t last = -1;
  for (int states = 0; states < 20;) {
    const auto page = follower_->Scan({.table_name = "songs"});
    ASSERT_TRUE(page.ok()) << page.status();
    if (page->items.empty()) continue;
    ASSERT_EQ(page->items.size(), 2U);
    const int64_t value = page->items[0].Get<int64_t>("value").value();
    ASSERT_EQ(value, page->items[1].Get<int64_t>("value").value());
    ASSERT_GE(value, last);
    states += value > last ? 1 : 0;
    last = value;
  }
  is_over = true;
  writing.join();
}

// A call that takes long keeps its state, and keeps nobody else from reading.
TEST_F(FollowTest, ALongCallIsWaitedForByCatchingUpOnly) {
  absl::Notification is_reading;
  absl::Notification may_end;
  std::thread reading([&] {
    const auto page = follower_->Scan({.table_name = "songs"}, [&](ItemView) {
      if (!is_reading.HasBeenNotified()) is_reading.Notify();
      may_end.WaitForNotification();
    });
    EXPECT_EQ(page->count, 10);
  });
  is_reading.WaitForNotification();
  ASSERT_TRUE(PutSong(writer_.get(), 10).ok());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(CountSongs(), 10);
  const absl::Time before = follower_->ReportFollowing().as_of;
  may_end.Notify();
  reading.join();
  CatchUp();
  EXPECT_EQ(CountSongs(), 11);
  EXPECT_GT(follower_->ReportFollowing().as_of, before);
}

TEST_F(FollowTest, WhatAFollowerDoesNotDo) {
  EXPECT_EQ(KindOf(PutSong(follower_.get(), 1)), ErrorKind::kAccessDenied);
  EXPECT_EQ(KindOf(CreateSongs(follower_.get())), ErrorKind::kResourceInUse);
  EXPECT_EQ(KindOf(follower_->DeleteTable({.table_name = "songs"}).status()),
            ErrorKind::kAccessDenied);
  EXPECT_EQ(KindOf(follower_->ListStreams({}).status()), ErrorKind::kAccessDenied);
  EXPECT_EQ(KindOf(follower_->ReadChanges({.table_name = "songs"}).status()),
            ErrorKind::kAccessDenied);
  EXPECT_EQ(follower_->HoldReads({}).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(writer_->CatchUp().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Database::Open({.path = data_, .follow = true}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dynolith::testing
