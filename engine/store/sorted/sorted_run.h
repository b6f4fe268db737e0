// Sorted rows in a file that is read again once and then deleted: cheaper to write and to read than
// a table file. Private to engine/store: includes RocksDB.
//
// clang-format off
//   file   = block* end
//   block  = header row*
//   header = bytes:u32 checksum:u32      (of the block's rows; as the machine has its numbers)
//   row    = key-bytes:u32 value-bytes:u32 key value
//   end    = a header of zeros
// clang-format on
//
// No program reads what another process has written.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_SORTED_RUN_H_
#define DYNOLITH_ENGINE_STORE_SORTED_SORTED_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/store/sorted/key_samples.h"
#include "engine/store/sorted/row_source.h"
#include "rocksdb/env.h"
#include "rocksdb/status.h"

namespace dynolith {

struct SortedRun {
  std::string path;
  std::string smallest;
  std::string largest;
  uint64_t bytes = 0;
  KeySamples samples;  // the first keys of blocks, and where these begin
  int merges = 0;      // that its rows have gone through
};

class RunWriter {
 public:
  // `run` has its path; the writer fills in the rest.
  explicit RunWriter(SortedRun* run) : run_(run) {}

  rocksdb::Status Open(rocksdb::Env* env);
  // Requires: `key` is after the one before.
  rocksdb::Status Put(std::string_view key, std::string_view value);
  rocksdb::Status Finish();

 private:
  rocksdb::Status WriteBlock();

  SortedRun* const run_;
  std::unique_ptr<rocksdb::WritableFile> file_;
  std::string block_;  // header and rows
  size_t last_key_at_ = 0;
  size_t last_key_bytes_ = 0;
};

class RunSource final : public RowSource {
 public:
  // The run must be finished, and outlive this.
  RunSource(rocksdb::Env* env, const SortedRun& run) : env_(env), run_(run) {}

  rocksdb::Status SeekTo(std::string_view begin) override;
  rocksdb::Status Next() override;

 private:
  // Reads the block at `offset_`, and the header after it.
  rocksdb::Status ReadBlock();
  rocksdb::Status Damaged(std::string_view what);

  rocksdb::Env* const env_;
  const SortedRun& run_;
  std::unique_ptr<rocksdb::RandomAccessFile> file_;
  uint64_t offset_ = 0;  // of the next block's rows
  uint32_t bytes_ = 0;   // of the next block
  uint32_t checksum_ = 0;
  std::string buffer_;
  std::string_view rows_;  // the remaining rows of the block
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_SORTED_RUN_H_
