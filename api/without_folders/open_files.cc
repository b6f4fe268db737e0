#include "api/service/open_files.h"

namespace dynolith {

bool HasFilesForDatabase() { return true; }

}  // namespace dynolith
