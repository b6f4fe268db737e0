// Structs as items, through a database: what is written reads back, expressions mean what C++ says,
// and several structs share a table.
#include "dynolith/typed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dynolith/database.h"

namespace songs_as_structs {

using namespace dynolith;         // NOLINT: as a program would
using namespace dynolith::typed;  // NOLINT
// The engine's, which a program does not see, have these names, too.
using dynolith::typed::Condition;
using dynolith::typed::Table;

enum class Genre { kRock, kJazz, kUnnamed };

struct Address {
  std::string city;
  std::optional<int> house;
  friend bool operator==(const Address&, const Address&) = default;
};

struct Song {
  std::string artist;
  std::string title;
  int64_t plays = 0;
  std::optional<double> rating;
  std::set<std::string> tags;
  std::vector<std::string> lines;
  std::map<std::string, int> scores;
  Genre genre = Genre::kRock;
  Address studio;
  std::optional<std::string> label;
  Item rest;
  friend bool operator==(const Song&, const Song&) = default;
};

struct Album {
  std::string artist;
  uint16_t year = 0;
  std::string name;
  uint32_t disc = 0;
  friend bool operator==(const Album&, const Album&) = default;
};

struct Reading {
  std::string sensor;
  int64_t at = 0;
  std::vector<std::byte> raw;
  float value = 0;
  friend bool operator==(const Reading&, const Reading&) = default;
};

}  // namespace songs_as_structs

namespace dynolith::typed {

template <>
inline constexpr auto kNames<songs_as_structs::Genre> = Names<songs_as_structs::Genre>(
    {{songs_as_structs::Genre::kRock, "rock"}, {songs_as_structs::Genre::kJazz, "jazz"}});

template <>
inline constexpr auto kFields<songs_as_structs::Address> =
    Fields(Attribute("city", &songs_as_structs::Address::city),
           Attribute("house", &songs_as_structs::Address::house));

template <>
inline constexpr auto kFields<songs_as_structs::Song> =
    Fields(PartitionKey("pk", "ARTIST#", &songs_as_structs::Song::artist),
           SortKey("sk", "SONG#", &songs_as_structs::Song::title),
           Attribute("plays", &songs_as_structs::Song::plays),
           Attribute("rating", &songs_as_structs::Song::rating),
           Attribute("tags", &songs_as_structs::Song::tags),
           Attribute("lines", &songs_as_structs::Song::lines),
           Attribute("scores", &songs_as_structs::Song::scores),
           Attribute("genre", &songs_as_structs::Song::genre),
           Attribute("studio", &songs_as_structs::Song::studio),
           Attribute("label", &songs_as_structs::Song::label), Attribute("kind", "song"),
           Index("by-plays", PartitionKey("kind", "song"),
                 SortKey("plays", &songs_as_structs::Song::plays)),
           Index("by-label", PartitionKey("gsi2pk", "LABEL#", &songs_as_structs::Song::label),
                 SortKey("sk", "SONG#", &songs_as_structs::Song::title)),
           Others(&songs_as_structs::Song::rest));

template <>
inline constexpr auto kFields<songs_as_structs::Album> = Fields(
    PartitionKey("pk", "ARTIST#", &songs_as_structs::Album::artist),
    SortKey("sk", "ALBUM#", Padded<4>(&songs_as_structs::Album::year), "#",
            &songs_as_structs::Album::name, "#DISC#", Padded<2>(&songs_as_structs::Album::disc)),
    Attribute("kind", "album"));

template <>
inline constexpr auto kFields<songs_as_structs::Reading> =
    Fields(PartitionKey("sensor", &songs_as_structs::Reading::sensor),
           SortKey("at", &songs_as_structs::Reading::at),
           Attribute("raw", &songs_as_structs::Reading::raw),
           Attribute("value", &songs_as_structs::Reading::value));

}  // namespace dynolith::typed

namespace songs_as_structs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Song AnySong(std::string title, int64_t plays = 1) {
  return {.artist = "Ray",
          .title = std::move(title),
          .plays = plays,
          .rating = 4.5,
          .tags = {"old", "live"},
          .lines = {"la", "la", "li"},
          .scores = {{"a", 1}, {"b", -2}},
          .genre = Genre::kJazz,
          .studio = {.city = "Rome", .house = 7},
          .label = "Blue"};
}

class TypedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(database_->CreateTable(songs_.Definition()).ok());
    ASSERT_TRUE(database_->WaitForBackfills().ok());
  }

  template <typename Pager>
  static std::vector<std::string> Titles(Pager&& pager) {
    std::vector<std::string> titles;
    for (const Song& song : pager) titles.push_back(song.title);
    EXPECT_TRUE(pager.status().ok()) << pager.status();
    return titles;
  }
  Item Stored(const std::string& sort_key) {
    return database_
        ->GetItem({.table_name = "music",
                   .key = {{"pk", Value::S("ARTIST#Ray")}, {"sk", Value::S(sort_key)}}})
        .value()
        .item.value_or(Item());
  }
  // Whether the condition holds for the song.
  bool Holds(const Condition& condition) {
    const absl::Status status = songs_.Put(AnySong("Hi"), condition);
    if (status.ok()) return true;
    EXPECT_EQ(KindOf(status), ErrorKind::kConditionalCheckFailed) << status;
    return false;
  }

  const std::unique_ptr<Database> database_ = *Database::Open({.in_memory = true});
  const Table<Song> songs_{database_.get(), "music"};
  const Table<Album> albums_{database_.get(), "music"};
};

TEST_F(TypedTest, AnObjectReadsBack) {
  const Song song = AnySong("Hi");
  ASSERT_TRUE(songs_.Put(song).ok());
  EXPECT_EQ(songs_.Get({"Ray", "Hi"}).value(), song);
  EXPECT_EQ(songs_.Get(Key<Song>::Of(song), {.consistent_read = true}).value(), song);
  EXPECT_EQ(songs_.Get({"Ray", "Ho"}).value(), std::nullopt);

  const Item item = Stored("SONG#Hi");
  EXPECT_EQ(item.Get<std::string>("kind").value(), "song");
  EXPECT_EQ(item.Get<std::string>("gsi2pk").value(), "LABEL#Blue");
  EXPECT_EQ(item.Get<std::string>("genre").value(), "jazz");
  EXPECT_EQ(item.Find("tags")->type(), Type::kStringSet);
  EXPECT_EQ(item.Find("studio")->map().Get<int>("house").value(), 7);
}

TEST_F(TypedTest, WhatIsEmptyIsAbsent) {
  const Song song = {.artist = "Ray", .title = "Hi"};
  ASSERT_TRUE(songs_.Put(song).ok());
  const Item item = Stored("SONG#Hi");
  for (const char* name : {"rating", "tags", "label", "gsi2pk"}) {
    EXPECT_FALSE(item.Find(name).has_value()) << name;
  }
  EXPECT_EQ(songs_.Get({"Ray", "Hi"}).value(), song);
}

TEST_F(TypedTest, OtherAttributesSurviveAWrite) {
  Item stored = *ToItem(AnySong("Hi"));
  stored.Set("comment", Value::S("mine"));
  ASSERT_TRUE(database_->PutItem({.table_name = "music", .item = stored}).ok());
  Song song = **songs_.Get({"Ray", "Hi"});
  EXPECT_EQ(song.rest, (Item{{"comment", Value::S("mine")}}));
  song.plays = 5;
  ASSERT_TRUE(songs_.Put(song).ok());
  EXPECT_EQ(Stored("SONG#Hi").Get<std::string>("comment").value(), "mine");
  // What is described counts more than a rest that says otherwise.
  song.rest.Set("plays", Value::N(9));
  EXPECT_EQ(ToItem(song)->Get<int>("plays").value(), 5);
}

TEST_F(TypedTest, InsertIsOnce) {
  ASSERT_TRUE(songs_.Insert(AnySong("Hi")).ok());
  EXPECT_EQ(KindOf(songs_.Insert(AnySong("Hi"))), ErrorKind::kConditionalCheckFailed);
  EXPECT_EQ(songs_.Delete({"Ray", "Hi"}).value(), AnySong("Hi"));
  EXPECT_EQ(songs_.Delete({"Ray", "Hi"}).value(), std::nullopt);
  EXPECT_TRUE(songs_.Insert(AnySong("Hi")).ok());
}

