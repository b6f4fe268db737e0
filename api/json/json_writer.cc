#include "api/json/json_writer.h"

#include <array>
#include <charconv>

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

void JsonWriter::Open(char bracket) {
  Separate();
  out_->push_back(bracket);
  comma_ = false;
}

void JsonWriter::Close(char bracket) {
  out_->push_back(bracket);
  comma_ = true;
}

void JsonWriter::Key(std::string_view name) {
  Separate();
  AppendJsonString(name, out_);
  out_->push_back(':');
  comma_ = false;
}

void JsonWriter::String(std::string_view text) {
  Separate();
  AppendJsonString(text, out_);
}

void JsonWriter::Integer(int64_t number) {
  Separate();
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out_->append(digits.data(), end.ptr);
}

void JsonWriter::Double(double number) {
  Separate();
  std::array<char, 40> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string_view text(digits.data(), static_cast<size_t>(end.ptr - digits.data()));
  out_->append(text);
  if (text.find_first_of(".e") == std::string_view::npos) out_->append(".0");
}

void JsonWriter::Bool(bool value) {
  Separate();
  out_->append(value ? "true" : "false");
}

void JsonWriter::Null() {
  Separate();
  out_->append("null");
}

void JsonWriter::Timestamp(absl::Time time) {
  const int64_t milliseconds = absl::ToUnixMillis(time);
  Integer(milliseconds / 1000);
  const auto fraction = static_cast<int>(milliseconds % 1000);
  if (fraction <= 0) return;
  out_->push_back('.');
  out_->push_back(static_cast<char>('0' + fraction / 100));
  out_->push_back(static_cast<char>('0' + fraction / 10 % 10));
  out_->push_back(static_cast<char>('0' + fraction % 10));
}

void JsonWriter::Attribute(ValueView value) {
  Separate();
  AppendJsonValue(value, out_);
}

void JsonWriter::Item(ItemView item) {
  Separate();
  AppendJsonItem(item, out_);
}

}  // namespace dynolith
