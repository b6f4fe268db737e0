// The object behind a dynolith_database: the database and the parts that it borrows, or the service
// behind an endpoint.
#ifndef DYNOLITH_API_C_DATABASE_HANDLE_H_
#define DYNOLITH_API_C_DATABASE_HANDLE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/c/async_calls.h"
#include "api/c/outside.h"
#include "api/service/database_instance.h"
#include "api/service/named_databases.h"
#include "dynolith/bulk_transfer.h"
#include "dynolith/dynolith.h"
#include "engine/process/forked_process.h"

struct dynolith_database {
  dynolith::MakingProcess process;
  std::shared_ptr<dynolith::BulkTransfer> transfers;     // shared with its forks; may be nullptr
  std::shared_ptr<dynolith::NamedDatabases> regions;     // shared by their handles; or nullptr
  std::shared_ptr<dynolith::DatabaseInstance> instance;  // nullptr behind an endpoint
  std::unique_ptr<dynolith::c::Endpoint> endpoint;       // nullptr in this process
  dynolith::c::AsyncCalls async;                         // ends before what its calls use
};

namespace dynolith::c {

// Errors: AccessDeniedException in a child of the process that opened it; kFailedPrecondition
// behind an endpoint.
absl::Status CheckInProcess(const dynolith_database& database);
// The state for a call, to be held until its end. Errors: those of CheckInProcess; kInternal if a
// restore could not open the database again.
absl::StatusOr<DatabaseInstance::Use> Begin(const dynolith_database& database);

}  // namespace dynolith::c

#endif  // DYNOLITH_API_C_DATABASE_HANDLE_H_
