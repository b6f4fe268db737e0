#include "tools/files/table/table_design.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/table/messages.h"

namespace dynolith::designs {
namespace {

std::vector<std::string> MemberNames(const Shape& shape) {
  std::vector<std::string> names;
  for (const ShapeMember& member : shape.members()) names.emplace_back(member.name);
  return names;
}

void SayUnknown(const std::string& file, const Shape& shape, const JsonTree::Member& member,
                UnknownMembers unknown, Findings* findings) {
  const FileLocation place = LocationInFile(file, member.value);
  const std::string nearest = NearestWord(member.name, MemberNames(shape));
  if (unknown == UnknownMembers::kWarn) {
    findings->Warn(place, messages::DesignMemberUnknown(member.name, nearest));
  } else {
    findings->Fail(
        place, messages::TemplateRefused(messages::TemplateUnknownProperty(member.name, nearest),
                                         member.name));
  }
}

void FitMembers(const std::string& file, const Shape& shape, JsonTree* tree, Findings* findings,
                UnknownMembers unknown) {
  std::vector<JsonTree::Member> known;
  for (JsonTree::Member& member : tree->members) {
    const int index = shape.FindMember(member.name);
    if (index < 0) {
      SayUnknown(file, shape, member, unknown, findings);
      continue;
    }
    const ShapeMember& found = shape.members()[static_cast<size_t>(index)];
    FitToShape(file, ShapeAt(found.shape), &member.value, findings, unknown);
    known.push_back(std::move(member));
  }
  tree->members = std::move(known);
}

bool IsText(const JsonTree& tree) { return tree.kind == JsonTree::Kind::kString; }
bool IsWord(const JsonTree& tree) {
  return tree.kind == JsonTree::Kind::kOther && tree.text != "null";
}

}  // namespace

const Shape& InputShape(std::string_view operation) {
  return ShapeAt(FindOperation(Service::kDynamo, operation)->input);
}

void FitToShape(const std::string& file, const Shape& shape, JsonTree* tree, Findings* findings,
                UnknownMembers unknown) {
  int64_t number = 0;
  switch (shape.kind) {
    case ShapeKind::kStructure:
      FitMembers(file, shape, tree, findings, unknown);
      return;
    case ShapeKind::kList:
      for (JsonTree& element : tree->elements) {
        FitToShape(file, ShapeAt(shape.element), &element, findings, unknown);
      }
      return;
    case ShapeKind::kMap:
      for (JsonTree::Member& member : tree->members) {
        FitToShape(file, ShapeAt(shape.element), &member.value, findings, unknown);
      }
      return;
    case ShapeKind::kInteger:
    case ShapeKind::kLong:
      if (IsText(*tree) && absl::SimpleAtoi(tree->text, &number)) {
        tree->kind = JsonTree::Kind::kOther;
        tree->text = std::to_string(number);
      }
      return;
    case ShapeKind::kBoolean:
      if (IsText(*tree) && (tree->text == "true" || tree->text == "false")) {
        tree->kind = JsonTree::Kind::kOther;
      }
      return;
    case ShapeKind::kString:
    case ShapeKind::kEnum:
      if (IsWord(*tree)) tree->kind = JsonTree::Kind::kString;
      return;
    case ShapeKind::kDouble:
    case ShapeKind::kTimestamp:
    case ShapeKind::kBlob:
      return;
  }
}

}  // namespace dynolith::designs
