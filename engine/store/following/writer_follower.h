// Brings RocksDB's secondary instance up to the writer of its folder, from one state of the
// writer's to another. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_FOLLOWING_WRITER_FOLLOWER_H_
#define DYNOLITH_ENGINE_STORE_FOLLOWING_WRITER_FOLLOWER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/store/following/held_manifest.h"
#include "engine/store/following/writer_files.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace dynolith {

// Belongs to one thread at a time.
class WriterFollower {
 public:
  // The numbers of the table files that a manifest names at its end, in ascending order.
  using NamedFiles = std::function<absl::StatusOr<std::vector<uint64_t>>(const std::string& path)>;

  // `manifest`: through which the instances read the folder.
  WriterFollower(std::string folder, std::shared_ptr<HeldManifest> manifest, NamedFiles named)
      : folder_(std::move(folder)), manifest_(std::move(manifest)), named_(std::move(named)) {}

  // Before each opening of an instance. Errors: LookAtWriter's.
  absl::Status BeginInstance();

  enum class Step : uint8_t {
    kOneState,     // the instance is the writer as it was after the call had begun
    kAgain,        // files came and went meanwhile
    kNewInstance,  // this one can never be again
  };
  // `db` and `families`: the instance that was opened last. Nobody reads it meanwhile, nor until
  // the step is kOneState. Errors: LookAtWriter's and NamedFiles'; of RocksDB's `failed` has it.
  absl::StatusOr<Step> CatchUp(rocksdb::DB* db,
                               absl::Span<rocksdb::ColumnFamilyHandle* const> families,
                               rocksdb::Status* failed);
  // Whether CatchUp may find anything. Errors: LookAtWriter's.
  absl::StatusOr<bool> HasFallenBehind() const;

  // A table file that the manifest names and the instance of the last step does not have; nullopt:
  // there is none.
  std::optional<uint64_t> missing_file() const { return missing_file_; }

 private:
  // Without what was added to the manifest.
  rocksdb::Status ReadLogs(rocksdb::DB* db);
  absl::StatusOr<Step> TakeOverFiles(rocksdb::DB* db,
                                     absl::Span<rocksdb::ColumnFamilyHandle* const> families);

  const std::string folder_;
  const std::shared_ptr<HeldManifest> manifest_;
  const NamedFiles named_;
  // The last state, as it was looked at before; of a new instance only the look before its opening.
  WriterFiles state_;
  bool is_new_ = true;
  // The oldest log that was needed then; nullopt: the instance was not seen yet.
  std::optional<uint64_t> kept_;
  // All rows up to this one have been read from logs, since the last state, before any table file
  // that came later was taken over; nullopt: none was.
  std::optional<uint64_t> read_before_files_;
  std::optional<uint64_t> missing_file_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FOLLOWING_WRITER_FOLLOWER_H_
