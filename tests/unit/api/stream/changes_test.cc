// Changes in order: every one once, whatever happens to the shards below; places to go on from,
// which are an error where something is missing; and readers that wait.
#include "dynolith/changes.h"

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "api/stream/change_reader.h"
#include "api/stream/change_watch.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "gmock/gmock.h"
#include "tests/unit/api/streams_and_expiry.h"

namespace dynolith {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// No test waits that long, unless a change is lost.
constexpr absl::Duration kLong = absl::Seconds(300);
constexpr size_t kAll = 1'000'000;

class ChangesTest : public StreamsAndExpiry {
 protected:
  std::unique_ptr<ChangeReader> Reader(const ChangesFrom& from) {
    auto reader = StreamChangeReader::Open(context_, from);
    EXPECT_TRUE(reader.ok()) << reader.status();
    return reader.ok() ? *std::move(reader) : nullptr;
  }
  std::unique_ptr<ChangeReader> FromOldest() {
    return Reader({.table_name = "music", .from_oldest = true});
  }
  std::unique_ptr<ChangeReader> After(std::string place) {
    return Reader({.table_name = "music", .after = std::move(place)});
  }
  std::string OpenOutcome(const ChangesFrom& from) {
    return Outcome(StreamChangeReader::Open(context_, from).status());
  }

  void PutNumber(int i) { Put({{"pk", Value::S(Concat("k", i % 7))}, {"n", Value::N(i)}}); }
  static int NumberIn(const PlacedChange& change) {
    return change.record.dynamodb.new_image
               ? change.record.dynamodb.new_image->Get<int>("n").value()
               : -1;
  }
  // What there is now, `most` at a time.
  static std::vector<int> ReadNumbers(ChangeReader* reader, size_t most = kAll) {
    std::vector<int> numbers;
    for (;;) {
      const auto changes = reader->Next(most, absl::ZeroDuration());
      EXPECT_TRUE(changes.ok()) << changes.status();
      if (!changes.ok() || changes->empty()) return numbers;
      EXPECT_LE(changes->size(), most);
      for (const PlacedChange& change : *changes) numbers.push_back(NumberIn(change));
    }
  }
  static std::vector<int> Numbers(int begin, int end) {
    std::vector<int> numbers;
    for (int i = begin; i < end; ++i) numbers.push_back(i);
    return numbers;
  }
  void SplitAt(uint64_t hash) {
    ASSERT_TRUE(log_->FollowSplit(catalog_->Find("music")->meta()->schema.id, hash).ok());
  }
};

TEST_F(ChangesTest, ComeInOneOrderOverAllShards) {
  CreateMusic();
  const auto now = Reader({.table_name = "music"});
  for (int i = 0; i < 100; ++i) PutNumber(i);
  EXPECT_EQ(ReadNumbers(now.get()), Numbers(0, 100));
  for (const size_t most : {1, 7, 100}) {
    EXPECT_EQ(ReadNumbers(FromOldest().get(), most), Numbers(0, 100)) << most;
  }
  const auto later = Reader({.table_name = "music"});
  EXPECT_THAT(ReadNumbers(later.get()), IsEmpty());
  PutNumber(100);
  EXPECT_THAT(ReadNumbers(later.get()), ElementsAre(100));
  EXPECT_THAT(ReadNumbers(now.get()), ElementsAre(100));
}

TEST_F(ChangesTest, SayWhatGetRecordsSays) {
  CreateMusic();
  PutNumber(1);
  Delete("k1");
  const auto changes = FromOldest()->Next(kAll, absl::ZeroDuration());
  ASSERT_TRUE(changes.ok()) << changes.status();
  const auto records = Records(Arns()[0]);
  ASSERT_THAT(*changes, SizeIs(2));
  ASSERT_THAT(records, SizeIs(2));
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*changes)[i].record.event_id, records[i].event_id);
    EXPECT_EQ((*changes)[i].record.event_name, records[i].event_name);
    EXPECT_EQ((*changes)[i].record.dynamodb.old_image, records[i].dynamodb.old_image);
    EXPECT_EQ((*changes)[i].record.dynamodb.sequence_number, records[i].dynamodb.sequence_number);
  }
}

TEST_F(ChangesTest, GoOnFromEveryPlaceWhileShardsAreReplaced) {
  CreateMusic();
  const auto beside = FromOldest();
  std::vector<std::string> places = {FromOldest()->place()};
  int written = 0;
  const auto write = [&](int count) {
    for (int i = 0; i < count; ++i) PutNumber(written++);
    EXPECT_EQ(ReadNumbers(beside.get(), 3), Numbers(written - count, written));
    places.push_back(beside->place());
  };
  write(10);
  SplitAt(uint64_t{1} << 62);
  write(10);
  SplitAt(uint64_t{3} << 62);
  SplitAt(uint64_t{3} << 61);  // at once twice
  write(1);
  clock_.Advance(absl::Hours(5));
  ASSERT_TRUE(log_->RollOldShards().ok());
  write(10);
  EXPECT_EQ(ReadNumbers(FromOldest().get(), 2), Numbers(0, written));
  int after = 0;
  for (const std::string& place : places) {
    EXPECT_EQ(ReadNumbers(After(place).get()), Numbers(after, written)) << place;
    after = after == 0 ? 10 : after == 10 ? 20 : after == 20 ? 21 : 31;
  }
  // Each change's own place, too.
  const auto all = FromOldest()->Next(kAll, absl::ZeroDuration());
  ASSERT_TRUE(all.ok()) << all.status();
  for (size_t i = 0; i < all->size(); ++i) {
    EXPECT_EQ(ReadNumbers(After((*all)[i].place).get()), Numbers(static_cast<int>(i) + 1, written));
  }
}

