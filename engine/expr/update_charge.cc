// The charge for an UpdateExpression, which in most regions may not exceed the size of an item
// (api/facts/values.md §7). The numbers are the service's; nothing else is known about them.
#include <string>

#include "engine/expr/expression.h"
#include "engine/value/value.h"

namespace dynolith {
namespace {

constexpr size_t kUpdateBytes = 3;
constexpr size_t kWriteBytes = 19;  // of SET and ADD
constexpr size_t kTakeBytes = 1;    // of REMOVE and DELETE
constexpr size_t kTargetElementBytes = 4;
constexpr size_t kPathBytes = 1;
constexpr size_t kPathElementBytes = 14;
constexpr size_t kPlusBytes = 34;
constexpr size_t kMinusBytes = 37;
constexpr size_t kIfNotExistsBytes = 39;
constexpr size_t kListAppendBytes = 37;

// An index counts its digits.
size_t TextBytes(const PathElement& element) {
  return element.is_index() ? std::to_string(element.index()).size() : element.name().size();
}

size_t TargetBytes(const Path& path) {
  size_t bytes = TextBytes(path[0]);
  for (size_t i = 1; i < path.size(); ++i) bytes += kTargetElementBytes + TextBytes(path[i]);
  return bytes;
}

void AddPathOperand(const Path& path, UpdateCharge* charge) {
  ++charge->operand_paths;
  charge->text_bytes += kPathBytes;
  for (size_t i = 0; i < path.size(); ++i) {
    charge->text_bytes += kPathElementBytes + TextBytes(path[i]);
  }
}

// Adds a node of a right-hand side and everything below it: operands of functions and of + and -
// may be functions again, as deep as the parser allows.
void AddOperand(const UpdateActions& update, uint32_t node, UpdateCharge* charge) {
  const UpdateValue& value = update.nodes[node];
  switch (value.kind) {
    case UpdateValueKind::kPath:
      return AddPathOperand(update.paths[value.left], charge);
    case UpdateValueKind::kValue:
      return;
    case UpdateValueKind::kIfNotExists:
      charge->text_bytes += kIfNotExistsBytes;
      AddPathOperand(update.paths[value.left], charge);
      return AddOperand(update, value.right, charge);
    case UpdateValueKind::kPlus:
      charge->text_bytes += kPlusBytes;
      break;
    case UpdateValueKind::kMinus:
      charge->text_bytes += kMinusBytes;
      break;
    case UpdateValueKind::kListAppend:
      charge->text_bytes += kListAppendBytes;
      break;
  }
  AddOperand(update, value.left, charge);
  AddOperand(update, value.right, charge);
}

}  // namespace

UpdateCharge UpdateCharge::Of(const UpdateActions& update) {
  UpdateCharge charge = {.text_bytes = kUpdateBytes};
  for (const UpdateAction& action : update.actions) {
    charge.text_bytes += TargetBytes(update.paths[action.path]);
    const bool writes = action.kind == ActionKind::kSet || action.kind == ActionKind::kAdd;
    charge.text_bytes += writes ? kWriteBytes : kTakeBytes;
    if (action.kind == ActionKind::kSet) AddOperand(update, action.value, &charge);
  }
  return charge;
}

size_t Update::ChargedBytes() const {
  size_t bytes = plan_->charge.text_bytes;
  for (const ValueView value : values_) bytes += BilledBytes(value);
  return bytes;
}

// Encoded, nothing is smaller than it is billed. So the text and the values are no less than the
// charge, and the item that Apply makes has no more than those and copies of what was there: it
// keeps attributes of `item`, a path on a right-hand side brings at most all of it, and each value
// comes once. The names of targets are in the text's bytes, and kWriteBytes is more than a list or
// map adds for an element. A sum has at most 22 bytes: of + and - their constants are more, and of
// ADD kWriteBytes, the target, its number and the one that was there.
size_t Update::BytesAtMost(ItemView item) const {
  size_t bytes = plan_->charge.text_bytes;
  for (const ValueView value : values_) bytes += value.bytes().size();
  return bytes + (1 + plan_->charge.operand_paths) * item.bytes().size();
}

}  // namespace dynolith
