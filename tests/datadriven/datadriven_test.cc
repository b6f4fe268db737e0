// Runs the text files of tests/testdata/<operation>/ through the dispatcher, each on a fresh
// database in memory with a clock that stands still. New behaviour is described there first.
//
//   datadriven_test [--rewrite] [--gtest_filter=*Query*]
//
// --rewrite replaces the expectations that failed by what was answered; read the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "api/json/dispatch.h"
#include "dynolith/database.h"
#include "engine/base/clock.h"
#include "tests/datadriven/block_file.h"
#include "tests/datadriven/json_text.h"

namespace dynolith::datadriven {
namespace {

bool rewrite = false;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string OneLine(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

// The rest of a text behind its first line, as canonical JSON. What is not JSON stays as it is.
std::string CanonicalRest(std::string_view text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return "";
  const std::string_view rest = text.substr(end + 1);
  return Canonical(rest).value_or(std::string(rest));
}

// An answer as an expectation would be written.
std::string Describe(const JsonResponse& response) {
  if (response.http_status == 200) {
    if (response.body.empty()) return "200 (empty)";
    const std::string body = Canonical(response.body).value_or("not JSON: " + response.body);
    return body == "{}" ? "200" : "200\n" + body;
  }
  auto members = Members(response.body);
  std::string out = std::to_string(response.http_status);
  if (!members) return out + " not JSON: " + response.body;
  const std::string type = (*members)["__type"];
  out += " " + type.substr(type.find('#') + 1);
  for (const char* name : {"message", "Message"}) {
    if (members->contains(name)) out += ": " + OneLine((*members)[name]);
    members->erase(name);
  }
  members->erase("__type");
  if (members->empty()) return out;
  std::string rest;
  for (const auto& [name, value] : *members) {
    rest += (rest.empty() ? "{\"" : ", \"") + name + "\": " + value;
  }
  return out + "\n" + Canonical(rest + "}").value_or(rest);
}

// What the texts of a file call "${name}".
using Captures = std::map<std::string, std::string>;

// `text` with every captured "${name}" replaced by what it stands for.
std::string Filled(std::string text, const Captures& captures) {
  for (const auto& [name, value] : captures) {
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size()) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

// JSON without the blanks between its tokens: where the canonical form breaks its lines depends on
// the lengths of the values.
std::string WithoutBlanks(std::string_view json) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    if (!in_string && (json[i] == ' ' || json[i] == '\n')) continue;
    if (json[i] == '"') in_string = !in_string;
    out += json[i];
    if (in_string && json[i] == '\\' && i + 1 < json.size()) out += json[++i];
  }
  return out;
}

// Whether `got` is `expected`, both canonical. A "${name}" that is a whole string of `expected` and
// has not been captured yet stands for any string there, and captures it.
bool MatchesCapturing(std::string expected, const std::string& got, Captures* captures) {
  constexpr std::string_view kOpen = "\"${";
  for (size_t at = 0; (at = expected.find(kOpen)) != std::string::npos;) {
    const size_t close = expected.find('"', at + 1);
    const size_t got_close = got.find('"', at + 1);
    if (close == std::string::npos || got_close == std::string::npos) return false;
    if (got.compare(0, at + 1, expected, 0, at + 1) != 0) return false;
    (*captures)[expected.substr(at + 1, close - at - 1)] = got.substr(at + 1, got_close - at - 1);
    expected = Filled(std::move(expected), *captures);
  }
  return expected == got;
}

bool Matches(const std::string& expected, const std::string& got, Captures* captures) {
  if (expected == "200 (any)") return got.starts_with("200");
  const std::string expanded = Filled(Expand(expected), *captures);
  if (expanded.substr(0, expanded.find('\n')) != got.substr(0, got.find('\n'))) return false;
  return MatchesCapturing(WithoutBlanks(CanonicalRest(expanded)), WithoutBlanks(CanonicalRest(got)),
                          captures);
}

std::string Shortened(const std::string& text) {
  constexpr size_t kShownBytes = 6000;
  return text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + " …";
}

constexpr std::string_view kTableDelay = "!table-delay ";

// Of the whole file, wherever it says so.
absl::Duration TableDelay(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (block.kind != Block::Kind::kCommand || !block.text.starts_with(kTableDelay)) continue;
    return absl::Seconds(std::atof(block.text.c_str() + kTableDelay.size()));
  }
  return absl::ZeroDuration();
}

class FileTest : public testing::Test {
 public:
  explicit FileTest(std::filesystem::path path)
      : path_(std::move(path)), clock_(absl::FromUnixSeconds(1'700'000'000)) {}

  void TestBody() override {
    std::string fault;
    const std::string text = ReadFile(path_);
    std::vector<Block> blocks = ReadBlocks(text, &fault);
    ASSERT_EQ(fault, "") << path_;
    const absl::Duration delay = TableDelay(blocks);
    auto database = Database::Open(
        {.in_memory = true,
         .clock = &clock_,
         .ttl_sweep_period = absl::ZeroDuration(),
         .table_delays = {.create = delay, .update = delay, .remove = delay, .index = delay}});
    ASSERT_TRUE(database.ok()) << database.status();
    const Dispatcher dispatcher(database->get(), {});
    int calls = 0;
    for (Block& block : blocks) {
      if (block.kind == Block::Kind::kCommand) Command(block, database->get());
      if (block.kind != Block::Kind::kCall) continue;
      Call(dispatcher, &block);
      ++calls;
    }
    EXPECT_GT(calls, 0) << path_ << " holds no call";
    const std::string rewritten = PrintBlocks(blocks);
    if (rewrite && rewritten != text) std::ofstream(path_, std::ios::binary) << rewritten;
  }

 private:
  void Command(const Block& block, Database* database) {
    if (block.text.starts_with(kTableDelay)) return;
    if (block.text == "!wait") {
      EXPECT_TRUE(database->WaitForBackfills().ok());
    } else if (block.text == "!sweep") {
      EXPECT_TRUE(database->SweepExpiredItems().ok());
    } else if (block.text.starts_with("!advance ")) {
      clock_.Advance(absl::Seconds(std::atof(block.text.c_str() + 9)));
    } else {
      ADD_FAILURE() << path_ << ":" << block.line << ": unknown command " << block.text;
    }
  }

  void Call(const Dispatcher& dispatcher, Block* block) {
    const std::string body = Filled(Expand(block->body), captures_);
    const std::string got = Describe(dispatcher.Handle(block->operation, body));
    if (Matches(block->expected, got, &captures_)) return;
    if (rewrite) {
      block->expected = got;
      return;
    }
    ADD_FAILURE_AT(path_.c_str(), block->line)
        << block->operation << " " << Shortened(block->body) << "\nexpected:\n"
        << Shortened(block->expected) << "\ngot:\n"
        << Shortened(got);
  }

  const std::filesystem::path path_;
  ManualClock clock_;
  Captures captures_;
};

// One test per file: <operation>.<file>.
void RegisterFiles() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DYNOLITH_TESTDATA)) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    testing::RegisterTest(path.parent_path().filename().c_str(), path.stem().c_str(), nullptr,
                          nullptr, path.c_str(), 1,
                          [path]() -> FileTest* { return new FileTest(path); });
  }
}

}  // namespace
}  // namespace dynolith::datadriven

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rewrite") dynolith::datadriven::rewrite = true;
  }
  dynolith::datadriven::RegisterFiles();
  return RUN_ALL_TESTS();
}
