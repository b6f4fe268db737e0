// Any bytes as what an assistant sends: "<tool>\n<arguments in JSON>", or else a message of the
// protocol. A tool's result fits its output schema and its bound, and without permission nothing
// changes; a message has one answer in JSON, or none.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/schema_check.h"
#include "tools/mcp/session.h"
#include "tools/mcp/tool.h"
#include "tools/mcp/tool_list.h"

namespace dynolith::mcp {
namespace {

constexpr int kInputsOfOneFixture = 64;
// The lab's tools run until they are cancelled.
constexpr absl::Duration kPatience = absl::Milliseconds(50);
// The error of a message quotes it at most once, escaped.
constexpr size_t kAnswerPerByte = 8;
constexpr size_t kAnswerBytesMax = 256 << 10;

[[noreturn]] void Fail(std::string_view what, std::string_view found) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(found.size()), found.data());
  std::abort();
}

JsonTree Json(std::string_view text) {
  std::optional<JsonTree> tree = ParseJson(text, kMessageDepthMax);
  if (!tree) Fail("no JSON", text);
  return *std::move(tree);
}

// A database with a table and an item, and a session that has begun.
class Fixture {
 public:
  Fixture() : backend_(Backend::Open({.clock_start = "2026-01-01T00:00:00Z"}).value()) {
    Good("CreateTable", R"({"TableName": "music", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"},
                                 {"AttributeName": "song", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"},
                      {"AttributeName": "song", "KeyType": "RANGE"}],
        "GlobalSecondaryIndexes": [{"IndexName": "by-song",
          "Projection": {"ProjectionType": "ALL"},
          "KeySchema": [{"AttributeName": "song", "KeyType": "HASH"}]}]})");
    Good("PutItem", R"({"TableName": "music", "Item": {"artist": {"S": "a"}, "song": {"S": "b"},
        "n": {"N": "12345678901234567890123456789012345678"}, "ss": {"SS": ["x", "y"]}}})");
    Answer(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  }

  std::string Answer(std::string_view text) {
    return session_.Run(session_.Take(text), nullptr).text;
  }

  JsonTree Call(const ListedTool& tool, const JsonTree& arguments, Permission permission) {
    const ToolRules rules = {.permission = permission};
    const absl::Time end = absl::Now() + kPatience;
    return CallTool(tool, {.arguments = arguments,
                           .backend = backend_.get(),
                           .rules = rules,
                           .is_cancelled = [&] { return absl::Now() > end; },
                           .report = [](double, double, std::string_view) {}});
  }

  // Tables, items, faults, snapshots and the clock.
  std::string State() {
    std::string state;
    const JsonTree names = Good("ListTables", "{}");
    for (const JsonTree& name : names.Find("TableNames")->elements) {
      JsonTree input = MapTree();
      SetMember(&input, "TableName", name);
      state += PrintJson(Good("DescribeTable", PrintJson(input)));
      state += PrintJson(Good("Scan", PrintJson(input)));
    }
    for (const char* const path : {"/_dynolith/faults", "/_dynolith/snapshots"}) {
      state += PrintJson(backend_->Admin(AdminVerb::kGet, path, MapTree()).value());
    }
    return state;
  }

 private:
  JsonTree Good(std::string_view operation, std::string_view input) {
    absl::StatusOr<JsonTree> output = backend_->Call(operation, Json(input));
    if (!output.ok()) Fail(operation, MessageOf(output.status()));
    return *std::move(output);
  }

  const std::unique_ptr<Backend> backend_;
  const ServerParts parts_ = {
      .backend = backend_.get(), .rules = {.permission = Permission::kDelete}, .version = "1"};
  Session session_{&parts_};
};

void CheckResult(const ListedTool& tool, const JsonTree& result) {
  const std::string text = PrintJson(result);
  if (text.size() > 2 * kResultBytesMax) Fail(tool.name, "its result is too large");
  const JsonTree* const content = result.Find("structuredContent");
  if (content == nullptr) return;
  const JsonTree* const schema = tool.definition.Find("outputSchema");
  const absl::Status fits = schema == nullptr ? absl::OkStatus() : CheckAgainst(*schema, *content);
  if (!fits.ok()) Fail(Concat(tool.name, ": ", MessageOf(fits)), text);
}

void CallAndCheck(const ListedTool& tool, std::string_view text, Fixture* fixture) {
  const std::optional<JsonTree> arguments = ParseJson(text, kMessageDepthMax);
  if (!arguments || arguments->kind != JsonTree::Kind::kMap) return;
  const std::string before = fixture->State();
  CheckResult(tool, fixture->Call(tool, *arguments, Permission::kRead));
  if (fixture->State() != before) Fail(Concat("changed by ", tool.name), text);
  CheckResult(tool, fixture->Call(tool, *arguments, Permission::kDelete));
}

void AnswerAndCheck(std::string_view text, Fixture* fixture) {
  const std::string answer = fixture->Answer(text);
  if (answer.empty()) return;
  const JsonTree tree = Json(answer);
  const bool is_batch = tree.kind == JsonTree::Kind::kList;
  for (const JsonTree& each : is_batch ? tree.elements : std::vector<JsonTree>{tree}) {
    if (TextAt(each, "jsonrpc") != "2.0" || each.Find("id") == nullptr ||
        (each.Find("result") == nullptr) == (each.Find("error") == nullptr)) {
      Fail("no answer of the protocol", answer);
    }
    if (each.Find("error") != nullptr &&
        PrintJson(each).size() > kAnswerBytesMax + kAnswerPerByte * text.size()) {
      Fail("a long error", answer);
    }
  }
}

}  // namespace
}  // namespace dynolith::mcp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using dynolith::mcp::Fixture;
  // What earlier inputs have left must not become more and more.
  static int inputs = 0;
  static std::unique_ptr<Fixture>& fixture = *new std::unique_ptr<Fixture>;
  if (inputs++ % dynolith::mcp::kInputsOfOneFixture == 0) fixture = std::make_unique<Fixture>();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const dynolith::mcp::ListedTool* const tool =
      line == std::string_view::npos ? nullptr : dynolith::mcp::FindTool(input.substr(0, line));
  if (tool != nullptr) {
    dynolith::mcp::CallAndCheck(*tool, input.substr(line + 1), fixture.get());
  } else {
    dynolith::mcp::AnswerAndCheck(input, fixture.get());
  }
  return 0;
}
