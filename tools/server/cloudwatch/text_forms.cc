#include "tools/server/cloudwatch/text_forms.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "api/json/json_writer.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "engine/text/utf8.h"

namespace dynolith::cloudwatch {
namespace {

constexpr int kJsonDepthMax = 32;
constexpr size_t kNamePartsMax = 16;
constexpr int kElementsMax = 10'000;

// The shortest text that is the same number, and not an integer's: "4.0".
std::string NumberText(double number) {
  char text[40];
  const auto end = std::to_chars(std::begin(text), std::end(text), number);
  std::string printed(text, end.ptr);
  if (printed.find_first_of(".en") == printed.npos) printed += ".0";
  return printed;
}

// --- JSON

// `items`: those that there may still be; with less than none what is returned is not whole.
Value FromTree(const JsonTree& tree, int* items) {
  if (--*items < 0) return {};
  switch (tree.kind) {
    case JsonTree::Kind::kString:
      return Value::Text(tree.text);
    case JsonTree::Kind::kList: {
      Value list = Value::List();
      for (const JsonTree& element : tree.elements) {
        if (*items < 0) break;
        list.elements.push_back(FromTree(element, items));
      }
      return list;
    }
    case JsonTree::Kind::kMap: {
      Value structure = Value::Structure();
      for (const JsonTree::Member& member : tree.members) {
        if (--*items < 0) break;
        structure.Set(member.name, FromTree(member.value, items));
      }
      return structure;
    }
    case JsonTree::Kind::kOther:
      break;
  }
  if (tree.text == "null") return {};
  const Value text = Value::Text(tree.text);
  if (const auto flag = text.AsBool()) return Value::Bool(*flag);
  // One beyond a double stays a text, which is no number either.
  const std::optional<double> number = text.AsNumber();
  return number ? Value::Number(*number) : text;
}

void WriteJson(const Value& value, JsonWriter* writer) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return writer->Null();
    case Value::Kind::kBool:
      return writer->Bool(value.flag);
    case Value::Kind::kInteger:
      return writer->Integer(value.integer);
    case Value::Kind::kNumber:
      return writer->Json(NumberText(value.number));
    case Value::Kind::kText:
      return writer->String(value.text);
    case Value::Kind::kTime:
      return writer->Json(NumberText(static_cast<double>(absl::ToUnixMillis(value.time)) / 1000));
    case Value::Kind::kList:
      writer->BeginArray();
      for (const Value& element : value.elements) WriteJson(element, writer);
      return writer->EndArray();
    case Value::Kind::kStructure:
      break;
  }
  writer->BeginObject();
  for (const Value::Member& member : value.members) {
    writer->Key(member.name);
    WriteJson(member.value, writer);
  }
  writer->EndObject();
}

// --- Forms

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

std::optional<std::string> DecodeFormText(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i] == '+' ? ' ' : text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high << 4 | low));
    i += 2;
  }
  return decoded;
}

std::vector<std::string_view> SplitAt(char separator, std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// What a form says, by the parts of its names.
struct FormTree {
  std::optional<std::string> text;
  std::map<std::string, FormTree, std::less<>> members;
};

std::optional<int> ElementNumber(std::string_view name) {
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 1 || number > kElementsMax) {
    return std::nullopt;
  }
  return number;
}

std::optional<Value> FromForm(const FormTree& tree) {
  if (tree.text) {
    if (!tree.members.empty()) return std::nullopt;
    return Value::Text(*tree.text);
  }
  const auto list = tree.members.find("member");
  if (list == tree.members.end() || tree.members.size() > 1 || list->second.text) {
    Value structure = Value::Structure();
    for (const auto& [name, member] : tree.members) {
      std::optional<Value> value = FromForm(member);
      if (!value) return std::nullopt;
      structure.Set(name, *std::move(value));
    }
    return structure;
  }
  std::map<int, Value> elements;
  for (const auto& [name, member] : list->second.members) {
    const std::optional<int> number = ElementNumber(name);
    std::optional<Value> value = FromForm(member);
    if (!number || !value) return std::nullopt;
    elements.insert_or_assign(*number, *std::move(value));
  }
  Value made = Value::List();
  for (auto& [_, element] : elements) made.elements.push_back(std::move(element));
  return made;
}

}  // namespace

std::optional<Value> ParseJsonForm(std::string_view text) {
  if (text.empty()) return Value::Structure();
  const std::optional<JsonTree> tree = ParseJson(text, kJsonDepthMax);
  if (!tree || tree->kind != JsonTree::Kind::kMap) return std::nullopt;
  int items = kItemsMax;
  Value value = FromTree(*tree, &items);
  return items < 0 ? std::nullopt : std::optional(std::move(value));
}

std::string PrintJsonForm(const Value& value) {
  std::string text;
  JsonWriter writer(&text);
  WriteJson(value, &writer);
  return text;
}

std::optional<Value> ParseQueryForm(std::string_view text) {
  FormTree root;
  int items = kItemsMax - 1;
  for (const std::string_view pair : SplitAt('&', text)) {
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    const std::optional<std::string> name = DecodeFormText(pair.substr(0, equals));
    const std::optional<std::string> value =
        DecodeFormText(pair.substr(std::min(equals + 1, pair.size())));
    if (!name || !value || name->empty()) return std::nullopt;
    const std::vector<std::string_view> names = SplitAt('.', *name);
    if (names.size() > kNamePartsMax) return std::nullopt;
    FormTree* at = &root;
    for (const std::string_view part : names) {
      const auto [member, is_new] = at->members.try_emplace(std::string(part));
      if (is_new) items -= 2;
      if (items < 0) return std::nullopt;
      at = &member->second;
    }
    // An empty list is written as an empty text.
    at->text = *value;
  }
  return FromForm(root);
}

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : ReplaceNonUtf8(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\r':
        escaped += "&#xD;";
        break;
      default:
        // XML has no other control characters, not even escaped.
        escaped.push_back(static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c);
    }
  }
  return escaped;
}

void AppendXml(std::string_view name, const Value& value, std::string* text) {
  text->append("<").append(name).append(">");
  switch (value.kind) {
    case Value::Kind::kNull:
      break;
    case Value::Kind::kBool:
      text->append(value.flag ? "true" : "false");
      break;
    case Value::Kind::kInteger:
      text->append(std::to_string(value.integer));
      break;
    case Value::Kind::kNumber:
      text->append(NumberText(value.number));
      break;
    case Value::Kind::kText:
      text->append(EscapeXml(value.text));
      break;
    case Value::Kind::kTime:
      text->append(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", value.time, absl::UTCTimeZone()));
      break;
    case Value::Kind::kList:
      for (const Value& element : value.elements) AppendXml("member", element, text);
      break;
    case Value::Kind::kStructure:
      for (const Value::Member& member : value.members) {
        if (!value.is_map) {
          AppendXml(member.name, member.value, text);
          continue;
        }
        text->append("<entry><key>").append(EscapeXml(member.name)).append("</key>");
        AppendXml("value", member.value, text);
        text->append("</entry>");
      }
      break;
  }
  text->append("</").append(name).append(">");
}

}  // namespace dynolith::cloudwatch
