// A loop over all pages must see every item once, whatever the pages look like, and must not pass a
// failure over in silence: that is what hand-written loops get wrong.
#include "dynolith/pager.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/store/work_counters.h"
#include "tests/unit/api/database/songs.h"

namespace dynolith::testing {
namespace {

constexpr int kPagedSongs = 10;

class PagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(CreateSongs(database_.get()).ok());
    ASSERT_TRUE(PutSongs(database_.get(), kPagedSongs).ok());
  }

  template <typename Request>
  static std::vector<int> ReadNumbers(Pager<Request>* pager) {
    std::vector<int> numbers;
    for (const Item& song : *pager) numbers.push_back(song.Get<int>("number").value());
    return numbers;
  }

  const std::unique_ptr<Database> database_ = *Database::Open({.in_memory = true});
};

const std::vector<int> kAllPaged = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST_F(PagerTest, EveryItemOnceWhateverTheSizeOfPages) {
  for (const int limit : {1, 3, 5, 10, 11}) {
    QueryRequest query = SongsOfRay();
    query.limit = limit;
    auto queried = database_->QueryAll(query);
    EXPECT_EQ(ReadNumbers(&queried), kAllPaged) << limit;
    EXPECT_TRUE(queried.status().ok());
    EXPECT_EQ(queried.count(), kPagedSongs);
    auto scanned = database_->ScanAll({.table_name = "songs", .limit = limit});
    EXPECT_EQ(ReadNumbers(&scanned), kAllPaged) << limit;
    EXPECT_TRUE(scanned.status().ok());
  }
}

TEST_F(PagerTest, FreeFunctionsTakeTemporaries) {
  int songs = 0;
  for (const Item& song : QueryAll(*database_, SongsOfRay())) songs += !song.empty();
  for (const Item& song : ScanAll(*database_, {.table_name = "songs"})) songs += !song.empty();
  EXPECT_EQ(songs, 2 * kPagedSongs);
}

TEST_F(PagerTest, PagesThatAFilterEmptiesArePassedOver) {
  QueryRequest request = SongsOfRay();
  request.limit = 1;
  request.filter_expression = "even = :t";
  request.expression_attribute_values->Set(":t", Value::Bool(true));
  auto pager = database_->QueryAll(request);
  EXPECT_EQ(ReadNumbers(&pager), (std::vector<int>{0, 2, 4, 6, 8}));
  EXPECT_EQ(pager.scanned_count(), kPagedSongs);
  EXPECT_EQ(pager.count(), kPagedSongs / 2);
}

TEST_F(PagerTest, BeginsBehindTheRequestsStartKey) {
  QueryRequest request = SongsOfRay();
  request.limit = 3;
  request.exclusive_start_key = SongKey(6);
  auto pager = database_->QueryAll(request);
  EXPECT_EQ(ReadNumbers(&pager), (std::vector<int>{7, 8, 9}));
}

TEST_F(PagerTest, CountsWithoutItems) {
  QueryRequest request = SongsOfRay();
  request.limit = 4;
  request.select = Select::kCount;
  auto pager = database_->QueryAll(request);
  EXPECT_TRUE(ReadNumbers(&pager).empty());
  EXPECT_EQ(pager.count(), kPagedSongs);
}

TEST_F(PagerTest, GoesOnWhereALoopWasLeft) {
  QueryRequest request = SongsOfRay();
  request.limit = 4;
  auto pager = database_->QueryAll(request);
  for (const Item& song : pager) {
    if (song.Get<int>("number").value() == 5) break;
  }
  EXPECT_EQ(ReadNumbers(&pager), (std::vector<int>{5, 6, 7, 8, 9}));
  EXPECT_TRUE(ReadNumbers(&pager).empty());
}

// Items are copied out of the storage once, and then moved as they are.
TEST_F(PagerTest, CopiesEachItemOnce) {
  QueryRequest request = SongsOfRay();
  request.limit = 3;
  const WorkCounters before = ThreadWork();
  std::vector<Item> songs;
  for (Item& song : QueryAll(*database_, request)) songs.push_back(std::move(song));
  EXPECT_EQ((ThreadWork() - before).item_copies, static_cast<uint64_t>(kPagedSongs));
  EXPECT_EQ(
      songs[9],
      (Item{{"artist", Value::S("Ray")}, {"number", Value::N(9)}, {"even", Value::Bool(false)}}));
}

TEST_F(PagerTest, FailureEndsTheLoopAndIsInStatus) {
  auto pager = database_->ScanAll({.table_name = "nothing"});
  EXPECT_TRUE(ReadNumbers(&pager).empty());
  EXPECT_EQ(KindOf(pager.status()), ErrorKind::kResourceNotFound);

  // In the middle: the table goes between two pages.
  auto broken = database_->ScanAll({.table_name = "songs", .limit = 4});
  int songs = 0;
  for (const Item& song : broken) {
    EXPECT_TRUE(broken.status().ok()) << song.size();
    if (++songs == 1) {
      ASSERT_TRUE(database_->DeleteTable({.table_name = "songs"}).ok());
    }
  }
  EXPECT_EQ(songs, 4);
  EXPECT_EQ(KindOf(broken.status()), ErrorKind::kResourceNotFound);
}

using PagerDeathTest = PagerTest;

TEST_F(PagerDeathTest, FailureThatNobodyLooksAtEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        for (const Item& song : ScanAll(*database_, {.table_name = "nothing"})) {
          static_cast<void>(song);
        }
      },
      "ResourceNotFoundException");
}

}  // namespace
}  // namespace dynolith::testing
