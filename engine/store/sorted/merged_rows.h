// The rows of several sources, merged. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_MERGED_ROWS_H_
#define DYNOLITH_ENGINE_STORE_SORTED_MERGED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/sorted/row_source.h"

namespace dynolith {

// Of rows with one key, that of the last source.
class MergedRows final : public RowSource {
 public:
  // `common_bytes`: the length of the common prefix of all keys.
  MergedRows(std::vector<std::unique_ptr<RowSource>> sources, size_t common_bytes)
      : sources_(std::move(sources)), common_bytes_(common_bytes) {}

  rocksdb::Status SeekTo(std::string_view begin) override;
  rocksdb::Status Next() override;

 private:
  struct Entry {
    uint64_t head;
    size_t source;
  };
  bool IsBefore(const Entry& left, const Entry& right) const;
  // Moves the entry to its place in the heap.
  void Sift(size_t at);
  // Advances the source of the first entry.
  rocksdb::Status MoveFirst();
  rocksdb::Status Arrive();

  const std::vector<std::unique_ptr<RowSource>> sources_;
  const size_t common_bytes_;
  // A heap of the sources that have a row: the one with the next row is first.
  std::vector<Entry> heap_;
  std::string last_key_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_MERGED_ROWS_H_
