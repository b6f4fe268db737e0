#include "api/json/search_front_end.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "api/json/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// Walks a valid JSON text from front to back.
class TextWalk {
 public:
  explicit TextWalk(std::string_view text) : text_(text) {}

  // The first character of the next token.
  char Peek() {
    while (IsSpace(text_[at_])) ++at_;
    return text_[at_];
  }
  void Skip() { ++at_; }
  // Skips the next token's first character if it is `c`. Requires: there is a next token.
  bool SkipIf(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  // The text of a string between its quotes, with escapes unchanged. Requires: Peek() is a quote.
  std::string_view String() {
    const size_t begin = ++at_;
    while (text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    return text_.substr(begin, at_++ - begin);
  }
  // A number, true, false or null. Requires: Peek() begins one.
  std::string_view Word() {
    const size_t begin = at_;
    while (at_ < text_.size() && !IsSpace(text_[at_]) && !IsDelimiter(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // Skips one value of any kind.
  void Value() {
    int depth = 0;
    do {
      const char c = Peek();
      if (c == '"') {
        String();
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']') {
        --depth;
        ++at_;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else {
        Word();
      }
    } while (depth > 0);
  }

  // The position in the service's terms: the line from 1, and the bytes of it that were read.
  size_t line() const { return 1 + std::count(text_.begin(), text_.begin() + Offset(), '\n'); }
  size_t column() const {
    const size_t newline = text_.substr(0, at_).rfind('\n');
    return newline == std::string_view::npos ? at_ : at_ - newline - 1;
  }

 private:
  static bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool IsDelimiter(char c) { return c == ',' || c == ']' || c == '}' || c == ':'; }
  std::ptrdiff_t Offset() const { return static_cast<std::ptrdiff_t>(at_); }

  std::string_view text_;
  size_t at_ = 0;
};

class SearchChecker {
 public:
  explicit SearchChecker(std::string_view body) : walk_(body) {}

  absl::Status CheckValue(const Shape& shape) {
    switch (shape.kind) {
      case ShapeKind::kList:
        return CheckList(shape);
      case ShapeKind::kMap:
        return CheckMap(shape);
      case ShapeKind::kStructure:
        return CheckStructure(shape);
      case ShapeKind::kEnum:
        return CheckEnum(shape);
      case ShapeKind::kInteger:
        return CheckInteger();
      case ShapeKind::kBoolean:
        return CheckBoolean();
      default:
        return CheckString().status();
    }
  }

 private:
  // The error for a value of another type. The position is behind a scalar, but before a list or an
  // object.
  absl::Status WrongType(std::string_view expected) {
    const std::string found = TakeFound();
    return MakeError(ErrorKind::kSerialization,
                     messages::InvalidJsonType(found, expected, walk_.line(), walk_.column()));
  }

  std::string TakeFound() {
    switch (walk_.Peek()) {
      case '[':
        return "sequence";
      case '{':
        return "map";
      case '"':
        return Concat("string \"", walk_.String(), "\"");
      default:
        break;
    }
    const std::string_view word = walk_.Word();
    if (word == "null") return "null";
    if (word == "true" || word == "false") return Concat("boolean `", word, "`");
    const bool whole = word.find_first_of(".eE") == std::string_view::npos;
    return Concat(whole ? "integer `" : "floating point `", word, "`");
  }

  absl::StatusOr<std::string_view> CheckString() {
    if (walk_.Peek() != '"') return WrongType("a string");
    return walk_.String();
  }

  absl::Status CheckEnum(const Shape& shape) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string_view word, CheckString());
    const auto words = shape.values();
    if (std::find(words.begin(), words.end(), word) != words.end()) return absl::OkStatus();
    const std::vector<std::string_view> known(words.begin(), words.end());
    return MakeError(ErrorKind::kSerialization,
                     messages::UnknownJsonVariant(word, known, walk_.line(), walk_.column()));
  }

  absl::Status CheckInteger() {
    constexpr std::string_view kExpected = "i32";
    const char c = walk_.Peek();
    if (c != '-' && (c < '0' || c > '9')) return WrongType(kExpected);
    const std::string_view word = walk_.Word();
    if (word.find_first_of(".eE") != std::string_view::npos) {
      return MakeError(ErrorKind::kSerialization,
                       messages::InvalidJsonType(Concat("floating point `", word, "`"), kExpected,
                                                 walk_.line(), walk_.column()));
    }
    int32_t number = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    if (read.ec == std::errc()) return absl::OkStatus();
    return MakeError(ErrorKind::kSerialization,
                     messages::InvalidJsonValue(Concat("integer `", word, "`"), kExpected,
                                                walk_.line(), walk_.column()));
  }

  absl::Status CheckBoolean() {
    const char c = walk_.Peek();
    if (c != 't' && c != 'f') return WrongType("a boolean");
    walk_.Word();
    return absl::OkStatus();
  }

  absl::Status CheckList(const Shape& shape) {
    if (walk_.Peek() != '[') return WrongType("a sequence");
    walk_.Skip();
    while (!walk_.SkipIf(']')) {
      if (walk_.SkipIf(',')) continue;
      DYNOLITH_RETURN_IF_ERROR(CheckValue(ShapeAt(shape.element)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckMap(const Shape& shape) {
    if (walk_.Peek() != '{') return WrongType("a map");
    walk_.Skip();
    while (!walk_.SkipIf('}')) {
      if (walk_.SkipIf(',')) continue;
      TakeName();
      DYNOLITH_RETURN_IF_ERROR(CheckValue(ShapeAt(shape.element)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckStructure(const Shape& shape) {
    if (walk_.Peek() != '{') return WrongType(Concat("struct ", shape.name));
    walk_.Skip();
    const auto members = shape.members();
    uint64_t present = 0;
    while (!walk_.SkipIf('}')) {
      if (walk_.SkipIf(',')) continue;
      const int member = shape.FindMember(TakeName());
      const bool may_be_null = member >= 0 && !members[member].required;
      if (member < 0 || (may_be_null && walk_.Peek() == 'n')) {
        walk_.Value();
        continue;
      }
      present |= uint64_t{1} << member;
      DYNOLITH_RETURN_IF_ERROR(CheckValue(ShapeAt(members[member].shape)));
    }
    for (size_t i = 0; i < members.size(); ++i) {
      if (!members[i].required || (present >> i & 1) != 0) continue;
      return ValidationError(
          messages::MissingJsonField(members[i].name, walk_.line(), walk_.column()));
    }
    return absl::OkStatus();
  }

  std::string_view TakeName() {
    walk_.Peek();
    const std::string_view name = walk_.String();
    walk_.SkipIf(':');
    return name;
  }

  TextWalk walk_;
};

}  // namespace

absl::Status CheckSearchInput(const Shape& input, std::string_view body) {
  return SearchChecker(body).CheckValue(input);
}

}  // namespace dynolith
