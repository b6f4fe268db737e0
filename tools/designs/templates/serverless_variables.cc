#include "tools/designs/templates/serverless_variables.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "tools/designs/table/json_parts.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

// A variable may lead to one; in a circle they would not end, and each may lead to two.
constexpr int kDepthMax = 100;
constexpr size_t kStepsMax = 400'000;
constexpr size_t kBytesOfLook = 4096;
constexpr size_t kBytesOfStep = sizeof(JsonTree) + 16;
constexpr std::string_view kDefaultStage = "dev";
constexpr std::string_view kOpen = "${";
constexpr std::string_view kSources[] = {
    "self:", "opt:",   "sls:",     "env:",       "param:",  "aws:accountId", "aws:region", "ssm:",
    "ssm(",  "ssm.",   "cf:",      "cf(",        "cf.",     "s3:",           "s3(",        "s3.",
    "git:",  "vault:", "doppler:", "terraform:", "output:", "file(",         "strToBool("};

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool IsVariable(std::string_view content) {
  content = Trimmed(content);
  return std::any_of(std::begin(kSources), std::end(kSources),
                     [&](std::string_view source) { return content.starts_with(source); });
}

// Where a variable stands: [begin, end) with ${ and }.
struct Span {
  size_t begin;
  size_t end;
  std::string_view In(std::string_view text) const {
    return text.substr(begin + kOpen.size(), end - begin - kOpen.size() - 1);
  }
};

// Behind the } of the ${ at `begin`; npos: there is none.
size_t EndOf(std::string_view text, size_t begin) {
  int open = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    if (text.substr(at).starts_with(kOpen)) ++open;
    if (text[at] == '}' && --open == 0) return at + 1;
  }
  return std::string_view::npos;
}

// The first variable that is of the framework; other texts have such things, too: "${AWS::Region}".
// O(text): of what is open at the end all may be in each other.
std::optional<Span> NextVariable(std::string_view text, size_t from) {
  std::vector<size_t> open;  // where they begin
  std::optional<Span> first;
  for (size_t at = text.find(kOpen, from); at < text.size(); ++at) {
    if (text.substr(at).starts_with(kOpen)) open.push_back(at);
    if (text[at] != '}' || open.empty()) continue;
    const Span span = {open.back(), at + 1};
    open.pop_back();
    const bool is_first = !first || span.begin < first->begin;
    if (is_first && IsVariable(span.In(text))) first = span;
    if (open.empty() && first) return first;
  }
  return first;
}

// The sources of "opt:stage, self:provider.stage, 'a, b'".
std::vector<std::string_view> SourcesOf(std::string_view content) {
  std::vector<std::string_view> sources;
  int depth = 0;
  char quote = 0;
  size_t begin = 0;
  for (size_t at = 0; at <= content.size(); ++at) {
    const char letter = at < content.size() ? content[at] : ',';
    if (at < content.size() && quote != 0) {
      if (letter == quote) quote = 0;
      continue;
    }
    if (letter == '\'' || letter == '"') quote = letter;
    if (letter == '(' || letter == '{') ++depth;
    if (letter == ')' || letter == '}') --depth;
    if (letter != ',' || (depth > 0 && at < content.size())) continue;
    sources.push_back(Trimmed(content.substr(begin, at - begin)));
    begin = at + 1;
  }
  return sources;
}

bool IsQuoted(std::string_view word) {
  return word.size() >= 2 && (word.front() == '\'' || word.front() == '"') &&
         word.back() == word.front();
}

// What the command line says: a text, or a list or a map in JSON.
JsonTree GivenTree(const std::string& value) {
  std::optional<JsonTree> tree = ParseJson(value, kJsonDepthMax);
  const bool is_whole = tree && (tree->kind == Kind::kMap || tree->kind == Kind::kList);
  return is_whole ? *std::move(tree) : TextTree(value);
}

bool IsNull(const JsonTree& tree) { return tree.kind == Kind::kOther && tree.text == "null"; }

}  // namespace

ServerlessVariables::ServerlessVariables(const JsonTree& root, const ReadOptions& options,
                                         NamedFileReader read)
    : root_(root), options_(options), read_(std::move(read)) {}

void ServerlessVariables::Resolve(JsonTree* tree) {
  if (tree->kind == Kind::kString) ResolveText(tree);
  for (JsonTree& element : tree->elements) Resolve(&element);
  for (JsonTree::Member& member : tree->members) Resolve(&member.value);
}

