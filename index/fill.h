// Fills all indexes of a table that nobody knows yet.
#ifndef DYNOLITH_INDEX_FILL_H_
#define DYNOLITH_INDEX_FILL_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"

namespace dynolith {

// Writes the entries of all rows of the table into all of its indexes.
// Requires: nobody else writes under any of the schema's ids, and the indexes are empty, none of
// them about to move. Errors:
// the store's; kDataLoss naming the row whose item cannot be understood; those of `may_go_on`,
// which is asked now and then, by this thread. O(rows * indexes).
//
// `segments`: of the table, of which each has a thread; 0: as many as there are processors, if the
// table is large enough.
absl::Status FillIndexes(Store* store, const TableSchema& schema,
                         absl::FunctionRef<absl::Status()> may_go_on, int segments = 0);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_FILL_H_
