// Hot keys as a JSON text.
#ifndef DYNOLITH_API_JSON_HOT_KEYS_TEXT_H_
#define DYNOLITH_API_JSON_HOT_KEYS_TEXT_H_

#include <string>

#include "dynolith/hot_keys.h"

namespace dynolith {

// {"table": "music", "index": "by-year", "watched": true, "since": 1790856000.123, "all": {lists},
// "recent_since": …, "recent": {lists}}, where lists are
//
//   "accessed_partition_keys": [{"key": {"pk": {"S": "a"}}, "units": 12.5, "error": 0.0}, …],
//   "accessed_items": [{"key": {"pk": {"S": "a"}, "sk": {"N": "1"}}, "units": 7.0, "error": 0.0},
//   …], "throttled_partition_keys": [{"key": …, "count": 3, "error": 0}, …], "throttled_items": […]
void AppendHotKeys(const HotKeyReport& report, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_HOT_KEYS_TEXT_H_
