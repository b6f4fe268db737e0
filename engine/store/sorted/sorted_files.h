// Rows in any order, as sorted table files that RocksDB takes in as they are: past its log, its
// memtables and most of its compactions. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_SORTED_FILES_H_
#define DYNOLITH_ENGINE_STORE_SORTED_SORTED_FILES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/status.h"

namespace dynolith {

// Rows of one column family. Not thread-safe; has a thread of its own while it writes.
class SortedFiles {
 public:
  // `prefix`: what the names of its files begin with; their folder is there. `family` must
  // outlive this.
  SortedFiles(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, std::string prefix);
  SortedFiles(const SortedFiles&) = delete;
  SortedFiles& operator=(const SortedFiles&) = delete;
  // Stops what is under way, and deletes the files that nobody has taken.
  ~SortedFiles();

  // The later of two rows with one key stays.
  void Put(std::string_view key, std::string_view value);
  // Of memory, for rows that are in no file yet.
  size_t held_bytes() const { return held_.bytes.size() + held_.rows.size() * sizeof(RowAt); }
  // Shows them in the order in which they were put. Errors: `visit`'s.
  absl::Status VisitHeld(
      absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> visit) const;
  // Begins to write them to a file, once the last ones are written. Errors: of those.
  rocksdb::Status Spill();

  // Begins to write what is left, and to merge files of which one begins before another ends.
  // Behind it nothing is put.
  rocksdb::Status BeginFinish();
  // Waits for it a moment.
  bool IsFinished() const;
  // Waits for it.
  rocksdb::Status Finish() { return Await(); }
  // Requires: finished. In the order of their rows.
  std::vector<std::string> files() const;
  // Of those files.
  rocksdb::Status Visit(
      absl::FunctionRef<rocksdb::Status(std::string_view key, std::string_view value)> visit) const;
  uint64_t rows() const;

 private:
  struct RowAt {
    size_t begin;
    uint64_t key_begin;  // its first bytes as a number, which mostly tells two keys apart
    uint32_t key_bytes;
    uint32_t value_bytes;
  };
  struct Held {
    std::string_view KeyOf(const RowAt& row) const {
      return std::string_view(bytes).substr(row.begin, row.key_bytes);
    }
    std::string_view ValueOf(const RowAt& row) const {
      return std::string_view(bytes).substr(row.begin + row.key_bytes, row.value_bytes);
    }
    void Sort();

    std::string bytes;
    std::vector<RowAt> rows;
    bool is_sorted = true;
  };
  struct File {
    std::string path;
    std::string smallest;
    std::string largest;
    uint64_t rows = 0;
    int merges = 0;  // that its rows have gone through
  };
  class Writer;
  // What a file is for: to be taken in, or to be read again.
  enum class Purpose : uint8_t { kStay, kMerge };

  // Waits for what was begun.
  rocksdb::Status Await();
  // `is_last`: it is the only file.
  rocksdb::Status Write(Held held, bool is_last);
  bool AreFilesApart() const;
  // The files from `begin` on, into files of about so many bytes.
  rocksdb::Status Merge(size_t begin, uint64_t file_bytes_max, Purpose purpose);
  // So that there are never many to be read at once.
  rocksdb::Status MergeSmallOnes();
  static void Delete(const std::vector<File>& files, rocksdb::Env* env);

  rocksdb::ColumnFamilyHandle* const family_;
  const std::string prefix_;
  const rocksdb::Options options_;
  Held held_;
  std::future<rocksdb::Status> writing_;
  std::atomic<bool> is_stopped_ = false;
  // Of whoever writes:
  std::vector<File> files_;  // the oldest rows first
  int made_ = 0;
};

// Makes the rows of all of them visible at once, without a sequence number: nothing may be under
// their keys, nor under any between them. kInvalidArgument: there is, or RocksDB cannot tell; the
// files are as they were.
rocksdb::Status IngestSorted(
    rocksdb::DB* db,
    const std::vector<std::pair<rocksdb::ColumnFamilyHandle*, std::vector<std::string>>>& files);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_SORTED_FILES_H_
