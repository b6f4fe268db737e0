// The probable meaning of an unknown word in a command line or a file.
#ifndef DYNOLITH_ENGINE_TEXT_NEAREST_WORD_H_
#define DYNOLITH_ENGINE_TEXT_NEAREST_WORD_H_

#include <string>
#include <string_view>
#include <vector>

namespace dynolith {

// The candidate that differs from `word` by a few letters only, or begins with it; empty: none. The
// first of equally near ones.
std::string NearestWord(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_TEXT_NEAREST_WORD_H_
