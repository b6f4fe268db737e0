// One message of JSON-RPC 2.0 as the Model Context Protocol uses it.
#ifndef DYNOLITH_TOOLS_MCP_MESSAGE_H_
#define DYNOLITH_TOOLS_MCP_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/text/json_tree.h"

namespace dynolith::mcp {

// The codes of JSON-RPC 2.0 §5.1, and those of the protocol's revision 2026-07-28.
enum class ErrorCode : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoSuchMethod = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
  kHeaderMismatch = -32020,
  kUnsupportedVersion = -32022,
};

struct RpcError {
  ErrorCode code = ErrorCode::kInternal;
  std::string text;
  std::optional<JsonTree> data;
};

struct Message {
  enum class Kind : uint8_t { kRequest, kNotification, kResponse };

  Kind kind = Kind::kRequest;
  JsonTree id;  // of a request: a text or a whole number
  std::string method;
  JsonTree params;  // an object; empty if there are none

  // params._meta[name]; nullptr if it is absent.
  const JsonTree* Meta(std::string_view name) const;
};

// A message that cannot be read. `id`: null, unless it could be read.
struct BadMessage {
  JsonTree id;
  RpcError error;
};

struct ReadMessages {
  bool is_batch = false;
  std::vector<std::variant<Message, BadMessage>> list;
};

// Reads a message, or a batch of them, which is not empty. What is invalid is in the list.
ReadMessages ParseMessages(std::string_view text);

// Answers, without a line break.
std::string ResultText(const JsonTree& id, const JsonTree& result);
std::string ErrorText(const JsonTree& id, const RpcError& error);
std::string NotificationText(std::string_view method, const JsonTree& params);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_MESSAGE_H_
