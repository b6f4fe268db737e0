#include "tools/files/templates/serverless_variables.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/serverless_dotenv.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

// The limit of variables that lead to one another, since they may form a circle. Each may lead to
// several others, so kStepsMax limits the work as well.
constexpr int kDepthMax = 200;
// The limit of levels of a resolved value, which Resolve visits recursively.
constexpr int kLevelsMax = 2 * kJsonDepthMax;
// How many bytes are one step: of text that is searched, and of values that are copied. So a long
// text that is repeated often cannot fill the memory.
constexpr size_t kBytesOfLook = 1024;
constexpr size_t kBytesOfStep = sizeof(JsonTree) + 16;
// The limit of variables and parentheses nested within one text.
constexpr size_t kNestedMax = 100;
constexpr std::string_view kDefaultStage = "dev";
constexpr std::string_view kOpen = "${";
constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
constexpr std::string_view kBoolean = "strToBool(";
constexpr std::string_view kSources[] = {"aws:accountId", "aws:region", "ssm(", "ssm.",
                                         "cf(",           "cf.",        "s3(",  "s3.",
                                         "file(",         "strToBool("};
// The prefixes of variables in IAM policies, e.g. "${aws:PrincipalTag/team}" in a resource's
// policy.
constexpr std::string_view kPolicyWords[] = {"aws", "dynamodb", "saml"};

// Whether the content has the form "word:address". Any word is a source, since a service may
// declare resolvers of any name. "AWS::Region" is not of this form.
bool HasSource(std::string_view content) {
  const size_t end = content.find_first_not_of(kLetters);
  return end != 0 && end < content.size() && content[end] == ':' &&
         !content.substr(end).starts_with("::") &&
         std::find(std::begin(kPolicyWords), std::end(kPolicyWords), content.substr(0, end)) ==
             std::end(kPolicyWords);
}

bool IsVariable(std::string_view content) {
  content = WithoutSpaces(content);
  if (HasSource(content)) return true;
  return std::any_of(std::begin(kSources), std::end(kSources),
                     [&](std::string_view source) { return content.starts_with(source); });
}

// The place of a variable, [begin, end), including ${ and }.
struct Span {
  size_t begin;
  size_t end;
  std::string_view In(std::string_view text) const {
    return text.substr(begin + kOpen.size(), end - begin - kOpen.size() - 1);
  }
};

// All variables of the framework, each after those nested within it. Other "${…}", such as
// "${AWS::Region}", are skipped.
std::vector<Span> AllVariablesIn(std::string_view text) {
  std::vector<Span> spans;
  std::vector<size_t> open;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with(kOpen)) open.push_back(at);
    if (text[at] != '}' || open.empty()) continue;
    const Span span = {open.back(), at + 1};
    open.pop_back();
    if (IsVariable(span.In(text))) spans.push_back(span);
  }
  return spans;
}

// The outermost variables, in the order of the text.
std::vector<Span> FindVariables(std::string_view text) {
  std::vector<Span> outer;
  for (const Span& span : AllVariablesIn(text)) {
    while (!outer.empty() && outer.back().begin > span.begin) outer.pop_back();
    outer.push_back(span);
  }
  return outer;
}

// Whether the whole text is one variable.
bool IsOneVariable(std::string_view text) {
  const std::vector<Span> spans = FindVariables(text);
  return spans.size() == 1 && spans[0].begin == 0 && spans[0].end == text.size();
}

// The sources of "opt:stage, self:provider.stage, 'a, b'".
std::vector<std::string_view> SplitSources(std::string_view content) {
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
    sources.push_back(WithoutSpaces(content.substr(begin, at - begin)));
    begin = at + 1;
  }
  return sources;
}

bool IsQuoted(std::string_view word) {
  return word.size() >= 2 && (word.front() == '\'' || word.front() == '"') &&
         word.back() == word.front();
}

