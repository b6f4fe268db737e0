// Finds the file to blame when RocksDB refuses to open a store: its own status often names another
// one or none. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_OPEN_FAILURE_H_
#define DYNOLITH_ENGINE_STORE_OPEN_FAILURE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "engine/store/encryption/store_keys.h"
#include "engine/store/open_log.h"
#include "rocksdb/status.h"

namespace dynolith {

// The failure as LocalStore::Open reports it. `log` has listened to the attempt. `keys`: of
// an encrypted store; nullptr: it is none. Requires: !status.ok(). Opens every table file of the
// folder when something is damaged, and reads all of it if that is not enough.
absl::Status OpenFailure(const std::string& folder, const rocksdb::Status& status,
                         const OpenLog& log, const std::shared_ptr<const StoreKeys>& keys);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_OPEN_FAILURE_H_
