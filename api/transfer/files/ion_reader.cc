#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "api/json/messages.h"
#include "api/transfer/files/ion_text.h"
#include "api/transfer/files/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/utf8.h"
#include "engine/value/messages.h"
#include "engine/value/number.h"

namespace dynolith {
namespace {

// {Item:{…}} around what may be nested as deep as the service allows.
constexpr int kDepthMax = kNestingDepthMax + 3;
constexpr std::string_view kVersionMarker = "$ion_1_0";

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool IsIdentifierByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

// What a field is whose name stands twice in its struct.
enum class FieldNames { kLastWins, kOnce };

// Recursive descent over one text; values go to a builder.
class IonReader {
 public:
  explicit IonReader(std::string_view text, FieldNames names = FieldNames::kLastWins)
      : text_(text), names_(names) {}

  // The outer struct as a map.
  absl::StatusOr<Value> ReadRecord() {
    DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    while (Rest().starts_with(kVersionMarker)) {
      at_ += kVersionMarker.size();
      DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    }
    DYNOLITH_RETURN_IF_ERROR(ReadValue(0));
    DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    if (at_ != text_.size()) return SyntaxFailure("more behind the value");
    return builder_.FinishValue();
  }

 private:
  std::string_view Rest() const { return text_.substr(at_); }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(std::string_view token) {
    if (!Rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  absl::Status SyntaxFailure(std::string_view what) const {
    return ValidationError(messages::IonSyntaxError(what, at_));
  }
  static absl::Status Unsupported(std::string_view what) {
    return ValidationError(messages::IonUnsupported(what));
  }

  // Blanks and comments.
  absl::Status SkipBlanks() {
    for (;;) {
      while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
      }
      if (Take("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (Take("/*")) {
        const size_t end = text_.find("*/", at_);
        if (end == std::string_view::npos) return SyntaxFailure("a comment without end");
        at_ = end + 2;
      } else {
        return absl::OkStatus();
      }
    }
  }

  absl::Status ReadValue(int depth) {
    if (depth > kDepthMax) return ValidationError(messages::NestingTooDeep());
    std::string annotation;
    DYNOLITH_RETURN_IF_ERROR(ReadAnnotations(&annotation));
    if (annotation.starts_with("$dynamodb_")) return ReadSet(annotation.substr(10));
    if (Take("{{")) return ReadBlobInto();
    switch (Peek()) {
      case '{':
        return ReadStruct(depth);
      case '[':
        return ReadList(depth);
      case '(':
        return Unsupported("sexp");
      case '"':
      case '\'':
        return ReadTextValue();
      default:
        return ReadScalar();
    }
  }

  // The last annotation before a value, if there is any.
  absl::Status ReadAnnotations(std::string* annotation) {
    for (;;) {
      const size_t before = at_;
      std::string symbol;
      if (Peek() == '\'' && !Rest().starts_with("'''")) {
        ++at_;
        DYNOLITH_RETURN_IF_ERROR(ReadText('\'', &symbol));
      } else {
        symbol = TakeIdentifier();
      }
      DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
      if (at_ == before || !Take("::")) {
        at_ = before;
        return absl::OkStatus();
      }
      DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
      *annotation = std::move(symbol);
    }
  }

  // Empty if there is none.
  std::string TakeIdentifier() {
    const size_t begin = at_;
    if (IsDigit(Peek())) return "";
    while (at_ < text_.size() && IsIdentifierByte(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // --- Containers ---

  absl::Status ReadStruct(int depth) {
    ++at_;
    builder_.BeginMap();
    std::vector<std::string> names;
    DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    while (!Take("}")) {
      DYNOLITH_ASSIGN_OR_RETURN(std::string name, ReadFieldName());
      if (names_ == FieldNames::kOnce) names.push_back(std::move(name));
      DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
      DYNOLITH_RETURN_IF_ERROR(ReadValue(depth + 1));
      DYNOLITH_RETURN_IF_ERROR(SkipComma('}'));
    }
    builder_.EndMap();
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) return Unsupported(Concat("two fields called ", *twice));
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadFieldName() {
    std::string name;
    const bool is_text = Peek() == '"' || Peek() == '\'';
    if (is_text) {
      DYNOLITH_RETURN_IF_ERROR(ReadAnyText(&name));
      if (name.empty()) return ValidationError(messages::EmptyAttributeName());
    } else {
      name = TakeIdentifier();
      if (name.empty()) return SyntaxFailure("no field name");
    }
    if (name.size() > kAttributeNameBytesMax) return Unsupported("a name that is too long");
    DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    if (Rest().starts_with("::") || !Take(":")) return SyntaxFailure("no colon");
    builder_.Key(name);
    return name;
  }

  // Behind an element: a comma, or the container's end, which is left.
  absl::Status SkipComma(char end) {
    DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    if (Peek() == end) return absl::OkStatus();
    if (!Take(",")) return SyntaxFailure("no comma");
    return SkipBlanks();
  }

  absl::Status ReadList(int depth) {
    ++at_;
    builder_.BeginList();
    DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    while (!Take("]")) {
      DYNOLITH_RETURN_IF_ERROR(ReadValue(depth + 1));
      DYNOLITH_RETURN_IF_ERROR(SkipComma(']'));
    }
    builder_.EndList();
    return absl::OkStatus();
  }

  // The list behind $dynamodb_SS, $dynamodb_NS or $dynamodb_BS.
  absl::Status ReadSet(std::string_view type_name) {
    const std::optional<Type> type = TypeFromName(type_name);
    if (!type || !IsSet(*type)) return Unsupported(type_name);
    if (!Take("[")) return SyntaxFailure("no list");
    std::vector<std::string> payloads;
    DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    while (!Take("]")) {
      DYNOLITH_ASSIGN_OR_RETURN(std::string payload, ReadMember(*type));
      payloads.push_back(std::move(payload));
      DYNOLITH_RETURN_IF_ERROR(SkipComma(']'));
    }
    if (payloads.empty()) return ValidationError(messages::EmptySet(*type));
    const std::vector<std::string_view> members(payloads.begin(), payloads.end());
    if (!builder_.SetIfDistinct(*type, members)) return Unsupported("a set with duplicates");
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadMember(Type type) {
    std::string payload;
    if (type == Type::kStringSet) {
      if (Peek() != '"' && !Rest().starts_with("'''")) return SyntaxFailure("no string");
      DYNOLITH_RETURN_IF_ERROR(ReadAnyText(&payload));
      return payload;
    }
    if (type == Type::kBinarySet) {
      if (!Take("{{")) return SyntaxFailure("no blob");
      return ReadBlob();
    }
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, ReadNumberText());
    DYNOLITH_ASSIGN_OR_RETURN(const NumberBytes number, EncodeNumber(text));
    return std::string(number.view());
  }

  // --- Texts ---

  absl::Status ReadTextValue() {
    if (Peek() == '\'' && !Rest().starts_with("'''")) return Unsupported("symbol");
    std::string text;
    DYNOLITH_RETURN_IF_ERROR(ReadAnyText(&text));
    builder_.String(text);
    return absl::OkStatus();
  }

  // "…", '…', or any number of '''…''' one after the other.
  absl::Status ReadAnyText(std::string* text) {
    if (!Rest().starts_with("'''")) {
      const char quote = Peek();
      ++at_;
      return ReadText(quote, text);
    }
    while (Take("'''")) {
      DYNOLITH_RETURN_IF_ERROR(ReadLongText(text));
      DYNOLITH_RETURN_IF_ERROR(SkipBlanks());
    }
    return absl::OkStatus();
  }

  // Up to and with the closing quote.
  absl::Status ReadText(char quote, std::string* text) {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == quote) return absl::OkStatus();
      if (c == '\n' || c == '\r') return SyntaxFailure("a line break in a text");
      if (c != '\\') {
        text->push_back(c);
      } else {
        DYNOLITH_RETURN_IF_ERROR(ReadEscape(text));
      }
    }
    return SyntaxFailure("a text without end");
  }

  absl::Status ReadLongText(std::string* text) {
    while (at_ < text_.size()) {
      if (Take("'''")) return absl::OkStatus();
      const char c = text_[at_++];
      if (c == '\\') {
        DYNOLITH_RETURN_IF_ERROR(ReadEscape(text));
      } else if (c == '\r') {
        // Line breaks are \n whatever the file has.
        if (Peek() != '\n') text->push_back('\n');
      } else {
        text->push_back(c);
      }
    }
    return SyntaxFailure("a text without end");
  }

  absl::Status ReadEscape(std::string* text) {
    constexpr std::string_view kLetters = "0abtnfrv\"'?\\/";
    constexpr std::string_view kMeanings("\0\a\b\t\n\f\r\v\"'?\\/", 13);
    const char c = Peek();
    ++at_;
    if (c == '\n') return absl::OkStatus();
    if (c == '\r') {
      Take("\n");
      return absl::OkStatus();
    }
    if (c == 'x') return ReadCodePoint(2, text);
    if (c == 'u') return ReadCodePoint(4, text);
    if (c == 'U') return ReadCodePoint(8, text);
    const size_t letter = c == '\0' ? std::string_view::npos : kLetters.find(c);
    if (letter == std::string_view::npos) return SyntaxFailure("an unknown escape");
    text->push_back(kMeanings[letter]);
    return absl::OkStatus();
  }

  std::optional<uint32_t> TakeHex(size_t digits) {
    const std::string_view text = Rest().substr(0, digits);
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.size() != digits) {
      return std::nullopt;
    }
    at_ += digits;
    return number;
  }

  absl::Status ReadCodePoint(size_t digits, std::string* text) {
    std::optional<uint32_t> point = TakeHex(digits);
    if (point && *point >= 0xd800 && *point < 0xdc00) {
      // Half of a pair.
      const std::optional<uint32_t> low = Take("\\u") ? TakeHex(4) : std::nullopt;
      if (!low || *low < 0xdc00 || *low >= 0xe000) return SyntaxFailure("half a surrogate pair");
      point = 0x10000 + ((*point - 0xd800) << 10) + (*low - 0xdc00);
    }
    if (!point || *point > 0x10ffff || (*point >= 0xdc00 && *point < 0xe000)) {
      return SyntaxFailure("no code point");
    }
    AppendUtf8(*point, text);
    return absl::OkStatus();
  }

  // --- Binary ---

  absl::Status ReadBlobInto() {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string bytes, ReadBlob());
    builder_.Binary(bytes);
    return absl::OkStatus();
  }

  // Behind {{.
  absl::StatusOr<std::string> ReadBlob() {
    const size_t end = text_.find("}}", at_);
    if (end == std::string_view::npos) return SyntaxFailure("a blob without end");
    std::string base64;
    for (const char c : text_.substr(at_, end - at_)) {
      if (!absl::ascii_isspace(static_cast<unsigned char>(c))) base64.push_back(c);
    }
    std::string bytes;
    if (base64.find_first_of("\"'") != std::string::npos) return Unsupported("clob");
    if (base64.size() % 4 != 0 || !absl::Base64Unescape(base64, &bytes)) {
      return SyntaxFailure("no base64");
    }
    at_ = end + 2;
    return bytes;
  }

  // --- Other scalars ---

  absl::Status ReadScalar() {
    if (IsDigit(Peek()) || Peek() == '-' || Peek() == '+') return ReadNumber();
    const std::string word = TakeIdentifier();
    if (word.empty()) return SyntaxFailure("no value");
    if (word == "null") {
      // null.int and so on.
      if (Take(".") && TakeIdentifier().empty()) return SyntaxFailure("no type behind null.");
      builder_.Null();
    } else if (word == "true" || word == "false") {
      builder_.Bool(word == "true");
    } else {
      return Unsupported(word);
    }
    return absl::OkStatus();
  }

  absl::Status ReadNumber() {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, ReadNumberText());
    return builder_.NumberText(text);
  }

