#include "api/read/get_item.h"

#include "api/read/projection_request.h"
#include "api/request/current_tables.h"
#include "api/request/key_checks.h"
#include "api/request/request_checks.h"
#include "api/staleness/stale_reads.h"
#include "api/table/request_capacity.h"
#include "api/table/strong_moment.h"
#include "api/table/table_gate.h"
#include "api/write/consumed_capacity.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "index/entry.h"

namespace dynolith {
namespace {

// Everything that can be said without the table.
absl::StatusOr<std::optional<Projection>> CheckRequest(const OperationContext& context,
                                                       const GetItemRequest& request,
                                                       Placeholders* placeholders) {
  const bool has_only_key = !request.attributes_to_get && !request.projection_expression &&
                            !request.expression_attribute_names;
  if (has_only_key) {
    DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
    return std::nullopt;
  }
  const Parameters expressions = {
      {"ProjectionExpression", request.projection_expression.has_value()}};
  DYNOLITH_RETURN_IF_ERROR(CheckParameters(
      {{"AttributesToGet", request.attributes_to_get.has_value()}}, expressions, {},
      {.names = request.expression_attribute_names.has_value()}, Wording::kCurrent));
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  std::optional<Projection> projection;
  DYNOLITH_RETURN_IF_ERROR(LowerRequestAttributesToGet(request.attributes_to_get, &projection));
  DYNOLITH_RETURN_IF_ERROR(CheckPlaceholders(*placeholders, context.violations->Of(&request)));
  DYNOLITH_RETURN_IF_ERROR(
      ParseRequestProjection(request.projection_expression, placeholders, &projection));
  DYNOLITH_RETURN_IF_ERROR(placeholders->CheckAllUsed());
  return projection;
}

absl::StatusOr<std::shared_ptr<const Snapshot>> ChooseReadMoment(const OperationContext& context,
                                                                 const TableMeta& meta,
                                                                 bool consistent_read) {
  const std::string& table = meta.schema.name;
  if (!consistent_read) {
    return ChooseMoment(context.staleness, table, "", StaleReads::Mode::kEventual);
  }
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<const Snapshot> moment, StrongMoment(context, meta));
  if (moment != nullptr) return moment;
  return ChooseMoment(context.staleness, table, "", StaleReads::Mode::kStrong);
}

// The billed size of an item that was read, exact if an observer records it; otherwise any size
// that costs the same will do.
size_t BilledReadBytes(const OperationContext& context, const TableSchema& schema, ItemView item) {
  return context.observer != nullptr ? TableBilledBytes(schema, item)
                                     : TableBilledBytesOfRead(schema, item);
}

}  // namespace

absl::StatusOr<GetItemOutput> GetItem(const OperationContext& context,
                                      const GetItemRequest& request, ItemSink sink) {
  Placeholders placeholders(PointerTo(request.expression_attribute_names), nullptr);
  DYNOLITH_ASSIGN_OR_RETURN(const std::optional<Projection> projection,
                            CheckRequest(context, request, &placeholders));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_RETURN_IF_ERROR(CheckKey(meta->schema.key, request.key.view()));
  DYNOLITH_RETURN_IF_ERROR(CheckKeyPaths(projection, meta->schema.key));

  std::string row_key;
  AppendRowKey(meta->schema.id, meta->schema.key, request.key.view(), &row_key);
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const Snapshot> moment,
                            ChooseReadMoment(context, *meta, request.consistent_read));
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                            GetCurrent(context, moment.get(), Family::kTables, row_key, &row));
  const ItemView item = found ? ItemView::Unchecked(row.value()) : ItemView();
  RequestCapacity capacity(context, table.get(), *meta);
  const bool is_measured =
      capacity.is_metered() || request.return_consumed_capacity != ReturnConsumedCapacity::kNone;
  const size_t bytes = found && is_measured ? BilledReadBytes(context, meta->schema, item) : 0;
  const double units =
      ReadUnits(bytes, request.consistent_read ? ReadMode::kStrong : ReadMode::kEventual);
  ThroughputUse use = capacity.MakeUse(AccessKind::kRead, nullptr, row_key);
  SetCost(units, bytes, &use);
  DYNOLITH_RETURN_IF_ERROR(capacity.AdmitAndCharge({use}));
  ItemBuilder builder;
  if (found) Emit(item, projection, &builder, sink);
  return GetItemOutput{.consumed_capacity = CapacityTotal(units).Report(
                           request.table_name, request.return_consumed_capacity)};
}

}  // namespace dynolith
