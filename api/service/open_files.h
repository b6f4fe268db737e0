// Whether the process may open more files: each database in a folder needs some.
#ifndef DYNOLITH_API_SERVICE_OPEN_FILES_H_
#define DYNOLITH_API_SERVICE_OPEN_FILES_H_

#include <cstddef>

namespace dynolith {

// For a database with little data: its folder, its lock, a log, a manifest, and the files that it
// opens when it writes table files.
inline constexpr size_t kFilesOfDatabase = 16;

// Whether the process can open those of one more database and still keep an eighth of its limit for
// connections and for the table files of open databases. Reads /proc/self/fd; true where there is
// none.
bool HasFilesForDatabase();

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_OPEN_FILES_H_
