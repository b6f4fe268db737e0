// Opens a store on another file system than the machine's: for tests that make writes fail. Not
// part of the public API.
#ifndef DYNOLITH_ENGINE_STORE_STORE_ON_FILE_SYSTEM_H_
#define DYNOLITH_ENGINE_STORE_STORE_ON_FILE_SYSTEM_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "engine/store/local_store.h"

namespace rocksdb {
class FileSystem;
}  // namespace rocksdb

namespace dynolith {

// As LocalStore::Open; RocksDB's files go through `file_system` (nullptr: the machine's). Requires:
// !options.in_memory, unless `file_system` is nullptr. `reserved_bytes`: the room on the disk that
// puts leave; nullopt: as LocalStore::Open.
absl::StatusOr<std::unique_ptr<LocalStore>> OpenStoreOn(
    const StoreOptions& options, const std::shared_ptr<rocksdb::FileSystem>& file_system,
    std::optional<uint64_t> reserved_bytes = 0);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_STORE_ON_FILE_SYSTEM_H_
