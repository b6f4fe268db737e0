// Other keys for an encrypted store.
#ifndef DYNOLITH_ENGINE_STORE_ROTATION_ROTATE_KEYS_H_
#define DYNOLITH_ENGINE_STORE_ROTATION_ROTATE_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// Wraps the keys of the stores in these folders, a store and its copies, by the key of another
// source (encryption/key_source.h), at once: no other file changes. Where it has been done it does
// nothing, so what was interrupted can be repeated. Nobody must use the folders: the caller holds
// their lock. Errors, before anything is changed: as KeysOfFolder, kFailedPrecondition for a folder
// that is not encrypted and for a new key that is another one each time that it is read; then those
// of writing.
absl::Status RewrapKeys(const std::vector<std::string>& folders, const std::string& source,
                        const std::string& new_source);

struct RenewedKeys {
  uint32_t newest = 0;  // the number of the new data key
  size_t retired = 0;   // how many of the earlier ones are gone
};
// Gives the store a new data key, and writes all of its files again with it. Earlier keys that no
// file has any more are forgotten. If it is interrupted, the store has one key more until the next
// time. Errors: as RewrapKeys; kUnavailable if the folder is in use; as LocalStore::Open and
// CompactAll; kInternal naming a file that was not written again, whose key is kept.
absl::StatusOr<RenewedKeys> RenewDataKeys(const std::string& folder, const std::string& source);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROTATION_ROTATE_KEYS_H_
