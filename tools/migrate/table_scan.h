// Reads all items of a table by the segments of a parallel scan, page by page.
#ifndef DYNOLITH_TOOLS_MIGRATE_TABLE_SCAN_H_
#define DYNOLITH_TOOLS_MIGRATE_TABLE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/text/json_tree.h"
#include "tools/migrate/rate_limiter.h"
#include "tools/migrate/side.h"

namespace dynolith::migrate {

struct ScanOptions {
  std::string table;
  size_t segment = 0;
  size_t segments = 1;
  std::string after;         // a key in JSON; empty: from the beginning
  size_t items_max = 0;      // of a page; 0: as many as fit
  bool counts_only = false;  // pages without items
};

struct ScanPage {
  std::vector<JsonTree> items;
  uint64_t count = 0;
  std::string after;  // the key to continue behind; empty: it was the last page
};

// Reads consistently. `take` is called with each page; its error ends the scan. Errors: as
// Side::Caller::Ask.
absl::Status ScanSegment(Side* side, Side::Caller* caller, const ScanOptions& options,
                         RateLimiter* limiter,
                         const std::function<absl::Status(ScanPage* page)>& take);

// How many items of this size a page may have so that each thread stays near the rate. 0: as many
// as fit.
size_t PageItems(double rate, size_t threads, uint64_t items, uint64_t bytes);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_TABLE_SCAN_H_
