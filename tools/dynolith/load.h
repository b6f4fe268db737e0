// `dynolith load`: designs and items in files become tables of a server or of a data folder.
#ifndef DYNOLITH_TOOLS_DYNOLITH_LOAD_H_
#define DYNOLITH_TOOLS_DYNOLITH_LOAD_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/designs/load_designs.h"

namespace dynolith {

struct LoadCommandOptions {
  designs::LoadOptions load;
  // A data folder, not in use by a server, or the address of a server.
  std::string to;
};

// Prints warnings and errors with their places on standard error, one line at the end on standard
// output, and a bar meanwhile on a terminal. Whether all was loaded. Errors: it could not begin.
absl::StatusOr<bool> Load(const LoadCommandOptions& options);

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