TEST_F(TypedTest, ConditionsMeanWhatTheySay) {
  ASSERT_TRUE(songs_.Put(AnySong("Hi", 1)).ok());
  constexpr auto plays = At<&Song::plays>;
  constexpr auto label = At<&Song::label>;
  EXPECT_TRUE(Holds(plays == 1 && plays != 2 && plays < 2 && plays <= 1 && plays > 0.5));
  EXPECT_FALSE(Holds(plays >= 2 || label == "Red"));
  EXPECT_TRUE(Holds((plays == 9 || label == "Blue") && !(plays == 9 || label == "Red")));
  EXPECT_FALSE(Holds(plays == 9 || (label == "Blue" && !(plays == 1))));
  EXPECT_TRUE(Holds(!!(plays == 1)));
  EXPECT_TRUE(Holds(Exists(label) && NotExists(At<&Song::scores>["c"])));
  EXPECT_TRUE(Holds(BeginsWith(label, "Bl") && Contains(label, "lu")));
  EXPECT_TRUE(Holds(Contains(At<&Song::tags>, "old") && !Contains(At<&Song::tags>, "new")));
  EXPECT_TRUE(Holds(Contains(At<&Song::lines>, "li") && At<&Song::lines>[2] == "li"));
  EXPECT_TRUE(Holds(At<&Song::scores>["b"] == -2 && At<&Song::scores>["b"] < plays));
  EXPECT_TRUE(Holds(At<&Song::studio, &Address::city> == "Rome"));
  EXPECT_TRUE(Holds(At<&Song::studio> == (Address{.city = "Rome", .house = 7})));
  EXPECT_TRUE(Holds(SizeOf(At<&Song::lines>) == 3 && SizeOf(label) < 5));
  EXPECT_TRUE(Holds(Between(plays, 0, 1) && In(At<&Song::genre>, Genre::kRock, Genre::kJazz)));
  EXPECT_TRUE(Holds(HasType(At<&Song::tags>, Type::kStringSet)));
  EXPECT_TRUE(Holds(Condition() && Condition()));
  EXPECT_FALSE(Holds(Condition() && plays == 2));
  EXPECT_FALSE(Holds(Condition() || plays == 2));
  EXPECT_TRUE(Holds(plays == 1 || Condition()));
}

TEST_F(TypedTest, UpdatesDoWhatTheySay) {
  ASSERT_TRUE(songs_.Put(AnySong("Hi", 1)).ok());
  Song wanted = AnySong("Hi", 4);
  wanted.rating = 3;
  wanted.tags = {"new", "old"};
  wanted.lines = {"la", "lo", "li", "end"};
  wanted.scores = {{"a", 1}, {"c", 3}};
  wanted.genre = Genre::kRock;
  wanted.studio.house = 8;
  wanted.label = "Red";
  const auto updated = songs_.Update(
      {"Ray", "Hi"},
      {Set(At<&Song::plays>, At<&Song::plays> + 3), Set(At<&Song::rating>, 3),
       Set(At<&Song::lines>, Appended(At<&Song::lines>, std::vector<std::string>{"end"})),
       Set(At<&Song::scores>["c"], IfNotExists(At<&Song::scores>["c"], 2) + 1),
       Remove(At<&Song::scores>["b"]), Erase(At<&Song::tags>, std::set<std::string>{"live"}),
       Set(At<&Song::genre>, Genre::kRock), Set(At<&Song::studio, &Address::house>, 8),
       Set(At<&Song::label>, "Red")},
      At<&Song::plays> == 1);
  wanted.lines = {"la", "la", "li", "end"};
  wanted.tags = {"old"};
  ASSERT_TRUE(updated.ok()) << updated.status();
  EXPECT_EQ(*updated, wanted);
  // The index's text follows its member.
  EXPECT_EQ(Stored("SONG#Hi").Get<std::string>("gsi2pk").value(), "LABEL#Red");
  EXPECT_THAT(Titles(songs_.Query<"by-label">({"Red"})), ElementsAre("Hi"));

  const auto more = songs_.Update(
      {"Ray", "Hi"}, {Add(At<&Song::plays>, -1), Add(At<&Song::tags>, std::set<std::string>{"x"}),
                      Set(At<&Song::lines>[1], "lo"), Remove(At<&Song::label>)});
  ASSERT_TRUE(more.ok()) << more.status();
  EXPECT_EQ(more->plays, 3);
  EXPECT_EQ(more->tags, (std::set<std::string>{"old", "x"}));
  EXPECT_EQ(more->lines[1], "lo");
  EXPECT_EQ(more->label, std::nullopt);
  EXPECT_THAT(Titles(songs_.Query<"by-label">({"Red"})), ElementsAre());
}

