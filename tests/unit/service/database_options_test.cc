// The description of a database's options: what is generated from it stands in a public header, and
// an option that is described wrongly is wrong in every face.
#include "api/service/database_options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace dynolith {
namespace {

constexpr std::string_view kHeader = DYNOLITH_SOURCE_FOLDER "/api/include/dynolith/dynolith.h";
// The lines around the list.
constexpr std::string_view kBefore = "of\n// `dynolith serve` that has its name:\n//\n";
constexpr std::string_view kBehind = "//\n// A size is a number of bytes";

std::string HeaderText() {
  std::ifstream file{std::string(kHeader)};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(DatabaseOptions, TheHeaderListsThem) {
  std::string text = HeaderText();
  const size_t before = text.find(kBefore);
  ASSERT_NE(before, text.npos);
  const size_t begin = before + kBefore.size();
  const size_t end = text.find(kBehind, begin);
  ASSERT_NE(end, text.npos);
  const std::string listed = text.substr(begin, end - begin);
  if (std::getenv("DYNOLITH_REWRITE") == nullptr) {
    EXPECT_EQ(listed, DatabaseOptionsComment());
    return;
  }
  text.replace(begin, end - begin, DatabaseOptionsComment());
  std::ofstream(std::string(kHeader)) << text;
}

TEST(DatabaseOptions, EachHasItsName) {
  std::set<std::string_view> names;
  std::set<std::string_view> flags;
  for (const DatabaseOption& option : AllDatabaseOptions()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(option.flag.empty() || flags.insert(option.flag).second) << option.flag;
    EXPECT_EQ(option.flag.empty(), option.help.empty()) << option.name;
    EXPECT_EQ(FindDatabaseOption(option.name), &option);
  }
  EXPECT_EQ(FindDatabaseOption("capacity"), nullptr);
}

// What is shown as a default is one: it can be read, and nothing changes.
TEST(DatabaseOptions, DefaultsAreValues) {
  for (const DatabaseOption& option : AllDatabaseOptions()) {
    if (option.shown == nullptr) continue;
    OpenSettings settings;
    const std::string shown = option.shown(settings);
    EXPECT_EQ(option.read({.text = shown, .shown = shown}, &settings), std::nullopt);
    EXPECT_EQ(option.shown(settings), shown) << option.name;
  }
}

}  // namespace
}  // namespace dynolith
