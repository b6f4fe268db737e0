#include "tools/files/items/attribute_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

bool IsTypeWord(const JsonTree& value, std::string_view first, std::string_view second = "") {
  return value.kind == Kind::kOther && (value.text == first || value.text == second);
}
bool IsNumberWord(const JsonTree& value) {
  return value.kind == Kind::kOther && !IsTypeWord(value, "true", "false") &&
         !IsTypeWord(value, "null");
}

bool AreTexts(const JsonTree& list) {
  return list.kind == Kind::kList &&
         std::all_of(list.elements.begin(), list.elements.end(),
                     [](const JsonTree& element) { return element.kind == Kind::kString; });
}

JsonTree Typed(std::string_view type, JsonTree content, const JsonTree& at) {
  JsonTree value = MapTree();
  value.line = at.line;
  value.column = at.column;
  value.name_line = at.name_line;
  value.name_column = at.name_column;
  value.members.push_back({std::string(type), std::move(content)});
  return value;
}

JsonTree TypedElements(const JsonTree& list) {
  JsonTree typed = ListTree();
  for (const JsonTree& element : list.elements) typed.elements.push_back(TypedValue(element, ""));
  return typed;
}
JsonTree TypedMembers(const JsonTree& map) {
  JsonTree typed = MapTree();
  for (const auto& [name, value] : map.members) {
    typed.members.push_back({name, TypedValue(value, "")});
  }
  return typed;
}

// An optional sign, digits with at most one point, an optional exponent.
bool LooksLikeANumber(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const bool has_digit = mantissa.find_first_of(kDigits) != std::string_view::npos;
  const bool is_decimal = mantissa.find_first_not_of("0123456789.") == std::string_view::npos &&
                          std::count(mantissa.begin(), mantissa.end(), '.') <= 1;
  if (!has_digit || !is_decimal) return false;
  if (mantissa.size() == text.size()) return true;
  std::string_view exponent = text.substr(mantissa.size() + 1);
  if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
  return !exponent.empty() && exponent.find_first_not_of(kDigits) == std::string_view::npos;
}

// The type for a field name as Data Pipeline and EMR write it: a field of AttributeValue in Java,
// of which all but one are null. Empty: the name is none of these.
std::string_view TypeOfField(std::string_view field) {
  struct Entry {
    std::string_view field;
    std::string_view type;
  };
  static constexpr Entry kEntries[] = {{"s", "S"},       {"n", "N"},
                                       {"b", "B"},       {"sS", "SS"},
                                       {"nS", "NS"},     {"bS", "BS"},
                                       {"ss", "SS"},     {"ns", "NS"},
                                       {"bs", "BS"},     {"m", "M"},
                                       {"l", "L"},       {"bOOL", "BOOL"},
                                       {"bool", "BOOL"}, {"nULLValue", "NULL"},
                                       {"nULL", "NULL"}, {"nullValue", "NULL"},
                                       {"null", "NULL"}};
  for (const Entry& entry : kEntries) {
    if (entry.field == field) return entry.type;
  }
  return "";
}

// An item of lower-case types as a typed one. nullopt unless all values have that form: a plain
// item cannot have it, since its key would have to be a map.
std::optional<JsonTree> ItemOfFields(const JsonTree& item) {
  if (item.members.empty()) return std::nullopt;
  JsonTree typed = MapTree();
  typed.line = item.line;
  typed.column = item.column;
  for (const auto& [name, value] : item.members) {
    std::optional<JsonTree> inner = ValueOfLowerCase(value);
    if (!inner) return std::nullopt;
    typed.members.push_back({name, *std::move(inner)});
  }
  return typed;
}

bool IsSet(std::string_view type) { return type == "SS" || type == "NS" || type == "BS"; }

JsonTree ToBase64Texts(const JsonTree& list) {
  JsonTree texts = ListTree();
  for (const JsonTree& element : list.elements) texts.elements.push_back(TextTree(element.text));
  return texts;
}

}  // namespace

