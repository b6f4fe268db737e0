// `dynolith load` and `dynolith dump`: files of tables and items to a server or a data folder, and
// back.
#ifndef DYNOLITH_TOOLS_PROGRAM_LOAD_H_
#define DYNOLITH_TOOLS_PROGRAM_LOAD_H_

#include <string>

#include "absl/status/statusor.h"
#include "api/service/database_options.h"
#include "dynolith/database.h"
#include "tools/files/dump_tables.h"
#include "tools/files/excerpt/excerpt.h"
#include "tools/files/load_designs.h"

namespace dynolith {

struct LoadCommandOptions {
  designs::LoadOptions load;
  excerpt::ExcerptOptions excerpt;
  // A data folder, not in use by a server, or the address of a server.
  std::string to;
  OpenSettings settings;  // for a folder, its memory budget
};

// Prints warnings and errors with their positions on standard error, a bar on a terminal, and one
// line at the end on standard output. Returns whether everything was loaded. Errors: it could not
// begin; kCancelled: Ctrl-C ended it.
absl::StatusOr<bool> Load(const LoadCommandOptions& options);

struct DumpCommandOptions {
  designs::DumpOptions dump;
  excerpt::ExcerptOptions excerpt;
  // A data folder, not in use by a server, or the address of a server.
  std::string from;
  OpenSettings settings;  // for a folder, its memory budget
};

// Prints warnings and errors about items on standard error, and one line on standard output.
// Whether there was no error. Errors: the reason for an incomplete dump.
absl::StatusOr<bool> Dump(const DumpCommandOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LOAD_H_
