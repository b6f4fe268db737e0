#include "api/json/json_writer.h"

#include <array>
#include <charconv>

#include "engine/text/json_string.h"
#include "engine/value/item_json.h"

namespace dynolith {

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

void JsonWriter::Json(std::string_view text) {
  Separate();
  out_->append(text);
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
