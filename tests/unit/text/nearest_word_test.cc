// Who mistypes a word is told which one was meant, and nothing that is not near.
#include "engine/text/nearest_word.h"

#include <gtest/gtest.h>

namespace dynolith {
namespace {

TEST(NearestWord, Commands) {
  const std::vector<std::string> commands = {"serve", "check", "dissect"};
  EXPECT_EQ(NearestWord("serv", commands), "serve");
  EXPECT_EQ(NearestWord("server", commands), "serve");
  EXPECT_EQ(NearestWord("sevre", commands), "serve");
  EXPECT_EQ(NearestWord("chek", commands), "check");
  EXPECT_EQ(NearestWord("diss", commands), "dissect");
  // Two letters in each other's place are one mistake.
  EXPECT_EQ(NearestWord("laod", {"load"}), "load");
  for (const char* far : {"nonsense", "", "x", "dance", "se"}) {
    EXPECT_EQ(NearestWord(far, commands), "") << far;
  }
}

TEST(NearestWord, Options) {
  const std::vector<std::string> options = {"--port", "--host", "--credentials", "--clock",
                                            "--clock-start"};
  EXPECT_EQ(NearestWord("--prot", options), "--port");
  EXPECT_EQ(NearestWord("--credential", options), "--credentials");
  EXPECT_EQ(NearestWord("--clock-star", options), "--clock-start");
  EXPECT_EQ(NearestWord("--cred", options), "--credentials");
  EXPECT_EQ(NearestWord("--verbosely", options), "");
}

}  // namespace
}  // namespace dynolith