void ServerlessVariables::ResolveText(JsonTree* tree) {
  size_t from = 0;
  while (const std::optional<Span> span = NextVariable(tree->text, from)) {
    // Each look may go through the rest of the text.
    if (!Takes(1 + (tree->text.size() - from) / kBytesOfLook)) return;
    const std::string content(span->In(tree->text));
    Value value = FirstOf(content);
    const bool is_all = span->begin == 0 && span->end == tree->text.size();
    if (value && is_all) {
      value->line = tree->line;
      value->column = tree->column;
      value->name_line = tree->name_line;
      value->name_column = tree->name_column;
      *tree = *std::move(value);
      return;
    }
    std::string made;
    if (value && value->kind != Kind::kMap && value->kind != Kind::kList) {
      made = value->text;
    } else {
      // What lacks a value is named without what has one.
      JsonTree inner = TextTree(content);
      ResolveText(&inner);
      const bool is_text = inner.kind == Kind::kString || inner.kind == Kind::kOther;
      made = Concat(kOpen, is_text ? inner.text : content, "}");
    }
    tree->text.replace(span->begin, span->end - span->begin, made);
    from = span->begin + made.size();
  }
}

// Null is what is not there, unless nothing follows.
ServerlessVariables::Value ServerlessVariables::FirstOf(std::string_view content) {
  if (depth_ >= kDepthMax || !Takes(1)) return std::nullopt;
  ++depth_;
  const std::vector<std::string_view> sources = SourcesOf(content);
  Value value;
  for (const std::string_view source : sources) {
    value = One(source);
    const bool is_last = source.data() == sources.back().data();
    if (value && (is_last || !IsNull(*value))) break;
    value.reset();
  }
  if (value && !Takes(BytesOf(*value) / kBytesOfStep)) value.reset();
  // What the framework takes without a word.
  const auto asks_for = [&](std::string_view source) {
    return !value && std::find(sources.begin(), sources.end(), source) != sources.end();
  };
  if (asks_for("opt:stage") || asks_for("self:provider.stage")) value = TextTree(Stage());
  if (asks_for("opt:region") || asks_for("self:provider.region")) value = TextTree(Region());
  --depth_;
  return value;
}

ServerlessVariables::Value ServerlessVariables::One(std::string_view source) {
  const std::string written(source);
  if (const std::string* const given = GivenValue(options_, written)) return GivenTree(*given);
  if (source.starts_with(kOpen) && EndOf(source, 0) == source.size()) {
    JsonTree nested = TextTree(source);
    Resolve(&nested);
    if (nested.kind == Kind::kString && NextVariable(nested.text, 0)) return std::nullopt;
    return nested;
  }
  if (source.starts_with("strToBool(")) return Boolean(source);
  const std::string word = WithoutVariables(source);
  if (word.empty()) return std::nullopt;
  if (word != written) return One(word);
  if (IsQuoted(word)) return TextTree(word.substr(1, word.size() - 2));
  if (word == "sls:stage") return TextTree(Stage());
  if (word == "aws:region") return TextTree(Region());
  if (word == "aws:accountId") return TextTree(kTemplateAccount);
  if (word.starts_with("file(")) return File(word);
  if (word.starts_with("self:")) return Path(std::string_view(word).substr(5));
  if (word.starts_with("param:")) return Parameter(std::string_view(word).substr(6));
  if (word.starts_with("env:")) return Environment(word.substr(4));
  const std::optional<JsonTree> literal = ParseJson(word, 0);
  if (literal && literal->kind == Kind::kOther) return literal;
  return std::nullopt;
}

ServerlessVariables::Value ServerlessVariables::Environment(const std::string& name) const {
  if (const auto known = environment_.find(name); known != environment_.end()) {
    return TextTree(known->second);
  }
  const char* const value =
      std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? Value() : TextTree(value);
}

// Empty: one of them has no value, or one that is no text.
std::string ServerlessVariables::WithoutVariables(std::string_view text) {
  JsonTree resolved = TextTree(text);
  ResolveText(&resolved);
  if (resolved.kind != Kind::kString || NextVariable(resolved.text, 0)) return "";
  return resolved.text;
}

