// `dynolith quickstart`: a server with an example in it, and what to try.
#ifndef DYNOLITH_TOOLS_DYNOLITH_QUICKSTART_H_
#define DYNOLITH_TOOLS_DYNOLITH_QUICKSTART_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace dynolith {

struct QuickstartOptions {
  uint16_t port = 8000;
  std::string data_folder;   // empty: in memory
  std::string files_folder;  // where the example's files stay; empty: nowhere
};

// Serves as `dynolith serve --admin --seed` of the example's files does, and prints what to try
// behind the ready line. A table `shop` that the data folder has stays as it is. Errors: those of
// Serve; the files could not be written.
absl::Status Quickstart(const QuickstartOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_QUICKSTART_H_