TEST_F(ChangesTest, EndWithTheStream) {
  CreateMusic();
  const auto beside = FromOldest();
  for (int i = 0; i < 5; ++i) PutNumber(i);
  const auto first = FromOldest()->Next(2, absl::ZeroDuration());
  ASSERT_TRUE(first.ok());
  const std::string place = first->back().place;
  SwitchStream(false);
  PutNumber(99);
  const auto expect_end = [&](ChangeReader* reader) {
    EXPECT_EQ(reader->Next(1, kLong).status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(reader->Next(1, kLong).status().code(), absl::StatusCode::kOutOfRange);
  };
  const auto all = beside->Next(kAll, kLong);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(*all, SizeIs(5));
  expect_end(beside.get());
  EXPECT_THAT(OpenOutcome({.table_name = "music"}), HasSubstr("has no stream"));
  // A new stream is another one: what was written between the two is in neither.
  clock_.Advance(absl::Seconds(1));
  SwitchStream(true);
  PutNumber(100);
  const auto resumed = After(place);
  const auto rest = resumed->Next(kAll, kLong);
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_THAT(*rest, SizeIs(3));
  expect_end(resumed.get());
  EXPECT_THAT(ReadNumbers(FromOldest().get()), ElementsAre(100));
}

TEST_F(ChangesTest, WhatIsTrimmedIsMissed) {
  CreateMusic();
  PutNumber(0);
  const std::string begin = FromOldest()->Next(1, kLong)->back().place;
  const auto slow = FromOldest();
  PutNumber(1);
  PutNumber(8);  // of the same item
  const auto before = After(begin)->Next(2, kLong);
  ASSERT_TRUE(before.ok());
  const std::string end = before->back().place;
  clock_.Advance(absl::Hours(25));
  PutNumber(15);
  const std::string trimmed = "TrimmedDataAccessException";
  const auto missed = [&](const std::string& place) {
    const auto reader = StreamChangeReader::Open(context_, {.table_name = "music", .after = place});
    if (!reader.ok()) return Outcome(reader.status());
    return Outcome((*reader)->Next(1, absl::ZeroDuration()).status());
  };
  EXPECT_THAT(missed(begin), HasSubstr(trimmed));
  EXPECT_EQ(missed(end), "OK");
  EXPECT_THAT(ReadNumbers(slow.get()), ElementsAre(15));  // it had not begun
  EXPECT_THAT(ReadNumbers(FromOldest().get()), ElementsAre(15));
  // Shards that were replaced and deleted: from `end` nothing is missing, but nobody can tell.
  ASSERT_TRUE(log_->RollOldShards().ok());
  SplitAt(uint64_t{1} << 62);
  SplitAt(uint64_t{3} << 62);
  PutNumber(22);
  const std::string newest = FromOldest()->Next(kAll, kLong)->back().place;
  clock_.Advance(absl::Hours(25));
  ASSERT_TRUE(log_->Trim().ok());
  EXPECT_THAT(missed(begin), HasSubstr(trimmed));
  EXPECT_THAT(missed(end), HasSubstr(trimmed));
  PutNumber(29);
  EXPECT_EQ(ReadNumbers(After(newest).get()), std::vector<int>{29});
  EXPECT_EQ(ReadNumbers(FromOldest().get()), std::vector<int>{29});
}

// A program that asks again and again, each time with a reader of its own, as bindings do.
TEST_F(ChangesTest, APlaceOfAQuietTableDoesNotAge) {
  CreateMusic();
  PutNumber(0);
  std::string place = FromOldest()->Next(1, kLong)->back().place;
  for (int hour = 0; hour < 100; ++hour) {
    clock_.Advance(absl::Hours(1));
    if (hour % 20 == 0) SplitAt(uint64_t{1} << (58 + hour / 20));
    ASSERT_TRUE(log_->Trim().ok());
    const auto reader = After(place);
    const auto none = reader->Next(1, absl::ZeroDuration());
    ASSERT_TRUE(none.ok()) << none.status();
    EXPECT_THAT(*none, IsEmpty());
    place = reader->place();
  }
  PutNumber(1);
  EXPECT_THAT(ReadNumbers(After(place).get()), ElementsAre(1));
}

TEST_F(ChangesTest, PlacesAreChecked) {
  CreateMusic();
  PutNumber(0);
  const std::string place = FromOldest()->Next(1, kLong)->back().place;
  const auto placed = [](std::string text) {
    std::string place;
    absl::WebSafeBase64Escape(text, &place);
    return place;
  };
  const std::string label = StreamChangeReader::ParsePlace(place)->label;
  for (const std::string& bad :
       {std::string("x"), place + "!", placed(label), placed(label + "/"), placed(label + "/12/"),
        placed(label + "/x/1"), placed("/12/1"), placed(label + "/12/1/")}) {
    EXPECT_THAT(OpenOutcome({.table_name = "music", .after = bad}), HasSubstr("is no place"))
        << bad;
  }
  EXPECT_THAT(
      OpenOutcome({.table_name = "music", .after = placed(label + "/199999999999999999999/0")}),
      HasSubstr("after everything in this database"));
  EXPECT_THAT(OpenOutcome({.table_name = "music", .after = placed("2001/100000000000000000001/0")}),
              HasSubstr("is gone"));
  EXPECT_THAT(OpenOutcome({.table_name = "none"}), HasSubstr("ResourceNotFoundException"));
  EXPECT_THAT(Outcome(FromOldest()->Next(0, kLong).status()), HasSubstr("at least one"));
}

TEST_F(ChangesTest, AReaderThatWaitsIsWoken) {
  CreateMusic();
  const auto reader = Reader({.table_name = "music"});
  const auto none = reader->Next(1, absl::Milliseconds(1));
  ASSERT_TRUE(none.ok());
  EXPECT_THAT(*none, IsEmpty());
  constexpr int kChanges = 200;
  std::thread writer([this] {
    for (int i = 0; i < kChanges; ++i) PutNumber(i);
  });
  std::vector<int> numbers;
  while (numbers.size() < kChanges) {
    const auto changes = reader->Next(10, kLong);
    ASSERT_TRUE(changes.ok() && !changes->empty()) << changes.status();
    for (const PlacedChange& change : *changes) numbers.push_back(NumberIn(change));
  }
  writer.join();
  EXPECT_EQ(numbers, Numbers(0, kChanges));
}

TEST_F(ChangesTest, ChangesOfManyWritersComeOnceAndInTheOrderOfTheirNumbers) {
  CreateMusic();
  const auto reader = FromOldest();
  constexpr int kWriters = 4;
  constexpr int kChanges = 150;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer] {
      for (int i = 0; i < kChanges; ++i) {
        Put({{"pk", Value::S(Concat(writer, "-", i % 5))}, {"n", Value::N(i)}});
        if (writer == 0 && i % 50 == 25) SplitAt((uint64_t{1} << 60) * static_cast<uint64_t>(i));
      }
    });
  }
  std::map<std::string, int> last;
  std::string number;
  for (int seen = 0; seen < kWriters * kChanges;) {
    const auto changes = reader->Next(64, kLong);
    ASSERT_TRUE(changes.ok() && !changes->empty()) << changes.status();
    for (const PlacedChange& change : *changes) {
      const StreamRecord& body = change.record.dynamodb;
      EXPECT_GT(body.sequence_number, number);
      number = body.sequence_number;
      const std::string pk(body.keys.Find("pk")->string());
      const std::string writer = pk.substr(0, 1);
      const auto before = last.find(writer);
      EXPECT_EQ(NumberIn(change), before == last.end() ? 0 : before->second + 1);
      last[writer] = NumberIn(change);
      ++seen;
    }
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(ReadNumbers(reader.get()), IsEmpty());
}

