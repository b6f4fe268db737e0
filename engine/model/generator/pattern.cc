#include "engine/model/generator/pattern.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/model/generator/model.h"

namespace dynolith::generator {
namespace {

struct CharacterClass {
  uint64_t low = 0;     // characters 0 to 63
  uint64_t high = 0;    // 64 to 127
  bool beyond = false;  // all others
};

// The facts of a pattern in engine/model/shapes.h, from the few forms of regular expressions in the
// service's model.
struct Pattern {
  CharacterClass all, ends;
  std::string min = "1", max = "kNoBound", multiple = "1";
};

// Parses a regular expression from left to right.
class PatternReader {
 public:
  explicit PatternReader(const std::string& text) : text_(text) {}

  Pattern Read() {
    Pattern pattern;
    Accept("^");
    const bool is_group = Accept("(");
    pattern.all = pattern.ends = TakeClass();
    TakeCount(&pattern);
    if (is_group) {
      if (!Accept(")+")) Fail("pattern " + text_);
      pattern.multiple = pattern.max;
      pattern.max = "kNoBound";
    } else if (at_ < text_.size() && text_[at_] == '[') {
      TakeMiddleAndEnd(&pattern);
    }
    Accept("$");
    if (at_ != text_.size()) Fail("pattern " + text_);
    return pattern;
  }

 private:
  bool Accept(std::string_view expected) {
    if (text_.compare(at_, expected.size(), expected) != 0) return false;
    at_ += expected.size();
    return true;
  }

  // Parses "[ends]+[all]*[ends]+": the middle is all between the first and the last character.
  void TakeMiddleAndEnd(Pattern* pattern) {
    const CharacterClass& all = pattern->all = TakeClass();
    const bool has_middle = Accept("*");
    const CharacterClass end = TakeClass();
    const CharacterClass& begin = pattern->ends;
    const bool same_ends = end.low == begin.low && end.high == begin.high && !end.beyond;
    const bool ends_are_inside = (end.low & ~all.low) == 0 && (end.high & ~all.high) == 0;
    if (!has_middle || !Accept("+") || !same_ends || !ends_are_inside) Fail("pattern " + text_);
    pattern->min = "2";
  }

  void TakeCount(Pattern* pattern) {
    if (Accept("*")) {
      pattern->min = "0";
    } else if (Accept("{")) {
      const size_t end = text_.find('}', at_);
      if (end == std::string::npos) Fail("pattern " + text_);
      pattern->min = pattern->max = text_.substr(at_, end - at_);
      at_ = end + 1;
    } else if (!Accept("+")) {
      pattern->max = "1";
    }
  }

  CharacterClass TakeClass() {
    CharacterClass taken;
    if (Accept("\\p{Print}")) {
      Add(' ', '~', &taken);
      return taken;
    }
    if (!Accept("[")) Fail("pattern " + text_);
    const bool negated = Accept("^");
    while (!Accept("]")) {
      if (at_ >= text_.size()) Fail("pattern " + text_);
      if (Accept("\\w")) {
        for (const auto& [first, last] :
             {std::pair('a', 'z'), {'A', 'Z'}, {'0', '9'}, {'_', '_'}}) {
          Add(static_cast<unsigned>(first), static_cast<unsigned>(last), &taken);
        }
        continue;
      }
      const unsigned first = TakeCharacter();
      const bool is_range = at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
      if (is_range) ++at_;
      Add(first, is_range ? TakeCharacter() : first, &taken);
    }
    return negated ? CharacterClass{~taken.low, ~taken.high, !taken.beyond} : taken;
  }

  // A class with one character beyond ASCII allows all of them.
  static void Add(unsigned first, unsigned last, CharacterClass* into) {
    for (unsigned c = first; c <= std::min(last, 127U); ++c) {
      (c < 64 ? into->low : into->high) |= 1ULL << (c % 64);
    }
    into->beyond |= last > 127;
  }

  unsigned TakeCharacter() {
    constexpr std::string_view kNames = "nrt";
    constexpr std::string_view kNamed = "\n\r\t";
    if (text_[at_] != '\\') return static_cast<unsigned char>(text_[at_++]);
    const char kind = text_[at_ + 1];
    at_ += 2;
    if (kind == 'x' || kind == 'u') {
      const size_t digits = kind == 'x' ? 2 : 4;
      at_ += digits;
      return static_cast<unsigned>(std::stoul(text_.substr(at_ - digits, digits), nullptr, 16));
    }
    const size_t name = kNames.find(kind);
    return static_cast<unsigned char>(name == std::string_view::npos ? kind : kNamed[name]);
  }

  const std::string& text_;
  size_t at_ = 0;
};

std::string Printed(const CharacterClass& characters) {
  return "{" + std::to_string(characters.low) + "ULL, " + std::to_string(characters.high) +
         "ULL, " + (characters.beyond ? "true" : "false") + "}";
}

}  // namespace

std::string PatternInitializer(const std::string& expression) {
  const Pattern parsed = PatternReader(expression).Read();
  return "{R\"(" + expression + ")\", " + Printed(parsed.all) + ", " + Printed(parsed.ends) + ", " +
         parsed.min + ", " + parsed.max + ", " + parsed.multiple + "}";
}

}  // namespace dynolith::generator
