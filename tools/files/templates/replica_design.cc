#include "tools/files/templates/replica_design.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

constexpr std::string_view kStandard = "STANDARD";

const JsonTree* FindBelow(const JsonTree& tree, std::string_view owner, std::string_view member) {
  const JsonTree* const found = tree.Find(owner);
  return found == nullptr ? nullptr : found->Find(member);
}

// A replica has its own units for reads; those for writes are the table's.
void OverrideReads(const JsonTree& here, const JsonTree& there, JsonTree* action) {
  constexpr struct {
    std::string_view owner;
    std::string_view member;
    std::string_view override;
  } kReads[] = {
      {"ProvisionedThroughput", "ReadCapacityUnits", "ProvisionedThroughputOverride"},
      {"OnDemandThroughput", "MaxReadRequestUnits", "OnDemandThroughputOverride"},
  };
  for (const auto& [owner, member, override] : kReads) {
    const JsonTree* const units = FindBelow(there, owner, member);
    if (units == nullptr || units->text == MemberText(FindBelow(here, owner, member))) continue;
    JsonTree wanted = MapTree();
    SetMember(&wanted, member, *units);
    SetMember(action, override, std::move(wanted));
  }
}

// Both have the same indexes, in one order.
JsonTree OverridesOfIndexes(const JsonTree& here, const JsonTree& there) {
  JsonTree overrides = ListTree();
  const JsonTree* const ours = here.Find("GlobalSecondaryIndexes");
  const JsonTree* const theirs = there.Find("GlobalSecondaryIndexes");
  if (ours == nullptr || theirs == nullptr) return overrides;
  for (size_t i = 0; i < std::min(ours->elements.size(), theirs->elements.size()); ++i) {
    JsonTree index = MapTree();
    SetMember(&index, "IndexName", TextTree(MemberText(theirs->elements[i].Find("IndexName"))));
    OverrideReads(ours->elements[i], theirs->elements[i], &index);
    if (index.members.size() > 1) overrides.elements.push_back(std::move(index));
  }
  return overrides;
}

JsonTree CreateAction(const JsonTree& here, const JsonTree& there, const std::string& region) {
  JsonTree action = MapTree();
  SetMember(&action, "RegionName", TextTree(region));
  if (const JsonTree* const key = FindBelow(there, "SSESpecification", "KMSMasterKeyId")) {
    SetMember(&action, "KMSMasterKeyId", *key);
  }
  const auto class_of = [](const JsonTree& table) {
    const std::string_view name = MemberText(table.Find("TableClass"));
    return name.empty() ? kStandard : name;
  };
  if (class_of(there) != class_of(here)) {
    SetMember(&action, "TableClassOverride", TextTree(class_of(there)));
  }
  OverrideReads(here, there, &action);
  JsonTree indexes = OverridesOfIndexes(here, there);
  if (!indexes.elements.empty()) {
    SetMember(&action, "GlobalSecondaryIndexes", std::move(indexes));
  }
  return action;
}

}  // namespace

ReplicaDesign ToReplica(const TableDesign& here, TableDesign there, const std::string& region) {
  ReplicaDesign replica{.region = region, .place = there.place};
  replica.create = CreateAction(here.create, there.create, region);
  if (MemberText(there.create.Find("DeletionProtectionEnabled")) == "true") {
    TableCall call{"UpdateTable", MapTree(), there.place};
    SetMember(&call.input, "TableName", TextTree(there.name));
    SetMember(&call.input, "DeletionProtectionEnabled", WordTree("true"));
    replica.calls.push_back(std::move(call));
  }
  const auto add_for_arn = [&](std::string_view operation, std::string_view property,
                               std::string_view member) {
    const JsonTree* const value = there.create.Find(property);
    if (value == nullptr) return;
    TableCall call{std::string(operation), MapTree(), there.place};
    call.arn_of = ArnOf::kTable;
    SetMember(&call.input, member, *value);
    replica.calls.push_back(std::move(call));
  };
  add_for_arn("TagResource", "Tags", "Tags");
  add_for_arn("PutResourcePolicy", "ResourcePolicy", "Policy");
  for (TableCall& call : there.calls) {
    // The replica has it from its table.
    if (call.operation != "UpdateTimeToLive") replica.calls.push_back(std::move(call));
  }
  return replica;
}

}  // namespace dynolith::designs
