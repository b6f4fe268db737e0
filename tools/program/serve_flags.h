// The options that commands with a server share.
#ifndef DYNOLITH_TOOLS_PROGRAM_SERVE_FLAGS_H_
#define DYNOLITH_TOOLS_PROGRAM_SERVE_FLAGS_H_

#include <CLI/CLI.hpp>

#include "tools/server/log.h"
#include "tools/server/serve.h"

namespace dynolith {

// Address and port.
void AddListening(CLI::App* command, ServeOptions* options);
// Event loops.
void AddThreads(CLI::App* command, ServeOptions* options);
void AddTls(CLI::App* command, ServeOptions* options);
// Who may use the admin endpoint besides programs on this machine.
void AddAdminCallers(CLI::App* command, ServeOptions* options);
// What is kept of requests.
void AddTrace(CLI::App* command, ServeOptions* options);
// Who may call.
void AddCallers(CLI::App* command, ServeOptions* options);
// What is written to standard error.
void AddLog(CLI::App* command, LogOptions* options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_SERVE_FLAGS_H_
