// A database in a folder that can return to former states of it.
#ifndef DYNOLITH_API_DATABASE_RESTORABLE_IN_FOLDER_H_
#define DYNOLITH_API_DATABASE_RESTORABLE_IN_FOLDER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "dynolith/restorable_database.h"

namespace dynolith {

// RestorableDatabase::Open for options that name a folder. A library without folders refuses it
// (api/without_folders).
absl::StatusOr<std::unique_ptr<RestorableDatabase>> OpenRestorableInFolder(
    const RestorableOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_RESTORABLE_IN_FOLDER_H_
