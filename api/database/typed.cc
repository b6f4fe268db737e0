#include "dynolith/typed.h"

#include <algorithm>
#include <utility>

namespace dynolith::typed::internal {
namespace {

std::string_view ComparatorOf(RangeKind kind) {
  switch (kind) {
    case RangeKind::kAtLeast:
      return " >= ";
    case RangeKind::kAbove:
      return " > ";
    case RangeKind::kBelow:
      return " < ";
    case RangeKind::kAtMost:
      return " <= ";
    case RangeKind::kWithin:
      break;
  }
  return " BETWEEN ";
}

// The least text above all that begin with this one. Requires: it ends with an ASCII character, as
// the texts of fields and digits do.
std::string EndOf(std::string beginning) {
  ++beginning.back();
  return beginning;
}

}  // namespace

void AddBeginning(std::string_view attribute, std::string_view beginning, KeyCondition* to) {
  to->expression.Text(" AND begins_with(").Name(attribute).Text(", ");
  to->expression.Operand(Value::S(beginning)).Text(")");
}

void AddRange(std::string_view attribute, RangeKind kind, const absl::StatusOr<Value>& first,
              const absl::StatusOr<Value>& last, KeyCondition* to) {
  Expression& expression = to->expression.Text(" AND ").Name(attribute);
  expression.Text(ComparatorOf(kind)).Operand(first);
  if (kind == RangeKind::kWithin) expression.Text(" AND ").Operand(last);
}

void AddTextRange(std::string_view attribute, RangeKind kind, const std::string& before,
                  const std::string& first, const std::string& last, KeyCondition* to) {
  if (kind == RangeKind::kWithin || before.empty()) {
    AddRange(attribute, kind, Value::S(first), Value::S(last), to);
    return;
  }
  // A sort key has one condition, and the other end is that of the texts with this beginning. The
  // one text above them that BETWEEN includes does not begin so, and is passed over as no T.
  const bool is_upward = kind == RangeKind::kAtLeast || kind == RangeKind::kAbove;
  AddRange(attribute, RangeKind::kWithin, Value::S(is_upward ? first : before),
           Value::S(is_upward ? EndOf(before) : first), to);
  if (kind == RangeKind::kAbove || kind == RangeKind::kBelow) to->excluded = first;
}

CreateTableRequest DefinitionOf(
    std::string table, const std::vector<KeyDefinition>& key,
    const std::vector<std::pair<std::string, std::vector<KeyDefinition>>>& indexes) {
  std::vector<AttributeDefinition> attributes;
  const auto schema_of = [&attributes](const std::vector<KeyDefinition>& of) {
    std::vector<KeySchemaElement> schema;
    for (const KeyDefinition& definition : of) {
      schema.push_back({definition.name, definition.key_type});
      const auto is_this = [&definition](const AttributeDefinition& attribute) {
        return attribute.attribute_name == definition.name;
      };
      if (std::none_of(attributes.begin(), attributes.end(), is_this)) {
        attributes.push_back({definition.name, definition.type});
      }
    }
    return schema;
  };
  CreateTableRequest request{.table_name = std::move(table),
                             .billing_mode = BillingMode::kPayPerRequest};
  request.key_schema = schema_of(key);
  for (const auto& [name, index_key] : indexes) {
    if (!request.global_secondary_indexes) request.global_secondary_indexes.emplace();
    request.global_secondary_indexes->push_back(
        {.index_name = name,
         .key_schema = schema_of(index_key),
         .projection = {.projection_type = ProjectionType::kAll}});
  }
  request.attribute_definitions = std::move(attributes);
  return request;
}

}  // namespace dynolith::typed::internal
