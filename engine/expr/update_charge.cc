// What an UpdateExpression is charged, which in most regions may not exceed the size of an item
// (api/facts/values.md §7). The numbers are the service's; nothing else is known of them.
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

size_t PathOperandBytes(const Path& path) {
  size_t bytes = kPathBytes;
  for (size_t i = 0; i < path.size(); ++i) bytes += kPathElementBytes + TextBytes(path[i]);
  return bytes;
}

// A node of a right-hand side with all that is below it: operands of functions and of + and - may
// be functions again, as deep as the parser lets them be.
size_t OperandBytes(const UpdateActions& update, const std::vector<ValueView>& values,
                    uint32_t node) {
  const UpdateValue& value = update.nodes[node];
  const auto both = [&] {
    return OperandBytes(update, values, value.left) + OperandBytes(update, values, value.right);
  };
  switch (value.kind) {
    case UpdateValueKind::kPath:
      return PathOperandBytes(update.paths[value.left]);
    case UpdateValueKind::kValue:
      return BilledBytes(values[value.left]);
    case UpdateValueKind::kPlus:
      return kPlusBytes + both();
    case UpdateValueKind::kMinus:
      return kMinusBytes + both();
    case UpdateValueKind::kIfNotExists:
      return kIfNotExistsBytes + PathOperandBytes(update.paths[value.left]) +
             OperandBytes(update, values, value.right);
    case UpdateValueKind::kListAppend:
      return kListAppendBytes + both();
  }
  return 0;
}

}  // namespace

size_t Update::ChargedBytes() const {
  const UpdateActions& update = plan_->actions;
  size_t bytes = kUpdateBytes;
  for (const UpdateAction& action : update.actions) {
    bytes += TargetBytes(update.paths[action.path]);
    switch (action.kind) {
      case ActionKind::kSet:
        bytes += kWriteBytes + OperandBytes(update, values_, action.value);
        break;
      case ActionKind::kAdd:
        bytes += kWriteBytes + BilledBytes(values_[action.value]);
        break;
      case ActionKind::kRemove:
        bytes += kTakeBytes;
        break;
      case ActionKind::kDelete:
        bytes += kTakeBytes + BilledBytes(values_[action.value]);
        break;
    }
  }
  return bytes;
}

}  // namespace dynolith