  // An int, a decimal or a float, in the words of the service's numbers.
  absl::StatusOr<std::string> ReadNumberText() {
    const size_t begin = at_;
    while (at_ < text_.size() && (IsIdentifierByte(text_[at_]) || text_[at_] == '.' ||
                                  text_[at_] == '+' || text_[at_] == '-' || text_[at_] == ':')) {
      ++at_;
    }
    std::string text;
    for (const char c : text_.substr(begin, at_ - begin)) {
      if (c != '_') text.push_back(c);
    }
    const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
    if (digits.starts_with("0x") || digits.starts_with("0b")) return InDecimal(text);
    if (digits.empty() || !IsDigit(digits[0])) return Unsupported("no number");
    for (char& c : text) {
      if (c == 'd' || c == 'D' || c == 'E') c = 'e';
    }
    // "103." and "6.e2" are decimals of Ion only.
    const size_t point = text.find('.');
    if (point != std::string::npos && (point + 1 == text.size() || text[point + 1] == 'e')) {
      text.erase(point, 1);
    }
    return text;
  }

  // A hexadecimal or binary int, such as -0x1F or 0b101, in decimal digits.
  static absl::StatusOr<std::string> InDecimal(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    const std::string_view digits = text.substr(is_negative ? 3 : 2);
    const int base = text[is_negative ? 2 : 1] == 'x' ? 16 : 2;
    uint64_t number = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      return Unsupported("a number that is no int of 64 bits");
    }
    return Concat(is_negative ? "-" : "", number);
  }

