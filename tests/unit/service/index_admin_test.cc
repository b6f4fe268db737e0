// What /_dynolith/indexes says of the shards of indexes: those in effect, where they move to and
// how far they are, and tags that nothing follows.
#include "api/service/index_admin.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "api/request/operation_context.h"
#include "engine/catalog/index_layouts.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

class IndexAdminTest : public ::testing::Test {
 protected:
  IndexAdminTest()
      : database_(Database::Open({.in_memory = true}).value()), admin_(database_.get()) {
    CreateTableRequest request{.table_name = "music",
                               .attribute_definitions = {{{"pk"}, {"g"}, {"n"}}},
                               .key_schema = {{{"pk"}, {"n", KeyType::kRange}}},
                               .billing_mode = BillingMode::kPayPerRequest};
    SecondaryIndex global{.index_name = "by-g", .key_schema = {{"g"}}};
    global.projection.projection_type = ProjectionType::kKeysOnly;
    request.global_secondary_indexes.emplace().push_back(global);
    SecondaryIndex local{.index_name = "local", .key_schema = {{"pk"}, {"g", KeyType::kRange}}};
    local.projection.projection_type = ProjectionType::kKeysOnly;
    request.local_secondary_indexes.emplace().push_back(local);
    const auto created = database_->CreateTable(request);
    EXPECT_TRUE(created.ok()) << created.status();
    arn_ = created->table_arn;
  }

  JsonResponse Ask(std::string_view method, std::string_view query = "",
                   std::string_view body = "") {
    JsonResponse answer;
    admin_.Answer({.method = method, .path = "/_dynolith/indexes", .query = query, .body = body},
                  &answer);
    return answer;
  }
  // Of the table, whose global index and tags are these.
  static std::string Said(const std::string& index, const std::string& tags = "") {
    return R"({"tables":[{"table":"music","indexes":[{"index":"by-g",)" + index +
           R"(}],"waiting_tags":[)" + tags + "]}]}";
  }
  void Change(const std::function<void(TableMeta*)>& change) {
    Catalog* const catalog = ContextOf(*database_).catalog;
    const auto changed = catalog->Modify(catalog->Find("music").get(), [&](TableMeta* meta) {
      change(meta);
      return absl::OkStatus();
    });
    ASSERT_TRUE(changed.ok()) << changed.status();
  }
  void Tag(const std::string& key, const std::string& value) {
    ASSERT_TRUE(database_->TagResource({.resource_arn = arn_, .tags = {{key, value}}}).ok());
  }

  std::unique_ptr<Database> database_;
  IndexAdmin admin_;
  std::string arn_;
};

TEST_F(IndexAdminTest, ShardsInEffectAndTagsThatNothingFollows) {
  EXPECT_EQ(Ask("GET").body, Said(R"("shards":1)"));
  Tag("dynolith:shards:by-g", "8");
  Tag("dynolith:shards:by-h", "8");
  Tag("team", "charts");
  ASSERT_TRUE(database_->WaitForBackfills().ok());
  EXPECT_EQ(Ask("GET").body, Said(R"("shards":8)", R"("by-h")"));
  EXPECT_EQ(Ask("GET", "table=music").body, Said(R"("shards":8)", R"("by-h")"));
}

// The thread that fills is not told of what is changed here behind its back, so each state lasts.
TEST_F(IndexAdminTest, WhatAMoveDoes) {
  const auto set = [](TableMeta* meta) {
    SetShards(16, &meta->schema.indexes[0], &meta->index_states[0]);
  };
  Change(set);
  EXPECT_EQ(Ask("GET").body, Said(R"("shards":1,"moving_to":16,"filling":"sorted-files")"));
  Change([](TableMeta* meta) { meta->schema.indexes[0].notes->is_open = false; });
  EXPECT_EQ(Ask("GET").body, Said(R"("shards":1,"moving_to":16,"filling":"noted-writes")"));
  Change([](TableMeta* meta) { ForgetFilled(&meta->schema.indexes[0], &meta->index_states[0]); });
  EXPECT_EQ(Ask("GET").body, Said(R"("shards":1,"moving_to":16,"filling":"rows","filled":0.0)"));
  Change([](TableMeta* meta) {
    meta->index_states[0].backfill_position =
        RowIdPrefix(meta->schema.id) + std::string("\x40\0\0\0\0\0\0\0key", 11);
  });
  EXPECT_EQ(Ask("GET").body, Said(R"("shards":1,"moving_to":16,"filling":"rows","filled":0.25)"));
  Change([](TableMeta* meta) { FinishReshard(&meta->schema.indexes[0], &meta->index_states[0]); });
  EXPECT_EQ(Ask("GET").body, Said(R"("shards":16)"));
}

TEST_F(IndexAdminTest, WhatIsRefused) {
  EXPECT_EQ(Ask("GET", "table=none").http_status, 404);
  EXPECT_EQ(Ask("GET", "tabel=music").http_status, 400);
  EXPECT_EQ(Ask("GET", "", "[]").http_status, 400);
  EXPECT_EQ(Ask("GET", "", "{}").http_status, 200);
  EXPECT_EQ(Ask("POST").http_status, 405);
}

}  // namespace
}  // namespace dynolith
