// Fills all indexes of a table that is not visible yet.
#ifndef DYNOLITH_INDEX_FILL_H_
#define DYNOLITH_INDEX_FILL_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"

namespace dynolith {

// Writes the entries of all rows of the table into all of its indexes. Requires: nobody else writes
// under any of the schema's ids, and the indexes are empty, none of them being resharded. Errors:
// the store's; kDataLoss naming the row whose item cannot be decoded; those of `may_go_on`, which
// this thread calls from time to time. O(rows * indexes).
//
// `segments`: parts of the table, with a thread for each; 0: as many as there are processors, if
// the table is large enough.
absl::Status FillIndexes(Store* store, const TableSchema& schema,
                         absl::FunctionRef<absl::Status()> may_go_on, int segments = 0);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_FILL_H_
