#include "engine/value/item_json.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/base/json_string.h"
#include "engine/base/strings.h"
#include "engine/value/number.h"

namespace dynolith {
namespace {

// Prints to the end of a string: room is made for many small pieces at once, as each append of a
// string asks for its own.
class Printer {
 public:
  explicit Printer(std::string* out) : out_(out), used_(out->size()) {}
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;
  ~Printer() { out_->resize(used_); }

  void Value(ValueView value);
  void Item(ItemView item);

 private:
  // As much as small items need; it is filled with zeros before it is with text.
  static constexpr size_t kRoom = 400;

  // Where `bytes` may be written, and Used told how many were.
  char* Room(size_t bytes) {
    if (out_->size() - used_ < bytes) out_->resize(used_ + bytes + kRoom);
    return out_->data() + used_;
  }
  void Used(size_t bytes) { used_ += bytes; }
  // A literal: its size is known here, and nothing is called.
  template <size_t N>
  void Put(const char (&text)[N]) {
    std::memcpy(Room(N), text, N);  // the zero behind it is written over, or goes
    Used(N - 1);
  }
  void Put(char c) {
    *Room(1) = c;
    Used(1);
  }
  void String(std::string_view text);
  // Text that has nothing to escape.
  void Quoted(std::string_view text);
  void Number(std::string_view encoded);
  void Base64(std::string_view bytes);
  void List(ListView list);
  void Set(Type type, SetView set);
  std::string* const out_;
  size_t used_;  // of what is there already
};

void Printer::String(std::string_view text) {
  if (!IsPlainInJson(text)) {
    out_->resize(used_);
    AppendJsonString(text, out_);
    used_ = out_->size();
    return;
  }
  Quoted(text);
}

void Printer::Quoted(std::string_view text) {
  char* const room = Room(text.size() + 2);
  room[0] = '"';
  std::memcpy(room + 1, text.data(), text.size());
  room[text.size() + 1] = '"';
  Used(text.size() + 2);
}

void Printer::Number(std::string_view encoded) {
  std::string digits;  // mostly short enough to lie in the string itself
  AppendNumberText(encoded, &digits);
  Quoted(digits);
}

void Printer::Base64(std::string_view bytes) {
  std::string text;
  absl::Base64Escape(ToAbsl(bytes), &text);
  Quoted(text);
}

void Printer::List(ListView list) {
  Put("{\"L\":[");
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) Put(',');
    Value(list[i]);
  }
  Put("]}");
}

void Printer::Set(Type type, SetView set) {
  if (type == Type::kStringSet) {
    Put("{\"SS\":[");
  } else if (type == Type::kNumberSet) {
    Put("{\"NS\":[");
  } else {
    Put("{\"BS\":[");
  }
  for (size_t i = 0; i < set.size(); ++i) {
    if (i > 0) Put(',');
    switch (type) {
      case Type::kStringSet:
        String(set[i]);
        break;
      case Type::kNumberSet:
        Number(set[i]);
        break;
      default:
        Base64(set[i]);
    }
  }
  Put("]}");
}

void Printer::Value(ValueView value) {
  switch (value.type()) {
    case Type::kNull:
      return Put("{\"NULL\":true}");
    case Type::kBool:
      return value.boolean() ? Put("{\"BOOL\":true}") : Put("{\"BOOL\":false}");
    case Type::kNumber:
      Put("{\"N\":");
      Number(value.number_bytes());
      break;
    case Type::kString:
      Put("{\"S\":");
      String(value.string());
      break;
    case Type::kBinary:
      Put("{\"B\":");
      Base64(value.binary());
      break;
    case Type::kList:
      return List(value.list());
    case Type::kMap:
      Put("{\"M\":");
      Item(value.map());
      break;
    default:
      return Set(value.type(), value.set());
  }
  Put('}');
}

void Printer::Item(ItemView item) {
  Put('{');
  const size_t size = item.size();
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) Put(',');
    String(item.name(i));
    Put(':');
    Value(item.value(i));
  }
  Put('}');
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

void AppendJsonValue(ValueView value, std::string* out) { Printer(out).Value(value); }

void AppendJsonItem(ItemView item, std::string* out) { Printer(out).Item(item); }

std::optional<Item> ItemOfJson(const JsonTree& json) {
  ItemBuilder builder;
  if (!AddMap(json, &builder)) return std::nullopt;
  return builder.FinishItem();
}

}  // namespace dynolith
