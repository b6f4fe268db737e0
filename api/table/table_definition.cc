#include "api/table/table_definition.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "api/table/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/value/set_members.h"

namespace dynolith {
namespace {

// Each name once, in the order of first appearance; borrowed.
class DistinctNames {
 public:
  void Add(const std::vector<KeySchemaElement>& key) {
    for (const KeySchemaElement& element : key) {
      if (known_.insert(element.attribute_name).second) names_.push_back(element.attribute_name);
    }
  }
  bool Contains(std::string_view name) const { return known_.contains(name); }
  size_t size() const { return names_.size(); }
  const std::vector<std::string_view>& names() const { return names_; }
  // For messages.
  std::vector<std::string> Texts() const { return {names_.begin(), names_.end()}; }

 private:
  std::unordered_set<std::string_view, StringViewHash> known_;
  std::vector<std::string_view> names_;
};

std::vector<std::string> ListAttributeNames(const std::vector<AttributeDefinition>& definitions) {
  std::vector<std::string> names;
  names.reserve(definitions.size());
  for (const AttributeDefinition& definition : definitions) {
    names.push_back(definition.attribute_name);
  }
  return names;
}

bool HasRepeatedName(const std::vector<KeySchemaElement>& key) {
  DistinctNames names;
  names.Add(key);
  return names.size() < key.size();
}

absl::Status CheckKeyIsDefined(const std::vector<KeySchemaElement>& key,
                               const DefinitionsByName& definitions) {
  const bool all_defined =
      std::all_of(key.begin(), key.end(), [&](const KeySchemaElement& element) {
        return definitions.Find(element.attribute_name) != nullptr;
      });
  if (all_defined) return absl::OkStatus();
  DistinctNames names;
  names.Add(key);
  return ValidationError(
      messages::KeyAttributesNotDefined(names.Texts(), ListAttributeNames(definitions.all())));
}

// One hash and at most one range attribute: tables and local indexes.
absl::Status CheckSimpleKey(const std::vector<KeySchemaElement>& key) {
  if (HasRepeatedName(key)) return ValidationError(messages::HashAndRangeOfSameName());
  if (key[0].key_type != KeyType::kHash) {
    return ValidationError(messages::FirstKeyElementNotHash());
  }
  if (key.size() > 1 && key[1].key_type != KeyType::kRange) {
    return ValidationError(messages::SecondKeyElementNotRange());
  }
  return absl::OkStatus();
}

// Up to four hash attributes, then up to four range attributes: global indexes.
absl::Status CheckMultipleKey(const std::vector<KeySchemaElement>& key) {
  const auto is_hash = [](const KeySchemaElement& element) {
    return element.key_type == KeyType::kHash;
  };
  const auto hashes = std::count_if(key.begin(), key.end(), is_hash);
  if (HasRepeatedName(key)) return ValidationError(messages::KeyAttributeRepeated());
  if (hashes == 0) return ValidationError(messages::FirstKeyElementNotHash());
  if (!std::is_partitioned(key.begin(), key.end(), is_hash)) {
    return ValidationError(messages::HashAfterRange());
  }
  if (hashes > kHashAttributesMax) return ValidationError(messages::TooManyKeyAttributes("HASH"));
  if (static_cast<int64_t>(key.size()) - hashes > kRangeAttributesMax) {
    return ValidationError(messages::TooManyKeyAttributes("RANGE"));
  }
  return absl::OkStatus();
}

Type FindAttributeType(std::string_view attribute,
                       const std::vector<AttributeDefinition>& definitions) {
  for (const AttributeDefinition& definition : definitions) {
    if (definition.attribute_name == attribute) return definition.attribute_type;
  }
  return Type::kString;  // not reached: the key has been checked against the definitions
}

}  // namespace

DefinitionsByName::DefinitionsByName(const std::vector<AttributeDefinition>& definitions)
    : definitions_(definitions) {
  by_name_.reserve(definitions.size());
  for (const AttributeDefinition& definition : definitions) {
    by_name_.try_emplace(definition.attribute_name, &definition);
  }
}

const AttributeDefinition* DefinitionsByName::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

absl::Status CheckTableKey(const std::vector<KeySchemaElement>& key,
                           const DefinitionsByName& definitions) {
  if (key.size() > definitions.all().size()) {
    return ValidationError(messages::KeyAttributeWithoutDefinition());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckKeyIsDefined(key, definitions));
  return CheckSimpleKey(key);
}

absl::Status CheckDefinedOnce(const std::vector<AttributeDefinition>& definitions) {
  std::vector<std::string_view> defined;
  defined.reserve(definitions.size());
  for (const AttributeDefinition& definition : definitions) {
    defined.push_back(definition.attribute_name);
  }
  const std::optional<size_t> repeat = FirstRepeat(defined);
  return repeat ? ValidationError(messages::AttributeDefinedTwice(defined[*repeat]))
                : absl::OkStatus();
}

absl::Status CheckDefinitionsAreUsed(const std::vector<AttributeDefinition>& definitions,
                                     const std::vector<KeySchemaElement>& table_key,
                                     absl::Span<const SecondaryIndex* const> indexes) {
  DYNOLITH_RETURN_IF_ERROR(CheckDefinedOnce(definitions));
  DistinctNames used;
  used.Add(table_key);
  for (const SecondaryIndex* index : indexes) used.Add(index->key_schema);
  const bool all_used = std::all_of(definitions.begin(), definitions.end(),
                                    [&](const AttributeDefinition& definition) {
                                      return used.Contains(definition.attribute_name);
                                    });
  if (all_used) return absl::OkStatus();
  if (indexes.empty()) return ValidationError(messages::DefinitionsDoNotMatchKey());
  return ValidationError(
      messages::UnusedDefinitions(ListAttributeNames(definitions), used.Texts()));
}

absl::Status CheckLocalIndexKey(const SecondaryIndex& index, const DefinitionsByName& definitions) {
  const std::vector<KeySchemaElement>& key = index.key_schema;
  DYNOLITH_RETURN_IF_ERROR(CheckKeyIsDefined(key, definitions));
  DYNOLITH_RETURN_IF_ERROR(CheckSimpleKey(key));
  return key.size() < 2 ? ValidationError(messages::LocalIndexWithoutRange(index.index_name))
                        : absl::OkStatus();
}

absl::Status CheckLocalIndex(const SecondaryIndex& index,
                             const std::vector<KeySchemaElement>& table_key,
                             const DefinitionsByName& definitions) {
  DYNOLITH_RETURN_IF_ERROR(CheckLocalIndexKey(index, definitions));
  const std::string& hash = index.key_schema[0].attribute_name;
  if (hash != table_key[0].attribute_name) {
    return ValidationError(
        messages::LocalIndexOtherHash(index.index_name, hash, table_key[0].attribute_name));
  }
  return CheckProjection(index.projection);
}

absl::Status CheckGlobalIndexKey(const SecondaryIndex& index,
                                 const DefinitionsByName& definitions) {
  DYNOLITH_RETURN_IF_ERROR(CheckKeyIsDefined(index.key_schema, definitions));
  return CheckMultipleKey(index.key_schema);
}

absl::Status CheckGlobalIndex(const SecondaryIndex& index, const DefinitionsByName& definitions) {
  DYNOLITH_RETURN_IF_ERROR(CheckGlobalIndexKey(index, definitions));
  return CheckProjection(index.projection);
}

absl::Status CheckProjection(const IndexProjection& projection) {
  const auto& names = projection.non_key_attributes;
  if (!projection.projection_type) return ValidationError(messages::ProjectionTypeMissing());
  if (*projection.projection_type != ProjectionType::kInclude) {
    if (!names) return absl::OkStatus();
    return ValidationError(messages::NonKeyAttributesUnexpected(
        *projection.projection_type == ProjectionType::kAll ? "ALL" : "KEYS_ONLY"));
  }
  if (!names) return ValidationError(messages::NonKeyAttributesMissing());
  const std::vector<std::string_view> views(names->begin(), names->end());
  if (const std::optional<size_t> repeat = FirstRepeat(views)) {
    return ValidationError(messages::NonKeyAttributeRepeated(views[*repeat]));
  }
  return absl::OkStatus();
}

absl::Status CheckProjectedAttributes(int64_t projected) {
  if (projected <= kProjectedAttributesMax) return absl::OkStatus();
  return ValidationError(messages::TooManyProjectedAttributes(kProjectedAttributesMax));
}

KeySchema BuildKey(const std::vector<KeySchemaElement>& key,
                   const std::vector<AttributeDefinition>& definitions) {
  KeySchema schema;
  for (const KeySchemaElement& element : key) {
    auto& attributes = element.key_type == KeyType::kHash ? schema.hash : schema.range;
    attributes.push_back(
        {element.attribute_name, FindAttributeType(element.attribute_name, definitions)});
  }
  return schema;
}

IndexSchema BuildIndex(const SecondaryIndex& index, IndexKind kind,
                       const std::vector<AttributeDefinition>& definitions) {
  IndexSchema schema;
  schema.name = index.index_name;
  schema.kind = kind;
  schema.key = BuildKey(index.key_schema, definitions);
  schema.projection = *index.projection.projection_type;
  schema.non_key_attributes =
      index.projection.non_key_attributes.value_or(std::vector<std::string>());
  return schema;
}

std::vector<KeySchemaElement> ToKeySchemaElements(const KeySchema& key) {
  std::vector<KeySchemaElement> elements;
  for (const KeyAttribute& attribute : key.hash) {
    elements.push_back({attribute.name, KeyType::kHash});
  }
  for (const KeyAttribute& attribute : key.range) {
    elements.push_back({attribute.name, KeyType::kRange});
  }
  return elements;
}

}  // namespace dynolith
