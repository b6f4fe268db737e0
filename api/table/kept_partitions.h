// The present partitions of a table: stored beside its entry in the catalog, followed by the shards
// of its stream, and shown as its warm throughput.
#ifndef DYNOLITH_API_TABLE_KEPT_PARTITIONS_H_
#define DYNOLITH_API_TABLE_KEPT_PARTITIONS_H_

#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Stores changes since the last call. If they cannot be written now, the next call stores them; a
// store that cannot be written reports that to the next write. Requires: no row locks are held, and
// the catalog is not being changed.
void KeepPartitions(const OperationContext& context, Table* table, const TableMeta& meta);

// Raises the warm throughput of a table and its global indexes to the level that their traffic has
// reached: it only grows (api/facts/capacity.md §2). KeepPartitions must store it.
void RaiseWarmToGrown(const OperationContext& context, Table* table, TableMeta* meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_KEPT_PARTITIONS_H_
