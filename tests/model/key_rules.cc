#include "tests/model/key_rules.h"

#include <algorithm>

namespace dynolith::model {
namespace {

bool FitsKey(const Value& value, const KeyAttribute& attribute) {
  return TypeName(value) == attribute.type && !IsEmpty(value);
}

bool IsVector(const Value& value, size_t dimensions) {
  const List* list = value.As<List>();
  return list && list->size() == dimensions &&
         std::all_of(list->begin(), list->end(),
                     [](const Value& element) { return element.As<Decimal>() != nullptr; });
}

// nullptr if it is not there, or was the same in `old`.
const Value* Changed(const std::string& name, const Item& item, const Item& old) {
  const auto found = item.find(name);
  if (found == item.end()) return nullptr;
  const auto before = old.find(name);
  return before != old.end() && before->second == found->second ? nullptr : &found->second;
}

}  // namespace

Outcome Error(const char* name) {
  Outcome outcome;
  outcome.error = name;
  return outcome;
}

bool IsEmpty(const Value& value) {
  return (value.As<String>() && value.As<String>()->text.empty()) ||
         (value.As<Binary>() && value.As<Binary>()->bytes.empty());
}

std::vector<KeyAttribute> KeyAttributes(const Table& table) {
  std::vector<KeyAttribute> attributes = {table.hash};
  if (table.range) attributes.push_back(*table.range);
  return attributes;
}

std::vector<KeyAttribute> KeyAttributes(const Index& index) {
  std::vector<KeyAttribute> attributes = index.hash;
  attributes.insert(attributes.end(), index.range.begin(), index.range.end());
  return attributes;
}

Item ItemKey(const Table& table, const Item& item) {
  Item key;
  for (const KeyAttribute& attribute : KeyAttributes(table)) {
    key[attribute.name] = item.at(attribute.name);
  }
  return key;
}

const Index* FindIndex(const Table& table, const std::string& name) {
  for (const Index& index : table.indexes) {
    if (index.name == name) return &index;
  }
  return nullptr;
}

bool KeyFits(const Table& table, const Item& item) {
  for (const KeyAttribute& attribute : KeyAttributes(table)) {
    const auto found = item.find(attribute.name);
    if (found == item.end() || !FitsKey(found->second, attribute)) return false;
  }
  return true;
}

bool IndexKeysFit(const Table& table, const Item& item, const Item& old) {
  for (const Index& index : table.indexes) {
    for (const KeyAttribute& attribute : KeyAttributes(index)) {
      const Value* value = Changed(attribute.name, item, old);
      if (value && !FitsKey(*value, attribute)) return false;
    }
  }
  return true;
}

bool VectorsFit(const Table& table, const Item& item, const Item& old) {
  for (const Index& index : table.indexes) {
    if (!index.vector) continue;
    const Value* vector = Changed(index.vector->attribute, item, old);
    if (vector && !IsVector(*vector, index.vector->dimensions)) return false;
    for (const KeyAttribute& filter : index.vector->filters) {
      const Value* value = Changed(filter.name, item, old);
      if (value && TypeName(*value) != filter.type) return false;
    }
  }
  return true;
}

std::optional<Item> ModelEntry(const Table& table, const Index& index, const Item& item) {
  Item entry = ItemKey(table, item);
  for (const KeyAttribute& attribute : KeyAttributes(index)) {
    const auto found = item.find(attribute.name);
    if (found == item.end() || !FitsKey(found->second, attribute)) return std::nullopt;
    entry[attribute.name] = found->second;
  }
  if (index.vector) {
    const auto vector = item.find(index.vector->attribute);
    if (vector == item.end() || !IsVector(vector->second, index.vector->dimensions)) {
      return std::nullopt;
    }
    entry[vector->first] = vector->second;
    for (const KeyAttribute& filter : index.vector->filters) {
      const auto found = item.find(filter.name);
      if (found == item.end()) continue;
      if (TypeName(found->second) != filter.type) return std::nullopt;
      entry[filter.name] = found->second;
    }
  }
  if (index.projection == Index::Projection::kAll) return item;
  for (const std::string& name : index.included) {
    if (item.contains(name)) entry[name] = item.at(name);
  }
  return entry;
}

}  // namespace dynolith::model