  const std::string_view text_;
  const FieldNames names_;
  size_t at_ = 0;
  ItemBuilder builder_;
};

absl::Status CheckNesting(ItemView values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (NestingDepth(values.value(i)) > kNestingDepthMax) {
      return ValidationError(messages::NestingTooDeep());
    }
  }
  return absl::OkStatus();
}

// nullopt if there is no such struct.
std::optional<ItemView> StructAt(ItemView fields, std::string_view name) {
  const std::optional<ValueView> member = fields.Find(name);
  if (!member || member->type() != Type::kMap) return std::nullopt;
  return member->map();
}

absl::StatusOr<Item> ItemAt(ItemView fields, std::string_view name) {
  const std::optional<ItemView> item = StructAt(fields, name);
  if (!item) return ValidationError(messages::RecordWithoutItem());
  DYNOLITH_RETURN_IF_ERROR(CheckNesting(*item));
  return Item::Copy(*item);
}

absl::StatusOr<Item> ToItem(const Value& record) {
  if (record.type() != Type::kMap) return ValidationError(messages::RecordWithoutItem());
  return ItemAt(record.view().map(), "Item");
}

// nullopt if there is no such member.
absl::StatusOr<std::optional<ValueView>> FindField(ItemView fields, std::string_view name,
                                                   Type type, std::string_view type_name) {
  const std::optional<ValueView> member = fields.Find(name);
  if (member && member->type() != type) {
    return ValidationError(messages::RecordMemberInvalid(name, type_name));
  }
  return member;
}

