#include "tools/ship/lines.h"

#include <charconv>
#include <system_error>

namespace dynolith::ship {

std::optional<std::string_view> TakeUntil(char mark, std::string_view* text) {
  const size_t at = text->find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text->substr(0, at);
  text->remove_prefix(at + 1);
  return taken;
}

std::optional<std::string_view> TakeLine(std::string_view name, std::string_view* text) {
  if (!text->starts_with(name) || text->size() <= name.size() || (*text)[name.size()] != ' ') {
    return std::nullopt;
  }
  text->remove_prefix(name.size() + 1);
  return TakeUntil('\n', text);
}

std::optional<uint64_t> TakeNumberLine(std::string_view name, std::string_view* text) {
  const std::optional<std::string_view> value = TakeLine(name, text);
  return value ? ToNumber(*value) : std::nullopt;
}

std::optional<uint64_t> ToNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string OrderedNumber(uint64_t number) {
  std::string digits = std::to_string(number);
  return digits.insert(0, kOrderedDigits - digits.size(), '0');
}

}  // namespace dynolith::ship
