// UpdateTable requests for table "music" to start from.
#ifndef DYNOLITH_TESTS_UNIT_API_UPDATE_REQUESTS_H_
#define DYNOLITH_TESTS_UNIT_API_UPDATE_REQUESTS_H_

#include <string>
#include <utility>

#include "api/control/update_table.h"
#include "tests/unit/api/checked.h"
#include "tests/unit/api/control_plane.h"

namespace dynolith {

class UpdateRequests : public ControlPlane {
 protected:
  static UpdateTableRequest Named() { return {.table_name = "music"}; }

  static UpdateTableRequest Units(int64_t read, int64_t write) {
    UpdateTableRequest request = Named();
    request.provisioned_throughput = {.read_capacity_units = read, .write_capacity_units = write};
    return request;
  }

  static UpdateTableRequest Protection(bool on) {
    UpdateTableRequest request = Named();
    request.deletion_protection_enabled = on;
    return request;
  }

  // An index on one attribute of type S.
  static UpdateTableRequest NewIndex(std::string name, std::string attribute) {
    UpdateTableRequest request = Named();
    request.attribute_definitions = {{attribute, Type::kString}};
    request.global_secondary_index_updates = {
        {.create = Index(std::move(name), {{attribute, kHash}})}};
    return request;
  }

  static GlobalSecondaryIndexUpdate IndexUnits(std::string name, int64_t read, int64_t write) {
    GlobalSecondaryIndexChange change;
    change.index_name = std::move(name);
    change.provisioned_throughput = {.read_capacity_units = read, .write_capacity_units = write};
    return {.update = std::move(change)};
  }

  ShownTable Update(const UpdateTableRequest& request) {
    auto description = UpdateTable(context_, request);
    EXPECT_TRUE(description.ok()) << description.status();
    return Shown(*catalog_, std::move(description).value());
  }
  std::string UpdateOutcome(const UpdateTableRequest& request) {
    return Outcome(
        Checked<members::UpdateTableInput::kShape>(&UpdateTable, context_, request).status());
  }

  // Puts the index into a state in which the runner will not touch it.
  void SetIndexStatus(std::string_view table, size_t index, IndexStatus status) {
    const auto changed = catalog_->Modify(catalog_->Find(table).get(), [&](TableMeta* meta) {
      meta->index_states[index].status = status;
      return absl::OkStatus();
    });
    EXPECT_TRUE(changed.ok()) << changed.status();
  }
};

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_API_UPDATE_REQUESTS_H_
