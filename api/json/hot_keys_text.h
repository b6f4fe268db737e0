// Hot keys as a JSON text.
#ifndef DYNOLITH_API_JSON_HOT_KEYS_TEXT_H_
#define DYNOLITH_API_JSON_HOT_KEYS_TEXT_H_

#include <string>

#include "dynolith/hot_keys.h"
#include "engine/key/schema.h"

namespace dynolith {

// {"table": "music", "index": "by-year", "watched": true, "since": 1790856000.123, "all": {lists},
// "recent_since": …, "recent": {lists}}, where lists are
//
//   "accessed_partition_keys": [{"key": {"pk": {"S": "a"}}, "hash": "f6558e516275dee2",
//                                "units": 12.5, "error": 0.0}, …],
//   "accessed_items": [{"key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "hash": …, "units": 7.0,
//                       "error": 0.0}, …],
//   "throttled_partition_keys": [{"key": …, "hash": …, "count": 3, "error": 0}, …],
//   "throttled_items": […]
//
// `schema`: of the table or index. A hash is the beginning of the partition key's hash, which
// determines its one of HeatReport::buckets; for an index in shards that in the first one.
void AppendHotKeys(const HotKeyReport& report, const KeySchema& schema, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_HOT_KEYS_TEXT_H_
