#include "api/request/member_constraints.h"

#include <algorithm>
#include <limits>

#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

std::string Quoted(std::string_view text) { return Concat("'", text, "'"); }

std::string Element(std::string_view list, size_t i) { return Concat(list, ".", i + 1, ".member"); }

std::string Print(const std::vector<KeySchemaElement>& key) {
  std::string text;
  for (const KeySchemaElement& element : key) {
    if (!text.empty()) text += ", ";
    text += Concat("KeySchemaElement(attributeName=", element.attribute_name,
                   ", keyType=", element.key_type == KeyType::kHash ? "HASH" : "RANGE", ")");
  }
  return Concat("[", text, "]");
}

std::string Print(const std::vector<std::string>& names) {
  return Concat("[", messages::tables_internal::Listed(names, ", "), "]");
}

}  // namespace

void MemberConstraints::Add(std::string_view value, std::string_view path,
                            const std::string& constraint) {
  if (faults_.size() == kReportedConstraintsMax) return;
  faults_.push_back(messages::MemberFault(value, path, constraint));
}

void MemberConstraints::NotNull(std::string_view path, bool present) {
  if (!present) Add("null", path, messages::MemberNotNull());
}

void MemberConstraints::NotEmpty(std::string_view path, bool has_elements) {
  if (!has_elements) Add("'[]'", path, messages::MemberLengthAtLeast(1));
}

void MemberConstraints::Length(std::string_view path, std::string_view value, size_t least,
                               size_t most) {
  if (value.size() < least) Add(Quoted(value), path, messages::MemberLengthAtLeast(least));
  if (value.size() > most) Add(Quoted(value), path, messages::MemberLengthAtMost(most));
}

void MemberConstraints::Name(std::string_view path, std::string_view name) {
  if (!std::all_of(name.begin(), name.end(), IsNameCharacter)) {
    Add(Quoted(name), path, messages::MemberNamePattern());
  }
  Length(path, name, kTableNameBytesMin, kTableNameBytesMax);
}

void MemberConstraints::Pattern(std::string_view path, std::string_view value, bool matches,
                                std::string_view pattern) {
  if (!matches) Add(Quoted(value), path, messages::MemberPattern(pattern));
}

void MemberConstraints::AtLeast(std::string_view path, std::optional<int64_t> value,
                                int64_t least) {
  if (value && *value < least) {
    Add(Quoted(Concat(*value)), path, messages::MemberValueAtLeast(least));
  }
}

void MemberConstraints::AtMost(std::string_view path, std::optional<int64_t> value, int64_t most) {
  if (value && *value > most) Add(Quoted(Concat(*value)), path, messages::MemberValueAtMost(most));
}

void MemberConstraints::Definitions(std::string_view path,
                                    const std::vector<AttributeDefinition>& definitions) {
  for (size_t i = 0; i < definitions.size(); ++i) {
    Length(Concat(Element(path, i), ".attributeName"), definitions[i].attribute_name, 1,
           kKeyAttributeNameBytesMax);
  }
}

void MemberConstraints::Key(std::string_view path, const std::vector<KeySchemaElement>& key,
                            size_t most) {
  if (key.empty()) Add(Quoted(Print(key)), path, messages::MemberLengthAtLeast(1));
  if (key.size() > most) Add(Quoted(Print(key)), path, messages::MemberLengthAtMost(most));
  for (size_t i = 0; i < key.size(); ++i) {
    Length(Concat(Element(path, i), ".attributeName"), key[i].attribute_name, 1,
           kKeyAttributeNameBytesMax);
  }
}

void MemberConstraints::Units(std::string_view path,
                              const std::optional<ProvisionedThroughput>& throughput) {
  if (!throughput) return;
  AtLeast(Concat(path, ".writeCapacityUnits"), throughput->write_capacity_units, 1);
  AtLeast(Concat(path, ".readCapacityUnits"), throughput->read_capacity_units, 1);
}

void MemberConstraints::Projection(std::string_view path, const IndexProjection& projection) {
  const auto& names = projection.non_key_attributes;
  if (!names) return;
  const std::string names_path = Concat(path, ".nonKeyAttributes");
  if (names->empty()) Add(Quoted(Print(*names)), names_path, messages::MemberLengthAtLeast(1));
  if (names->size() > kNonKeyAttributesMax) {
    Add(Quoted(Print(*names)), names_path, messages::MemberLengthAtMost(kNonKeyAttributesMax));
  }
  for (size_t i = 0; i < names->size(); ++i) {
    Length(Element(names_path, i), (*names)[i], 1, kKeyAttributeNameBytesMax);
  }
}

void MemberConstraints::Index(std::string_view path, const SecondaryIndex& index, IndexKind kind) {
  Name(Concat(path, ".indexName"), index.index_name);
  Key(Concat(path, ".keySchema"), index.key_schema, kind == IndexKind::kLocal ? 2 : kNoLimit);
  Projection(Concat(path, ".projection"), index.projection);
  if (kind == IndexKind::kGlobal) {
    Units(Concat(path, ".provisionedThroughput"), index.provisioned_throughput);
  }
}

absl::Status MemberConstraints::status() const {
  if (faults_.empty()) return absl::OkStatus();
  return ValidationError(messages::MemberFaults(faults_));
}

absl::Status CheckTableName(std::string_view name_or_arn) {
  if (name_or_arn.starts_with("arn:")) return absl::OkStatus();
  MemberConstraints members;
  members.Name("tableName", name_or_arn);
  return members.status();
}

}  // namespace dynolith
