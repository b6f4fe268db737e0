// A table of songs, for tests of what the C++ face offers beside the service's operations.
#ifndef DYNOLITH_TESTS_UNIT_API_DATABASE_SONGS_H_
#define DYNOLITH_TESTS_UNIT_API_DATABASE_SONGS_H_

#include <string>

#include "dynolith/database.h"

namespace dynolith::testing {

inline absl::Status CreateSongs(Database* database) {
  return database
      ->CreateTable({.table_name = "songs",
                     .attribute_definitions = {{{"artist"}, {"number", Type::kNumber}}},
                     .key_schema = {{{"artist"}, {"number", KeyType::kRange}}},
                     .billing_mode = BillingMode::kPayPerRequest})
      .status();
}

inline Item SongKey(int number) {
  return {{"artist", Value::S("Ray")}, {"number", Value::N(number)}};
}

inline absl::Status PutSong(Database* database, int number) {
  Item item = SongKey(number);
  item.Set("even", Value::Bool(number % 2 == 0));
  return database->PutItem({.table_name = "songs", .item = std::move(item)}).status();
}

// Numbered from 0.
inline absl::Status PutSongs(Database* database, int count) {
  absl::Status status;
  for (int i = 0; i < count; ++i) status.Update(PutSong(database, i));
  return status;
}

inline QueryRequest SongsOfRay() {
  return {.table_name = "songs",
          .key_condition_expression = "artist = :a",
          .expression_attribute_values = Item{{":a", Value::S("Ray")}}};
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_API_DATABASE_SONGS_H_
