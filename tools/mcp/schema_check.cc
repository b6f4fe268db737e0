#include "tools/mcp/schema_check.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"

namespace dynolith::mcp {
namespace {

bool IsNumber(const JsonTree& value) {
  return value.kind == JsonTree::Kind::kOther && !value.text.empty() &&
         (value.text.front() == '-' || (value.text.front() >= '0' && value.text.front() <= '9'));
}

bool IsOfType(const JsonTree& value, std::string_view type) {
  if (type == "object") return value.kind == JsonTree::Kind::kMap;
  if (type == "array") return value.kind == JsonTree::Kind::kList;
  if (type == "string") return value.kind == JsonTree::Kind::kString;
  if (value.kind != JsonTree::Kind::kOther) return false;
  if (type == "boolean") return value.text == "true" || value.text == "false";
  if (type == "integer") {
    return IsNumber(value) && value.text.find_first_of(".eE") == std::string::npos;
  }
  return type == "number" ? IsNumber(value) : type == value.text;
}

// In code points, as the specification counts.
size_t LettersOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

class SchemaCheck {
 public:
  absl::Status Check(const JsonTree& schema, const JsonTree& value, const std::string& path) {
    DYNOLITH_RETURN_IF_ERROR(CheckType(schema, value, path));
    if (IsNumber(value)) {
      const double number = std::strtod(value.text.c_str(), nullptr);
      return CheckRange(schema, "minimum", "maximum", number, path, "");
    }
    switch (value.kind) {
      case JsonTree::Kind::kString: {
        const auto letters = static_cast<double>(LettersOf(value.text));
        return CheckRange(schema, "minLength", "maxLength", letters, path, " letters");
      }
      case JsonTree::Kind::kList:
        return CheckElements(schema, value, path);
      case JsonTree::Kind::kMap:
        return CheckMembers(schema, value, path);
      case JsonTree::Kind::kOther:
        break;
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status CheckType(const JsonTree& schema, const JsonTree& value,
                                const std::string& path) {
    const JsonTree* const type = schema.Find("type");
    if (type != nullptr && !IsOfType(value, type->text)) {
      return absl::InvalidArgumentError(messages::McpWrongType(path, type->text));
    }
    const JsonTree* const words = schema.Find("enum");
    if (words == nullptr) return absl::OkStatus();
    std::string all;
    for (const JsonTree& word : words->elements) {
      if (word.text == value.text && word.kind == value.kind) return absl::OkStatus();
      all += Concat(all.empty() ? "" : ", ", word.text);
    }
    return absl::InvalidArgumentError(messages::McpNotAmong(path, all));
  }

  static absl::Status CheckRange(const JsonTree& schema, std::string_view least,
                                 std::string_view most, double number, const std::string& path,
                                 std::string_view unit) {
    const JsonTree* const low = schema.Find(least);
    if (low != nullptr && number < std::strtod(low->text.c_str(), nullptr)) {
      return absl::InvalidArgumentError(messages::McpTooSmall(path, low->text, unit));
    }
    const JsonTree* const high = schema.Find(most);
    if (high != nullptr && number > std::strtod(high->text.c_str(), nullptr)) {
      return absl::InvalidArgumentError(messages::McpTooLarge(path, high->text, unit));
    }
    return absl::OkStatus();
  }

  absl::Status CheckElements(const JsonTree& schema, const JsonTree& value,
                             const std::string& path) {
    const auto count = static_cast<double>(value.elements.size());
    DYNOLITH_RETURN_IF_ERROR(CheckRange(schema, "minItems", "maxItems", count, path, " elements"));
    const JsonTree* const of = schema.Find("items");
    for (size_t i = 0; of != nullptr && i < value.elements.size(); ++i) {
      DYNOLITH_RETURN_IF_ERROR(Check(*of, value.elements[i], Concat(path, "[", i, "]")));
    }
    return absl::OkStatus();
  }

  absl::Status CheckMembers(const JsonTree& schema, const JsonTree& value,
                            const std::string& path) {
    const std::string within = path.empty() ? "" : path + ".";
    if (const JsonTree* const required = schema.Find("required")) {
      for (const JsonTree& name : required->elements) {
        if (value.Find(name.text) == nullptr) {
          return absl::InvalidArgumentError(messages::McpMissing(within + name.text));
        }
      }
    }
    const JsonTree* const known = schema.Find("properties");
    const JsonTree* const others = schema.Find("additionalProperties");
    std::set<std::string_view> seen;
    for (const JsonTree::Member& member : value.members) {
      const std::string inner = within + member.name;
      if (!seen.insert(member.name).second) {
        return absl::InvalidArgumentError(messages::McpTwice(inner));
      }
      const JsonTree* of = known == nullptr ? nullptr : known->Find(member.name);
      if (of == nullptr && others != nullptr) {
        if (others->text == "false") return Unknown(inner, member.name, known);
        of = others;
      }
      if (of != nullptr) DYNOLITH_RETURN_IF_ERROR(Check(*of, member.value, inner));
    }
    return absl::OkStatus();
  }

  static absl::Status Unknown(const std::string& path, const std::string& name,
                              const JsonTree* known) {
    std::vector<std::string> names;
    for (size_t i = 0; known != nullptr && i < known->members.size(); ++i) {
      names.push_back(known->members[i].name);
    }
    return absl::InvalidArgumentError(messages::McpUnknownMember(path, NearestWord(name, names)));
  }
};

}  // namespace

absl::Status CheckAgainst(const JsonTree& schema, const JsonTree& value) {
  return SchemaCheck().Check(schema, value, "");
}

}  // namespace dynolith::mcp
