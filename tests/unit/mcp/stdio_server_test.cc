// Lines in, lines out, while a request runs and when the input ends.
#include "tools/mcp/stdio_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/mcp/mcp_fixture.h"
#include "tools/mcp/bounds.h"

namespace dynolith::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StdioServerTest : public McpTest {
 protected:
  StdioServerTest() {
    EXPECT_EQ(pipe(input_.data()), 0);
    EXPECT_EQ(pipe(output_.data()), 0);
    server_ = std::thread([this] { status_ = ServeStdio(parts_, input_[0], output_[1]); });
  }
  ~StdioServerTest() override {
    if (server_.joinable()) End();
    for (const int file : {input_[0], output_[0], output_[1]}) close(file);
  }
  void SendLine(std::string line) {
    line += '\n';
    ASSERT_EQ(write(input_[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  std::string ReadLine() {
    std::string line;
    for (char c = 0; read(output_[0], &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }
  void End() {
    close(input_[1]);
    server_.join();
  }

  std::array<int, 2> input_{};
  std::array<int, 2> output_{};
  absl::Status status_;
  std::thread server_;
};

TEST_F(StdioServerTest, WhatWasSentBeforeTheEndIsAnswered) {
  SendLine(std::string(kInitialize) + "\r");
  SendLine("");
  SendLine(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tables"}})");
  EXPECT_THAT(ReadLine(), HasSubstr("protocolVersion"));
  End();
  EXPECT_TRUE(status_.ok());
  EXPECT_THAT(ReadLine(), StartsWith(R"({"jsonrpc":"2.0","id":1,"result")"));
}

TEST_F(StdioServerTest, PingsAndCancellationsPassARunningRequest) {
  SendLine(std::string(kInitialize));
  EXPECT_THAT(ReadLine(), HasSubstr("protocolVersion"));
  // It would take a hundred seconds.
  SendLine(R"({"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"lab_advise",)"
           R"("arguments":{"experiment":"celebrity","seconds":100,"throttled":0}}})");
  SendLine(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_EQ(ReadLine(), R"({"jsonrpc":"2.0","id":"p","result":{}})");
  SendLine(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}})");
  SendLine(
      R"({"jsonrpc":"2.0","id":"next","method":"tools/call","params":{"name":"list_tables"}})");
  EXPECT_THAT(ReadLine(), StartsWith(R"({"jsonrpc":"2.0","id":"next")"));
}

TEST_F(StdioServerTest, ALineThatIsTooLongIsRefusedAndTheNextRead) {
  std::thread writer([this] { SendLine(std::string(kMessageBytesMax + 1, 'x')); });
  EXPECT_THAT(ReadLine(), HasSubstr("-32700"));
  writer.join();
  SendLine(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  EXPECT_EQ(ReadLine(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

}  // namespace
}  // namespace dynolith::mcp
