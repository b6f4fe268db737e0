// A batch without writes: the database refuses it as the wire does, and what lies below has nothing
// to do, also where overlapping writes fail instead of waiting.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api/write/batch_write_item.h"
#include "api/write/conflict_table.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "tests/unit/api/control_plane.h"

namespace dynolith {
namespace {

class EmptyBatchTest : public ControlPlane {
 protected:
  EmptyBatchTest() { Create(OnDemand()); }

  static BatchWriteItemRequest Empty() {
    BatchWriteItemRequest request;
    request.request_items = {{"music", {}}};
    return request;
  }
};

TEST_F(EmptyBatchTest, WritesNothing) {
  EXPECT_TRUE(BatchWriteItem(context_, Empty()).ok());
  ConflictTable conflicts;
  context_.conflicts = &conflicts;
  EXPECT_TRUE(BatchWriteItem(context_, Empty()).ok());
}

TEST_F(EmptyBatchTest, IsRefusedAsOnTheWire) {
  for (const bool fail_on_conflict : {false, true}) {
    const auto database =
        *Database::Open({.in_memory = true, .fail_on_conflict = fail_on_conflict});
    ASSERT_TRUE(database->CreateTable(OnDemand()).ok());
    const absl::Status status = database->BatchWriteItem(Empty()).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kValidation);
    EXPECT_EQ(
        MessageOf(status),
        "1 validation error detected: Value '{music=[]}' at 'requestItems' failed to satisfy "
        "constraint: Map value must satisfy constraint: [Member must have length less than or "
        "equal to 25, Member must have length greater than or equal to 1]");
    EXPECT_EQ(KindOf(database->BatchWriteItem({}).status()), ErrorKind::kValidation);
  }
}

}  // namespace
}  // namespace dynolith
