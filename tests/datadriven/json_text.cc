#include "tests/datadriven/json_text.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace dynolith::datadriven {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr size_t kLineBytesMax = 100;

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string NumberText(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}

std::string Print(element value, size_t indent);

// Elements between the brackets, on one line if they fit.
std::string Bracketed(char open, char close, const std::vector<std::string>& parts, size_t indent) {
  size_t bytes = indent + 2;
  bool several_lines = false;
  for (const std::string& part : parts) {
    bytes += part.size() + 2;
    several_lines |= part.find('\n') != std::string::npos;
  }
  std::string out(1, open);
  if (!several_lines && bytes <= kLineBytesMax) {
    for (const std::string& part : parts) out += (out.size() > 1 ? ", " : "") + part;
    return out + close;
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    out += (i == 0 ? "\n" : ",\n") + std::string(indent + 2, ' ') + parts[i];
  }
  return out + "\n" + std::string(indent, ' ') + close;
}

std::string PrintArray(simdjson::dom::array array, bool is_set, size_t indent) {
  std::vector<std::string> parts;
  for (element value : array) parts.push_back(Print(value, indent + 2));
  if (is_set) std::sort(parts.begin(), parts.end());
  return Bracketed('[', ']', parts, indent);
}

bool IsSetName(std::string_view name) { return name == "SS" || name == "NS" || name == "BS"; }

// Names are different in every run.
bool IsVolatile(std::string_view name) { return name == "TableId"; }

std::string PrintObject(simdjson::dom::object object, size_t indent) {
  std::vector<std::pair<std::string, element>> members;
  for (const auto& [name, value] : object) members.emplace_back(std::string(name), value);
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> parts;
  for (const auto& [name, value] : members) {
    std::string text;
    if (IsVolatile(name) && value.is_string()) {
      text = Quoted("<" + name + ">");
    } else if (members.size() == 1 && IsSetName(name) && value.is_array()) {
      text = PrintArray(value.get_array().value(), true, indent + 2);
    } else {
      text = Print(value, indent + 2);
    }
    parts.push_back(Quoted(name) + ": " + text);
  }
  return Bracketed('{', '}', parts, indent);
}

std::string Print(element value, size_t indent) {
  switch (value.type()) {
    case element_type::ARRAY:
      return PrintArray(value.get_array().value(), false, indent);
    case element_type::OBJECT:
      return PrintObject(value.get_object().value(), indent);
    case element_type::INT64:
      return std::to_string(value.get_int64().value());
    case element_type::UINT64:
      return std::to_string(value.get_uint64().value());
    case element_type::DOUBLE:
      return NumberText(value.get_double().value());
    case element_type::STRING:
      return Quoted(value.get_string().value());
    case element_type::BOOL:
      return value.get_bool().value() ? "true" : "false";
    case element_type::NULL_VALUE:
      return "null";
  }
  return "";
}

}  // namespace

std::optional<std::string> Canonical(std::string_view text) {
  simdjson::dom::parser parser;
  element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return std::nullopt;
  return Print(root, 0);
}

std::optional<std::map<std::string, std::string>> Members(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(text.data(), text.size()).get(object) != simdjson::SUCCESS) return std::nullopt;
  std::map<std::string, std::string> members;
  for (const auto& [name, value] : object) {
    members[std::string(name)] =
        value.is_string() ? std::string(value.get_string().value()) : Print(value, 0);
  }
  return members;
}

}  // namespace dynolith::datadriven
