// Calls on the tables as they are, in a store in which other processes change them as well.
//
// A call looks up its tables in the catalog of this process, which may be older than the store.
// What a call does with rows shows that: a write expects the version of the catalog at its commit,
// and a read brings it along with its rows (CurrentTables). Such a call fails with ChangedElsewhere
// before it has had any effect, the changes are taken over, and it is run again.
#ifndef DYNOLITH_API_REQUEST_CURRENT_TABLES_H_
#define DYNOLITH_API_REQUEST_CURRENT_TABLES_H_

#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/request/call_gate.h"
#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"
#include "engine/store/transaction/patience.h"

namespace dynolith {

// Checks that rows were read as the tables say. Belongs to one thread; does not move.
class CurrentTables {
 public:
  // `moment`: of the rows; what is read of a past one is checked by nobody.
  CurrentTables(const OperationContext& context, const Snapshot* moment);
  CurrentTables(const CurrentTables&) = delete;
  CurrentTables& operator=(const CurrentTables&) = delete;

  bool is_checked() const { return version_.has_value(); }
  // To be read with the rows, no earlier than they are; nullptr: there is nothing to check.
  RowRead* read() { return version_ ? &version_->read : nullptr; }
  // Once it is read. Errors: ChangedElsewhere; kDataLoss.
  absl::Status Check() const;
  // Reads it now, and checks. Errors: also the store's.
  absl::Status ReadAndCheck(const ReadView& rows);

 private:
  struct Version {
    Row row;
    RowRead read;
  };
  const std::optional<uint64_t> known_;
  std::optional<Version> version_;
};

// Get of a table's row at that moment, of the present if there is none. Errors: the store's;
// ChangedElsewhere.
absl::StatusOr<bool> GetCurrent(const OperationContext& context, const Snapshot* moment,
                                Family family, std::string_view key, Row* row);
// The same for several rows.
absl::Status MultiGetCurrent(const OperationContext& context, const Snapshot* moment,
                             absl::Span<RowRead> reads);

// Runs work of this process on the tables as they are, again if they were changed meanwhile, after
// which it goes on from where it has left the store. Requires: no gate is held. Errors: its own;
// the store's.
absl::Status WithCurrentTables(Catalog* catalog, absl::FunctionRef<absl::Status()> work);

// Whether a call is to be run again, since the tables were changed by another process: these
// changes are taken over. `failure`: its answer on the tables of version `known`.
absl::StatusOr<bool> IsOfOldTables(const OperationContext& context, uint64_t known,
                                   const absl::Status& failure);
// Takes over what other processes have changed in the tables and their streams.
absl::Status CatchUp(const OperationContext& context);

// How a call finds the tables as they are.
enum class TablesUse : uint8_t {
  kRows,    // by the rows that it reads or writes, or if it fails
  kTables,  // it is about them: asks first
};

namespace internal {
inline const absl::Status& FailureOf(const absl::Status& status) { return status; }
template <typename Value>
const absl::Status& FailureOf(const absl::StatusOr<Value>& result) {
  return result.status();
}
inline constexpr int kCallTriesMax = 100;
}  // namespace internal

// The answer of `run`, which is the operation on a context. Of a store of this process alone it is
// called once, with `context`.
template <typename Run>
auto OnCurrentTables(const OperationContext& context, TablesUse use, const Run& run)
    -> decltype(run(context)) {
  if (context.catalog == nullptr || !context.catalog->is_shared()) [[likely]] {
    if (context.gate == nullptr) [[likely]]
      return run(context);
    const CallGate::Pass pass(context.gate);
    if (!pass.failure().ok()) return pass.failure();
    return run(context);
  }
  const Patience patience;
  Catalog* const catalog = context.catalog;
  if (use == TablesUse::kTables) {
    if (absl::Status caught_up = CatchUp(context); !caught_up.ok()) return caught_up;
    return run(context);
  }
  OperationContext own = context;
  for (int tries = 1;; ++tries) {
    own.known_tables = catalog->version();
    auto result = run(own);
    if (result.ok() || tries == internal::kCallTriesMax) return result;
    const absl::StatusOr<bool> again =
        IsOfOldTables(context, *own.known_tables, internal::FailureOf(result));
    if (!again.ok()) return again.status();
    if (!*again) return result;
  }
}

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_CURRENT_TABLES_H_