// A value from the command line: a list or a map if it is JSON of one, else a text.
JsonTree GivenTree(const std::string& value) {
  std::optional<JsonTree> tree = ParseJson(value, kJsonDepthMax);
  const bool is_whole = tree && (tree->kind == Kind::kMap || tree->kind == Kind::kList);
  return is_whole ? *std::move(tree) : TextTree(value);
}

bool HasVariable(std::string_view text) { return !AllVariablesIn(text).empty(); }

// The steps of copying the tree.
size_t CountSteps(const JsonTree& tree) { return TreeBytes(tree) / kBytesOfStep + 1; }

bool IsNull(const JsonTree& tree) { return tree.kind == Kind::kOther && tree.text == "null"; }

}  // namespace

ServerlessVariables::ServerlessVariables(const JsonTree& root, const ReadOptions& options,
                                         NamedFileReader read)
    : root_(root), options_(options), read_(std::move(read)) {}

void ServerlessVariables::Resolve(JsonTree* tree) {
  if (levels_ == kLevelsMax) {
    steps_ = kStepsMax + 1;
    return;
  }
  ++levels_;
  if (tree->kind == Kind::kString) ResolveText(tree);
  for (JsonTree& element : tree->elements) Resolve(&element);
  for (JsonTree::Member& member : tree->members) Resolve(&member.value);
  --levels_;
}

void ServerlessVariables::ResolveText(JsonTree* tree) {
  const std::vector<Span> spans = FindVariables(tree->text);
  if (spans.empty() || IsNestedTooDeep(tree->text)) return;
  const std::string text = std::move(tree->text);
  tree->text.clear();
  size_t behind = 0;
  for (const Span& span : spans) {
    Value value = FirstResolved(span.In(text));
    const bool is_all = span.begin == 0 && span.end == text.size();
    if (value && is_all) {
      value->line = tree->line;
      value->column = tree->column;
      value->name_line = tree->name_line;
      value->name_column = tree->name_column;
      *tree = *std::move(value);
      return;
    }
    const bool is_text = value && value->kind != Kind::kMap && value->kind != Kind::kList;
    tree->text += text.substr(behind, span.begin - behind);
    tree->text += is_text ? value->text : Named(span.In(text));
    behind = span.end;
  }
  tree->text += text.substr(behind);
}

// The text for a variable without a value, in which nested variables are replaced where they have
// one.
std::string ServerlessVariables::Named(std::string_view content) {
  JsonTree inner = TextTree(content);
  if (depth_ < kDepthMax && TakesText(content)) {
    ++depth_;
    ResolveText(&inner);
    --depth_;
  }
  const bool is_text = inner.kind == Kind::kString || inner.kind == Kind::kOther;
  return Concat(kOpen, is_text ? inner.text : content, "}");
}

// The value of the first source that has one. Null counts as none, except from the last source.
ServerlessVariables::Value ServerlessVariables::FirstResolved(std::string_view content) {
  // A variable that is too deep costs steps, too, since many paths may lead to it.
  if (!TakesText(content) || depth_ >= kDepthMax) return std::nullopt;
  ++depth_;
  const std::vector<std::string_view> sources = SplitSources(content);
  Value value;
  for (const std::string_view source : sources) {
    value = One(source);
    const bool is_last = source.data() == sources.back().data();
    if (value && (is_last || !IsNull(*value))) break;
    value.reset();
  }
  if (value && !Takes(TreeBytes(*value) / kBytesOfStep)) value.reset();
  // The framework's defaults for the stage and the region.
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
  if (IsOneVariable(source)) {
    JsonTree nested = TextTree(source);
    Resolve(&nested);
    if (nested.kind == Kind::kString && HasVariable(nested.text)) return std::nullopt;
    return nested;
  }
  if (source.starts_with(kBoolean)) return Boolean(source);
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
  std::optional<JsonTree> literal = ParseJson(word, 0);
  if (literal && literal->kind == Kind::kOther) return literal;
  return std::nullopt;
}

