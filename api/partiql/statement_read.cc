#include "api/partiql/statement_read.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "api/partiql/messages.h"
#include "api/read/page.h"
#include "api/read/start_key.h"
#include "api/table/table_gate.h"
#include "api/write/idempotency.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/expr/expression.h"
#include "engine/expr/messages.h"
#include "engine/expr/range_operator.h"
#include "engine/value/messages.h"
#include "index/read.h"

namespace dynolith {
namespace {

using partiql::Conjunct;
using partiql::Statement;

// Where a page begins: in which of the statement's ranges, and behind which row of it. A row is
// named by its keys, as in LastEvaluatedKey: where it stands may change.
struct TokenPosition {
  size_t range = 0;
  std::optional<Item> start_key;  // nullopt: at the start of the range
};

// Identifies the request that a token belongs to.
std::string RequestTag(const ExecuteStatementRequest& request) {
  std::string bytes = request.statement;
  for (const Value& parameter : request.parameters) bytes += "\n" + parameter.bytes();
  return Fingerprint(bytes).substr(0, 16);
}

std::string EncodeToken(const ExecuteStatementRequest& request, const TokenPosition& position) {
  const std::string bytes =
      Concat(RequestTag(request), std::to_string(position.range), ":",
             position.start_key ? std::string_view(position.start_key->bytes()) : "");
  return absl::WebSafeBase64Escape(bytes);
}

// A list or a map among the parameters belongs to no token.
bool CanGoOn(const ExecuteStatementRequest& request) {
  return std::none_of(request.parameters.begin(), request.parameters.end(), [](const Value& value) {
    return value.type() == Type::kList || value.type() == Type::kMap;
  });
}

absl::StatusOr<TokenPosition> DecodeToken(const ExecuteStatementRequest& request) {
  TokenPosition position;
  if (!request.next_token) return position;
  if (!CanGoOn(request)) return ValidationError(messages::NextTokenMismatch());
  std::string bytes;
  const std::string tag = RequestTag(request);
  const bool decoded = absl::WebSafeBase64Unescape(*request.next_token, &bytes);
  const size_t colon = bytes.find(':', tag.size());
  if (!decoded || bytes.compare(0, tag.size(), tag) != 0 || colon == std::string::npos ||
      colon == tag.size() || colon - tag.size() > 6 ||
      !std::all_of(bytes.begin() + tag.size(), bytes.begin() + colon,
                   [](char c) { return c >= '0' && c <= '9'; })) {
    return ValidationError(messages::NextTokenMismatch());
  }
  position.range = std::stoul(bytes.substr(tag.size(), colon - tag.size()));
  bytes.erase(0, colon + 1);
  if (bytes.empty()) return position;
  const absl::StatusOr<ItemView> start_key = ItemView::Parse(bytes);
  if (!start_key.ok()) return ValidationError(messages::NextTokenMismatch());
  position.start_key = Item::Copy(*start_key);
  return position;
}

absl::StatusOr<const IndexSchema*> FindStatementIndex(const TableMeta& meta,
                                                      const Statement& statement,
                                                      bool consistent_read) {
  if (!statement.index) return nullptr;
  const IndexSchema* const index = meta.schema.FindIndex(*statement.index);
  if (index == nullptr) return ValidationError(messages::StatementNoSuchIndex());
  if (index->kind == IndexKind::kGlobal && consistent_read) {
    return ValidationError(messages::StatementConsistentReadOnGlobalIndex());
  }
  return FindIndex(meta, statement.index, consistent_read, "Scan");
}

std::vector<const Conjunct*> ConjunctsOn(const Statement& statement, std::string_view attribute) {
  std::vector<const Conjunct*> found;
  for (const Conjunct& conjunct : statement.conjuncts) {
    if (conjunct.attribute == attribute) found.push_back(&conjunct);
  }
  return found;
}

// What a key condition says of a value: its type, and that it is neither empty nor too long.
absl::Status CheckKeyValue(const KeyAttribute& attribute, bool is_sort_key, ValueView value) {
  if (value.type() != attribute.type) return ValidationError(messages::KeyConditionTypeMismatch());
  if (value.payload().size() > (is_sort_key ? kSortKeyBytesMax : kPartitionKeyBytesMax)) {
    return ValidationError(is_sort_key ? messages::SortKeyTooLong()
                                       : messages::PartitionKeyTooLong());
  }
  if (!value.payload().empty()) return absl::OkStatus();
  return ValidationError(value.type() == Type::kString
                             ? messages::EmptyStringInQueryKey(attribute.name)
                             : messages::EmptyBinaryInQueryKey(attribute.name));
}

// Restricts `condition` by what the statement says of the sort key.
absl::Status BindSortKey(const Statement& statement, const KeyAttribute& attribute,
                         KeyCondition* condition) {
  std::vector<const Conjunct*> conjuncts = ConjunctsOn(statement, attribute.name);
  conjuncts.erase(
      std::remove_if(conjuncts.begin(), conjuncts.end(),
                     [](const Conjunct* conjunct) { return conjunct->test == StepKind::kIn; }),
      conjuncts.end());
  if (conjuncts.empty()) return absl::OkStatus();
  if (conjuncts.size() > 1) return ValidationError(messages::OverlappingRangeConditions());
  const Conjunct& conjunct = *conjuncts[0];
  for (const ValueView value : conjunct.values) {
    DYNOLITH_RETURN_IF_ERROR(CheckKeyValue(attribute, /*is_sort_key=*/true, value));
  }
  if (conjunct.test == StepKind::kEqual) {
    condition->range_equals.push_back(conjunct.values[0]);
    return absl::OkStatus();
  }
  condition->range_operator = ToRangeOperator(conjunct.test).value_or(RangeOperator::kNone);
  condition->low = conjunct.values[0];
  if (conjunct.test == StepKind::kBetween) condition->high = conjunct.values[1];
  return absl::OkStatus();
}

// The values that the statement gives for the partition key, each once; empty if there are none.
absl::StatusOr<std::vector<ValueView>> PartitionKeys(const KeyAttribute& attribute,
                                                     const Statement& statement) {
  std::vector<ValueView> keys;
  for (const Conjunct* conjunct : ConjunctsOn(statement, attribute.name)) {
    if (conjunct->test != StepKind::kEqual && conjunct->test != StepKind::kIn) continue;
    if (conjunct->values.size() > kStatementPartitionKeysMax) {
      return ValidationError(messages::TooManyInOperands(conjunct->values.size()));
    }
    std::set<std::string_view> known;
    for (const ValueView value : conjunct->values) {
      DYNOLITH_RETURN_IF_ERROR(CheckKeyValue(attribute, /*is_sort_key=*/false, value));
      if (known.insert(value.payload()).second) keys.push_back(value);
    }
    break;
  }
  return keys;
}

// ORDER BY the partition key: the bytes of keys are in the order of the keys.
void SortPartitionKeys(const Statement& statement, const KeyAttribute& attribute,
                       std::vector<ValueView>* keys) {
  for (const partiql::OrderBy& order : statement.order_by) {
    if (order.attribute != attribute.name) continue;
    std::sort(keys->begin(), keys->end(), [&order](ValueView left, ValueView right) {
      return order.descending ? right.payload() < left.payload() : left.payload() < right.payload();
    });
  }
}

const ValueView* FindPartitionKey(const KeySchema& key, const partiql::Alternative& alternative) {
  for (const Conjunct& conjunct : alternative.conjuncts) {
    const bool fixes = conjunct.test == StepKind::kEqual && conjunct.attribute == key.hash[0].name;
    if (fixes) return &conjunct.values[0];
  }
  return nullptr;
}

// Two sides of an OR may not be about one item collection, unless one leaves some of it out.
absl::Status CheckAlternatives(const KeySchema& key, const Statement& statement) {
  if (key.range.empty()) return absl::OkStatus();
  for (const std::vector<partiql::Alternative>& sides : statement.alternatives) {
    std::set<std::string_view> collections;
    bool overlap = false;
    bool loosened = false;
    for (const partiql::Alternative& side : sides) {
      const ValueView* const value = FindPartitionKey(key, side);
      if (value == nullptr) continue;
      overlap |= !collections.insert(value->payload()).second;
      loosened |= std::count(side.loosened.begin(), side.loosened.end(), key.range[0].name) > 0;
    }
    if (overlap && !loosened) return ValidationError(messages::OverlappingRangeConditions());
  }
  return absl::OkStatus();
}

// The key ranges to walk, one per partition key; empty when the statement fixes none.
absl::StatusOr<std::vector<KeyRange>> BindRanges(const RowSource& source,
                                                 const Statement& statement) {
  const KeySchema& key = source.key();
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<ValueView> partition_keys,
                            PartitionKeys(key.hash[0], statement));
  SortPartitionKeys(statement, key.hash[0], &partition_keys);
  std::vector<KeyRange> ranges;
  for (const ValueView value : partition_keys) {
    KeyCondition condition;
    condition.hash_equals.push_back(value);
    if (!key.range.empty()) {
      DYNOLITH_RETURN_IF_ERROR(BindSortKey(statement, key.range[0], &condition));
    }
    ranges.push_back(source.RangeFor(condition));
  }
  return ranges;
}

// ORDER BY needs the partition key, and orders by key attributes only.
absl::StatusOr<Direction> BindOrder(const Statement& statement, const KeySchema& key, bool keyed) {
  Direction direction = Direction::kForward;
  for (const partiql::OrderBy& order : statement.order_by) {
    if (!statement.has_where) return ValidationError(messages::OrderByNeedsWhere());
    if (!keyed) return ValidationError(messages::OrderByNeedsPartitionKey());
    if (!key.Contains(order.attribute)) {
      return ValidationError(messages::OrderByNotKey(order.attribute));
    }
    const bool is_sort_key = !key.range.empty() && key.range[0].name == order.attribute;
    if (is_sort_key && order.descending) direction = Direction::kBackward;
  }
  return direction;
}

// The top-level attributes that the columns are taken from, each once.
std::vector<std::string> ColumnAttributes(const Statement& statement) {
  std::vector<std::string> names;
  for (const Path& column : statement.columns) {
    const std::string name(column.attribute());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// Walks the ranges from `position` until the limit, a full page, or as many partition keys as one
// page has.
absl::Status WalkRanges(const OperationContext& context, const ExecuteStatementRequest& request,
                        const Statement& statement, const std::vector<KeyRange>& ranges,
                        const TokenPosition& position, PagePlan plan,
                        ExecuteStatementOutput* output) {
  std::optional<int64_t> left = request.limit;
  PageUse use;
  plan.use = &use;
  for (size_t i = position.range; i < ranges.size(); ++i) {
    if (i - position.range == kStatementPartitionKeysPerPage) {
      output->next_token = EncodeToken(request, {i, std::nullopt});
      return absl::OkStatus();
    }
    plan.range = ranges[i];
    plan.limit = left;
    plan.start_after.reset();
    if (i == position.range && position.start_key) StartAfter(position.start_key->view(), &plan);
    DYNOLITH_ASSIGN_OR_RETURN(
        PageOutput page,
        ReadPage(context, plan, statement.table, request.return_consumed_capacity,
                 [&](ItemView item) { output->items.push_back(SelectColumns(statement, item)); }));
    AddCapacity(page.consumed_capacity, &output->consumed_capacity);
    if (page.last_evaluated_key) {
      output->next_token = EncodeToken(request, {i, page.last_evaluated_key});
      output->last_evaluated_key = std::move(page.last_evaluated_key);
      return absl::OkStatus();
    }
    if (left) *left -= page.scanned_count;
  }
  return absl::OkStatus();
}

absl::StatusOr<ExecuteStatementOutput> SelectOnce(const OperationContext& context,
                                                  const ExecuteStatementRequest& request,
                                                  const Statement& statement) {
  DYNOLITH_ASSIGN_OR_RETURN(const TokenPosition position, DecodeToken(request));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, statement.table));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_ASSIGN_OR_RETURN(const IndexSchema* const index,
                            FindStatementIndex(*meta, statement, request.consistent_read));
  PagePlan plan(*meta, index);
  if (position.start_key) {
    const ItemView start_key = position.start_key->view();
    if (!CheckStartKey(plan.source, start_key, PageOperation::kQuery).ok()) {
      return ValidationError(messages::NextTokenMismatch());
    }
  }
  DYNOLITH_RETURN_IF_ERROR(CheckAlternatives(plan.source.key(), statement));
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<KeyRange> ranges, BindRanges(plan.source, statement));
  const bool keyed = !ranges.empty();
  DYNOLITH_ASSIGN_OR_RETURN(plan.direction, BindOrder(statement, plan.source.key(), keyed));
  const Condition filter = Condition::FromAst(statement.where);
  if (statement.has_where) plan.filter = &filter;
  if (keyed) DYNOLITH_RETURN_IF_ERROR(CheckFilterProjected(plan.source, plan.filter));
  // The projection borrows the names.
  const std::vector<std::string> attributes = ColumnAttributes(statement);
  if (!attributes.empty()) plan.projection = Projection::FromTopLevelNames(attributes);
  DYNOLITH_RETURN_IF_ERROR(BindSelection(std::nullopt, &plan));
  plan.mode = request.consistent_read ? ReadMode::kStrong : ReadMode::kEventual;
  DYNOLITH_RETURN_IF_ERROR(BindMoment(context, &plan));
  plan.is_scan = !keyed;
  plan.fetches_filtered = true;
  if (!keyed) ranges.push_back(RangeOfId(plan.source.id()));

  ExecuteStatementOutput output;
  DYNOLITH_RETURN_IF_ERROR(
      WalkRanges(context, request, statement, ranges, position, std::move(plan), &output));
  return output;
}

}  // namespace

absl::StatusOr<ExecuteStatementOutput> RunSelect(const OperationContext& context,
                                                 const ExecuteStatementRequest& request,
                                                 const Statement& statement) {
  return ReadWhereItIs([&] { return SelectOnce(context, request, statement); });
}

Item SelectColumns(const Statement& statement, ItemView item) {
  if (statement.columns.empty()) return Item::Copy(item);
  ItemBuilder builder;
  builder.BeginMap();
  for (size_t i = 0; i < statement.columns.size(); ++i) {
    const std::optional<ValueView> value = Resolve(item, statement.columns[i]);
    if (!value) continue;
    builder.Key(statement.column_names[i]);
    builder.Copy(*value);
  }
  builder.EndMap();
  return builder.FinishItem();
}

}  // namespace dynolith
