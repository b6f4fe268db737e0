// Other keys for an encrypted store.
#ifndef DYNOLITH_ENGINE_STORE_ROTATION_ROTATE_KEYS_H_
#define DYNOLITH_ENGINE_STORE_ROTATION_ROTATE_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// Wraps the keys of the store in `folder` by the key of another source (encryption/key_source.h),
// at once: no other file changes, and copies of the folder keep the key that they have. Does
// nothing if that has been done. The folder must not be in use. Errors: as KeysOfFolder,
// kFailedPrecondition if it is not encrypted, kUnavailable if it is in use.
absl::Status RewrapKeys(const std::string& folder, const std::string& source,
                        const std::string& new_source);

struct RenewedKeys {
  uint32_t newest = 0;  // the number of the new data key
  size_t retired = 0;   // how many of the earlier ones are gone
};
// Gives the store a new data key, and writes all of its files again with it. Earlier keys that no
// file has any more are forgotten. If it is interrupted, the store has one key more until the next
// time. Errors: as RewrapKeys; as LocalStore::Open and CompactAll.
absl::StatusOr<RenewedKeys> RenewDataKeys(const std::string& folder, const std::string& source);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROTATION_ROTATE_KEYS_H_
