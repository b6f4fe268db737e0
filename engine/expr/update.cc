// Updates at work: first every action is evaluated against the old item, then one pass over the
// encoded item copies what stays and writes what changes.
#include <algorithm>
#include <forward_list>
#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/expr/expression.h"
#include "engine/expr/messages.h"
#include "engine/expr/selection.h"

namespace dynolith {
namespace {

// What an action does to the value at its path.
struct Edit {
  enum class Kind : uint8_t { kKeep, kPut, kRemove } kind = Kind::kKeep;
  ValueView value = ValueView::Unchecked({});  // of kPut
};

// One application of an update to one item.
class Application {
 public:
  Application(const UpdateActions& update, const std::vector<ValueView>& values, ItemView item,
              bool exists, ItemBuilder* builder)
      : update_(update), values_(values), item_(item), exists_(exists), builder_(builder) {}

  absl::Status Evaluate();
  // Requires: Evaluate() succeeded. `order`: the actions' positions, sorted by path.
  Item Emit(absl::Span<const uint32_t> order);

 private:
  const Path& ActionPath(uint32_t action) const {
    return update_.paths[update_.actions[action].path];
  }
  // Right-hand sides read the old item, of which an item that does not exist has only the key.
  std::optional<ValueView> Read(uint32_t path) const { return Resolve(item_, update_.paths[path]); }
  ValueView Keep(Value value) {
    computed_.push_front(std::move(value));
    return computed_.front().view();
  }
  absl::Status TypeError() const {
    return ValidationError(update_.legacy ? messages::LegacyUpdateTypeMismatch()
                                          : messages::WrongTypeInUpdate());
  }

  absl::StatusOr<ValueView> NodeValue(uint32_t node);
  absl::StatusOr<ValueView> Sum(ValueView left, ValueView right, bool subtract);
  ValueView Append(ListView left, ListView right);
  absl::Status CheckTarget(const UpdateAction& action) const;
  absl::Status EvaluateAction(const UpdateAction& action, Edit* edit);
  absl::Status EvaluateAdd(const UpdateAction& action, Edit* edit);
  absl::Status EvaluateDelete(const UpdateAction& action, Edit* edit);

  bool IsLeaf(uint32_t action, size_t depth) const { return ActionPath(action).size() == depth; }
  absl::Span<const uint32_t> TakeSame(absl::Span<const uint32_t>* group, size_t depth) const;
  void EmitMap(ItemView map, absl::Span<const uint32_t> group, size_t depth);
  void EmitList(ListView list, absl::Span<const uint32_t> group, size_t depth);
  void EmitNested(ValueView value, absl::Span<const uint32_t> group, size_t depth);

