// The five kinds of expressions: parse once, then evaluate on encoded items. Grammar, checks and
// their order: api/facts/expressions.md §1-§9.
//
// Parsed objects borrow from the placeholders and the request behind them; keep those alive. The
// thread caches the part that depends on the text alone (text_cache.h).
#ifndef DYNOLITH_ENGINE_EXPR_EXPRESSION_H_
#define DYNOLITH_ENGINE_EXPR_EXPRESSION_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/expr/ast.h"
#include "engine/expr/placeholders.h"
#include "engine/key/key_codec.h"
#include "engine/key/schema.h"
#include "engine/value/item.h"
#include "engine/value/value.h"

namespace dynolith {

// ConditionExpression, FilterExpression, or what Expected, QueryFilter and ScanFilter lower to.
class Condition {
 public:
  // Errors: ValidationError in the service's order and words, prefixed "Invalid <Kind>Expression:
  // ".
  static absl::StatusOr<Condition> Parse(std::string_view text, ExpressionKind kind,
                                         Placeholders* placeholders);
  static Condition FromAst(Ast ast) { return Condition(BoundAst::Of(std::move(ast))); }

  // Whether the item satisfies the condition. A missing item is the empty item. Adds its cost to
  // `work`: the bytes of the operands read, and kOperandWork for each operand. A unit takes a few
  // nanoseconds at worst (README.md). Once `interrupted` is set the answer is false: a row of 400
  // KB may take a second.
  bool Matches(ItemView item, size_t* work = nullptr,
               const std::atomic<bool>* interrupted = nullptr) const;
  static constexpr size_t kOperandWork = 16;

  // At least the cost that Matches would add for this item.
  size_t WorkAtMost(ItemView item) const;

  // Calls with the path of every document path in the condition, in text order.
  void ForEachPath(absl::FunctionRef<void(const Path&)> visit) const;

  // The value of each `attribute = value` that every matching item satisfies: the whole condition,
  // or joined with the rest of it by AND alone. In text order, borrowed as the condition is.
  std::vector<ValueView> RequiredEquals(std::string_view attribute) const;

 private:
  explicit Condition(BoundAst ast) : ast_(std::move(ast)) {}
  BoundAst ast_;
};

// A key condition as written: the restriction of each attribute, not yet matched with a schema.
class ParsedKeyCondition {
 public:
  struct Clause {
    std::string_view attribute;
    RangeOperator comparison;
    ValueView low;
    std::optional<ValueView> high;
  };

  // Errors: api/facts/expressions.md §5, those that need no table.
  static absl::StatusOr<ParsedKeyCondition> Parse(std::string_view text,
                                                  Placeholders* placeholders);
  static ParsedKeyCondition FromClauses(std::vector<Clause> clauses);

  // Matches the clauses with a key schema. All equalities on range attributes go to `range_equals`.
  // Errors: those of §5 that need the table, and for
  // multi-attribute keys api/facts/newest.md §1.
  absl::StatusOr<KeyCondition> Bind(const KeySchema& key) const;

  const std::vector<Clause>& clauses() const { return clauses_; }

 private:
  std::vector<Clause> clauses_;
  std::shared_ptr<const Ast> text_;  // what the clauses borrow from
};

// ProjectionExpression or AttributesToGet.
class Projection {
 public:
  static absl::StatusOr<Projection> Parse(std::string_view text, Placeholders* placeholders);
  static Projection FromTopLevelNames(absl::Span<const std::string> names);

  // Adds the selected part of `item` as one map value to `builder`: nested structure kept, list
  // elements packed.
  void Apply(ItemView item, ItemBuilder* builder) const;
  Item Apply(ItemView item) const;

  // In text order.
  const std::vector<Path>& paths() const { return plan_->paths; }

  // The part that requests can share.
  struct Plan {
    explicit Plan(std::vector<Path> paths);
    std::vector<Path> paths;
    std::vector<uint32_t> order;  // positions in `paths`, sorted by path; empty if all are names
  };

 private:
  explicit Projection(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const void> text_;  // from which the plan borrows, if it is not part of it
};

// UpdateExpression or AttributeUpdates.
class Update {
 public:
  static absl::StatusOr<Update> Parse(std::string_view text, Placeholders* placeholders);
  static Update FromActions(UpdateActions actions);

  // Without values, which are these.
  const UpdateActions& actions() const { return plan_->actions; }
  const std::vector<ValueView>& values() const { return values_; }

  // The checks that need the table: key attributes are not updated, static values fit the index
  // keys that they are assigned to, no nested path under a key (api/facts/expressions.md §7,
  // api/facts/values.md §8).
  absl::Status CheckAgainst(const TableSchema& schema) const;

  // Whether the update creates an item that does not exist: it has a SET, an ADD or a PUT, or no
  // action at all.
  bool creates_item() const;

  // The item after the update. `item` is the old item, or the key alone when there is none
  // (`exists` false). Errors: the service's run-time errors (api/facts/expressions.md §7). The
  // caller checks the size of the result and the types of its index keys.
  absl::StatusOr<Item> Apply(ItemView item, bool exists) const;

  // At least the bytes that Apply copies out of `item`, beside one copy of the item: each path on a
  // right-hand side may copy all of it.
  size_t WorkAtMost(ItemView item) const;

  // The update's charge by its text: the values that it writes and a cost for each clause,
  // independent of the item (api/facts/values.md §7). O(size of the values). Requires: made by
  // Parse: values() then has one entry for each place where a value is written.
  size_t ChargedBytes() const;
  // At least that charge, and at least the billed size of Apply's result for `item`. O(values).
  // Requires: the same.
  size_t BytesAtMost(ItemView item) const;

  // The touched paths of `item`, for UPDATED_OLD (of the old item) and UPDATED_NEW (of the new
  // one).
  Item Touched(ItemView item) const;

  void ForEachPath(absl::FunctionRef<void(const Path&)> visit) const;

  // The part that requests can share: all but the values.
  struct Plan {
    explicit Plan(UpdateActions lowered);
    UpdateActions actions;
    std::vector<uint32_t> order;         // positions in `actions.actions`, sorted by path
    std::vector<uint32_t> target_paths;  // the same as positions in `actions.paths`
    UpdateCharge charge;
  };

 private:
  Update(std::shared_ptr<const Plan> plan, std::vector<ValueView> values)
      : plan_(std::move(plan)), values_(std::move(values)) {}
  std::shared_ptr<const Plan> plan_;
  std::vector<ValueView> values_;
  std::shared_ptr<const void> text_;  // from which the plan borrows, if it is not part of it
};

// The value at a path, borrowed from the item; nullopt if any step is missing or of another type.
std::optional<ValueView> Resolve(ItemView item, const Path& path);

// Whether the path goes below a key attribute of the table or of one of `indexes`; key attributes
// are scalars. `indexes` are all for an update, and the one that is read for a projection or a
// filter. Errors: the service's ValidationError (api/facts/expressions.md §6).
absl::Status CheckKeyPath(const Path& path, const KeySchema& key,
                          absl::Span<const IndexSchema> indexes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_EXPRESSION_H_
