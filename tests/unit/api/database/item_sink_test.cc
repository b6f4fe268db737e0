// A sink reads without copying and without a lock. It may stop a page, which must then be resumable
// without a gap or a repetition, and it may use the database that calls it.
#include "dynolith/item_sink.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "dynolith/database.h"
#include "tests/unit/api/database/songs.h"

namespace dynolith::testing {
namespace {

constexpr int kSongs = 10;

class ItemSinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(CreateSongs(database_.get()).ok());
    ASSERT_TRUE(PutSongs(database_.get(), kSongs).ok());
  }

  // Reads with pages that end after `items` items; the numbers in order.
  template <typename Request>
  std::vector<int> ReadStopping(Request request, size_t items,
                                absl::StatusOr<PageOutput> (Database::*read)(const Request&,
                                                                             ItemSink)) {
    std::vector<int> numbers;
    do {
      size_t taken = 0;
      const auto page = (database_.get()->*read)(request, [&](ItemView song) {
        numbers.push_back(song.Get<int>("number").value());
        return ++taken == items ? SinkAnswer::kStop : SinkAnswer::kContinue;
      });
      EXPECT_TRUE(page.ok()) << page.status();
      if (!page.ok()) return numbers;
      EXPECT_LE(taken, items);
      EXPECT_TRUE(taken < items || page->last_evaluated_key);
      EXPECT_EQ(page->count, static_cast<int64_t>(taken));
      request.exclusive_start_key = page->last_evaluated_key;
    } while (request.exclusive_start_key);
    return numbers;
  }

  const std::unique_ptr<Database> database_ = *Database::Open({.in_memory = true});
};

const std::vector<int> kAll = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST_F(ItemSinkTest, StoppedPagesGoOnBehindTheLastItem) {
  for (const size_t items : {1, 2, 3, 7, 10, 11}) {
    EXPECT_EQ(ReadStopping(SongsOfRay(), items, &Database::Query), kAll) << items;
    EXPECT_EQ(ReadStopping(ScanRequest{.table_name = "songs"}, items, &Database::Scan), kAll);
    QueryRequest even = SongsOfRay();
    even.filter_expression = "even = :t";
    even.projection_expression = "#n";
    even.expression_attribute_names = AttributeNames{{"#n", "number"}};
    even.expression_attribute_values->Set(":t", Value::Bool(true));
    EXPECT_EQ(ReadStopping(even, items, &Database::Query), (std::vector<int>{0, 2, 4, 6, 8}));
    QueryRequest backward = SongsOfRay();
    backward.scan_index_forward = false;
    EXPECT_EQ(ReadStopping(backward, items, &Database::Query),
              (std::vector<int>(kAll.rbegin(), kAll.rend())));
  }
}

TEST_F(ItemSinkTest, SinksThatReturnNothingSeeTheWholePage) {
  int songs = 0;
  const auto count = [&songs](ItemView) { ++songs; };
  ASSERT_TRUE(database_->Query(SongsOfRay(), count).ok());
  EXPECT_EQ(songs, kSongs);
  ASSERT_TRUE(database_->GetItem({.table_name = "songs", .key = SongKey(1)}, count).ok());
  EXPECT_EQ(songs, kSongs + 1);
  const auto stop = [](ItemView) { return SinkAnswer::kStop; };
  EXPECT_TRUE(database_->GetItem({.table_name = "songs", .key = SongKey(1)}, stop).ok());
}

// Why: a lock that is held while a sink runs would make this hang, or a debug build of Abseil end
// it.
TEST_F(ItemSinkTest, MayCallTheDatabase) {
  int songs = 0;
  const auto page = database_->Query(SongsOfRay(), [&](ItemView song) {
    ++songs;
    const int number = song.Get<int>("number").value();
    EXPECT_TRUE(PutSong(database_.get(), 100 + number).ok());
    EXPECT_TRUE(
        database_->DeleteItem({.table_name = "songs", .key = SongKey((number + 1) % kSongs)}).ok());
    EXPECT_TRUE(database_->Scan({.table_name = "songs"}, [](ItemView) {}).ok());
    EXPECT_TRUE(database_->TransactWriteItems({.transact_items = {}}).status().code() !=
                absl::StatusCode::kOk);
    if (songs == kSongs) {
      EXPECT_TRUE(database_->DeleteTable({.table_name = "songs"}).ok());
    }
  });
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(songs, kSongs) << "neither the new items nor the deletions are seen";
}

// Why: what a read keeps for its items must not be what the call in its sink uses.
TEST_F(ItemSinkTest, ItemsStayAsTheyAreWhileTheirSinkReads) {
  ScanRequest scan{.table_name = "songs", .projection_expression = "#n"};
  scan.expression_attribute_names = AttributeNames{{"#n", "number"}};
  QueryRequest other = SongsOfRay();
  other.projection_expression = "even";
  std::vector<int> numbers;
  const auto page = database_->Scan(scan, [&](ItemView song) {
    const std::string bytes(song.bytes());
    EXPECT_TRUE(
        database_
            ->Query(other,
                    [&](ItemView) {
                      EXPECT_TRUE(
                          database_->GetItem({.table_name = "songs", .key = SongKey(0)}).ok());
                    })
            .ok());
    EXPECT_EQ(song.bytes(), bytes);
    numbers.push_back(song.Get<int>("number").value());
  });
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(numbers, kAll);
}

// Why: the row that GetItem shows is pinned and the schema held; neither may be a lock.
TEST_F(ItemSinkTest, GetItemsSinkMayChangeItsItemAndItsTable) {
  int songs = 0;
  const auto output =
      database_->GetItem({.table_name = "songs", .key = SongKey(1)}, [&](ItemView song) {
        ++songs;
        const std::string bytes(song.bytes());
        EXPECT_TRUE(database_->DeleteItem({.table_name = "songs", .key = SongKey(1)}).ok());
        EXPECT_TRUE(database_->DeleteTable({.table_name = "songs"}).ok());
        EXPECT_TRUE(CreateSongs(database_.get()).ok());
        EXPECT_EQ(song.bytes(), bytes);
      });
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(songs, 1);
}

// Why: a page in which each item is written holds no place in the table of conflicts.
TEST(ItemSinkConflictTest, MayWriteWhatIsBeingRead) {
  ManualClock clock(absl::FromUnixSeconds(1'800'000'000));
  const auto database =
      *Database::Open({.in_memory = true, .clock = &clock, .fail_on_conflict = true});
  ASSERT_TRUE(CreateSongs(database.get()).ok());
  ASSERT_TRUE(PutSongs(database.get(), kSongs).ok());
  const auto page = database->Scan({.table_name = "songs"}, [&](ItemView song) {
    EXPECT_TRUE(PutSong(database.get(), song.Get<int>("number").value()).ok());
    clock.Advance(absl::Minutes(2));
  });
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->count, kSongs);
}

}  // namespace
}  // namespace dynolith::testing
