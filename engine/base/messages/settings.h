// What is said of the settings that a database is opened with, where they come as JSON.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_SETTINGS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_SETTINGS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string SettingsNotAnObject(size_t line, size_t column) {
  return Concat("the options are no JSON object: line ", line, ", column ", column);
}
// `nearest` is empty if nothing is near. `known`: all that there are.
inline std::string SettingUnknown(std::string_view name, std::string_view nearest,
                                  std::string_view known) {
  return nearest.empty()
             ? Concat("there is no option \"", name, "\"; there are ", known)
             : Concat("there is no option \"", name, "\"; did you mean \"", nearest, "\"?");
}
inline std::string SettingTwice(std::string_view name) {
  return Concat("the option \"", name, "\" is there twice");
}
inline std::string SettingWrong(std::string_view name, std::string_view why) {
  return Concat("the option \"", name, "\": ", why);
}
// What a member is to be.
inline std::string SettingWantsBool() { return "true or false is wanted"; }
inline std::string SettingWantsText() { return "a text is wanted"; }
inline std::string SettingWantsObject() { return "an object is wanted"; }
inline std::string SettingWantsList() { return "a list of texts is wanted"; }
inline std::string SettingWantsSeed() { return "a whole number from 0 on is wanted"; }
inline std::string NotAnAccountId(std::string_view value) {
  return Concat("\"", value, "\" is not 12 digits");
}
inline std::string NotAFolder(std::string_view value) {
  return Concat("there is no folder ", value);
}
inline std::string SettingNeedsPath() { return "a database in memory cannot be read-only"; }
inline std::string SettingNeedsManualClock() {
  return "only a clock that is \"manual\" starts anywhere";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_SETTINGS_H_