TEST_F(TypedTest, UpdateMakesNothing) {
  const auto updated = songs_.Update({"Ray", "Hi"}, {Set(At<&Song::plays>, 1)});
  EXPECT_EQ(KindOf(updated.status()), ErrorKind::kConditionalCheckFailed);
  EXPECT_TRUE(Stored("SONG#Hi").empty());
}

TEST_F(TypedTest, QueriesSeeTheirOwnStruct) {
  for (const char* title : {"Ah", "Ha", "Hi", "Ho", "Oh"}) {
    ASSERT_TRUE(songs_.Put(AnySong(title, title[0])).ok());
  }
  ASSERT_TRUE(albums_.Put({.artist = "Ray", .year = 1960, .name = "One", .disc = 1}).ok());
  // The text just above all songs.
  ASSERT_TRUE(database_
                  ->PutItem({.table_name = "music",
                             .item = {{"pk", Value::S("ARTIST#Ray")}, {"sk", Value::S("SONG$")}}})
                  .ok());
  EXPECT_THAT(Titles(songs_.Query({"Ray"})), ElementsAre("Ah", "Ha", "Hi", "Ho", "Oh"));
  EXPECT_THAT(Titles(songs_.Query({"Ray"}, {.forward = false, .page_size = 2})),
              ElementsAre("Oh", "Ho", "Hi", "Ha", "Ah"));
  EXPECT_THAT(Titles(songs_.Query({"Ray", "Hi"})), ElementsAre("Hi"));
  EXPECT_THAT(Titles(songs_.Query({"Ray", StartsWith("H")})), ElementsAre("Ha", "Hi", "Ho"));
  EXPECT_THAT(Titles(songs_.Query({"Ray", AtLeast("Hi")})), ElementsAre("Hi", "Ho", "Oh"));
  EXPECT_THAT(Titles(songs_.Query({"Ray", Above("Hi")})), ElementsAre("Ho", "Oh"));
  EXPECT_THAT(Titles(songs_.Query({"Ray", Below("Hi")})), ElementsAre("Ah", "Ha"));
  EXPECT_THAT(Titles(songs_.Query({"Ray", AtMost("Hi")})), ElementsAre("Ah", "Ha", "Hi"));
  EXPECT_THAT(Titles(songs_.Query({"Ray", Within("Ha", "Hi")})), ElementsAre("Ha", "Hi"));
  EXPECT_THAT(Titles(songs_.Query({"Ray"}, {.filter = At<&Song::plays> == int{'H'}})),
              ElementsAre("Ha", "Hi", "Ho"));
  EXPECT_THAT(Titles(songs_.Query<"by-plays">({AtLeast(int{'I'})})), ElementsAre("Oh"));
  EXPECT_THAT(Titles(songs_.Query<"by-plays">({int{'A'}})), ElementsAre("Ah"));
  EXPECT_EQ(Titles(songs_.Scan()).size(), 5U);
  EXPECT_EQ(Titles(songs_.Query({"Bob"})).size(), 0U);
}

TEST_F(TypedTest, ComposedKeysHaveTheOrderOfTheirNumbers) {
  const auto album = [](uint16_t year, std::string name, uint32_t disc) {
    return Album{.artist = "Ray", .year = year, .name = std::move(name), .disc = disc};
  };
  for (const Album& one : {album(999, "A", 1), album(1960, "B", 2), album(1960, "B", 10)}) {
    ASSERT_TRUE(albums_.Put(one).ok());
  }
  const auto read = [](auto&& pager) {
    std::vector<Album> found;
    for (const Album& one : pager) found.push_back(one);
    EXPECT_TRUE(pager.status().ok()) << pager.status();
    return found;
  };
  EXPECT_THAT(read(albums_.Query({"Ray"})),
              ElementsAre(album(999, "A", 1), album(1960, "B", 2), album(1960, "B", 10)));
  EXPECT_THAT(read(albums_.Query({"Ray", 1960})),
              ElementsAre(album(1960, "B", 2), album(1960, "B", 10)));
  EXPECT_THAT(read(albums_.Query({"Ray", 1960, "B", Above(2)})), ElementsAre(album(1960, "B", 10)));
  EXPECT_THAT(read(albums_.Query({"Ray", StartsWith("09")})), ElementsAre(album(999, "A", 1)));
  EXPECT_EQ(albums_.Get({"Ray", 1960, "B", 2}).value(), album(1960, "B", 2));
}

