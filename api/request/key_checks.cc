#include "api/request/key_checks.h"

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/value/float_number.h"
#include "engine/value/messages.h"
#include "index/vector.h"

namespace dynolith {
namespace {

enum class KeyRole : uint8_t { kHash, kRange };

// Calls `check` with each attribute of the schema until one fails.
absl::Status ForEach(const KeySchema& key,
                     absl::FunctionRef<absl::Status(const KeyAttribute&, KeyRole)> check) {
  for (const KeyAttribute& attribute : key.hash) {
    DYNOLITH_RETURN_IF_ERROR(check(attribute, KeyRole::kHash));
  }
  for (const KeyAttribute& attribute : key.range) {
    DYNOLITH_RETURN_IF_ERROR(check(attribute, KeyRole::kRange));
  }
  return absl::OkStatus();
}

bool IsEmpty(ValueView value) { return value.type() != Type::kNumber && value.payload().empty(); }

size_t BytesMax(KeyRole role) {
  return role == KeyRole::kHash ? kPartitionKeyBytesMax : kSortKeyBytesMax;
}

bool IsTooLong(ValueView value, KeyRole role) {
  return value.type() != Type::kNumber && value.payload().size() > BytesMax(role);
}

absl::Status TooLong(KeyRole role) {
  return ValidationError(role == KeyRole::kHash ? messages::PartitionKeyTooLong()
                                                : messages::SortKeyTooLong());
}

// Whether nothing at all is wrong with the key of `item`, which is nearly always so; if not, the
// checks below find out what the service tells of it.
bool HasGoodKey(const KeySchema& key, ItemView item) {
  const auto is_good = [item](const KeyAttribute& attribute, size_t bytes_max) {
    const std::optional<ValueView> value = item.Find(attribute.name);
    if (!value || value->type() != attribute.type) return false;
    const size_t bytes = value->payload().size();
    return attribute.type == Type::kNumber || (0 < bytes && bytes <= bytes_max);
  };
  return std::all_of(key.hash.begin(), key.hash.end(),
                     [&](const auto& each) { return is_good(each, kPartitionKeyBytesMax); }) &&
         std::all_of(key.range.begin(), key.range.end(),
                     [&](const auto& each) { return is_good(each, kSortKeyBytesMax); });
}

// Requires: `item` has every attribute of `key` with its type.
absl::Status CheckKeyContents(const KeySchema& key, ItemView item) {
  // Told only if none is empty.
  std::optional<KeyRole> too_long;
  DYNOLITH_RETURN_IF_ERROR(ForEach(key, [&](const KeyAttribute& attribute, KeyRole role) {
    const ValueView value = *item.Find(attribute.name);
    if (!too_long && IsTooLong(value, role)) too_long = role;
    if (!IsEmpty(value)) return absl::OkStatus();
    return ValidationError(messages::EmptyKeyValue(attribute.type, attribute.name));
  }));
  return too_long ? TooLong(*too_long) : absl::OkStatus();
}

absl::Status CheckIndexKey(const IndexSchema& index, ItemView item) {
  return ForEach(index.key, [&](const KeyAttribute& attribute, KeyRole role) -> absl::Status {
    const std::optional<ValueView> value = item.Find(attribute.name);
    if (!value) return absl::OkStatus();
    if (value->type() != attribute.type) {
      return ValidationError(messages::IndexKeyTypeMismatch(attribute.name, attribute.type,
                                                            value->type(), index.name));
    }
    if (IsEmpty(*value)) {
      return ValidationError(
          messages::EmptyIndexKeyValue(attribute.type, index.name, attribute.name));
    }
    if (!IsTooLong(*value, role)) return absl::OkStatus();
    return ValidationError(messages::IndexKeyTooLong(attribute.name, value->payload().size(),
                                                     BytesMax(role), index.name));
  });
}

absl::Status CheckVectorElement(const IndexSchema& index, size_t i, ValueView element) {
  const std::string parameter = messages::VectorElement(index.vector->attribute, i);
  if (element.type() != Type::kNumber) {
    return ValidationError(
        messages::VectorElementMismatch(parameter, TypeName(element.type()), index.name));
  }
  return ValidationError(messages::VectorElementTooLarge(parameter, index.name));
}

// Whether the attribute, if there is one, can be indexed.
absl::Status CheckVector(const IndexSchema& index, const std::optional<ValueView>& value) {
  const VectorSchema& vector = *index.vector;
  if (!value || IsVector(*value, vector.dimensions)) return absl::OkStatus();
  if (value->type() != Type::kList) {
    return ValidationError(messages::VectorTypeMismatch(vector.attribute, index.name));
  }
  const ListView list = value->list();
  if (list.size() != static_cast<size_t>(vector.dimensions)) {
    return ValidationError(
        messages::VectorSizeMismatch(vector.attribute, vector.dimensions, list.size(), index.name));
  }
  size_t i = 0;
  while (list[i].type() == Type::kNumber && FitsFloat(list[i].number_bytes())) ++i;
  return CheckVectorElement(index, i, list[i]);
}

absl::Status CheckInlineFilter(const IndexSchema& index, const KeyAttribute& filter,
                               const std::optional<ValueView>& value) {
  if (!value || value->type() == filter.type) return absl::OkStatus();
  return ValidationError(
      messages::IndexKeyTypeMismatch(filter.name, filter.type, value->type(), index.name));
}

absl::Status CheckVectorEntry(const IndexSchema& index, ItemView item) {
  for (const KeyAttribute& filter : index.vector->inline_filters) {
    DYNOLITH_RETURN_IF_ERROR(CheckInlineFilter(index, filter, item.Find(filter.name)));
  }
  return CheckVector(index, item.Find(index.vector->attribute));
}

absl::Status CheckIndexKeys(const TableSchema& schema, ItemView item) {
  if (schema.indexes.empty()) return absl::OkStatus();
  for (const IndexKind kind : {IndexKind::kGlobal, IndexKind::kLocal, IndexKind::kVector}) {
    for (const IndexSchema& index : schema.indexes) {
      if (index.kind != kind) continue;
      DYNOLITH_RETURN_IF_ERROR(CheckIndexKey(index, item));
      if (index.vector) DYNOLITH_RETURN_IF_ERROR(CheckVectorEntry(index, item));
    }
  }
  return absl::OkStatus();
}

// What an update has changed of what a vector index holds.
absl::Status CheckUpdatedVectorEntry(const IndexSchema& index, std::optional<ItemView> before,
                                     ItemView after) {
  const auto changed = [&](std::string_view name) {
    return !before || !(before->Find(name) == after.Find(name));
  };
  for (const KeyAttribute& filter : index.vector->inline_filters) {
    if (!changed(filter.name)) continue;
    DYNOLITH_RETURN_IF_ERROR(CheckInlineFilter(index, filter, after.Find(filter.name)));
  }
  const std::string& attribute = index.vector->attribute;
  return changed(attribute) ? CheckVector(index, after.Find(attribute)) : absl::OkStatus();
}

// For a key, which is small: its memory is kept for the thread's next one.
ItemBuilder& FreshBuilder() {
  static thread_local auto builder = std::make_unique<ItemBuilder>();
  builder->Reset();
  return *builder;
}

void CopyKey(const KeySchema& key, ItemView item, ItemBuilder* builder) {
  for (const auto* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) {
      builder->Key(attribute.name);
      builder->Copy(*item.Find(attribute.name));
    }
  }
}

}  // namespace