  const UpdateActions& update_;
  const std::vector<ValueView>& values_;
  ItemView item_;
  bool exists_;
  ItemBuilder* builder_;
  absl::InlinedVector<Edit, 8> edits_;  // edits_[i] belongs to update_.actions[i]
  std::forward_list<Value> computed_;  // owns what Edit::value borrows and the request does not own
};

absl::Status Application::Evaluate() {
  edits_.resize(update_.actions.size());
  for (size_t i = 0; i < edits_.size(); ++i) {
    const UpdateAction& action = update_.actions[i];
    if (action.kind != ActionKind::kSet) continue;
    absl::StatusOr<ValueView> value = NodeValue(action.value);
    if (!value.ok()) return std::move(value).status();
    edits_[i] = {Edit::Kind::kPut, *value};
  }
  for (size_t i = 0; i < edits_.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(EvaluateAction(update_.actions[i], &edits_[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<ValueView> Application::NodeValue(uint32_t node) {
  const UpdateValue& value = update_.nodes[node];
  switch (value.kind) {
    case UpdateValueKind::kValue:
      return values_[value.left];
    case UpdateValueKind::kPath: {
      const std::optional<ValueView> found = Read(value.left);
      if (!found) return ValidationError(messages::AttributeDoesNotExist());
      return *found;
    }
    case UpdateValueKind::kIfNotExists: {
      const std::optional<ValueView> found = Read(value.left);
      if (found) return *found;
      return NodeValue(value.right);
    }
    default:
      break;
  }
  absl::StatusOr<ValueView> left = NodeValue(value.left);
  if (!left.ok()) return left;
  absl::StatusOr<ValueView> right = NodeValue(value.right);
  if (!right.ok()) return right;
  if (value.kind != UpdateValueKind::kListAppend) {
    return Sum(*left, *right, value.kind == UpdateValueKind::kMinus);
  }
  if (left->type() != Type::kList || right->type() != Type::kList) return TypeError();
  return Append(left->list(), right->list());
}

absl::StatusOr<ValueView> Application::Sum(ValueView left, ValueView right, bool subtract) {
  if (left.type() != Type::kNumber || right.type() != Type::kNumber) return TypeError();
  absl::StatusOr<Number> sum =
      subtract ? Subtract(left.number(), right.number()) : Add(left.number(), right.number());
  if (!sum.ok()) return std::move(sum).status();
  return Keep(Value::N(*sum));
}

ValueView Application::Append(ListView left, ListView right) {
  builder_->BeginList();
  for (size_t i = 0; i < left.size(); ++i) builder_->Copy(left[i]);
  for (size_t i = 0; i < right.size(); ++i) builder_->Copy(right[i]);
  builder_->EndList();
  return Keep(builder_->FinishValue());
}

// The parent of the target must be there, and a list for an index, a map for a name.
absl::Status Application::CheckTarget(const UpdateAction& action) const {
  const Path& path = update_.paths[action.path];
  if (path.is_top_level()) return absl::OkStatus();
  std::optional<ValueView> parent = item_.Find(path.attribute());
  if (parent) parent = ResolveFrom(*parent, path, 1, path.size() - 1);
  const Type required = path[path.size() - 1].is_index() ? Type::kList : Type::kMap;
  if (parent && parent->type() == required) return absl::OkStatus();
  return ValidationError(messages::InvalidUpdatePath());
}

absl::Status Application::EvaluateAction(const UpdateAction& action, Edit* edit) {
  const bool removes = action.kind == ActionKind::kRemove || action.kind == ActionKind::kDelete;
  if (removes && !exists_) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(CheckTarget(action));
  switch (action.kind) {
    case ActionKind::kSet: {
      const int levels_above = static_cast<int>(update_.paths[action.path].size()) - 1;
      if (levels_above + NestingDepth(edit->value) <= kNestingDepthMax) return absl::OkStatus();
      return ValidationError(messages::UpdatedNestingTooDeep());
    }
    case ActionKind::kRemove:
      edit->kind = Edit::Kind::kRemove;
      return absl::OkStatus();
    case ActionKind::kAdd:
      return EvaluateAdd(action, edit);
    case ActionKind::kDelete:
      return EvaluateDelete(action, edit);
  }
  return absl::OkStatus();
}

absl::Status Application::EvaluateAdd(const UpdateAction& action, Edit* edit) {
  const ValueView operand = values_[action.value];
  const std::optional<ValueView> old = Read(action.path);
  *edit = {Edit::Kind::kPut, operand};
  if (!old) return absl::OkStatus();
  if (old->type() != operand.type()) return TypeError();
  if (operand.type() == Type::kNumber) {
    absl::StatusOr<ValueView> sum = Sum(*old, operand, false);
    if (!sum.ok()) return std::move(sum).status();
    edit->value = *sum;
    return absl::OkStatus();
  }
  if (operand.type() == Type::kList) {
    edit->value = Append(old->list(), operand.list());
    return absl::OkStatus();
  }
  std::vector<std::string_view> members;
  for (size_t i = 0; i < old->set().size(); ++i) members.push_back(old->set()[i]);
  for (size_t i = 0; i < operand.set().size(); ++i) {
    const std::string_view member = operand.set()[i];
    if (!old->set().Contains(member)) members.push_back(member);
  }
  builder_->Set(operand.type(), members);
  edit->value = Keep(builder_->FinishValue());
  return absl::OkStatus();
}

absl::Status Application::EvaluateDelete(const UpdateAction& action, Edit* edit) {
  const ValueView operand = values_[action.value];
  const std::optional<ValueView> old = Read(action.path);
  if (!old) return absl::OkStatus();
  if (old->type() != operand.type()) return TypeError();
  std::vector<std::string_view> members;
  for (size_t i = 0; i < old->set().size(); ++i) {
    const std::string_view member = old->set()[i];
    if (!operand.set().Contains(member)) members.push_back(member);
  }
  if (members.empty()) {
    edit->kind = Edit::Kind::kRemove;
  } else if (members.size() < old->set().size()) {
    builder_->Set(operand.type(), members);
    *edit = {Edit::Kind::kPut, Keep(builder_->FinishValue())};
  }
  return absl::OkStatus();
}

Item Application::Emit(absl::Span<const uint32_t> order) {
  absl::InlinedVector<uint32_t, 8> changes;
  for (uint32_t action : order) {
    if (edits_[action].kind != Edit::Kind::kKeep) changes.push_back(action);
  }
  if (changes.empty()) return Item::Copy(item_);
  EmitMap(item_, changes, 0);
  return builder_->FinishItem();
}

// Cuts off the first actions of `group`, those with the same path element at `depth`.
absl::Span<const uint32_t> Application::TakeSame(absl::Span<const uint32_t>* group,
                                                 size_t depth) const {
  size_t count = 1;
  while (count < group->size() &&
         ActionPath((*group)[count])[depth] == ActionPath((*group)[0])[depth]) {
    ++count;
  }
  const absl::Span<const uint32_t> same = group->subspan(0, count);
  group->remove_prefix(count);
  return same;
}

// Merges the map's names and the group's, both sorted.
void Application::EmitMap(ItemView map, absl::Span<const uint32_t> group, size_t depth) {
  builder_->BeginMap();
  size_t i = 0;
  while (i < map.size() || !group.empty()) {
    const bool has_edit = !group.empty();
    const std::string_view target =
        has_edit ? ActionPath(group[0])[depth].name() : std::string_view();
    const int order = i == map.size() ? 1 : !has_edit ? -1 : map.name(i).compare(target);
    if (order < 0) {
      builder_->Key(map.name(i));
      builder_->Copy(map.value(i));
      ++i;
      continue;
    }
    const absl::Span<const uint32_t> same = TakeSame(&group, depth);
    const Edit& edit = edits_[same[0]];
    if (!IsLeaf(same[0], depth + 1)) {
      builder_->Key(target);
      EmitNested(map.value(i), same, depth + 1);
    } else if (edit.kind == Edit::Kind::kPut) {
      builder_->Key(target);
      builder_->Copy(edit.value);
    }
    if (order == 0) ++i;
  }
  builder_->EndMap();
}

// Indexes count in the old list. Those behind its end append, in their order, without gaps.
void Application::EmitList(ListView list, absl::Span<const uint32_t> group, size_t depth) {
  builder_->BeginList();
  for (size_t i = 0; i < list.size(); ++i) {
    if (group.empty() || ActionPath(group[0])[depth].index() != i) {
      builder_->Copy(list[i]);
      continue;
    }
    const absl::Span<const uint32_t> same = TakeSame(&group, depth);
    const Edit& edit = edits_[same[0]];
    if (!IsLeaf(same[0], depth + 1)) {
      EmitNested(list[i], same, depth + 1);
    } else if (edit.kind == Edit::Kind::kPut) {
      builder_->Copy(edit.value);
    }
  }
  for (uint32_t action : group) {
    if (edits_[action].kind == Edit::Kind::kPut) builder_->Copy(edits_[action].value);
  }
  builder_->EndList();
}

void Application::EmitNested(ValueView value, absl::Span<const uint32_t> group, size_t depth) {
  if (value.type() == Type::kMap) {
    EmitMap(value.map(), group, depth);
  } else {
    EmitList(value.list(), group, depth);
  }
}

// The type that an action surely gives its target, if it does not depend on the item.
std::optional<Type> StaticType(const UpdateActions& update, const std::vector<ValueView>& values,
                               const UpdateAction& action) {
  if (action.kind == ActionKind::kAdd) return values[action.value].type();
  if (action.kind != ActionKind::kSet) return std::nullopt;
  const UpdateValue& value = update.nodes[action.value];
  if (value.kind != UpdateValueKind::kValue) return std::nullopt;
  return values[value.left].type();
}

const KeyAttribute* FindAttribute(const KeySchema& key, std::string_view name) {
  for (const std::vector<KeyAttribute>* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) {
      if (attribute.name == name) return &attribute;
    }
  }
  return nullptr;
}

absl::Status CheckIndexKeyType(const TableSchema& schema, std::string_view name, Type type) {
  for (const IndexKind kind : {IndexKind::kGlobal, IndexKind::kLocal, IndexKind::kVector}) {
    for (const IndexSchema& index : schema.indexes) {
      if (index.kind != kind) continue;
      const KeyAttribute* attribute = FindAttribute(index.key, name);
      if (attribute == nullptr || attribute->type == type) continue;
      return ValidationError(messages::IndexKeyTypeMismatch(name, TypeName(attribute->type),
                                                            TypeName(type), index.name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

Update::Plan::Plan(UpdateActions lowered)
    : actions(std::move(lowered)), charge(UpdateCharge::Of(actions)) {
  std::vector<Path> targets;
  targets.reserve(actions.actions.size());
  for (const UpdateAction& action : actions.actions) {
    targets.push_back(actions.paths[action.path]);
  }
  order = SortedPositions(targets);
  for (const uint32_t action : order) target_paths.push_back(actions.actions[action].path);
}

Update Update::FromActions(UpdateActions actions) {
  std::vector<ValueView> values = std::move(actions.values);
  return {std::make_shared<const Plan>(std::move(actions)), std::move(values)};
}

absl::Status Update::CheckAgainst(const TableSchema& schema) const {
  for (const UpdateAction& action : plan_->actions.actions) {
    const std::string_view attribute = plan_->actions.paths[action.path].attribute();
    if (schema.key.Contains(attribute)) {
      return ValidationError(messages::CannotUpdateKey(attribute));
    }
  }
  for (const UpdateAction& action : plan_->actions.actions) {
    const Path& path = plan_->actions.paths[action.path];
    const std::optional<Type> type = StaticType(plan_->actions, values_, action);
    if (!path.is_top_level() || !type) continue;
    DYNOLITH_RETURN_IF_ERROR(CheckIndexKeyType(schema, path.attribute(), *type));
  }
  for (const Path& path : plan_->actions.paths)
    DYNOLITH_RETURN_IF_ERROR(CheckKeyPath(path, schema.key, schema.indexes));
  return absl::OkStatus();
}

bool Update::creates_item() const {
  const std::vector<UpdateAction>& actions = plan_->actions.actions;
  return actions.empty() ||
         std::any_of(actions.begin(), actions.end(), [](const UpdateAction& action) {
           return action.kind == ActionKind::kSet || action.kind == ActionKind::kAdd;
         });
}

absl::StatusOr<Item> Update::Apply(ItemView item, bool exists) const {
  // Reused, so that an update allocates nothing but its result once the thread has warmed up.
  static thread_local auto builder = std::make_unique<ItemBuilder>();
  builder->Reset();
  Application application(plan_->actions, values_, item, exists, builder.get());
  DYNOLITH_RETURN_IF_ERROR(application.Evaluate());
  Item updated = application.Emit(plan_->order);
  // No item may be so large, but it may have been built out of many copies of one.
  if (updated.bytes().size() > 2 * kItemBytesMax) builder = std::make_unique<ItemBuilder>();
  return updated;
}

size_t Update::WorkAtMost(ItemView item) const {
  const auto copies = static_cast<size_t>(std::count_if(
      plan_->actions.nodes.begin(), plan_->actions.nodes.end(), [](const UpdateValue& node) {
        return node.kind == UpdateValueKind::kPath || node.kind == UpdateValueKind::kIfNotExists;
      }));
  return copies * item.bytes().size();
}

Item Update::Touched(ItemView item) const {
  ItemBuilder builder;
  SelectPaths(item, plan_->actions.paths, plan_->target_paths, &builder);
  return builder.FinishItem();
}

void Update::ForEachPath(absl::FunctionRef<void(const Path&)> visit) const {
  for (const Path& path : plan_->actions.paths) visit(path);
}

}  // namespace dynolith
