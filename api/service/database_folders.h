// The folders of databases with names, and others that an option gives.
#ifndef DYNOLITH_API_SERVICE_DATABASE_FOLDERS_H_
#define DYNOLITH_API_SERVICE_DATABASE_FOLDERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace dynolith {

// "<folder>.databases", beside the place where the folder really is: so all its names have the same
// databases, and none is within it, which a restore exchanges for another one. Requires: it exists.
// Errors: kFailedPrecondition for what an older program has put elsewhere; the operating system's.
absl::StatusOr<std::string> FoldersBeside(std::string folder);

// With those above it. Returns whether it was made here.
bool MakeDatabaseFolder(const std::string& folder);

// What is in the folder, in any order; nothing if there is none. Errors: the operating system's.
absl::StatusOr<std::vector<std::string>> NamesInFolder(const std::string& folder);

bool IsFolder(const std::string& folder);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_DATABASE_FOLDERS_H_
