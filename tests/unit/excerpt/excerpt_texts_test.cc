// Rules, filters and samples, and what they make of items: the texts of tests/excerpts/. A part
// "copy" shows for each item above it what the copy has, or why it has none, and at the end what is
// said of the rules.
//
//   DYNOLITH_REWRITE=1 excerpt_test --gtest_filter=ExcerptTexts.*
//
// replaces what is expected by what was found; read the difference.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/text_parts.h"
#include "tools/files/excerpt/excerpt.h"

namespace dynolith::excerpt {
namespace {

namespace fs = std::filesystem;

// What came before a part "copy" in its case.
struct Case {
  ExcerptOptions options;
  std::map<std::string, TableKeys> tables;
  std::vector<std::pair<std::string, std::string>> items;  // with their tables
};

std::string WithoutFolder(std::string text, const fs::path& folder) {
  const std::string name = folder.string() + "/";
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    text.erase(at, name.size());
  }
  return text;
}

std::string Copy(const Case& given) {
  const absl::StatusOr<std::unique_ptr<Excerpt>> excerpt = Excerpt::Make(given.options);
  if (!excerpt.ok()) return "error: " + std::string(excerpt.status().message()) + "\n";
  std::string text;
  for (const auto& [name, keys] : given.tables) {
    const absl::Status checked = (*excerpt)->CheckTable(keys);
    if (!checked.ok()) text += "error: " + std::string(checked.message()) + "\n";
  }
  if (!text.empty()) return text;
  for (const auto& [table, line] : given.items) {
    JsonTree item = ParseJson(line, designs::kJsonDepthMax).value();
    const absl::StatusOr<bool> taken = (*excerpt)->Take(given.tables.at(table), &item);
    if (!taken.ok()) {
      text += "error: " + std::string(taken.status().message()) + "\n";
    } else {
      text += *taken ? PrintJson(item) + "\n" : "left out\n";
    }
  }
  for (const Excerpt::Doubt& doubt : (*excerpt)->Doubts(/*is_whole=*/true)) {
    text += (doubt.is_error ? "error: " : "warning: ") + doubt.text + "\n";
  }
  return text;
}

// Of a line of keys: the key's attributes with their types, those of indexes behind "index".
TableKeys ReadKeys(const std::vector<std::string>& words) {
  TableKeys keys;
  keys.table = words[1];
  bool is_own = true;
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t colon = words[i].find(':');
    if (colon == std::string::npos) {
      is_own = false;
      continue;
    }
    const std::string name = words[i].substr(0, colon);
    if (is_own) keys.names.push_back(name);
    keys.types[name] = words[i].substr(colon + 1);
  }
  return keys;
}

void RunPart(const fs::path& folder, testing::TextPart* part, Case* given) {
  const std::vector<std::string> words = testing::SplitWords(part->head);
  const std::string line = part->body.substr(0, part->body.find('\n'));
  if (words[0] == "case") {
    *given = {};
  } else if (words[0] == "rules") {
    given->options.rules_file = (folder / "rules.toml").string();
    std::ofstream(given->options.rules_file) << part->body;
  } else if (words[0] == "filter") {
    given->options.filter = line;
  } else if (words[0] == "sample") {
    given->options.sample = line;
  } else if (words[0] == "strict") {
    given->options.is_strict = true;
  } else if (words[0] == "table") {
    given->tables[words[1]] = ReadKeys(words);
  } else if (words[0] == "items") {
    std::istringstream stream(part->body);
    for (std::string item; std::getline(stream, item);) given->items.emplace_back(words[1], item);
  } else {
    ASSERT_EQ(words[0], "copy");
  }
}

TEST(ExcerptTexts, MakeWhatTheySay) {
  const testing::ScratchFolder scratch;
  const fs::path folder = scratch.path();
  setenv("DYNOLITH_EXCERPT_TEST_KEY", "a key of the tests", 1);
  setenv("DYNOLITH_EXCERPT_TEST_SHORT", "123456789012345", 1);
  unsetenv("DYNOLITH_EXCERPT_TEST_NONE");
  const bool is_rewrite = std::getenv("DYNOLITH_REWRITE") != nullptr;
  int copies = 0;
  for (const fs::path& path : testing::TextFiles(DYNOLITH_EXCERPTS)) {
    std::vector<testing::TextPart> parts = testing::SplitParts(testing::ReadTextFile(path));
    Case given;
    std::string title;
    for (testing::TextPart& part : parts) {
      if (part.head.empty()) continue;
      if (part.head.starts_with("case")) title = path.filename().string() + ": " + part.head;
      RunPart(folder, &part, &given);
      if (!part.head.starts_with("copy")) continue;
      ++copies;
      const std::string got = WithoutFolder(Copy(given), folder) + "\n";
      EXPECT_TRUE(is_rewrite || got == part.body) << title << "\n" << got;
      part.body = got;
    }
    if (is_rewrite) std::ofstream(path, std::ios::binary) << testing::PrintParts(parts);
  }
  EXPECT_GT(copies, 20);
}

}  // namespace
}  // namespace dynolith::excerpt
