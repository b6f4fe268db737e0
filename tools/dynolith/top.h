// `dynolith top`: what a server does, live in a terminal.
#ifndef DYNOLITH_TOOLS_DYNOLITH_TOP_H_
#define DYNOLITH_TOOLS_DYNOLITH_TOP_H_

#include <string>

#include "absl/status/status.h"

namespace dynolith {

struct TopOptions {
  std::string url = "http://127.0.0.1:8000";
  std::string admin_token_file;  // empty: the server lets this machine in without one
  // Between two looks.
  double interval_seconds = 1;
  // One frame as text, and the end. So it is, too, where standard output is no terminal.
  bool once = false;
};

// Until q, Ctrl-C or a signal; the terminal is then as it was. Errors: those of client::CallAdmin,
// at the first look; a server that goes away later is waited for.
absl::Status Top(const TopOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_TOP_H_
