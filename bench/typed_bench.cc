// What structs as items (dynolith/typed.h) cost beside the same requests made by hand, in memory.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "bench/require.h"
#include "dynolith/database.h"
#include "dynolith/typed.h"

namespace dynolith {

struct Song {
  std::string artist;
  std::string title;
  int64_t plays = 0;
  double rating = 0;
  std::string label;
};

template <>
inline constexpr auto typed::kFields<Song> =
    typed::Fields(PartitionKey("pk", "ARTIST#", &Song::artist),
                  SortKey("sk", "SONG#", &Song::title), Attribute("plays", &Song::plays),
                  Attribute("rating", &Song::rating), Attribute("label", &Song::label));

namespace {

using namespace typed;  // NOLINT: as a program would

struct Songs {
  Songs() {
    Require(database->CreateTable(table.Definition()).ok(), "CreateTable");
    Require(table.Put(song).ok(), "PutItem");
  }

  const Song song = {
      .artist = "Ray", .title = "Hi", .plays = 1, .rating = 4.5, .label = "Blue Note Records"};
  const std::unique_ptr<Database> database = *Database::Open({.in_memory = true});
  const typed::Table<Song> table{database.get(), "music"};
};

Item KeyByHand() { return {{"pk", Value::S("ARTIST#Ray")}, {"sk", Value::S("SONG#Hi")}}; }

void PutByHand(benchmark::State& state) {
  const Songs songs;
  for (auto _ : state) {
    const auto put =
        songs.database->PutItem({.table_name = "music",
                                 .item = {{"pk", Value::S("ARTIST#" + songs.song.artist)},
                                          {"sk", Value::S("SONG#" + songs.song.title)},
                                          {"plays", Value::N(songs.song.plays)},
                                          {"rating", *Value::ParseN("4.5")},
                                          {"label", Value::S(songs.song.label)}}});
    Require(put.ok(), "PutItem");
  }
}
BENCHMARK(PutByHand);

void PutTyped(benchmark::State& state) {
  const Songs songs;
  for (auto _ : state) Require(songs.table.Put(songs.song).ok(), "PutItem");
}
BENCHMARK(PutTyped);

void GetByHand(benchmark::State& state) {
  const Songs songs;
  for (auto _ : state) {
    Song song;
    const auto got =
        songs.database->GetItem({.table_name = "music", .key = KeyByHand()}, [&](ItemView item) {
          song.artist = item.Get<std::string_view>("pk")->substr(7);
          song.title = item.Get<std::string_view>("sk")->substr(5);
          song.plays = *item.Get<int64_t>("plays");
          song.rating = *item.Get<double>("rating");
          song.label = *item.Get<std::string>("label");
        });
    Require(got.ok(), "GetItem");
    benchmark::DoNotOptimize(song);
  }
}
BENCHMARK(GetByHand);

void GetTyped(benchmark::State& state) {
  const Songs songs;
  for (auto _ : state) benchmark::DoNotOptimize(songs.table.Get({"Ray", "Hi"}).value());
}
BENCHMARK(GetTyped);

void UpdateByHand(benchmark::State& state) {
  const Songs songs;
  for (auto _ : state) {
    const auto updated = songs.database->UpdateItem(
        {.table_name = "music",
         .key = KeyByHand(),
         .return_values = ReturnValues::kAllNew,
         .update_expression = "SET plays = plays + :one",
         .condition_expression = "attribute_exists(pk) AND plays >= :zero",
         .expression_attribute_values = Item{{":one", Value::N(1)}, {":zero", Value::N(0)}}});
    Require(updated.ok(), "UpdateItem");
    benchmark::DoNotOptimize(*updated->attributes->Get<int64_t>("plays"));
  }
}
BENCHMARK(UpdateByHand);

void UpdateTyped(benchmark::State& state) {
  const Songs songs;
  for (auto _ : state) {
    benchmark::DoNotOptimize(songs.table
                                 .Update({"Ray", "Hi"},
                                         {Set(At<&Song::plays>, At<&Song::plays> + 1)},
                                         At<&Song::plays> >= 0)
                                 .value());
  }
}
BENCHMARK(UpdateTyped);

}  // namespace
}  // namespace dynolith
