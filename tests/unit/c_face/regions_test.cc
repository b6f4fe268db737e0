// Several regions behind one opened database: handles of each, replicas and their dials, one clock.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "dynolith/dynolith.h"

namespace dynolith {
namespace {

constexpr std::string_view kThree =
    R"({"regions": ["us-east-1", "us-east-2", "us-west-2"], "clock": "manual", "clock_start": 1000})";
constexpr std::string_view kCreateSongs =
    R"({"TableName":"songs","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
    R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"})";
constexpr std::string_view kStrong =
    R"({"TableName":"songs","MultiRegionConsistency":"STRONG","ReplicaUpdates":)"
    R"([{"Create":{"RegionName":"us-east-2"}},{"Create":{"RegionName":"us-west-2"}}]})";
constexpr std::string_view kPutSong =
    R"({"TableName":"songs","Item":{"pk":{"S":"a"},"n":{"N":"7"}}})";
constexpr std::string_view kGetSong =
    R"({"TableName":"songs","Key":{"pk":{"S":"a"}},"ConsistentRead":true})";

std::string KindOf(dynolith_error* error) {
  const std::string kind = error != nullptr ? dynolith_error_kind(error) : "";
  dynolith_error_free(error);
  return kind;
}

class CFaceRegions : public ::testing::Test {
 protected:
  void TearDown() override {
    dynolith_response_free(&response_);
    dynolith_close(west_);
    dynolith_close(east_);
  }

  void Open(std::string_view options) {
    ASSERT_EQ(KindOf(dynolith_open(options.data(), options.size(), &east_)), "");
    ASSERT_EQ(KindOf(dynolith_region(east_, "us-west-2", 9, &west_)), "");
  }
  std::string_view Call(dynolith_database* database, std::string_view target,
                        std::string_view body) {
    dynolith_call(database, target.data(), target.size(), body.data(), body.size(), &response_);
    return {response_.body, response_.body_size};
  }
  std::string_view Admin(dynolith_database* database, const char* method, std::string_view path,
                         std::string_view body) {
    dynolith_admin(database, method, path.data(), path.size(), body.data(), body.size(),
                   &response_);
    return {response_.body, response_.body_size};
  }
  void MakeStrongTable() {
    Call(east_, "CreateTable", kCreateSongs);
    ASSERT_EQ(response_.status, 200);
    const std::string answer(Call(east_, "UpdateTable", kStrong));
    ASSERT_EQ(response_.status, 200) << answer;
    ASSERT_EQ(Admin(east_, "POST", "regions/settle", ""), "{}");
  }

  dynolith_database* east_ = nullptr;
  dynolith_database* west_ = nullptr;
  dynolith_response response_ = DYNOLITH_RESPONSE_INIT;
};

TEST_F(CFaceRegions, TablesHaveReplicasInEachOther) {
  Open(kThree);
  MakeStrongTable();
  EXPECT_EQ(Call(east_, "PutItem", kPutSong), "{}");
  EXPECT_EQ(Call(west_, "GetItem", kGetSong), R"({"Item":{"n":{"N":"7"},"pk":{"S":"a"}}})");
  EXPECT_EQ(Admin(east_, "POST", "regions/cut", R"({"region": "us-west-2"})"), "{}");
  Call(west_, "PutItem", kPutSong);
  EXPECT_EQ(response_.status, 503);
  EXPECT_EQ(Admin(west_, "POST", "regions/release", ""), "{}");
  EXPECT_NE(Admin(west_, "GET", "regions", "").find(R"("consistency":"STRONG")"),
            std::string_view::npos);
  // Those that are left go on without the first handle.
  dynolith_close(east_);
  east_ = nullptr;
  EXPECT_EQ(Call(west_, "PutItem", kPutSong), "{}");
}

TEST_F(CFaceRegions, TheyHaveOneClockAndNoSnapshots) {
  Open(kThree);
  EXPECT_EQ(Admin(west_, "POST", "clock/advance", R"({"seconds": 5})"),
            R"({"now":1005,"mode":"manual"})");
  EXPECT_EQ(Admin(east_, "GET", "clock", "").substr(0, 11), R"({"now":1005)");
  EXPECT_EQ(KindOf(dynolith_snapshot(east_, "a", 1)), "FailedPrecondition");
  EXPECT_EQ(KindOf(dynolith_restore(west_, "a", 1)), "FailedPrecondition");
  dynolith_database* fork = nullptr;
  EXPECT_EQ(KindOf(dynolith_fork(east_, "", 0, "", 0, &fork)), "FailedPrecondition");
  Admin(west_, "POST", "snapshot", R"({"name": "a"})");
  EXPECT_EQ(response_.status, 409);
}

TEST_F(CFaceRegions, InFoldersTheyComeBack) {
  const std::string path = ::testing::TempDir() + "dynolith_c_regions";
  std::filesystem::remove_all(path);
  std::filesystem::remove_all(path + ".databases");
  const std::string options =
      R"({"regions": ["us-east-1", "us-east-2", "us-west-2"], "path": ")" + path + R"("})";
  Open(options);
  MakeStrongTable();
  EXPECT_EQ(Call(west_, "PutItem", kPutSong), "{}");
  dynolith_close(west_);
  dynolith_close(east_);
  Open(options);
  EXPECT_EQ(Call(east_, "GetItem", kGetSong), R"({"Item":{"n":{"N":"7"},"pk":{"S":"a"}}})");
  TearDown();
  west_ = east_ = nullptr;
  std::filesystem::remove_all(path);
  std::filesystem::remove_all(path + ".databases");
}

TEST_F(CFaceRegions, WhatIsWrongIsSaid) {
  Open(kThree);
  dynolith_database* other = nullptr;
  EXPECT_EQ(KindOf(dynolith_region(east_, "moon", 4, &other)), "NotFound");
  EXPECT_EQ(KindOf(dynolith_region(east_, "us-east-2", 9, nullptr)), "InvalidArgument");
  for (const std::string_view options :
       {R"({"regions": ["us-east-1", "us-east-1"]})", R"({"regions": "us-east-1"})",
        R"({"regions": ["a b"]})", R"({"regions": ["us-east-1"], "region": "us-east-2"})",
        R"({"regions": ["us-east-1"], "endpoint": "http://127.0.0.1:1"})",
        R"({"regions": ["us-east-1"], "path": "/nowhere", "read_only": true})"}) {
    EXPECT_EQ(KindOf(dynolith_open(options.data(), options.size(), &other)), "InvalidArgument")
        << options;
  }
  dynolith_database* alone = nullptr;
  ASSERT_EQ(KindOf(dynolith_open("", 0, &alone)), "");
  EXPECT_EQ(KindOf(dynolith_region(alone, "us-east-1", 9, &other)), "FailedPrecondition");
  dynolith_close(alone);
}

}  // namespace
}  // namespace dynolith