ServerlessVariables::Value ServerlessVariables::Boolean(std::string_view source) {
  if (!source.ends_with(')')) return std::nullopt;
  source.remove_prefix(std::string_view("strToBool(").size());
  source.remove_suffix(1);
  const Value value = One(Trimmed(source));
  const std::string text = value ? value->text : std::string(Trimmed(source));
  if (text == "true" || text == "1") return WordTree("true");
  if (text == "false" || text == "0") return WordTree("false");
  return std::nullopt;
}

ServerlessVariables::Value ServerlessVariables::File(std::string_view source) {
  const size_t close = source.rfind(')');
  if (close == std::string_view::npos) return std::nullopt;
  const size_t begin = std::string_view("file(").size();
  std::string_view path = Trimmed(source.substr(begin, close - begin));
  if (IsQuoted(path)) path = path.substr(1, path.size() - 2);
  std::string_view key = source.substr(close + 1);
  if (key.starts_with(':')) key.remove_prefix(1);
  const std::optional<JsonTree> held = read_(std::string(path));
  if (!held) return std::nullopt;
  return PathIn(*held, key);
}

// Those of the stage come before those of all.
ServerlessVariables::Value ServerlessVariables::Parameter(std::string_view name) {
  const std::string stage = Stage();
  for (const std::string& of : {stage, std::string("default")}) {
    if (Value value = Path(Concat("params.", of, ".", name))) return value;
    if (Value value = Path(Concat("stages.", of, ".params.", name))) return value;
  }
  return std::nullopt;
}

std::string ServerlessVariables::Stage() {
  for (const std::string_view name : {"opt:stage", "sls:stage"}) {
    if (const std::string* const given = GivenValue(options_, std::string(name))) return *given;
  }
  if (is_in_stage_) return std::string(kDefaultStage);
  is_in_stage_ = true;
  const Value value = Path("provider.stage");
  is_in_stage_ = false;
  return value && value->kind == Kind::kString && !NextVariable(value->text, 0)
             ? value->text
             : std::string(kDefaultStage);
}

std::string ServerlessVariables::Region() {
  for (const std::string_view name : {"opt:region", "aws:region"}) {
    if (const std::string* const given = GivenValue(options_, std::string(name))) return *given;
  }
  if (is_in_region_) return options_.region;
  is_in_region_ = true;
  const Value value = Path("provider.region");
  is_in_region_ = false;
  return value && value->kind == Kind::kString && !NextVariable(value->text, 0) ? value->text
                                                                                : options_.region;
}

std::optional<JsonTree> ServerlessVariables::Path(std::string_view path) {
  return PathIn(root_, path);
}

// On the way there may stand a variable: `custom: ${file(custom.yml)}`.
ServerlessVariables::Value ServerlessVariables::PathIn(const JsonTree& tree,
                                                       std::string_view path) {
  if (depth_ >= kDepthMax) return std::nullopt;
  ++depth_;
  const JsonTree* found = &tree;
  JsonTree held;
  while (true) {
    if (found->kind == Kind::kString && NextVariable(found->text, 0)) {
      JsonTree resolved = *found;
      ResolveText(&resolved);
      held = std::move(resolved);
      found = &held;
    }
    if (path.empty()) break;
    const size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    size_t index = 0;
    const bool is_index = found->kind == Kind::kList && absl::SimpleAtoi(ToAbsl(name), &index) &&
                          index < found->elements.size();
    found = is_index ? &found->elements[index] : found->Find(name);
    if (found == nullptr) break;
  }
  Value value;
  if (found != nullptr && !IsNull(*found) && Takes(BytesOf(*found) / kBytesOfStep + 1)) {
    value = *found;
    Resolve(&*value);
  }
  --depth_;
  return value;
}

bool ServerlessVariables::Takes(size_t steps) {
  steps_ += steps;
  return steps_ <= kStepsMax;
}

std::optional<std::string> VariableIn(const std::string& text) {
  const std::optional<Span> span = NextVariable(text, 0);
  if (!span) return std::nullopt;
  const std::vector<std::string_view> sources = SourcesOf(span->In(text));
  // What stands in it has no value, so that it has none, either.
  for (const std::string_view source : sources) {
    if (std::optional<std::string> nested = VariableIn(std::string(source))) return nested;
  }
  return std::string(sources.front());
}

}  // namespace dynolith::designs
