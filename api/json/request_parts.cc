#include "api/json/request_parts.h"

#include "absl/strings/str_split.h"
#include "api/json/java_text.h"
#include "api/json/members.h"
#include "engine/base/errors.h"
#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

template <typename Enum>
using Words = std::pair<std::string_view, Enum>;

constexpr Words<ReturnValues> kReturnValues[] = {{"NONE", ReturnValues::kNone},
                                                 {"ALL_OLD", ReturnValues::kAllOld},
                                                 {"UPDATED_OLD", ReturnValues::kUpdatedOld},
                                                 {"ALL_NEW", ReturnValues::kAllNew},
                                                 {"UPDATED_NEW", ReturnValues::kUpdatedNew}};
constexpr Words<ReturnConsumedCapacity> kCapacity[] = {
    {"NONE", ReturnConsumedCapacity::kNone},
    {"TOTAL", ReturnConsumedCapacity::kTotal},
    {"INDEXES", ReturnConsumedCapacity::kIndexes}};
constexpr Words<ReturnItemCollectionMetrics> kMetrics[] = {
    {"NONE", ReturnItemCollectionMetrics::kNone}, {"SIZE", ReturnItemCollectionMetrics::kSize}};
constexpr Words<ReturnValuesOnConditionCheckFailure> kFailure[] = {
    {"NONE", ReturnValuesOnConditionCheckFailure::kNone},
    {"ALL_OLD", ReturnValuesOnConditionCheckFailure::kAllOld}};
constexpr Words<ConditionalOperator> kConditional[] = {{"AND", ConditionalOperator::kAnd},
                                                       {"OR", ConditionalOperator::kOr}};
constexpr Words<ComparisonOperator> kComparison[] = {
    {"EQ", ComparisonOperator::kEq},
    {"NE", ComparisonOperator::kNe},
    {"IN", ComparisonOperator::kIn},
    {"LE", ComparisonOperator::kLe},
    {"LT", ComparisonOperator::kLt},
    {"GE", ComparisonOperator::kGe},
    {"GT", ComparisonOperator::kGt},
    {"BETWEEN", ComparisonOperator::kBetween},
    {"NOT_NULL", ComparisonOperator::kNotNull},
    {"NULL", ComparisonOperator::kNull},
    {"CONTAINS", ComparisonOperator::kContains},
    {"NOT_CONTAINS", ComparisonOperator::kNotContains},
    {"BEGINS_WITH", ComparisonOperator::kBeginsWith}};

bool IsPartition(std::string_view text) { return text == "aws" || text.substr(0, 4) == "aws-"; }

}  // namespace

absl::Span<const Words<ReturnValues>> ReturnValuesWords() { return kReturnValues; }
absl::Span<const Words<ReturnConsumedCapacity>> CapacityWords() { return kCapacity; }
absl::Span<const Words<ReturnItemCollectionMetrics>> MetricsWords() { return kMetrics; }
absl::Span<const Words<ReturnValuesOnConditionCheckFailure>> FailureWords() { return kFailure; }
absl::Span<const Words<ConditionalOperator>> ConditionalOperatorWords() { return kConditional; }
absl::Span<const Words<ComparisonOperator>> ComparisonWords() { return kComparison; }

absl::Status ReadTableName(std::string_view text, std::string* table_name) {
  *table_name = std::string(text);
  if (!IsArn(text)) return absl::OkStatus();
  // arn:<partition>:dynamodb:<region>:<account>:table/<name>
  std::vector<std::string> parts = absl::StrSplit(ToAbsl(text), absl::MaxSplits(':', 5));
  parts.resize(6);
  const auto fault = [text](std::string_view what) {
    return ValidationError(messages::InvalidArnPart(what, text));
  };
  if (!IsPartition(parts[1])) return fault("AWS partition");
  if (parts[3].empty()) return fault("AWS region");
  constexpr std::string_view kTable = "table/";
  std::string_view name = parts[5];
  if (parts[2] != "dynamodb" || name.substr(0, kTable.size()) != kTable) {
    return fault("resource type");
  }
  name.remove_prefix(kTable.size());
  if (name.empty() || name.find('/') != std::string_view::npos) return fault("resource type");
  return absl::OkStatus();
}

std::optional<std::vector<std::string>> ReadStrings(const Fields& fields, int member) {
  const JsonValue* list = fields.Find(member);
  if (list == nullptr) return std::nullopt;
  std::vector<std::string> strings;
  for (const JsonValue element : ArrayOf(*list)) strings.emplace_back(TextOf(element));
  return strings;
}

std::optional<AttributeNames> ReadNames(const Fields& fields, int member) {
  const JsonValue* map = fields.Find(member);
  if (map == nullptr) return std::nullopt;
  AttributeNames names;
  for (const auto field : ObjectOf(*map)) names.emplace_back(field.key, TextOf(field.value));
  return names;
}

Item ReadKey(const Fields& fields, int member, ValueReader* values, absl::Status* fault) {
  const JsonValue* map = fields.Find(member);
  return map != nullptr ? values->ReadItem(*map, fault) : Item();
}

std::optional<Item> ReadExpressionValues(const Fields& fields, int member, ValueReader* values,
                                         absl::Status* fault) {
  const JsonValue* map = fields.Find(member);
  if (map == nullptr) return std::nullopt;
  return values->ReadExpressionValues(*map, fault);
}

std::optional<Item> ReadStartKey(const Fields& fields, int member, ValueReader* values,
                                 absl::Status* fault) {
  const JsonValue* map = fields.Find(member);
  if (map == nullptr) return std::nullopt;
  return values->ReadStartKey(*map, fault);
}

std::optional<AttributeMap<ExpectedAttributeValue>> ReadExpected(const Fields& fields, int member,
                                                                 ValueReader* values) {
  namespace in = members::ExpectedAttributeValue;
  const JsonValue* map = fields.Find(member);
  if (map == nullptr) return std::nullopt;
  AttributeMap<ExpectedAttributeValue> expected;
  for (const auto field : ObjectOf(*map)) {
    const Fields entry(in::kShape, field.value);
    ExpectedAttributeValue& attribute =
        expected.emplace_back(field.key, ExpectedAttributeValue()).second;
    absl::Status* const fault = &attribute.value_fault;
    if (entry.Has(in::kValue)) attribute.value = values->ReadValue(*entry.Find(in::kValue), fault);
    attribute.exists = entry.Boolean(in::kExists);
    attribute.comparison_operator = ReadEnum(entry, in::kComparisonOperator, ComparisonWords());
    if (const JsonValue* list = entry.Find(in::kAttributeValueList)) {
      attribute.attribute_value_list = values->ReadValues(*list, fault);
    }
  }
  return expected;
}

std::optional<AttributeMap<LegacyCondition>> ReadConditions(const Fields& fields, int member,
                                                            ValueReader* values,
                                                            absl::Status* fault) {
  namespace in = members::Condition;
  const JsonValue* map = fields.Find(member);
  if (map == nullptr) return std::nullopt;
  AttributeMap<LegacyCondition> conditions;
  for (const auto field : ObjectOf(*map)) {
    const Fields entry(in::kShape, field.value);
    LegacyCondition& condition = conditions.emplace_back(field.key, LegacyCondition()).second;
    condition.comparison_operator = ReadEnum(entry, in::kComparisonOperator, ComparisonWords())
                                        .value_or(ComparisonOperator::kEq);
    if (const JsonValue* list = entry.Find(in::kAttributeValueList)) {
      condition.attribute_value_list = values->ReadValues(*list, fault);
    }
  }
  return conditions;
}

}  // namespace dynolith
