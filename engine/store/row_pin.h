// What pins a row that was read. Private to engine/store.
#ifndef DYNOLITH_ENGINE_STORE_ROW_PIN_H_
#define DYNOLITH_ENGINE_STORE_ROW_PIN_H_

#include <cstddef>

#include "engine/store/cursor_rep.h"
#include "engine/store/rows/shared_row.h"
#include "engine/store/store.h"
#ifndef DYNOLITH_WITHOUT_FOLDERS
#include "rocksdb/slice.h"
#endif

namespace dynolith {

#ifndef DYNOLITH_WITHOUT_FOLDERS
using FileRow = rocksdb::PinnableSlice;
#else
// No row comes from a file.
struct FileRow {
  void Reset() {}
  const char* data() const { return ""; }
  size_t size() const { return 0; }
};
#endif

struct Row::Pin {
  FileRow slice;
  SharedRow shared;    // instead of the slice: a row of the cache, or of a store in memory
  BreakableCopy copy;  // in a debug build: the target of the row's view
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROW_PIN_H_