absl::Status CheckItemKeys(const TableSchema& schema, ItemView item) {
  if (HasGoodKey(schema.key, item)) return CheckIndexKeys(schema, item);
  DYNOLITH_RETURN_IF_ERROR(ForEach(schema.key, [&](const KeyAttribute& attribute, KeyRole) {
    if (item.Find(attribute.name)) return absl::OkStatus();
    return ValidationError(messages::MissingKey(attribute.name));
  }));
  DYNOLITH_RETURN_IF_ERROR(ForEach(schema.key, [&](const KeyAttribute& attribute, KeyRole) {
    const Type actual = item.Find(attribute.name)->type();
    if (actual == attribute.type) return absl::OkStatus();
    return ValidationError(messages::KeyTypeMismatch(attribute.name, attribute.type, actual));
  }));
  DYNOLITH_RETURN_IF_ERROR(CheckKeyContents(schema.key, item));
  return CheckIndexKeys(schema, item);
}

absl::Status CheckKey(const KeySchema& key, ItemView item) {
  if (item.size() != key.size()) return ValidationError(messages::KeyMismatch());
  if (HasGoodKey(key, item)) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(ForEach(key, [&](const KeyAttribute& attribute, KeyRole) {
    const std::optional<ValueView> value = item.Find(attribute.name);
    if (value && value->type() == attribute.type) return absl::OkStatus();
    return ValidationError(messages::KeyMismatch());
  }));
  return CheckKeyContents(key, item);
}

