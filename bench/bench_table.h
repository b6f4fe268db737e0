// The table of benchmarks that need just one: "bench", on demand.
#ifndef DYNOLITH_BENCH_BENCH_TABLE_H_
#define DYNOLITH_BENCH_BENCH_TABLE_H_

#include "bench/require.h"
#include "dynolith/database.h"

namespace dynolith {

// Its partition key is the string `pk`; its sort key, if it has one, the number `sk`.
inline void CreateBenchTable(Database* database, bool has_sort_key = false) {
  CreateTableRequest table = {.table_name = "bench",
                              .attribute_definitions = {{{"pk"}}},
                              .key_schema = {{{"pk"}}},
                              .billing_mode = BillingMode::kPayPerRequest};
  if (has_sort_key) {
    table.attribute_definitions->push_back({"sk", Type::kNumber});
    table.key_schema->push_back({"sk", KeyType::kRange});
  }
  Require(database->CreateTable(table).ok(), "table");
}

}  // namespace dynolith

#endif  // DYNOLITH_BENCH_BENCH_TABLE_H_
