// `dynolith load` and `dynolith dump`: files of tables and items to a server or a data folder, and
// back.
#ifndef DYNOLITH_TOOLS_DYNOLITH_LOAD_H_
#define DYNOLITH_TOOLS_DYNOLITH_LOAD_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/service/database_options.h"
#include "dynolith/capacity_options.h"
#include "dynolith/database.h"
#include "tools/files/dump_tables.h"
#include "tools/files/load_designs.h"

namespace dynolith {

struct LoadCommandOptions {
  designs::LoadOptions load;
  // A data folder, not in use by a server, or the address of a server.
  std::string to;
  OpenSettings settings;  // for a folder, its memory budget
};

// Prints warnings and errors with their places on standard error, one line at the end on standard
// output, and a bar meanwhile on a terminal. Whether all was loaded. Errors: it could not begin;
// kCancelled: Ctrl-C has ended it.
absl::StatusOr<bool> Load(const LoadCommandOptions& options);

struct SeedOptions {
  std::vector<std::string> files;
  designs::ReadOptions read;
  // What tables are told when they have their items; meanwhile nothing is throttled.
  CapacityOptions capacity;
  // Tables become ready when it has been called; empty: by themselves.
  std::function<void()> wait;
};

// Loads what is not there yet: a table that is stays as it is, with its items. Prints warnings and
// errors on standard error. Errors: there were some.
absl::Status Seed(const SeedOptions& options, Database* database);

struct DumpCommandOptions {
  designs::DumpOptions dump;
  // A data folder, not in use by a server, or the address of a server.
  std::string from;
  OpenSettings settings;  // for a folder, its memory budget
};

// Prints one line on standard output. Errors: why it is not whole.
absl::Status Dump(const DumpCommandOptions& options);

// Writes a finding to standard error, and of errors only the first ones of a run.
class FindingPrinter {
 public:
  ~FindingPrinter();
  void Print(const designs::Finding& finding);

 private:
  uint64_t errors_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_LOAD_H_
