#include "engine/store/rotation/rotate_keys.h"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/decrypted_file.h"
#include "engine/store/encryption/folder_keys.h"
#include "engine/store/encryption/key_source.h"
#include "engine/store/encryption/messages.h"
#include "engine/store/encryption/secret_key.h"
#include "engine/store/encryption/store_keys.h"
#include "engine/store/folder_lock.h"
#include "engine/store/local_store.h"
#include "engine/store/own_files.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

// Those of a store that must be encrypted.
absl::StatusOr<StoreKeys> ReadPresentKeys(const std::string& folder, const SecretKey& wrapping) {
  if (MayBeThere(Concat(folder, "/", kKeysFile))) return StoreKeys::Read(folder, wrapping);
  // Plain, or an encrypted one without its keys.
  DYNOLITH_RETURN_IF_ERROR(KeysOfFolder(folder, "").status());
  return absl::FailedPreconditionError(messages::FolderNotEncrypted(folder));
}

// Whether nothing writes the file again while the store is open: its name, and options that a
// repair has left.
bool IsLeftAsItIs(const std::string& name) {
  return name == "IDENTITY" || name.starts_with("OPTIONS-");
}

struct UsedKeys {
  std::set<uint32_t> numbers;
  std::string older;  // a file with another key than the newest one; empty: none
};
// Every data key that a file of the folder is encrypted with. Files that nothing else writes again
// are written with the newest one.
absl::StatusOr<UsedKeys> KeysInUse(const std::string& folder, const StoreKeys& keys) {
  UsedKeys used;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string file = it->path().string();
    std::error_code unknown;
    if (!it->is_regular_file(unknown) || it->file_size(unknown) == 0) continue;
    const std::string front = FrontOfFile(file);
    if (front.empty()) return FolderFailure(file, EIO);
    if (!LooksLikeHeader(front)) continue;
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<DecryptedFile> opened,
                              DecryptedFile::Open(file, keys));
    const std::vector<uint32_t>& of_file = opened->key_numbers();
    const bool is_older = of_file != std::vector<uint32_t>{keys.newest()};
    if (is_older && IsLeftAsItIs(it->path().filename().string())) {
      DYNOLITH_ASSIGN_OR_RETURN(const std::string text, opened->ReadAll());
      DYNOLITH_ASSIGN_OR_RETURN(const std::string bytes, EncryptFrames(text, keys));
      if (const int failure = ReplaceFileText(file, bytes); failure != 0) {
        return WriteFailure(file, failure);
      }
      continue;
    }
    if (is_older) used.older = file;
    used.numbers.insert(of_file.begin(), of_file.end());
  }
  if (error) return FolderFailure(folder, error.value());
  return used;
}

// The new wrapping key, which must be the same whenever it is read: a command may make a key up.
absl::StatusOr<SecretKey> ReadNewWrappingKey(const std::string& source) {
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(source));
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey again, ReadWrappingKey(source));
  if (FingerprintOf(wrapping) == FingerprintOf(again)) return wrapping;
  return absl::FailedPreconditionError(messages::KeyChanges(source.substr(0, source.find(' '))));
}

}  // namespace

absl::Status RewrapKeys(const std::vector<std::string>& folders, const std::string& source,
                        const std::string& new_source) {
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(source));
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey new_wrapping, ReadNewWrappingKey(new_source));
  // All are read before the first one is changed.
  std::vector<std::pair<std::string, StoreKeys>> changed;
  for (const std::string& folder : folders) {
    absl::StatusOr<StoreKeys> keys = ReadPresentKeys(folder, wrapping);
    // It was done before.
    if (!keys.ok() && ReadPresentKeys(folder, new_wrapping).ok()) continue;
    DYNOLITH_RETURN_IF_ERROR(keys.status());
    changed.emplace_back(folder, *std::move(keys));
  }
  for (const auto& [folder, keys] : changed) {
    DYNOLITH_RETURN_IF_ERROR(keys.Write(folder, new_wrapping));
  }
  return absl::OkStatus();
}

absl::StatusOr<RenewedKeys> RenewDataKeys(const std::string& folder, const std::string& source) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const FolderLock> lock,
                            FolderLock::Take(folder, FolderLock::Kind::kExclusive));
  DYNOLITH_ASSIGN_OR_RETURN(const SecretKey wrapping, ReadWrappingKey(source));
  DYNOLITH_ASSIGN_OR_RETURN(StoreKeys keys, ReadPresentKeys(folder, wrapping));
  DYNOLITH_RETURN_IF_ERROR(keys.Add());
  DYNOLITH_RETURN_IF_ERROR(keys.Write(folder, wrapping));
  {
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<LocalStore> store,
                              OpenStoreUnder(lock, {.path = folder, .encryption_key = source}));
    DYNOLITH_RETURN_IF_ERROR(store->CompactAll());
  }
  const size_t before = keys.size();
  DYNOLITH_ASSIGN_OR_RETURN(const UsedKeys used, KeysInUse(folder, keys));
  keys.Retire(used.numbers);
  DYNOLITH_RETURN_IF_ERROR(keys.Write(folder, wrapping));
  if (!used.older.empty()) return absl::InternalError(messages::OlderKeyInUse(used.older));
  return RenewedKeys{.newest = keys.newest(), .retired = before - keys.size()};
}

}  // namespace dynolith
