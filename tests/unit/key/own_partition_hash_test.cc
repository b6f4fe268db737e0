// The partition hash of a library without OpenSSL is the one of all others.
#include <string>
#include <string_view>

#include "engine/key/key_codec.h"
#include "gtest/gtest.h"

// Under names of its own beside OpenSSL's.
#define DYNOLITH_WITHOUT_FOLDERS
#define HashPartitionKey OwnHashPartitionKey
#define HashPartitionKeys OwnHashPartitionKeys
#include "engine/key/partition_hash.cc"
#undef HashPartitionKeys
#undef HashPartitionKey
#undef DYNOLITH_WITHOUT_FOLDERS

namespace dynolith {
namespace {

TEST(OwnPartitionHash, IsOpenSsls) {
  std::string key;
  for (int size = 0; size < 300; ++size) {
    const std::string_view payload = key;
    EXPECT_EQ(OwnHashPartitionKey({&payload, 1}), HashPartitionKey({&payload, 1})) << size;
    key.push_back(static_cast<char>(size * 37));
  }
}

}  // namespace
}  // namespace dynolith
