// Rows of a whole table: read in one state while writes continue, and written under an id that is
// not visible yet. For backups, restores and everything else that makes a table from rows.
#ifndef DYNOLITH_API_BACKUP_ROW_COPY_H_
#define DYNOLITH_API_BACKUP_ROW_COPY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"
#include "engine/store/local_store.h"

namespace dynolith {

// A table's metadata and rows at one moment. The rows stay alive, even if the table is dropped.
struct FrozenTable {
  std::shared_ptr<const TableMeta> meta;
  std::shared_ptr<const Snapshot> snapshot;
  IdLease lease;
};

// Holds the table's gate only for the moment. If the table is DELETING, its rows may be gone.
FrozenTable Freeze(const OperationContext& context, Table* table);

enum class FrozenPart : uint8_t { kRowsToo, kMetaOnly };
// For reads of its past: what is under way changes none of the states that the snapshot shows
// (SharedStore::TakeSerialSnapshot), for which that may be waited for. The metadata may be newer
// than the snapshot then. Of kMetaOnly there is no snapshot, and no lease.
FrozenTable FreezeForPast(const OperationContext& context, Table* table, FrozenPart part);

// Writes rows of a table that is not visible yet.
class RowLoader {
 public:
  // Requires: `id` is leased (Catalog::LeaseNewIds), and nobody else writes under it.
  RowLoader(const OperationContext& context, StorageId id);

  // Puts an item under its key in another table of the same key schema: only the id at the
  // beginning of `row_key` differs. A repeated key is overwritten, but counted twice. Errors: the
  // store's, and from time to time those of CheckNotInterrupted.
  absl::Status Put(std::string_view row_key, std::string_view item_bytes);
  // Call it once, after the last Put; then the rows exist.
  absl::Status Finish();

  int64_t rows() const { return rows_; }
  // As the service counts a table's size.
  int64_t billed_bytes() const { return billed_bytes_; }

 private:
  const OperationContext& context_;
  std::string row_key_;
  const std::unique_ptr<SortedRows> sorted_;
  size_t bytes_ = 0;  // since the last check
  int64_t rows_ = 0;
  int64_t billed_bytes_ = 0;
};

// Where a copy reads: the snapshot, or, in a store whose snapshots may end, the rows as they are
// when the copy comes to them. The service promises no more of a backup.
const ReadView& RowsToCopy(Store* store, const Snapshot& snapshot);

// Copies all rows of `from`. Does not call Finish.
absl::Status CopyRows(const ReadView& rows, StorageId from, RowLoader* loader);

}  // namespace dynolith

#endif  // DYNOLITH_API_BACKUP_ROW_COPY_H_
