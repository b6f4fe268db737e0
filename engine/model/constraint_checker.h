// Checks a request against its shapes: absent members, lengths, ranges, patterns, enumerations. The
// representation of the request, JSON or C++ structures, is a template parameter, so that both
// entry points make the same checks with the same texts.
#ifndef DYNOLITH_ENGINE_MODEL_CONSTRAINT_CHECKER_H_
#define DYNOLITH_ENGINE_MODEL_CONSTRAINT_CHECKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/errors.h"
#include "engine/model/constraint_failures.h"
#include "engine/model/java_text.h"
#include "engine/model/messages.h"
#include "engine/model/shapes.h"

namespace dynolith {

// `Node` is a value of some shape, cheap to copy, with:
//
//   bool is_null() const                  an element that is not there
//   bool is_sound() const                 nothing in it can break a constraint
//   std::string_view text() const         of a string or an enumeration
//   int64_t number() const                of an integer
//   size_t size() const                   of a list or map
//   void ForEach(f) const                 calls f(Node) for the elements of a list,
//   void ForEachKeyed(f) const            f(std::string_view, Node) for those of a map
//   std::string Dump(const Shape&) const  any value as a text
//   Members                               a type made of a structure's shape and its node, whose
//                                         Find(int member) has the member's Node, or is false
template <typename Node>
class ConstraintChecker {
 public:
  using Members = typename Node::Members;

