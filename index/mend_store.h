// Makes of a store whose files were salvaged one that opens: the catalog is made from what is
// sound, and what follows from items is made anew, or goes.
#ifndef DYNOLITH_INDEX_MEND_STORE_H_
#define DYNOLITH_INDEX_MEND_STORE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/store/store.h"
#include "index/mend_catalog.h"

namespace dynolith {

// Calls `report` with a line for each thing that is not as it was. Behind OK the catalog loads and
// CheckAll finds nothing. Requires: nobody else uses the store, which can be written. Errors:
// kDataLoss if it cannot be made sound; the store's.
//
// Of a catalog: an entry that cannot be understood goes, and so does one whose ids another has.
// Indexes that disagree with their items are filled anew, of all tables; so are expiry rows.
// Records of streams and of the history go if any of them is wrong: streams then begin anew, and a
// past that can be gone back to begins now.
absl::Status MendStore(Store* store, const MendOptions& options,
                       absl::FunctionRef<void(const std::string&)> report);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_MEND_STORE_H_
