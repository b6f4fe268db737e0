// The texts about files whose members cannot be read.
#ifndef DYNOLITH_TOOLS_FILES_TOML_MESSAGES_H_
#define DYNOLITH_TOOLS_FILES_TOML_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string LabErrorAt(std::string_view file, int64_t line, int64_t column,
                              std::string_view text) {
  return Concat(file, ":", line, ":", column, ": ", text);
}
inline std::string LabNotToml(std::string_view reason) { return Concat("no TOML: ", reason); }

// --- members; `path` is a member's whole name: "access.like.share"

inline std::string LabListed(const std::vector<std::string>& words,
                             std::string_view last = " or ") {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? last : ", ";
    list += words[i];
  }
  return list;
}
inline std::string LabMemberMissing(std::string_view path, std::string_view what) {
  return Concat(path, " is missing: ", what);
}
inline std::string LabWrongKind(std::string_view path, std::string_view kind) {
  return Concat(path, " must be ", kind);
}
inline std::string LabNotACount(std::string_view path, int64_t least, int64_t most) {
  return most == std::numeric_limits<int64_t>::max()
             ? Concat(path, " must be a whole number, ", least, " or more")
             : Concat(path, " must be a whole number from ", least, " to ", most);
}
inline std::string LabNotANumber(std::string_view path, double least, double most) {
  std::ostringstream text;
  text << path << " must be a number";
  if (most == std::numeric_limits<double>::infinity()) {
    text << ", " << least << " or more";
  } else {
    text << " from " << least << " to " << most;
  }
  return text.str();
}
inline std::string LabNotATime(std::string_view path, bool above_zero) {
  return Concat(path, " must be a time such as \"90s\", \"1h30m\" or \"7d\", or seconds",
                above_zero ? ", above 0" : "");
}
inline std::string LabNotBytes(std::string_view path) {
  return Concat(path, " must be a size such as 300, \"4KB\" or \"10GB\"");
}
inline std::string LabNotAmong(std::string_view path, std::string_view word,
                               const std::vector<std::string>& words, std::string_view nearest) {
  return Concat(path, " must be ", LabListed(words), word.empty() ? "" : Concat(", not ", word),
                nearest.empty() ? "" : Concat("; did you mean ", nearest, "?"));
}
inline std::string LabUnknownMember(std::string_view path, std::string_view nearest,
                                    const std::vector<std::string>& known) {
  return Concat(path, " is not known here",
                nearest.empty() ? Concat("; known are ", LabListed(known, " and "))
                                : Concat("; did you mean ", nearest, "?"));
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_FILES_TOML_MESSAGES_H_
