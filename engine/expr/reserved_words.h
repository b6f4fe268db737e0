// The words that no expression may use as an attribute name without a placeholder.
#ifndef DYNOLITH_ENGINE_EXPR_RESERVED_WORDS_H_
#define DYNOLITH_ENGINE_EXPR_RESERVED_WORDS_H_

#include <string_view>

namespace dynolith {

// Ignores the case of letters.
bool IsReservedWord(std::string_view word);

// Whether `word` is `upper` in any case. Requires: `upper` is in upper case.
bool EqualsIgnoringCase(std::string_view word, std::string_view upper);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_RESERVED_WORDS_H_
