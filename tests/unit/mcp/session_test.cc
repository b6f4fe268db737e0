// The protocol's rules: what each message is answered, whoever carries it.
#include "tools/mcp/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/unit/mcp/mcp_fixture.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/tool_list.h"

namespace dynolith::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class SessionTest : public McpTest {
 protected:
  std::string VersionFor(const std::string& wanted) {
    session_ = std::make_unique<Session>(&parts_);
    const JsonTree answer =
        Ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
            wanted + R"("}})");
    const JsonTree* const result = answer.Find("result");
    return result == nullptr ? PrintJson(answer) : TextAt(*result, "protocolVersion");
  }
  std::string CodeOf(std::string_view text) {
    const JsonTree answer = Ask(text);
    const JsonTree* const error = answer.Find("error");
    return error == nullptr ? PrintJson(answer) : TextAt(*error, "code");
  }
};

TEST_F(SessionTest, TheVersionIsTheClientsOrTheNewest) {
  for (const char* const known : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    EXPECT_EQ(VersionFor(known), known);
  }
  EXPECT_EQ(VersionFor("2026-07-28"), "2025-11-25");  // has no handshake
  EXPECT_EQ(VersionFor("tomorrow"), "2025-11-25");
}

TEST_F(SessionTest, NothingComesBeforeTheHandshakeButPing) {
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"), "-32600");
  EXPECT_EQ(Send(R"({"jsonrpc":"2.0","id":"a","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"a","result":{}})");
  Begin();
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"),
              HasSubstr("describe_table"));
  EXPECT_EQ(CodeOf(kInitialize), "-32600");  // once
}

TEST_F(SessionTest, MalformedMessages) {
  EXPECT_EQ(CodeOf("{"), "-32700");
  EXPECT_EQ(CodeOf("\"\xff\""), "-32700");
  EXPECT_EQ(CodeOf(std::string(300, '[')), "-32700");  // too deep
  EXPECT_EQ(CodeOf("1"), "-32600");
  EXPECT_EQ(CodeOf("[]"), "-32600");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), "-32600");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), "-32600");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), "-32600");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":7})"), "-32600");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1})"), "-32600");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})"), "-32602");
  // The id is that of the message, where it has one.
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","id":"x","method":7})"),
              StartsWith(R"({"jsonrpc":"2.0","id":"x","error")"));
  EXPECT_THAT(Send("{"), StartsWith(R"({"jsonrpc":"2.0","id":null,"error")"));
}

TEST_F(SessionTest, NotificationsAndResponsesHaveNoAnswer) {
  Begin();
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), IsEmpty());
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})"), IsEmpty());
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","method":"no/such"})"), IsEmpty());
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","id":9,"result":{}})"), IsEmpty());
}

TEST_F(SessionTest, BatchesOfTheOneRevisionThatHasThem) {
  Begin();
  const std::string batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},)"
      R"(7,{"jsonrpc":"2.0","id":2,"method":"ping"}])";
  EXPECT_EQ(CodeOf(batch), "-32600");
  EXPECT_EQ(VersionFor("2025-03-26"), "2025-03-26");
  const JsonTree answers = Ask(batch);
  ASSERT_EQ(answers.elements.size(), 3U);
  EXPECT_EQ(TextAt(answers.elements[0], "id"), "1");
  EXPECT_NE(answers.elements[1].Find("error"), nullptr);
  EXPECT_EQ(TextAt(answers.elements[2], "id"), "2");
  EXPECT_THAT(Send(R"([{"jsonrpc":"2.0","method":"n"}])"), IsEmpty());
}

TEST_F(SessionTest, UnknownMethodsToolsAndResources) {
  Begin();
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"prompts/list"})"), "-32601");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe"})"), "-32601");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})"), "-32602");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})"),
            "-32602");
  EXPECT_EQ(
      CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a://b"}})"),
      "-32602");
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"qery"}})"),
              HasSubstr("did you mean query?"));
}

TEST_F(SessionTest, ACancelledRequestHasNoAnswer) {
  Begin();
  Session::Work work = session_->Take(R"({"jsonrpc":"2.0","id":"c","method":"ping"})");
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                   R"("params":{"requestId":"c"}})"),
              IsEmpty());
  EXPECT_THAT(session_->Run(work, nullptr).text, IsEmpty());
  // Its id is free again, and another id's cancellation changes nothing.
  Session::Work second = session_->Take(R"({"jsonrpc":"2.0","id":"c","method":"ping"})");
  Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"d"}})");
  EXPECT_THAT(session_->Run(std::move(second), nullptr).text, Not(IsEmpty()));
}

TEST_F(SessionTest, ACancelledComputationEnds) {
  Begin();
  Session::Work work = session_->Take(
      R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"lab_simulate",)"
      R"("arguments":{"experiment":"celebrity","seconds":100},"_meta":{"progressToken":"p"}}})");
  int reports = 0;
  // The first report of progress cancels it, so the rest is not computed.
  const auto notify = [&](const std::string& text) {
    EXPECT_THAT(text,
                HasSubstr(R"("method":"notifications/progress","params":{"progressToken":"p")"));
    ++reports;
    session_->CancelAll();
  };
  EXPECT_THAT(session_->Run(work, notify).text, IsEmpty());
  EXPECT_EQ(reports, 1);
}

