// What a table's partitions have become: kept beside its entry in the catalog, followed by the
// shards of its stream, and shown as its warm throughput.
#ifndef DYNOLITH_API_TABLE_KEPT_PARTITIONS_H_
#define DYNOLITH_API_TABLE_KEPT_PARTITIONS_H_

#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Keeps what has changed since it was kept the last time. What cannot be written now is kept by the
// next call; a store that cannot be written says so to the next write. Requires: no row locks are
// held, and the catalog is not being changed.
void KeepPartitions(const OperationContext& context, Table* table, const TableMeta& meta);

// Raises the warm throughput of a table and its global indexes to what their traffic has made of
// it: it only grows (api/facts/capacity.md §2). To be kept by KeepPartitions.
void RaiseWarmToGrown(const OperationContext& context, Table* table, TableMeta* meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_KEPT_PARTITIONS_H_
