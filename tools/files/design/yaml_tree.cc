#include "tools/files/design/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "tools/files/design/messages.h"
#include "tools/files/items/messages.h"
#include "tools/files/table/json_parts.h"

namespace dynolith::designs {
namespace {

// The merge key: its value is a map, or a list of maps, whose members are added.
constexpr std::string_view kMerge = "<<";
// The limit of the bytes that aliases repeat.
constexpr size_t kRepeatedBytesMax = size_t{128} << 20;

// A number, true, false or null, in JSON's or YAML's spelling, as JSON. nullopt: any other text.
std::optional<std::string> ParseWord(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
    return "null";
  }
  if (text == "true" || text == "True" || text == "TRUE") return "true";
  if (text == "false" || text == "False" || text == "FALSE") return "false";
  const std::optional<JsonTree> parsed = ParseJson(text, 0);
  if (parsed && parsed->kind == JsonTree::Kind::kOther) return text;
  return std::nullopt;
}

// The intrinsic function that a short tag stands for, e.g. {"Ref": value} for !Ref.
JsonTree Expanded(const std::string& tag, JsonTree value) {
  JsonTree function = MapTree();
  function.line = value.line;
  function.column = value.column;
  const std::string_view name = std::string_view(tag).substr(1);
  if (name == "GetAtt" && value.kind == JsonTree::Kind::kString) {
    JsonTree parts = ListTree();
    const size_t dot = value.text.find('.');
    parts.elements.push_back(TextTree(value.text.substr(0, dot)));
    if (dot != std::string::npos) parts.elements.push_back(TextTree(value.text.substr(dot + 1)));
    value = std::move(parts);
  }
  const bool is_bare = name == "Ref" || name == "Condition";
  SetMember(&function, is_bare ? std::string(name) : Concat("Fn::", name), std::move(value));
  return function;
}

bool IsShortTag(const std::string& tag) {
  return tag.size() > 1 && tag[0] == '!' && tag[1] != '!' && tag[1] != '<';
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  JsonTree TakeRoot() { return std::move(root_); }
  bool IsEmpty() const { return root_.kind == JsonTree::Kind::kOther && root_.text == "null"; }
  JsonLocation place() const { return {root_.line, root_.column}; }
  // Where the tree became too deep or too large, or an alias refers to its own ancestor.
  const std::optional<JsonLocation>& overflow() const { return overflow_; }
  // The first name that occurs twice in a map.
  const std::optional<YamlError>& twice() const { return twice_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(Placed(WordTree("null"), mark), "", anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // An anchor is recorded when its node is complete, so an alias within that node finds none.
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) return Overflow(Placed(WordTree("null"), mark));
    const JsonTree& meant = known->second;
    bytes_ += TreeBytes(meant);
    // The depth of the repeated tree counts, too.
    const bool is_deep = levels_.size() + static_cast<size_t>(TreeDepth(meant)) > kJsonDepthMax;
    if (is_deep || bytes_ > kRepeatedBytesMax) {
      Overflow(Placed(WordTree("null"), mark));
    }
    if (!overflow_) Add(Placed(meant, mark), "", 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    // yaml-cpp gives a plain scalar the tag "?" and a quoted one "!".
    const std::optional<std::string> word = tag == "?" ? ParseWord(value) : std::nullopt;
    Add(Placed(word ? WordTree(*word) : TextTree(value), mark), tag, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(ListTree(), mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(MapTree(), mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct OpenNode {
    JsonTree tree;
    std::string tag;
    YAML::anchor_t anchor;
    std::optional<JsonTree> name;      // of the next member
    std::set<std::string> names = {};  // of the members so far, without merged ones
    bool is_merged = false;            // the map may have merged members
  };

  static JsonTree Placed(JsonTree tree, const YAML::Mark& mark) {
    tree.line = static_cast<size_t>(mark.line) + 1;
    tree.column = static_cast<size_t>(mark.column) + 1;
    return tree;
  }

  void Open(JsonTree tree, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    JsonTree placed = Placed(std::move(tree), mark);
    if (levels_.size() > kJsonDepthMax) Overflow(placed);
    levels_.push_back({std::move(placed), tag, anchor, std::nullopt});
  }
  void Close() {
    OpenNode level = std::move(levels_.back());
    levels_.pop_back();
    Add(std::move(level.tree), level.tag, level.anchor);
  }

  void Add(JsonTree value, const std::string& tag, YAML::anchor_t anchor) {
    if (overflow_) return;
    if (IsShortTag(tag)) value = Expanded(tag, std::move(value));
    if (anchor != 0) anchors_[anchor] = value;
    if (levels_.empty()) {
      root_ = std::move(value);
      return;
    }
    OpenNode& level = levels_.back();
    if (level.tree.kind == JsonTree::Kind::kList) {
      level.tree.elements.push_back(std::move(value));
    } else if (!level.name) {
      level.name = std::move(value);
    } else {
      const JsonTree name = *std::exchange(level.name, std::nullopt);
      const bool is_new = level.names.insert(name.text).second;
      if (!is_new && name.text != kMerge && !twice_) {
        twice_ = YamlError{{name.line, name.column}, messages::DesignNameTwice(name.text)};
      }
      level.is_merged |= name.text == kMerge;
      AddMember(name, std::move(value), is_new && !level.is_merged, &level.tree);
    }
  }

  // Adds a member, or the members of a merged map, which do not replace existing ones. `is_new`:
  // the map has no member of this name.
  static void AddMember(const JsonTree& name, JsonTree value, bool is_new, JsonTree* map) {
    if (name.text == kMerge) {
      const std::vector<JsonTree> one = {value};
      const bool is_list = value.kind == JsonTree::Kind::kList;
      for (const JsonTree& merged : is_list ? value.elements : one) {
        for (const JsonTree::Member& member : merged.members) {
          if (map->Find(member.name) == nullptr) map->members.push_back(member);
        }
      }
      return;
    }
    value.name_line = name.line;
    value.name_column = name.column;
    if (is_new) {
      map->members.push_back({name.text, std::move(value)});
    } else {
      SetMember(map, name.text, std::move(value));
    }
  }

  void Overflow(const JsonTree& at) {
    if (!overflow_) overflow_ = JsonLocation{at.line, at.column};
  }

  std::vector<OpenNode> levels_;
  std::map<YAML::anchor_t, JsonTree> anchors_;
  JsonTree root_ = WordTree("null");
  size_t bytes_ = 0;  // repeated by aliases
  std::optional<JsonLocation> overflow_;
  std::optional<YamlError> twice_;
};

}  // namespace

std::optional<JsonTree> ParseYaml(const std::string& text, YamlError* yaml_error) {
  TreeBuilder builder;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    TreeBuilder next;
    if (parser.HandleNextDocument(next) && !next.IsEmpty()) {
      *yaml_error = {next.place(), messages::DesignYamlSecond()};
      return std::nullopt;
    }
  } catch (const YAML::Exception& error) {
    yaml_error->place = {static_cast<size_t>(error.mark.line + 1),
                         static_cast<size_t>(error.mark.column + 1)};
    yaml_error->reason = error.msg;
    return std::nullopt;
  }
  if (builder.overflow()) {
    *yaml_error = {*builder.overflow(), messages::DesignYamlTooLarge()};
    return std::nullopt;
  }
  if (builder.twice()) {
    *yaml_error = *builder.twice();
    return std::nullopt;
  }
  return builder.TakeRoot();
}

}  // namespace dynolith::designs
