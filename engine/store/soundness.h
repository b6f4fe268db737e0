// Checks that all files of a store exist and are whole, before RocksDB sees them: it deletes files
// that it does not know.
#ifndef DYNOLITH_ENGINE_STORE_SOUNDNESS_H_
#define DYNOLITH_ENGINE_STORE_SOUNDNESS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/integrity_manifest.h"

namespace dynolith {

class StoreKeys;

// Compares the folder `path` with what its integrity manifest says: CURRENT, the manifest, every
// log; that no log was altered, and that each goes on where the one before it ended. The table
// files are for the manifest to name and for RocksDB to open: it refuses to miss one. Only the end
// of the last log of a store that was not closed is taken as it is: a killed process leaves it
// anywhere.
//
// Returns the facts as they are, kClosed or kRunning. `names`: of all files in the folder. Errors:
// kDataLoss naming the file. Reads all logs. `keys`: of an encrypted store; nullptr: it is none.
absl::StatusOr<IntegrityManifest> CheckSound(const std::string& path,
                                             const std::vector<std::string>& names,
                                             const FoundIntegrityManifest& found,
                                             const StoreKeys* keys = nullptr);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SOUNDNESS_H_
