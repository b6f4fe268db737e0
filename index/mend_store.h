// Makes a store from salvaged files one that opens: the catalog is rebuilt from its sound part, and
// derived data is rebuilt or dropped.
#ifndef DYNOLITH_INDEX_MEND_STORE_H_
#define DYNOLITH_INDEX_MEND_STORE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/store/store.h"
#include "index/mend_catalog.h"

namespace dynolith {

// Calls `report` with a line for each difference. If it returns OK, the catalog loads and CheckAll
// finds nothing. Requires: nobody else uses the store, which is writable. Errors: kDataLoss if it
// cannot be made sound; the store's.
//
// Of the catalog, an entry that cannot be decoded is dropped, and so is one whose ids another has.
// Indexes that disagree with their items are filled anew, for all tables; so are expiry rows.
// Records of streams and of the history are dropped if any of them is wrong: streams then begin
// anew, and the restorable period begins now. In global tables an item or version that was lost
// becomes what the last of its changes on their way to other regions says; versions and changes
// that cannot be decoded are dropped, and then all items of that table go there again.
absl::Status MendStore(Store* store, const MendOptions& options,
                       absl::FunctionRef<void(const std::string&)> report);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_MEND_STORE_H_