TEST_F(SessionTest, AsManyRequestsAsWaitAtOnce) {
  Begin();
  std::vector<Session::Work> waiting;
  for (size_t i = 0; i < kRequestsPendingMax; ++i) {
    waiting.push_back(
        session_->Take(Concat(R"({"jsonrpc":"2.0","id":)", i, R"(,"method":"ping"})")));
  }
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","id":"more","method":"ping"})"), HasSubstr("-32600"));
  session_->Run(std::move(waiting[0]), nullptr);
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","id":"more","method":"ping"})"), HasSubstr("result"));
}

TEST_F(SessionTest, RequestsWithoutAHandshake) {
  const std::string meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"})";
  const JsonTree found =
      Ask(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{)" + meta + "}}");
  const std::string text = PrintJson(found);
  EXPECT_THAT(text, HasSubstr(R"("supportedVersions":["2026-07-28","2025-11-25")"));
  EXPECT_THAT(text, HasSubstr(R"("resultType":"complete")"));
  EXPECT_THAT(text, HasSubstr(R"("cacheScope":"private")"));
  EXPECT_THAT(Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{)"
                   R"("name":"list_tables",)" +
                   meta + "}}"),
              HasSubstr(R"("structuredContent":{"tables":[],"truncated":false})"));
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{)" + meta + "}}"),
            "-32601");
  EXPECT_EQ(CodeOf(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
                   R"({"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}})"),
            "-32022");
}

// Every tool has what runs it, a schema for what it takes and one for what it gives.
TEST(ToolList, IsWhole) {
  for (const ListedTool& tool : AllTools()) {
    EXPECT_NE(tool.run, nullptr) << tool.name;
    EXPECT_NE(tool.definition.Find("outputSchema"), nullptr) << tool.name;
    const JsonTree& hints = *tool.definition.Find("annotations");
    EXPECT_EQ(IsTrueAt(hints, "readOnlyHint"), tool.needs == Permission::kRead) << tool.name;
    if (tool.needs == Permission::kWrite) continue;
    EXPECT_EQ(IsTrueAt(hints, "destructiveHint"), tool.needs == Permission::kDelete) << tool.name;
  }
}

class ReadOnlyTest : public McpTest {
 protected:
  ReadOnlyTest() : McpTest({.permission = Permission::kRead}) { Begin(); }
};

TEST_F(ReadOnlyTest, WhatIsNotAllowedIsNotListedAndSaysHowToAllowIt) {
  const std::string listed = Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  for (const ListedTool& tool : AllTools()) {
    const std::string name = Concat("\"name\":\"", tool.name, "\"");
    if (tool.needs == Permission::kRead) {
      EXPECT_THAT(listed, HasSubstr(name));
      continue;
    }
    EXPECT_THAT(listed, Not(HasSubstr(name)));
    const std::string option =
        tool.needs == Permission::kWrite ? "--allow-writes" : "--allow-deletes";
    const JsonTree result = CallResult(tool.name, "{}");
    EXPECT_TRUE(IsTrueAt(result, "isError"));
    EXPECT_EQ(TextAt(result.Find("content")->elements.at(0), "text"),
              Concat(tool.name, " is not allowed: start dynolith mcp with ", option));
  }
}

// By what the statement is, not by how it looks.
TEST_F(ReadOnlyTest, StatementsThatAreNoSelect) {
  for (const char* const statement :
       {"INSERT INTO t VALUE {'a': 'SELECT'}", "update t set a = 1 where pk = 'x'",
        "/* SELECT */ DELETE FROM t WHERE pk = 'x'", "FROM t WHERE pk = 'x' SET a = 1"}) {
    JsonTree arguments = MapTree();
    SetMember(&arguments, "statement", TextTree(statement));
    const std::string answer = Call("partiql_select", PrintJson(arguments));
    EXPECT_THAT(answer, ::testing::AnyOf(HasSubstr("runs SELECT only"), HasSubstr("well formed")))
        << statement;
  }
}

class WriterTest : public McpTest {
 protected:
  WriterTest() : McpTest({.permission = Permission::kWrite}) {
    Begin();
    MakeMusic();
  }
};

TEST_F(WriterTest, WritersDeleteNothing) {
  Call("put_items", R"({"table": "music", "items": [{"artist": "Ray", "song": "a"}]})");
  EXPECT_THAT(Call("partiql_write",
                   R"({"statement": "DELETE FROM music WHERE artist = 'Ray' AND song = 'a'"})"),
              HasSubstr("--allow-deletes"));
  EXPECT_THAT(Call("update_table", R"({"definition": {"TableName": "music",
      "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-year"}}]}})"),
              HasSubstr("--allow-deletes"));
  EXPECT_THAT(
      Call("load_design", R"({"text": "{}", "file_name": "a.json", "if_exists": "replace"})"),
      HasSubstr("--allow-deletes"));
  EXPECT_THAT(Call("delete_table", R"({"table": "music"})"), HasSubstr("--allow-deletes"));
  EXPECT_THAT(Call("scan", R"({"table": "music"})"), HasSubstr(R"("count":1)"));
}

}  // namespace
}  // namespace dynolith::mcp
