// A new table that is made with all of its items: Database::LoadTable.
//
//   auto load = database->LoadTable({.table_name = "music", ...});
//   for (const Item& song : songs) {
//     if (absl::Status put = (*load)->Put(song.view()); !put.ok()) ...
//   }
//   auto table = (*load)->Finish();
//
// Items and index entries are sorted and become files of the store directly: several times as fast
// as writes, which go through a log and are sorted by compactions.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_LOAD_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_LOAD_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dynolith/requests.h"
#include "engine/value/item.h"

namespace dynolith {

// The table is invisible before Finish; if this is destroyed before, or the process ends, there is
// no table. Must be destroyed before its database. Not thread-safe.
class TableLoad {
 public:
  virtual ~TableLoad() = default;

  // Of two items with one key the later one stays. Errors: ValidationException for an item that the
  // table may not have, in the words of PutItem: it is left out, and others may follow; the
  // store's, after which the load is unusable.
  virtual absl::Status Put(ItemView item) = 0;
  // The number of items put, with distinct keys.
  virtual int64_t items() const = 0;

  // Writes the remaining items, and the entries of all indexes; then the table exists, and survives
  // a loss of power. Call it once, after the last Put. Asks `may_go_on` from time to time, and
  // gives up with its error. Other errors: ResourceInUseException if a table of that name exists by
  // now; the store's; Database::Interrupt's. O(items * indexes).
  using MayGoOn = absl::FunctionRef<absl::Status()>;
  virtual absl::StatusOr<TableDescription> Finish(MayGoOn may_go_on) = 0;
  absl::StatusOr<TableDescription> Finish() {
    return Finish([] { return absl::OkStatus(); });
  }
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_LOAD_H_
