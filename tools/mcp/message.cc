#include "tools/mcp/message.h"

#include <utility>

#include "api/json/item_line.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"

namespace dynolith::mcp {
namespace {

BadMessage Bad(ErrorCode code, std::string text, JsonTree id = WordTree("null")) {
  return {std::move(id), {code, std::move(text), std::nullopt}};
}

bool IsWholeNumber(const JsonTree& tree) {
  return tree.kind == JsonTree::Kind::kOther && !tree.text.empty() &&
         tree.text.find_first_not_of("-0123456789") == std::string::npos;
}

// A text or a whole number: null is for errors about messages whose id is unknown.
bool IsId(const JsonTree& tree) {
  return tree.kind == JsonTree::Kind::kString || IsWholeNumber(tree);
}

std::variant<Message, BadMessage> ReadOne(JsonTree* tree) {
  if (tree->kind != JsonTree::Kind::kMap) {
    return Bad(ErrorCode::kInvalidRequest, messages::McpNotAnObject());
  }
  const JsonTree* const id = tree->Find("id");
  if (id != nullptr && !IsId(*id)) {
    return Bad(ErrorCode::kInvalidRequest, messages::McpWrongId());
  }
  const JsonTree known_id = id == nullptr ? WordTree("null") : *id;
  if (MemberText(tree->Find("jsonrpc")) != "2.0") {
    return Bad(ErrorCode::kInvalidRequest, messages::McpNotVersion2(), known_id);
  }
  Message message;
  message.id = known_id;
  message.params = MapTree();
  const JsonTree* const method = tree->Find("method");
  if (method == nullptr) {
    const bool is_response =
        id != nullptr && (tree->Find("result") != nullptr || tree->Find("error") != nullptr);
    if (!is_response) {
      return Bad(ErrorCode::kInvalidRequest, messages::McpWithoutMethod(), known_id);
    }
    message.kind = Message::Kind::kResponse;
    return message;
  }
  if (method->kind != JsonTree::Kind::kString) {
    return Bad(ErrorCode::kInvalidRequest, messages::McpWithoutMethod(), known_id);
  }
  message.kind = id == nullptr ? Message::Kind::kNotification : Message::Kind::kRequest;
  message.method = method->text;
  if (JsonTree* const params = tree->Find("params")) {
    if (params->kind != JsonTree::Kind::kMap) {
      return Bad(ErrorCode::kInvalidParams, messages::McpParamsNotAnObject(), known_id);
    }
    message.params = std::move(*params);
  }
  return message;
}

JsonTree Envelope(const JsonTree& id) {
  JsonTree envelope = MapTree();
  SetMember(&envelope, "jsonrpc", TextTree("2.0"));
  SetMember(&envelope, "id", id);
  return envelope;
}

}  // namespace

const JsonTree* Message::Meta(std::string_view name) const {
  const JsonTree* const meta = params.Find("_meta");
  return meta == nullptr ? nullptr : meta->Find(name);
}

ReadMessages ParseMessages(std::string_view text) {
  ReadMessages read;
  JsonLocation stopped;
  std::optional<JsonTree> tree;
  if (IsUtf8(text)) tree = ParseJson(text, kMessageDepthMax, &stopped);
  if (!tree) {
    read.list.emplace_back(
        Bad(ErrorCode::kParse, messages::McpNotJson(stopped.line, stopped.column)));
    return read;
  }
  if (tree->kind != JsonTree::Kind::kList) {
    read.list.push_back(ReadOne(&*tree));
    return read;
  }
  if (tree->elements.empty() || tree->elements.size() > kRequestsPendingMax) {
    read.list.emplace_back(
        Bad(ErrorCode::kInvalidRequest, messages::McpBatchSize(kRequestsPendingMax)));
    return read;
  }
  read.is_batch = true;
  for (JsonTree& element : tree->elements) read.list.push_back(ReadOne(&element));
  return read;
}

std::string ResultText(const JsonTree& id, const JsonTree& result) {
  JsonTree envelope = Envelope(id);
  SetMember(&envelope, "result", result);
  return PrintJson(envelope);
}

std::string ErrorText(const JsonTree& id, const RpcError& error) {
  JsonTree envelope = Envelope(id);
  JsonTree inner = MapTree();
  SetMember(&inner, "code", WholeTree(static_cast<int>(error.code)));
  SetMember(&inner, "message", TextTree(error.text));
  if (error.data) SetMember(&inner, "data", *error.data);
  SetMember(&envelope, "error", std::move(inner));
  return PrintJson(envelope);
}

std::string NotificationText(std::string_view method, const JsonTree& params) {
  JsonTree envelope = MapTree();
  SetMember(&envelope, "jsonrpc", TextTree("2.0"));
  SetMember(&envelope, "method", TextTree(method));
  SetMember(&envelope, "params", params);
  return PrintJson(envelope);
}

}  // namespace dynolith::mcp
