// The seam between Database::Open and the library dynolith::endpoint, without which a program needs
// neither TLS nor JSON.
#ifndef DYNOLITH_API_DATABASE_ENDPOINT_OPENER_H_
#define DYNOLITH_API_DATABASE_ENDPOINT_OPENER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "dynolith/database.h"

// Opens the database behind `options->endpoint`. Defined by that library, which asks the linker for
// it; nullptr in a program without. Its name is C's, since linkers' options name it.
extern "C" [[gnu::weak]] void dynolith_open_endpoint(
    const dynolith::DatabaseOptions* options,
    absl::StatusOr<std::unique_ptr<dynolith::Database>>* database);

#endif  // DYNOLITH_API_DATABASE_ENDPOINT_OPENER_H_
