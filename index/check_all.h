// The one check of a whole store: rows and entries, streams, expiry, history, replicas.
#ifndef DYNOLITH_INDEX_CHECK_ALL_H_
#define DYNOLITH_INDEX_CHECK_ALL_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "engine/catalog/catalog.h"
#include "engine/history/history_check.h"
#include "engine/replica/replica_check.h"
#include "engine/store/store.h"
#include "engine/stream/stream_check.h"
#include "engine/ttl/expiry_check.h"
#include "index/check.h"

namespace dynolith {

struct CheckAllSummary {
  CheckSummary rows;
  StreamCheckSummary streams;
  ExpiryCheckSummary expiry;
  HistoryCheckSummary history;
  ReplicaCheckSummary replicas;

  uint64_t disagreements() const {
    return rows.disagreements + streams.disagreements + expiry.disagreements +
           history.disagreements + replicas.disagreements;
  }
};

// Runs every check, in the order above. Calls `report` with one line per disagreement. Requires: no
// concurrent writes. Errors: only those that prevent a check itself; the following checks do not
// run then.
absl::StatusOr<CheckAllSummary> CheckAll(Store* store, const Catalog& catalog,
                                         absl::FunctionRef<void(const std::string&)> report);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_CHECK_ALL_H_
