#include "tools/files/table/create_table.h"

#include <string_view>
#include <utility>

#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

// A member that CreateTable does not have, the operation that takes it, and the member in it that
// switches it on.
struct Specification {
  std::string_view member;
  std::string_view operation;
  std::string_view switched_by;
};
constexpr Specification kSpecifications[] = {
    {"TimeToLiveSpecification", "UpdateTimeToLive", "Enabled"},
    {"PointInTimeRecoverySpecification", "UpdateContinuousBackups", "PointInTimeRecoveryEnabled"}};

// The warm throughput of a new table on demand.
constexpr std::string_view kFirstWarmReads = "12000";
constexpr std::string_view kFirstWarmWrites = "4000";

// Removes members that `shape` does not have, without a warning.
void Reduce(const Shape& shape, JsonTree* tree) {
  if (shape.kind == ShapeKind::kList) {
    for (JsonTree& element : tree->elements) Reduce(ShapeAt(shape.element), &element);
  }
  if (shape.kind != ShapeKind::kStructure) return;
  std::vector<JsonTree::Member> kept;
  for (JsonTree::Member& member : tree->members) {
    const int index = shape.FindMember(member.name);
    if (index < 0) continue;
    Reduce(ShapeAt(shape.members()[static_cast<size_t>(index)].shape), &member.value);
    kept.push_back(std::move(member));
  }
  tree->members = std::move(kept);
}

// Removes the capacity members that a description shows though nobody asked for them.
void ReduceCapacity(bool is_on_demand, JsonTree* owner) {
  const JsonTree* const warm = owner->Find("WarmThroughput");
  if (warm != nullptr) {
    const std::string_view reads = MemberText(warm->Find("ReadUnitsPerSecond"));
    const std::string_view writes = MemberText(warm->Find("WriteUnitsPerSecond"));
    const JsonTree* const units = owner->Find("ProvisionedThroughput");
    const bool is_first =
        is_on_demand ? reads == kFirstWarmReads && writes == kFirstWarmWrites
                     : units != nullptr && reads == MemberText(units->Find("ReadCapacityUnits")) &&
                           writes == MemberText(units->Find("WriteCapacityUnits"));
    if (is_first) RemoveMember(owner, "WarmThroughput");
  }
  if (is_on_demand) RemoveMember(owner, "ProvisionedThroughput");
}

void AddEncryption(const JsonTree& description, JsonTree* input) {
  const JsonTree* const described = description.Find("SSEDescription");
  if (described == nullptr) return;
  JsonTree specification = MapTree();
  const std::string_view status = MemberText(described->Find("Status"));
  const bool is_on = status == "ENABLED" || status == "ENABLING" || status == "UPDATING";
  SetMember(&specification, "Enabled", WordTree(is_on ? "true" : "false"));
  if (const JsonTree* type = described->Find("SSEType"))
    SetMember(&specification, "SSEType", *type);
  if (const JsonTree* key = described->Find("KMSMasterKeyArn")) {
    SetMember(&specification, "KMSMasterKeyId", *key);
  }
  SetMember(input, "SSESpecification", std::move(specification));
}

TableDesign DesignNamed(const std::string& file, const JsonTree& tree) {
  TableDesign design;
  const JsonTree* const name = tree.Find("TableName");
  design.name = MemberText(name);
  design.place = {file, name == nullptr ? tree.line : name->line,
                  name == nullptr ? tree.column : name->column};
  design.create = MapTree();
  return design;
}

}  // namespace

void AddSpecification(const std::string& file, std::string_view operation, std::string_view member,
                      JsonTree specification, TableDesign* design, Findings* findings,
                      UnknownMembers unknown) {
  for (const Specification& known : kSpecifications) {
    if (known.operation != operation) continue;
    const std::string_view is_on = MemberText(specification.Find(known.switched_by));
    if (is_on == "false") return;
  }
  TableCall call{std::string(operation), MapTree(), LocationInFile(file, specification)};
  SetMember(&call.input, "TableName", TextTree(design->name));
  SetMember(&call.input, member, std::move(specification));
  FitToShape(file, InputShape(operation), &call.input, findings, unknown);
  design->calls.push_back(std::move(call));
}

JsonTree ToCreateTableCall(const JsonTree& description) {
  JsonTree input = description;
  Reduce(InputShape("CreateTable"), &input);
  const JsonTree* const billing = description.Find("BillingModeSummary");
  const bool is_on_demand =
      billing != nullptr && MemberText(billing->Find("BillingMode")) == "PAY_PER_REQUEST";
  SetMember(&input, "BillingMode", TextTree(is_on_demand ? "PAY_PER_REQUEST" : "PROVISIONED"));
  ReduceCapacity(is_on_demand, &input);
  if (JsonTree* const indexes = input.Find("GlobalSecondaryIndexes")) {
    for (JsonTree& index : indexes->elements) ReduceCapacity(is_on_demand, &index);
  }
  const JsonTree* const table_class = description.Find("TableClassSummary");
  if (table_class != nullptr && table_class->Find("TableClass") != nullptr) {
    SetMember(&input, "TableClass", *table_class->Find("TableClass"));
  }
  RemoveMember(&input, "SSESpecification");
  AddEncryption(description, &input);
  return input;
}

std::optional<TableDesign> ReadTableJson(const std::string& file, const JsonTree& tree,
                                         Findings* findings) {
  if (tree.kind != JsonTree::Kind::kMap) return std::nullopt;
  for (const std::string_view wrapper : {"Table", "TableDescription"}) {
    const JsonTree* const described = tree.Find(wrapper);
    if (described == nullptr || described->Find("KeySchema") == nullptr) continue;
    TableDesign design = DesignNamed(file, *described);
    design.create = ToCreateTableCall(*described);
    return design;
  }
  const bool has_keys = tree.Find("KeySchema") != nullptr;
  if (MemberText(tree.Find("TableName")).empty() && !has_keys) return std::nullopt;
  TableDesign design = DesignNamed(file, tree);
  JsonTree input = tree;
  for (const Specification& known : kSpecifications) {
    if (input.Find(known.member) == nullptr) continue;
    AddSpecification(file, known.operation, known.member, TakeMember(&input, known.member), &design,
                     findings);
    if (!has_keys && input.members.size() == 1) return design;
  }
  if (!has_keys) return std::nullopt;
  FitToShape(file, InputShape("CreateTable"), &input, findings);
  design.create = std::move(input);
  return design;
}

}  // namespace dynolith::designs
