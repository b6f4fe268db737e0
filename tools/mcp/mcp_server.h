// `dynolith mcp`: the process from start to end.
#ifndef DYNOLITH_TOOLS_MCP_MCP_SERVER_H_
#define DYNOLITH_TOOLS_MCP_MCP_SERVER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/tool.h"
#include "tools/server/wire/page_guard.h"

namespace dynolith::mcp {

struct McpOptions {
  BackendOptions backend;
  ToolRules rules;

  bool over_http = false;  // else standard input and output
  std::string host = "127.0.0.1";
  uint16_t port = 8010;
  std::string token_file;
  bool without_token = false;
  http::PageGuardOptions pages;
  std::string tls_certificate_file;
  std::string tls_key_file;
};

// Serves one client over standard input and output until its input ends, or many over HTTP until a
// signal. Errors: options that contradict each other, and those of opening.
absl::Status RunMcp(const McpOptions& options);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_MCP_SERVER_H_