ServerlessVariables::Value ServerlessVariables::Environment(const std::string& name) {
  if (const auto known = environment_.find(name); known != environment_.end()) {
    return TextTree(known->second);
  }
  const std::optional<std::string> value = OfProcess(name);
  if (value) return TextTree(*value);
  lacks_environment_ = true;
  return std::nullopt;
}

// The text with its variables replaced. Empty: one of them has no value, or the result is not a
// text.
std::string ServerlessVariables::WithoutVariables(std::string_view text) {
  JsonTree resolved = TextTree(text);
  ResolveText(&resolved);
  if (resolved.kind != Kind::kString || HasVariable(resolved.text)) return "";
  return resolved.text;
}

// Nested calls give the same value as a single one.
ServerlessVariables::Value ServerlessVariables::Boolean(std::string_view source) {
  while (source.starts_with(kBoolean)) {
    if (!source.ends_with(')')) return std::nullopt;
    source.remove_prefix(kBoolean.size());
    source.remove_suffix(1);
    source = WithoutSpaces(source);
  }
  const Value value = One(source);
  const std::string text = value ? value->text : std::string(source);
  if (text == "true" || text == "1") return WordTree("true");
  if (text == "false" || text == "0") return WordTree("false");
  return std::nullopt;
}

ServerlessVariables::Value ServerlessVariables::File(std::string_view source) {
  const size_t close = source.rfind(')');
  if (close == std::string_view::npos) return std::nullopt;
  const size_t begin = std::string_view("file(").size();
  std::string_view path = WithoutSpaces(source.substr(begin, close - begin));
  if (IsQuoted(path)) path = path.substr(1, path.size() - 2);
  std::string_view key = source.substr(close + 1);
  if (key.starts_with(':')) key.remove_prefix(1);
  const std::optional<JsonTree> held = read_(std::string(path));
  if (!held) return std::nullopt;
  return PathIn(*held, key);
}

// Parameters of the stage precede those for all stages.
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
  return value && value->kind == Kind::kString && !HasVariable(value->text)
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
  return value && value->kind == Kind::kString && !HasVariable(value->text) ? value->text
                                                                            : options_.region;
}

std::optional<JsonTree> ServerlessVariables::Path(std::string_view path) {
  return PathIn(root_, path);
}

// A value on the path may be a variable itself: `custom: ${file(custom.yml)}`.
ServerlessVariables::Value ServerlessVariables::PathIn(const JsonTree& tree,
                                                       std::string_view path) {
  if (!TakesText(path) || depth_ >= kDepthMax) return std::nullopt;
  ++depth_;
  const JsonTree* found = &tree;
  JsonTree held;
  while (true) {
    if (found->kind == Kind::kString && HasVariable(found->text)) {
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
  if (found != nullptr && !IsNull(*found) && Takes(CountSteps(*found))) {
    value = *found;
    // ResolveText has resolved a held text already; resolving it again would double the steps at
    // each variable of a circle.
    if (found != &held || found->kind != Kind::kString) Resolve(&*value);
  }
  --depth_;
  return value;
}

bool ServerlessVariables::Takes(size_t steps) {
  steps_ += steps;
  return steps_ <= kStepsMax;
}

bool ServerlessVariables::TakesText(std::string_view text) {
  return Takes(1 + text.size() / kBytesOfLook);
}

bool IsNestedTooDeep(std::string_view text) {
  for (const Span& span : FindVariables(text)) {
    size_t depth = 1;
    for (const char letter : span.In(text)) {
      if (letter == '{' || letter == '(') ++depth;
      if ((letter == '}' || letter == ')') && depth > 0) --depth;
      if (depth > kNestedMax) return true;
    }
  }
  return false;
}

// The source of the first variable that has no other one nested within it: variables around it lack
// a value because it does.
std::optional<std::string> VariableIn(const std::string& text) {
  const std::vector<Span> spans = AllVariablesIn(text);
  if (spans.empty()) return std::nullopt;
  return std::string(SplitSources(spans.front().In(text)).front());
}

}  // namespace dynolith::designs
