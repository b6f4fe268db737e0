// Why: one reader and one writer serve every structure of the model, so a wrong binding shows in
// one operation only. Every request and every output is filled by its binding, written, and read
// back; and what a binding can say about a member is tried one by one.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/time/time.h"
#include "api/database/all_operations.h"
#include "engine/model/binding.h"
#include "engine/model/check_members.h"
#include "engine/model/members.h"
#include "engine/value/attachments.h"
#include "tests/unit/json/in_model.h"
#include "tests/unit/json/json_texts.h"

namespace dynolith {
namespace {

void FillStructure(const Shape& shape, void* structure);

// A value of a member other than the one that it has at first.
void FillScalar(const Shape& shape, FieldKind holding, uint8_t initial, void* value) {
  switch (holding) {
    case FieldKind::kText:
      *static_cast<std::string*>(value) = shape.kind == ShapeKind::kEnum ? shape.values()[0] : "t";
      return;
    case FieldKind::kInteger:
      *static_cast<int64_t*>(value) = 7;
      return;
    case FieldKind::kDouble:
      *static_cast<double*>(value) = 2.5;
      return;
    case FieldKind::kBoolean:
      *static_cast<bool*>(value) = initial == 0;
      return;
    case FieldKind::kTime:
      *static_cast<absl::Time*>(value) = absl::FromUnixMillis(1736000000045);
      return;
    case FieldKind::kEnumeration:
      for (const std::string_view word : shape.values()) {
        *static_cast<uint8_t*>(value) = static_cast<uint8_t>(FindEnumerator(shape, word));
        if (*static_cast<uint8_t*>(value) != initial) return;
      }
      return;
    case FieldKind::kValue:
      *static_cast<Value*>(value) = Value::S("v");
      return;
    case FieldKind::kItem:
      *static_cast<Item*>(value) = {{"k", Value::N(1)}};
      return;
    default:
      ADD_FAILURE() << shape.name;
  }
}

void FillByHand(const TypeBinding& type, void* value) {
  if (&type == &kTypeOf<std::vector<float>>) {
    *static_cast<std::vector<float>*>(value) = {0.1f, -2.0f};
    return;
  }
  absl::Status error = MakeError(ErrorKind::kDuplicateItem, "t");
  const Item item = {{"k", Value::N(1)}};
  AttachItem(item.view(), &error);
  *static_cast<absl::Status*>(value) = error;
}

void FillValue(const Shape& shape, const TypeBinding& type, uint8_t initial, void* value) {
  if (shape.kind == ShapeKind::kStructure && FindBinding(shape).unwrapped) {
    const FieldBinding& inner = FindBinding(shape).fields()[0];
    return FillValue(ShapeAt(shape.members()[inner.member].shape), type, initial, value);
  }
  switch (type.holding) {
    case FieldKind::kOptional:
      return FillValue(shape, *type.element, initial, type.emplace(value));
    case FieldKind::kList:
      type.reserve(value, 2);
      FillValue(ShapeAt(shape.element), *type.element, 0, type.append(value));
      return FillValue(ShapeAt(shape.element), *type.element, 0, type.append(value));
    case FieldKind::kMap:
      return FillValue(ShapeAt(shape.element), *type.element, 0, type.append_keyed(value, "key"));
    case FieldKind::kStructure:
      return FillStructure(shape, value);
    case FieldKind::kByHand:
      return FillByHand(type, value);
    default:
      FillScalar(shape, type.holding, initial, value);
  }
}

// All members but those of which only the presence is known.
void FillStructure(const Shape& shape, void* structure) {
  for (const FieldBinding& field : FindBinding(shape).fields()) {
    if (field.presence == Presence::kGiven) continue;
    FillValue(ShapeAt(shape.members()[field.member].shape), *field.type, field.initial,
              static_cast<char*>(structure) + field.offset);
  }
}

std::string Text(const Shape& shape, const void* structure) {
  std::string text;
  JsonWriter writer(&text);
  WriteStructure(shape, structure, &writer);
  return text;
}

// The members of the structure itself, without those of structures in it.
std::set<std::string_view> WrittenMembers(const Shape& shape) {
  std::set<std::string_view> names;
  for (const FieldBinding& field : FindBinding(shape).fields()) {
    if (field.presence == Presence::kGiven) continue;
    names.insert(shape.members()[field.member].name);
  }
  return names;
}

// "@1a2b" behind a class name: the hash of an attribute value's own form, JSON's or ours.
std::string WithoutHashes(const absl::Status& status) {
  static const std::regex& hash = *new std::regex("@[0-9a-f]+");
  return std::regex_replace(std::string(MessageOf(status)), hash, "@");
}

// Holds a request against the model twice: as C++ programs give it, and as its JSON.
std::string ExpectSaidAlike(const Shape& shape, const void* request) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(Text(shape, request));
  const std::string said = WithoutHashes(CheckMembers(shape, request));
  EXPECT_EQ(said, WithoutHashes(CheckConstraints(Fields(shape, AsObject(*root))))) << shape.name;
  return said;
}

// Writes a full structure and reads it back.
template <typename Structure>
void ExpectRoundTrip(const Shape& shape, bool is_output = false) {
  SCOPED_TRACE(shape.name);
  const bool unwrapped = FindBinding(shape).unwrapped;
  const ShapeMember* wrapped =
      unwrapped ? &shape.members()[FindBinding(shape).fields()[0].member] : nullptr;
  const Shape& inner = unwrapped ? ShapeAt(wrapped->shape) : shape;
  const auto full = std::make_unique<Structure>();
  FillStructure(inner, full.get());
  const std::string text = Text(shape, full.get());
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(text);
  ASSERT_TRUE(root) << text;
  if (is_output) ExpectInModel(shape, *root);

  const JsonObject object =
      unwrapped ? AsObject(AsObject(*root)[wrapped->name].value_unsafe()) : AsObject(*root);
  std::set<std::string_view> names;
  for (const auto field : object) names.insert(field.key);
  EXPECT_EQ(names, WrittenMembers(inner)) << text;

  const Fields fields(inner, object);
  ASSERT_EQ(CheckTypes(fields), absl::OkStatus());
  const auto back = std::make_unique<Structure>();
  RequestViolations violations;
  ASSERT_EQ(ReadStructure(fields, {}, back.get(), &violations), absl::OkStatus());
  EXPECT_TRUE(violations.empty());
  EXPECT_EQ(Text(shape, back.get()), text);
}

// Names of one character and lists of two break many a constraint, members that are empty others.
template <typename Request>
void ExpectConstraintsSaidAlike(const Shape& shape) {
  if (shape.name == "SearchVectorsInput") return;  // its vector is not written
  const auto request = std::make_unique<Request>();
  ExpectSaidAlike(shape, request.get());
  FillStructure(shape, request.get());
  ExpectSaidAlike(shape, request.get());
}

// The rows name the C++ types of the operations; here a row is a test of both.
template <typename Request, typename Output, auto operation>
void Run(const OperationShape& shape) {
  ExpectRoundTrip<Request>(ShapeAt(shape.input));
  ExpectConstraintsSaidAlike<Request>(ShapeAt(shape.input));
  if constexpr (!std::is_void_v<Output>) ExpectRoundTrip<Output>(ShapeAt(shape.output), true);
}

void RunBatchGetItem(const OperationShape& shape) {
  Run<BatchGetItemRequest, BatchGetItemOutput, nullptr>(shape);
}
void RunGetItem(const OperationShape& shape) { Run<GetItemRequest, GetItemOutput, nullptr>(shape); }
void RunQuery(const OperationShape& shape) { Run<QueryRequest, PageOutput, nullptr>(shape); }
void RunScan(const OperationShape& shape) { Run<ScanRequest, PageOutput, nullptr>(shape); }
void RunDescribeEndpoints(const OperationShape& shape) {
  Run<DescribeEndpointsRequest, DescribeEndpointsOutput, nullptr>(shape);
}
// Without C++ types: there are no global tables of 2017.
void RunCreateGlobalTable(const OperationShape&) {}
void RunUpdateGlobalTable(const OperationShape&) {}
void RunListGlobalTables(const OperationShape&) {}

struct Row {
  std::string_view name;
  void (*run)(const OperationShape& shape);
  ValueReaderOptions values;
  OperationCost cost;
  bool writes;
};

constexpr Row kRows[] = {
#include "engine/model/rows.inc"
};

TEST(Structures, EveryRequestAndOutputReadsBackAsItWasWritten) {
  for (const Row& row : kRows) {
    const OperationShape* shape = FindOperation(Service::kDynamo, row.name);
    if (shape == nullptr) shape = FindOperation(Service::kStreams, row.name);
    ASSERT_NE(shape, nullptr) << row.name;
    row.run(*shape);
  }
}

TEST(Structures, ConstraintsHoldForRequestsFromCpp) {
  CreateTableRequest request;
  request.table_name = "t";
  request.key_schema.emplace();
  EXPECT_EQ(
      ExpectSaidAlike(ShapeAt(members::CreateTableInput::kShape), &request),
      "3 validation errors detected: "
      "Value null at 'attributeDefinitions' failed to satisfy constraint: Member must not be "
      "null; "
      "Value 't' at 'tableName' failed to satisfy constraint: Member must have length greater "
      "than or equal to 3; "
      "Value '[]' at 'keySchema' failed to satisfy constraint: Member must have length greater "
      "than or equal to 1");
}

TEST(Structures, OptionalMembersAreWrittenIfThereIsSomething) {
  namespace in = members::OnDemandThroughput;
  const Shape& shape = ShapeAt(in::kShape);
  OnDemandThroughput throughput;
  EXPECT_EQ(Text(shape, &throughput), "{}");
  throughput.max_write_units = 0;
  EXPECT_EQ(Text(shape, &throughput), R"({"MaxWriteRequestUnits":0})");
}

TEST(Structures, PlainMembersAreAlwaysWritten) {
  EXPECT_EQ(Written("DescribeLimits", DescribeLimitsOutput()),
            R"({"AccountMaxReadCapacityUnits":0,"AccountMaxWriteCapacityUnits":0,)"
            R"("TableMaxReadCapacityUnits":0,"TableMaxWriteCapacityUnits":0})");
  EXPECT_EQ(Written("ListTables", ListTablesOutput()), R"({"TableNames":[]})");
}

TEST(Structures, OthersAreWrittenUnlessTheyAreEmpty) {
  TransactWriteItemsOutput output;
  EXPECT_EQ(Written("TransactWriteItems", output), "{}");
  output.consumed_capacity = {{.table_name = "abc", .capacity_units = 1}};
  EXPECT_EQ(Written("TransactWriteItems", output),
            R"({"ConsumedCapacity":[{"TableName":"abc","CapacityUnits":1.0}]})");
}

TEST(Structures, OthersAreWrittenUnlessTheyAreTheDefault) {
  const Shape& shape = ShapeAt(members::QueryInput::kShape);
  QueryRequest request;
  request.table_name = "abc";
  EXPECT_EQ(Text(shape, &request), R"({"TableName":"abc"})");
  request.scan_index_forward = false;
  request.return_consumed_capacity = ReturnConsumedCapacity::kIndexes;
  EXPECT_EQ(Text(shape, &request), R"({"TableName":"abc","ScanIndexForward":false,)"
                                   R"("ReturnConsumedCapacity":"INDEXES"})");
}

TEST(Structures, GivenMembersAreOnlyNoticed) {
  const auto without = Read<UpdateTableRequest>("UpdateTable", R"({"TableName":"abc"})");
  EXPECT_FALSE(without->request.has_settings_replication_mode);
  const auto with = Read<UpdateTableRequest>(
      "UpdateTable", R"({"TableName":"abc","GlobalTableSettingsReplicationMode":"ENABLED"})");
  EXPECT_TRUE(with->request.has_settings_replication_mode);
  EXPECT_FALSE(with->request.multi_region_consistency.has_value());
  EXPECT_EQ(Text(ShapeAt(members::UpdateTableInput::kShape), &with->request),
            R"({"TableName":"abc","GlobalTableSettingsReplicationMode":""})");
}

TEST(Structures, UnwrappedOutputsHaveTheMemberThatTheyStandFor) {
  ContinuousBackupsDescription output;
  EXPECT_EQ(Written("DescribeContinuousBackups", output),
            R"({"ContinuousBackupsDescription":{"ContinuousBackupsStatus":"ENABLED"}})");
  EXPECT_EQ(Written("DescribeTable", TableDescription()).substr(0, 10), R"({"Table":{)");
}

TEST(Structures, UnwrappedMembersAreTheOneInThem) {
  const auto read =
      Read<UpdateTableRequest>("UpdateTable", R"({"TableName":"abc","GlobalSecondaryIndexUpdates":[
      {"Delete":{"IndexName":"idx"}},{}]})");
  const auto& updates = *read->request.global_secondary_index_updates;
  EXPECT_EQ(updates.at(0).delete_index_name, "idx");
  EXPECT_FALSE(updates.at(1).delete_index_name);
  // What an answer has none of is an empty object.
  TransactGetItemsOutput output;
  output.responses = {std::nullopt, Item{{"k", Value::S("v")}}, Item()};
  EXPECT_EQ(Written("TransactGetItems", output),
            R"({"Responses":[{},{"Item":{"k":{"S":"v"}}},{"Item":{}}]})");
}

