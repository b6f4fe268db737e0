// The protocol over standard input and output: one message a line.
#ifndef DYNOLITH_TOOLS_MCP_STDIO_SERVER_H_
#define DYNOLITH_TOOLS_MCP_STDIO_SERVER_H_

#include "absl/status/status.h"
#include "tools/mcp/session.h"

namespace dynolith::mcp {

// Serves one client until its input ends; requests that it has sent by then are answered. Requests
// run one after the other on a thread of their own, so that cancellations and pings are handled
// meanwhile. Errors: an input or output that fails, or no thread.
absl::Status ServeStdio(const ServerParts& parts, int input, int output);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_STDIO_SERVER_H_
