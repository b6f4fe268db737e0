// Loads files before a server's first call.
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
  // The capacity settings of tables once they have their items; until then nothing is throttled.
  CapacityOptions capacity;
  // Makes tables ready; empty: they become so by themselves.
  std::function<void()> wait;
};

// Loads missing tables: an existing one stays as it is, with its items. Prints warnings and errors
// on standard error. Errors: there were some.
absl::Status Seed(const SeedOptions& options, Database* database);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SEED_H_
