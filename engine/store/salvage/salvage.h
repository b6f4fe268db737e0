// Saves what can be read of a damaged store into a new one.
#ifndef DYNOLITH_ENGINE_STORE_SALVAGE_SALVAGE_H_
#define DYNOLITH_ENGINE_STORE_SALVAGE_SALVAGE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace dynolith {

struct SalvageSummary {
  uint64_t table_files = 0;  // that are whole
  uint64_t logs = 0;
  uint64_t changes = 0;  // of rows, in those logs
  // Whether rows of kMeta may have been lost, or deleted ones be back.
  bool may_lack_meta = false;
};

// Makes a store in the folder `to`, which is new or empty, of all whole table files of the store in
// `from`, of its logs up to where each is damaged, and of the rows of damaged table files that no
// other file has. Calls `report` with a line for each thing that could not be read. Nothing in
// `from` changes. Table files are linked where possible.
//
// Errors: kNotFound if there is nothing to save, kUnavailable if a process writes to `from`,
// kFailedPrecondition if `to` holds something; as Store::Open for `to`. Reads all of the store.
absl::StatusOr<SalvageSummary> Salvage(const std::string& from, const std::string& to,
                                       absl::FunctionRef<void(const std::string&)> report);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SALVAGE_SALVAGE_H_
