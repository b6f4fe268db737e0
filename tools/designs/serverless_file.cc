#include "tools/designs/serverless_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tools/designs/json_parts.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

// A variable may lead to one; in a circle they would not end.
constexpr int kVariableStepsMax = 100;
constexpr std::string_view kSources[] = {"self:", "opt:", "sls:", "env:", "param:", "aws:",
                                         "ssm:",  "cf:",  "cf.",  "s3:",  "file(",  "strToBool("};

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool IsVariable(std::string_view content) {
  content = Trimmed(content);
  return std::any_of(std::begin(kSources), std::end(kSources),
                     [&](std::string_view source) { return content.starts_with(source); });
}

// Where the innermost variable that can be looked up stands: [begin, end) with ${ and }.
struct Span {
  size_t begin;
  size_t end;
};
std::optional<Span> InnermostVariable(std::string_view text, size_t from) {
  for (size_t end = text.find('}', from); end != std::string_view::npos;
       end = text.find('}', end + 1)) {
    const size_t begin = text.rfind("${", end);
    if (begin == std::string_view::npos || begin < from) continue;
    if (IsVariable(text.substr(begin + 2, end - begin - 2))) return Span{begin, end + 1};
  }
  return std::nullopt;
}

class Variables {
 public:
  Variables(const JsonTree& root, const std::map<std::string, std::string>& given)
      : root_(root), given_(given) {}

  void Resolve(JsonTree* tree) {
    if (tree->kind == Kind::kString) ResolveText(tree);
    for (JsonTree& element : tree->elements) Resolve(&element);
    for (JsonTree::Member& member : tree->members) Resolve(&member.value);
  }

 private:
  void ResolveText(JsonTree* tree) {
    size_t from = 0;
    for (int steps = 0; steps < kVariableStepsMax; ++steps) {
      const std::optional<Span> span = InnermostVariable(tree->text, from);
      if (!span) return;
      const std::string content = tree->text.substr(span->begin + 2, span->end - span->begin - 3);
      std::optional<JsonTree> value = Value(content);
      if (!value) {
        from = span->end;
        continue;
      }
      const bool is_all = span->begin == 0 && span->end == tree->text.size();
      if (is_all && value->kind != Kind::kString) {
        value->line = tree->line;
        value->column = tree->column;
        value->name_line = tree->name_line;
        value->name_column = tree->name_column;
        *tree = *std::move(value);
        if (depth_ < kVariableStepsMax) {
          ++depth_;
          Resolve(tree);
          --depth_;
        }
        return;
      }
      tree->text.replace(span->begin, span->end - span->begin, value->text);
    }
  }

  // Of "opt:stage, self:provider.stage, 'dev'": the first that there is.
  std::optional<JsonTree> Value(std::string_view content) const {
    while (true) {
      const size_t comma = content.find(',');
      if (std::optional<JsonTree> value = One(Trimmed(content.substr(0, comma)))) return value;
      if (comma == std::string_view::npos) return std::nullopt;
      content.remove_prefix(comma + 1);
    }
  }

  std::optional<JsonTree> One(std::string_view word) const {
    if (const auto given = given_.find(std::string(word)); given != given_.end()) {
      return TextTree(given->second);
    }
    const bool is_quoted = word.size() >= 2 && (word.front() == '\'' || word.front() == '"') &&
                           word.back() == word.front();
    if (is_quoted) return TextTree(word.substr(1, word.size() - 2));
    if (word == "sls:stage") {
      if (std::optional<JsonTree> stage = One("opt:stage")) return stage;
      if (std::optional<JsonTree> stage = Path("provider.stage")) return stage;
      return TextTree("dev");
    }
    if (word == "aws:region") return Path("provider.region");
    if (word == "aws:accountId") return TextTree("000000000000");
    if (word.starts_with("self:")) return Path(word.substr(5));
    if (word.starts_with("param:")) return Path("params.default." + std::string(word.substr(6)));
    if (const std::optional<JsonTree> literal = ParseJson(word, 0)) {
      if (literal->kind == Kind::kOther) return literal;
    }
    return std::nullopt;
  }

  std::optional<JsonTree> Path(std::string_view path) const {
    const JsonTree* found = &root_;
    while (found != nullptr && !path.empty()) {
      const size_t dot = path.find('.');
      found = found->Find(path.substr(0, dot));
      path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    }
    if (found != nullptr) return *found;
    return std::nullopt;
  }

  const JsonTree& root_;
  const std::map<std::string, std::string>& given_;
  int depth_ = 0;
};

// "tables.yml" of "${file(tables.yml)}".
std::string FileOf(const JsonTree& tree) {
  constexpr std::string_view kBegin = "${file(";
  const std::string_view text = tree.text;
  if (tree.kind != Kind::kString || !text.starts_with(kBegin)) return "";
  return std::string(text.substr(kBegin.size(), text.find(')') - kBegin.size()));
}

// Lists of parts are one template.
void Merge(const JsonTree& part, JsonTree* whole) {
  for (const auto& [name, value] : part.members) {
    JsonTree* const section = whole->Find(name);
    if (section == nullptr) {
      SetMember(whole, name, value);
      continue;
    }
    for (const auto& [inner, member] : value.members) SetMember(section, inner, member);
  }
}

}  // namespace

bool IsServerlessFile(const JsonTree& tree) {
  return tree.Find("provider") != nullptr && tree.Find("resources") != nullptr;
}

std::vector<ServerlessPart> ReadServerlessFile(
    const JsonTree& tree, const std::map<std::string, std::string>& parameters) {
  JsonTree resources = *tree.Find("resources");
  Variables(tree, parameters).Resolve(&resources);
  std::vector<ServerlessPart> parts;
  JsonTree whole = MapTree();
  whole.line = resources.line;
  whole.column = resources.column;
  const std::vector<JsonTree> one = {resources};
  for (const JsonTree& part : resources.kind == Kind::kList ? resources.elements : one) {
    if (std::string file = FileOf(part); !file.empty()) {
      parts.push_back({MapTree(), std::move(file)});
    } else {
      Merge(part, &whole);
    }
  }
  parts.push_back({std::move(whole), ""});
  return parts;
}

void ResolveVariables(const JsonTree& root, const std::map<std::string, std::string>& parameters,
                      JsonTree* tree) {
  Variables(root, parameters).Resolve(tree);
}

std::optional<std::string> VariableIn(const std::string& text) {
  const std::optional<Span> span = InnermostVariable(text, 0);
  if (!span) return std::nullopt;
  return text.substr(span->begin + 2, span->end - span->begin - 3);
}

}  // namespace dynolith::designs
