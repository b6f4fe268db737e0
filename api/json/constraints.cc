#include "api/json/constraints.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/java_text.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/requests.h"
#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// One step of the path to a value; the text is made only when something fails.
struct PathStep {
  const PathStep* parent = nullptr;
  std::string_view name;  // of a member, or a map's key
  size_t position = 0;    // of a list element, from 1
  enum class Kind : uint8_t { kMember, kListElement, kMapValue } kind = Kind::kMember;
};

// "requestItems.t.member.keys" or, with the model's spelling, "RequestItems.t.member.Keys".
std::string PathText(const PathStep& step, bool lower_first) {
  std::string text = step.parent != nullptr ? PathText(*step.parent, lower_first) + "." : "";
  switch (step.kind) {
    case PathStep::Kind::kMember:
      return text + (lower_first ? LowerFirst(step.name) : std::string(step.name));
    case PathStep::Kind::kListElement:
      return text + Concat(step.position, ".member");
    case PathStep::Kind::kMapValue:
      return text + Concat(step.name, ".member");
  }
  return text;
}

std::string Joined(absl::Span<const std::string_view> values) {
  std::string text;
  for (const std::string_view value : values) {
    if (!text.empty()) text += ", ";
    text += value;
  }
  return text;
}

class Checker {
 public:
  void CheckStructure(const Fields& fields, const PathStep* parent);
  absl::Status Result() &&;

 private:
  struct Failure {
    std::string text;
    std::string alone;  // the text if it is the only failure; empty: the same
  };

  void CheckMember(const ShapeMember& member, const JsonValue* value, const PathStep& path);
  void CheckValue(const Shape& shape, JsonValue value, const PathStep& path,
                  const ShapeMember* member);
  void CheckText(const Shape& shape, JsonValue value, const PathStep& path,
                 const ShapeMember* member);
  void CheckLength(const Shape& shape, size_t length, JsonValue value, const PathStep& path,
                   const ShapeMember* member);
  void CheckNumber(const Shape& shape, JsonValue value, const PathStep& path,
                   const ShapeMember* member);
  void CheckList(const Shape& shape, JsonValue list, const PathStep& path);
  void CheckMap(const Shape& shape, JsonValue value, const PathStep& path,
                const ShapeMember* member);

  bool full() const { return failures_.size() >= kReportedConstraintsMax; }
  void Report(const Shape& shape, JsonValue value, const PathStep& path,
              std::string_view constraint, bool short_form);
  void ReportNull(const PathStep& path);

  std::vector<Failure> failures_;
};

