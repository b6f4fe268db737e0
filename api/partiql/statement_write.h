// A PartiQL INSERT, UPDATE, DELETE or EXISTS as a row write.
#ifndef DYNOLITH_API_PARTIQL_STATEMENT_WRITE_H_
#define DYNOLITH_API_PARTIQL_STATEMENT_WRITE_H_

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/write/row_write.h"
#include "engine/catalog/catalog.h"
#include "engine/expr/expression.h"
#include "engine/partiql/statement.h"

namespace dynolith {

// Owns the objects that the row write borrows; cannot be moved.
struct StatementWrite {
  StatementWrite() = default;
  StatementWrite(const StatementWrite&) = delete;
  StatementWrite& operator=(const StatementWrite&) = delete;

  RowWrite write;
  Item key;  // for all except INSERT
  std::optional<Condition> condition;
  std::optional<Update> update;
};

// Plans the write of `statement`, which it borrows; `options` come from the request. Requires: the
// table's gate is held; not a SELECT. Errors: the key is not fixed by equalities, and those of
// PutItem's and UpdateItem's checks against the table.
absl::Status PlanStatementWrite(Table* table, const TableMeta& meta,
                                const partiql::Statement& statement, RowWriteOptions options,
                                StatementWrite* planned);

// The primary key that the WHERE clause fixes by one equality per key attribute, or nullopt.
std::optional<Item> KeyFixedBy(const KeySchema& key, const partiql::Statement& statement);
// Whether its WHERE clause fixes the primary key and has nothing else.
bool NamesKeyOnly(const KeySchema& key, const partiql::Statement& statement);

// The result of a RETURNING clause.
std::optional<Item> ReturnedBy(const partiql::Statement& statement, const StatementWrite& planned,
                               const RowOutcome& outcome);

}  // namespace dynolith

#endif  // DYNOLITH_API_PARTIQL_STATEMENT_WRITE_H_
