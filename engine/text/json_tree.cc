#include "engine/text/json_tree.h"

#include <algorithm>
#include <cstdint>

#include "engine/text/utf8.h"

namespace dynolith {
namespace {

class Parser {
 public:
  Parser(std::string_view text, int depth_max) : text_(text), depth_max_(depth_max) {}

  std::optional<JsonTree> Document() {
    JsonTree value;
    if (!Value(0, &value)) return std::nullopt;
    SkipSpace();
    if (at_ != text_.size()) return std::nullopt;
    return value;
  }
  JsonLocation place() const { return {line_, std::min(at_, text_.size()) - line_begin_ + 1}; }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Take(char c) {
    if (Peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void SkipSpace() {
    while (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r') {
      if (Peek() == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      }
      ++at_;
    }
  }

  bool Value(int depth, JsonTree* value) {
    if (depth > depth_max_) return false;
    SkipSpace();
    value->line = line_;
    value->column = at_ - line_begin_ + 1;
    switch (Peek()) {
      case '{':
        value->kind = JsonTree::Kind::kMap;
        return Sequence('}', [&] { return Member(depth, value); });
      case '[':
        value->kind = JsonTree::Kind::kList;
        return Sequence(']', [&] { return Value(depth + 1, &value->elements.emplace_back()); });
      case '"':
        value->kind = JsonTree::Kind::kString;
        return String(&value->text);
      default:
        return Other(&value->text);
    }
  }

  // What stands between two brackets, with commas.
  template <typename Element>
  bool Sequence(char end, Element element) {
    ++at_;
    SkipSpace();
    if (Take(end)) return true;
    do {
      if (!element()) return false;
      SkipSpace();
    } while (Take(','));
    return Take(end);
  }

  bool Member(int depth, JsonTree* map) {
    SkipSpace();
    auto& [name, value] = map->members.emplace_back();
    value.name_line = line_;
    value.name_column = at_ - line_begin_ + 1;
    if (Peek() != '"' || !String(&name)) return false;
    SkipSpace();
    return Take(':') && Value(depth + 1, &value);
  }

  bool String(std::string* out) {
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') {
        *out += c;
      } else if (!Escape(out)) {
        return false;
      }
    }
    return false;
  }

  bool Escape(std::string* out) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = Peek();
    ++at_;
    if (c == 'u') return CodeUnits(out);
    const size_t which = kEscapes.find(c);
    if (which == std::string_view::npos) return false;
    *out += kMeanings[which];
    return true;
  }

  // One character behind "\u"; half a surrogate pair becomes the replacement character.
  bool CodeUnits(std::string* out) {
    constexpr uint32_t kReplacement = 0xfffd;
    std::optional<uint32_t> code = CodeUnit();
    if (!code) return false;
    if (*code >= 0xd800 && *code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      const size_t behind_first = at_;
      at_ += 2;
      const std::optional<uint32_t> low = CodeUnit();
      if (!low) return false;
      if (*low >= 0xdc00 && *low < 0xe000) {
        code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
      } else {
        at_ = behind_first;
      }
    }
    AppendUtf8(*code >= 0xd800 && *code < 0xe000 ? kReplacement : *code, out);
    return true;
  }

  std::optional<uint32_t> CodeUnit() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = Peek();
      const size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
      if (digit == std::string_view::npos) return std::nullopt;
      code = code * 16 + static_cast<uint32_t>(digit);
    }
    return code;
  }

  bool Other(std::string* out) {
    const size_t begin = at_;
    if (!Word("true") && !Word("false") && !Word("null") && !Number()) return false;
    *out = text_.substr(begin, at_ - begin);
    return true;
  }

  bool Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool Digits() {
    const size_t begin = at_;
    while (Peek() >= '0' && Peek() <= '9') ++at_;
    return at_ > begin;
  }

  bool Number() {
    Take('-');
    if (!Take('0') && !Digits()) return false;
    if (Take('.') && !Digits()) return false;
    if (!Take('e') && !Take('E')) return true;
    if (!Take('+')) Take('-');
    return Digits();
  }

  const std::string_view text_;
  const int depth_max_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t line_begin_ = 0;
};

void Print(const JsonTree& value, std::string_view by_letter, std::string* out) {
  bool first = true;
  const auto separate = [&] {
    if (!first) *out += ',';
    first = false;
  };
  switch (value.kind) {
    case JsonTree::Kind::kString:
      AppendJsonString(value.text, out, by_letter);
      return;
    case JsonTree::Kind::kOther:
      *out += value.text;
      return;
    case JsonTree::Kind::kList:
      *out += '[';
      for (const JsonTree& element : value.elements) {
        separate();
        Print(element, by_letter, out);
      }
      *out += ']';
      return;
    case JsonTree::Kind::kMap:
      *out += '{';
      for (const auto& [name, member] : value.members) {
        separate();
        AppendJsonString(name, out, by_letter);
        *out += ':';
        Print(member, by_letter, out);
      }
      *out += '}';
      return;
  }
}

}  // namespace

const JsonTree* JsonTree::Find(std::string_view name) const {
  const auto it = std::find_if(members.begin(), members.end(),
                               [&](const auto& member) { return member.name == name; });
  return it == members.end() ? nullptr : &it->value;
}

JsonTree* JsonTree::Find(std::string_view name) {
  const auto it = std::find_if(members.begin(), members.end(),
                               [&](const auto& member) { return member.name == name; });
  return it == members.end() ? nullptr : &it->value;
}

std::optional<JsonTree> ParseJson(std::string_view text, int depth_max, JsonLocation* stopped) {
  Parser parser(text, depth_max);
  std::optional<JsonTree> document = parser.Document();
  if (stopped != nullptr) *stopped = parser.place();
  return document;
}

std::string PrintJson(const JsonTree& value, std::string_view by_letter) {
  std::string out;
  Print(value, by_letter, &out);
  return out;
}

}  // namespace dynolith