TEST_F(ChangesTest, AWatchCallsAFunction) {
  CreateMusic();
  absl::Mutex mutex;
  std::vector<int> numbers;
  const auto saw = [&](size_t count) {
    const auto enough = [&] { return numbers.size() >= count; };
    absl::MutexLock lock(&mutex);
    mutex.AwaitWithTimeout(absl::Condition(&enough), kLong);
    return numbers;
  };
  const auto note = [&](const PlacedChange& change) {
    absl::MutexLock lock(&mutex);
    numbers.push_back(NumberIn(change));
  };
  auto watch = ThreadChangeWatch::Start(Reader({.table_name = "music"}), note);
  ASSERT_TRUE(watch.ok()) << watch.status();
  for (int i = 0; i < 10; ++i) PutNumber(i);
  EXPECT_EQ(saw(10), Numbers(0, 10));
  EXPECT_TRUE((*watch)->status().ok());
  watch->reset();
  PutNumber(10);
  EXPECT_EQ(saw(10), Numbers(0, 10));
  // From a change's place on, to the end.
  const std::string place = FromOldest()->Next(4, kLong)->back().place;
  numbers.clear();
  watch = ThreadChangeWatch::Start(After(place), note);
  ASSERT_TRUE(watch.ok()) << watch.status();
  EXPECT_EQ(saw(7), Numbers(4, 11));
  SwitchStream(false);
  const absl::Time deadline = absl::Now() + kLong;
  while ((*watch)->status().ok() && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(5));
  EXPECT_EQ((*watch)->status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(After((*watch)->place())->Next(1, kLong).status().code(),
            absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace dynolith
