// The tables of one write, protected from schema changes until the write is committed.
#ifndef DYNOLITH_API_TABLE_TABLE_GATE_H_
#define DYNOLITH_API_TABLE_TABLE_GATE_H_

#include <memory>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "api/request/region_peers.h"
#include "engine/catalog/catalog.h"

namespace dynolith {

// The table of that name, or of that ARN, if the data plane may use it. Errors:
// ResourceNotFoundException, also while it is being created or deleted (api/facts/operations.md
// §1.4); those of ResolveTableName.
absl::StatusOr<std::shared_ptr<Table>> FindUsableTable(const OperationContext& context,
                                                       std::string_view name_or_arn);

// Adds tables, then locks their gates in one order; unlocks them when destroyed.
class TableGates {
 public:
  TableGates() = default;
  TableGates(const TableGates&) = delete;
  TableGates& operator=(const TableGates&) = delete;
  // Clang cannot follow locks in a list.
  ~TableGates() { UnlockAll(); }

  // A position for meta(). Adding a table twice gives the same position. Errors: as
  // FindUsableTable.
  absl::StatusOr<size_t> Add(const OperationContext& context, std::string_view name_or_arn);
  // Errors: ResourceNotFoundException if a table was dropped meanwhile; those of
  // RegionPeers::UseStrong.
  absl::Status Lock();
  // The table's metadata, unchanged until this is destroyed. Requires: locked.
  const TableMeta& meta(size_t position) const { return *entries_[position].meta; }
  Table* table(size_t position) const { return entries_[position].table.get(); }
  // Call it before a write is answered as done: what was written into strong tables goes to their
  // other regions (api/replica), and the gates are unlocked. meta() stays. Errors: those of
  // StrongUse::CarryOver.
  absl::Status Finish() { return strong_use_ == nullptr ? absl::OkStatus() : FinishStrong(); }
  // Whether one of them is strong. Requires: locked.
  bool HasStrong() const;

 private:
  struct Entry {
    std::shared_ptr<Table> table;
    std::shared_ptr<const TableMeta> meta;
  };
  void LockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS;
  void UnlockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS;
  absl::Status BeginStrong();
  absl::Status FinishStrong();

  const OperationContext* context_ = nullptr;
  absl::InlinedVector<Entry, 1> entries_;
  absl::InlinedVector<Table*, 1> locked_;
  // Of the strong tables; the gates are locked after it, and unlocked before it ends.
  std::unique_ptr<StrongUse> strong_use_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_GATE_H_
