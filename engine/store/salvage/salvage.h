// Saves the readable part of a damaged store into a new one.
#ifndef DYNOLITH_ENGINE_STORE_SALVAGE_SALVAGE_H_
#define DYNOLITH_ENGINE_STORE_SALVAGE_SALVAGE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace dynolith {

struct SalvageSummary {
  uint64_t table_files = 0;  // intact ones
  uint64_t logs = 0;
  uint64_t changes = 0;  // of rows, in the logs
  // Whether rows of kMeta may be lost, or deleted ones restored.
  bool may_lack_meta = false;
};

// Creates a store in the new or empty folder `to` from all intact table files of the store in
// `from`, its logs up to each one's damage, and the rows of damaged table files that no other file
// has. Calls `report` with a line for each unreadable part. Nothing in `from` changes. Table files
// are linked if possible. `encryption_key`: as that of StoreOptions, for both folders.
//
// Errors: kNotFound if there is nothing to save, kUnavailable if a process writes to `from`,
// kFailedPrecondition if `to` is not empty; as LocalStore::Open for `to`, and for the key of
// `from`. Reads the whole store.
absl::StatusOr<SalvageSummary> Salvage(const std::string& from, const std::string& to,
                                       absl::FunctionRef<void(const std::string&)> report,
                                       const std::string& encryption_key = {});

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SALVAGE_SALVAGE_H_
