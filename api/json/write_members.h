// One member of an object: its key and a plain value.
#ifndef DYNOLITH_API_JSON_WRITE_MEMBERS_H_
#define DYNOLITH_API_JSON_WRITE_MEMBERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "api/json/json_writer.h"

namespace dynolith {

inline void Text(std::string_view key, std::string_view text, JsonWriter* writer) {
  writer->Key(key);
  writer->String(text);
}

inline void Integer(std::string_view key, int64_t number, JsonWriter* writer) {
  writer->Key(key);
  writer->Integer(number);
}

// Nothing if there is no time.
inline void Time(std::string_view key, const std::optional<absl::Time>& time, JsonWriter* writer) {
  if (!time) return;
  writer->Key(key);
  writer->Timestamp(*time);
}

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_MEMBERS_H_