TEST_F(TypedTest, WhatCouldNotBeReadBackIsNotWritten) {
  const auto put = [this](const Album& album) { return std::string(albums_.Put(album).message()); };
  EXPECT_THAT(put({.artist = "Ray", .name = "A#DISC#B"}),
              HasSubstr("attribute sk: \"A#DISC#B\" contains \"#DISC#\""));
  EXPECT_THAT(put({.artist = "Ray", .year = 10'000}), HasSubstr("10000 has more than 4 digits"));
  EXPECT_THAT(put({.artist = "Ray", .disc = 100}), HasSubstr("100 has more than 2 digits"));
  EXPECT_TRUE(albums_.Put({.artist = "A#DISC#", .name = "#DIS"}).ok());
  EXPECT_EQ(albums_.Get({"A#DISC#", 0, "#DIS", 0}).value()->name, "#DIS");
  Song song = AnySong("Hi");
  song.rating = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(std::string(songs_.Put(song).message()), HasSubstr("rating"));
  song = AnySong("Hi");
  song.genre = Genre::kUnnamed;
  EXPECT_THAT(std::string(songs_.Put(song).message()), HasSubstr("genre: the value 2"));
}

TEST_F(TypedTest, ReadingNamesWhatIsWrong) {
  Item item = *ToItem(AnySong("Hi"));
  EXPECT_TRUE(Is<Song>(item));
  EXPECT_FALSE(Is<Album>(item));
  const auto failure = [&item](std::string_view name, const Value& value) {
    Item changed = item;
    changed.Set(name, value);
    return std::string(FromItem<Song>(changed).status().message());
  };
  EXPECT_THAT(failure("plays", Value::S("many")), HasSubstr("plays: the value is of type S"));
  EXPECT_THAT(failure("kind", Value::S("album")), HasSubstr("kind: \"album\" does not begin"));
  EXPECT_THAT(failure("kind", Value::S("songs")), HasSubstr("kind: it goes on with \"s\""));
  EXPECT_THAT(failure("genre", Value::S("pop")), HasSubstr("genre: \"pop\" is no name"));
  item.Remove("plays");
  EXPECT_EQ(FromItem<Song>(item).status().code(), absl::StatusCode::kNotFound);
  // A query ends with that, and does not leave the song out.
  ASSERT_TRUE(database_->PutItem({.table_name = "music", .item = item}).ok());
  auto found = songs_.Query({"Ray"});
  EXPECT_EQ(found.begin(), found.end());
  EXPECT_THAT(std::string(found.status().message()), HasSubstr("plays"));
  const Item album = *ToItem(Album{.artist = "Ray", .year = 1, .name = "x", .disc = 1});
  for (const char* text : {"ALBUM#0001x", "ALBUM#1#x#DISC#01", "ALBUM#0001#x#DISC#1",
                           "ALBUM#0001#x#DISC#011", "ALBUM#+001#x#DISC#01", "ALBUM#0001#x"}) {
    Item changed = album;
    changed.Set("sk", Value::S(text));
    EXPECT_FALSE(FromItem<Album>(changed).ok()) << text;
  }
}

TEST_F(TypedTest, ActionsMakeOneTransaction) {
  ASSERT_TRUE(songs_.Put(AnySong("Hi", 1)).ok());
  ASSERT_TRUE(songs_.Put(AnySong("Ho", 1)).ok());
  const Album album = {.artist = "Ray", .year = 1960, .name = "One", .disc = 1};
  const auto transaction = [&](int plays) {
    return TransactWriteItemsRequest{
        .transact_items = {songs_.ToUpdate({"Ray", "Hi"}, {Set(At<&Song::plays>, 2)}).value(),
                           songs_.ToDelete({"Ray", "Ho"}, At<&Song::plays> == plays).value(),
                           albums_.ToPut(album).value(),
                           songs_.ToCheck({"Bob", "Hi"}, NotExists(At<&Song::plays>)).value()}};
  };
  EXPECT_EQ(KindOf(database_->TransactWriteItems(transaction(7)).status()),
            ErrorKind::kTransactionCanceled);
  EXPECT_TRUE(database_->TransactWriteItems(transaction(1)).ok());
  EXPECT_EQ((*songs_.Get({"Ray", "Hi"}))->plays, 2);
  EXPECT_EQ(*songs_.Get({"Ray", "Ho"}), std::nullopt);
  EXPECT_EQ(*albums_.Get(Key<Album>::Of(album)), album);
}

TEST_F(TypedTest, KeysMayBeNumbersAndMembersBytes) {
  const Table<Reading> readings(database_.get(), "readings");
  ASSERT_TRUE(database_->CreateTable(readings.Definition()).ok());
  for (const int64_t at : {-5, 2, 10}) {
    ASSERT_TRUE(
        readings
            .Put({.sensor = "s", .at = at, .raw = {std::byte{0}, std::byte{255}}, .value = 0.1F})
            .ok());
  }
  EXPECT_EQ(
      readings.Get({"s", 10}).value(),
      (Reading{.sensor = "s", .at = 10, .raw = {std::byte{0}, std::byte{255}}, .value = 0.1F}));
  const auto times = [](auto&& pager) {
    std::vector<int64_t> at;
    for (const Reading& reading : pager) at.push_back(reading.at);
    EXPECT_TRUE(pager.status().ok()) << pager.status();
    return at;
  };
  EXPECT_THAT(times(readings.Query({"s"})), ElementsAre(-5, 2, 10));
  EXPECT_THAT(times(readings.Query({"s", Above(-5)})), ElementsAre(2, 10));
  EXPECT_THAT(times(readings.Query({"s", Within(-9, 2)})), ElementsAre(-5, 2));
  EXPECT_THAT(times(readings.Query({"s", 2})), ElementsAre(2));
}

TEST_F(TypedTest, NumbersThatAMemberCannotHoldAreErrors) {
  ASSERT_TRUE(albums_.Put({.artist = "Ray", .year = 1960, .name = "B", .disc = 2}).ok());
  // 67496 is 1960 in 16 bits.
  EXPECT_EQ(albums_.Get({"Ray", 67'496, "B", 2}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(albums_.Delete({"Ray", 1960, "B", -1}).status().code(), absl::StatusCode::kOutOfRange);
  auto refused = albums_.Query({"Ray", 1960, "B", AtLeast(-1)});
  EXPECT_EQ(refused.begin(), refused.end());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kOutOfRange);
  ASSERT_TRUE(songs_.Put(AnySong("Hi")).ok());
  const auto updated =
      songs_.Update({"Ray", "Hi"}, {Set(At<&Song::plays>, std::numeric_limits<uint64_t>::max())});
  EXPECT_EQ(updated.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(songs_.Get({"Ray", "Hi"}).value(), AnySong("Hi"));
}

TEST_F(TypedTest, WhatAComposedAttributeSaysIsKept) {
  // As written before the struct had an attribute for the label alone.
  Item older = *ToItem(AnySong("Hi"));
  older.Remove("label");
  EXPECT_EQ(FromItem<Song>(older)->label, "Blue");
  // A list that was a set would not be one any more when it is written back.
  Item other = *ToItem(AnySong("Hi"));
  other.Set("lines", Value::SS({"la"}));
  EXPECT_THAT(std::string(FromItem<Song>(other).status().message()), HasSubstr("lines"));
}

// What must not compile. Each alias names what the expression would be, if it had types at all.
template <typename V, typename X>
inline constexpr bool kSuits = typed::internal::Suits<V, X>;
static_assert(kSuits<std::string, const char*> && kSuits<int64_t, double> && kSuits<bool, bool>);
static_assert(!kSuits<std::string, int> && !kSuits<std::string, char> && !kSuits<int, bool>);
static_assert(!kSuits<bool, int> && !kSuits<Genre, int> && !kSuits<int, Genre>);
static_assert(!kSuits<int, const char*> && !kSuits<std::set<int>, std::vector<int>>);
template <typename V, typename X>
inline constexpr bool kHolds = typed::internal::Holds<V, X>;
static_assert(kHolds<int64_t, int> && kHolds<double, int> && !kHolds<int64_t, double>);
static_assert(!kHolds<int64_t, Number> && kHolds<Number, Number>);
static_assert(typed::internal::UsesOf<&Song::artist>().in_key);
static_assert(!typed::internal::UsesOf<&Song::label>().in_key);
static_assert(typed::internal::UsesOf<&Song::label>().in_text);
static_assert(typed::internal::UsesOf<&Album::name>().in_text_of_several);
static_assert(typed::internal::NameOf<&Song::artist>().empty());
static_assert(typed::internal::NameOf<&Song::plays>() == "plays");
static_assert(!typed::Mapped<int> && !typed::internal::WithKey<Address>);

}  // namespace
}  // namespace songs_as_structs
