// Rows of different owners share one family, and their keys are on disk: two that meet, or one that
// changes, would lose what older stores hold.
#include "engine/store/meta_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace dynolith {
namespace {

std::vector<std::string_view> All() {
  std::vector<std::string_view> all(std::begin(kMetaKeys), std::end(kMetaKeys));
  for (const MetaPrefix& prefix : kMetaPrefixes) all.push_back(prefix.begin);
  return all;
}

TEST(MetaKeys, NoneIsTheBeginningOfAnother) {
  const std::vector<std::string_view> all = All();
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < all.size(); ++j) {
      const bool begins = i != j && all[j].starts_with(all[i]);
      EXPECT_FALSE(begins) << all[i] << " and " << all[j];
    }
  }
}

TEST(MetaKeys, AnEndIsRightBehindItsPrefix) {
  for (const MetaPrefix& prefix : kMetaPrefixes) {
    std::string end(prefix.begin);
    ++end.back();
    EXPECT_EQ(prefix.end, end);
  }
}

TEST(MetaKeys, AreThoseThatAreOnDisk) {
  EXPECT_THAT(All(), ::testing::UnorderedElementsAre("next_id", "table/", "backup/", "throughput/",
                                                     "expiry/", "Tt", "Te", "export/", "import/",
                                                     "bulk/", "commit/", "process/", "lease/",
                                                     "unowned/", "clock", "version"));
}

}  // namespace
}  // namespace dynolith