TEST(Structures, FaultsOfActionsAreTheirOwn) {
  const auto read = Read<TransactWriteItemsRequest>("TransactWriteItems", R"({"TransactItems":[
      {"Put":{"TableName":"abc","Item":{"k":{"S":"v"}}}},
      {"Update":{"TableName":"abc","Key":{"k":{"N":"x"}},"UpdateExpression":"u",
                 "ExpressionAttributeValues":{":a":{"SS":[]}}}},
      {"ConditionCheck":{"TableName":"abc","Key":{"k":{"N":"y"}},"ConditionExpression":"c"}}]})");
  const auto& actions = read->request.transact_items;
  ASSERT_EQ(actions.size(), 3U);
  const auto& none = read->violations.Of(&*actions[0].put);
  EXPECT_TRUE(none.values.ok() && none.expression_values.ok());
  const ValueViolations& update = read->violations.Of(&*actions[1].update);
  EXPECT_EQ(MessageOf(update.values), "The parameter cannot be converted to a numeric value: x");
  EXPECT_FALSE(update.expression_values.ok());
  const ValueViolations& check = read->violations.Of(&*actions[2].condition_check);
  EXPECT_EQ(MessageOf(check.values), "The parameter cannot be converted to a numeric value: y");
  EXPECT_TRUE(check.expression_values.ok());
  // Not the request's.
  EXPECT_TRUE(read->own_violations().values.ok() && read->own_violations().expression_values.ok());
}

