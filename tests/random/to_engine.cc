#include "tests/random/to_engine.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dynolith::random {

Value ToEngine(const model::Value& value) {
  if (const bool* boolean = value.As<bool>()) return Value::Bool(*boolean);
  if (const auto* number = value.As<model::Decimal>()) return *Value::ParseN(number->ToString());
  if (const auto* text = value.As<model::String>()) return Value::S(text->text);
  if (const auto* binary = value.As<model::Binary>()) return Value::B(binary->bytes);
  if (const auto* map = value.As<model::Map>()) return Value::M(ToEngine(*map));
  if (const auto* list = value.As<model::List>()) {
    std::vector<Value> elements;
    for (const model::Value& element : *list) elements.push_back(ToEngine(element));
    return Value::L(elements);
  }
  if (const auto* set = value.As<model::StringSet>()) {
    return Value::SS({set->members.begin(), set->members.end()});
  }
  if (const auto* set = value.As<model::BinarySet>()) {
    return Value::BS({set->members.begin(), set->members.end()});
  }
  if (const auto* set = value.As<model::NumberSet>()) {
    std::vector<Number> members;
    for (const auto& member : set->members) members.push_back(*Number::Parse(member.ToString()));
    return Value::NS(members);
  }
  return Value::Null();
}

Item ToEngine(const model::Item& item) {
  Item result;
  for (const auto& [name, value] : item) result.Set(name, ToEngine(value));
  return result;
}

model::Value ToModel(ValueView value) {
  switch (value.type()) {
    case Type::kNull:
      return {model::Null{}};
    case Type::kBool:
      return {value.boolean()};
    case Type::kNumber:
      return model::N(value.number().ToString());
    case Type::kString:
      return model::S(value.string());
    case Type::kBinary:
      return model::B(value.binary());
    case Type::kMap:
      return {ToModel(value.map())};
    default:
      break;
  }
  if (value.type() == Type::kList) {
    model::List list;
    for (size_t i = 0; i < value.list().size(); ++i) list.push_back(ToModel(value.list()[i]));
    return {list};
  }
  model::StringSet texts;
  model::BinarySet binaries;
  model::NumberSet numbers;
  for (size_t i = 0; i < value.set().size(); ++i) {
    const std::string member(value.set()[i]);
    texts.members.insert(member);
    binaries.members.insert(member);
    if (value.type() == Type::kNumberSet) {
      numbers.members.insert(model::Decimal(Number::Decode(member).ToString()));
    }
  }
  if (value.type() == Type::kNumberSet) return {numbers};
  if (value.type() == Type::kStringSet) return {texts};
  return {binaries};
}

model::Item ToModel(ItemView item) {
  model::Item result;
  for (size_t i = 0; i < item.size(); ++i) {
    result[std::string(item.name(i))] = ToModel(item.value(i));
  }
  return result;
}

namespace {

std::vector<KeySchemaElement> ToKeySchema(const std::vector<model::KeyAttribute>& hash,
                                          const std::vector<model::KeyAttribute>& range) {
  std::vector<KeySchemaElement> elements;
  for (const auto& attribute : hash) {
    elements.push_back({attribute.name, KeyType::kHash});
  }
  for (const auto& attribute : range) {
    elements.push_back({attribute.name, KeyType::kRange});
  }
  return elements;
}

IndexProjection ToProjection(const model::Index& index) {
  IndexProjection projection{.projection_type = ProjectionType::kAll};
  if (index.projection == model::Index::Projection::kKeysOnly) {
    projection.projection_type = ProjectionType::kKeysOnly;
  }
  if (index.projection == model::Index::Projection::kInclude) {
    projection.projection_type = ProjectionType::kInclude;
    projection.non_key_attributes = index.included;
  }
  return projection;
}

VectorIndex ToVectorIndex(const model::Index& index) {
  static const std::map<model::Index::Vector::Distance, DistanceFunction> distances = {
      {model::Index::Vector::Distance::kCosine, DistanceFunction::kCosine},
      {model::Index::Vector::Distance::kEuclidean, DistanceFunction::kEuclidean},
      {model::Index::Vector::Distance::kDotProduct, DistanceFunction::kDotProduct}};
  VectorIndex result{.index_name = index.name,
                     .vector_attribute = index.vector->attribute,
                     .projection = ToProjection(index),
                     .dimensions = static_cast<int64_t>(index.vector->dimensions),
                     .distance_function = distances.at(index.vector->distance)};
  std::vector<SearchSchemaElement> elements;
  for (const auto& attribute : index.hash) {
    elements.push_back({attribute.name, SearchSchemaElementType::kHash});
  }
  for (const auto& attribute : index.vector->filters) {
    elements.push_back({attribute.name, SearchSchemaElementType::kInlineFilter});
  }
  if (!elements.empty()) result.search_schema = elements;
  return result;
}

void Define(const std::vector<model::KeyAttribute>& attributes,
            std::map<std::string, Type>* definitions) {
  for (const auto& attribute : attributes)
    (*definitions)[attribute.name] = *TypeFromName(attribute.type);
}

std::vector<AttributeDefinition> ToDefinitions(const std::map<std::string, Type>& definitions) {
  std::vector<AttributeDefinition> result;
  for (const auto& [name, type] : definitions) {
    result.push_back({.attribute_name = name, .attribute_type = type});
  }
  return result;
}

SecondaryIndex ToEngine(const model::Index& index) {
  return {.index_name = index.name,
          .key_schema = ToKeySchema(index.hash, index.range),
          .projection = ToProjection(index)};
}

}  // namespace

CreateTableRequest ToEngine(const model::Table& table) {
  CreateTableRequest request{.table_name = table.name, .billing_mode = BillingMode::kPayPerRequest};
  std::map<std::string, Type> definitions;
  std::vector<model::KeyAttribute> range;
  if (table.range) range.push_back(*table.range);
  Define({table.hash}, &definitions);
  Define(range, &definitions);
  request.key_schema = ToKeySchema({table.hash}, range);
  for (const model::Index& index : table.indexes) {
    Define(index.hash, &definitions);
    Define(index.range, &definitions);
    if (index.vector) {
      Define(index.vector->filters, &definitions);
      if (!request.vector_indexes) request.vector_indexes.emplace();
      request.vector_indexes->push_back(ToVectorIndex(index));
      continue;
    }
    auto& list = index.local ? request.local_secondary_indexes : request.global_secondary_indexes;
    if (!list) list.emplace();
    list->push_back(ToEngine(index));
  }
  request.attribute_definitions = ToDefinitions(definitions);
  return request;
}

UpdateTableRequest ToCreation(const model::CreateIndexOp& op) {
  std::map<std::string, Type> definitions;
  Define(op.index.hash, &definitions);
  Define(op.index.range, &definitions);
  return {.table_name = op.table,
          .attribute_definitions = ToDefinitions(definitions),
          .global_secondary_index_updates = {{{.create = ToEngine(op.index)}}}};
}

}  // namespace dynolith::random
