#include "engine/text/json_string.h"

#include <cstddef>

#include "engine/text/byte_scan.h"

namespace dynolith {
namespace {

bool NeedsEscape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void AppendEscape(char c, std::string_view by_letter, std::string* out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kLetters = "bfnrt";  // as in kJsonLetterControls
  out->push_back('\\');
  if (c == '"' || c == '\\') {
    out->push_back(c);
  } else if (by_letter.find(c) != std::string_view::npos) {
    out->push_back(kLetters[kJsonLetterControls.find(c)]);
  } else {
    out->append("u00");
    out->push_back(kHex[static_cast<unsigned char>(c) >> 4]);
    out->push_back(kHex[static_cast<unsigned char>(c) & 15]);
  }
}

}  // namespace

bool IsPlainInJson(std::string_view text) { return !HasControlOr(text, '"', '\\'); }

bool CopyIfPlainInJson(std::string_view text, char* to) {
  return CopyUnlessControlOr(text, '"', '\\', to);
}

void AppendJsonString(std::string_view text, std::string* out, std::string_view by_letter) {
  out->push_back('"');
  if (IsPlainInJson(text)) {  // nearly always
    out->append(text);
    out->push_back('"');
    return;
  }
  for (size_t at = 0;;) {
    size_t stop = at;
    while (stop < text.size() && !NeedsEscape(text[stop])) ++stop;
    out->append(text, at, stop - at);
    if (stop == text.size()) break;
    AppendEscape(text[stop], by_letter, out);
    at = stop + 1;
  }
  out->push_back('"');
}

}  // namespace dynolith
