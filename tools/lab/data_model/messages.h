// The texts about data models of AWS's design tools.
#ifndef DYNOLITH_TOOLS_LAB_DATA_MODEL_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_DATA_MODEL_MESSAGES_H_

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string LabModelErrorAt(std::string_view file, size_t line, size_t column,
                                   std::string_view text) {
  return Concat(file, ":", line, ":", column, ": ", text);
}
inline std::string LabModelIsNoJson() { return "it is no JSON from here on"; }
inline std::string LabModelIsNoObject() { return "it must be an object"; }
inline std::string LabModelWrongKind(std::string_view path, std::string_view kind) {
  return Concat(path, " must be ", kind);
}
inline std::string LabModelLacks(std::string_view path) { return Concat(path, " is missing"); }
inline std::string LabModelNotANumber(std::string_view path, double least) {
  std::ostringstream text;
  text << path << " must be a number, " << least << " or more";
  return text.str();
}
inline std::string LabModelAbove(std::string_view path, int most) {
  return Concat(path, " must be at most ", most);
}
inline std::string LabModelNotAmong(std::string_view path, const std::vector<std::string>& words,
                                    std::string_view nearest) {
  std::string list;
  for (const std::string& word : words) list += Concat(list.empty() ? "" : ", ", word);
  return Concat(path, " must be one of ", list,
                nearest.empty() ? "" : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabModelNothingNamed(std::string_view path, std::string_view what,
                                        std::string_view name, std::string_view nearest) {
  return Concat(path, ": there is no ", what, " ", name,
                nearest.empty() ? "" : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabModelNameTwice(std::string_view what, std::string_view name) {
  return Concat("there are two ", what, " ", name);
}
inline std::string LabModelWithoutPatterns() {
  return "it has no access_patterns that are calls to DynamoDB, so there is nothing to simulate";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_DATA_MODEL_MESSAGES_H_
