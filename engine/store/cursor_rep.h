// What pins a row that was read, and the part of a cursor that each store implements. Private to
// the stores.
#ifndef DYNOLITH_ENGINE_STORE_CURSOR_REP_H_
#define DYNOLITH_ENGINE_STORE_CURSOR_REP_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "engine/store/rows/shared_row.h"
#include "engine/store/store.h"
#ifndef DYNOLITH_WITHOUT_FOLDERS
#include "rocksdb/slice.h"
#endif

namespace dynolith {

#ifndef NDEBUG
inline constexpr bool kBreaksStaleViews = true;
#else
inline constexpr bool kBreaksStaleViews = false;
#endif

// A copy of bytes that is overwritten and freed when the original would become invalid, so that a
// dangling view shows rubbish (and AddressSanitizer says where).
class BreakableCopy {
 public:
  BreakableCopy() = default;
  BreakableCopy(BreakableCopy&& other) noexcept;
  BreakableCopy& operator=(BreakableCopy&& other) noexcept;
  ~BreakableCopy() { Break(); }

  std::string_view Hold(std::string_view bytes);
  void Break();
  bool holds() const { return bytes_ != nullptr; }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
};

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

// The walker of a cursor. A move returns whether there is a row, and shows it.
class Cursor::Rep {
 public:
  Rep() = default;
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;
  virtual ~Rep() = default;

  virtual bool SeekToStart() = 0;
  virtual bool SeekAfter(std::string_view key) = 0;
  virtual bool Next() = 0;
  virtual absl::Status status() const = 0;

  // Of the present row.
  std::string_view key;
  std::string_view value;
  // In a debug build: the targets of the cursor's views.
  BreakableCopy key_copy;
  BreakableCopy value_copy;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_CURSOR_REP_H_
