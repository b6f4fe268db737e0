// Runs the text files of tests/testdata/<operation>/ through the dispatcher, each on a fresh
// database with a clock that stands still. New behaviour is described there first.
//
//   datadriven_test [--rewrite | --approximate | --twin | --store=URL] [--gtest_filter=*Query*]
//
// --rewrite replaces the expectations that failed by what was answered; read the difference.
// --approximate runs the files that search vectors, through graphs: of so few they miss none.
// --twin makes each call as a C++ program that has a database behind an endpoint.
// --store runs the files on two databases that take turns, where the text allows it, over a store
// on PostgreSQL, which is emptied for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/datadriven/block_file.h"
#include "tests/datadriven/text_runner.h"

namespace dynolith::datadriven {
namespace {

bool rewrite = false;
bool approximate = false;
bool by_twin = false;
std::string store_url;
TwinCounts twin_counts;
int64_t graph_searches = 0;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string Shortened(const std::string& text) {
  constexpr size_t kShownBytes = 6000;
  return text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + " …";
}

// Whether the text is about what each of several databases over one store has for itself: capacity,
// counts of items, exports and imports, and waits for its own changes of tables.
bool IsOfOneDatabase(const std::string& text) {
  static const std::regex words(
      R"(\n(!capacity|!table-delay|ExportTable|ImportTable|StartBulkPutItems)|"ItemCount": [1-9])");
  return std::regex_search(text, words);
}

// What a store of several processes refuses that the text is about; empty: nothing.
std::string RefusedOnStore(const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kReasons[] = {
      {"ItemCollectionSizeLimitExceeded", "nothing: sizes of item collections are not checked"},
      {"\n!regions ", "several regions over one store"}};
  for (const auto& [words, reason] : kReasons) {
    if (text.find(words) != std::string::npos) return std::string(reason);
  }
  return "";
}

std::unique_ptr<TextRunner> NewRunner(const std::string& text) {
  if (!store_url.empty()) {
    return std::make_unique<TextRunner>(store_url, /*takes_turns=*/!IsOfOneDatabase(text));
  }
  return std::make_unique<TextRunner>(
      approximate ? VectorSearch::kApproximate : VectorSearch::kExact,
      by_twin ? &twin_counts : nullptr);
}

class FileTest : public ::testing::Test {
 public:
  explicit FileTest(std::filesystem::path path) : path_(std::move(path)) {}

  void TestBody() override {
    std::string fault;
    const std::string text = ReadFile(path_);
    std::vector<Block> blocks = ReadBlocks(text, &fault);
    ASSERT_EQ(fault, "") << path_;
    if (!store_url.empty() && !RefusedOnStore(text).empty()) GTEST_SKIP() << RefusedOnStore(text);
    runner_ = NewRunner(text);
    const absl::Status opened = runner_->Open(blocks);
    ASSERT_TRUE(opened.ok()) << opened;
    int calls = 0;
    for (Block& block : blocks) {
      if (block.kind == Block::Kind::kCommand) Command(block);
      if (block.kind != Block::Kind::kCall) continue;
      Call(&block);
      ++calls;
    }
    EXPECT_GT(calls, 0) << path_ << " holds no call";
    graph_searches += runner_->graph_searches();
    const std::string rewritten = PrintBlocks(blocks);
    if (rewrite && rewritten != text) std::ofstream(path_, std::ios::binary) << rewritten;
  }

 private:
  void Command(const Block& block) {
    const std::string fault = runner_->Run(block);
    if (!fault.empty()) ADD_FAILURE_AT(path_.c_str(), block.line) << block.text << ": " << fault;
  }

  void Call(Block* block) {
    const std::string got = runner_->Answer(*block);
    if (runner_->Matches(block->expected, got)) return;
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
  std::unique_ptr<TextRunner> runner_;
};

bool SearchesVectors(const std::filesystem::path& path) {
  return ReadFile(path).find("\nSearchVectors\n") != std::string::npos;
}

// One test per file: <operation>.<file>.
void RegisterFiles() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(DYNOLITH_TESTDATA)) {
    if (entry.path().extension() != ".txt") continue;
    if (approximate && !SearchesVectors(entry.path())) continue;
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    ::testing::RegisterTest(path.parent_path().filename().c_str(), path.stem().c_str(), nullptr,
                            nullptr, path.c_str(), 1,
                            [path]() -> FileTest* { return new FileTest(path); });
  }
}

}  // namespace
}  // namespace dynolith::datadriven

int main(int argc, char** argv) {
  using namespace dynolith::datadriven;
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rewrite") rewrite = true;
    if (std::string_view(argv[i]) == "--approximate") approximate = true;
    if (std::string_view(argv[i]) == "--twin") by_twin = true;
    if (std::string_view(argv[i]).starts_with("--store=")) store_url = argv[i] + sizeof("--store");
  }
  RegisterFiles();
  const int result = RUN_ALL_TESTS();
  if (by_twin) {
    std::printf("%d calls by structures, %d directly\n", twin_counts.typed, twin_counts.direct);
    if (twin_counts.typed <= twin_counts.direct) return 1;
  }
  if (!approximate || graph_searches > 0) return result;
  std::fputs("no search went through a graph\n", stderr);
  return 1;
}
