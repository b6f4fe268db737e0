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
#include "engine/store/sorted/gathered_rows.h"
#include "engine/store/sorted/row_source.h"
#include "engine/store/sorted/sorted_run.h"
#include "engine/store/sorted/table_files.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace dynolith {

struct SortingMeans {
  // How much will be held before each Spill.
  size_t gathered_bytes = 0;
  // For merging, when nothing is gathered any more.
  size_t merging_bytes = 0;
  // That write table files beside each other, if there is enough to write and memory for it.
  int threads = 1;
  // However little there is; for tests.
  bool uses_all_threads = false;
};

// Rows of one column family. Not thread-safe; has threads of its own while it writes.
class SortedFiles {
 public:
  // `prefix`: what the names of its files begin with; their folder is there. `family` must
  // outlive this.
  SortedFiles(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, std::string prefix,
              const SortingMeans& means);
  SortedFiles(const SortedFiles&) = delete;
  SortedFiles& operator=(const SortedFiles&) = delete;
  // Stops what is under way, and deletes the files that nobody has taken.
  ~SortedFiles();

  // The later of two rows with one key stays.
  void Put(std::string_view key, std::string_view value) { held_.Put(key, value); }
  // Of memory, for rows that are in no file yet.
  size_t held_bytes() const { return held_.held_bytes(); }
  // Shows them in the order in which they were put. Errors: `visit`'s.
  absl::Status VisitHeld(
      absl::FunctionRef<absl::Status(std::string_view key, std::string_view value)> visit) const;
  // Begins to write them to a file, once the last ones are written. Errors: of those.
  rocksdb::Status Spill();

  // Takes over all rows of `other`, into which nobody puts any more. Requires: no key is in both.
  // Errors: of what either was writing.
  rocksdb::Status Join(SortedFiles* other);

  // Begins to write all rows into table files of which each ends before the next one begins.
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
  // What becomes table files. Of rows with one key the last one here stays.
  struct Inputs {
    // Of each, every file begins behind the end of the one before.
    std::vector<std::vector<TableFile>> tables;
    std::vector<SortedRun> runs;
    std::vector<GatheredRows*> rows;  // sorted, none empty

    uint64_t Bytes() const;
    std::unique_ptr<RowSource> Open(const rocksdb::Options& options) const;
    std::vector<std::string> Divide(size_t parts) const;
  };
  // The rows from the first key on and before the second one; an empty one is no bound.
  using Part = std::pair<std::string, std::string>;

  // Waits for what was begun.
  rocksdb::Status Await();
  rocksdb::Status WriteSpilled();
  rocksdb::Status WriteLast();
  // Whether there is nothing but table files, and the rows are behind them.
  bool AreBehindTables(const GatheredRows& rows) const;
  rocksdb::Status WriteIfInOrder();
  rocksdb::Status WriteRun();
  // So that there are never many to be read at once.
  rocksdb::Status MergeSmallRuns();
  // Those from `begin` on become one.
  rocksdb::Status MergeRuns(size_t begin);
  // Behind the table files that there are.
  rocksdb::Status WriteTables(const Inputs& inputs);
  rocksdb::Status WritePart(const Inputs& inputs, const Part& part, std::vector<TableFile>* made);
  std::vector<Part> Divide(const Inputs& inputs) const;
  // What `source` shows, for as long as nobody stops it.
  template <typename Sink>
  rocksdb::Status Copy(RowSource* source, const Part& part, Sink sink) const;
  template <typename Files>
  void Delete(const Files& files) const;

  const SortingMeans means_;
  FileMaker maker_;
  GatheredRows held_;
  std::future<rocksdb::Status> writing_;
  std::atomic<bool> is_stopped_ = false;
  // Of whoever writes:
  GatheredRows in_writing_;
  // Of those that were joined.
  std::vector<GatheredRows> others_rows_;
  std::vector<std::vector<TableFile>> others_tables_;
  // The rows that came in order, then all of them.
  std::vector<TableFile> tables_;
  std::vector<SortedRun> runs_;  // the oldest rows first
};

// Makes the rows of all of them visible at once, without a sequence number: nothing may be under
// their keys, nor under any between them. kInvalidArgument: there is, or RocksDB cannot tell; the
// files are as they were.
rocksdb::Status IngestSorted(
    rocksdb::DB* db,
    const std::vector<std::pair<rocksdb::ColumnFamilyHandle*, std::vector<std::string>>>& files);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_SORTED_FILES_H_
