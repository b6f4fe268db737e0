// Writes tables and items of a service into files that can be loaded.
//
//   FOLDER/<table>.json            the input of CreateTable, with its tags
//   FOLDER/<table>.ttl.json        the input of UpdateTimeToLive, where it is on
//   FOLDER/<table>.recovery.json   the input of UpdateContinuousBackups, where recovery is on
//   FOLDER/<table>.items.json      {"Item": {…}}, one on a line; where there are any
//
// Until the last of them is written each has the ending kUnfinishedEnding (design/files_to_load.h),
// with which a load refuses it: a dump that failed or was killed is not taken for a whole one.
#ifndef DYNOLITH_TOOLS_FILES_DUMP_TABLES_H_
#define DYNOLITH_TOOLS_FILES_DUMP_TABLES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/client/service_target.h"
#include "tools/files/excerpt/excerpt.h"
#include "tools/files/table/findings.h"

namespace dynolith::designs {

struct DumpOptions {
  // New or empty; made if it does not exist.
  std::string folder;
  std::vector<std::string> tables;  // empty: all
  // Which items are dumped, and what of them; nullptr: all as they are. Borrowed.
  excerpt::Excerpt* excerpt = nullptr;
};

struct DumpSummary {
  uint64_t tables = 0;
  uint64_t items = 0;
  uint64_t not_taken = 0;  // items that are not in the excerpt
  uint64_t errors = 0;     // all have been given to `find`
};

// Items are read consistently, page by page; concurrent writes may be included or not. `find` is
// called with each item that a rule cannot change, which is not in the dump, and with doubts about
// rules. Errors: the reason for an incomplete dump.
absl::StatusOr<DumpSummary> DumpTables(const DumpOptions& options, client::ServiceTarget* target,
                                       const std::function<void(const Finding& finding)>& find);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DUMP_TABLES_H_
