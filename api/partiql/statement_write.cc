#include "api/partiql/statement_write.h"

#include "api/request/key_checks.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/partiql.h"
#include "engine/base/messages/values.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

using partiql::Returning;
using partiql::Statement;
using partiql::StatementKind;

absl::Status PlanInsert(const TableSchema& schema, const Statement& statement,
                        StatementWrite* planned) {
  const ItemView item = statement.item.view();
  if (BilledBytes(item) > kItemBytesMax) return ValidationError(messages::ItemTooLarge());
  DYNOLITH_RETURN_IF_ERROR(CheckItemKeys(schema, item));
  planned->write.kind = RowWrite::Kind::kPut;
  planned->write.item = item;
  planned->write.inserts = true;
  return absl::OkStatus();
}

// The WHERE clause, joined with a test of whether the item is there: UPDATE needs the item, DELETE
// of a missing item succeeds.
Condition JoinedWithExistence(const Statement& statement, const KeySchema& key, StepKind join,
                              StepKind existence) {
  Ast ast = statement.where;
  const uint32_t step = ast.BeginBinary(join, 0);
  ast.AddTest(existence, {ast.PathOperand(Path(key.hash[0].name))});
  ast.EndBinary(step);
  return Condition::FromAst(std::move(ast));
}

absl::Status PlanOnKey(const TableSchema& schema, const Statement& statement,
                       StatementWrite* planned) {
  std::optional<Item> key = KeyFixedBy(schema.key, statement);
  if (!key) return ValidationError(messages::KeyEqualityMissing());
  planned->key = *std::move(key);
  planned->write.item = planned->key.view();
  DYNOLITH_RETURN_IF_ERROR(CheckKey(schema.key, planned->write.item));
  switch (statement.kind) {
    case StatementKind::kUpdate:
      planned->write.kind = RowWrite::Kind::kUpdate;
      planned->update = Update::FromActions(statement.update);
      DYNOLITH_RETURN_IF_ERROR(planned->update->CheckAgainst(schema));
      planned->write.update = &*planned->update;
      planned->condition =
          JoinedWithExistence(statement, schema.key, StepKind::kAnd, StepKind::kAttributeExists);
      break;
    case StatementKind::kDelete:
      planned->write.kind = RowWrite::Kind::kDelete;
      planned->condition =
          JoinedWithExistence(statement, schema.key, StepKind::kOr, StepKind::kAttributeNotExists);
      break;
    default:
      planned->write.kind = RowWrite::Kind::kCheck;
      planned->condition = Condition::FromAst(statement.where);
      break;
  }
  planned->write.condition = &*planned->condition;
  return absl::OkStatus();
}

}  // namespace

absl::Status PlanStatementWrite(Table* table, const TableMeta& meta, const Statement& statement,
                                StatementWrite* planned) {
  planned->write.table = table;
  planned->write.meta = &meta;
  planned->write.wants_old = true;
  DYNOLITH_RETURN_IF_ERROR(statement.kind == StatementKind::kInsert
                               ? PlanInsert(meta.schema, statement, planned)
                               : PlanOnKey(meta.schema, statement, planned));
  AppendRowKey(meta.schema.id, meta.schema.key, planned->write.item, &planned->write.row_key);
  return absl::OkStatus();
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
