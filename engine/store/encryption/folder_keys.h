// Whether the store in a folder is encrypted, and its keys.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_FOLDER_KEYS_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_FOLDER_KEYS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/encryption/store_keys.h"

namespace dynolith {

// The keys of the store in `folder`; nullptr: it is not encrypted. `source`: where the wrapping key
// comes from (key_source.h); empty: nowhere. Errors name the folder or the file:
// kFailedPrecondition for an encrypted folder without a source, for one that is not encrypted with
// one, and for a wrong key; kDataLoss if the file of keys is missing or altered; those of the
// source.
absl::StatusOr<std::shared_ptr<const StoreKeys>> KeysOfFolder(const std::string& folder,
                                                              const std::string& source);
// The same for a folder in which a store is going to be made. With a source it gets keys, durably,
// unless it has them from a process that was killed before it had made anything else.
absl::StatusOr<std::shared_ptr<const StoreKeys>> KeysOfNewFolder(const std::string& folder,
                                                                 const std::string& source);
// Gives a copy of a store the keys of that store, wrapped as they were when they were read: their
// file may have been damaged since. Requires: the keys were read.
absl::Status CopyKeys(const StoreKeys& keys, const std::string& to);

// The error for an encrypted store whose file of keys is gone.
absl::Status KeysAreMissing(const std::string& folder);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_FOLDER_KEYS_H_