std::optional<JsonTree> ValueOfLowerCase(const JsonTree& value) {
  if (value.kind != Kind::kMap) return std::nullopt;
  const JsonTree::Member* only = nullptr;
  for (const JsonTree::Member& member : value.members) {
    if (TypeOfField(member.name).empty()) return std::nullopt;
    if (IsTypeWord(member.value, "null")) continue;
    if (only != nullptr) return std::nullopt;
    only = &member;
  }
  if (only == nullptr) return std::nullopt;
  JsonTree content = only->value;
  for (JsonTree::Member& member : content.members) {
    std::optional<JsonTree> inner = ValueOfLowerCase(member.value);
    if (!inner) return std::nullopt;
    member.value = *std::move(inner);
  }
  const std::string_view type = TypeOfField(only->name);
  for (JsonTree& element : content.elements) {
    if (type != "L") break;
    std::optional<JsonTree> inner = ValueOfLowerCase(element);
    if (!inner) return std::nullopt;
    element = *std::move(inner);
  }
  JsonTree typed = Typed(type, std::move(content), value);
  return IsTypedValue(typed) ? std::optional(std::move(typed)) : std::nullopt;
}

bool IsTypedValue(const JsonTree& value) {
  if (value.kind != Kind::kMap || value.members.size() != 1) return false;
  const auto& [type, content] = value.members.front();
  if (type == "S" || type == "B") return content.kind == Kind::kString;
  if (type == "N") return content.kind == Kind::kString || IsNumberWord(content);
  if (type == "BOOL") return IsTypeWord(content, "true", "false");
  if (type == "NULL") return IsTypeWord(content, "true");
  if (type == "L") return content.kind == Kind::kList;
  if (type == "M") return content.kind == Kind::kMap;
  return IsSet(type) && AreTexts(content);
}

bool IsTypedItem(const JsonTree& item) {
  return item.kind == Kind::kMap &&
         std::all_of(item.members.begin(), item.members.end(),
                     [](const JsonTree::Member& member) { return IsTypedValue(member.value); });
}

JsonTree TypedValue(const JsonTree& value, std::string_view type) {
  if (IsTypedValue(value)) {
    const auto& [given, content] = value.members.front();
    if (given == "L") return Typed(given, TypedElements(content), value);
    if (given == "M") return Typed(given, TypedMembers(content), value);
    if (given == "N" && content.kind == Kind::kOther) {
      return Typed(given, TextTree(content.text), value);
    }
    // Some tools write every sample value as a string.
    if (given == "S" && type == "N" && LooksLikeANumber(content.text)) {
      return Typed(type, content, value);
    }
    return value;
  }
  switch (value.kind) {
    case Kind::kMap:
      return Typed("M", TypedMembers(value), value);
    case Kind::kList:
      if (IsSet(type)) return Typed(type, ToBase64Texts(value), value);
      return Typed("L", TypedElements(value), value);
    case Kind::kString: {
      const bool fits = type == "B" || (type == "N" && LooksLikeANumber(value.text));
      return Typed(fits ? type : "S", TextTree(value.text), value);
    }
    case Kind::kOther:
      break;
  }
  if (value.text == "null") return Typed("NULL", WordTree("true"), value);
  const bool is_number = IsNumberWord(value);
  if (type == "S" && is_number) return Typed("S", TextTree(value.text), value);
  if (is_number) return Typed("N", TextTree(value.text), value);
  return Typed("BOOL", WordTree(value.text), value);
}

JsonTree TypedItem(const JsonTree& item, const AttributeTypes& types) {
  if (const std::optional<JsonTree> known = ItemOfFields(item)) return TypedItem(*known, types);
  JsonTree typed = MapTree();
  typed.line = item.line;
  typed.column = item.column;
  for (const auto& [name, value] : item.members) {
    const auto type = types.find(name);
    typed.members.push_back(
        {name, TypedValue(value, type == types.end() ? std::string_view() : type->second)});
  }
  return typed;
}

}  // namespace dynolith::designs
