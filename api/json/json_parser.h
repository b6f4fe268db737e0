// Texts -> parsed JSON, with memory that is used again.
#ifndef DYNOLITH_API_JSON_JSON_PARSER_H_
#define DYNOLITH_API_JSON_JSON_PARSER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "api/json/fields.h"

namespace dynolith {

// A parser and the padded copy of the text that it reads. Both keep their memory, of a large text
// until the next small one or until they are told. Not thread-safe.
class JsonParser {
 public:
  // nullopt if the text is not JSON. The value is valid until the next Parse or ReleaseMemory.
  // Throws std::bad_alloc without memory for it; the next Parse begins anew.
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
