// The texts about a table's description in a file.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_MESSAGES_H_
#define DYNOLITH_TOOLS_FILES_TABLE_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== Templates: CloudFormation, SAM, the Serverless Framework.

inline std::string TemplateDidYouMean(std::string_view nearest) {
  return nearest.empty() ? "" : Concat("; did you mean ", nearest, "?");
}

// --- parts that are left out only on request

inline std::string TemplateRefused(std::string_view why, std::string_view name) {
  return Concat(why, why.ends_with('?') ? " " : "; ", "--leave-out ", name, " loads the rest");
}
inline std::string TemplateUnknownProperty(std::string_view name, std::string_view nearest) {
  return Concat(name, " is no property here", TemplateDidYouMean(nearest));
}

// ===== Files of tables and items that are loaded or written.

// --- their contents

inline std::string DesignMemberUnknown(std::string_view name, std::string_view nearest) {
  return Concat(name, " is not known here and left out",
                nearest.empty() ? "" : Concat("; did you mean ", nearest, "?"));
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_FILES_TABLE_MESSAGES_H_
