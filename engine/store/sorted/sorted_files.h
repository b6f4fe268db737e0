// Rows in any order, written as sorted table files that RocksDB ingests: bypassing its log, its
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
#include "engine/store/sorted/gathered_rows.h"
#include "engine/store/sorted/row_source.h"
#include "engine/store/sorted/sorted_run.h"
#include "engine/store/sorted/table_files.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace dynolith {

struct SortingResources {
  // The bytes held before each Spill.
  size_t gathered_bytes = 0;
  // For merging, when nothing is gathered any more.
  size_t merging_bytes = 0;
  // The number of threads that write table files, if there is enough to write and memory for it.
  int threads = 1;
  // Even for few rows; for tests.
  bool uses_all_threads = false;
};

// Rows of one column family. Not thread-safe; has threads of its own while it writes.
class SortedFiles {
 public:
  // `prefix`: of the names of its files; their folder exists. `family` must outlive this.
  SortedFiles(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, std::string prefix,
              const SortingResources& means);
  SortedFiles(const SortedFiles&) = delete;
  SortedFiles& operator=(const SortedFiles&) = delete;
  // Stops running work, and deletes files that have not been ingested.
  ~SortedFiles();

  // Of two rows with one key the later one stays.
  void Put(std::string_view key, std::string_view value) { held_.Put(key, value); }
  // Memory of rows that are in no file yet.
  size_t held_bytes() const { return held_.held_bytes(); }
  // Shows them in the order in which they were put. Errors: those of `visit`.
  absl::Status VisitHeld(
      absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> visit) const;
  // Begins to write them to a file, once the previous ones are written. Errors: those of the
  // previous ones.
  rocksdb::Status Spill();

  // Takes over all rows of `other`, which must get no more. Requires: no key is in both. Errors:
  // those of running writes of either.
  rocksdb::Status Join(SortedFiles* other);

  // Begins to write all rows into table files that do not overlap. Nothing may be put afterwards.
  rocksdb::Status BeginFinish();
  // Waits briefly.
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
  // The inputs of table files. Of rows with one key the last one here stays.
  struct Inputs {
    // In each, every file begins after the end of the one before.
    std::vector<std::vector<TableFile>> tables;
    std::vector<SortedRun> runs;
    std::vector<GatheredRows*> rows;  // sorted, none empty

    uint64_t Bytes() const;
    std::unique_ptr<RowSource> Open(const rocksdb::Options& options) const;
    std::vector<std::string> Divide(size_t parts) const;
  };
  // The rows from the first key on and before the second one; an empty one is no bound.
  using Part = std::pair<std::string, std::string>;

  // Waits for running work.
  rocksdb::Status Await();
  rocksdb::Status WriteSpilled();
  rocksdb::Status WriteLast();
  // Whether there are only table files, and the rows come after them.
  bool AreBehindTables(const GatheredRows& rows) const;
  rocksdb::Status WriteIfInOrder();
  rocksdb::Status WriteRun();
  // Keeps the number of runs to merge small.
  rocksdb::Status MergeSmallRuns();
  // Merges those from `begin` on into one.
  rocksdb::Status MergeRuns(size_t begin);
  // Appends to the existing table files.
  rocksdb::Status WriteTables(const Inputs& inputs);
  rocksdb::Status WritePart(const Inputs& inputs, const Part& part, std::vector<TableFile>* made);
  std::vector<Part> Divide(const Inputs& inputs) const;
  // Writes the rows of `source`, until stopped.
  template <typename Sink>
  rocksdb::Status Copy(RowSource* source, const Part& part, Sink sink) const;
  template <typename Files>
  void Delete(const Files& files) const;

  const SortingResources means_;
  FileMaker maker_;
  GatheredRows held_;
  std::future<rocksdb::Status> writing_;
  std::atomic<bool> is_stopped_ = false;
  // Used by the writing thread:
  GatheredRows in_writing_;
  // Those of joined objects.
  std::vector<GatheredRows> others_rows_;
  std::vector<std::vector<TableFile>> others_tables_;
  // The rows that arrived in order, then all of them.
  std::vector<TableFile> tables_;
  std::vector<SortedRun> runs_;  // the oldest rows first
};

// Makes the rows of all of them visible at once, without a sequence number: nothing may exist under
// their keys, nor under any between them. kInvalidArgument: something does, or RocksDB cannot tell;
// the files are unchanged.
rocksdb::Status IngestSorted(
    rocksdb::DB* db,
    const std::vector<std::pair<rocksdb::ColumnFamilyHandle*, std::vector<std::string>>>& files);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_SORTED_FILES_H_
