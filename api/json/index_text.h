// The shards of global indexes, and the progress of their changes, as a JSON text.
#ifndef DYNOLITH_API_JSON_INDEX_TEXT_H_
#define DYNOLITH_API_JSON_INDEX_TEXT_H_

#include <string>
#include <vector>

#include "dynolith/index_shards.h"

namespace dynolith {

// {"tables": [{"table": "music", "indexes": [{"index": "by-genre", "shards": 8, "moving_to": 16,
// "filling": "rows", "filled": 0.25}, …], "waiting_tags": ["by-yaer"]}, …]}. `moving_to`, `filling`
// and `filled` are left out if they do not apply; `filling`: "sorted-files", "noted-writes" or
// "rows", the last with `filled`.
void AppendIndexReports(const std::vector<IndexReport>& reports, std::string* out);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_INDEX_TEXT_H_
