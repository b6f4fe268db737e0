// A program that knows Dynolith only from its installed headers: with an argument, which is the
// address of a service, behind that.
#include <dynolith/database.h>
#include <dynolith/typed.h>

#include <iostream>
#include <string>

struct Artist {
  std::string artist;
  int64_t albums = 0;
};

template <>
inline constexpr auto dynolith::typed::kFields<Artist> = dynolith::typed::Fields(
    PartitionKey("artist", &Artist::artist), Attribute("albums", &Artist::albums));

int main(int argc, char** argv) {
  using dynolith::Value;
  const bool is_elsewhere = argc > 1;
  auto database = is_elsewhere ? dynolith::Database::Open({.endpoint = argv[1]})
                               : dynolith::Database::Open({.in_memory = true});
  if (!database.ok()) {
    std::cerr << database.status() << "\n";
    return 1;
  }
  auto table = (*database)->CreateTable({.table_name = "music",
                                         .attribute_definitions = {{{.attribute_name = "artist"}}},
                                         .key_schema = {{{.attribute_name = "artist"}}},
                                         .billing_mode = dynolith::BillingMode::kPayPerRequest});
  auto written = (*database)->PutItem(
      {.table_name = "music", .item = {{"artist", Value::S("Ella")}, {"albums", Value::N(70)}}});
  auto read = (*database)->GetItem({.table_name = "music", .key = {{"artist", Value::S("Ella")}}});
  if (!table.ok() || !written.ok() || !read.ok() || !read->item) {
    std::cerr << table.status() << written.status() << read.status() << "\n";
    return 1;
  }
  auto all = (*database)->ScanAll({.table_name = "music"});
  int64_t albums = 0;
  for (const dynolith::Item& item : all) {
    albums += item.Get<int64_t>("albums").value_or(0);
    for (const auto& [name, value] : item) std::cout << name << "\n";
  }
  if (!all.status().ok()) {
    std::cerr << all.status() << "\n";
    return 1;
  }
  using namespace dynolith::typed;  // NOLINT: as a program would
  const Table<Artist> artists(database->get(), "music");
  auto updated = artists.Update({"Ella"}, {Set(At<&Artist::albums>, At<&Artist::albums> + 1)},
                                At<&Artist::albums> == 70);
  if (!updated.ok() || updated->albums != 71) {
    std::cerr << updated.status() << "\n";
    return 1;
  }
  const bool absent = absl::IsNotFound(read->item->Get<std::string>("label").status());
  const bool is_counted = (*database)->TakeStatistics().tables == (is_elsewhere ? 0 : 1);
  return albums == 70 && absent && is_counted ? 0 : 1;
}
