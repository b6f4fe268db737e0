#include "engine/model/check_members.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "engine/base/strings.h"
#include "engine/model/binding.h"
#include "engine/model/constraint_checker.h"

namespace dynolith {
namespace {

// A value in a C++ structure, as ConstraintChecker sees it: what its type holds, and where.
class BoundNode {
 public:
  class Members;

  BoundNode(const Shape& shape, const TypeBinding& type, const void* at)
      : shape_(&shape), type_(&type), at_(at) {
    while (at_ != nullptr && type_->holding == FieldKind::kOptional) {
      at_ = type_->get(at_);
      type_ = type_->element;
    }
  }
  // An attribute's value within an item.
  BoundNode(const Shape& shape, ValueView value)
      : shape_(&shape),
        type_(&kTypeOf<Value>),
        at_(value.bytes().data()),
        value_bytes_(value.bytes()) {}
  // Something that was there, and is not kept.
  static BoundNode Unkept(const Shape& shape) {
    static constexpr TypeBinding kUnkept = {.holding = FieldKind::kByHand};
    return {shape, kUnkept, &kUnkept};
  }

  bool is_null() const { return at_ == nullptr; }
  bool is_empty() const {
    switch (type_->holding) {
      case FieldKind::kText:
        return text().empty();
      case FieldKind::kList:
      case FieldKind::kMap:
        return size() == 0;
      default:
        return false;
    }
  }
  bool is_sound() const { return !CanBeUnsound(*type_); }
  std::string_view text() const { return *static_cast<const std::string*>(at_); }
  int64_t number() const { return *static_cast<const int64_t*>(at_); }
  size_t size() const { return type_->size(at_); }
  template <typename F>
  void ForEach(F f) const {
    if (type_->holding != FieldKind::kList) return;
    const Shape& element = ShapeAt(shape_->element);
    for (size_t i = 0; i < size(); ++i) f(BoundNode(element, *type_->element, type_->at(at_, i)));
  }
  template <typename F>
  void ForEachKeyed(F f) const {
    const Shape& element = ShapeAt(shape_->element);
    if (type_->holding == FieldKind::kItem) {
      for (const auto& [name, value] : *static_cast<const Item*>(at_)) f(name, {element, value});
    }
    if (type_->holding != FieldKind::kMap) return;
    for (size_t i = 0; i < size(); ++i) {
      f(type_->key(at_, i), BoundNode(element, *type_->element, type_->at(at_, i)));
    }
  }
  std::string Dump(const Shape& shape) const {
    switch (type_->holding) {
      case FieldKind::kText:
        return std::string(text());
      case FieldKind::kEnumeration:
        return std::string(EnumeratorWord(shape, *static_cast<const uint8_t*>(at_)));
      case FieldKind::kBoolean:
        return *static_cast<const bool*>(at_) ? "true" : "false";
      case FieldKind::kDouble:
        return Concat(*static_cast<const double*>(at_));
      case FieldKind::kTime:
        return absl::StrFormat("%.3f", absl::ToDoubleSeconds(*static_cast<const absl::Time*>(at_) -
                                                             absl::UnixEpoch()));
      case FieldKind::kValue:
        return value_bytes_.empty() ? static_cast<const Value*>(at_)->bytes()
                                    : std::string(value_bytes_);
      case FieldKind::kMap:
        return JavaText(shape, *this);
      default:
        return "";
    }
  }

 private:
  const Shape* shape_;
  const TypeBinding* type_;
  const void* at_;                // nullptr: an optional without a value
  std::string_view value_bytes_;  // of a value within an item, which is none of its own
};

class BoundNode::Members {
 public:
  Members(const Shape& shape, const BoundNode& node) : Members(shape, node.at_) {
    if (binding_.unwrapped) whole_ = &node;
  }
  Members(const Shape& shape, const void* structure)
      : shape_(shape), binding_(FindBinding(shape)), structure_(structure) {
    const absl::Span<const FieldBinding> fields = binding_.fields();
    for (size_t i = 0; i < fields.size(); ++i) places_[fields[i].member] = i + 1;
  }

  std::optional<BoundNode> Find(int member) const {
    const ShapeMember& said = shape_.members()[member];
    const Shape& shape = ShapeAt(said.shape);
    if (places_[member] == 0) {
      return said.required ? std::optional(BoundNode::Unkept(shape)) : std::nullopt;
    }
    const FieldBinding& field = binding_.fields()[places_[member] - 1];
    const void* at = static_cast<const char*>(structure_) + field.offset;
    if (field.presence == Presence::kGiven) {
      return *static_cast<const bool*>(at) ? std::optional(BoundNode::Unkept(shape)) : std::nullopt;
    }
    if (field.custom) return BoundNode::Unkept(shape);
    const BoundNode node = whole_ != nullptr ? BoundNode(shape, *whole_->type_, whole_->at_)
                                             : BoundNode(shape, *field.type, at);
    const bool is_absent = node.is_null() || (field.presence == Presence::kOmitEmpty &&
                                              !said.required && node.is_empty());
    return is_absent ? std::nullopt : std::optional(node);
  }

 private:
  const Shape& shape_;
  const StructureBinding& binding_;
  const void* const structure_;
  const BoundNode* whole_ = nullptr;  // the one member that stands for the structure
  std::array<uint8_t, kShapeMembersMax> places_ = {};  // of members among the fields, from 1
};

// Whether nothing is wrong with a member, as far as that shows at once.
bool IsPlainlySound(const ShapeMember& member, const FieldBinding& field, const void* structure) {
  const Shape& shape = ShapeAt(member.shape);
  const TypeBinding* type = field.type;
  const void* at = static_cast<const char*>(structure) + field.offset;
  if (type == nullptr) return true;
  if (type->holding == FieldKind::kOptional) {
    at = type->get(at);
    if (at == nullptr) return !member.required;
    type = type->element;
  }
  switch (type->holding) {
    case FieldKind::kText:
      return shape.kind == ShapeKind::kString &&
             IsSound(shape, *static_cast<const std::string*>(at));
    case FieldKind::kInteger:
      return IsWithinBounds(shape, *static_cast<const int64_t*>(at));
    case FieldKind::kList:
    case FieldKind::kMap:
    case FieldKind::kStructure:
      return !shape.constrained;
    default:
      return true;
  }
}

}  // namespace

absl::Status CheckMembers(const Shape& shape, const void* structure) {
  // Most requests have a sound name and little else: a third of the instructions of the full check.
  bool sound = true;
  for (const FieldBinding& field : FindBinding(shape).fields()) {
    if (!field.bounded) continue;
    sound = sound && IsPlainlySound(shape.members()[field.member], field, structure);
  }
  if (sound) return absl::OkStatus();
  return ConstraintChecker<BoundNode>::Check(shape, BoundNode::Members(shape, structure));
}

}  // namespace dynolith
