// Members of an object that is being printed: the name with its value.
#ifndef DYNOLITH_API_JSON_JSON_MEMBER_H_
#define DYNOLITH_API_JSON_JSON_MEMBER_H_

#include <concepts>
#include <cstdint>
#include <string_view>

#include "api/json/json_writer.h"

namespace dynolith {

inline void WriteText(JsonWriter* writer, std::string_view name, std::string_view value) {
  writer->Key(name);
  writer->String(value);
}

// Requires: it fits into an int64_t.
template <std::integral Number>
void WriteCount(JsonWriter* writer, std::string_view name, Number value) {
  writer->Key(name);
  writer->Integer(static_cast<int64_t>(value));
}

inline void WriteFlag(JsonWriter* writer, std::string_view name, bool value) {
  writer->Key(name);
  writer->Bool(value);
}

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_JSON_MEMBER_H_
