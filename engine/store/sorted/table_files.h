// Sorted rows in table files of RocksDB's format. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_TABLE_FILES_H_
#define DYNOLITH_ENGINE_STORE_SORTED_TABLE_FILES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/sorted/key_samples.h"
#include "engine/store/sorted/row_source.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/status.h"

namespace dynolith {

struct TableFile {
  std::string path;
  std::string smallest;
  std::string largest;
  uint64_t rows = 0;
  uint64_t bytes = 0;  // of its rows
  KeySamples samples;
};

// The common settings of all files of one family. Thread-safe.
class FileMaker {
 public:
  // `prefix`: of their names. `family` must outlive this.
  FileMaker(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, std::string prefix)
      : options_(db->GetOptions(family)), family_(family), prefix_(std::move(prefix)) {}

  const rocksdb::Options& options() const { return options_; }
  rocksdb::ColumnFamilyHandle* family() const { return family_; }
  std::string NextPath() { return prefix_ + std::to_string(++made_); }

 private:
  const rocksdb::Options options_;
  rocksdb::ColumnFamilyHandle* const family_;
  const std::string prefix_;
  std::atomic<int> made_ = 0;
};

// Writes files of the same size as compactions do.
class TableWriter {
 public:
  // Appends the files that it makes to `files`, also those that an error leaves unfinished.
  TableWriter(FileMaker* maker, std::vector<TableFile>* files) : maker_(maker), files_(files) {}

  // Requires: `key` is after the one before.
  rocksdb::Status Put(std::string_view key, std::string_view value);
  rocksdb::Status Finish();

 private:
  FileMaker* const maker_;
  std::vector<TableFile>* const files_;
  std::unique_ptr<rocksdb::SstFileWriter> writer_;
};

// The rows of files that do not overlap and are in order.
class TableSource final : public RowSource {
 public:
  // Both must outlive this.
  TableSource(const rocksdb::Options& options, const std::vector<TableFile>& files)
      : options_(options), files_(files) {}

  rocksdb::Status SeekTo(std::string_view begin) override;
  rocksdb::Status Next() override;

 private:
  rocksdb::Status Open();
  // Continues in the next file if there are no more rows in this one.
  rocksdb::Status Arrive();

  const rocksdb::Options& options_;
  const std::vector<TableFile>& files_;
  size_t file_ = 0;
  std::unique_ptr<rocksdb::SstFileReader> reader_;
  std::unique_ptr<rocksdb::Iterator> rows_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_TABLE_FILES_H_
