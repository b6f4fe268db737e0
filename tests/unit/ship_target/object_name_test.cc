// Which names objects may have: what one target would take and another not is refused by all.
#include "tools/ship/target/object_name.h"

#include <gtest/gtest.h>

#include <string>

namespace dynolith::ship {
namespace {

TEST(ObjectNameTest, TakesPartsOfPlainCharacters) {
  for (const std::string name :
       {"a", "log/0000000000000001", "A-Z_a.z/0.9/-", ".a", "..a", "a..", "..."}) {
    EXPECT_TRUE(CheckName(name).ok()) << name;
    EXPECT_TRUE(CheckPrefix(name).ok()) << name;
    EXPECT_TRUE(CheckPrefix(name + "/").ok()) << name;
  }
  EXPECT_TRUE(CheckPrefix("").ok());
}

TEST(ObjectNameTest, RefusesWhatAFolderOrABucketReadsOtherwise) {
  for (const std::string name : {"/", "/a", "a//b", "//", ".", "..", "a/..", "../a", "a/./b", "a b",
                                 "a~", "a%41", "\xc3\xa4", "a\n", "a\\b", "a:b"}) {
    EXPECT_EQ(CheckName(name).code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(CheckPrefix(name).code(), absl::StatusCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(CheckName("").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckName("a/").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckName(std::string("a\0b", 3)).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ObjectNameTest, HasBoundsOfLength) {
  const std::string part(kNamePartBytesMax, 'a');
  EXPECT_TRUE(CheckName(part + "/" + part).ok());
  EXPECT_FALSE(CheckName(part + "a").ok());
  std::string name = "a";
  while (name.size() + 2 <= kNameBytesMax) name += "/a";
  EXPECT_TRUE(CheckName(name).ok());
  EXPECT_FALSE(CheckName(name + "/a").ok());
}

}  // namespace
}  // namespace dynolith::ship
