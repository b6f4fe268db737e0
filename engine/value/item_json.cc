#include "engine/value/item_json.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/base/json_string.h"
#include "engine/base/strings.h"
#include "engine/value/number.h"

namespace dynolith {
namespace {

void AppendBase64(std::string_view bytes, std::string* out) {
  std::string text;
  absl::Base64Escape(ToAbsl(bytes), &text);
  out->push_back('"');
  out->append(text);
  out->push_back('"');
}

void AppendNumber(std::string_view encoded, std::string* out) {
  out->push_back('"');
  AppendNumberText(encoded, out);
  out->push_back('"');
}

void AppendList(ListView list, std::string* out) {
  out->append("{\"L\":[");
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonValue(list[i], out);
  }
  out->append("]}");
}

void AppendSet(Type type, SetView set, std::string* out) {
  out->append(type == Type::kStringSet   ? "{\"SS\":["
              : type == Type::kNumberSet ? "{\"NS\":["
                                         : "{\"BS\":[");
  for (size_t i = 0; i < set.size(); ++i) {
    if (i > 0) out->push_back(',');
    switch (type) {
      case Type::kStringSet:
        AppendJsonString(set[i], out);
        break;
      case Type::kNumberSet:
        AppendNumber(set[i], out);
        break;
      default:
        AppendBase64(set[i], out);
    }
  }
  out->append("]}");
}

// Each adds to the builder what `json` holds; false if it holds nothing that is printed so.
bool AddValue(const JsonTree& json, ItemBuilder* builder);

// The payload of a number, a string or a binary, or of a member of a set of these.
std::optional<std::string> PayloadOf(Type type, const JsonTree& json) {
  if (json.kind != JsonTree::Kind::kString) return std::nullopt;
  if (type == Type::kString) return json.text;
  if (type == Type::kNumber) {
    const absl::StatusOr<NumberBytes> number = EncodeNumber(json.text);
    return number.ok() ? std::optional(std::string(number->view())) : std::nullopt;
  }
  std::string bytes;
  return absl::Base64Unescape(ToAbsl(json.text), &bytes) ? std::optional(bytes) : std::nullopt;
}

bool AddScalar(Type type, const JsonTree& json, ItemBuilder* builder) {
  const std::optional<std::string> payload = PayloadOf(type, json);
  if (!payload) return false;
  if (type == Type::kString) {
    builder->String(*payload);
  } else if (type == Type::kNumber) {
    builder->NumberEncoded(*payload);
  } else {
    builder->Binary(*payload);
  }
  return true;
}

bool AddSet(Type type, const JsonTree& json, ItemBuilder* builder) {
  const Type member_type = type == Type::kStringSet   ? Type::kString
                           : type == Type::kNumberSet ? Type::kNumber
                                                      : Type::kBinary;
  std::vector<std::string> payloads;
  for (const JsonTree& element : json.elements) {
    std::optional<std::string> payload = PayloadOf(member_type, element);
    if (!payload) return false;
    payloads.push_back(*std::move(payload));
  }
  const std::vector<std::string_view> members(payloads.begin(), payloads.end());
  return !members.empty() && builder->SetIfDistinct(type, members);
}

bool AddList(const JsonTree& json, ItemBuilder* builder) {
  if (json.kind != JsonTree::Kind::kList) return false;
  builder->BeginList();
  for (const JsonTree& element : json.elements) {
    if (!AddValue(element, builder)) return false;
  }
  builder->EndList();
  return true;
}

bool AddMap(const JsonTree& json, ItemBuilder* builder) {
  if (json.kind != JsonTree::Kind::kMap) return false;
  builder->BeginMap();
  for (const auto& [name, value] : json.members) {
    builder->Key(name);
    if (!AddValue(value, builder)) return false;
  }
  builder->EndMap();
  return true;
}

bool AddValue(const JsonTree& json, ItemBuilder* builder) {
  if (json.members.size() != 1) return false;
  const auto& [name, value] = json.members[0];
  const std::optional<Type> type = TypeFromName(name);
  if (!type) return false;
  const bool is_true = value.kind == JsonTree::Kind::kOther && value.text == "true";
  const bool is_false = value.kind == JsonTree::Kind::kOther && value.text == "false";
  switch (*type) {
    case Type::kNull:
      builder->Null();
      return is_true;
    case Type::kBool:
      builder->Bool(is_true);
      return is_true || is_false;
    case Type::kList:
      return AddList(value, builder);
    case Type::kMap:
      return AddMap(value, builder);
    default:
      return IsSet(*type) ? AddSet(*type, value, builder) : AddScalar(*type, value, builder);
  }
}

}  // namespace

void AppendJsonValue(ValueView value, std::string* out) {
  switch (value.type()) {
    case Type::kNull:
      out->append("{\"NULL\":true}");
      return;
    case Type::kBool:
      out->append(value.boolean() ? "{\"BOOL\":true}" : "{\"BOOL\":false}");
      return;
    case Type::kNumber:
      out->append("{\"N\":");
      AppendNumber(value.number_bytes(), out);
      break;
    case Type::kString:
      out->append("{\"S\":");
      AppendJsonString(value.string(), out);
      break;
    case Type::kBinary:
      out->append("{\"B\":");
      AppendBase64(value.binary(), out);
      break;
    case Type::kList:
      return AppendList(value.list(), out);
    case Type::kMap:
      out->append("{\"M\":");
      AppendJsonItem(value.map(), out);
      break;
    default:
      return AppendSet(value.type(), value.set(), out);
  }
  out->push_back('}');
}

void AppendJsonItem(ItemView item, std::string* out) {
  out->push_back('{');
  const size_t size = item.size();
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonString(item.name(i), out);
    out->push_back(':');
    AppendJsonValue(item.value(i), out);
  }
  out->push_back('}');
}

std::optional<Item> ItemOfJson(const JsonTree& json) {
  ItemBuilder builder;
  if (!AddMap(json, &builder)) return std::nullopt;
  return builder.FinishItem();
}

}  // namespace dynolith