absl::StatusOr<AttributeNames> ToAttributeNames(ItemView texts) {
  AttributeNames names;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts.value(i).type() != Type::kString) {
      return ValidationError(
          messages::RecordMemberInvalid("ExpressionAttributeNames", "struct of strings"));
    }
    names.emplace_back(texts.name(i), texts.value(i).string());
  }
  return names;
}

}  // namespace

absl::StatusOr<Item> ReadIonItem(std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const Value record, IonReader(text).ReadRecord());
  return ToItem(record);
}

absl::StatusOr<IonRecord> ReadIonRecord(std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const Value value, IonReader(text, FieldNames::kOnce).ReadRecord());
  IonRecord record;
  const std::optional<ItemView> change =
      value.type() == Type::kMap ? StructAt(value.view().map(), "Record") : std::nullopt;
  if (!change) {
    DYNOLITH_ASSIGN_OR_RETURN(record.item, ToItem(value));
    return record;
  }
  record.is_change = true;
  record.is_deletion = !change->Find("NewImage");
  DYNOLITH_ASSIGN_OR_RETURN(record.item, ItemAt(*change, record.is_deletion ? "Keys" : "NewImage"));
  return record;
}

absl::StatusOr<BulkPutRecord> ReadIonPut(std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const Value record, IonReader(text).ReadRecord());
  BulkPutRecord put;
  DYNOLITH_ASSIGN_OR_RETURN(put.item, ToItem(record));
  const ItemView fields = record.view().map();
  DYNOLITH_ASSIGN_OR_RETURN(const auto condition,
                            FindField(fields, "ConditionExpression", Type::kString, "string"));
  if (condition) put.condition_expression = std::string(condition->string());
  DYNOLITH_ASSIGN_OR_RETURN(const auto names,
                            FindField(fields, "ExpressionAttributeNames", Type::kMap, "struct"));
  if (names) {
    DYNOLITH_ASSIGN_OR_RETURN(put.expression_attribute_names, ToAttributeNames(names->map()));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const auto values,
                            FindField(fields, "ExpressionAttributeValues", Type::kMap, "struct"));
  if (values) {
    DYNOLITH_RETURN_IF_ERROR(CheckNesting(values->map()));
    put.expression_attribute_values = Item::Copy(values->map());
  }
  return put;
}

}  // namespace dynolith
