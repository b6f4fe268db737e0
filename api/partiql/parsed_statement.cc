#include "api/partiql/parsed_statement.h"

#include <optional>
#include <string_view>
#include <utility>

#include "api/partiql/messages.h"
#include "api/request/arn.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// No statement takes an index with a multi-attribute key, whatever else it says.
absl::Status CheckSource(const OperationContext& context, std::string_view named,
                         const std::optional<std::string>& index_name) {
  if (!index_name) return absl::OkStatus();
  const absl::StatusOr<std::string_view> name = ResolveTableName(context, named);
  const std::shared_ptr<Table> table = name.ok() ? context.catalog->Find(*name) : nullptr;
  if (table == nullptr) return absl::OkStatus();
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const IndexSchema* const index = meta->schema.FindIndex(*index_name);
  const bool multiple =
      index != nullptr && (index->key.hash.size() > 1 || index->key.range.size() > 1);
  return multiple ? ValidationError(messages::MultiAttributeKeyIndex()) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<partiql::Statement>> ParseStatement(
    const OperationContext& context, const std::string& text,
    const std::vector<Value>& parameters) {
  auto parsed = partiql::Parse(text, parameters);
  if (!parsed.ok()) {
    const std::optional<partiql::SourceNames> source = partiql::FindSource(text);
    if (source) DYNOLITH_RETURN_IF_ERROR(CheckSource(context, source->table, source->index));
    return parsed;
  }
  std::unique_ptr<partiql::Statement> statement = *std::move(parsed);
  DYNOLITH_RETURN_IF_ERROR(CheckSource(context, statement->table, statement->index));
  DYNOLITH_ASSIGN_OR_RETURN(statement->table, ResolveTableName(context, statement->table));
  return statement;
}

}  // namespace dynolith
