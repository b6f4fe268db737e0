#include "engine/model/shapes.h"

#include <algorithm>
#include <iterator>

namespace dynolith {
namespace {

#include "engine/model/shapes.inc"

constexpr bool AllFit() {
  for (const Shape& shape : kShapes) {
    if (shape.kind == ShapeKind::kStructure && shape.count > kShapeMembersMax) return false;
  }
  return true;
}
static_assert(AllFit(), "raise kShapeMembersMax");

}  // namespace

namespace model_internal {
constinit const Shape* const kFirstShape = kShapes;
constinit const ShapeMember* const kFirstMember = kMembers;
}  // namespace model_internal

absl::Span<const uint8_t> Shape::order() const {
  if (kind != ShapeKind::kStructure) return {};
  return {kOrders + first_order, count};
}

absl::Span<const std::string_view> Shape::values() const {
  if (kind != ShapeKind::kEnum) return {};
  return {kEnumValues + first, count};
}

int Shape::FindMember(std::string_view member_name) const {
  const absl::Span<const ShapeMember> all = members();
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string_view name = all[i].name;
    // Most names differ in length or in the first letter.
    if (name.size() != member_name.size() || name[0] != member_name[0]) continue;
    if (name == member_name) return static_cast<int>(i);
  }
  return -1;
}

uint16_t ShapeIndex(const Shape& shape) { return static_cast<uint16_t>(&shape - kShapes); }

const Pattern& PatternAt(uint16_t index) { return kPatterns[index]; }

absl::Span<const OperationShape> AllOperations() { return kOperations; }

const OperationShape* FindOperation(Service service, std::string_view name) {
  for (const OperationShape& operation : kOperations) {
    if (operation.service == service && operation.name == name) return &operation;
  }
  return nullptr;
}

bool Matches(const Pattern& pattern, std::string_view text) {
  const auto length = static_cast<int64_t>(text.size());
  if (length < pattern.min || (pattern.max != kNoBound && length > pattern.max)) return false;
  if (length == 0) return true;
  return length % pattern.multiple == 0 && pattern.ends.Has(text.front()) &&
         pattern.ends.Has(text.back()) &&
         std::all_of(text.begin(), text.end(), [&pattern](char c) { return pattern.all.Has(c); });
}

}  // namespace dynolith
