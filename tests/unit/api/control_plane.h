// A database's parts in memory with a clock that stands still, and requests to start from.
#ifndef DYNOLITH_TESTS_UNIT_API_CONTROL_PLANE_H_
#define DYNOLITH_TESTS_UNIT_API_CONTROL_PLANE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/control/create_table.h"
#include "api/control/describe_table.h"
#include "api/request/operation_context.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/store/local_store.h"
#include "gtest/gtest.h"
#include "index/backfill_runner.h"
#include "tests/unit/api/checked.h"
#include "tests/unit/api/shown_table.h"

namespace dynolith {

inline constexpr KeyType kHash = KeyType::kHash;
inline constexpr KeyType kRange = KeyType::kRange;
inline constexpr std::string_view kInvalid = "One or more parameter values were invalid: ";

class ControlPlane : public ::testing::Test {
 protected:
  ControlPlane() : clock_(absl::FromCivil(absl::CivilSecond(2026, 10, 9, 0, 21, 34), utc())) {
    store_ = LocalStore::Open({.in_memory = true}).value();
    catalog_ = Catalog::Load(store_.get()).value();
    runner_ = BackfillRunner::Make(store_.get(), &locks_, catalog_.get(),
                                   BackgroundThreads::Shared(BackgroundThreads::Kind::kInMemory))
                  .value();
    context_ = {.store = store_.get(),
                .catalog = catalog_.get(),
                .locks = &locks_,
                .backfills = runner_.get(),
                .clock = &clock_,
                .region = "us-east-1",
                .account_id = "000000000000"};
  }

  static absl::TimeZone utc() { return absl::UTCTimeZone(); }

  // Table "music" with hash key "pk", on demand.
  static CreateTableRequest OnDemand() {
    CreateTableRequest request;
    request.table_name = "music";
    request.attribute_definitions = {{"pk", Type::kString}};
    request.key_schema = {{"pk", kHash}};
    request.billing_mode = BillingMode::kPayPerRequest;
    return request;
  }

  // The same with 5 read and 5 write units.
  static CreateTableRequest Provisioned() {
    CreateTableRequest request = OnDemand();
    request.billing_mode.reset();
    request.provisioned_throughput = {.read_capacity_units = 5, .write_capacity_units = 5};
    return request;
  }

  // Keys pk and sk and attribute c, all S, on demand.
  static CreateTableRequest WithRange() {
    CreateTableRequest request = OnDemand();
    request.attribute_definitions = {
        {"pk", Type::kString}, {"sk", Type::kString}, {"c", Type::kString}};
    request.key_schema = {{"pk", kHash}, {"sk", kRange}};
    return request;
  }

  static SecondaryIndex Index(std::string name, std::vector<KeySchemaElement> key,
                              ProjectionType projection = ProjectionType::kAll) {
    SecondaryIndex index;
    index.index_name = std::move(name);
    index.key_schema = std::move(key);
    index.projection.projection_type = projection;
    return index;
  }

  ShownTable Create(const CreateTableRequest& request) {
    auto description = CreateTable(context_, request);
    EXPECT_TRUE(description.ok()) << description.status();
    return Shown(*catalog_, std::move(description).value());
  }

  ShownTable Describe(std::string name = "music") {
    auto description = DescribeTable(context_, {.table_name = std::move(name)});
    EXPECT_TRUE(description.ok()) << description.status();
    return Shown(*catalog_, std::move(description).value());
  }

  // "ValidationException: text", or "OK".
  static std::string Outcome(const absl::Status& status) {
    if (status.ok()) return "OK";
    return std::string(InfoOf(KindOf(status)).exception_name) + ": " +
           std::string(MessageOf(status));
  }
  std::string CreateOutcome(const CreateTableRequest& request) {
    return Outcome(
        Checked<members::CreateTableInput::kShape>(&CreateTable, context_, request).status());
  }

  // "ValidationException: One or more parameter values were invalid: text".
  static std::string Invalid(std::string_view text) {
    return "ValidationException: " + std::string(kInvalid) + std::string(text);
  }
  static std::string Validation(std::string_view text) {
    return "ValidationException: " + std::string(text);
  }

  ManualClock clock_;
  RowLocks locks_;
  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<BackfillRunner> runner_;
  OperationContext context_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_API_CONTROL_PLANE_H_