TEST(Structures, FaultsOfEntriesOfExpectedAreTheirOwn) {
  const auto read = Read<PutItemRequest>("PutItem", R"({"TableName":"abc","Item":{"a":{"SS":[]}},
      "Expected":{"x":{"Value":{"S":"1"}},"y":{"Value":{"N":"bad"}},
      "z":{"ComparisonOperator":"IN","AttributeValueList":[{"S":"1"},{"N":"worse"}]}}})");
  const auto& expected = *read->request.expected;
  EXPECT_TRUE(read->violations.Of(&expected.at(0).second).values.ok());
  EXPECT_EQ(MessageOf(read->violations.Of(&expected.at(1).second).values),
            "The parameter cannot be converted to a numeric value: bad");
  EXPECT_EQ(MessageOf(read->violations.Of(&expected.at(2).second).values),
            "The parameter cannot be converted to a numeric value: worse");
  EXPECT_EQ(MessageOf(read->own_violations().values),
            "One or more parameter values were invalid: An string set  may not be empty");
}

TEST(Structures, VectorsAreReadAsFloats) {
  const auto read = [](const std::string& second) {
    return Read<SearchVectorsRequest>(
        "SearchVectors", R"({"TableName":"abc","IndexName":"idx","TopK":3,"SearchVector":[)"
                         R"({"N":"1.5"},)" +
                             second + "]}");
  };
  const auto good = read(R"({"N":"-2"})");
  EXPECT_EQ(good->request.search_vector, (std::vector<float>{1.5F, -2}));
  EXPECT_TRUE(good->violations.empty());
  for (const char* bad : {R"({"S":"x"})", R"({"N":"x"})", R"({"N":"1e100"})", "{}"}) {
    EXPECT_FALSE(read(bad)->own_violations().values.ok()) << bad;
  }
}

TEST(Structures, RequestsWithoutFaultsHaveNone) {
  const auto read =
      Read<PutItemRequest>("PutItem", R"({"TableName":"abc","Item":{"a":{"S":"b"}}})");
  EXPECT_TRUE(read->violations.empty());
  EXPECT_TRUE(RequestViolations::None().Of(&read->request).values.ok());
}

}  // namespace
}  // namespace dynolith