  // Errors: one ValidationException with all texts.
  static absl::Status Check(const Shape& shape, const Members& members,
                            bool uses_legacy_wording = false) {
    const absl::Span<const ShapeMember> all = shape.members();
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].named && !members.Find(static_cast<int>(i))) {
        return ValidationError(messages::ParameterMissing(all[i].name));
      }
    }
    ConstraintChecker checker(uses_legacy_wording);
    checker.CheckStructure(shape, members, nullptr);
    return checker.failures_.StatusFor(shape);
  }

 private:
  explicit ConstraintChecker(bool uses_legacy_wording) : failures_(uses_legacy_wording) {}

  void CheckStructure(const Shape& shape, const Members& members, const PathStep* parent) {
    const absl::Span<const ShapeMember> all = shape.members();
    for (const uint8_t i : shape.order()) {
      if (failures_.full()) return;
      const ShapeMember& member = all[i];
      const Shape& member_shape = ShapeAt(member.shape);
      if (!member.required && !member_shape.constrained) continue;
      const PathStep path = {.parent = parent, .name = member.name};
      const auto node = members.Find(i);
      if (node) {
        if (member.later && !failures_.empty()) continue;
        if (member_shape.constrained) CheckValue(member_shape, *node, path, &member);
      } else if (member.required) {
        failures_.AddNull(path);
      }
    }
  }

  // `member`: nullptr for elements of a list or map.
  void CheckValue(const Shape& shape, const Node& node, const PathStep& path,
                  const ShapeMember* member) {
    if (node.is_sound()) return;
    switch (shape.kind) {
      case ShapeKind::kString:
        return CheckText(shape, node, path, member);
      case ShapeKind::kEnum:
        return CheckWord(shape, node, path, member);
      case ShapeKind::kInteger:
      case ShapeKind::kLong:
        return CheckBounds(shape, JavaNumber(shape, node.number()), &messages::MustHaveValue, node,
                           path, member);
      case ShapeKind::kList:
        CheckLength(shape, node.size(), node, path, member);
        return CheckList(shape, node, path);
      case ShapeKind::kMap:
        CheckLength(shape, node.size(), node, path, member);
        return CheckMap(shape, node, path, member);
      case ShapeKind::kStructure:
        return CheckStructure(shape, Members(shape, node), &path);
      default:
        return;
    }
  }

  void CheckWord(const Shape& shape, const Node& node, const PathStep& path,
                 const ShapeMember* member) {
    for (const std::string_view word : shape.values()) {
      if (word == node.text()) return;
    }
    std::string alone;
    if (member != nullptr && !member->alone_enum.empty()) {
      const std::string constraint = messages::MustBeInEnum(member->alone_enum);
      alone = member->alone_for ? messages::ConstraintFailureFor(constraint, member->name)
                                : messages::AnonymousConstraintFailure(constraint);
    }
    failures_.AddWord(node.text(), path, messages::MustBeInEnum(EnumerationWords(shape)),
                      std::move(alone));
  }

  void CheckText(const Shape& shape, const Node& node, const PathStep& path,
                 const ShapeMember* member) {
    const std::string_view text = node.text();
    if (IsSound(shape, text)) return;
    if (shape.accepts_arn && IsArn(text)) {
      return failures_.Add(text, path, messages::MustHaveLength(false, kTableArnBytesMax));
    }
    // Regardless of its minimum: an empty text.
    if (member != nullptr && member->short_minimum && text.empty()) {
      return failures_.AddShort(text, path, messages::MustHaveLength(true, 1));
    }
    if (shape.pattern != kNoPattern && !Matches(PatternAt(shape.pattern), text)) {
      failures_.Add(text, path, messages::MustMatchPattern(PatternAt(shape.pattern).text));
    }
    const auto length = static_cast<int64_t>(ConstrainedLength(shape, text));
    const bool too_long = shape.max != kNoBound && length > shape.max;
    CheckLength(shape, length, node, path, too_long ? member : nullptr);
  }

  void CheckLength(const Shape& shape, size_t length, const Node& node, const PathStep& path,
                   const ShapeMember* member) {
    CheckBounds(shape, static_cast<int64_t>(length), &messages::MustHaveLength, node, path, member);
  }

  void CheckBounds(const Shape& shape, int64_t size, std::string (*constraint)(bool, int64_t),
                   const Node& node, const PathStep& path, const ShapeMember* member) {
    const bool too_much = shape.max != kNoBound && size > shape.max;
    const bool too_little = shape.min != kNoBound && size < shape.min;
    if ((!too_much && !too_little) || failures_.full()) return;
    const std::string said = constraint(!too_much, too_much ? shape.max : shape.min);
    const bool is_short =
        member != nullptr && (too_much ? member->short_form : member->short_minimum);
    const std::string value = JavaText(shape, node);
    is_short ? failures_.AddShort(value, path, said) : failures_.Add(value, path, said);
  }

  void CheckList(const Shape& shape, const Node& list, const PathStep& path) {
    const Shape& element_shape = ShapeAt(shape.element);
    // An absent attribute value is reported as an empty one, by the reader.
    if (element_shape.name == "AttributeValue") return;
    PathStep step{.parent = &path, .kind = PathStep::Kind::kListElement};
    bool sound = true;
    list.ForEach([&](const Node& element) {
      if (failures_.full()) return;
      ++step.position;
      if (element.is_null()) {
        failures_.AddNull(step);
      } else if (element_shape.kind == ShapeKind::kString) {
        sound = sound && IsSound(element_shape, element.text());
      } else if (element_shape.constrained) {
        CheckValue(element_shape, element, step, nullptr);
      }
    });
    if (sound || failures_.full()) return;
    failures_.Add(JavaText(shape, list), path,
                  messages::ListMembersMust(ConstraintText(element_shape)));
  }

  void CheckMap(const Shape& shape, const Node& map, const PathStep& path,
                const ShapeMember* member) {
    const Shape& key_shape = ShapeAt(shape.key);
    const Shape& element_shape = ShapeAt(shape.element);
    const bool has_attribute_values = element_shape.name == "AttributeValue";
    bool keys_sound = true;
    bool values_sound = true;
    map.ForEachKeyed([&](std::string_view key, const Node& element) {
      if (failures_.full()) return;
      keys_sound = keys_sound && IsSound(key_shape, key);
      if (has_attribute_values) return;
      const PathStep step{.parent = &path, .name = key, .kind = PathStep::Kind::kMapValue};
      if (element.is_null()) {
        failures_.AddNull(step);
      } else if (element_shape.kind == ShapeKind::kString) {
        values_sound = values_sound && IsSound(element_shape, element.text());
      } else if (element_shape.kind == ShapeKind::kList) {
        values_sound =
            values_sound && IsWithinBounds(element_shape, static_cast<int64_t>(element.size()));
        CheckList(element_shape, element, step);
      } else if (element_shape.constrained) {
        CheckValue(element_shape, element, step, nullptr);
      }
    });
    if (keys_sound && values_sound) return;
    const bool as_json = member != nullptr && member->json_dump;
    const std::string dump = as_json ? map.Dump(shape) : JavaText(shape, map);
    if (!keys_sound && !failures_.full()) {
      failures_.Add(dump, path, messages::MapKeysMust(ConstraintText(key_shape)));
    }
    if (!values_sound && !failures_.full()) {
      failures_.Add(dump, path, messages::MapValueMust(ConstraintText(element_shape)));
    }
  }

  ConstraintFailures failures_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_CONSTRAINT_CHECKER_H_