absl::Status CheckNoEmptyKey(const KeySchema& key, ItemView item) {
  return ForEach(key, [&](const KeyAttribute& attribute, KeyRole) {
    const std::optional<ValueView> value = item.Find(attribute.name);
    if (!value || value->type() != attribute.type || !IsEmpty(*value)) return absl::OkStatus();
    return ValidationError(messages::EmptyKeyValue(attribute.type, attribute.name));
  });
}

absl::Status CheckBatchItemKeys(const TableSchema& schema, ItemView item) {
  if (HasGoodKey(schema.key, item)) return CheckIndexKeys(schema, item);
  DYNOLITH_RETURN_IF_ERROR(ForEach(schema.key, [&](const KeyAttribute& attribute, KeyRole) {
    const std::optional<ValueView> value = item.Find(attribute.name);
    if (value && value->type() == attribute.type) return absl::OkStatus();
    return ValidationError(messages::KeyMismatch());
  }));
  DYNOLITH_RETURN_IF_ERROR(CheckKeyContents(schema.key, item));
  return CheckIndexKeys(schema, item);
}

absl::Status CheckNoEmptyIndexKey(
    const TableSchema& schema, absl::FunctionRef<std::optional<ValueView>(std::string_view)> find,
    absl::FunctionRef<std::string(const IndexSchema&, const KeyAttribute&)> empty) {
  for (const IndexSchema& index : schema.indexes) {
    DYNOLITH_RETURN_IF_ERROR(ForEach(index.key, [&](const KeyAttribute& attribute, KeyRole) {
      const std::optional<ValueView> value = find(attribute.name);
      if (!value || value->type() != attribute.type || !IsEmpty(*value)) return absl::OkStatus();
      return ValidationError(empty(index, attribute));
    }));
  }
  return absl::OkStatus();
}

absl::Status CheckUpdatedIndexKeys(const TableSchema& schema, std::optional<ItemView> before,
                                   ItemView after) {
  for (const IndexSchema& index : schema.indexes) {
    DYNOLITH_RETURN_IF_ERROR(
        ForEach(index.key, [&](const KeyAttribute& attribute, KeyRole role) -> absl::Status {
          const std::optional<ValueView> value = after.Find(attribute.name);
          if (!value) return absl::OkStatus();
          if (before && before->Find(attribute.name) == value) return absl::OkStatus();
          if (value->type() != attribute.type) {
            return ValidationError(messages::UpdatedIndexKeyType());
          }
          if (IsEmpty(*value))
            return ValidationError(messages::UpdatedIndexKeyEmpty(TypeName(value->type())));
          return IsTooLong(*value, role) ? ValidationError(messages::UpdatedIndexKeySize())
                                         : absl::OkStatus();
        }));
    if (index.vector) DYNOLITH_RETURN_IF_ERROR(CheckUpdatedVectorEntry(index, before, after));
  }
  return absl::OkStatus();
}

Item ExtractKey(const KeySchema& key, ItemView item) {
  ItemBuilder& builder = FreshBuilder();
  builder.BeginMap();
  CopyKey(key, item, &builder);
  builder.EndMap();
  return builder.FinishItem();
}

Item ExtractKey(const KeySchema& index_key, const KeySchema& base_key, ItemView item) {
  ItemBuilder& builder = FreshBuilder();
  builder.BeginMap();
  CopyKey(index_key, item, &builder);
  CopyKey(base_key, item, &builder);
  builder.EndMap();
  return builder.FinishItem();
}

}  // namespace dynolith
