// Rows in the order of their keys, from any place. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_ROW_SOURCE_H_
#define DYNOLITH_ENGINE_STORE_SORTED_ROW_SOURCE_H_

#include <string_view>

#include "rocksdb/status.h"

namespace dynolith {

// Not thread-safe; several sources may read the same rows, each on a thread of its own.
class RowSource {
 public:
  virtual ~RowSource() = default;

  // Goes to the first row whose key is not less than `begin`. Call it once, before all others.
  virtual rocksdb::Status SeekTo(std::string_view begin) = 0;
  // Requires: Valid().
  virtual rocksdb::Status Next() = 0;
  // False after the last row, and after an error.
  bool Valid() const { return is_valid_; }
  // Valid until the next move.
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 protected:
  rocksdb::Status ArriveAt(std::string_view key, std::string_view value) {
    is_valid_ = true;
    key_ = key;
    value_ = value;
    return rocksdb::Status::OK();
  }
  rocksdb::Status End(rocksdb::Status status = rocksdb::Status::OK()) {
    is_valid_ = false;
    return status;
  }

 private:
  bool is_valid_ = false;
  std::string_view key_;
  std::string_view value_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_ROW_SOURCE_H_
