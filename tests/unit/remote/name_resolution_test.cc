// A machine without /etc/hosts and without a name server still knows itself.
#include "api/remote/name_resolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dynolith::http {
namespace {

std::vector<std::string> Resolve(const std::string& host, const std::string& port) {
  boost::system::error_code error;
  std::vector<std::string> found;
  for (const auto& endpoint : ResolveHost(host, port, &error)) {
    found.push_back(endpoint.address().to_string() + " " + std::to_string(endpoint.port()));
  }
  if (error) found.push_back("an error");
  return found;
}

using ::testing::ElementsAre;

TEST(NameResolutionTest, LocalhostIsThisMachine) {
  for (const char* name : {"localhost", "LOCALHOST", "dynamodb.localhost"}) {
    EXPECT_THAT(Resolve(name, "8000"), ElementsAre("127.0.0.1 8000", "::1 8000")) << name;
  }
}

TEST(NameResolutionTest, AnAddressIsItself) {
  EXPECT_THAT(Resolve("127.0.0.2", "80"), ElementsAre("127.0.0.2 80"));
  EXPECT_THAT(Resolve("::1", "80"), ElementsAre("::1 80"));
}

TEST(NameResolutionTest, APortThatIsNoneIsAnError) {
  EXPECT_THAT(Resolve("localhost", "70000"), ElementsAre("an error"));
  EXPECT_THAT(Resolve("localhost", "port"), ElementsAre("an error"));
}

TEST(NameResolutionTest, ANameThatNobodyHasIsAnError) {
  EXPECT_THAT(Resolve("nobody.invalid", "80"), ElementsAre("an error"));
}

}  // namespace
}  // namespace dynolith::http
