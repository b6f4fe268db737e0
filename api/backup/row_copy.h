// Rows of a whole table: read in one state while writes go on, and written under an id that nobody
// knows yet. For backups, restores and whatever else makes a table of rows.
#ifndef DYNOLITH_API_BACKUP_ROW_COPY_H_
#define DYNOLITH_API_BACKUP_ROW_COPY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"

namespace dynolith {

// A table's metadata and rows of one moment. The rows stay there, whatever becomes of the table.
struct FrozenTable {
  std::shared_ptr<const TableMeta> meta;
  std::shared_ptr<const Snapshot> snapshot;
  IdLease lease;
};

// Holds the table's gate only for the moment. If the table is DELETING, its rows may be gone.
FrozenTable Freeze(const OperationContext& context, Table* table);

// Writes rows of a table that nobody knows yet.
class RowLoader {
 public:
  // Requires: `id` is leased (Catalog::LeaseNewIds), and nobody else writes under it.
  RowLoader(const OperationContext& context, StorageId id);

  // Puts an item under the key that it has in another table of the same key schema: only the id in
  // front of `row_key` differs. A key that was put before is overwritten, but counted twice.
  // Errors: the store's, and now and then those of CheckNotInterrupted.
  absl::Status Put(std::string_view row_key, std::string_view item_bytes);
  // To be called once, behind the last Put; then the rows are there.
  absl::Status Finish();

  int64_t rows() const { return rows_; }
  // As the service counts a table's size.
  int64_t billed_bytes() const { return billed_bytes_; }

 private:
  const OperationContext& context_;
  std::string row_key_;
  const std::unique_ptr<SortedRows> sorted_;
  size_t bytes_ = 0;  // since the last look
  int64_t rows_ = 0;
  int64_t billed_bytes_ = 0;
};

// Copies all rows of `from` that are in the snapshot. Does not call Finish.
absl::Status CopyRows(const Snapshot& at, StorageId from, RowLoader* loader);

}  // namespace dynolith

#endif  // DYNOLITH_API_BACKUP_ROW_COPY_H_
