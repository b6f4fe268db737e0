#include "tools/files/templates/template_loops.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

// The limit of the bytes that all loops make, since nested loops multiply: several times the size
// that CloudFormation accepts for a template.
constexpr size_t kLoopBytesMax = 32 << 20;

// Replaces `from` by `to`, and adds the size to `made`. Beyond the limit it returns the text as it
// is.
std::string Replaced(std::string text, const std::string& from, const std::string& to,
                     size_t* made) {
  size_t times = 0;
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + from.size()))
    ++times;
  *made += text.size() + times * to.size();
  if (times == 0 || *made > kLoopBytesMax) return text;
  return absl::StrReplaceAll(text, {{from, to}});
}

// Replaces the loop's variable `name` by `value`, for one iteration.
class LoopIteration {
 public:
  LoopIteration(const std::string& name, const std::string& value)
      : name_(name),
        value_(value),
        plain_(Concat("${", name, "}")),
        bare_(Concat("&{", name, "}")) {
    for (const char letter : value) {
      if (std::isalnum(static_cast<unsigned char>(letter)) != 0) letters_ += letter;
    }
  }

  std::string Text(std::string text, size_t* made) const {
    return Replaced(Replaced(std::move(text), plain_, value_, made), bare_, letters_, made);
  }

  void Apply(JsonTree* tree, size_t* made) const {
    *made += sizeof(JsonTree);
    const bool is_reference = tree->kind == Kind::kMap && tree->members.size() == 1 &&
                              tree->members.front().name == "Ref" &&
                              tree->members.front().value.text == name_;
    if (is_reference) {
      tree->kind = Kind::kString;
      tree->text = value_;
      *made += value_.size();
      tree->members.clear();
      return;
    }
    if (tree->kind == Kind::kString) tree->text = Text(std::move(tree->text), made);
    for (JsonTree& element : tree->elements) Apply(&element, made);
    for (JsonTree::Member& member : tree->members) {
      member.name = Text(std::move(member.name), made);
      Apply(&member.value, made);
    }
  }

 private:
  const std::string& name_;
  const std::string& value_;
  const std::string plain_;
  const std::string bare_;
  std::string letters_;
};

// Whether the resource makes no table: its type is of AWS, but neither a table nor a stack.
bool IsOther(const JsonTree::Member& resource) {
  const std::string_view type = MemberText(resource.value.Find("Type"));
  return type.starts_with("AWS::") && !type.starts_with("AWS::DynamoDB::") &&
         !type.starts_with("AWS::Serverless::") && type != "AWS::CloudFormation::Stack";
}
bool AreOthers(const JsonTree& made) {
  return !made.members.empty() && std::all_of(made.members.begin(), made.members.end(), IsOther);
}

class Loops {
 public:
  Loops(const JsonTree& document, TemplateValues* values, TemplateValues::UnknownValues* unknown)
      : has_extensions_(HasTransform(document, kLanguageExtensions)),
        values_(values),
        unknown_(unknown) {}

  void ExpandResources(JsonTree* resources) {
    ExpandMembers(resources);
    for (JsonTree::Member& member : resources->members) {
      if (!IsOther(member)) Expand(&member.value);
    }
  }
  void Expand(JsonTree* tree) {
    if (tree->kind == Kind::kMap) ExpandMembers(tree);
    for (JsonTree& element : tree->elements) Expand(&element);
    for (JsonTree::Member& member : tree->members) Expand(&member.value);
  }

 private:
  // A loop may make loops, which the next pass expands.
  void ExpandMembers(JsonTree* map) {
    const auto is_loop = [](const auto& member) { return member.name.starts_with(kLoopPrefix); };
    while (std::any_of(map->members.begin(), map->members.end(), is_loop)) {
      std::vector<JsonTree::Member> before = std::move(map->members);
      map->members.clear();
      for (JsonTree::Member& member : before) {
        if (is_loop(member)) {
          Unroll(member, map);
        } else {
          Add(std::move(member), map);
        }
      }
    }
  }

  // Loops may have the same name, since an outer loop makes several of one.
  void Add(JsonTree::Member member, JsonTree* map) {
    if (!member.name.starts_with(kLoopPrefix) && map->Find(member.name) != nullptr) {
      return Fail(member.value, messages::TemplateTwice(member.name));
    }
    map->members.push_back(std::move(member));
  }

  void Unroll(const JsonTree::Member& loop, JsonTree* map) {
    // The error has been reported.
    if (made_ > kLoopBytesMax) return;
    const std::vector<JsonTree>& parts = loop.value.elements;
    if (!has_extensions_) {
      return Fail(loop.value, messages::TemplateNeedsTransform("Fn::ForEach", kLanguageExtensions));
    }
    if (parts.size() != 3 || parts[0].text.empty() || parts[2].kind != Kind::kMap) {
      return Fail(loop.value, messages::TemplateMalformed(loop.name));
    }
    TemplateValues::UnknownValues lacking;
    const JsonTree collection = values_->Resolve(parts[1], &lacking);
    if (!lacking.empty()) {
      // Such resources are not loaded, so their number does not matter.
      if (AreOthers(parts[2])) return;
      unknown_->insert(unknown_->end(), lacking.begin(), lacking.end());
      return;
    }
    if (collection.kind != Kind::kList) {
      return Fail(loop.value, messages::TemplateMalformed(loop.name));
    }
    for (const JsonTree& element : collection.elements) {
      JsonTree made = parts[2];
      LoopIteration(parts[0].text, element.text).Apply(&made, &made_);
      if (made_ > kLoopBytesMax) return Fail(loop.value, messages::TemplateTooLarge(loop.name));
      for (JsonTree::Member& member : made.members) Add(std::move(member), map);
    }
  }

  void Fail(const JsonTree& at, std::string error) {
    unknown_->push_back({{at.name_line, at.name_column}, "", std::move(error)});
  }

  const bool has_extensions_;
  TemplateValues* const values_;
  TemplateValues::UnknownValues* const unknown_;
  size_t made_ = 0;  // bytes
};

}  // namespace

void ExpandLoops(JsonTree* document, TemplateValues* values,
                 TemplateValues::UnknownValues* unknown) {
  Loops loops(*document, values, unknown);
  if (JsonTree* const conditions = document->Find("Conditions")) loops.Expand(conditions);
  if (JsonTree* const resources = document->Find("Resources")) loops.ExpandResources(resources);
}

}  // namespace dynolith::designs
