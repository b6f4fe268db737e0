#include "engine/store/rotation/rotate_keys.h"

#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <vector>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/store/encryption/decrypted_file.h"
#include "engine/store/encryption/folder_keys.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/messages.h"
#include "engine/store/encryption/store_keys.h"
#include "engine/store/folder_lock.h"
#include "engine/store/local_store.h"
#include "engine/store/own_files.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;
// Those of a store that must be encrypted.
absl::StatusOr<StoreKeys> ReadPresentKeys(const std::string& folder, const std::string& source) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const StoreKeys> keys,
                            KeysOfFolder(folder, source));
  if (keys == nullptr) return absl::FailedPreconditionError(messages::FolderNotEncrypted(folder));
  return *keys;
}

// Every data key that a file of the folder is encrypted with. The store's name, which nothing else
// writes again, is written with the newest one.
absl::StatusOr<std::set<uint32_t>> KeysInUse(const std::string& folder, const StoreKeys& keys) {
  std::set<uint32_t> numbers;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string file = it->path().string();
    std::error_code unknown;
    if (!it->is_regular_file(unknown) || it->file_size(unknown) == 0) continue;
    if (!LooksLikeHeader(FrontOfFile(file))) continue;
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<DecryptedFile> opened,
                              DecryptedFile::Open(file, keys));
    const std::vector<uint32_t>& of_file = opened->key_numbers();
    if (it->path().filename() == "IDENTITY" && of_file != std::vector<uint32_t>{keys.newest()}) {
      DYNOLITH_ASSIGN_OR_RETURN(const std::string text, opened->ReadAll());
      DYNOLITH_ASSIGN_OR_RETURN(const std::string bytes, EncryptFrames(text, keys));
      if (const int failure = ReplaceFileText(file, bytes); failure != 0) {
        return WriteFailure(file, failure);
      }
      continue;
    }
    numbers.insert(of_file.begin(), of_file.end());
  }
  if (error) return FolderFailure(folder, error.value());
  return numbers;
}

}  // namespace

absl::Status RewrapKeys(const std::string& folder, const std::string& source,
                        const std::string& new_source) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const FolderLock> lock,
                            FolderLock::Take(folder, FolderLock::Kind::kExclusive));
  const absl::StatusOr<StoreKeys> keys = ReadPresentKeys(folder, source);
  // It was done before.
  if (!keys.ok() && ReadPresentKeys(folder, new_source).ok()) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(keys.status());
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(new_source));
  return keys->Write(folder, wrapping);
}

absl::StatusOr<RenewedKeys> RenewDataKeys(const std::string& folder, const std::string& source) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const FolderLock> lock,
                            FolderLock::Take(folder, FolderLock::Kind::kExclusive));
  DYNOLITH_ASSIGN_OR_RETURN(StoreKeys keys, ReadPresentKeys(folder, source));
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(source));
  DYNOLITH_RETURN_IF_ERROR(keys.Add());
  DYNOLITH_RETURN_IF_ERROR(keys.Write(folder, wrapping));
  {
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<LocalStore> store,
                              OpenStoreUnder(lock, {.path = folder, .encryption_key = source}));
    DYNOLITH_RETURN_IF_ERROR(store->CompactAll());
  }
  const size_t before = keys.size();
  DYNOLITH_ASSIGN_OR_RETURN(const std::set<uint32_t> in_use, KeysInUse(folder, keys));
  keys.Retire(in_use);
  DYNOLITH_RETURN_IF_ERROR(keys.Write(folder, wrapping));
  return RenewedKeys{.newest = keys.newest(), .retired = before - keys.size()};
}

}  // namespace dynolith
