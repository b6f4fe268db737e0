// The hot keys of a table or of an index, while they are watched: the lists of the service's
// Contributor Insights.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_HOT_KEYS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_HOT_KEYS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/value/item.h"

namespace dynolith {

struct HotKey {
  Item key;
  // Capacity units that the key's accesses consumed, or the number of throttled ones. The true
  // value lies between this less `error` and this: keys are counted in bounded memory.
  double count = 0;
  double error = 0;
};

// The heaviest first, at most kHotKeysMax of each. Lists of items are those of keys with a sort
// key, and empty where there is none.
struct HotKeys {
  std::vector<HotKey> accessed_partition_keys;
  std::vector<HotKey> accessed_items;
  std::vector<HotKey> throttled_partition_keys;
  std::vector<HotKey> throttled_items;
};

struct HotKeyReport {
  std::string table_name;
  std::string index_name;  // empty: the table
  // By UpdateContributorInsights, or DatabaseOptions::hot_keys.
  bool is_watched = false;
  // The time of the first access seen; nullopt: there was none.
  std::optional<absl::Time> since;
  HotKeys all;
  // For this minute and the last one, on the database's clock.
  absl::Time recent_since;
  HotKeys recent;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_HOT_KEYS_H_
