// The options that commands with a server share.
#ifndef DYNOLITH_TOOLS_PROGRAM_SERVE_FLAGS_H_
#define DYNOLITH_TOOLS_PROGRAM_SERVE_FLAGS_H_

#include <CLI/CLI.hpp>

#include "tools/server/log.h"
#include "tools/server/serve.h"

namespace dynolith {

// A store that several servers use.
void AddStoreFlags(CLI::App* command, ServeOptions* options);
// Once all are read, if there is such a store: throws CLI::ExcludesError for a flag beside it that
// is of one process alone.
void CheckStoreFlags(const CLI::App& command);
// Address and port.
void AddListening(CLI::App* command, ServeOptions* options);
// The number of event loops.
void AddThreads(CLI::App* command, ServeOptions* options);
void AddTls(CLI::App* command, ServeOptions* options);
// Who may use the admin endpoint, besides programs on this machine.
void AddAdminCallers(CLI::App* command, ServeOptions* options);
// The trace of requests: its files, their size, the form of keys.
void AddTrace(CLI::App* command, ServeOptions* options);
// Which clients are answered: signatures, web pages, host names.
void AddCallers(CLI::App* command, ServeOptions* options);
// The log on standard error: its level and its form.
void AddLog(CLI::App* command, LogOptions* options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_SERVE_FLAGS_H_
