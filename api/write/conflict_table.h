// The rows that are being written, for databases that answer overlapping transactions as the
// service does: with a conflict instead of waiting (api/facts/operations.md §3, "Conflict rules").
#ifndef DYNOLITH_API_WRITE_CONFLICT_TABLE_H_
#define DYNOLITH_API_WRITE_CONFLICT_TABLE_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"

namespace dynolith {

// Thread-safe.
class ConflictTable {
 public:
  enum class Kind : uint8_t {
    kPlain,        // conflicts with transactions, not with other plain writes
    kTransaction,  // conflicts with everything
    kRead,         // of a transaction: conflicts with writes; nothing conflicts with it
  };

  // Keeps the rows entered until destroyed.
  class Entry {
   public:
    Entry() = default;
    Entry(Entry&& other) noexcept;
    Entry& operator=(Entry&& other) noexcept;
    ~Entry();

   private:
    friend class ConflictTable;
    ConflictTable* table_ = nullptr;
    Kind kind_ = Kind::kPlain;
    std::vector<std::string> row_keys_;
  };

  // Enters all rows, or none if any is taken: then `taken` receives the positions of those.
  Entry Enter(absl::Span<const std::string_view> row_keys, Kind kind, std::vector<size_t>* taken)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Holders {
    int plain = 0;
    bool transaction = false;
  };

  void Leave(const Entry& entry) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  std::unordered_map<std::string, Holders> rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_CONFLICT_TABLE_H_
