// Parses JSON texts, with memory that is reused.
#ifndef DYNOLITH_API_JSON_JSON_PARSER_H_
#define DYNOLITH_API_JSON_JSON_PARSER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "api/json/fields.h"

namespace dynolith {

// A parser and its padded copy of the text. Both keep their memory; that of a large text until the
// next small one or until ReleaseMemory. Not thread-safe.
class JsonParser {
 public:
  // nullopt if the text is not JSON. The value is valid until the next Parse or ReleaseMemory.
  // Throws std::bad_alloc if memory is exhausted; the next Parse works again.
  std::optional<JsonValue> Parse(std::string_view text);

  void ReleaseMemory();

 private:
  simdjson::error_code ParsePadded(std::string_view text, JsonValue* root);
  void Reserve(size_t bytes);

  std::unique_ptr<simdjson::dom::parser> parser_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_JSON_PARSER_H_
