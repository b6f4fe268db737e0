#include "engine/store/encryption/folder_keys.h"

#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/file_format.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/messages.h"
#include "engine/store/encryption/secret_key.h"

namespace dynolith {
namespace {

using Keys = std::shared_ptr<const StoreKeys>;

std::string KeysFileIn(const std::string& folder) { return Concat(folder, "/", kKeysFile); }

}  // namespace

absl::Status KeysAreMissing(const std::string& folder) {
  return absl::DataLossError(messages::KeysMissing(KeysFileIn(folder)));
}

absl::StatusOr<Keys> KeysOfFolder(const std::string& folder, const std::string& source) {
  if (!MayBeThere(KeysFileIn(folder))) {
    if (LooksLikeHeader(ReadFileText(Concat(folder, "/CURRENT")).text)) {
      return KeysAreMissing(folder);
    }
    if (source.empty()) return nullptr;
    return absl::FailedPreconditionError(messages::FolderNotEncrypted(folder));
  }
  if (source.empty()) return absl::FailedPreconditionError(messages::FolderIsEncrypted(folder));
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(source));
  DYNOLITH_ASSIGN_OR_RETURN(StoreKeys keys, StoreKeys::Read(folder, wrapping));
  return std::make_shared<const StoreKeys>(std::move(keys));
}

absl::StatusOr<Keys> KeysOfNewFolder(const std::string& folder, const std::string& source) {
  if (source.empty() || MayBeThere(KeysFileIn(folder))) return KeysOfFolder(folder, source);
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(source));
  DYNOLITH_ASSIGN_OR_RETURN(StoreKeys keys, StoreKeys::Make());
  DYNOLITH_RETURN_IF_ERROR(keys.Write(folder, wrapping));
  DYNOLITH_ASSIGN_OR_RETURN(keys, StoreKeys::Read(folder, wrapping));
  return std::make_shared<const StoreKeys>(std::move(keys));
}

absl::Status CopyKeys(const StoreKeys& keys, const std::string& to) {
  const int error = ReplaceFileText(KeysFileIn(to), keys.read_text());
  if (error == 0) return absl::OkStatus();
  return ErrnoStatus(error, messages::KeysUnwritten(KeysFileIn(to), ErrnoReason(error)));
}

}  // namespace dynolith