// The length that the shape's bounds are about.
size_t LengthOf(const Shape& shape, std::string_view text) {
  if (!shape.characters) return text.size();
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// Whether a single value breaks what its shape says of it alone; used for the keys and values of
// maps and the elements of lists, whose constraints are reported at the collection.
bool IsSound(const Shape& shape, std::string_view text) {
  if (shape.accepts_arn && IsArn(text)) return text.size() <= kTableArnBytesMax;
  const auto length = static_cast<int64_t>(LengthOf(shape, text));
  if (shape.min != kNoBound && length < shape.min) return false;
  if (shape.max != kNoBound && length > shape.max) return false;
  return shape.pattern == kNoPattern || Matches(PatternAt(shape.pattern), text);
}

bool IsSoundList(const Shape& shape, JsonArray list) {
  const auto length = static_cast<int64_t>(list.size());
  return (shape.min == kNoBound || length >= shape.min) &&
         (shape.max == kNoBound || length <= shape.max);
}

// "Member must have length less than or equal to 255, Member must …".
std::string ConstraintsOf(const Shape& shape) {
  std::vector<std::string> texts;
  if (shape.max != kNoBound) texts.push_back(messages::MustHaveLength(false, shape.max));
  if (shape.min != kNoBound) texts.push_back(messages::MustHaveLength(true, shape.min));
  if (shape.pattern != kNoPattern) {
    texts.push_back(messages::MustMatchPattern(PatternAt(shape.pattern).text));
  }
  return Joined(std::vector<std::string_view>(texts.begin(), texts.end()));
}

bool IsText(const Shape& shape) { return shape.kind == ShapeKind::kString; }

void Checker::Report(const Shape& shape, JsonValue value, const PathStep& path,
                     std::string_view constraint, bool short_form) {
  Failure& failure = failures_.emplace_back();
  failure.text = messages::ConstraintFailure(Concat("'", JavaText(shape, value), "'"),
                                             PathText(path, true), constraint);
  if (short_form) {
    failure.alone = messages::ShortConstraintFailure(PathText(path, false), constraint);
  }
}

void Checker::ReportNull(const PathStep& path) {
  failures_.push_back(
      {messages::ConstraintFailure("null", PathText(path, true), messages::MustNotBeNull()), ""});
}

void Checker::CheckStructure(const Fields& fields, const PathStep* parent) {
  const absl::Span<const ShapeMember> all = fields.shape().members();
  for (const uint8_t i : fields.shape().order()) {
    if (full()) return;
    CheckMember(all[i], fields.Find(i), {.parent = parent, .name = all[i].name});
  }
}

void Checker::CheckMember(const ShapeMember& member, const JsonValue* value, const PathStep& path) {
  if (value != nullptr) {
    const Shape& shape = ShapeAt(member.shape);
    if (shape.constrained) CheckValue(shape, *value, path, &member);
  } else if (member.required) {
    ReportNull(path);
  }
}

void Checker::CheckValue(const Shape& shape, JsonValue value, const PathStep& path,
                         const ShapeMember* member) {
  switch (shape.kind) {
    case ShapeKind::kString:
    case ShapeKind::kEnum:
      return CheckText(shape, value, path, member);
    case ShapeKind::kInteger:
    case ShapeKind::kLong:
      return CheckNumber(shape, value, path, member);
    case ShapeKind::kList:
      CheckLength(shape, ArrayOf(value).size(), value, path, member);
      return CheckList(shape, value, path);
    case ShapeKind::kMap:
      CheckLength(shape, ObjectOf(value).size(), value, path, member);
      return CheckMap(shape, value, path, member);
    case ShapeKind::kStructure:
      return CheckStructure(Fields(shape, ObjectOf(value)), &path);
    default:
      return;
  }
}

void Checker::CheckText(const Shape& shape, JsonValue value, const PathStep& path,
                        const ShapeMember* member) {
  const std::string_view text = TextOf(value);
  if (shape.kind == ShapeKind::kEnum) {
    const absl::Span<const std::string_view> values = shape.values();
    for (const std::string_view known : values) {
      if (known == text) return;
    }
    Report(shape, value, path, messages::MustBeInEnum(Joined(values)), false);
    if (member != nullptr && !member->alone_enum.empty()) {
      failures_.back().alone =
          messages::AnonymousConstraintFailure(messages::MustBeInEnum(member->alone_enum));
    }
    return;
  }
  if (shape.accepts_arn && IsArn(text)) {
    if (text.size() <= kTableArnBytesMax) return;
    return Report(shape, value, path, messages::MustHaveLength(false, kTableArnBytesMax), false);
  }
  const bool short_empty = member != nullptr && member->short_minimum && text.empty();
  if (shape.pattern != kNoPattern && !short_empty && !Matches(PatternAt(shape.pattern), text)) {
    Report(shape, value, path, messages::MustMatchPattern(PatternAt(shape.pattern).text), false);
  }
  CheckLength(shape, LengthOf(shape, text), value, path, member);
}

void Checker::CheckLength(const Shape& shape, size_t length, JsonValue value, const PathStep& path,
                          const ShapeMember* member) {
  const auto size = static_cast<int64_t>(length);
  if (shape.max != kNoBound && size > shape.max) {
    Report(shape, value, path, messages::MustHaveLength(false, shape.max),
           member != nullptr && member->short_form);
  } else if (shape.min != kNoBound && size < shape.min) {
    Report(shape, value, path, messages::MustHaveLength(true, shape.min),
           member != nullptr && member->short_minimum);
  }
}

void Checker::CheckNumber(const Shape& shape, JsonValue value, const PathStep& path,
                          const ShapeMember* member) {
  const int64_t number = WholeNumberOf(value);
  if (shape.max != kNoBound && number > shape.max) {
    Report(shape, value, path, messages::MustHaveValue(false, shape.max),
           member != nullptr && member->short_form);
  } else if (shape.min != kNoBound && number < shape.min) {
    Report(shape, value, path, messages::MustHaveValue(true, shape.min),
           member != nullptr && member->short_minimum);
  }
}

void Checker::CheckList(const Shape& shape, JsonValue list, const PathStep& path) {
  const Shape& element_shape = ShapeAt(shape.element);
  // An absent attribute value is reported as an empty one, by the reader.
  if (element_shape.name == "AttributeValue") return;
  PathStep step{.parent = &path, .kind = PathStep::Kind::kListElement};
  bool sound = true;
  for (const JsonValue element : ArrayOf(list)) {
    if (full()) return;
    ++step.position;
    if (element.is_null()) {
      ReportNull(step);
    } else if (IsText(element_shape)) {
      sound = sound && IsSound(element_shape, TextOf(element));
    } else if (element_shape.constrained) {
      CheckValue(element_shape, element, step, nullptr);
    }
  }
  if (sound || full()) return;
  failures_.push_back(
      {messages::ConstraintFailure(Concat("'", JavaText(shape, list), "'"), PathText(path, true),
                                   messages::ListMembersMust(ConstraintsOf(element_shape))),
       ""});
}

void Checker::CheckMap(const Shape& shape, JsonValue value, const PathStep& path,
                       const ShapeMember* member) {
  const Shape& key_shape = ShapeAt(shape.key);
  const Shape& element_shape = ShapeAt(shape.element);
  const bool has_attribute_values = element_shape.name == "AttributeValue";
  bool keys_sound = true;
  bool values_sound = true;
  for (const auto field : ObjectOf(value)) {
    if (full()) return;
    keys_sound = keys_sound && IsSound(key_shape, field.key);
    if (has_attribute_values) continue;
    const PathStep step{.parent = &path, .name = field.key, .kind = PathStep::Kind::kMapValue};
    if (field.value.is_null()) {
      ReportNull(step);
    } else if (IsText(element_shape)) {
      values_sound = values_sound && IsSound(element_shape, TextOf(field.value));
    } else if (element_shape.kind == ShapeKind::kList) {
      values_sound = values_sound && IsSoundList(element_shape, ArrayOf(field.value));
      CheckList(element_shape, field.value, step);
    } else if (element_shape.constrained) {
      CheckValue(element_shape, field.value, step, nullptr);
    }
  }
  if (keys_sound && values_sound) return;
  const bool as_json = member != nullptr && member->json_dump;
  const std::string dump =
      Concat("'", as_json ? simdjson::minify(value) : JavaText(shape, value), "'");
  if (!keys_sound && !full()) {
    failures_.push_back(
        {messages::ConstraintFailure(dump, PathText(path, true),
                                     messages::MapKeysMust(ConstraintsOf(key_shape))),
         ""});
  }
  if (!values_sound && !full()) {
    failures_.push_back(
        {messages::ConstraintFailure(dump, PathText(path, true),
                                     messages::MapValueMust(ConstraintsOf(element_shape))),
         ""});
  }
}

absl::Status Checker::Result() && {
  if (failures_.empty()) return absl::OkStatus();
  if (failures_.size() == 1) {
    const Failure& only = failures_.front();
    return ValidationError(
        messages::ValidationErrors(1, only.alone.empty() ? only.text : only.alone));
  }
  if (failures_.size() > kReportedConstraintsMax) failures_.resize(kReportedConstraintsMax);
  std::string joined;
  for (const Failure& failure : failures_) {
    if (!joined.empty()) joined += "; ";
    joined += failure.text;
  }
  return ValidationError(messages::ValidationErrors(failures_.size(), joined));
}

}  // namespace

absl::Status CheckConstraints(const Fields& fields) {
  const absl::Span<const ShapeMember> all = fields.shape().members();
  for (size_t i = 0; i < all.size(); ++i) {
    const int member = static_cast<int>(i);
    if (all[i].named && !fields.Has(member)) {
      return ValidationError(messages::ParameterMissing(all[i].name));
    }
  }
  Checker checker;
  checker.CheckStructure(fields, nullptr);
  return std::move(checker).Result();
}

}  // namespace dynolith
