#include "index/check_all.h"

#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<CheckAllSummary> CheckAll(Store* store, const Catalog& catalog,
                                         absl::FunctionRef<void(const std::string&)> report) {
  CheckAllSummary summary;
  DYNOLITH_RETURN_IF_ERROR(CheckStore(store, catalog, report, &summary.rows));
  DYNOLITH_RETURN_IF_ERROR(CheckStreams(store, catalog, report, &summary.streams));
  DYNOLITH_RETURN_IF_ERROR(CheckExpiry(store, catalog, report, &summary.expiry));
  DYNOLITH_RETURN_IF_ERROR(CheckHistory(store, catalog, report, &summary.history));
  DYNOLITH_RETURN_IF_ERROR(CheckReplicas(store, catalog, report, &summary.replicas));
  return summary;
}

}  // namespace dynolith
