// Makes a new table with its items (dynolith/table_load.h). It is no operation of the service, so
// it leaves no record.
#ifndef DYNOLITH_API_TRANSFER_LOAD_TABLE_H_
#define DYNOLITH_API_TRANSFER_LOAD_TABLE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "dynolith/table_load.h"

namespace dynolith {

// The context must outlive the load. Errors: CreateTable's; kFailedPrecondition of a read-only
// database.
absl::StatusOr<std::unique_ptr<TableLoad>> LoadTable(const OperationContext& context,
                                                     const CreateTableRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_LOAD_TABLE_H_
