#include "api/partiql/statement_write.h"

#include <algorithm>
#include <set>

#include "api/partiql/messages.h"
#include "api/request/key_checks.h"
#include "api/request/request_checks.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

using partiql::Returning;
using partiql::Statement;
using partiql::StatementKind;

absl::Status PlanInsert(Table* table, const TableMeta& meta, const Statement& statement,
                        RowWriteOptions options, StatementWrite* planned) {
  const ItemView item = statement.item.view();
  if (BilledBytes(item) > kItemBytesMax) return ValidationError(messages::ItemTooLarge());
  DYNOLITH_RETURN_IF_ERROR(CheckItemKeys(meta.schema, item));
  options.inserts = true;
  planned->write = RowWrite::Of(RowWrite::Kind::kPut, table, meta, item, options);
  return absl::OkStatus();
}

// The WHERE clause with a test of existence: UPDATE needs the item, DELETE of a missing item
// succeeds.
Condition JoinedWithExistence(const Statement& statement, const KeySchema& key, StepKind join,
                              StepKind existence) {
  Ast ast = statement.where;
  const uint32_t step = ast.BeginBinary(join, 0);
  ast.AddTest(existence, {ast.PathOperand(Path(key.hash[0].name))});
  ast.EndBinary(step);
  return Condition::FromAst(std::move(ast));
}

bool FixesTwice(const KeySchema& key, const Statement& statement) {
  std::set<std::string_view> fixed;
  return std::any_of(statement.conjuncts.begin(), statement.conjuncts.end(),
                     [&](const partiql::Conjunct& conjunct) {
                       return conjunct.test == StepKind::kEqual &&
                              key.Contains(conjunct.attribute) &&
                              !fixed.insert(conjunct.attribute).second;
                     });
}

absl::Status PlanOnKey(Table* table, const TableMeta& meta, const Statement& statement,
                       RowWriteOptions options, StatementWrite* planned) {
  const TableSchema& schema = meta.schema;
  std::optional<Item> key = KeyFixedBy(schema.key, statement);
  if (!key) return ValidationError(messages::KeyEqualityMissing());
  if (FixesTwice(schema.key, statement)) return ValidationError(messages::ConditionsOnOneKey());
  planned->key = *std::move(key);
  DYNOLITH_RETURN_IF_ERROR(CheckKey(schema.key, planned->key.view()));
  RowWrite::Kind kind = RowWrite::Kind::kCheck;
  switch (statement.kind) {
    case StatementKind::kUpdate:
      kind = RowWrite::Kind::kUpdate;
      planned->update = Update::FromActions(statement.update);
      DYNOLITH_RETURN_IF_ERROR(planned->update->CheckAgainst(schema));
      planned->condition =
          JoinedWithExistence(statement, schema.key, StepKind::kAnd, StepKind::kAttributeExists);
      break;
    case StatementKind::kDelete:
      kind = RowWrite::Kind::kDelete;
      planned->condition =
          JoinedWithExistence(statement, schema.key, StepKind::kOr, StepKind::kAttributeNotExists);
      break;
    default:
      planned->condition = Condition::FromAst(statement.where);
      break;
  }
  options.update = PointerTo(planned->update);
  options.condition = PointerTo(planned->condition);
  planned->write = RowWrite::Of(kind, table, meta, planned->key.view(), options);
  return absl::OkStatus();
}

}  // namespace

absl::Status PlanStatementWrite(Table* table, const TableMeta& meta, const Statement& statement,
                                RowWriteOptions options, StatementWrite* planned) {
  options.wants_old = options.keeps_old = true;
  return statement.kind == StatementKind::kInsert
             ? PlanInsert(table, meta, statement, options, planned)
             : PlanOnKey(table, meta, statement, options, planned);
}

std::optional<Item> KeyFixedBy(const KeySchema& key, const Statement& statement) {
  ItemBuilder builder;
  builder.BeginMap();
  for (const auto* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) {
      const partiql::Conjunct* equality = nullptr;
      for (const partiql::Conjunct& conjunct : statement.conjuncts) {
        if (conjunct.attribute == attribute.name && conjunct.test == StepKind::kEqual) {
          equality = &conjunct;
          break;
        }
      }
      if (equality == nullptr) return std::nullopt;
      builder.Key(attribute.name);
      builder.Copy(equality->values[0]);
    }
  }
  builder.EndMap();
  return builder.FinishItem();
}

bool NamesKeyOnly(const KeySchema& key, const Statement& statement) {
  const auto tests = std::count_if(statement.where.steps.begin(), statement.where.steps.end(),
                                   [](const Step& step) { return IsTest(step.kind); });
  return static_cast<size_t>(tests) == key.size() && KeyFixedBy(key, statement).has_value();
}

std::optional<Item> ReturnedBy(const Statement& statement, const StatementWrite& planned,
                               const RowOutcome& outcome) {
  const bool old =
      statement.returning == Returning::kAllOld || statement.returning == Returning::kModifiedOld;
  const std::optional<ItemView>& item = old ? outcome.old_item : outcome.new_item;
  if (statement.returning == Returning::kNone || !item) return std::nullopt;
  const bool all =
      statement.returning == Returning::kAllOld || statement.returning == Returning::kAllNew;
  if (all) return Item::Copy(*item);
  Item touched = planned.update->Touched(*item);
  if (touched.empty()) return std::nullopt;
  return touched;
}

}  // namespace dynolith
