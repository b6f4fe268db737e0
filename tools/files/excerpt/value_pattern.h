// The parts of a text that are to be changed, by a pattern: "USER#{}" is what follows "USER#".
//
//   pattern = *( "{}" / "*" / letters )
//
// {} is a part to be changed, * one that stays. Each takes as little as possible, at least one
// letter for {}, and at the end of the pattern all that is left. The pattern is of the whole text.
#ifndef DYNOLITH_TOOLS_FILES_EXCERPT_VALUE_PATTERN_H_
#define DYNOLITH_TOOLS_FILES_EXCERPT_VALUE_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith::excerpt {

struct TextPart {
  size_t begin = 0;
  size_t size = 0;
};

class ValuePattern {
 public:
  // nullopt: it has no {}, or two parts without letters between them.
  static std::optional<ValuePattern> Parse(std::string_view text);

  // What stands at each {}, from left to right. nullopt: the text is not of this pattern.
  std::optional<std::vector<TextPart>> Fit(std::string_view text) const;

 private:
  enum class Kind : uint8_t { kLetters, kPart, kRest };
  struct Piece {
    Kind kind;
    std::string letters;
  };
  std::vector<Piece> pieces_;
};

}  // namespace dynolith::excerpt

#endif  // DYNOLITH_TOOLS_FILES_EXCERPT_VALUE_PATTERN_H_
