// A text as a JSON string. All code that prints JSON needs it; the library that reads JSON does not
// depend on it.
#ifndef DYNOLITH_ENGINE_TEXT_JSON_STRING_H_
#define DYNOLITH_ENGINE_TEXT_JSON_STRING_H_

#include <string>
#include <string_view>

namespace dynolith {

// The control characters for which JSON has a letter.
inline constexpr std::string_view kJsonLetterControls = "\b\f\n\r\t";

// Appends `text` as a JSON string with its quotes. Bytes above 0x7f are copied. Control characters
// of `by_letter`, some of kJsonLetterControls, are written like \n, the others like \u000a: JSON
// allows both, and answers differ in it.
void AppendJsonString(std::string_view text, std::string* out,
                      std::string_view by_letter = kJsonLetterControls);

// Whether that is the text itself between quotes.
bool IsPlainInJson(std::string_view text);

// Copies `text` to `to`, which has room for it and does not overlap, and returns whether it is
// plain; if not, the copy is unusable.
bool CopyIfPlainInJson(std::string_view text, char* to);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_TEXT_JSON_STRING_H_
