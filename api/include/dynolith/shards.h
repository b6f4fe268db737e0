// Write sharding by hand: one logical partition key, spread over several by a suffix. The suffix is
// in the data, so this works the same in the service. A global index can have shards without any of
// this: Database::SetIndexShards.
//
//   const SuffixedKeys day("2026-11-22", 10);
//   // The same key for each write of the order:
//   item.Set("placed_on", Value::S(day.ForValue(order_id)));
//   // For items that nobody looks up by this key:
//   item.Set("placed_on", Value::S(day.AtRandom(&random)));
//
//   TogetherRequest request{.query = {.table_name = "orders"}, .keys = day.All()};
//   request.query.key_condition_expression = "placed_on = :key AND placed_at > :t";
//   request.query.expression_attribute_values = Item{{":t", Value::N(since)}};
//   request.query.limit = 25;
//   absl::StatusOr<TogetherOutput> page = QueryTogether(database.get(), request);
//   request.next_token = page->next_token;  // until there is none
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_SHARDS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_SHARDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "dynolith/database.h"
#include "dynolith/requests.h"
#include "engine/value/item.h"

namespace dynolith {

// The keys "<key>.0" to "<key>.<count - 1>".
class SuffixedKeys {
 public:
  // Requires: count >= 1. The count may grow later: All then includes the old keys, but ForValue
  // gives other ones.
  SuffixedKeys(std::string key, int count) : key_(std::move(key)), count_(count) {}

  // By the value's hash, evenly, the same on every machine and in every version, so a read by the
  // value finds the item.
  std::string ForValue(std::string_view value) const;
  // Any of them. `random`: a generator of 64 random bits, such as std::mt19937_64.
  template <typename Random>
  std::string AtRandom(Random* random) const {
    return WithSuffix((*random)() % static_cast<uint64_t>(count_));
  }
  std::vector<std::string> All() const;

 private:
  std::string WithSuffix(uint64_t number) const;

  std::string key_;
  int count_;
};

// One Query for each of several partition keys, which are strings.
struct TogetherRequest {
  // A query of one key. Its expression_attribute_values get the key as `key_placeholder`. `limit`
  // applies to the page: so many items are evaluated for each key, and as many are returned in all.
  // No exclusive_start_key, and no Select::kCount; a projection must include the keys of table and
  // index.
  QueryRequest query;
  std::vector<std::string> keys;  // distinct
  std::string key_placeholder = ":key";
  std::optional<std::string> next_token;
};

struct TogetherOutput {
  // In the order of the sort key, forwards or backwards; equal ones in the order of `keys`.
  std::vector<Item> items;
  // For all queries, including items for a later page, which are evaluated again.
  int64_t scanned_count = 0;
  // For the next page of the same request; nullopt: this was the last. There may be empty pages. It
  // contains keys of items, and so outlives the process. A finished key is not queried again.
  std::optional<std::string> next_token;
  std::optional<ConsumedCapacity> consumed_capacity;  // of all queries
};

// One page: queries each key once, and merges only items whose place is certain, so that no item of
// a later page comes before one of this. Each key's part is one query, with that moment's state.
// Errors: those of Query; ValidationException for violations of TogetherRequest, and for a token of
// another number of keys.
absl::StatusOr<TogetherOutput> QueryTogether(Database* database, const TogetherRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_SHARDS_H_
