// Rows in memory, in the order of their arrival until they are sorted. Private to engine/store:
// includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_GATHERED_ROWS_H_
#define DYNOLITH_ENGINE_STORE_SORTED_GATHERED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/sorted/key_samples.h"
#include "engine/store/sorted/row_source.h"

namespace dynolith {

// Not thread-safe.
class GatheredRows {
 public:
  // `bytes_expected`: the expected size; exceeding it costs a copy.
  explicit GatheredRows(size_t bytes_expected) : bytes_expected_(bytes_expected) {}

  void Put(std::string_view key, std::string_view value);
  // Afterwards each key is in it once, with the value that was put last.
  void Sort();
  // Keeps its memory for the next rows.
  void Clear();

  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }
  // Of memory in use.
  size_t held_bytes() const { return bytes_.size() + rows_.size() * sizeof(RowLocation); }
  // Whether each key is after the one before.
  bool is_in_order() const { return is_in_order_; }
  // In the order of arrival or, once sorted, of the keys.
  std::string_view key(size_t i) const { return RowKey(rows_[i]); }
  std::string_view value(size_t i) const {
    return std::string_view(bytes_).substr(rows_[i].begin + rows_[i].key_bytes,
                                           rows_[i].value_bytes);
  }
  // Requires: sorted.
  KeySamples Samples() const;

 private:
  struct RowLocation {
    uint64_t head = 0;  // once it is sorted
    size_t begin = 0;
    uint32_t key_bytes = 0;
    uint32_t value_bytes = 0;
  };
  std::string_view RowKey(const RowLocation& row) const {
    return std::string_view(bytes_).substr(row.begin, row.key_bytes);
  }

  size_t bytes_expected_;
  std::string bytes_;
  std::vector<RowLocation> rows_;
  bool is_in_order_ = true;
  size_t common_bytes_ = 0;  // the length of the common prefix of all keys
};

// Sorted rows, which must not change meanwhile.
class GatheredSource final : public RowSource {
 public:
  explicit GatheredSource(const GatheredRows& rows) : rows_(rows) {}

  rocksdb::Status SeekTo(std::string_view begin) override;
  rocksdb::Status Next() override {
    ++at_;
    return Arrive();
  }

 private:
  rocksdb::Status Arrive() {
    return at_ < rows_.size() ? ArriveAt(rows_.key(at_), rows_.value(at_)) : End();
  }

  const GatheredRows& rows_;
  size_t at_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_GATHERED_ROWS_H_
