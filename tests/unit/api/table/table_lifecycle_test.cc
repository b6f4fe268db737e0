// Finding, listing and deleting tables.
#include "api/control/delete_table.h"
#include "api/control/list_tables.h"
#include "tests/unit/api/checked.h"
#include "tests/unit/api/update_requests.h"

namespace dynolith {
namespace {

class TableLifecycleTest : public UpdateRequests {
 protected:
  std::string DescribeOutcome(std::string name) {
    return Outcome(Checked<members::DescribeTableInput::kShape>(&DescribeTable, context_,
                                                                {.table_name = std::move(name)})
                       .status());
  }
  std::string DeleteOutcome(std::string name) {
    return Outcome(Checked<members::DeleteTableInput::kShape>(&DeleteTable, context_,
                                                              {.table_name = std::move(name)})
                       .status());
  }
  void CreateNamed(std::string name) {
    CreateTableRequest request = OnDemand();
    request.table_name = std::move(name);
    Create(request);
  }
  ListTablesOutput List(const ListTablesRequest& request) {
    auto output = ListTables(context_, request);
    EXPECT_TRUE(output.ok()) << output.status();
    return std::move(output).value();
  }
};

TEST_F(TableLifecycleTest, MissingTable) {
  const std::string missing =
      "ResourceNotFoundException: Requested resource not found: Table: none not found";
  EXPECT_EQ(DescribeOutcome("none"), missing);
  EXPECT_EQ(DeleteOutcome("none"), missing);
}

TEST_F(TableLifecycleTest, TableNames) {
  EXPECT_EQ(DeleteOutcome("ab"),
            Validation("1 validation error detected: Value 'ab' at 'tableName' failed to satisfy "
                       "constraint: Member must have length greater than or equal to 3"));
  EXPECT_EQ(DescribeOutcome("bad table!@#"),
            Validation("1 validation error detected: Value 'bad table!@#' at 'tableName' failed to "
                       "satisfy constraint: Member must satisfy regular expression pattern: "
                       "[a-zA-Z0-9_.-]+"));
}

TEST_F(TableLifecycleTest, Arns) {
  Create(OnDemand());
  EXPECT_EQ(DescribeOutcome("arn:aws:dynamodb:us-east-1:000000000000:table/music"), "OK");
  EXPECT_EQ(DescribeOutcome("arn:aws:dynamodb:eu-west-1:000000000000:table/music"),
            Validation("1 validation error detected: Invalid AWS region in "
                       "'arn:aws:dynamodb:eu-west-1:000000000000:table/music'"));
  EXPECT_EQ(DescribeOutcome("arn:oz:dynamodb:us-east-1:000000000000:table/music"),
            Validation("1 validation error detected: Invalid AWS partition in "
                       "'arn:oz:dynamodb:us-east-1:000000000000:table/music'"));
  EXPECT_EQ(DescribeOutcome("arn:aws:dynamodb:us-east-1:000000000000:table/music/index/x"),
            Validation("1 validation error detected: Invalid resource type in "
                       "'arn:aws:dynamodb:us-east-1:000000000000:table/music/index/x'"));
  EXPECT_EQ(DescribeOutcome("arn:aws:dynamodb:us-east-1:111111111111:table/music")
                .find("ResourceNotFoundException: "),
            0u);
  EXPECT_EQ(DescribeOutcome("arn:").find("ValidationException: "), 0u);
}

TEST_F(TableLifecycleTest, DeleteAnswersDeletingWithoutGlobalIndexes) {
  CreateTableRequest request = WithRange();
  request.local_secondary_indexes = {Index("local", {{"pk", kHash}, {"c", kRange}})};
  request.global_secondary_indexes = {Index("global", {{"c", kHash}})};
  Create(request);
  const auto deleted = DeleteTable(context_, {.table_name = "music"});
  ASSERT_TRUE(deleted.ok()) << deleted.status();
  EXPECT_EQ(deleted->table_status, TableStatus::kDeleting);
  // The answer leaves out keys and indexes.
  EXPECT_TRUE(deleted->key_schema.empty());
  EXPECT_TRUE(deleted->local_secondary_indexes.empty());
  EXPECT_TRUE(deleted->global_secondary_indexes.empty());
  EXPECT_EQ(catalog_->size(), 0u);
}

TEST_F(TableLifecycleTest, ANameIsFreeAfterDeletion) {
  const std::string first = Create(OnDemand()).meta.uuid;
  EXPECT_EQ(DeleteOutcome("music"), "OK");
  const ShownTable again = Create(OnDemand());
  EXPECT_EQ(again.table_arn, "arn:aws:dynamodb:us-east-1:000000000000:table/music");
  EXPECT_NE(again.meta.uuid, first);
}

TEST_F(TableLifecycleTest, ProtectedTables) {
  CreateTableRequest request = OnDemand();
  request.deletion_protection_enabled = true;
  Create(request);
  EXPECT_EQ(DeleteOutcome("music"),
            Validation("Resource cannot be deleted as it is currently protected against deletion. "
                       "Disable deletion protection first."));
  Update(Protection(false));
  EXPECT_EQ(DeleteOutcome("music"), "OK");
}

TEST_F(TableLifecycleTest, NotWhileAnIndexIsBeingCreated) {
  CreateTableRequest request = OnDemand();
  request.global_secondary_indexes = {Index("global", {{"pk", kHash}})};
  Create(request);
  SetIndexStatus("music", 0, IndexStatus::kCreating);
  EXPECT_EQ(DeleteOutcome("music"),
            "ResourceInUseException: Attempt to change a resource which is still in use: Cannot "
            "delete table while indexes are being created, updated, or deleted.");
}

TEST_F(TableLifecycleTest, AnInterruptedDeletionIsFinishedAtTheNextOpen) {
  CreateNamed("kept");
  CreateNamed("half-deleted");
  ASSERT_TRUE(catalog_
                  ->Modify(catalog_->Find("half-deleted").get(),
                           [](TableMeta* meta) {
                             meta->status = TableStatus::kDeleting;
                             return absl::OkStatus();
                           })
                  .ok());
  EXPECT_EQ(DeleteOutcome("half-deleted").find("ResourceInUseException"), 0u);
  runner_.reset();
  catalog_ = Catalog::Load(store_.get()).value();
  context_.catalog = catalog_.get();
  ASSERT_TRUE(FinishDeletions(context_).ok());
  EXPECT_EQ(catalog_->Names("", 10), (std::vector<std::string>{"kept"}));
}

TEST_F(TableLifecycleTest, ListsInBytewiseOrderAndPages) {
  for (const char* name : {"bbb", "aaa", "AAA", "ccc"}) CreateNamed(name);
  const ListTablesOutput all = List({});
  EXPECT_EQ(all.table_names, (std::vector<std::string>{"AAA", "aaa", "bbb", "ccc"}));
  EXPECT_FALSE(all.last_evaluated_table_name);

  const ListTablesOutput first = List({.limit = 3});
  EXPECT_EQ(first.table_names, (std::vector<std::string>{"AAA", "aaa", "bbb"}));
  EXPECT_EQ(first.last_evaluated_table_name, "bbb");
  const ListTablesOutput second = List({.exclusive_start_table_name = "bbb", .limit = 3});
  EXPECT_EQ(second.table_names, (std::vector<std::string>{"ccc"}));
  EXPECT_FALSE(second.last_evaluated_table_name);
  // A full page with nothing behind it, and a start that does not exist.
  EXPECT_FALSE(List({.limit = 4}).last_evaluated_table_name);
  EXPECT_EQ(List({.exclusive_start_table_name = "abc"}).table_names,
            (std::vector<std::string>{"bbb", "ccc"}));
}

TEST_F(TableLifecycleTest, ListsAtMostAHundred) {
  for (int i = 0; i < 101; ++i) CreateNamed("table" + std::to_string(1000 + i));
  const ListTablesOutput page = List({});
  EXPECT_EQ(page.table_names.size(), 100u);
  EXPECT_EQ(page.last_evaluated_table_name, "table1099");
}

TEST_F(TableLifecycleTest, ListTablesMembers) {
  const auto outcome = [&](const ListTablesRequest& request) {
    return Outcome(
        Checked<members::ListTablesInput::kShape>(&ListTables, context_, request).status());
  };
  EXPECT_EQ(outcome({.limit = 101}),
            Validation("1 validation error detected: Value '101' at 'limit' failed to satisfy "
                       "constraint: Member must have value less than or equal to 100"));
  EXPECT_EQ(outcome({.exclusive_start_table_name = "a!", .limit = 0}),
            Validation("3 validation errors detected: Value '0' at 'limit' failed to satisfy "
                       "constraint: Member must have value greater than or equal to 1; Value 'a!' "
                       "at 'exclusiveStartTableName' failed to satisfy constraint: Member must "
                       "satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value 'a!' at "
                       "'exclusiveStartTableName' failed to satisfy constraint: Member must have "
                       "length greater than or equal to 3"));
}

}  // namespace
}  // namespace dynolith
