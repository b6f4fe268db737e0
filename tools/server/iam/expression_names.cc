#include "tools/server/iam/expression_names.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "engine/base/strings.h"

namespace dynolith::iam {
namespace {

// Attributes of these names need placeholders.
constexpr std::string_view kKeywords[] = {"and", "or",     "not", "between", "in",
                                          "set", "remove", "add", "delete"};

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '#' || c == ':';
}

// Words, and all other characters one by one, without spaces.
std::vector<std::string_view> Tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && IsWordCharacter(text[end])) ++end;
    if (end > at) {
      tokens.push_back(text.substr(at, end - at));
    } else {
      if (!absl::ascii_isspace(static_cast<unsigned char>(text[at]))) {
        tokens.push_back(text.substr(at, 1));
      }
      end = at + 1;
    }
    at = end;
  }
  return tokens;
}

bool IsKeyword(std::string_view word) {
  return std::any_of(std::begin(kKeywords), std::end(kKeywords), [&](std::string_view keyword) {
    return absl::EqualsIgnoreCase(ToAbsl(word), ToAbsl(keyword));
  });
}

// Whether token i begins a path.
bool IsAttribute(const std::vector<std::string_view>& tokens, size_t i) {
  const std::string_view word = tokens[i];
  if (!IsWordCharacter(word[0]) || word[0] == ':' || IsKeyword(word)) return false;
  if (absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) return false;
  if (i > 0 && tokens[i - 1] == ".") return false;
  return i + 1 == tokens.size() || tokens[i + 1] != "(";
}

std::string_view Resolve(std::string_view word, const JsonTree* names) {
  if (!word.starts_with('#') || names == nullptr) return word;
  const JsonTree* const name = names->Find(word);
  return name == nullptr ? word : std::string_view(name->text);
}

}  // namespace

void AddExpressionNames(std::string_view expression, const JsonTree* names,
                        std::set<std::string>* attributes) {
  const std::vector<std::string_view> tokens = Tokens(expression);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (IsAttribute(tokens, i)) attributes->emplace(Resolve(tokens[i], names));
  }
}

const JsonTree* EqualValueIn(std::string_view expression, const JsonTree* names,
                             const JsonTree* values, std::string_view attribute) {
  if (values == nullptr) return nullptr;
  const std::vector<std::string_view> tokens = Tokens(expression);
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i] != "=") continue;
    for (const auto& [name, value] : {std::pair(i - 1, i + 1), std::pair(i + 1, i - 1)}) {
      const bool is_asked = IsAttribute(tokens, name) && tokens[value].starts_with(':') &&
                            Resolve(tokens[name], names) == attribute;
      if (is_asked) return values->Find(tokens[value]);
    }
  }
  return nullptr;
}

}  // namespace dynolith::iam
