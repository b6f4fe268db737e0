// Which store a folder holds: copies have the same identity however they were made, so that who
// keeps one up with another store notices when that is not the same one any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/store/encryption/store_keys.h"
#include "engine/store/folder.h"
#include "engine/store/local_store.h"
#include "engine/store/salvage/salvage.h"
#include "tests/unit/store/scratch_folder.h"
#include "tests/unit/store/test_key.h"

namespace dynolith {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestKey;

class StoreIdentityTest : public ::testing::Test {
 protected:
  static std::unique_ptr<LocalStore> Open(const std::string& folder) {
    return *LocalStore::Open({.path = folder, .encryption_key = TestKey()});
  }

  testing::ScratchFolder folder_;
  const std::string store_ = folder_ / "store";
  const std::string copy_ = folder_ / "copy";
};

TEST_F(StoreIdentityTest, StartsAndCopiesKeepIt) {
  ASSERT_TRUE(Open(store_)->Checkpoint(copy_).ok());
  const std::string identity = IdentityOf(store_);
  EXPECT_THAT(identity, Not(IsEmpty()));
  EXPECT_EQ(IdentityOf(copy_), identity);
  const std::string of_copy = folder_ / "of_copy";
  ASSERT_TRUE(Open(copy_)->Checkpoint(of_copy).ok());
  EXPECT_EQ(IdentityOf(copy_), identity);
  EXPECT_EQ(IdentityOf(of_copy), identity);
  Open(store_);
  EXPECT_EQ(IdentityOf(store_), identity);
}

TEST_F(StoreIdentityTest, RepairsKeepIt) {
  WriteBatch batch;
  batch.Put(Family::kTables, "key", "value");
  ASSERT_TRUE(Open(store_)->Commit(batch).ok());
  const auto ignore = [](const std::string& /*line*/) {};
  const std::string without_manifest = folder_ / "without_manifest";
  ASSERT_TRUE(Salvage(store_, copy_, ignore, TestKey()).ok());
  EXPECT_EQ(IdentityOf(copy_), IdentityOf(store_));
  std::filesystem::remove(store_ + "/CURRENT");
  ASSERT_TRUE(Salvage(store_, without_manifest, ignore, TestKey()).ok());
  EXPECT_EQ(IdentityOf(without_manifest), IdentityOf(store_));
  Open(copy_);
  EXPECT_EQ(IdentityOf(copy_), IdentityOf(store_));
}

TEST_F(StoreIdentityTest, EachStoreHasItsOwn) {
  Open(store_);
  Open(copy_);
  EXPECT_NE(IdentityOf(store_), IdentityOf(copy_));
  EXPECT_EQ(IdentityOf(folder_ / "nothing"), "");
}

TEST_F(StoreIdentityTest, WhatWasLostSaysNothing) {
  EXPECT_EQ(IdentityIn(kIdentityFile, "a-b\n"), "a-b");
  EXPECT_EQ(IdentityIn(kIdentityFile, ""), "");
  EXPECT_EQ(IdentityIn(kIdentityFile, std::string(36, '\0')), "");
  const std::string id(32, 'a');
  const std::string keys = "dynolith keys 1\nstore " + id + "\n";
  EXPECT_EQ(IdentityIn(kKeysFile, keys + "wrapped-by 0\n"), id);
  for (size_t bytes = 0; bytes + 1 < keys.size(); ++bytes) {
    EXPECT_EQ(IdentityIn(kKeysFile, keys.substr(0, bytes)), "") << bytes;
  }
}

}  // namespace
}  // namespace dynolith
