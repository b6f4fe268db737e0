// The texts of the C interface.
#ifndef DYNOLITH_API_C_MESSAGES_H_
#define DYNOLITH_API_C_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string NoMemory() { return "there is not enough memory"; }
// `what`: the exception's own text.
inline std::string UnexpectedException(std::string_view what) {
  return Concat("a bug in Dynolith: ", what);
}
// `argument`: the argument's name.
inline std::string ArgumentMissing(std::string_view argument) {
  return Concat("the argument ", argument, " is no item");
}
inline std::string NameIsNoText(std::string_view placeholder) {
  return Concat("the name that ", placeholder, " stands for is no string");
}
inline std::string NoPlaceForDatabase() { return "the pointer that receives the database is NULL"; }

inline std::string NoOtherRegions() {
  return "the database was opened without several \"regions\"";
}

// Of what only a database in this process can do.
inline std::string NotBehindEndpoint(std::string_view endpoint) {
  return Concat("only a database in this process can do this, and not the service at ", endpoint,
                ", which gets the service's own calls");
}

// --- items

inline std::string TextIsNotUtf8(size_t position) {
  return Concat("the text at byte ", position, " is not UTF-8");
}
inline std::string KeyMisplaced(std::string_view name) {
  return Concat("the key \"", name, "\" is not in a map, or another one waits for its value");
}
inline std::string ValueWithoutKey() { return "a value in a map has no key"; }
inline std::string KeyWithoutValue() { return "a key has no value"; }
inline std::string NothingToEnd() { return "there is no list, map or set to end"; }
inline std::string SomethingLeftOpen() { return "a list, map or set has no end"; }
// Both names are those of the wire.
inline std::string NotAMember(std::string_view type, std::string_view set_type) {
  return Concat(type, " is no member of ", set_type);
}
inline std::string NotASetType(int64_t type) { return Concat("there is no type of sets ", type); }

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_C_MESSAGES_H_
