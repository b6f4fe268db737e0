// What a salvaged store has taken, to tell whether a table file that no manifest names holds more.
// Private to this room: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_SALVAGE_KNOWN_CHANGES_H_
#define DYNOLITH_ENGINE_STORE_SALVAGE_KNOWN_CHANGES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/store/store.h"
#include "rocksdb/sst_file_reader.h"

namespace dynolith {

// The family of a table file's rows; nullopt: none of ours.
std::optional<Family> FamilyOfTableFile(const rocksdb::SstFileReader& file);

// The rows and deletions of logs and of table files. A flush that was killed has written what the
// logs hold, and a compaction what its input files hold, so each row of their files is here, too,
// with the same value. For one thread.
class KnownChanges {
 public:
  // `store` has taken all that is added; it must outlive this object.
  explicit KnownChanges(Store* store) : store_(store) {}

  // A batch of a log, as RocksDB writes it.
  void AddBatch(const std::string& batch);
  void AddTableFile(std::unique_ptr<rocksdb::SstFileReader> file);

  struct Unknown {
    uint64_t rows = 0;  // whose value nothing else has
    uint64_t deletions = 0;
  };
  // What only this file has. Its deletions cannot be read one by one: they are unknown if it has
  // more than everything else. Errors: those of reading `store`, and kDataLoss for the file.
  absl::StatusOr<Unknown> FindUnknown(rocksdb::SstFileReader* file, Family family);

 private:
  class LogReader;

  absl::StatusOr<bool> Has(Family family, std::string_view key, std::string_view value);

  Store* const store_;
  std::unordered_set<size_t> logged_;  // hashes of rows
  std::array<uint64_t, kFamilies> deletions_ = {};
  struct TableFile {
    Family family;
    std::unique_ptr<rocksdb::SstFileReader> reader;
    std::unique_ptr<rocksdb::Iterator> rows;
  };
  std::vector<TableFile> files_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SALVAGE_KNOWN_CHANGES_H_
