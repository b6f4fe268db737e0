#include "tools/proxy/member_texts.h"

#include <algorithm>

#include "engine/base/strings.h"

namespace dynolith::proxy {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

size_t SkipSpaces(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(kSpaces, at), text.size());
}

// Behind the string that begins at this quote.
size_t SkipString(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// Behind the value that begins here.
size_t SkipValue(std::string_view text, size_t at) {
  if (at < text.size() && text[at] == '"') return SkipString(text, at);
  size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = SkipString(text, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    }
    if (depth == 0 && (c == ',' || kSpaces.find(c) != std::string_view::npos)) return at;
    ++at;
  }
  return text.size();
}

}  // namespace

std::optional<MemberSpan> FindMember(std::string_view object, std::string_view name) {
  size_t at = SkipSpaces(object, 0);
  if (at == object.size() || object[at] != '{') return std::nullopt;
  at = SkipSpaces(object, at + 1);
  while (at < object.size() && object[at] == '"') {
    MemberSpan span{.name = at};
    const size_t name_end = SkipString(object, at);
    const size_t colon = SkipSpaces(object, name_end);
    if (colon == object.size() || object[colon] != ':') return std::nullopt;
    span.value = SkipSpaces(object, colon + 1);
    span.end = SkipValue(object, span.value);
    const std::string_view quoted = object.substr(at, name_end - at);
    if (quoted.size() == name.size() + 2 && quoted.substr(1, name.size()) == name) return span;
    at = SkipSpaces(object, span.end);
    if (at == object.size() || object[at] != ',') return std::nullopt;
    at = SkipSpaces(object, at + 1);
  }
  return std::nullopt;
}

std::string WithMember(std::string_view object, std::string_view name, std::string_view value) {
  const size_t begin = object.find('{') + 1;
  const size_t first = SkipSpaces(object, begin);
  const bool is_empty = first < object.size() && object[first] == '}';
  return Concat(object.substr(0, begin), "\"", name, "\":", value, is_empty ? "" : ",",
                object.substr(begin));
}

std::string WithoutMember(std::string_view object, const MemberSpan& span) {
  size_t begin = span.name;
  size_t end = SkipSpaces(object, span.end);
  if (end < object.size() && object[end] == ',') {
    end = SkipSpaces(object, end + 1);
  } else {
    // The last one: the comma stands before it, unless it is the only one.
    end = span.end;
    const size_t before = object.find_last_not_of(kSpaces, begin - 1);
    if (before != std::string_view::npos && object[before] == ',') begin = before;
  }
  return Concat(object.substr(0, begin), object.substr(end));
}

}  // namespace dynolith::proxy
