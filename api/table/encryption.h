// Server-side encryption in requests and descriptions: what a table was asked for, and what the
// service would say of it. No table has a key of its own here. What is encrypted is the folder of a
// store, all tables alike (engine/store/encryption); as with the service's own keys, of which a
// description says nothing either.
#ifndef DYNOLITH_API_TABLE_ENCRYPTION_H_
#define DYNOLITH_API_TABLE_ENCRYPTION_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// api/facts/operations.md §5.1 row 25. Errors: ValidationException.
absl::Status CheckEncryption(const std::optional<SseSpecification>& specification);

// nullopt for the default (a key that the service owns). Requires: checked.
std::optional<ServerSideEncryption> BuildEncryption(
    const OperationContext& context, const std::optional<SseSpecification>& specification);

// Applies the requested change to the table. Errors: ResourceInUseException while another change is
// running, ValidationException if nothing changes, LimitExceededException after four changes in one
// of the table's windows of 24 hours (api/facts/operations.md §5.7).
absl::Status ChangeEncryption(const OperationContext& context,
                              const SseSpecification& specification, absl::Time now,
                              TableMeta* meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_ENCRYPTION_H_
