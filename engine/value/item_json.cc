#include "engine/value/item_json.h"

#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "engine/value/number.h"

namespace dynolith {
namespace {

// Prints to the end of a string: room is made for many small pieces at once, as each append of a
// string asks for its own.
class Printer {
 public:
  explicit Printer(std::string* out) : out_(out), at_(out->size()) {}
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;
  ~Printer() { out_->resize(at_); }

  void Value(ValueView value);
  void Item(ItemView item);

 private:
  // As much as small items need; it is filled with zeros before it is with text.
  static constexpr size_t kRoom = 400;
  // More than stands around a name and a scalar.
  static constexpr size_t kAround = 32;

  // Where `bytes` may be written; Ends tells where they end.
  char* Room(size_t bytes) {
    if (out_->size() - at_ < bytes) out_->resize(at_ + bytes + kRoom);
    return out_->data() + at_;
  }
  void Ends(const char* end) { at_ = static_cast<size_t>(end - out_->data()); }
  // A literal: its size is known here, and nothing is called.
  template <size_t N>
  static char* Write(const char (&text)[N], char* to) {
    std::memcpy(to, text, N - 1);
    return to + N - 1;
  }
  template <size_t N>
  void Put(const char (&text)[N]) {
    Ends(Write(text, Room(N)));
  }
  void Put(char c) {
    *Room(1) = c;
    ++at_;
  }
  void String(std::string_view text);
  void Number(std::string_view encoded);
  void Base64(std::string_view bytes);
  void List(ListView list);
  void Set(Type type, SetView set);
  bool PlainAttribute(const AttributeView& attribute);
  std::string* const out_;
  size_t at_;  // the end of what is there
};

void Printer::String(std::string_view text) {
  char* const room = Room(text.size() + 2);
  if (!CopyIfPlainInJson(text, room + 1)) {
    out_->resize(at_);
    AppendJsonString(text, out_);
    at_ = out_->size();
    return;
  }
  room[0] = '"';
  room[text.size() + 1] = '"';
  at_ += text.size() + 2;
}

void Printer::Number(std::string_view encoded) {
  char* const room = Room(kNumberTextBytesMax + 2);
  room[0] = '"';
  char* const end = WriteNumberText(encoded, room + 1);
  *end = '"';
  Ends(end + 1);
}

void Printer::Base64(std::string_view bytes) {
  std::string text;
  absl::Base64Escape(ToAbsl(bytes), &text);
  String(text);
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

// A string or a number behind a name, if nothing is to be escaped, and the comma behind it: most
// attributes are such, and room is asked for once. False if it is another one.
bool Printer::PlainAttribute(const AttributeView& attribute) {
  const auto& [name, value] = attribute;
  const bool is_number = value.type() == Type::kNumber;
  if (!is_number && value.type() != Type::kString) return false;
  const size_t text_bytes = is_number ? kNumberTextBytesMax : value.payload().size();
  char* at = Room(name.size() + text_bytes + kAround);
  *at++ = '"';
  if (!CopyIfPlainInJson(name, at)) return false;
  at += name.size();
  if (is_number) {
    at = WriteNumberText(value.number_bytes(), Write("\":{\"N\":\"", at));
  } else {
    at = Write("\":{\"S\":\"", at);
    if (!CopyIfPlainInJson(value.string(), at)) return false;
    at += value.string().size();
  }
  Ends(Write("\"},", at));
  return true;
}

void Printer::Item(ItemView item) {
  Put('{');
  for (const AttributeView attribute : item) {
    if (PlainAttribute(attribute)) continue;
    String(attribute.name);
    Put(':');
    Value(attribute.value);
    Put(',');
  }
  if (!item.empty()) --at_;  // the last comma
  Put('}');
}

// Each adds to the builder what `json` holds; false if it holds nothing that is printed so.
bool AddValue(const JsonTree& json, ItemBuilder* builder);

// The payload of a number, a string or a binary, or of a member of a set of these.
std::optional<std::string> EncodePayload(Type type, const JsonTree& json) {
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
  const std::optional<std::string> payload = EncodePayload(type, json);
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
    std::optional<std::string> payload = EncodePayload(member_type, element);
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
