#include "api/table/vector_definition.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/table/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/value/set_members.h"

namespace dynolith {
namespace {

using SearchSchema = std::vector<SearchSchemaElement>;

const SearchSchema& RequestedSearchSchema(const VectorIndex& index) {
  static const SearchSchema& none = *new SearchSchema;
  return index.search_schema ? *index.search_schema : none;
}

absl::Status CheckIsDefined(const SearchSchema& schema, const DefinitionsByName& definitions) {
  const bool all_defined =
      std::all_of(schema.begin(), schema.end(), [&](const SearchSchemaElement& element) {
        return definitions.Find(element.attribute_name) != nullptr;
      });
  if (all_defined) return absl::OkStatus();
  return ValidationError(messages::SearchSchemaNotDefined());
}

absl::Status CheckElements(const SearchSchema& schema) {
  std::vector<std::string_view> names;
  names.reserve(schema.size());
  for (const SearchSchemaElement& element : schema) names.push_back(element.attribute_name);
  if (const std::optional<size_t> repeat = FirstRepeat(names)) {
    return ValidationError(messages::SearchElementRepeated(names[*repeat]));
  }
  const auto hashes =
      std::count_if(schema.begin(), schema.end(), [](const SearchSchemaElement& element) {
        return element.element_type == SearchSchemaElementType::kHash;
      });
  if (hashes > kSearchHashAttributesMax) {
    return ValidationError(messages::TooManySearchElements("HASH", kSearchHashAttributesMax));
  }
  if (static_cast<int64_t>(schema.size()) - hashes > kInlineFiltersMax) {
    return ValidationError(messages::TooManySearchElements("INLINE_FILTER", kInlineFiltersMax));
  }
  return absl::OkStatus();
}

absl::Status CheckVectorAttribute(const VectorIndex& index,
                                  const std::vector<std::string>& table_key) {
  const std::string& attribute = index.vector_attribute;
  const SearchSchema& schema = RequestedSearchSchema(index);
  const bool is_key =
      std::find(table_key.begin(), table_key.end(), attribute) != table_key.end() ||
      std::any_of(schema.begin(), schema.end(), [&](const SearchSchemaElement& element) {
        return element.attribute_name == attribute;
      });
  if (is_key) return ValidationError(messages::VectorAttributeIsKey(attribute));
  if (index.dimensions < 1 || index.dimensions > kVectorDimensionsMax) {
    return ValidationError(messages::DimensionsOutOfRange(kVectorDimensionsMax));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckVectorIndex(const VectorIndex& index, const std::vector<std::string>& table_key,
                              const DefinitionsByName& definitions,
                              const std::vector<IndexSchema>& others) {
  DYNOLITH_RETURN_IF_ERROR(CheckIsDefined(RequestedSearchSchema(index), definitions));
  DYNOLITH_RETURN_IF_ERROR(CheckElements(RequestedSearchSchema(index)));
  DYNOLITH_RETURN_IF_ERROR(CheckVectorAttribute(index, table_key));
  DYNOLITH_RETURN_IF_ERROR(CheckProjection(index.projection));
  for (const IndexSchema& other : others) {
    if (!other.vector || other.vector->attribute != index.vector_attribute) continue;
    if (other.vector->dimensions == index.dimensions) continue;
    return ValidationError(messages::DimensionsDiffer(index.vector_attribute));
  }
  return absl::OkStatus();
}

absl::Status CheckVectorBilling(BillingMode mode) {
  if (mode == BillingMode::kPayPerRequest) return absl::OkStatus();
  return ValidationError(messages::VectorsNeedPayPerRequest());
}

std::vector<KeySchemaElement> DefinedAttributes(const VectorIndex& index) {
  std::vector<KeySchemaElement> elements;
  for (const SearchSchemaElement& element : RequestedSearchSchema(index)) {
    const bool is_hash = element.element_type == SearchSchemaElementType::kHash;
    elements.push_back({element.attribute_name, is_hash ? KeyType::kHash : KeyType::kRange});
  }
  return elements;
}

int64_t ProjectedAttributes(const VectorIndex& index) {
  int64_t projected = 1;
  for (const SearchSchemaElement& element : RequestedSearchSchema(index)) {
    projected += element.element_type == SearchSchemaElementType::kInlineFilter ? 1 : 0;
  }
  const auto& names = index.projection.non_key_attributes;
  return projected + (names ? static_cast<int64_t>(names->size()) : 0);
}

int64_t ProjectedAttributes(const IndexSchema& index) {
  const auto named = static_cast<int64_t>(index.non_key_attributes.size());
  if (!index.vector) return named;
  return named + 1 + static_cast<int64_t>(index.vector->inline_filters.size());
}

IndexSchema BuildVectorIndex(const VectorIndex& index,
                             const std::vector<AttributeDefinition>& definitions) {
  KeySchema defined = BuildKey(DefinedAttributes(index), definitions);
  IndexSchema schema;
  schema.name = index.index_name;
  schema.kind = IndexKind::kVector;
  schema.key.hash = std::move(defined.hash);
  schema.projection = *index.projection.projection_type;
  schema.non_key_attributes =
      index.projection.non_key_attributes.value_or(std::vector<std::string>());
  schema.vector = VectorSchema{.attribute = index.vector_attribute,
                               .dimensions = index.dimensions,
                               .distance = index.distance_function,
                               .inline_filters = std::move(defined.range)};
  return schema;
}

}  // namespace dynolith
