// The texts about JSON files that cannot be read, and the words of figures.
#ifndef DYNOLITH_TOOLS_LAB_TEXT_MESSAGES_H_
#define DYNOLITH_TOOLS_LAB_TEXT_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tools/files/toml/messages.h"

namespace dynolith::messages {

inline std::string LabJsonBroken() { return "it is no JSON from here on"; }
inline std::string LabJsonNoObject() { return "it must be an object"; }
inline std::string LabJsonLacks(std::string_view path) { return Concat(path, " is missing"); }

// --- figures

inline std::string LabReads(std::string_view units) { return Concat(units, " read"); }
inline std::string LabWrites(std::string_view units) { return Concat(units, " write"); }

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_LAB_TEXT_MESSAGES_H_
