// A session on an empty database in memory, and calls of its methods as a client makes them.
#ifndef DYNOLITH_TESTS_UNIT_MCP_MCP_FIXTURE_H_
#define DYNOLITH_TESTS_UNIT_MCP_MCP_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/session.h"

namespace dynolith::mcp {

inline constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";

class McpTest : public ::testing::Test {
 protected:
  explicit McpTest(ToolRules rules = {.permission = Permission::kDelete})
      : backend_(Backend::Open({}).value()),
        parts_{.backend = backend_.get(), .rules = rules, .version = "1"},
        session_(std::make_unique<Session>(&parts_)) {}

  // The answer's text; empty: there is none.
  std::string Send(std::string_view text) {
    return session_->Run(session_->Take(text), nullptr).text;
  }
  JsonTree Ask(std::string_view text) {
    return ParseJson(Send(text), 64).value_or(TextTree("no JSON"));
  }
  void Begin() { Send(kInitialize); }

  // The result of tools/call. `arguments`: an object in JSON.
  JsonTree CallResult(std::string_view tool, std::string_view arguments) {
    const JsonTree answer =
        Ask(Concat(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")", tool,
                   R"(","arguments":)", arguments, "}}"));
    const JsonTree* const result = answer.Find("result");
    return result == nullptr ? answer : *result;
  }
  // Its structured content in JSON, or the text of its error.
  std::string Call(std::string_view tool, std::string_view arguments) {
    const JsonTree result = CallResult(tool, arguments);
    if (const JsonTree* const content = result.Find("structuredContent")) {
      return PrintJson(*content);
    }
    const JsonTree* const content = result.Find("content");
    return content == nullptr ? PrintJson(result) : TextAt(content->elements.at(0), "text");
  }
  void MakeMusic() {
    const std::string made = Call("create_table", R"({"definition": {"TableName": "music",
        "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"},
                                 {"AttributeName": "song", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"},
                      {"AttributeName": "song", "KeyType": "RANGE"}],
        "BillingMode": "PAY_PER_REQUEST"}})");
    ASSERT_EQ(made, R"({"table":"music","status":"CREATING"})");
  }

  std::unique_ptr<Backend> backend_;
  ServerParts parts_;
  std::unique_ptr<Session> session_;
};

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TESTS_UNIT_MCP_MCP_FIXTURE_H_
