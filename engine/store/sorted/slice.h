// RocksDB's view of bytes and ours. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_SLICE_H_
#define DYNOLITH_ENGINE_STORE_SORTED_SLICE_H_

#include <string_view>

#include "rocksdb/slice.h"

namespace dynolith {

inline rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view FromSlice(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_SLICE_H_
