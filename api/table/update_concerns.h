// The changes of an UpdateTable request, and whether they can be combined: it changes one thing per
// call, with few exceptions (api/facts/operations.md §5.3). Checks the request alone.
#ifndef DYNOLITH_API_TABLE_UPDATE_CONCERNS_H_
#define DYNOLITH_API_TABLE_UPDATE_CONCERNS_H_

#include "absl/status/status.h"
#include "dynolith/requests.h"

namespace dynolith {

struct UpdateConcerns {
  bool throughput = false;
  bool billing_mode = false;
  bool index_changes = false;  // indexes are created or deleted
  bool index_updates = false;  // capacity of existing indexes
  bool stream = false;
  bool encryption = false;
  bool table_class = false;
  bool deletion_protection = false;
  bool disassociation_protection = false;
  bool on_demand = false;
  bool warm = false;
  bool replicas = false;
};

UpdateConcerns FindUpdateConcerns(const UpdateTableRequest& request);

// Whether any member of the specification is present.
bool HasWarm(const std::optional<WarmThroughputSpecification>& warm);

// Members, the list of index updates, combinations, and each concern's own form, in this order.
// Errors: ValidationException; LimitExceededException for two index creations or deletions.
// `has_peers`: whether there are other regions, in which there may be replicas.
absl::Status CheckUpdateRequest(const UpdateTableRequest& request, bool has_peers);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_UPDATE_CONCERNS_H_
