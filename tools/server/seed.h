// What a server loads before its first call.
#ifndef DYNOLITH_TOOLS_SERVER_SEED_H_
#define DYNOLITH_TOOLS_SERVER_SEED_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dynolith/capacity_options.h"
#include "dynolith/database.h"
#include "tools/files/load_designs.h"

namespace dynolith {

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

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SEED_H_
