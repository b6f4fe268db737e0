#include "api/json/json_parser.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "api/json/number_range.h"

namespace dynolith {
namespace {

constexpr size_t kKeptBytes = 1 << 20;
constexpr size_t kLeastBytes = 4096;
// UTF-8's byte order mark, which some editors put in front of a text.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::optional<JsonValue> JsonParser::Parse(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (capacity_ > kKeptBytes && text.size() <= kKeptBytes) ReleaseMemory();
  try {
    JsonValue root;
    auto error = ParsePadded(text, &root);
    if (error == simdjson::NUMBER_ERROR) error = ParsePadded(WithNumbersInRange(text), &root);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    if (error != simdjson::SUCCESS) return std::nullopt;
    return root;
  } catch (const std::bad_alloc&) {
    // Used again, a parser of which only a part was allocated would read beyond its memory.
    ReleaseMemory();
    throw;
  }
}

simdjson::error_code JsonParser::ParsePadded(std::string_view text, JsonValue* root) {
  if (parser_ == nullptr) parser_ = std::make_unique<simdjson::dom::parser>();
  Reserve(text.size());
  std::memcpy(buffer_.get(), text.data(), text.size());
  std::memset(buffer_.get() + text.size(), 0, simdjson::SIMDJSON_PADDING);
  return parser_->parse(buffer_.get(), text.size(), false).get(*root);
}

void JsonParser::ReleaseMemory() {
  parser_.reset();
  buffer_.reset();
  capacity_ = 0;
}

void JsonParser::Reserve(size_t bytes) {
  if (buffer_ != nullptr && bytes <= capacity_) return;
  buffer_.reset();
  const size_t capacity = std::max(bytes, kLeastBytes);
  buffer_ = std::make_unique<char[]>(capacity + simdjson::SIMDJSON_PADDING);
  capacity_ = capacity;
}

}  // namespace dynolith
