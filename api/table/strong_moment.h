// The moment of a strongly consistent read of a table whose regions are strongly consistent with
// each other.
#ifndef DYNOLITH_API_TABLE_STRONG_MOMENT_H_
#define DYNOLITH_API_TABLE_STRONG_MOMENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "engine/catalog/table_meta.h"
#include "engine/store/store.h"

namespace dynolith {

// Has everything that any region has written before this is called. nullptr: the table is another
// one, of which the present will do. Errors: those of RegionPeers::UseStrong.
absl::StatusOr<std::shared_ptr<const Snapshot>> StrongMoment(const OperationContext& context,
                                                             const TableMeta& meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_STRONG_MOMENT_H_
