// A program that knows Dynolith only from its installed headers.
#include <dynolith/database.h>

#include <iostream>

int main() {
  using dynolith::Value;
  auto database = dynolith::Database::Open({.in_memory = true});
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
  return read->item->Find("albums")->number().ToString() == "70" ? 0 : 1;
}
