// Ids of rows that no table, index or backup has, in a store of several processes: what is to be
// deleted, and what a process still writes or reads.
//
// Row in Family::kMeta (meta_keys.h):
//   kUnownedIdKeys family:u8 id:u32be -> process:16   ; that process uses the rows of the id
//                                      | nothing      ; nobody does: they are to be deleted
//
// The commit that takes an id from its owner puts the row, and so does the one that takes a new id
// for rows which are written before their table or backup exists. The commit that gives such rows
// an owner deletes it. So at each moment an id with rows has an owner or is among these, whoever
// has ended meanwhile.
#ifndef DYNOLITH_ENGINE_CATALOG_UNOWNED_IDS_H_
#define DYNOLITH_ENGINE_CATALOG_UNOWNED_IDS_H_

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"
#include "engine/store/transaction/leases.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith {

using FamilyId = std::pair<Family, StorageId>;

// `process`: SharedStore::ProcessName of the one that uses it; empty: nobody does.
void PutUnowned(const FamilyId& id, std::string_view process, WriteBatch* batch);
void DeleteUnowned(const FamilyId& id, WriteBatch* batch);
// Whether the process still uses it. One that was taken for ended does not, and the rows may be
// gone. Errors: those of the read.
absl::StatusOr<bool> IsUsedBy(const ReadView& rows, const FamilyId& id, std::string_view process);

// Deletes some rows, under the lease, of ids that nobody uses, among them those of processes that
// count as ended (ended_processes.h). Returns whether there may be more. Errors: kCancelled: the
// lease is lost; kDataLoss; the store's.
absl::StatusOr<bool> ReclaimUnowned(SharedStore* store, const Lease& lease);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_UNOWNED_IDS_H_
